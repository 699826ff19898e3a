"""What came of one call to a model: what it said and what that took, or why it said nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vidomni_plugin.parsing.thinking import locate

__all__ = ["Heard", "NotHeard", "Outcome", "Taken", "taken"]


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply."""

    text: str
    """As it came."""
    input: int | None = None
    """Tokens that were sent, those from the server's cache too; None where nobody counted."""
    cached: int | None = None
    output: int | None = None
    cost: float | None = None
    """In the currency of the prices; None where none were given."""

    @property
    def answer(self) -> str:
        """What the model says behind its thinking; empty where that never ends.

        Example:
            >>> Heard("<think>No dog at first.</think>Yes.").answer
            'Yes.'
        """
        return locate(self.text).answer.strip()


@dataclass(frozen=True, slots=True)
class NotHeard:
    """Why there is no reply."""

    status: str
    """One word: ``timeout``, ``refused`` and so on."""
    message: str
    again: bool
    """Whether another run may get a reply: the fault is not the question's."""


Outcome = Heard | NotHeard


@dataclass(frozen=True, slots=True)
class Taken:
    """What the calls for one answer took, whether they were made now or their replies kept."""

    calls: int
    input: int
    cached: int
    output: int
    cost: float | None
    uncounted: int
    """Calls whose tokens nobody counted; they are not in the sums."""


def taken(replies: Iterable[Heard]) -> Taken:
    """Return what several calls took together.

    Example:
        >>> taken([Heard("a", 10, 0, 5, 0.25), Heard("b")])
        Taken(calls=2, input=10, cached=0, output=5, cost=0.25, uncounted=1)
    """
    known = list(replies)
    costs = [one.cost for one in known if one.cost is not None]
    return Taken(
        calls=len(known),
        input=sum(one.input or 0 for one in known),
        cached=sum(one.cached or 0 for one in known),
        output=sum(one.output or 0 for one in known),
        cost=sum(costs) if costs else None,
        uncounted=sum(one.input is None and one.output is None for one in known),
    )
