"""``vidomni calibrate``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.samples import Sample
    from vidomni_plugin.vidhalloc.calibration import Origin, ScoredPair
    from vidomni_plugin.vidhalloc.splits import Video
    from vidomni_plugin.vidhalloc.thresholds import Calibration

__all__ = ["calibrate"]

SPLIT = "main (the release's Main_set), eval (its Eval_set and Test_set), or a file with a pair id "
DRAW_SEED = 20260906
"""Seed of --items where none is given: that of the paper's intervals of detectors."""
SHOWN = ("overall", "factual", "counterfactual", "undecided")
"""Metrics that are printed."""


def calibrate(
    samples: Annotated[
        list[str],
        typer.Argument(
            metavar="SAMPLES...",
            help="Samples files of one run of a detector (*_samples_vidhalloc*.jsonl, as "
            "lmms-eval --log_samples writes them), or the folder of the run.",
        ),
    ],
    split: Annotated[
        list[str],
        typer.Option(
            "--split",
            help=f"The pairs that the threshold is chosen on: {SPLIT}or a record a line. May be "
            "given several times.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", help="The file to write, for threshold=FILE of a detector (JSON)."),
    ],
    evaluation: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            "--evaluation",
            help="The pairs that the threshold will be judged on, named as in --split: they may "
            "share no video with it. Without it, with `--split main` those of `eval`, and "
            "otherwise all pairs of SAMPLES that are not in the split.",
        ),
    ] = None,
    items: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(
            "--items",
            min=1,
            help="Choose on so many pairs of the split only, drawn by chance, no two of one "
            "video. The paper took 100.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of --items.")] = DRAW_SEED,
    answers: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--answers",
            help="Also write what the detector answers to the evaluation's pairs with this "
            "threshold, to score it in the host without the detector: lmms-eval --model "
            "vidomni_replay --model_args responses=FILE.",
        ),
    ] = None,
    root: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "--root",
            help="Folder of VidHalLoc, for the splits `main` and `eval`; `mini` is the built-in "
            "sample, and the default for a run of vidhalloc_mini. Where it is not given: "
            "docs/data.md.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Choose a detector's threshold on some videos, to judge it on others.

    The threshold is the score at which most pairs are right as a whole: the factual answer at
    least that high, the counterfactual one lower (the paper's Algorithm 2). Calibration and
    evaluation may share no video, which is checked. The file holds the threshold to its last bit,
    the pairs it was chosen on, their accuracies and a hash of the scores.

    Example: vidomni calibrate logs/emscore --split main --items 100 --out threshold.json
    """
    from vidomni_plugin.vidhalloc.calibration import calibrate as chosen_on
    from vidomni_plugin.vidhalloc.calibration import decided, drawn, scored_pairs
    from vidomni_plugin.vidhalloc.splits import check_apart

    split = list(dict.fromkeys(split))
    inputs = [*samples, *split, *(evaluation or ())]
    for file in (out, answers):
        if file is not None:
            _may_write(file, inputs, force=force)
    if answers is not None and answers.resolve() == out.resolve():
        same = Problem("usage", "--answers", "the same file as --out")
        raise InputProblems("nothing is written", [same])
    rows, origin = _run(samples, _described(split, items, seed))
    pairs = scored_pairs(rows)
    if root is None and origin.task == "vidhalloc_mini":
        root = Path("mini")
    known = {pair_id: pair.video for pair_id, pair in pairs.items()}
    wanted = _listed(split, root, known, all_known=True)
    to_evaluate = _evaluation(evaluation, split, wanted, root, known)
    contents = {pair_id: pair.digest for pair_id, pair in pairs.items() if pair.digest}
    check_apart(wanted, to_evaluate, contents)
    ours = [pairs[pair_id] for pair_id in wanted]
    calibration = chosen_on(drawn(ours, items, seed) if items else ours, origin)
    theirs = [pairs[pair_id] for pair_id in to_evaluate if pair_id in pairs]
    _show(calibration, theirs, len(to_evaluate) - len(theirs))
    _write(out, calibration.model_dump_json(indent=2) + "\n")
    if answers is not None:
        texts = decided(theirs, calibration.threshold)
        lines = (json.dumps({"id": name, "response": text}) for name, text in texts.items())
        _write(answers, "".join(f"{line}\n" for line in lines))


def _may_write(file: Path, inputs: Sequence[str], *, force: bool) -> None:
    """Raise InputProblems where a file must not be written over."""
    problem = None
    try:
        if file.exists() and not force:
            problem = Problem("exists", str(file), "already there", "name another, or --force")
        elif file.is_dir():
            problem = Problem("exists", str(file), "a folder", "name a file in it")
        elif any(_is_of_a_run(file, path_of(path)) for path in inputs):
            problem = Problem("usage", str(file), "this file is read, so it stays", "name another")
    except (OSError, ValueError) as error:  # such as a name that is too long
        why = getattr(error, "strerror", None) or str(error)
        problem = Problem("no-folder", str(file), why)
    if problem:
        raise InputProblems("nothing is written", [problem])


def _is_of_a_run(file: Path, path: Path) -> bool:
    """Return whether a file is what a path names, or a log of the host below it."""
    here, there = file.resolve(), path.resolve()
    return here == there or (there in here.parents and file.exists() and _is_log(file.name))


def _is_log(name: str) -> bool:
    return "samples_" in name or name.endswith("results.json")


def _described(split: Sequence[str], items: int | None, seed: int) -> str:
    draw = f", {items} pairs of different videos, seed {seed}" if items else ""
    return f"{', '.join(split)}{draw}"


def _run(given: Sequence[str], split: str) -> tuple[list[Sample], Origin]:
    """Return the samples of one run, and what its files say of it."""
    from vidomni_plugin.report.find import find_files
    from vidomni_plugin.report.host_scores import mapping
    from vidomni_plugin.report.signature import count, signature_of
    from vidomni_plugin.samples import read_samples
    from vidomni_plugin.vidhalloc.calibration import Origin

    found = find_files([Path(path) for path in given])
    if locked := [problem for run in found for problem in run.problems]:
        raise InputProblems("the run cannot be read", locked)
    files = {name: path for run in found for name, path in run.samples.items() if _ours(name)}
    runs = [run for run in found if any(_ours(name) for name in run.samples)]
    if len(runs) != 1:
        named = ", ".join(str(run.folder / run.date) for run in runs)
        message = f"{counted(len(runs), 'run')} with samples of VidHalLoc{': ' if runs else ''}"
        hint = "give the samples files of one run, as lmms-eval --log_samples writes them"
        problem = Problem("usage", "SAMPLES", message + named, hint)
        raise InputProblems("no calibration", [problem])
    by_task = {name: read_samples(path) for name, path in files.items()}
    samples = [sample for of_task in by_task.values() for sample in of_task]
    results = _results(runs[0].results)
    for name, of_task in by_task.items():
        asked = count(mapping(mapping(results.get("n-samples")).get(name)).get("effective"))
        if asked is not None and len(of_task) < asked:
            typer.echo(f"{name}: {counted(asked, 'answer')} evaluated, {len(of_task)} in SAMPLES")
    name = next(iter(files))
    details = [sample.detail for sample in samples]
    signature = signature_of(results, name, details, runs[0].folder.name)
    tasks = ",".join(sorted(files))
    # A detector's own settings, such as its text or frames, are in its arguments only.
    arguments = ",".join(f"{key}={value}" for key, value in signature.model_args.items())
    settings = f"{signature.short()}|args:{arguments or '-'}"
    # Names of files, and what a log says, may hold what no file of text can.
    told = (split, tasks, signature.checkpoint, settings)
    return samples, Origin(*map(printable, told))


def _ours(task: str) -> bool:
    return task.startswith("vidhalloc")


def _results(path: Path | None) -> Mapping[str, Any]:
    """Return a results file, empty where there is none that can be read: it only describes."""
    try:
        loaded = json.loads(path.read_bytes()) if path else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _listed(
    names: Sequence[str], root: Path | None, known: Mapping[str, Video], *, all_known: bool
) -> dict[str, Video]:
    from vidomni_plugin.data.locate import locate
    from vidomni_plugin.vidhalloc.splits import NAMES, listed, read_pairs, release_files

    files: list[Path] = []
    _refuse_names(name for name in names if name not in NAMES)
    for name in names:
        if name in NAMES:
            files += release_files(locate("vidhalloc", root, may_download=False).path, name)
        else:
            files.append(path_of(name))
    return listed(read_pairs(files), known, all_known=all_known)


def _refuse_names(names: Iterable[str]) -> None:
    """Raise InputProblems where a word is neither a split nor a file."""
    import difflib

    from vidomni_plugin.vidhalloc.splits import NAMES

    problems = []
    for name in names:
        if os.path.lexists(os.path.expanduser(name)) or "\0" in name:
            continue
        near = difflib.get_close_matches(name, NAMES, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        hint = f"{meant}give main, eval, or a file with a pair id or a record a line"
        message = "neither main nor eval, and there is no such file"
        problems.append(Problem("no-file", name, message, hint))
    if problems:
        raise InputProblems("the split cannot be read", problems)


def _evaluation(
    names: Sequence[str] | None,
    split: Sequence[str],
    wanted: Mapping[str, Video],
    root: Path | None,
    known: Mapping[str, Video],
) -> dict[str, Video]:
    if names:
        return _listed(names, root, known, all_known=False)
    if list(split) == ["main"]:
        return _listed(["eval"], root, known, all_known=False)
    return {pair_id: video for pair_id, video in known.items() if pair_id not in wanted}


def _show(calibration: Calibration, theirs: Sequence[ScoredPair], not_run: int) -> None:
    from vidomni_plugin.tables import rounded
    from vidomni_plugin.vidhalloc.calibration import evaluate

    chosen = calibration
    typer.echo(f"threshold {chosen.threshold!r}: accept iff score >= threshold")
    typer.echo(
        f"chosen on {counted(chosen.n, 'pair')} of {counted(len(chosen.videos), 'video')} among "
        f"{counted(chosen.candidates, 'score')}, decided by {chosen.decided_by}: overall "
        f"{rounded(100 * chosen.overall, 2)}, factual {rounded(100 * chosen.factual, 2)}, "
        f"counterfactual {rounded(100 * chosen.counterfactual, 2)}"
    )
    if theirs:
        scores = evaluate(theirs, chosen.threshold)
        shown = ", ".join(f"{name} {rounded(scores[name].value, 2)}" for name in SHOWN)
        typer.echo(f"on {counted(len(theirs), 'pair')} of other videos: {shown}")
    if not_run:
        typer.echo(f"{counted(not_run, 'pair')} of the evaluation are not in SAMPLES")


def _write(path: Path, text: str) -> None:
    from vidomni_plugin.data.lines import write_text

    try:
        write_text(path, text)
    except OSError as error:
        problem = Problem("no-folder", str(path), error.strerror or str(error))
        raise InputProblems("nothing is written there", [problem]) from None
    typer.echo(f"written: {printable(str(path))}")
