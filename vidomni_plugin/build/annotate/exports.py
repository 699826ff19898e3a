"""Read the annotations of both stages from what Label Studio exports, JSON and JSON-MIN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any, Generic, TypeVar

from vidomni_plugin.build.annotate.labelling import ERROR, SENTENCES, memo_name, verdict_name
from vidomni_plugin.build.annotate.marked import Span, read_spans
from vidomni_plugin.build.annotate.raw import Account, CaptionTask, Raw, raw_annotations, texts_of
from vidomni_plugin.build.annotate.votes import LABELS, Label
from vidomni_plugin.problems import Problem

__all__ = [
    "Account",
    "Export",
    "Span",
    "Stage1Annotation",
    "Stage2Annotation",
    "read_stage1",
    "read_stage2",
]

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class _Common:
    place: str
    """File, task and annotation."""
    pair_id: str
    account: Account
    annotation_id: int | None
    updated: datetime
    """Time of the last change."""
    lead_time_s: float | None
    skipped: bool
    """The annotator pressed Skip: there are no labels."""
    sentences: tuple[str, ...]
    """The sentences that the task shows."""


@dataclass(frozen=True, slots=True)
class Stage1Annotation(_Common):
    """One annotator's verdicts on one pair."""

    labels: tuple[Label | None, ...]
    """One a sentence; None where none was chosen."""
    memos: tuple[str, ...]
    """One a sentence; empty where none was written."""

    @property
    def empty(self) -> bool:
        """Whether no sentence has a label."""
        return not any(self.labels)

    def content(self) -> object:
        """Return what was judged, to compare two annotations."""
        return self.labels, self.memos


@dataclass(frozen=True, slots=True)
class Stage2Annotation(_Common):
    """One annotator's marked words in the Incorrect sentences of one pair."""

    numbers: tuple[int, ...]
    """Numbers of ``sentences`` in the caption, from 1."""
    spans: tuple[Span, ...]

    @property
    def empty(self) -> bool:
        """Never: to mark nothing is a judgement as well."""
        return False

    def content(self) -> object:
        """Return what was marked, to compare two annotations."""
        return set(self.spans)


@dataclass(frozen=True, slots=True)
class Export(Generic[Kind]):
    """The annotations of some exports, and every reason why one cannot be used."""

    annotations: list[Kind]
    problems: list[Problem]
    notes: list[Problem]
    """Drafts, which are no annotations."""


def read_stage1(paths: Sequence[Path]) -> Export[Stage1Annotation]:
    """Return the verdicts in exports of stage 1; never raises for a bad file.

    Args:
        paths: Exports in JSON or JSON-MIN, told apart by what is in them.
    """
    return _read(paths, 1, _stage1)


def read_stage2(paths: Sequence[Path]) -> Export[Stage2Annotation]:
    """Return the marked words in exports of stage 2; never raises for a bad file.

    Args:
        paths: Exports in JSON or JSON-MIN, told apart by what is in them.
    """
    return _read(paths, 2, _stage2)


def _read(
    paths: Sequence[Path], stage: int, make: Callable[[Raw[CaptionTask], list[Problem]], Kind]
) -> Export[Kind]:
    export: Export[Kind] = Export([], [], [])
    for path in paths:
        before = len(export.annotations), len(export.problems)
        for found in raw_annotations(path, CaptionTask, export.problems, export.notes):
            if found.data.stage != stage:
                message = f"this task is of stage {found.data.stage}, not of stage {stage}"
                export.problems.append(Problem("export", found.place, message))
                continue
            problems: list[Problem] = []
            annotation = make(found, problems)
            export.problems.extend(problems)
            if not problems:
                export.annotations.append(annotation)
        if before == (len(export.annotations), len(export.problems)):
            message = "no annotation in it: nothing was submitted when it was exported"
            export.problems.append(Problem("export", str(path), message))
    return export


def _common(found: Raw[CaptionTask]) -> dict[str, Any]:
    seconds = found.annotation.lead_time
    return {
        "place": found.place,
        "pair_id": found.data.pair_id,
        "account": found.annotation.account(),
        "annotation_id": found.annotation.id,
        "updated": found.annotation.updated(),
        "lead_time_s": seconds if seconds is not None and 0 <= seconds < inf else None,
        "skipped": found.annotation.was_cancelled,
        "sentences": tuple(sentence.text for sentence in found.data.sentences),
    }


def _stage1(found: Raw[CaptionTask], problems: list[Problem]) -> Stage1Annotation:
    count = len(found.data.sentences)
    known = {name(k) for k in range(count) for name in (verdict_name, memo_name)}
    for name in sorted(found.values.keys() - known):
        message = f"{name[:60]!r} is no control of one of the {count} sentences"
        problems.append(Problem("export", found.place, message))
    labels = [_label(found, index, problems) for index in range(count)]
    memos = ["; ".join(texts_of(found.values.get(memo_name(k), []), "text")) for k in range(count)]
    return Stage1Annotation(**_common(found), labels=tuple(labels), memos=tuple(memos))


def _label(found: Raw[CaptionTask], index: int, problems: list[Problem]) -> Label | None:
    words = texts_of(found.values.get(verdict_name(index), []), "choices")
    if not words:
        return None
    for label in LABELS:
        if words == [label]:
            return label
    message = f"sentence {index + 1}: {', '.join(words)[:60]!r} is not one of {', '.join(LABELS)}"
    problems.append(Problem("export", found.place, message))
    return None


def _stage2(found: Raw[CaptionTask], problems: list[Problem]) -> Stage2Annotation:
    for name in sorted(found.values.keys() - {ERROR}):
        message = f"{name[:60]!r} is no control of stage 2"
        problems.append(Problem("export", found.place, message))
    numbers = []
    for sentence in found.data.sentences:
        if not (sentence.number.isascii() and sentence.number.isdigit()):
            message = f"{SENTENCES}: {sentence.number[:20]!r} is no number of a sentence"
            problems.append(Problem("export", found.place, message))
            return Stage2Annotation(**_common(found), numbers=(), spans=())
        numbers.append(int(sentence.number))
    texts = [sentence.text for sentence in found.data.sentences]
    spans = read_spans(found.values.get(ERROR, []), numbers, texts, found.place, problems)
    return Stage2Annotation(**_common(found), numbers=tuple(numbers), spans=tuple(spans))
