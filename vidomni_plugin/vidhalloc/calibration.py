"""Choose a threshold on some pairs of a detector's run, and judge it on others."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from vidomni_plugin.detectors.answer import (
    Answer,
    answer_with,
    looks_like_answer,
    read_answer,
)
from vidomni_plugin.detectors.settings import deciding, mixed
from vidomni_plugin.detectors.silence import silence
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.report.items import BadItem, checked
from vidomni_plugin.samples import Sample
from vidomni_plugin.scores import REQUEST_FAILED, Score
from vidomni_plugin.vidhalloc import metrics, task
from vidomni_plugin.vidhalloc.splits import Video
from vidomni_plugin.vidhalloc.thresholds import Calibration, choose

__all__ = ["Origin", "ScoredPair", "calibrate", "decided", "drawn", "evaluate", "scored_pairs"]

SIDES = ("factual", "counterfactual")
OF_A_PAIR = ("task_type", "video_id", "media_digest", "category", "question")
"""What both answers of a pair have in common."""


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Both answers of one pair with a detector's scores."""

    pair_id: str
    video: Video
    samples: tuple[Sample, Sample]
    """The factual answer and the counterfactual one."""
    answers: tuple[Answer | None, Answer | None]
    """What the detector said; None where that cannot be read."""
    scores: tuple[float | None, float | None]
    """None where the detector gave none."""

    @property
    def digest(self) -> str | None:
        """Of the content of the video; None where the run does not tell."""
        found = self.samples[0].detail.get("media_digest")
        return found if isinstance(found, str) and found else None


class Origin(NamedTuple):
    """Where scores come from, for the file of a calibration."""

    split: str
    task: str
    model: str
    signature: str


def scored_pairs(samples: Iterable[Sample]) -> dict[str, ScoredPair]:
    """Return the pairs of a run of VidHalLoc by id, in the order in which they come.

    Raises:
        InputProblems: If a sample is of another benchmark or not as our tasks write it, an answer
            comes twice, a pair lacks one of its answers or has those of two videos, or not all
            are of one detector with the same settings; names every such line.
    """
    problems: list[Problem] = []
    found: dict[str, dict[str, Sample]] = {}
    read: dict[str, Answer | None] = {}
    for sample in samples:
        detail = sample.detail
        side, pair_id = detail.get("side"), detail.get("pair_id")
        if detail["benchmark"] != "vidhalloc" or side not in SIDES or not isinstance(pair_id, str):
            problems.append(Problem("sample", sample.place, "no answer of a VidHalLoc task"))
            continue
        read[sample.place] = read_answer(sample.response)
        if fault := _fault(sample, read[sample.place]):
            problems.append(Problem("sample", sample.place, fault))
        first = found.setdefault(pair_id, {}).setdefault(side, sample)
        if first is not sample:
            message = f"{sample.answer_id!r} was already at {first.place}"
            hint = "give one run only, and of tasks that share pairs only one"
            problems.append(Problem("repeated-id", sample.place, message, hint))
    problems += _mixed(read)
    pairs = {}
    for pair_id, sides in found.items():
        if len(sides) < len(SIDES):
            (only,) = sides.values()
            message = f"{pair_id!r} has this answer only, and the other one is not in the run"
            problems.append(Problem("sample", only.place, message, "give all files of the run"))
            continue
        both = (sides["factual"], sides["counterfactual"])
        detail, other = both[0].detail, both[1].detail
        if odd := [name for name in OF_A_PAIR if detail.get(name) != other.get(name)]:
            message = f"{pair_id!r} has another {', '.join(odd)} here than at {both[0].place}"
            problems.append(Problem("sample", both[1].place, message, "give one run only"))
        video = Video(str(detail.get("task_type")), str(detail.get("video_id")))
        answers = (read[both[0].place], read[both[1].place])
        scores = (_score(both[0], answers[0]), _score(both[1], answers[1]))
        pairs[pair_id] = ScoredPair(pair_id, video, both, answers, scores)
    if problems:
        raise InputProblems("the samples cannot be used", problems)
    return pairs


def _score(sample: Sample, read: Answer | None) -> float | None:
    """Return the score of one answer, from what the detector answered or the sample's detail."""
    if read:
        return read.score
    if looks_like_answer(sample.response):  # it was cut off or edited
        return None
    given = sample.detail.get("detector_score")
    return metrics.usable_score(sample.detail.get("score") if given is None else given)


def _fault(sample: Sample, read: Answer | None) -> str:
    """Return what is wrong with a line; empty where nothing is."""
    try:
        checked(sample.detail)
    except BadItem as error:
        return str(error)
    except (KeyError, TypeError) as error:
        return f"a field is not as written: {error}"
    given = sample.detail.get("detector_score")
    if given is None:
        return ""
    if read is None and looks_like_answer(sample.response):
        return f"its answer was cut off or edited, and its detail has the score {given!r}"
    if read and metrics.usable_score(given) != read.score:
        return f"its answer has the score {read.score}, and its detail {given!r}: it was edited"
    return ""


def _mixed(read: Mapping[str, Answer | None]) -> list[Problem]:
    """Return the answers, by place, whose scores have another scale than those before them."""
    hint = "give the answers of one detector with the same settings"
    return [
        Problem("sample", place, f"scores of two detectors or settings: {said}", hint)
        for place, said in mixed((place, answer) for place, answer in read.items() if answer)
    ]


