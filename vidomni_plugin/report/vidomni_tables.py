"""VidOmni's tables of each run by itself: scores, strata, what was not labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from vidomni_plugin.models.arguments import OF_THE_MACHINE
from vidomni_plugin.published import rows as published_rows
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings, interval_note
from vidomni_plugin.report.sources import PUBLISHED, RUN, SOURCE
from vidomni_plugin.report.vidomni_analysis import Analysis, analyse, sound_mark
from vidomni_plugin.report.vidomni_between_tables import between_tables
from vidomni_plugin.report.vidomni_measures import Measured
from vidomni_plugin.report.vidomni_paper import PAPER_NOTE, PAPER_TASKS, paper_scores
from vidomni_plugin.report.vidomni_strata_tables import strata_tables
from vidomni_plugin.tables import Cell, Column, Table, beside_published, interval

__all__ = ["analysis_tables", "tables"]

ACCURACIES: dict[str, tuple[tuple[str, ...], str, float]] = {
    "Video-MME": (("videomme",), "videomme_perception_score", 1.0),
    "Video-MMMU": (
        ("video_mmmu_adaptation", "video_mmmu_comprehension", "video_mmmu_perception"),
        "mmmu_acc",
        100.0,
    ),
    "LVBench": (("lvbench",), "lvbench_score", 100.0),
}
"""The host's tasks of Table 3, their metric, and what makes it percent. Video-MMMU's three tracks
have 300 questions each, so that their mean is the whole."""
PUBLISHED_ACCURACY = {"Video-MME": "video_mme", "Video-MMMU": "video_mmmu", "LVBench": "lvbench"}


def tables(task_runs: Sequence[TaskRun], settings: Settings) -> list[Table]:
    """Return VidOmni's tables of some runs; none where no run is of VidOmni."""
    return analysis_tables(analyse(task_runs, settings))


def analysis_tables(found: Analysis) -> list[Table]:
    """Return the tables in the order in which they are read."""
    if not found.rows:
        return [_unlabelled(found)] if found.empty else []
    single = [
        _table3(found),
        *([_common(found)] if found.common else []),
        _convention(found),
        *strata_tables(found),
    ]
    return [*single, *between_tables(found), _unlabelled(found)]


def _ends(measured: Measured) -> tuple[float | None, float | None]:
    return measured.low, measured.high


def _alike(run: TaskRun, other: TaskRun) -> bool:
    """Return whether a model answered another task at the settings of a run, both of them whole."""
    one, two = run.signature, other.signature
    seen = [(s.checkpoint, s.frames, s.fps, s.pixels, _deciding(s.model_args)) for s in (one, two)]
    return seen[0] == seen[1] and not (run.is_part or other.is_part)


def _deciding(arguments: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in arguments.items() if name not in OF_THE_MACHINE}


def _not_alike(found: Analysis) -> list[str]:
    """Return which accuracies of a run of the same name stand in no row, a sentence a run."""
    tasks = {task for of_name, _, _ in ACCURACIES.values() for task in of_name}
    notes = []
    for row in found.rows:
        run = row.scored.run
        left = [o.task for o in found.others if o.run == run.run and not _alike(run, o)]
        if names := ", ".join(task for task in left if task in tasks):
            notes.append(
                f"{row.name}: without {names}: of another checkpoint, at other model arguments, "
                "frames, fps or pixels, or one of the runs is over some of the documents only."
            )
    return notes


def _accuracies(found: Analysis, run: TaskRun) -> list[Cell]:
    """Return a run's accuracies in the host's own tasks in percent, each with its questions.

    None where a task was not run at the same settings, or its log does not tell how many questions
    it asked.
    """
    cells: list[Cell] = []
    for tasks, metric, scale in ACCURACIES.values():
        given = [
            other
            for task in tasks
            for other in found.others
            if other.run == run.run and other.task == task and metric in other.scores
            if _alike(run, other)
        ]
        if len(given) < len(tasks):
            cells += [None, None]
            continue
        asked = [other.expected for other in given if other.expected is not None]
        value = scale * sum(other.scores[metric] for other in given) / len(given)
        cells += [value, sum(asked) if len(asked) == len(given) else None]
    return cells


