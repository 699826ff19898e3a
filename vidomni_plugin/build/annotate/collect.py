"""Put exported annotations onto the plan: one judgement an annotator and pair, all checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.exports import Account, Stage1Annotation, Stage2Annotation
from vidomni_plugin.build.annotate.plans import Plan, PlannedPair
from vidomni_plugin.build.annotate.votes import Judgement, Vote, VotedPair, VotedSentence
from vidomni_plugin.problems import Problem

__all__ = ["Collected", "collect_votes", "find_annotator", "latest_of_each", "unfinished"]

Annotation = TypeVar("Annotation", Stage1Annotation, Stage2Annotation)


@dataclass(frozen=True, slots=True)
class Collected:
    """The pairs with votes, what makes the exports unusable, and what a reader should know."""

    pairs: list[VotedPair]
    """Every pair of the plan that somebody judged, in the plan's order."""
    problems: list[Problem]
    notes: list[Problem]
    """Nothing wrong with the files: skipped tasks, annotations that a later one replaces."""


@dataclass(frozen=True, slots=True)
class Latest(Generic[Annotation]):
    """The annotations that count, by pair and annotator."""

    kept: dict[tuple[str, str], Annotation]
    problems: list[Problem]
    notes: list[Problem]


def find_annotator(account: Account, people: Sequence[Annotator]) -> Annotator | None:
    """Return the person behind an account of Label Studio: by address, else by number."""
    if account.email:
        email = account.email.lower()
        return next((person for person in people if person.email == email), None)
    if account.number is None:
        return None
    return next((p for p in people if p.label_studio_id == account.number), None)


def latest_of_each(
    annotations: Sequence[Annotation],
    plan: Plan,
    people: Sequence[Annotator],
    *,
    accept_unassigned: bool,
    expected: Callable[[PlannedPair], Sequence[str] | None],
) -> Latest[Annotation]:
    """Return the annotations that count: of each annotator and pair the last one submitted.

    An account that one export names by address and number is known by its number in all of
    them. An annotation of stage 1 without any label is no judgement.

    Args:
        annotations: From any number of exports; one that is in two of them counts once.
        plan: The plan that they belong to.
        people: The annotators, with today's numbers of their accounts.
        accept_unassigned: Whether people may judge pairs that are not theirs.
        expected: The sentences that a task of this pair shows, None where it should have none.
    """
    found: Latest[Annotation] = Latest({}, [], [])
    emails = {one.account.number: one.account.email for one in annotations if one.account.email}
    groups: dict[tuple[str, str], list[Annotation]] = defaultdict(list)
    for one in annotations:
        email = one.account.email or emails.get(one.account.number)
        person = find_annotator(Account(email, one.account.number), people)
        problem = _problem(one, plan, person, accept_unassigned, expected)
        if problem is not None:
            found.problems.append(problem)
        elif person is not None and one.skipped:
            message = f"{person.name} skipped pair {one.pair_id!r}"
            found.notes.append(Problem("skipped", one.place, message))
        elif person is not None and one.empty:
            message = f"{person.name} submitted pair {one.pair_id!r} without a label: no vote"
            found.notes.append(Problem("no-label", one.place, message))
        elif person is not None:
            groups[one.pair_id, person.name].append(one)
    for (pair_id, name), several in groups.items():
        ordered = sorted(several, key=lambda one: (one.updated, one.annotation_id or 0))
        last = ordered[-1]
        found.kept[pair_id, name] = last
        for other in ordered[:-1]:
            if _same(other, last):
                message = f"the annotation of pair {pair_id!r} by {name} is also at {last.place}"
                found.notes.append(Problem("same-annotation", other.place, message))
            elif (other.updated, other.annotation_id) == (last.updated, last.annotation_id):
                message = f"differs from {last.place}, and neither is later: pair {pair_id!r}"
                found.problems.append(
                    Problem("two-annotations", other.place, message, "read one of the exports only")
                )
            else:
                message = f"replaced by the later one of {name} at {last.place}: pair {pair_id!r}"
                found.notes.append(Problem("replaced", other.place, message))
    return found


def _same(one: Annotation, other: Annotation) -> bool:
    known = one.annotation_id is not None and one.annotation_id == other.annotation_id
    return known and one.content() == other.content()


