"""Whether a fact gives its slot away in what stays the same in both answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vidomni_plugin.build.pairs.contracts.facts import (
    ActionFact,
    AttributeFact,
    CameraFact,
    CategoryFact,
    ClaimedCameraFact,
    Fact,
    QuantityFact,
    RelationFact,
    TemporalFact,
)
from vidomni_plugin.build.pairs.gates.lexicon import NUMBERS, OTHER_NUMBERS, SAME
from vidomni_plugin.build.pairs.gates.phrases import (
    contains,
    inverse,
    normal,
    same_phrase,
    words_of,
)

__all__ = ["leaks"]

_AT_A_PLACE = {
    *("beside", "next", "behind", "under", "above", "below", "over", "on", "by"),
    *("between", "among", "inside", "at", "from", "outside", "near"),
}
"""What follows these words is another thing, and says where the first one is."""
_ORDER = {
    *("before", "after", "afterwards", "afterward", "first", "then", "earlier", "later"),
    *("previously", "subsequently", "finally", "lastly"),
}
_PURSUED = {"look", "run", "chase", "go", "come"}
"""Who looks after somebody is not later than they."""
_OF_A_BODY = {
    *("hand", "arm", "foot", "leg", "eye", "ear", "shoulder", "knee", "elbow", "wrist"),
    *("glove", "shoe", "sleeve", "sock", "boot", "cheek", "thumb", "wing", "paw"),
}
_CUTS = {"to", "from", "between", "away", "back"}
_COOKED_IN = ("frying", "sauce", "baking", "roasting", "cooking", "hot")
_PANS = {"left", "right", "across", "over", "along", "to", "from", "shot", "around"}


def leaks(fact: Fact) -> str:
    """Return where a fact says its slot's value outside the slot; empty where it does not.

    Example:
        >>> fact = {"entity": "the red cup", "attribute_key": "colour", "attribute_value": "red"}
        >>> leaks(AttributeFact(fact_kind="attribute_value", **fact))
        "entity 'the red cup' says 'red'"
        >>> fact["entity"] = "the cup on the red mat"
        >>> leaks(AttributeFact(fact_kind="attribute_value", **fact))
        ''
    """
    for key, value in _leaking(fact):
        return f"{key} {getattr(fact, key)!r} says {str(value)!r}"
    return ""


def _leaking(fact: Fact) -> Iterator[tuple[str, object]]:
    """Yield key and value of each leak."""
    match fact:
        case CategoryFact():
            if contains(_head(fact.entity), fact.category):
                yield "entity", fact.category
        case QuantityFact():
            if _counts(fact.entity_set, fact.count):
                yield "entity_set", fact.count
        case AttributeFact():
            yield from _attribute(fact)
        case RelationFact():
            if _places(fact.subject, fact.relation_predicate, fact.object):
                yield "subject", fact.relation_predicate
            other_end = inverse(fact.relation_predicate)
            if other_end and _places(fact.object, other_end, fact.subject):
                yield "object", other_end
        case ActionFact():
            if _does(fact.subject, fact.predicate):
                yield "subject", fact.predicate
            if fact.object is not None and _does(fact.object, fact.predicate):
                yield "object", fact.predicate
        case TemporalFact():
            yield from (("event_a", word) for word in _ordering(fact.event_a))
            yield from (("event_b", word) for word in _ordering(fact.event_b))
        case CameraFact() | ClaimedCameraFact():
            if _moves(fact.camera_event, fact.camera_predicate):
                yield "camera_event", fact.camera_predicate


def _head(text: str) -> str:
    """Return what comes before the place: "the cup" of "the cup on the red mat"."""
    words = words_of(text)
    end = next((at for at, word in enumerate(words) if at and word in _AT_A_PLACE), len(words))
    return " ".join(words[:end])


def _counts(text: str, count: int) -> bool:
    """Return whether a set of things is called by its number."""
    words = words_of(_head(text))
    figures = [NUMBERS.get(word, word) for word in words]
    return str(count) in figures or bool({*OTHER_NUMBERS.get(count, ())} & {*words})


def _attribute(fact: AttributeFact) -> Iterator[tuple[str, object]]:
    value = fact.attribute_value
    if isinstance(value, bool):
        return
    if contains(fact.attribute_key, value):
        yield "attribute_key", value
    named = [f"{value} {word}" for word in words_of(fact.attribute_key)]
    if contains(_head(fact.entity), value) or any(contains(fact.entity, name) for name in named):
        yield "entity", value


def _does(anchor: str, action: str) -> bool:
    """Return whether a thing is called by what it does; "turns on" is no place."""
    return contains(anchor if len(words_of(action)) > 1 else _head(anchor), action)


def _places(anchor: str, relation: str, other: str) -> bool:
    """Return whether a thing is called by the place that it has relative to the other one."""
    names = [relation, *_same_as(relation)]
    if any(contains(anchor, f"{name} {other}") for name in names):
        return True
    words = words_of(anchor)
    said = {*words_of(relation)} & {"left", "right", "above", "below"}
    return any(
        not _of_something_else(word, words[at + 1 :])
        for at, word in enumerate(words)
        if word in said
    )


def _of_something_else(word: str, following: Sequence[str]) -> bool:
    """Return whether "left" belongs to a left hand, or "above" to a third thing."""
    if not following:
        return False
    if word in ("above", "below"):
        return True
    return following[0] == "of" or normal(following[0]) in _OF_A_BODY


def _same_as(relation: str) -> tuple[str, ...]:
    groups = (group for group in SAME if same_phrase(group[0], relation))
    return next(groups, ())


def _ordering(event: str) -> Iterator[str]:
    words = words_of(event)
    for at, word in enumerate(words):
        pursued = word == "after" and at > 0 and normal(words[at - 1]) in _PURSUED
        if word in _ORDER and not pursued:
            yield word


def _moves(event: str, change: str) -> bool:
    """Return whether a moment is called by the change that the camera makes in it."""
    if contains(event, change):
        return change != "cut" or _is_followed(event, "cut", _CUTS)
    move = change.partition("_")[0]
    if move == "pan":
        cooked = any(contains(event, f"{word} pan") for word in _COOKED_IN)
        return _is_followed(event, "pan", _PANS) and not cooked
    if move == "focus":
        return contains(event, "focus") or contains(event, "refocus")
    return move != "cut" and contains(event, move)


def _is_followed(text: str, verb: str, following: set[str]) -> bool:
    """Return whether a word stands at the end, or before one of those."""
    words = words_of(text)
    return any(
        normal(word) == verb and (at + 1 == len(words) or words[at + 1] in following)
        for at, word in enumerate(words)
    )
