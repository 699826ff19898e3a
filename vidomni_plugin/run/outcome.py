"""What came of each task: items, failures with their reasons, scores with and without them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vidomni_plugin.detectors.silence import Silence, silence
from vidomni_plugin.run.host_command import Evaluated
from vidomni_plugin.samples import DETAIL_METRICS
from vidomni_plugin.scores import EMPTY
from vidomni_plugin.vidhalloc import metrics as vidhalloc
from vidomni_plugin.wording import counted

__all__ = ["TaskOutcome", "missing_files", "results_file", "task_outcomes"]

MAIN = {
    "vidomni": ("f1", "precision", "recall", "f1_flawed", "unlabelled"),
    "vidhalloc": ("factual", "counterfactual", "overall", "undecided"),
}
"""The scores that are printed of our benchmarks; the results file has all."""
OF_SCORES = ("auroc", "ranking", "ties")
"""Printed first of a detector: how well its scores tell answers apart, without any threshold."""
NO_LABEL = ("unlabelled", "undecided")
"""The percentages of ours that say how much has no label."""
NO_SILENCE = Silence("", ())
SIDES = {"vidhalloc": 2}
"""Items of a pair, where these are several."""

Sample = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """One task of a finished run."""

    task: str
    items: int
    """How many the host should have evaluated."""
    sampled: int
    """How many it did."""
    scores: Mapping[str, float | None]
    """Over all items, a failed one counted as the metric does; in the host's own unit. None where
    there was nothing to score."""
    answered: Mapping[str, float] = field(default_factory=dict)
    """The same over the items that did not fail; empty where none failed or it is not known."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """How many items failed for each reason."""
    missing: Sequence[str] = ()
    """Scores that the task should have and has not."""
    left_out: int = 0
    """Items of the data without a usable video, which the user allowed to be missing."""
    in_part: bool = False
    """Whether only some items of the data were asked for."""
    scored_pairs: int = 0
    """Pairs of VidHalLoc whose answers both have a detector's score."""
    scores_only: bool = False
    """Whether a detector gave scores, and had no threshold to decide by."""
    silent: Silence = NO_SILENCE
    """Why answers of VidHalLoc have no verdict."""

    def extent(self) -> str:
        """Return how many items were evaluated, and how many of the data were left out."""
        if not self.left_out:
            return counted(self.sampled, "item")
        if self.in_part:
            return (
                f"{counted(self.sampled, 'item')}, {self.left_out} of the data left out: no video"
            )
        every = counted(self.items + self.left_out, "item")
        return f"{self.sampled} of {every}, {self.left_out} left out: no video"

    def doubt(self) -> str:
        """Return that most answers have no label, and what to do; empty where it is not so."""
        if self.scores_only:
            ways = "; ".join(self.silent.ways_out)
            return f"{self.task}: scores, and no threshold that decides by them: {ways}"
        shares = [share for name in NO_LABEL if (share := self.scores.get(name) or 0) > 50]
        if not shares:
            return ""
        why = f" ({self.silent.why})" if self.silent.why else ""
        ways = "; ".join(self.silent.ways_out) or "read some answers in the samples file"
        return f"{self.task}: {shares[0]:.0f} % have no label{why}; {ways}"

    def complaint(self) -> str:
        """Return why the task is not complete, on one line; empty where it is."""
        parts = []
        if failed := sum(self.failed.values()):
            reason = max(self.failed, key=lambda known: self.failed[known])
            parts.append(f"{failed} of {counted(self.items, 'item')} failed: {reason}")
        if self.sampled < self.items:
            parts.append(f"{self.sampled} of {counted(self.items, 'item')} were evaluated")
        if self.missing:
            parts.append(f"no value for {', '.join(self.missing)}")
        return f"{self.task}: {'; '.join(parts)}" if parts else ""


def task_outcomes(evaluated: Evaluated) -> list[TaskOutcome]:
    """Return what came of each task, in the order of the host's results."""
    results, samples = evaluated
    counts: Mapping[str, Any] = results.get("n-samples") or {}
    return [_outcome(task, results, samples.get(task, []), counts[task]) for task in counts]


