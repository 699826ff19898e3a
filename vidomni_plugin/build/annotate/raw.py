"""Label Studio's two JSON formats as one: annotations with the values of their controls.

JSON has one object a task with a list of its annotations, JSON-MIN one object an annotation
with the values of the controls beside the task's data, and the annotator by number only.
Skipped tasks and drafts are in JSON alone.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from vidomni_plugin.build.annotate.labelling import ERROR, sentence_of
from vidomni_plugin.problems import Problem, field_errors
from vidomni_plugin.records import Id

__all__ = ["Account", "CaptionTask", "Raw", "Submitted", "TaskData", "raw_annotations", "texts_of"]

NEVER = datetime.min.replace(tzinfo=timezone.utc)
"""Time of an annotation that has none: before all others."""


@dataclass(frozen=True, slots=True)
class Account:
    """The account in Label Studio that an annotation belongs to."""

    email: str | None
    number: int | None

    def __str__(self) -> str:
        return self.email or f"account number {self.number}"


class _Loose(BaseModel):
    """What we need of an object; Label Studio's other fields are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Sentence(_Loose):
    number: str
    text: str


class TaskData(_Loose):
    """What a task shows, as it was imported; each kind of project has its own fields."""

    @abstractmethod
    def named(self) -> str:
        """Return what the task is about, for messages."""

    @staticmethod
    @abstractmethod
    def is_control(name: str) -> bool:
        """Return whether a field of JSON-MIN is a control's: it stands among the task's data."""


Data = TypeVar("Data", bound=TaskData)


class CaptionTask(TaskData):
    """A task of either stage of ``vidomni build annotate``."""

    stage: int
    pair_id: Id
    sentences: list[_Sentence]

    def named(self) -> str:
        """Return the pair."""
        return f"pair {self.pair_id!r}"

    @staticmethod
    def is_control(name: str) -> bool:
        """Return whether it is a verdict, a memo or marked words."""
        return name == ERROR or sentence_of(name) is not None


class _Result(_Loose):
    from_name: str
    value: dict[str, Any]


class Submitted(_Loose):
    """One annotation as it was submitted, without its values."""

    id: int | None = None
    completed_by: int | dict[str, Any] | None = None
    was_cancelled: bool = False
    lead_time: float | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None

    def account(self) -> Account:
        """Return who made it; JSON has a number or an object, as the way of export has it."""
        who = self.completed_by
        if not isinstance(who, dict):
            return Account(None, who)
        number, email = who.get("id"), who.get("email")
        return Account(
            email.lower() if isinstance(email, str) else None,
            number if isinstance(number, int) else None,
        )

    def updated(self) -> datetime:
        """Return when it was last changed."""
        when = self.updated_at or self.created_at or NEVER
        return when if when.tzinfo else when.replace(tzinfo=timezone.utc)


class _Annotation(Submitted):
    result: list[_Result]


class _Draft(_Loose):
    id: int | None = None
    user: str | int | None = None


class _Task(_Loose):
    id: int | None = None
    data: Any
    """Of the kind that is read, see ``_task_of``."""
    annotations: list[_Annotation]
    drafts: list[_Draft | int] = []
    """Export snapshots have the drafts' numbers only."""


class _Row(_Loose):
    """One object of JSON-MIN; the task's data and the controls' values are further fields."""

    id: int | None = None
    annotation_id: int | None = None
    annotator: int | dict[str, Any] | None = None
    lead_time: float | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None


@cache
def _task_of(kind: type[TaskData]) -> type[_Task]:
    return create_model("_Task", __base__=_Task, data=(kind, ...))


@cache
def _row_of(kind: type[TaskData]) -> type[_Row]:
    return cast("type[_Row]", create_model("_Row", __base__=(kind, _Row)))


@dataclass(frozen=True, slots=True)
class Raw(Generic[Data]):
    """One annotation of either format: its task's data and the values of each control."""

    place: str
    data: Data
    annotation: Submitted
    values: Mapping[str, list[Any]]


def raw_annotations(
    path: Path, kind: type[Data], problems: list[Problem], notes: list[Problem]
) -> Iterator[Raw[Data]]:
    """Yield the annotations of one export.

    Args:
        path: JSON or JSON-MIN, told apart by what is in it.
        kind: What the project's tasks hold.
        problems: Gets every entry that cannot be used.
        notes: Gets every draft: work that was not submitted, so no annotation.
    """
    hint = "export the project as JSON or JSON-MIN"
    try:
        loaded = json.loads(path.read_bytes())
    except OSError as error:
        problems.append(Problem("no-file", str(path), error.strerror or str(error)))
        return
    except (ValueError, RecursionError) as error:
        place = f"{path}:{getattr(error, 'lineno', 1)}"
        problems.append(Problem("json", place, "not whole JSON: cut off, or another format", hint))
        return
    if not isinstance(loaded, list):
        problems.append(Problem("export", str(path), "not a list of tasks", hint))
        return
    for position, entry in enumerate(loaded, 1):
        try:
            if isinstance(entry, dict) and "annotations" in entry:
                yield from _of_task(path, kind, entry, notes)
            else:
                yield from _of_row(path, kind, entry)
        except ValidationError as error:
            place = f"{path}: entry {position}"
            problems += [Problem("export", place, text, hint) for text in field_errors(error)]


def _of_task(
    path: Path, kind: type[Data], entry: Mapping[str, Any], notes: list[Problem]
) -> Iterator[Raw[Data]]:
    task = _task_of(kind).model_validate(entry)
    data: Data = task.data
    for draft in task.drafts:
        if isinstance(draft, int):
            draft = _Draft(id=draft, user="somebody")
        message = f"draft of {draft.user} on {data.named()}: not submitted, no vote"
        notes.append(Problem("draft", f"{path}: task {task.id}, draft {draft.id}", message))
    for annotation in task.annotations:
        values: dict[str, list[Any]] = {}
        for result in annotation.result:
            values.setdefault(result.from_name, []).append(result.value)
        place = f"{path}: task {task.id}, annotation {annotation.id}"
        yield Raw(place, data, annotation, values)


def _of_row(path: Path, kind: type[Data], entry: Mapping[str, Any]) -> Iterator[Raw[Data]]:
    row = _row_of(kind).model_validate(entry)
    if row.annotation_id is None and row.annotator is None:
        return  # a task that nobody has judged, where all tasks were exported
    # The data of the task stand in the same object, so only our own names are looked for.
    names = [name for name in entry if kind.is_control(name)]
    values = {n: v if isinstance(v := entry[n], list) else [v] for n in names}
    annotation = Submitted(
        id=row.annotation_id,
        completed_by=row.annotator,
        lead_time=row.lead_time,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
    place = f"{path}: task {row.id}, annotation {row.annotation_id}"
    yield Raw(place, cast("Data", row), annotation, values)  # it is both


def texts_of(values: Sequence[Any], key: str) -> list[str]:
    """Return the texts of a control: JSON has ``{key: [text]}``, JSON-MIN the text itself.

    Halves of surrogate pairs, which no file can hold, are spelled out.
    """
    texts: list[str] = []
    for value in values:
        inner = value.get(key, []) if isinstance(value, dict) else value
        several = inner if isinstance(inner, list) else [inner]
        texts += [
            str(text).encode("utf-8", "backslashreplace").decode()
            for text in several
            if text not in (None, "")
        ]
    return texts