def _table3(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for row in found.rows:
        run = row.scored.run
        paper = paper_scores(run)
        body.append([row.name, RUN, run.task, sound_mark(run), *_accuracies(found, run)])
        for name in ("precision", "recall", "f1"):
            score = row.score(name)
            body[-1] += [score.value, paper.get(name), *_ends(score)]
        body[-1] += [row.score("f1").over, row.score("f1").videos]
    for paper in published_rows("vidomni", "table3"):
        task = PAPER_TASKS["a" in paper["modality"]]
        cells: list[Cell] = [paper["model"], PUBLISHED, task, paper["modality"]]
        cells += [cell for name in PUBLISHED_ACCURACY.values() for cell in (paper[name], None)]
        for name in ("precision", "recall", "f1"):
            cells += [paper[name], None, None, None]
        body.append([*cells, None, None])
    scores: list[Column] = []
    for title in ("P", "R", "F1"):
        scores += [*beside_published(f"{title}, %"), *interval(title)]
    return Table(
        "vidomni_table3",
        "VidOmni Table 3: precision, recall and F1 of Incorrect sentences",
        [
            *map(Column, ("run", SOURCE, "task", "input")),
            *(column for name in ACCURACIES for column in _with_count(name)),
            *scores,
            Column("pairs"),
            Column("videos"),
        ],
        body,
        [
            "P, R and F1 are means over pairs; a ratio with an empty denominator is 0, see the "
            "table on that convention. Input: v video, v,a video with its sound.",
            interval_note(found.settings),
            "Accuracies are those of the host's tasks videomme, video_mmmu (mean of its three "
            "tracks) and lvbench under the same name, from the same checkpoint at the same model "
            "arguments, frames, fps and pixels; n: questions that the host evaluated.",
            *_not_alike(found),
            *_different(found),
            *_part_notes(found),
            "Published rows are the paper's, arXiv 2609.21521.",
            PAPER_NOTE,
        ],
    )


def _with_count(name: str) -> tuple[Column, Column]:
    return Column(f"{name}, %"), Column(f"{name}, n")


def _different(found: Analysis) -> list[str]:
    if found.common is None:
        return []
    notes = []
    for task in dict.fromkeys(row.scored.run.task for row in found.rows):
        names = [row.name for row in found.rows if row.scored.run.task == task]
        over = [found.common[name].over for name in names if name in found.common]
        if over:
            notes.append(
                f"The runs of {task} hold different pairs, {max(over):,} of them in all: their "
                "rows are not comparable with each other. See the table of common pairs."
            )
    return notes


def _part_notes(found: Analysis) -> list[str]:
    names = [row.name for row in found.rows if row.scored.run.is_part]
    some = "over some of the documents only, and not comparable with runs over all"
    return [f"{', '.join(names)}: {some}."] if names else []


def _common(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for name, measured in (found.common or {}).items():
        row = next(row for row in found.rows if row.name == name)
        ends = _ends(measured)
        whole = row.score("f1").over
        body.append(
            [
                name,
                row.scored.run.task,
                measured.value,
                *ends,
                measured.over,
                measured.videos,
                whole,
            ]
        )
    return Table(
        "vidomni_common",
        "VidOmni: F1 on the pairs that all runs of a task scored",
        [
            Column("run"),
            Column("task"),
            Column("F1, %"),
            *interval(),
            Column("pairs"),
            Column("videos"),
            Column("pairs of the run"),
        ],
        body,
        [
            "Pairs are joined by their id; a pair whose video, sentences, gold labels or errors "
            "differ between runs is left out.",
            "Runs over some of the documents only are left out where others are over all.",
            interval_note(found.settings),
        ],
    )


def _convention(found: Analysis) -> Table:
    names = ("ceiling", "f1", "f1_flawed", "micro_f1")
    body: list[list[Cell]] = []
    for row in found.rows:
        cells: list[Cell] = [row.name, row.scored.run.task]
        cells += [row.score("f1").over, row.score("f1_flawed").over]
        for name in names:
            cells += [row.score(name).value, *_ends(row.score(name))]
        body.append(cells)
    titles = ("ceiling", "F1", "F1 of flawed pairs", "micro F1")
    scores = [c for title in titles for c in (Column(f"{title}, %"), *interval(title))]
    return Table(
        "vidomni_convention",
        "VidOmni: what pairs without an Incorrect sentence do to the scores",
        [*map(Column, ("run", "task", "pairs", "flawed pairs")), *scores],
        body,
        [
            "A ratio with an empty denominator is 0, so that a pair without an Incorrect sentence "
            "scores 0 whatever the model says. The ceiling is what a perfect verifier would reach "
            "on these data: the share of flawed pairs, those with an Incorrect sentence.",
            "F1 of flawed pairs is the mean over these only. Micro F1 pools all sentences. "
            "Neither has the ceiling.",
            interval_note(found.settings),
        ],
    )


def _unlabelled(found: Analysis) -> Table:
    body: list[list[Cell]] = []
    for row in found.rows:
        run, share = row.scored.run, row.score("unlabelled")
        bad = Counter(str(i["reason"] or i["status"]) for i in run.items if i["status"] != "ok")
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(bad.items()))
        lost = max(int(item["missing"]) for item in run.items)
        cells: list[Cell] = [row.name, run.task, run.expected, len(run.items), lost, share.over]
        silent = int(row.scored.unlabelled.sum())
        body.append([*cells, silent, share.value, *_ends(share), bad.total(), reasons or None])
    body += [
        [run.run, run.task, run.expected, 0, None, 0, 0, None, None, None, 0, None]
        for run in found.empty
    ]
    return Table(
        "vidomni_unlabelled",
        "VidOmni: what was not scored or not labelled",
        [
            Column("run"),
            Column("task"),
            Column("documents of the host"),
            Column("pairs"),
            Column("pairs without video"),
            Column("scored sentences"),
            Column("unlabelled"),
            Column("unlabelled, %"),
            *interval(),
            Column("answers not all labelled"),
            Column("reasons (answers)"),
        ],
        body,
        [
            "A sentence without a label counts as not flagged; nothing is guessed. Sentences whose "
            "gold label is Unknown are not scored.",
            interval_note(found.settings),
        ],
    )
