"""Label Studio exports of this project's own plan to VidOmni pairs, in one step.

Reading, votes, decisions and merging are those of ``vidomni build annotate``; this module only
tells the stages of the exports apart and puts the steps in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vidomni_plugin.build.annotate.annotators import read_annotators
from vidomni_plugin.build.annotate.collect import collect_votes
from vidomni_plugin.build.annotate.decisions import Decisions, read_decisions
from vidomni_plugin.build.annotate.exports import read_stage1
from vidomni_plugin.build.annotate.finishing import Merged, merge, write_merged
from vidomni_plugin.build.annotate.plans import read_plan
from vidomni_plugin.build.annotate.raw import CaptionTask, raw_annotations
from vidomni_plugin.build.annotate.settle import settle
from vidomni_plugin.data.importing.reading import Unmapped
from vidomni_plugin.data.releases import Entry
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["MANIFEST", "left_out", "merge_exports", "write_merged"]

MANIFEST = "videos.jsonl"
"""The list of videos, in the root of the data set."""
STAGE_OF_WORDS = 2


def _stages(exports: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the exports of stage 1 and of stage 2, told apart by their tasks."""
    problems: list[Problem] = []
    stages: dict[int, list[Path]] = {1: [], STAGE_OF_WORDS: []}
    for path in exports:
        before = len(problems)
        found = {raw.data.stage for raw in raw_annotations(path, CaptionTask, problems, [])}
        if len(problems) > before:
            continue
        if not found:
            problems.append(Problem("export", str(path), "there is no annotation in it"))
        elif len(found) > 1 or not found <= stages.keys():
            message = f"tasks of stages {', '.join(map(str, sorted(found)))}, not of 1 or of 2"
            problems.append(Problem("export", str(path), message))
        else:
            stages[found.pop()].append(path)
    if not problems and not stages[1]:
        message = "none of the exports is of stage 1, which holds the labels"
        problems.append(Problem("export", ", ".join(map(str, exports)), message))
    if problems:
        hint = "only projects that `vidomni build annotate` made are read so; for others "
        hint += "write a mapping (docs/import.md)"
        raise InputProblems(
            "exports of Label Studio", [Problem(p.code, p.place, p.message, hint) for p in problems]
        )
    return stages[1], stages[STAGE_OF_WORDS]


def merge_exports(
    exports: Sequence[Path],
    plan_folder: Path,
    root: Path,
    *,
    decisions: Path | None = None,
    annotators: Path | None = None,
    leave_out_unfinished: bool = False,
) -> Merged:
    """Return the pairs that exports of both stages amount to; writes nothing.

    Args:
        exports: JSON or JSON-MIN of stage 1 and, where words were marked, of stage 2.
        plan_folder: What ``vidomni build annotate plan`` wrote.
        root: Root of the data set, with ``videos.jsonl``.
        decisions: ``adjudicate.csv`` with what was decided.
        annotators: The annotators as they are today; the plan's where None.
        leave_out_unfinished: Whether pairs with too few annotators are left out.

    Raises:
        InputProblems: With everything that is wrong; a dispute without a decision is wrong.
    """
    stage1, stage2 = _stages(exports)
    plan = read_plan(plan_folder)
    people = read_annotators(annotators) if annotators else plan.settings.annotators
    export = read_stage1(stage1)
    collected = collect_votes(plan, export.annotations, people)
    decided = read_decisions(decisions, plan) if decisions else Decisions({}, [], 0, {})
    problems = [*export.problems, *collected.problems, *decided.problems]
    if problems:
        raise InputProblems("exports of stage 1", problems)
    place = ", ".join(map(str, stage1))
    votes = [Entry(f"{place}: pair {pair.pair_id}", pair) for pair in collected.pairs]
    settled = settle(plan, votes, decided, leave_out_unfinished=leave_out_unfinished)
    sources = [plan_folder / "plan.json", *stage1, *([decisions] if decisions else [])]
    return merge(plan, people, settled, stage2, root / MANIFEST, sources)


def left_out(merged: Merged) -> list[Unmapped]:
    """Return the pairs that are not in the result, as notes."""
    return [
        Unmapped(f"pair {pair_id}", "", reason)
        for pair_id, reason in merged.settled.left_out.items()
    ]
