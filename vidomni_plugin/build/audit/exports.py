"""Read what people said of each item from Label Studio's exports, JSON and JSON-MIN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from vidomni_plugin.build.annotate.raw import Account, Raw, TaskData, raw_annotations, texts_of
from vidomni_plugin.build.audit.labels import CHECKS, LABELS, NO, YES
from vidomni_plugin.problems import Problem
from vidomni_plugin.records import Id

__all__ = ["AuditTask", "Exported", "Said", "read_exports"]

CONTROLS = ("label", *CHECKS, "memo")


class AuditTask(TaskData):
    """A task as it was imported."""

    item: Id
    batch: str
    person: str
    """Whose project it is in."""
    question: str
    answer_a: str
    answer_b: str

    def named(self) -> str:
        """Return the item."""
        return repr(self.item)

    @staticmethod
    def is_control(name: str) -> bool:
        """Return whether it is the label, a check or the memo."""
        return name in CONTROLS


@dataclass(frozen=True, slots=True)
class Said:
    """One annotation: what one person said of one item."""

    place: str
    """File, task and annotation."""
    task: AuditTask
    account: Account
    annotation_id: int | None
    updated: datetime
    label: str
    failed: tuple[str, ...]
    """The checks that were answered with No."""
    memo: str

    @property
    def content(self) -> object:
        """What was judged, to compare two annotations."""
        return self.label, self.failed, self.memo


@dataclass(frozen=True, slots=True)
class Exported:
    """The annotations of some exports, and every reason why one cannot be used."""

    said: list[Said]
    problems: list[Problem]
    notes: list[Problem]
    """Drafts and skipped tasks, which are no annotations."""
    faulty: set[str]
    """Items with an annotation that cannot be used."""


def read_exports(paths: Sequence[Path]) -> Exported:
    """Return the annotations of exports; never raises for a bad file.

    Args:
        paths: Exports in JSON or JSON-MIN, told apart by what is in them.
    """
    exported = Exported([], [], [], set())
    for path in paths:
        before = len(exported.said), len(exported.problems)
        for found in raw_annotations(path, AuditTask, exported.problems, exported.notes):
            if found.annotation.was_cancelled:
                message = f"{found.annotation.account()} skipped {found.data.named()}"
                exported.notes.append(Problem("skipped", found.place, message))
                continue
            problems: list[Problem] = []
            said = _said(found, problems)
            exported.problems.extend(problems)
            if problems:
                exported.faulty.add(found.data.item)
            else:
                exported.said.append(said)
        if before == (len(exported.said), len(exported.problems)):
            message = "no annotation in it: nothing was submitted when it was exported"
            exported.problems.append(Problem("export", str(path), message))
    return exported


def _said(found: Raw[AuditTask], problems: list[Problem]) -> Said:
    for name in sorted(found.values.keys() - set(CONTROLS)):
        message = f"{found.data.named()}: {name[:60]!r} is no control of an audit"
        problems.append(Problem("export", found.place, message))
    answers = {name: _one_of(found, name, (YES, NO), problems) for name in CHECKS}
    return Said(
        place=found.place,
        task=found.data,
        account=found.annotation.account(),
        annotation_id=found.annotation.id,
        updated=found.annotation.updated(),
        label=_one_of(found, "label", LABELS, problems),
        failed=tuple(name for name, answer in answers.items() if answer == NO),
        memo="; ".join(texts_of(found.values.get("memo", []), "text")),
    )


def _one_of(found: Raw[AuditTask], name: str, known: Sequence[str], problems: list[Problem]) -> str:
    words = texts_of(found.values.get(name, []), "choices")
    if len(words) == 1 and words[0] in known:
        return words[0]
    what = f"{', '.join(words)[:60]!r} is not one of {', '.join(known)}" if words else "no answer"
    message = f"{found.data.named()}, {name}: {what}"
    problems.append(Problem("export", found.place, message))
    return ""
