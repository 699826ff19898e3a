"""Whether the wording of two answers differs in what belongs to the slot, and nowhere else."""

from __future__ import annotations

from collections import Counter

from vidomni_plugin.build.pairs.contracts.facts import ExistenceFact, Fact, slot_value
from vidomni_plugin.build.pairs.gates.phrases import normal, words_of
from vidomni_plugin.data.checks.answers import places_of_change, polarity

__all__ = ["changes_elsewhere", "denies"]

_DENIALS = {
    *("no", "not", "never", "nothing", "nobody", "none", "neither", "nor", "without", "absent"),
    *("lacks", "missing", "cannot"),
}
_SAYING_IT_IS_THERE = {
    *("a", "an", "the", "there", "is", "are", "was", "were", "be", "do", "does", "did", "can"),
    *("any", "anywhere", "visible", "present", "seen", "see", "shown", "show", "appear", "stand"),
    *("video", "at", "all"),
}
"""Words that a sentence about existence can gain and lose with a "not"."""
_JOINING = {
    *("is", "are", "was", "were", "be", "it", "they", "them", "to", "of", "and", "on", "in"),
    *("at", "by", "with", "from", "into", "onto", "over", "across", "towards", "along", "as"),
}
"""Words that join a value to what follows it."""


def denies(answer: str) -> bool:
    """Return whether an answer says "not", after a Yes or No in front.

    Example:
        >>> denies("No, there is no cup."), denies("No, the table is empty."), denies("It isn't.")
        (True, False, True)
    """
    words = words_of(answer)[1 if polarity(answer) else 0 :]
    return any(word in _DENIALS or word.endswith(("n't", "n\u2019t")) for word in words)


def changes_elsewhere(answer: str, other: str, source: Fact, counterfactual: Fact) -> list[str]:
    """Return the places in which two answers differ, where it is more than the slot.

    Several places are one slot where they hold the words of both values, as in "picks the box
    up" and "puts the box down", or where a sentence is denied in another frame, as in "a lamp is
    here" and "there is no lamp here". One place is more than the slot where it holds both
    values and other words beside them, as in "beach runs" and "pier sleeps". What else the
    answers say, the verifier finds.

    Args:
        answer: The factual answer.
        other: The counterfactual answer.
        source: The fact of the first.
        counterfactual: The fact of the second.
    """
    places = places_of_change(answer, other)
    if isinstance(source, ExistenceFact):
        same = _said(answer) == _said(other) and denies(answer) != denies(other)
        return [] if same or len(places) == 1 else places
    changed = [_changed(places, side) for side in (0, 1)]
    values = [Counter(normal(slot_value(fact)).split()) for fact in (source, counterfactual)]
    # Each word once: a value that is said of two things is changed in two facts.
    beside = [words - value for words, value in zip(changed, values, strict=True)]
    was, now = beside[0] - beside[1], beside[1] - beside[0]
    if len(places) > 1:
        return places if was or now else []
    literal = all(value <= words for words, value in zip(changed, values, strict=True))
    return places if was and now and literal else []


def _changed(places: list[str], side: int) -> Counter[str]:
    """Return the stems of the words of one side that the other has not."""
    words = (normal(place.split(" -> ", 1)[side]).split() for place in places)
    return Counter(stem for stems in words for stem in stems if stem not in _JOINING)


def _said(answer: str) -> Counter[str]:
    words = words_of(answer)[1 if polarity(answer) else 0 :]
    kept = (word for word in words if word not in _DENIALS and not word.endswith("n't"))
    return Counter(normal(word) for word in kept if normal(word) not in _THERE)


_THERE = {normal(word) for word in _SAYING_IT_IS_THERE}
