"""Marked words of stage 2: from Label Studio's offsets to words of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vidomni_plugin.build.annotate.labelling import CATEGORIES, in_python
from vidomni_plugin.problems import Problem, field_errors

__all__ = ["Span", "read_spans"]


@dataclass(frozen=True, slots=True)
class Span:
    """Some words of one sentence and the error in them."""

    number: int
    """Number of the sentence in the caption, from 1."""
    start: int
    """Offset of the first character in the sentence."""
    end: int
    """Offset behind the last character."""
    category: str


class _Value(BaseModel):
    """A span as Label Studio writes it: paragraphs are counted from 0, as text or number."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    start_offset: int = Field(alias="startOffset", ge=0)
    end_offset: int = Field(alias="endOffset", ge=0)
    text: str | None = None
    paragraphlabels: list[str]


def read_spans(
    values: Sequence[Any],
    numbers: Sequence[int],
    texts: Sequence[str],
    place: str,
    problems: list[Problem],
) -> list[Span]:
    """Return the marked words of one annotation, one span a sentence and category.

    Words marked across several sentences become one span in each.

    Args:
        values: The spans as they are in the export.
        numbers: Numbers in the caption of the sentences that the task shows.
        texts: Those sentences.
        place: Where the annotation stands.
        problems: Gets what cannot be used.
    """
    spans: list[Span] = []
    for value in values:
        try:
            one = _Value.model_validate(value)
            pieces = list(_pieces(one, texts))
        except ValidationError as error:
            problems += [Problem("span", place, text) for text in field_errors(error)]
            continue
        except UnicodeDecodeError:
            problems.append(Problem("span", place, "an offset is within a character"))
            continue
        except ValueError as error:
            problems.append(Problem("span", place, str(error)))
            continue
        if not one.paragraphlabels:
            problems.append(Problem("span", place, "marked words without a category"))
            continue
        unknown = [label for label in one.paragraphlabels if label not in CATEGORIES]
        if unknown:
            message = f"{unknown[0][:40]!r} is none of the ten categories"
            problems.append(Problem("span", place, message))
            continue
        for paragraph, start, end in pieces:
            spans += [Span(numbers[paragraph], start, end, c) for c in one.paragraphlabels]
    return spans


def _pieces(one: _Value, texts: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield sentence (from 0), start and end; pieces of spaces only are left out."""
    if not 0 <= one.start <= one.end < len(texts):
        raise ValueError(f"sentences {one.start} to {one.end} are not in the task")
    first = in_python(texts[one.start], one.start_offset)
    last = in_python(texts[one.end], one.end_offset)
    if one.start == one.end and not texts[one.start][first:last].strip():
        raise ValueError("there is no word in the marked text")
    if one.start == one.end and one.text is not None:
        marked = texts[one.start][first:last]
        if marked.split() != one.text.split():
            raise ValueError(f"{one.text[:60]!r} is not where its offsets say")
    for paragraph in range(one.start, one.end + 1):
        start = first if paragraph == one.start else 0
        end = last if paragraph == one.end else len(texts[paragraph])
        if texts[paragraph][start:end].strip():
            yield paragraph, start, end
