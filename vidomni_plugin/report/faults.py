"""What is wrong with a run, or limits what its scores say: told, and no reason not to use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vidomni_plugin.detectors.answer import read_answer
from vidomni_plugin.detectors.settings import mixed
from vidomni_plugin.problems import Problem
from vidomni_plugin.report.find import Files
from vidomni_plugin.report.runs import SCORES_ONLY, TaskRun
from vidomni_plugin.report.signature import odd_counts
from vidomni_plugin.scores import REQUEST_FAILED, Score
from vidomni_plugin.wording import counted

__all__ = ["LOGGED", "faults_of", "limited"]

SAME = 1e-6
"""Scores closer than this, in points, are the same."""
UNREAD = 0.25
"""From this share of answers without a label or verdict on, a report warns of them."""
LOGGED = "run with --log_samples; or keep the *_samples_*.jsonl beside the results file"


def limited(
    results: Mapping[str, Any], limit: str | None, task: str, files: Files
) -> list[Problem]:
    """Return a warning where a run is not over all documents, or its log does not tell."""
    if odd := odd_counts(results, task):
        message = (
            f"{task}: the results file says {', '.join(odd)}, which is no number of documents; "
            "whether the run is over all of them is not known"
        )
        return [Problem("limited", str(files.results or files.folder), message)]
    if limit is None:
        return []
    message = f"{task}: a run over {limit} documents (--limit or --offset), not over the benchmark"
    return [Problem("limited", str(files.results or files.folder), message)]


def faults_of(run: TaskRun, found: Mapping[str, Score], path: Path | None) -> list[Problem]:
    """Return what items and the host's scores say together about how complete a run is.

    Args:
        run: As read.
        found: Every metric of its items.
        path: Its samples file; None where there is none.
    """
    if path is None:
        return []
    place, faults = str(path), []
    if not run.items:
        message = f"{run.task}: no usable sample; only the host's scores are known"
        return [Problem("no-samples", place, message, LOGGED)]
    short = run.expected is not None and len(run.items) < run.expected
    if short:
        message = (
            f"{run.task}: {counted(len(run.items), 'usable sample')} of {run.expected:,}; "
            "scores are of these"
        )
        hint = "the file was cut off or edited; run again for the rest"
        faults.append(Problem("cut-short", place, message, hint))
    if run.expected is not None and len(run.items) > run.expected:
        message = f"{run.task}: {counted(len(run.items), 'sample')}, but the results file says "
        message += f"that {run.expected:,} were evaluated"
        faults.append(Problem("other-score", place, message))
    faults += _unread(run, place)
    faults += _mixed(run, place)
    saw = sum(item.get("threshold_saw_video") is True for item in run.items)
    if saw:
        message = (
            f"{run.task}: {saw:,} of {counted(len(run.items), 'answer')} are about videos that the "
            "threshold was chosen on (threshold_overlap=allow)"
        )
        hint = "accuracies of such answers are too high: judge the threshold on other videos"
        faults.append(Problem("threshold-overlap", place, message, hint))
    if run.kind == "vidomni" and all(set(item["gold"]) <= {None} for item in run.items):
        message = f"{run.task}: no sentence has a gold label: every score is 0 by convention"
        faults.append(Problem("no-gold", place, message, "look at the pairs' labels"))
    lost = max((item["missing"] for item in run.items), default=0)
    if lost:
        left = counted(lost, "pair was", "pairs were")
        message = f"{run.task}: {left} left out of the run: their videos were not there"
        faults.append(Problem("missing-video", place, message))
    failed = int(found["failed"].value) if "failed" in found else 0
    if failed:
        message = f"{run.task}: {counted(failed, 'request')} failed: counted as not answered"
        hint = "where the run has a journal, the same command asks them again"
        faults.append(Problem("failed-request", place, message, hint))
    half = found["incomplete"].value if "incomplete" in found else 0
    if half:
        pairs = counted(int(half), "pair has", "pairs have")
        message = f"{run.task}: {pairs} one answer only: in no score"
        faults.append(Problem("incomplete", place, message))
    odd = (
        []
        if short
        else [
            f"{name} {run.scores[name]:.6g}, its samples {score.value:.6g}"
            for name, score in found.items()
            if name in run.scores and abs(run.scores[name] - score.value) > SAME
        ]
    )
    if odd:
        message = f"{run.task}: the results file says {'; '.join(odd[:3])}"
        message += f" and {len(odd) - 3} more" if len(odd) > 3 else ""
        hint = "reports show the scores of the samples"
        faults.append(Problem("other-score", place, message, hint))
    return faults


def _mixed(run: TaskRun, place: str) -> list[Problem]:
    """Return a warning where scores are of two detectors, or of one with two settings."""
    if all(item.get("detector_score") is None for item in run.items):
        return []
    read = [(name, read_answer(text)) for name, text in run.responses.items()]
    found = mixed(((name, answer) for name, answer in read if answer), thresholds=True)
    if not found:
        return []
    message = f"{run.task}: answers of two detectors or settings: {found[0].place}: {found[0].said}"
    hint = "no score over all of them means anything: run one detector with the same settings"
    return [Problem("mixed-settings", place, message, hint)]


def _unread(run: TaskRun, place: str) -> list[Problem]:
    """Return a warning where so many answers hold no label or verdict that a score is of little.

    Failed requests are told of by themselves.
    """
    reasons = Counter(str(item["reason"]) for item in run.items if _is_unread(item))
    if run.scores_only:
        message = f"{run.task}: {SCORES_ONLY}; the run has AUROC, Ranking and Ties, and no accuracy"
        hint = "`vidomni calibrate` finds a threshold for these scores"
        return [Problem("scores-only", place, message, hint)]
    reasons.pop(REQUEST_FAILED, None)
    if reasons.total() < UNREAD * len(run.items):
        return []
    why = ", ".join(f"{reason or 'no reason'} {count:,}" for reason, count in reasons.most_common())
    message = (
        f"{run.task}: {reasons.total():,} of {counted(len(run.items), 'answer')} without any "
        f"label or verdict ({why})"
    )
    hint = "such answers count as wrong or not flagged: look at some before you trust the scores"
    return [Problem("unparsed", place, message, hint)]


def _is_unread(item: Mapping[str, Any]) -> bool:
    return item["status"] == "none" if "status" in item else item["label"] is None
