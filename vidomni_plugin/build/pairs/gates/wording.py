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
    *("there", "is", "are", "was", "were", "be", "do", "doe", "did", "can", "any", "anywher"),
    *("visibl", "present", "seen", "see", "shown", "show", "appear", "stand", "video", "at", "all"),
}
"""Words, by their stems, that a sentence about existence can gain and lose with a "not"."""
_JOINING = {"is", "are", "was", "were", "be", "it", "they", "them", "to", "of", "and"}


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

    One place is the slot. Several are it too where they hold the words of both values, as in
    "picks the box up" and "puts the box down", or where a sentence is denied in another frame,
    as in "a lamp is here" and "there is no lamp here". What else the answers say, the verifier
    finds.

    Args:
        answer: The factual answer.
        other: The counterfactual answer.
        source: The fact of the first.
        counterfactual: The fact of the second.
    """
    places = places_of_change(answer, other)
    if len(places) <= 1:
        return []
    if isinstance(source, ExistenceFact):
        same = _said(answer) == _said(other) and denies(answer) != denies(other)
        return [] if same else places
    for side, fact in enumerate((source, counterfactual)):
        changed = Counter(
            stem
            for place in places
            for stem in normal(place.split(" -> ", 1)[side]).split()
            if stem not in _JOINING
        )
        # Each word once: a value that is said of two things is changed in two facts.
        if changed - Counter(normal(slot_value(fact)).split()):
            return places
    return []


def _said(answer: str) -> Counter[str]:
    words = words_of(answer)[1 if polarity(answer) else 0 :]
    kept = (normal(word) for word in words if word not in _DENIALS and not word.endswith("n't"))
    return Counter(stem for stem in kept if stem not in _SAYING_IT_IS_THERE | {"a", "an", "the"})
