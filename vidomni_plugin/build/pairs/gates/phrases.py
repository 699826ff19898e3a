"""Whether two short phrases say the same, by their words alone."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer  # type: ignore[import-untyped]

from vidomni_plugin.build.pairs.gates.lexicon import (
    COMPATIBLE,
    INVERSE,
    IRREGULAR,
    NO_KIND_OF,
    NUMBERS,
    SAME,
)

__all__ = ["compatible", "contains", "inverse", "normal", "same_phrase", "words_of"]

_WORD = re.compile(
    r"(?:(?<!\w)[-+\u2212](?=\d))?"  # the sign of a number, not a hyphen
    r"\w+(?:(?:[-'\u2019]|(?<=\d)[.,:/](?=\d))\w+)*"
)
_LEFT_OUT = {"a", "an", "the", "its", "his", "her", "their", "some"}
_HELPING = {"is", "are", "was", "were", "be", "been", "has", "locat", "posit", "situat"}
_DENYING = {"not", "no", "non", "never", "without"}
REMEMBERED = 10_000
"""Words whose stems are kept in memory."""


@lru_cache(REMEMBERED)
def _stem(word: str) -> str:
    """Return a word without its ending, which is the same for all its forms."""
    # A new stemmer each time: one holds the word it works on, and gates run in threads.
    stem: str = EnglishStemmer().stemWord(IRREGULAR.get(word, word))
    return stem


def words_of(text: object) -> list[str]:
    """Return the words of a phrase in lower case as they are written.

    Example:
        >>> words_of("The two red_cups at -3.5 degrees.")
        ['the', 'two', 'red', 'cups', 'at', '-3.5', 'degrees']
    """
    # A number without a fraction is the same number.
    whole = isinstance(text, float) and text.is_integer()
    plain = f"{text:.0f}" if whole else str(text)
    return _WORD.findall(unicodedata.normalize("NFKC", plain).casefold().replace("_", " "))


def normal(text: object) -> str:
    """Return a phrase in lower case, without articles, endings and punctuation.

    What has no words, such as "+", is kept as it is.

    Example:
        >>> normal("The two red_cups."), normal("walking"), normal("!?")
        ('2 red cup', 'walk', '!?')
    """
    found = [NUMBERS.get(word, word) for word in words_of(text)]
    kept = [word for word in found if word not in _LEFT_OUT] or found
    return " ".join(map(_stem, kept)) or str(text).strip()


def same_phrase(one: object, other: object) -> bool:
    """Return whether two phrases are the same words, or are listed as saying the same.

    Example:
        >>> same_phrase("walks", "is walking"), same_phrase("grey", "gray")
        (True, True)
        >>> same_phrase("walks", "runs"), same_phrase(True, "true"), same_phrase(2, "two")
        (False, True, True)
    """
    return _meaning(one) == _meaning(other)


def compatible(one: object, other: object) -> bool:
    """Return whether two values of a slot can hold at once, as far as the word lists know.

    Example:
        >>> compatible("dog", "animal"), compatible("dog", "cat"), compatible("on", "above")
        (True, False, True)
        >>> compatible("bright red", "red"), compatible("walks slowly", "walks")
        (True, True)
    """
    left, right = _meaning(one), _meaning(other)
    if left == right or frozenset((left, right)) in _COMPATIBLE:
        return True
    if {left, right} & _NO_KIND_OF:
        return False
    return _narrows(one, right) or _narrows(other, left)


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


def inverse(relation: object) -> str | None:
    """Return what a relation is called from its other end; None where no word is known.

    Example:
        >>> inverse("is to the left of"), inverse("next to"), inverse("facing")
        ('right', 'beside', None)
    """
    return _INVERSE.get(_meaning(relation))


def _narrows(text: object, wide: str) -> bool:
    """Return whether a phrase is another one with words in front, or with adverbs.

    "Bright red" is red, and a small dog is a dog; who walks slowly, walks.
    """
    words = _without_help(normal(text))
    if set(words) & _DENYING:
        return False
    plain = normal(" ".join(word for word in words_of(text) if not word.endswith("ly"))).split()
    ends = [words[at:] for at in range(1, len(words))]
    return any(_listed(" ".join(end)) == wide for end in (*ends, plain))


def _without_help(phrase: str) -> list[str]:
    words = phrase.split()
    while len(words) > 1 and words[0] in _HELPING:
        words = words[1:]
    return words


def _listed(phrase: str) -> str:
    return _SAME.get(phrase, phrase)


def _meaning(text: object) -> str:
    return _listed(" ".join(_without_help(normal(text))))


_SAME = {normal(word): normal(group[0]) for group in SAME for word in group}
_COMPATIBLE = {
    frozenset((_meaning(wide), _meaning(narrow)))
    for wide, narrower in COMPATIBLE.items()
    for narrow in narrower
}
_INVERSE = {_meaning(relation): other for relation, other in INVERSE.items()}
_NO_KIND_OF = {_meaning(name) for name in NO_KIND_OF}
