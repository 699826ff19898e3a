"""Certificate Coverage: how much of a video must be seen to settle a sentence (VidOmni Table 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.data.releases import Release, read_records
from vidomni_plugin.data.statistics.measures import Measure, mean
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import Certificate, ComplexityType, VidOmniPair

__all__ = ["Coverage", "coverage", "read_certificates", "seen_seconds"]

ROUNDING_S = 1.0
"""How far an interval may reach beyond the duration in the record, which is often rounded."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Certificate Coverage of some videos, in percent of their durations."""

    seen: Measure
    """Mean over videos; a sentence's certificate is the union of its intervals."""
    hull: Measure
    """The same with the span from the first start to the last end in the union's place."""
    sentences: int
    """Sentences with a certificate."""


def read_certificates(path: Path, pairs: Mapping[str, VidOmniPair]) -> Release[Certificate]:
    """Read a certificates file that belongs to these pairs.

    Args:
        path: JSON lines of ``Certificate``.
        pairs: The pairs of the data set by id.

    Raises:
        InputProblems: With every line that is no certificate, repeats one, names no labelled
            sentence of the pairs, or leaves the video.
    """
    hint = "check its name; docs/statistics.md says what is in it"
    release = read_records([path], Certificate, "certificate_id", hint=hint)
    problems = list(release.problems)
    for entry in release.entries:
        if wrong := _misfit(entry.record, pairs.get(entry.record.pair_id)):
            hint = "intervals are in seconds, sentences are counted from 1"
            problems.append(Problem("certificate", entry.place, wrong, hint))
    if problems:
        raise InputProblems(f"certificates in {path}", problems)
    return release


def _misfit(certificate: Certificate, pair: VidOmniPair | None) -> str:
    if pair is None:
        return f"no pair {certificate.pair_id!r} in the data"
    if certificate.sentence > len(pair.sentences):
        return f"sentence {certificate.sentence} of a caption with {len(pair.sentences)}"
    if pair.sentences[certificate.sentence - 1].label is None:
        return f"sentence {certificate.sentence} is Unknown: nothing in the video settles it"
    for start, end in certificate.intervals:
        if start >= pair.duration_s or end > pair.duration_s + ROUNDING_S:
            return f"interval {start} to {end} in a video of {pair.duration_s} s"
    return ""


def seen_seconds(intervals: Iterable[tuple[float, float]]) -> float:
    """Return the length of the union of intervals.

    Example:
        >>> seen_seconds([(0, 2), (1, 3), (5, 6)])
        4.0
    """
    total, at = 0.0, 0.0
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, at))
        at = max(at, end)
    return total


def coverage(
    certificates: Iterable[Certificate],
    pairs: Mapping[str, VidOmniPair],
    complexity_type: ComplexityType | None = None,
) -> Coverage:
    """Return the Certificate Coverage of the videos of one type, or of all.

    A sentence that several annotators marked counts once, with the mean of theirs. The paper
    counts videos, 30 a benchmark: the mean is taken over a video's sentences, then over videos.

    Args:
        certificates: Checked by ``read_certificates``.
        pairs: The pairs by id.
        complexity_type: Which videos; None for all.
    """
    marks: dict[str, dict[tuple[str, int], list[tuple[float, float]]]] = {}
    for certificate in certificates:
        pair = pairs[certificate.pair_id]
        if complexity_type in {None, pair.complexity_type}:
            cut = [(start, min(end, pair.duration_s)) for start, end in certificate.intervals]
            union = 100.0 * seen_seconds(cut) / pair.duration_s
            hull = 100.0 * (max(e for _, e in cut) - min(s for s, _ in cut)) / pair.duration_s
            sentences = marks.setdefault(pair.video_id, {})
            sentences.setdefault((pair.pair_id, certificate.sentence), []).append((union, hull))
    return Coverage(
        seen=_over_videos(marks, 0),
        hull=_over_videos(marks, 1),
        sentences=sum(map(len, marks.values())),
    )


def _over_videos(
    marks: Mapping[str, Mapping[tuple[str, int], list[tuple[float, float]]]], which: int
) -> Measure:
    def of_sentence(found: list[tuple[float, float]]) -> float:
        return mean((mark[which] for mark in found), "annotators").value or 0.0

    def of_video(sentences: Iterable[list[tuple[float, float]]]) -> float:
        return mean(map(of_sentence, sentences), "sentences").value or 0.0

    return mean((of_video(marks[video_id].values()) for video_id in sorted(marks)), "videos")
