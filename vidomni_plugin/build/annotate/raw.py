"""Label Studio's two JSON formats as one: annotations with the values of their controls.

JSON has one object a task with a list of its annotations, JSON-MIN one object an annotation
with the values of the controls beside the task's data, and the annotator by number only.
Skipped tasks and drafts are in JSON alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from vidomni_plugin.build.annotate.labelling import ERROR, sentence_of
from vidomni_plugin.problems import Problem, field_errors
from vidomni_plugin.records import Id

__all__ = ["Account", "Raw", "Submitted", "TaskData", "raw_annotations"]

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
    """What a task shows, as it was imported."""

    stage: int
    pair_id: Id
    sentences: list[_Sentence]


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
    data: TaskData
    annotations: list[_Annotation]
    drafts: list[_Draft | int] = []
    """Export snapshots have the drafts' numbers only."""


class _Row(TaskData):
    """One object of JSON-MIN; the controls' values are further fields of it."""

    id: int | None = None
    annotation_id: int | None = None
    annotator: int | dict[str, Any] | None = None
    lead_time: float | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """One annotation of either format: its task's data and the values of each control."""

    place: str
    data: TaskData
    annotation: Submitted
    values: Mapping[str, list[Any]]


def raw_annotations(path: Path, problems: list[Problem], notes: list[Problem]) -> Iterator[Raw]:
    """Yield the annotations of one export.

    Args:
        path: JSON or JSON-MIN, told apart by what is in it.
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
                yield from _of_task(path, _Task.model_validate(entry), notes)
            else:
                yield from _of_row(path, _Row.model_validate(entry), entry)
        except ValidationError as error:
            place = f"{path}: entry {position}"
            problems += [Problem("export", place, text, hint) for text in field_errors(error)]


def _of_task(path: Path, task: _Task, notes: list[Problem]) -> Iterator[Raw]:
    for draft in task.drafts:
        if isinstance(draft, int):
            draft = _Draft(id=draft, user="somebody")
        message = f"draft of {draft.user} on pair {task.data.pair_id!r}: not submitted, no vote"
        notes.append(Problem("draft", f"{path}: task {task.id}, draft {draft.id}", message))
    for annotation in task.annotations:
        values: dict[str, list[Any]] = {}
        for result in annotation.result:
            values.setdefault(result.from_name, []).append(result.value)
        place = f"{path}: task {task.id}, annotation {annotation.id}"
        yield Raw(place, task.data, annotation, values)


def _of_row(path: Path, row: _Row, entry: Mapping[str, Any]) -> Iterator[Raw]:
    if row.annotation_id is None and row.annotator is None:
        return  # a task that nobody has judged, where all tasks were exported
    # The data of the task stand in the same object, so only our own names are looked for.
    names = [name for name in entry if name == ERROR or sentence_of(name) is not None]
    values = {n: v if isinstance(v := entry[n], list) else [v] for n in names}
    annotation = Submitted(
        id=row.annotation_id,
        completed_by=row.annotator,
        lead_time=row.lead_time,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
    place = f"{path}: task {row.id}, annotation {row.annotation_id}"
    yield Raw(place, row, annotation, values)
