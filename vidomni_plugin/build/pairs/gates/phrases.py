"""Whether two short phrases say the same, by their words alone."""

from __future__ import annotations

import re
import unicodedata

from vidomni_plugin.build.pairs.gates.lexicon import COMPATIBLE, NUMBERS, SAME

__all__ = ["compatible", "contains", "normal", "same_phrase"]

_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*")
_LEFT_OUT = {"a", "an", "the", "its", "his", "her", "their", "some"}
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s")
_SHORTEST_STEM = 3


def _stem(word: str) -> str:
    """Return a word without its ending: crude, and the same for both sides of a comparison."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word[: -len(ending)]
            if ending in ("ied", "ies"):
                return f"{stem}y"
            if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] not in "aeiouls":
                stem = stem[:-1]
            return stem.rstrip("e") or stem
    return word.rstrip("e") if len(word) > _SHORTEST_STEM else word


def _words(text: object) -> list[str]:
    plain = unicodedata.normalize("NFKC", str(text)).casefold().replace("_", " ")
    found = [NUMBERS.get(word, word) for word in _WORD.findall(plain)]
    return [word for word in found if word not in _LEFT_OUT] or found


def normal(text: object) -> str:
    """Return a phrase in lower case, without articles, endings and punctuation.

    Example:
        >>> normal("The two red_cups."), normal("walking")
        ('2 red cup', 'walk')
    """
    return " ".join(_stem(word) for word in _words(text))


def same_phrase(one: object, other: object) -> bool:
    """Return whether two phrases are the same words, or are listed as saying the same.

    Example:
        >>> same_phrase("walks", "is walking"), same_phrase("grey", "gray")
        (True, True)
        >>> same_phrase("walks", "runs"), same_phrase(True, "true"), same_phrase(2, "two")
        (False, True, True)
    """
    left, right = _meaning(one), _meaning(other)
    return left == right


def compatible(one: object, other: object) -> bool:
    """Return whether two values of a slot can hold at once, as far as the word lists know.

    Example:
        >>> compatible("dog", "animal"), compatible("dog", "cat"), compatible("on", "above")
        (True, False, True)
    """
    left, right = _meaning(one), _meaning(other)
    if left == right or frozenset((left, right)) in _COMPATIBLE:
        return True
    # "bright red" is red, and "dog" is what "small dog" is.
    few, many = sorted((left.split(), right.split()), key=len)
    return bool(few) and many[-len(few) :] == few and not set(many) & {"not", "no", "non"}


def contains(text: object, phrase: object) -> bool:
    """Return whether a text has all the words of a phrase side by side.

    Example:
        >>> contains("the red cup", "red"), contains("the scarred man", "red")
        (True, False)
    """
    words, wanted = normal(text).split(), normal(phrase).split()
    if not wanted:
        return False
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def _meaning(text: object) -> str:
    words = normal(text)
    helped = words.split()
    while len(helped) > 1 and helped[0] in _HELPING:
        helped = helped[1:]
    words = " ".join(helped)
    return _SAME.get(words, words)


_HELPING = {"is", "ar", "are", "was", "were", "be", "being", "been"}
_SAME = {normal(word): normal(group[0]) for group in SAME for word in group}
_COMPATIBLE = {
    frozenset((_SAME.get(normal(a), normal(a)), _SAME.get(normal(b), normal(b))))
    for a, others in COMPATIBLE.items()
    for b in others
}
