"""Put what was exported onto the sample: one label a person and item, everything checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.collect import find_annotator
from vidomni_plugin.build.audit.exports import AuditTask, Exported, Said
from vidomni_plugin.build.audit.files import AuditItem, Batch, Sample, Team
from vidomni_plugin.problems import Problem

__all__ = ["Collected", "Judged", "collect", "complete"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One item with what all three said."""

    item: AuditItem
    reference: Said
    workers: tuple[Said, Said]

    @property
    def all(self) -> tuple[Said, Said, Said]:
        """The reference, then both workers."""
        return (self.reference, *self.workers)


@dataclass(frozen=True, slots=True)
class Collected:
    """What each person said of each item, and what makes the exports unusable."""

    said: Mapping[tuple[str, str], Said]
    """By item and person."""
    problems: list[Problem]
    notes: list[Problem]
    """Annotations that are in two exports."""
    faulty: set[str]
    """Items with an annotation that cannot be used."""


def collect(
    sample: Sample, team: Team, exported: Exported, people: Sequence[Annotator]
) -> Collected:
    """Return what each person said of each item.

    Nothing is chosen between two annotations of a person and an item: whoever judged twice has
    one of them deleted in Label Studio. The same annotation in two exports counts once.

    Args:
        sample: The sample.
        team: Who was to label.
        exported: From any number of exports; its problems are among those returned.
        people: Their accounts as they are today.
    """
    found = Collected({}, [*exported.problems], [], {*exported.faulty})
    items = {item.item: item for item in sample.items}
    groups: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for one in exported.said:
        problem = _problem(one, items, team, people)
        if problem is not None:
            found.problems.append(problem)
            found.faulty.add(one.task.item)
        else:
            groups[one.task.item, one.task.person].append(one)
    kept = {}
    for key, several in groups.items():
        kept[key] = first = several[0]
        for other in several[1:]:
            who = f"{key[1]} on {key[0]!r}"
            known = first.annotation_id is not None and first.annotation_id == other.annotation_id
            if known and first.content == other.content:
                message = f"the annotation of {who} is also at {first.place}"
                found.notes.append(Problem("same-annotation", other.place, message))
            elif known:
                message = f"the annotation of {who} was changed since, or before, {first.place}"
                hint = "give the exports of one time only"
                found.problems.append(Problem("two-annotations", other.place, message, hint))
            else:
                message = f"{who}: judged at {first.place} already"
                found.problems.append(Problem("judged-twice", other.place, message, _TWICE))
    return Collected(kept, found.problems, found.notes, found.faulty)


_TWICE = "delete one of the two annotations in Label Studio and export again: none is chosen here"
_NOT_JUDGED = "have them judged, or leave out what is not finished with --leave-out-unfinished"


def _problem(
    one: Said, items: Mapping[str, AuditItem], team: Team, people: Sequence[Annotator]
) -> Problem | None:
    task = one.task
    item = items.get(task.item)
    if item is None:
        message = f"item {task.item!r} is not in the sample"
        return Problem("unknown-item", one.place, message, "name the sample's own folder")
    if _shown(task) != (item.batch, *_texts(item)):
        message = f"item {task.item!r} has other texts than the sample, or another batch"
        hint = "the task was edited after it was imported, or belongs to another sample"
        return Problem("changed-item", one.place, message, hint)
    if task.person not in {person.name for person in team.people}:
        message = f"this project is of {task.person[:60]!r}, who is not of this audit"
        return Problem("unknown-annotator", one.place, message)
    person = find_annotator(one.account, people)
    if person is None:
        hint = (
            "add the account to the annotators' file (email, or label_studio_id where the export "
            "has numbers only) and name the file with --annotators"
        )
        return Problem("unknown-annotator", one.place, f"{one.account} is no annotator", hint)
    if person.name != task.person:
        message = f"{person.name} judged item {task.item!r} in the project of {task.person}"
        hint = "each labels in their own project: delete this annotation, and export again"
        return Problem("not-assigned", one.place, message, hint)
    return None


def _shown(task: AuditTask) -> tuple[str, ...]:
    return (task.batch, task.question, task.answer_a, task.answer_b)


def _texts(item: AuditItem) -> tuple[str, ...]:
    return (item.pair.question, item.pair.answer, item.pair.counterfactual_answer)


def complete(
    sample: Sample, team: Team, collected: Collected, batch: Batch
) -> tuple[list[Judged], list[Problem]]:
    """Return the items that all three judged, and a problem for each that somebody did not.

    Where exports have faults, an item that such a fault makes lacking is no further problem: one
    with an annotation that cannot be used, or one that only people lack of whom nothing is there.
    The order is the sample's: categories in the paper's order, ids sorted within.
    """
    there = {name for _, name in collected.said}
    excused = {p.name for p in team.people if collected.problems} - there
    judged, missing = [], []
    for item in sample.of(batch):
        said = [collected.said.get((item.item, person.name)) for person in team.people]
        absent = [p.name for p, one in zip(team.people, said, strict=True) if one is None]
        if absent and (item.item in collected.faulty or excused.issuperset(absent)):
            continue
        if absent:
            message = f"not judged by {', '.join(absent)}"
            missing.append(Problem("not-judged", f"item {item.item}", message, _NOT_JUDGED))
            continue
        reference, first, second = (one for one in said if one is not None)
        judged.append(Judged(item, reference, (first, second)))
    return judged, missing
