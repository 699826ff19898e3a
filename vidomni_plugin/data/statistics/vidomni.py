"""All statistics of a VidOmni data set, in one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from vidomni_plugin.data.releases import read_vidomni
from vidomni_plugin.data.statistics.captions import (
    CaptionRow,
    ErrorRow,
    by_source,
    caption_row,
    caption_text,
    caption_words,
    error_row,
    temporal_error_rate,
)
from vidomni_plugin.data.statistics.certificates import Coverage, coverage, read_certificates
from vidomni_plugin.data.statistics.measures import Measure, mean
from vidomni_plugin.data.statistics.videos import DURATIONS, TYPE_NAMES, group_videos, kinds
from vidomni_plugin.data.statistics.words import SpacyCounts, count_texts, load_pipeline
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Certificate, ComplexityType, VidOmniPair
from vidomni_plugin.vidomni.metrics import duration_group

__all__ = ["Grouped", "TypeRow", "VidOmniStatistics", "WordRow", "vidomni_statistics"]

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Grouped(Generic[Row]):
    """One row a group and one over everything; a group may have any name."""

    groups: dict[str, Row]
    all: Row

    def named(self) -> list[tuple[str, Row]]:
        """Return the rows with their names, the one over everything last."""
        total = "all" if "all" not in self.groups else "all together"  # a model may be called so
        return [*self.groups.items(), (total, self.all)]


@dataclass(frozen=True, slots=True)
class TypeRow:
    """What Figure 7 shows of one complexity type."""

    caption_words: Measure
    temporal_error_rate: Measure
    certificate_coverage: Measure | None
    """None where no certificates were given."""


@dataclass(frozen=True, slots=True)
class WordRow:
    """What Table 10 shows of some captions, each a mean over captions."""

    words: Measure
    information_units: Measure | None
    """This and the next two are None where no spaCy model was named."""
    noun_chunks: Measure | None
    verbs: Measure | None


@dataclass(frozen=True, slots=True)
class VidOmniStatistics:
    """Everything that the tables and figures show."""

    videos: int
    videos_with_sound: int
    pairs: int
    table1: Grouped[CaptionRow]
    """By caption source."""
    figure4: dict[ComplexityType, dict[str, int]]
    figure5: Grouped[ErrorRow]
    """By caption source."""
    figure6_durations: dict[str, CaptionRow]
    """Captions of type 5 by duration group."""
    figure6_types: dict[ComplexityType, CaptionRow]
    """Captions of long videos by type."""
    figure7: Grouped[TypeRow]
    """By type, "1" to "5"."""
    table2: Coverage | None
    table10: Grouped[WordRow]
    """By caption source."""
    spacy_model: str | None
    """Name and version of the model behind Table 10."""
    annotations_sha256: str
    certificates_sha256: str | None


def vidomni_statistics(
    root: Path, *, certificates: Path | None = None, spacy_model: str | None = None
) -> VidOmniStatistics:
    """Compute the statistics of a VidOmni data set; videos are not looked into.

    Args:
        root: The folder with ``pairs.jsonl``.
        certificates: JSON lines of ``Certificate``, for Table 2 and Figure 7.
        spacy_model: A spaCy model, for Table 10.

    Raises:
        InputProblems: If a record or a certificate cannot be used, or the model cannot.
    """
    release = read_vidomni(root)
    entries = sorted(release.entries, key=lambda entry: entry.record.pair_id)
    videos, contradictions = group_videos(entries)
    if problems := [*release.problems, *contradictions]:
        raise InputProblems(f"data in {root}", problems, listed_by="vidomni data check")
    pairs = [entry.record for entry in entries]
    by_id = {pair.pair_id: pair for pair in pairs}
    marks = read_certificates(certificates, by_id) if certificates else None
    records = [entry.record for entry in marks.entries] if marks else None
    pipeline = load_pipeline(spacy_model) if spacy_model else None
    texts = {pair.pair_id: caption_text(pair) for pair in pairs}
    counts = count_texts(pipeline, texts) if pipeline else None
    sources = by_source(pairs)
    return VidOmniStatistics(
        videos=len(videos),
        videos_with_sound=sum(video.has_audio for video in videos),
        pairs=len(pairs),
        table1=Grouped({s: caption_row(mine) for s, mine in sources.items()}, caption_row(pairs)),
        figure4=kinds(videos),
        figure5=Grouped({s: error_row(mine) for s, mine in sources.items()}, error_row(pairs)),
        figure6_durations={
            group: caption_row([p for p in _of(pairs, 5) if _duration(p) == group])
            for group in DURATIONS
        },
        figure6_types={
            kind: caption_row([p for p in _of(pairs, kind) if _duration(p) == "long"])
            for kind in TYPE_NAMES
        },
        figure7=Grouped(
            {str(k): _type_row(_of(pairs, k), records, by_id, k) for k in TYPE_NAMES},
            _type_row(pairs, records, by_id, None),
        ),
        table2=coverage(records, by_id) if records is not None else None,
        table10=Grouped(
            {s: _word_row(mine, counts) for s, mine in sources.items()}, _word_row(pairs, counts)
        ),
        spacy_model=f"{spacy_model} {pipeline.meta['version']}" if pipeline else None,
        annotations_sha256=release.digest,
        certificates_sha256=marks.digest if marks else None,
    )


def _of(pairs: Sequence[VidOmniPair], kind: ComplexityType) -> Sequence[VidOmniPair]:
    return [pair for pair in pairs if pair.complexity_type == kind]


def _duration(pair: VidOmniPair) -> str:
    return duration_group(pair.duration_s)


def _type_row(
    pairs: Sequence[VidOmniPair],
    certificates: Sequence[Certificate] | None,
    by_id: Mapping[str, VidOmniPair],
    kind: ComplexityType | None,
) -> TypeRow:
    return TypeRow(
        caption_words=caption_words(pairs),
        temporal_error_rate=temporal_error_rate(pairs),
        certificate_coverage=(
            coverage(certificates, by_id, kind).seen if certificates is not None else None
        ),
    )


def _word_row(pairs: Sequence[VidOmniPair], counts: Mapping[str, SpacyCounts] | None) -> WordRow:
    words = caption_words(pairs)
    if counts is None:
        return WordRow(words, None, None, None)
    mine = [counts[pair.pair_id] for pair in pairs]
    return WordRow(
        words,
        mean((count.information_units for count in mine), "captions"),
        mean((count.noun_chunks for count in mine), "captions"),
        mean((count.verbs for count in mine), "captions"),
    )
