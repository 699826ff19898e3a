"""Read output folders of the host; whatever is wrong with one is said, and the rest is used."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.report.faults import LOGGED, faults_of, limited
from vidomni_plugin.report.find import Files, Given, find_files
from vidomni_plugin.report.host_scores import (
    KINDS,
    host_scores,
    kind_of,
    lower_is_better,
    mapping,
    spoiled_scores,
)
from vidomni_plugin.report.items import BadItem, checked
from vidomni_plugin.report.naming import named
from vidomni_plugin.report.runs import Kind, Run, TaskRun
from vidomni_plugin.report.signature import count, signature_of
from vidomni_plugin.samples import Sample, scan_samples
from vidomni_plugin.scores import Score
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidomni import metrics as vidomni_metrics

__all__ = ["read_runs", "recomputed"]

OF_CAPTIONS = "captions have no scores but counts, which stand in the results file; keep it beside"

Details = list[dict[str, Any]]


def read_runs(
    paths: Iterable[Path | Given], seen: Callable[[int, int], None] = lambda done, size: None
) -> list[Run]:
    """Return every run below some folders, in the order of the paths and of their dates.

    Args:
        paths: Output folders of the host, or results or samples files in them, with or without
            a name for their runs. A folder may hold several runs: each date is one.
        seen: Told how many bytes of how many are read, before each run and at the end.

    Raises:
        InputProblems: If a path does not exist, or nothing in any of them can be read. Other
            faults are in the problems of the runs.
    """
    found, done = find_files(paths), 0
    shared: dict[tuple[str, str], Any] = {}
    sizes = [_size(files) for files in found]
    runs = []
    with _kept():
        for files, size in zip(found, sizes, strict=True):
            seen(done, sum(sizes))
            runs.append(_read(files, shared))
            done += size
    seen(done, done)
    if not any(run.tasks for run in runs):
        problems = [problem for run in runs for problem in run.problems]
        raise InputProblems("no run can be read", problems)
    return named(runs, [files.date for files in found], [files.name for files in found])


@contextmanager
def _kept() -> Iterator[None]:
    """Tell the collector of cycles that all that is made inside is kept, and has no cycles.

    Walking it again and again takes longer than reading it, and than most that follows.
    ``write_report`` ends that.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def _size(files: Files) -> int:
    """Return the bytes of a run's files; what cannot be read is told when it is."""
    paths = [*files.samples.values(), *([files.results] if files.results else [])]
    return sum(path.stat().st_size for path in paths if path.is_file())


def recomputed(run: TaskRun) -> Mapping[str, Score]:
    """Return every metric from the items of a run; empty where it has none."""
    if run.rescored is not None:
        return run.rescored
    if not run.items:
        return {}
    if run.kind == "vidomni":
        return vidomni_metrics.summary(run.items)
    return vidhalloc_metrics.summary(run.items)


def _read(files: Files, shared: dict[tuple[str, str], Any]) -> Run:
    results, problems = _results(files)
    problems = [*files.problems, *problems]
    rows = mapping(results.get("results"))
    scores = {task: host_scores(row) for task, row in rows.items()}
    tasks: dict[str, TaskRun] = {}
    for task in dict.fromkeys([*scores, *files.samples]):
        if not files.whole and task not in files.samples:
            continue
        spoiled = spoiled_scores(rows.get(task), task, files.results)
        problems += spoiled
        path = files.samples.get(task)
        if task in scores and not scores[task] and not spoiled and path is None:
            continue  # the row of a group, which has no scores of its own
        kind = kind_of(rows.get(task))
        if kind in {"other", "captioning"} and scores.get(task):
            tasks[task] = _other(results, task, kind, scores[task], files)
        else:
            found = _ours(results, task, kind, scores.get(task, {}), path, files, shared)
            if isinstance(found, TaskRun):
                tasks[task] = found
            else:
                problems += found
    if not tasks and not problems:
        message = "no results file and no samples file of the host"
        hint = "give what lmms-eval --output_path was given, after a run that ended"
        problems.append(Problem("no-run", str(files.folder), message, hint))
    return Run(files.folder.name, files.folder, tasks, tuple(problems))


def _results(files: Files) -> tuple[Mapping[str, Any], list[Problem]]:
    """Return the results file, or an empty one and why it cannot be read."""
    if files.results is None:
        return {}, []
    place = str(files.results)
    try:
        loaded = json.loads(files.results.read_bytes().removeprefix(b"\xef\xbb\xbf"))
        # Half a character, as an escape, is JSON and no text that could be written.
        whole = json.dumps(loaded, ensure_ascii=False).encode(errors="replace")
        loaded = json.loads(whole)
    except OSError as error:
        return {}, [Problem("unreadable", place, error.strerror or str(error))]
    except (ValueError, RecursionError) as error:
        message = f"not whole JSON ({error}): the settings of this run are not known"
        return {}, [Problem("json", place, message, "write the file again by running again")]
    if not isinstance(loaded, dict) or not isinstance(loaded.get("results"), dict):
        return {}, [Problem("unreadable", place, "not a results file of the host")]
    return loaded, []