def _problem(
    one: Stage1Annotation | Stage2Annotation,
    plan: Plan,
    person: Annotator | None,
    accept_unassigned: bool,
    expected: Callable[[PlannedPair], Sequence[str] | None],
) -> Problem | None:
    pair = plan.pairs.get(one.pair_id)
    if pair is None:
        hint = "give --plan the folder that the project's tasks came from"
        return Problem("unknown-pair", one.place, f"pair {one.pair_id!r} is not in the plan", hint)
    shown = expected(pair)
    if shown is None:
        message = f"pair {one.pair_id!r} has no Incorrect sentence, so no task of stage 2"
        return Problem("changed-sentences", one.place, message, "make stage 2 anew")
    if list(shown) != list(one.sentences):
        return Problem("changed-sentences", one.place, _difference(one, shown), _CHANGED)
    if person is None:
        hint = (
            "add the person to the annotators' file (email, or label_studio_id where the export "
            "has numbers only) and name the file with --annotators"
        )
        return Problem("unknown-annotator", one.place, f"{one.account} is no annotator", hint)
    if person.name not in pair.annotators and not accept_unassigned:
        message = f"{person.name} judged pair {one.pair_id!r}, which is for {_list(pair)}"
        hint = (
            "--accept-unassigned counts such annotations; who is renamed in the annotators' file "
            "keeps the plan's name"
        )
        return Problem("not-assigned", one.place, message, hint)
    return None


_CHANGED = "the tasks were edited, or the plan was made anew: read the export with its own plan"


def _list(pair: PlannedPair) -> str:
    return ", ".join(pair.annotators)


def _difference(one: Stage1Annotation | Stage2Annotation, shown: Sequence[str]) -> str:
    if len(shown) != len(one.sentences):
        return f"pair {one.pair_id!r} has {len(one.sentences)} sentences, the plan {len(shown)}"
    pairs = enumerate(zip(one.sentences, shown, strict=True), 1)
    number = next(number for number, (here, there) in pairs if here != there)
    return f"pair {one.pair_id!r}: sentence {number} is not the plan's"


def collect_votes(
    plan: Plan,
    annotations: Sequence[Stage1Annotation],
    people: Sequence[Annotator],
    *,
    accept_unassigned: bool = False,
) -> Collected:
    """Return the votes on every sentence of every pair that somebody judged.

    See ``latest_of_each`` for what counts. A sentence that an annotator left without a label
    has no vote of that annotator, and a note.
    """
    latest = latest_of_each(
        annotations,
        plan,
        people,
        accept_unassigned=accept_unassigned,
        expected=lambda pair: pair.sentences,
    )
    notes = list(latest.notes)
    judged: dict[str, dict[str, Stage1Annotation]] = defaultdict(dict)
    for (pair_id, name), one in latest.kept.items():
        judged[pair_id][name] = one
        missing = [number for number, label in enumerate(one.labels, 1) if label is None]
        if missing:
            listed = ", ".join(map(str, missing))
            message = f"{name} gave no label to sentences {listed} of pair {one.pair_id!r}"
            notes.append(Problem("missing-label", one.place, message))
    trusted = {person.name: person.trusted for person in people}
    pairs = [
        _voted(pair, judged[pair_id], trusted)
        for pair_id, pair in plan.pairs.items()
        if pair_id in judged
    ]
    return Collected(pairs, latest.problems, notes)


def _voted(
    pair: PlannedPair, judged: Mapping[str, Stage1Annotation], trusted: Mapping[str, bool]
) -> VotedPair:
    people = sorted(judged)
    return VotedPair(
        pair_id=pair.pair_id,
        video_id=pair.video_id,
        caption_source=pair.caption.caption_source,
        batch=pair.batch,
        duration_s=pair.duration_s,
        judgements=[
            Judgement(
                annotator=name,
                trusted=trusted[name],
                lead_time_s=judged[name].lead_time_s,
                place=judged[name].place,
            )
            for name in people
        ],
        sentences=[
            VotedSentence(
                text=text,
                votes=[
                    Vote(annotator=name, label=label, memo=judged[name].memos[number])
                    for name in people
                    if (label := judged[name].labels[number]) is not None
                ],
            )
            for number, text in enumerate(pair.sentences)
        ],
    )


def unfinished(plan: Plan, pairs: Sequence[VotedPair]) -> dict[str, str]:
    """Return the pairs of the plan that cannot be used yet, with the reason."""
    voted = {pair.pair_id: pair for pair in pairs}
    reasons = {
        pair_id: voted[pair_id].unfinished() if pair_id in voted else "judged by nobody"
        for pair_id in plan.pairs
    }
    return {pair_id: reason for pair_id, reason in reasons.items() if reason}
