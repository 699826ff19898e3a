"""The items that somebody should look at: where labels differ, or do not fit the checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vidomni_plugin.build.audit.collect import Judged
from vidomni_plugin.build.audit.exports import Said
from vidomni_plugin.build.audit.labels import INVALID
from vidomni_plugin.tables import Column, Table

__all__ = ["Look", "at_odds", "look_table", "looks"]


class Look(NamedTuple):
    """One item with the reasons to look at it."""

    judged: Judged
    reasons: tuple[str, ...]

    def record(self) -> Mapping[str, Any]:
        """Return all about it as JSON values."""
        item = self.judged.item
        return {
            "item": item.item,
            "pair_id": item.pair.pair_id,
            "video_id": item.pair.media.video_id,
            "reasons": list(self.reasons),
            "original": item.label,
            **{
                role: {
                    "person": said.task.person,
                    "label": said.label,
                    "failed_checks": list(said.failed),
                    "memo": said.memo,
                    "place": said.place,
                }
                for role, said in zip(_ROLES, self.judged.all, strict=True)
            },
            "question": item.pair.question,
            "answer": item.pair.answer,
            "counterfactual_answer": item.pair.counterfactual_answer,
        }


_ROLES = ("reference", "worker_1", "worker_2")


def at_odds(said: Said) -> bool:
    """Return whether label and checks contradict each other.

    A leaf goes with three times Yes, ``InvalidSample`` with a No.
    """
    return (said.label == INVALID) != bool(said.failed)


def _reasons(judged: Judged) -> Iterator[str]:
    first, second = judged.workers
    if judged.reference.label != judged.item.label:
        yield "reference differs from the original"
    if first.label != second.label:
        yield "workers differ"
    if any(said.label == INVALID for said in judged.all):
        yield INVALID
    if any(at_odds(said) for said in judged.all):
        yield "label and checks do not fit"


def looks(judged: Sequence[Judged]) -> list[Look]:
    """Return the items with a reason to look at them, in the sample's order."""
    found = ((one, tuple(_reasons(one))) for one in judged)
    return [Look(one, reasons) for one, reasons in found if reasons]


def _said(said: Said) -> str:
    return f"{said.label} (No: {', '.join(said.failed)})" if said.failed else said.label


def look_table(found: Sequence[Look]) -> Table:
    """Return the items as a table; the labels with the checks that failed."""
    rows = [
        (
            look.judged.item.item,
            look.judged.item.pair.pair_id,
            "; ".join(look.reasons),
            look.judged.item.label,
            *map(_said, look.judged.all),
            "; ".join(f"{one.task.person}: {one.memo}" for one in look.judged.all if one.memo),
            look.judged.item.pair.question,
            look.judged.item.pair.answer,
            look.judged.item.pair.counterfactual_answer,
        )
        for look in found
    ]
    titles = ("item", "pair_id", "reasons", "original", "reference", "worker 1", "worker 2")
    texts = ("memos", "question", "factual answer", "counterfactual answer")
    columns = [Column(title) for title in (*titles, *texts)]
    return Table("look", "Items to look at", columns, rows)