def _expected(results: Mapping[str, Any], task: str) -> int | None:
    return count(mapping(mapping(results.get("n-samples")).get(task)).get("effective"))


def _other(
    results: Mapping[str, Any], task: str, kind: Kind, scores: Mapping[str, float], files: Files
) -> TaskRun:
    """Return a task of which only the host's scores are used."""
    signature = signature_of(results, task, (), files.folder.name)
    problems = limited(results, signature.limit, task, files)
    if "bypass" in scores:
        message = f"{task}: a run with --predict_only, which scores nothing"
        problems.append(Problem("no-samples", str(files.results), message, "run without it"))
        scores = {}
    name, expected = files.folder.name, _expected(results, task)
    run = TaskRun(name, task, kind, signature, (), scores, expected, tuple(problems), {})
    return replace(run, lower_is_better=lower_is_better(results, task))


def _ours(
    results: Mapping[str, Any],
    task: str,
    kind: Kind,
    scores: Mapping[str, float],
    path: Path | None,
    files: Files,
    shared: dict[tuple[str, str], Any],
) -> TaskRun | list[Problem]:
    """Return a task of VidOmni or VidHalLoc, or why a samples file is none."""
    items: Details = []
    responses: dict[str, str] = {}
    problems: list[Problem] = []
    if path is None:
        place = str(files.results or files.folder)
        message = f"{task}: no samples file; only the host's scores are known"
        problems.append(Problem("no-samples", place, message, LOGGED))
    else:
        samples, problems = scan_samples(path)
        if not scores:
            kinds = {str(sample.detail["benchmark"]) for sample in samples} & KINDS.keys()
            row = mapping(results.get("results")).get(task)
            if not kinds:
                # Lines of another task of the host are no faults: what is missing is its results.
                broken = [problem for problem in problems if problem.code != "sample"]
                message = f"{task}: no samples of VidOmni or VidHalLoc"
                message += ", and no results file" if row is None else ", and no score"
                captions = any(s.detail["benchmark"] == "vidomni_caption" for s in samples)
                hint = OF_CAPTIONS if captions else ""
                return [*broken, Problem("no-results", str(path), message, hint)]
            kind = "vidomni" if "vidomni" in kinds else "vidhalloc"
            if row is None:
                message = f"{task}: no results file; the settings of this run are not known"
                problems.append(Problem("no-results", str(path), message))
            elif not spoiled_scores(row, task, files.results):
                message = f"{task}: the results file has no score of this task"
                problems.append(Problem("other-score", str(files.results), message))
        items, responses = _items(kind, samples, problems, shared)
    signature = signature_of(results, task, items, files.folder.name)
    run = TaskRun(
        files.folder.name,
        task,
        kind,
        signature,
        items,
        scores,
        _expected(results, task),
        (),
        responses,
    )
    run = replace(run, rescored=recomputed(run))
    faults = [
        *limited(results, signature.limit, task, files),
        *faults_of(run, recomputed(run), path),
    ]
    return replace(run, problems=(*problems, *faults))


def _items(
    kind: Kind,
    samples: Sequence[Sample],
    problems: list[Problem],
    shared: dict[tuple[str, str], Any],
) -> tuple[Details, dict[str, str]]:
    """Return the details of the samples, each id once, and the answers by id."""
    items: Details = []
    responses: dict[str, str] = {}
    first: dict[str, str] = {}
    for sample in samples:
        if sample.detail["benchmark"] != kind:
            message = f"a sample of {sample.detail['benchmark']} among those of {kind}"
            problems.append(Problem("sample", sample.place, message))
            continue
        if first.setdefault(sample.answer_id, sample.place) != sample.place:
            message = f"{sample.answer_id!r} was already at {first[sample.answer_id]}; not used"
            problems.append(Problem("repeated-id", sample.place, message))
            continue
        try:
            item = checked(sample.detail)
        except BadItem as error:
            problems.append(Problem("sample", sample.place, str(error)))
            continue
        for name, value in item.items():
            if isinstance(value, (list, str)):  # most are those of the other runs: kept once
                known = shared.setdefault((sample.answer_id, name), value)
                item[name] = known if known == value else value
        items.append(item)
        responses[sample.answer_id] = sample.response.encode(errors="replace").decode()
    return items, responses