def drawn(pairs: Sequence[ScoredPair], items: int, seed: int) -> list[ScoredPair]:
    """Return so many of some pairs, no two of one video, chosen by chance.

    Raises:
        InputProblems: If the pairs are of fewer videos.

    Example:
        >>> drawn([], 0, seed=1)
        []
    """
    by_video: dict[Video, list[ScoredPair]] = {}
    for pair in sorted(pairs, key=lambda pair: (pair.video, pair.pair_id)):
        by_video.setdefault(pair.video, []).append(pair)
    if items > len(by_video):
        message = f"{items} pairs of different videos are wanted, and there are {len(by_video)}"
        raise InputProblems("no calibration", [Problem("split", "--items", message)])
    chance = random.Random(seed)
    videos = chance.sample(sorted(by_video), items)
    return [chance.choice(by_video[video]) for video in videos]


def calibrate(pairs: Sequence[ScoredPair], origin: Origin) -> Calibration:
    """Return the threshold that Algorithm 2 chooses on some pairs.

    Raises:
        InputProblems: If there is no pair, or an answer has no score; names every such answer.
    """
    problems = [
        _no_score(sample, read)
        for pair in pairs
        for sample, read, score in zip(pair.samples, pair.answers, pair.scores, strict=True)
        if score is None
    ]
    if not pairs:
        problems = [Problem("split", origin.split, "there is no pair in it")]
    if problems:
        raise InputProblems(f"no threshold can be chosen{_counted(pairs)}", problems)
    ordered = sorted(pairs, key=lambda pair: pair.pair_id)
    known = [[score for score in pair.scores if score is not None] for pair in ordered]
    rows = [[pair.pair_id, *scores] for pair, scores in zip(ordered, known, strict=True)]
    return Calibration(
        **choose([factual for factual, _ in known], [other for _, other in known])._asdict(),
        n=len(ordered),
        pair_ids=tuple(pair.pair_id for pair in ordered),
        videos=tuple(sorted({str(pair.video) for pair in ordered})),
        media_digests=tuple(sorted({pair.digest for pair in ordered if pair.digest})),
        settings=_settings(pairs),
        scores_sha256=hashlib.sha256(json.dumps(rows).encode()).hexdigest(),
        **origin._asdict(),
    )


def _settings(pairs: Sequence[ScoredPair]) -> dict[str, Any]:
    """Return what the detector said of itself; all answers of a run say the same."""
    found: dict[str, Any] = {}
    for answer in (answer for pair in pairs for answer in pair.answers if answer):
        found = {**deciding(answer.detail), **found}
    return found


def _counted(pairs: Iterable[ScoredPair]) -> str:
    """Return why answers have no score, with how many, and what to do about it."""
    told = silence(
        (read.reason, _status(read))
        for pair in pairs
        for read, score in zip(pair.answers, pair.scores, strict=True)
        if read and score is None
    )
    return f" ({'; '.join([told.why, *told.ways_out])})" if told.why else ""


def _status(read: Answer) -> str | None:
    status = read.detail.get("status")
    return status if isinstance(status, str) else None


def _no_score(sample: Sample, read: Answer | None) -> Problem:
    ways: tuple[str, ...] = ()
    reason: str
    if read:
        status = _status(read)
        ways = silence([(read.reason, status)]).ways_out
        reason = f"{read.reason} ({status})" if status else read.reason
    elif looks_like_answer(sample.response):
        reason = "its answer was cut off or edited"
    else:
        reason = str(sample.detail.get("reason") or "no answer of a detector")
    hint = "; ".join(ways) or (
        "run the detector again where it failed, or leave these pairs out of the split; a run of "
        "a model that answers in words has no scores and needs no threshold"
    )
    message = f"{sample.answer_id!r} has no score: {reason}"
    return Problem("threshold", sample.place, message, hint)


def decided(pairs: Iterable[ScoredPair], threshold: float, *, bare: bool = False) -> dict[str, str]:
    """Return what the detector answers with a threshold, by the id of the answer.

    Args:
        pairs: Each with its scores.
        threshold: Accept iff the score is at least this.
        bare: Whether to leave out what a score was made of.
    """
    answers = {}
    for pair in pairs:
        for sample, read, score in zip(pair.samples, pair.answers, pair.scores, strict=True):
            told = read.detail.items() if read and not bare else ()
            # What it says of a threshold is of the one that the run had.
            detail = {name: value for name, value in told if not name.startswith("threshold_")}
            why = _why_no_score(sample, read) if score is None else ""
            answers[sample.answer_id] = answer_with(detail, score, threshold, reason=why)
    return answers


def _why_no_score(
    sample: Sample, read: Answer | None
) -> Literal["no_score", "not_finite", "request_failed"]:
    reason = read.reason if read else sample.detail.get("reason")
    if reason == REQUEST_FAILED:
        return "request_failed"
    return "not_finite" if reason == "not_finite" else "no_score"


def evaluate(pairs: Sequence[ScoredPair], threshold: float) -> dict[str, Score]:
    """Return the task's metrics on some pairs, decided by a threshold.

    An answer without a score is undecided, and so wrong.

    Raises:
        InputProblems: If a sample lacks a field; names every one.
    """
    answers = decided(pairs, threshold, bare=True)
    details: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for sample in (sample for pair in pairs for sample in pair.samples):
        try:
            details.append(task.detail(sample.detail, answers[sample.answer_id]))
            metrics.summary(details[-1:])
        except (KeyError, TypeError, ValueError) as error:
            problems.append(Problem("sample", sample.place, f"a field is not as written: {error}"))
    if problems:
        raise InputProblems("the threshold cannot be evaluated", problems)
    return metrics.summary(details)
