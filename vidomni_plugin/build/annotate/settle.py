"""One label a sentence: the majority, or what was decided; nothing else ever settles one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.build.annotate.collect import unfinished
from vidomni_plugin.build.annotate.decisions import (
    Decision,
    Decisions,
    read_decisions,
    unguarded,
)
from vidomni_plugin.build.annotate.plans import Plan
from vidomni_plugin.build.annotate.votes import (
    Label,
    VotedPair,
    VotedSentence,
    majority,
    review,
    shown_votes,
)
from vidomni_plugin.data.releases import Entry, read_records
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Settled", "read_votes", "settle", "settled_labels"]


@dataclass(frozen=True, slots=True)
class Settled:
    """The labels, and how they came about."""

    labels: dict[str, list[Label]]
    """One label a sentence, by pair id, in plan order."""
    by_majority: int
    by_decision: int
    overruled: int
    """Decisions against a majority; they are in ``by_decision`` as well."""
    left_out: dict[str, str]
    """Pairs that are not in ``labels``, with the reason."""

    def totals(self) -> Counter[Label]:
        """Return how many sentences have each label."""
        return Counter(label for labels in self.labels.values() for label in labels)


def read_votes(path: Path, plan: Plan) -> list[Entry[VotedPair]]:
    """Read ``votes.jsonl`` and check that it belongs to the plan.

    Raises:
        InputProblems: If the file cannot be read, or holds other pairs or sentences.
    """
    hint = "`vidomni build annotate read` writes it"
    release = read_records([path], VotedPair, "pair_id", hint=hint)
    problems = list(release.problems)
    for entry in release.entries:
        pair = plan.pairs.get(entry.record.pair_id)
        hint = "--votes and --plan belong together"
        if pair is None:
            message = f"pair {entry.record.pair_id!r} is not in the plan"
            problems.append(Problem("unknown-pair", entry.place, message, hint))
        elif pair.sentences != [sentence.text for sentence in entry.record.sentences]:
            message = f"pair {entry.record.pair_id!r} has other sentences in the plan"
            problems.append(Problem("changed-sentences", entry.place, message, hint))
    if problems:
        raise InputProblems(f"votes in {path}", problems)
    return release.entries


def settle(
    plan: Plan,
    votes: Sequence[Entry[VotedPair]],
    decisions: Decisions,
    *,
    leave_out_unfinished: bool = False,
) -> Settled:
    """Return one label a sentence of every pair of the plan.

    A decision stands above the votes that it was made on. A sentence without a majority and
    without a decision is an error: no rule settles it.

    Args:
        plan: The plan.
        votes: All votes, as ``read_votes`` returns them.
        decisions: What people decided.
        leave_out_unfinished: Whether pairs that lack annotators are left out and counted;
            otherwise they are errors.

    Raises:
        InputProblems: With every undecided sentence and every unfinished pair.
    """
    waiting = unfinished(plan, [entry.record for entry in votes])
    problems = list(decisions.problems)
    if not leave_out_unfinished:
        hint = "have them judged, or leave them out with --leave-out-unfinished"
        problems += [
            Problem("unfinished", f"pair {pair_id}", reason, hint)
            for pair_id, reason in waiting.items()
        ]
    by_pair: Mapping[str, Entry[VotedPair]] = {entry.record.pair_id: entry for entry in votes}
    labels: dict[str, list[Label]] = {}
    sources: Counter[str] = Counter()
    for pair_id in plan.pairs:
        if pair_id in waiting:
            continue
        entry = by_pair[pair_id]
        labels[pair_id] = []
        for number, sentence in enumerate(entry.record.sentences, 1):
            decision = decisions.by_sentence.get((pair_id, number))
            if decision is not None and _outdated(decision, sentence):
                problems.append(_changed(decision))
            most = majority(sentence.votes)
            if decision is not None:
                sources["decision"] += 1
                sources["overruled"] += most is not None and most != decision.label
                labels[pair_id].append(decision.label)
            elif most is not None:
                sources["majority"] += 1
                labels[pair_id].append(most)
            else:
                problems.append(_undecided(entry, number, sentence))
    if not labels and not problems:
        message = "no pair has been judged by two annotators, one of them trusted"
        problems.append(Problem("unfinished", "the votes", message))
    if problems:
        raise InputProblems("labels of stage 1", problems)
    return Settled(labels, sources["majority"], sources["decision"], sources["overruled"], waiting)


def _outdated(decision: Decision, sentence: VotedSentence) -> bool:
    """Whether the votes beside a decision are not those of today."""
    return decision.votes not in ("", unguarded(shown_votes(sentence.votes)))


def _changed(decision: Decision) -> Problem:
    message = f"pair {decision.pair_id!r}, sentence {decision.number}: the votes have changed"
    hint = "`vidomni build annotate read` puts the votes of today into adjudicate.csv"
    return Problem("decision", decision.place, f"{message} since it was decided", hint)


def _undecided(entry: Entry[VotedPair], number: int, sentence: VotedSentence) -> Problem:
    votes = ", ".join(f"{vote.annotator} {vote.label}" for vote in sentence.votes) or "no vote"
    pair_id, reason = entry.record.pair_id, review(sentence.votes)[0]
    message = f"pair {pair_id!r}, sentence {number}: {reason} without a decision ({votes})"
    hint = "fill the column decision of adjudicate.csv: Correct, Incorrect or Unknown"
    return Problem("undecided", entry.place, message, hint)


def settled_labels(
    plan: Plan, votes: Path, decisions: Path | None, *, leave_out_unfinished: bool
) -> Settled:
    """Return the labels from the files of votes and decisions.

    Raises:
        InputProblems: See ``read_votes`` and ``settle``.
    """
    read = read_decisions(decisions, plan) if decisions is not None else Decisions({}, [], 0, {})
    entries = read_votes(votes, plan)
    return settle(plan, entries, read, leave_out_unfinished=leave_out_unfinished)
