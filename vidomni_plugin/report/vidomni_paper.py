"""The paper's numbers for runs of VidOmni: beside runs on the paper's data and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vidomni_plugin.published import published, same_model, verifier
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.vidomni_between import size_of
from vidomni_plugin.report.vidomni_scored import has_sound

__all__ = [
    "PAPER_NOTE",
    "PAPER_TASKS",
    "on_paper_data",
    "paper_by_source",
    "paper_gains",
    "paper_scores",
]

PAPER_TASKS = ("vidomni", "vidomni_av")
"""The tasks over the paper's pairs, without sound and with it; the others are samples or one's
own data."""
PAPER_NOTE = (
    "Published values stand beside runs of vidomni and vidomni_av over all documents only, "
    "whatever frames these saw: the paper's are in its Table 8."
)


def on_paper_data(*runs: TaskRun) -> bool:
    """Return whether all runs are of the paper's data, all of it."""
    return all(run.task in PAPER_TASKS and not run.is_part for run in runs)


def paper_scores(run: TaskRun) -> Mapping[str, Any]:
    """Return the row of Table 3 for a run; empty where the paper has none."""
    if not on_paper_data(run):
        return {}
    return verifier(run.signature.checkpoint, sound=has_sound(run)) or {}


def paper_gains(small: TaskRun, large: TaskRun) -> dict[str, float]:
    """Return the gains of Figure 11 for two models, by category; none for other pairs."""
    if not on_paper_data(small, large):
        return {}
    paper = published()["vidomni"]["figure11_recall_gain_pp"]
    given = size_of(small.signature.checkpoint), size_of(large.signature.checkpoint)
    for at, column in enumerate(paper["columns"][1:], 1):
        family, _, ends = column.partition(" (")
        low, _, high = ends.rstrip(")").partition(" to ")
        if (size_of(f"{family} {low}"), size_of(f"{family} {high}")) == given:
            return {row[0]: row[at] for row in paper["rows"]}
    return {}


def paper_by_source(run: TaskRun, source: str) -> float | None:
    """Return the F1 of Figure 12 for a verifier of the paper on a caption source."""
    if not on_paper_data(run) or has_sound(run):
        return None
    paper = published()["vidomni"]["figure12_verifier_by_source_f1"]
    for name, line in paper["rows"].items():
        if same_model(run.signature.checkpoint, name):
            values = zip(paper["sources"], line, strict=True)
            return next((f1 for known, f1 in values if same_model(source, known)), None)
    return None
