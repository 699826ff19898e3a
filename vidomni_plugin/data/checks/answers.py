"""The form of VidHalLoc's answers, and where two of them differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

__all__ = [
    "bare",
    "is_polar_question",
    "is_sentence",
    "places_of_change",
    "polar_form",
    "polarity",
]

_CLOSING = "\"'\u2019\u201d\u00bb)]"
_SENTENCE = re.compile(rf"\S+\s+.+[.!?][{re.escape(_CLOSING)}]*", re.DOTALL)
_POLAR = re.compile(r"(Yes|No),\s+(.+)", re.DOTALL)
_FIRST_WORD = re.compile(r"\s*(yes|no)\b", re.IGNORECASE)
_STARTERS = {
    *("is", "are", "was", "were", "does", "do", "did"),
    *("can", "could", "has", "have", "had"),
}
_WORD = re.compile(r"\w+(?:[-'\u2019.]\w+)*")
_ARTICLES = {"a", "an", "the"}
"""An article between two changed words does not part them: "to the left" and "in the middle"
are one phrase each."""
LONGEST_COMPARED = 400
"""Words of an answer that are compared word for word; the time grows with their square."""
_AGREEING = (
    {"is", "are"},
    {"was", "were"},
    {"has", "have"},
    {"does", "do"},
    {"a", "an"},
    {"it", "they"},
    {"he", "they"},
    {"she", "they"},
    {"its", "their"},
    {"his", "their"},
    {"her", "their"},
    {"this", "these"},
    {"that", "those"},
)
"""Words that only follow another change, as "is" to "are" follows "one" to "two"."""


def is_sentence(text: str) -> bool:
    """Return whether a text has two words at least, and a mark at its end.

    The release's own rule, but that closing quotes and brackets may follow the mark.

    Example:
        >>> is_sentence("The circle is red."), is_sentence("red"), is_sentence("The circle")
        (True, False, False)
    """
    return _SENTENCE.fullmatch(text.strip()) is not None


def polarity(text: str) -> str:
    """Return "Yes" or "No" where it is the first word of an answer, else nothing.

    Example:
        >>> polarity("No, a cup is not visible."), polarity("Nobody is there.")
        ('No', '')
    """
    found = _FIRST_WORD.match(text)
    return found[1].capitalize() if found else ""


def polar_form(text: str) -> bool:
    """Return whether an answer is ``Yes, `` or ``No, `` and a sentence.

    Example:
        >>> polar_form("Yes, a cup is visible."), polar_form("Yes."), polar_form("Yes: a cup is.")
        (True, False, False)
    """
    found = _POLAR.fullmatch(text.strip())
    return found is not None and is_sentence(found[2])


def is_polar_question(text: str) -> bool:
    """Return whether a question asks for Yes or No.

    Example:
        >>> is_polar_question("Is a cup visible?"), is_polar_question("What is visible?")
        (True, False)
    """
    words = _WORD.findall(text)
    return bool(words) and words[0].casefold() in _STARTERS


def bare(text: str) -> str:
    """Return the words of a text in lower case, without punctuation.

    Example:
        >>> bare("Yes, a CUP  is visible!")
        'yes a cup is visible'
    """
    return " ".join(_WORD.findall(text.casefold()))


def places_of_change(one: str, other: str) -> list[str]:
    """Return where two answers differ, each place as ``these words -> those words``.

    A leading Yes or No is no place of its own. Words in another order are one place; so are
    changed words that only an article parts; and words that only agree with a change
    ("is" with "are", a plural) are none, unless nothing else differs. Answers of more than
    ``LONGEST_COMPARED`` words are one place, from the first word that differs to the last.

    Example:
        >>> places_of_change("Yes, one cup is visible.", "No, one cup is not visible.")
        [' -> not']
        >>> places_of_change("One dog is on a mat and it sleeps.", "Two dogs are on a mat.")
        ['one dog is -> two dogs are', 'and it sleeps -> ']
        >>> places_of_change("The dog runs before the cat.", "The cat runs before the dog.")
        ['the dog runs before the cat -> the cat runs before the dog']
    """
    left, right = bare(one).split(), bare(other).split()
    if polarity(one) and polarity(other):
        left, right = left[1:], right[1:]
    if left != right and sorted(left) == sorted(right):
        return [f"{' '.join(left)} -> {' '.join(right)}"]
    if max(len(left), len(right)) > LONGEST_COMPARED:
        return _ends_apart(left, right)
    blocks: list[tuple[int, int, int, int]] = []
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if blocks and a - blocks[-1][1] == 1 and left[blocks[-1][1]] in _ARTICLES:
            blocks[-1] = (blocks[-1][0], b, blocks[-1][2], d)
        else:
            blocks.append((a, b, c, d))
    changes = [(left[a:b], right[c:d]) for a, b, c, d in blocks]
    real = [change for change in changes if not _agrees(*change)] or changes
    return [f"{' '.join(was)} -> {' '.join(now)}" for was, now in real]


def _ends_apart(left: list[str], right: list[str]) -> list[str]:
    """Return what is between the words that two long answers begin and end with, as one place."""
    start = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if start is None:
        start = min(len(left), len(right))
    shorter = min(len(left), len(right)) - start
    pairs = zip(reversed(left), reversed(right), strict=False)
    same = next((i for i, (a, b) in enumerate(pairs) if a != b), shorter)
    end = min(same, shorter)
    was, now = left[start : len(left) - end], right[start : len(right) - end]
    return [f"{' '.join(was)} -> {' '.join(now)}"] if was or now else []


def _agrees(was: list[str], now: list[str]) -> bool:
    """Return whether words only follow another change, each the word at its place."""
    return len(was) == len(now) and all(map(_agree, was, now))


def _agree(was: str, now: str) -> bool:
    short, long = sorted((was, now), key=len)
    return was == now or {was, now} in _AGREEING or long in {f"{short}s", f"{short}es"}