def _outcome(
    task: str, results: Mapping[str, Any], samples: Sequence[Sample], counts: Mapping[str, int]
) -> TaskOutcome:
    config = results.get("config", {})
    offset = int(config.get("offset") or 0)
    items = max(0, min(counts["effective"], counts["original"] - offset))
    scores = dict(_scores(results.get("results", {}).get(task, {})))
    failed = {id(sample): reason for sample in samples if (reason := _failure(sample))}
    details = [(sample, _detail(sample)) for sample in samples]
    answered: dict[str, float] = {}
    benchmark = next((detail["benchmark"] for _, detail in details if detail), "")
    if failed and benchmark in MAIN:
        kept = [detail for sample, detail in details if detail and id(sample) not in failed]
        answered = _summary(benchmark, kept)
    shown = MAIN.get(benchmark, tuple(scores))
    judged = [detail for _, detail in details if detail] if benchmark == "vidhalloc" else []
    if scored_pairs := _scored_pairs(judged):
        shown = (*OF_SCORES, *shown)
    silent = [detail for detail in judged if detail["label"] is None]
    left_out = int(scores.get("missing", 0)) * SIDES.get(benchmark, 1) if benchmark else 0
    return TaskOutcome(
        task=task,
        items=items,
        sampled=len({sample.get("doc_id") for sample in samples}),
        scores={
            name: None if benchmark and scores[name] == EMPTY else scores[name]
            for name in shown
            if name in scores
        },
        answered={n: answered[n] for n in shown if answered.get(n, EMPTY) != EMPTY},
        failed=dict(Counter(failed.values()).most_common()),
        missing=_missing(results.get("configs", {}).get(task, {}), scores, strict=bool(benchmark)),
        left_out=max(0, left_out),
        in_part=bool(offset) or counts["effective"] < counts["original"],
        scored_pairs=scored_pairs,
        scores_only=vidhalloc.has_scores_only(judged),
        silent=silence((str(d.get("reason")), d.get("detector_status")) for d in silent),
    )


def _scored_pairs(judged: Sequence[Mapping[str, Any]]) -> int:
    """Return how many pairs have a detector's score of both answers."""
    scored = [d for d in judged if vidhalloc.usable_score(d.get("detector_score")) is not None]
    return len(vidhalloc.whole_pairs(scored).whole)


def _scores(row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in row.items():
        metric, _, filtered = name.partition(",")
        errors = "_stderr" in metric or metric.startswith("paired_")
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if filtered and not errors and number and math.isfinite(value):
            yield metric, float(value)


def _missing(
    config: Mapping[str, Any], scores: Mapping[str, float], *, strict: bool
) -> tuple[str, ...]:
    """Return the metrics without a value; other people's tasks need not have one for each."""
    wanted = [str(metric["metric"]) for metric in config.get("metric_list") or ()]
    wanted = [name for name in wanted if name != "bypass"]
    lost = tuple(name for name in wanted if name not in scores)
    return lost if strict or not scores else ()


def _failure(sample: Sample) -> str:
    """Return why an item failed; empty for an answer."""
    from vidomni_plugin.models.runner.outcomes import outcome_of

    text = sample.get("filtered_resps")
    while isinstance(text, (list, tuple)) and len(text) == 1:
        text = text[0]
    return (outcome_of(text).failure or "") if isinstance(text, str) else ""


def _detail(sample: Sample) -> dict[str, Any] | None:
    details = (sample.get(name) for name in DETAIL_METRICS)
    return next((d for d in details if isinstance(d, dict) and "benchmark" in d), None)


def _summary(benchmark: str, details: list[dict[str, Any]]) -> dict[str, float]:
    from vidomni_plugin.vidomni import metrics as vidomni

    summary = vidomni.summary if benchmark == "vidomni" else vidhalloc.summary
    return {name: score.value for name, score in summary(details).items()}


def results_file(evaluated: Evaluated, output: Path) -> Path:
    """Return where the host writes the results of a run."""
    folder = output / str(evaluated.results.get("model_name_sanitized") or "")
    date = str(evaluated.results.get("date", "")).replace(":", "-")
    return folder / f"{date}_results.json"


def missing_files(evaluated: Evaluated, output: Path) -> list[str]:
    """Return what the host did not write: it only logs that it could not."""
    results = results_file(evaluated, output)
    lost = [] if results.is_file() else [f"{results} was not written"]
    for task, samples in evaluated.samples.items():
        name = results.name.replace("_results.json", f"_samples_{task}.jsonl")
        path = results.with_name(name)
        try:
            lines = path.read_bytes().count(b"\n")
        except OSError:
            lines = 0
        if lines < len(samples):
            lost.append(f"{path} has {lines} of {counted(len(samples), 'sample')}")
    return lost
