"""VidOmni's statistics of captions and their sentences: Table 1 and Figures 5 to 7.

Sentences labelled Unknown are left out of every rate, as in the paper; they stay in the
length of a caption, which is what the model wrote. A caption without a labelled sentence is
in no rate. Formulas: arXiv 2609.21521, Table 1; what it leaves open: docs/statistics.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from vidomni_plugin.data.statistics.measures import Measure, count_words, mean, share
from vidomni_plugin.records import ErrorCategory, VidOmniPair

__all__ = [
    "CATEGORIES",
    "STATIC",
    "TEMPORAL",
    "CaptionRow",
    "ErrorRow",
    "by_source",
    "caption_row",
    "caption_text",
    "caption_words",
    "error_row",
    "incorrect_per_caption",
    "temporal_error_rate",
    "video_incorrect_rate",
]

CATEGORIES: tuple[str, ...] = get_args(ErrorCategory)
"""The ten error categories in the paper's order."""
STATIC, TEMPORAL = CATEGORIES[:5], CATEGORIES[5:]


@dataclass(frozen=True, slots=True)
class CaptionRow:
    """A row of Table 1."""

    pairs: int
    sentences: int
    """Labelled Correct or Incorrect."""
    unknown: int
    video_incorrect_rate: Measure
    incorrect_per_caption: Measure

    @property
    def sentences_per_caption(self) -> float | None:
        """Labelled sentences over captions."""
        return self.sentences / self.pairs if self.pairs else None


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """Error categories of some captions (Figure 5)."""

    incorrect: int
    """Incorrect sentences."""
    marked: int
    """Those with at least one marked error; the others say nothing about categories."""
    sentences: dict[str, int]
    """Marked sentences with at least one error of the category; one may count in several."""
    spans: dict[str, int]
    """Marked errors of the category."""

    def share(self, category: str) -> Measure:
        """Return the percent of the marked sentences that have an error of this category."""
        return share(self.sentences[category], self.marked, "marked Incorrect sentences")


def by_source(pairs: Iterable[VidOmniPair]) -> dict[str, list[VidOmniPair]]:
    """Return the pairs of each caption source, sources in alphabetical order."""
    groups: dict[str, list[VidOmniPair]] = {}
    for pair in pairs:
        groups.setdefault(pair.caption_source, []).append(pair)
    return dict(sorted(groups.items()))


def caption_row(pairs: Sequence[VidOmniPair]) -> CaptionRow:
    """Return the counts and rates of Table 1 over some pairs."""
    labels = Counter(sentence.label for pair in pairs for sentence in pair.sentences)
    return CaptionRow(
        pairs=len(pairs),
        sentences=labels[0] + labels[1],
        unknown=labels[None],
        video_incorrect_rate=video_incorrect_rate(pairs),
        incorrect_per_caption=incorrect_per_caption(pairs),
    )


def video_incorrect_rate(pairs: Iterable[VidOmniPair]) -> Measure:
    """Return the percent of captions with at least one Incorrect sentence (Table 1)."""
    labels = [_labels(pair) for pair in pairs]
    flawed = sum(1 in known for known in labels)
    return share(flawed, sum(bool(known) for known in labels), "captions")


def incorrect_per_caption(pairs: Iterable[VidOmniPair]) -> Measure:
    """Return the mean percent of Incorrect sentences in a caption (Table 1, Figure 6).

    Each caption counts once, however long it is.
    """
    labels = (_labels(pair) for pair in pairs)
    return mean((100.0 * sum(known) / len(known) for known in labels if known), "captions")


def temporal_error_rate(pairs: Iterable[VidOmniPair]) -> Measure:
    """Return the mean percent of a caption's sentences with a temporal error (Figure 7).

    A caption with an Incorrect sentence whose error is not marked is left out: whether that
    error is temporal is not known.
    """
    shares = []
    for pair in pairs:
        known = [sentence for sentence in pair.sentences if sentence.label is not None]
        if known and all(sentence.errors or sentence.label == 0 for sentence in known):
            temporal = sum(any(e.category in TEMPORAL for e in s.errors) for s in known)
            shares.append(100.0 * temporal / len(known))
    return mean(shares, "captions")


def caption_text(pair: VidOmniPair) -> str:
    """Return the whole caption, Unknown sentences included, sentences joined by a space."""
    return " ".join(sentence.text for sentence in pair.sentences)


def caption_words(pairs: Iterable[VidOmniPair]) -> Measure:
    """Return the mean number of words in a caption (Figure 7, Table 10)."""
    return mean((count_words(caption_text(pair)) for pair in pairs), "captions")


def error_row(pairs: Iterable[VidOmniPair]) -> ErrorRow:
    """Count the error categories of the Incorrect sentences of some pairs (Figure 5)."""
    wrong = [sentence for pair in pairs for sentence in pair.sentences if sentence.label == 1]
    spans = Counter(error.category for sentence in wrong for error in sentence.errors)
    sentences = Counter(c for sentence in wrong for c in {e.category for e in sentence.errors})
    return ErrorRow(
        incorrect=len(wrong),
        marked=sum(bool(sentence.errors) for sentence in wrong),
        sentences={category: sentences[category] for category in CATEGORIES},  # type: ignore[index]
        spans={category: spans[category] for category in CATEGORIES},  # type: ignore[index]
    )


def _labels(pair: VidOmniPair) -> list[int]:
    return [sentence.label for sentence in pair.sentences if sentence.label is not None]
