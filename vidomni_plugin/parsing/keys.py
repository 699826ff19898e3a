"""Which sentence a key, a table cell or a mention names."""

from __future__ import annotations

import re
from functools import lru_cache

from vidomni_plugin.parsing.languages import NUMBER_WORDS, SENTENCE_WORDS

__all__ = ["MENTION", "key_numbers", "mention_numbers"]

_WORDS = "|".join(sorted(map(re.escape, SENTENCE_WORDS), key=len, reverse=True))
_SPELLED = "|".join(sorted(map(re.escape, NUMBER_WORDS), key=len, reverse=True))
_LIST_GAP = r"(?:\s?(?:,\s?and|,|and|&|to|through|/|、|和|,?\s?or|y|e|et|und|и)\s?|-)"
_NUMBER = rf"(?:\d{{1,5}}(?:st|nd|rd|th)?(?![\d.]\d)|(?:{_SPELLED})\b)"
_MOST_SENTENCES = 2000
"""Longest range that is taken for sentence numbers."""

_KEY = re.compile(
    rf"""(?:the\s|la\s|die\s|o\s|a\s)?
    (?:label[s_ ]{{0,2}}(?:for_|of_|for\s|of\s)?)?
    (?:(?:caption_)?(?:{_WORDS})s?|s|label|y|no\.?|number|\#)?
    [\s_\-.\#:]{{0,3}}[(\[]?(?P<numbers>{_NUMBER}(?:{_LIST_GAP}{_NUMBER}){{0,60}})[)\]]?
    (?P<rest>.*)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_ORDINAL_KEY = re.compile(
    rf"(?:the\s)?(?P<numbers>{_SPELLED})[\s_-](?:{_WORDS})(?P<rest>.*)", re.I | re.DOTALL
)
_HAN_KEY = re.compile(
    r"第\s?(?P<numbers>\d{1,5}|[一二三四五六七八九十]{1,3})\s?(?:个)?(?:句子|句话|句|文|条)(?P<rest>.*)",
    re.DOTALL,
)
_LABEL_REST = re.compile(r"[\s_-]{0,2}(?:label|value|verdict|judge?ment|is)?\s?", re.IGNORECASE)
_TEXT_REST = re.compile(r"\s?(?:[:.)\-]|\s\()\s?\S", re.DOTALL)
PROPERTY_REST = re.compile(
    r"[\s_-]{1,2}((?:is|has|contains)?[\s_-]?hallucinat\w*)\s?", re.IGNORECASE
)


def _spread(text: str) -> tuple[int, ...]:
    """Return the numbers of a list such as ``1, 3-5 and 7``."""
    numbers: list[int] = []
    pending_range = False
    for token in re.findall(rf"\d+|(?:{_SPELLED})\b|-|\bto\b|\bthrough\b", text, re.IGNORECASE):
        if token in "-" or token.lower() in {"to", "through"}:
            pending_range = bool(numbers)
            continue
        number = int(token) if token.isdigit() else NUMBER_WORDS[token.lower()]
        if pending_range and 0 < number - numbers[-1] <= _MOST_SENTENCES:
            numbers.extend(range(numbers[-1] + 1, number + 1))
        else:
            numbers.append(number)
        pending_range = False
    return tuple(numbers)


@lru_cache(maxsize=4096)
def key_numbers(key: str) -> tuple[int, ...]:
    """Return the sentence numbers that a key names; empty when it names none.

    Example:
        >>> key_numbers("Sentence_01"), key_numbers("S3"), key_numbers("7"), key_numbers("overall")
        ((1,), (3,), (7,), ())
        >>> key_numbers("sentence_1_reason"), key_numbers("sentences 2-4")
        ((), (2, 3, 4))
    """
    key = key[:400].strip().strip("*_`'\"").strip()
    found = _HAN_KEY.fullmatch(key) or _ORDINAL_KEY.fullmatch(key) or _KEY.fullmatch(key)
    if not found:
        return ()
    rest = found["rest"]
    named = not key[0].isdigit()
    if rest and not _LABEL_REST.fullmatch(rest) and not PROPERTY_REST.fullmatch(rest):
        if not _TEXT_REST.match(rest) or re.match(r"[-.:]\d", rest):
            return ()
        if not named and not re.match(r"[.):]\s", rest):
            return ()
    if not named and key.lower() in NUMBER_WORDS and not key[0].isdigit():
        return ()
    return _spread(found["numbers"])


_NUMBERS = rf"{_NUMBER}(?:{_LIST_GAP}(?:(?:{_WORDS})[\s_]{{0,2}})?{_NUMBER}){{0,60}}"
MENTION = re.compile(
    rf"""(?<![^\W_])(?:
      (?:the\s|la\s|el\s|die\s|der\s|a\s|o\s)?
        (?:(?:{_WORDS})s?|sätze)[\s_\-.\#:]{{0,3}}[(\[]?(?P<after>{_NUMBERS})(?:[)\]]|(?![a-z\d_%]))
    | S_?(?P<short>\d{{1,4}})(?![\w.])
    | (?:the\s)?(?P<before>(?:{_SPELLED})(?:{_LIST_GAP}(?:{_SPELLED})){{0,30}})
        [\s_](?:{_WORDS})s?(?!\w)
    | (?:第\s?(?P<han>(?:\d{{1,4}}|[一二三四五六七八九十]{{1,3}})
        (?:句?\s?[、,和]\s?第?\s?(?:\d{{1,4}}|[一二三四五六七八九十]{{1,3}})){{0,40}})\s?(?:个句子|句话|句|文))
    | (?P<korean>\d{{1,4}})\s?번(?:째)?\s?문장
    | (?P<japanese>\d{{1,4}})\s?(?:文目|つ目の文|番目の文)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""A mention of one or several sentences by number in running text."""


def mention_numbers(found: re.Match[str]) -> tuple[int, ...]:
    """Return the sentence numbers of one match of ``MENTION``.

    Example:
        >>> mention_numbers(MENTION.search("Sentences 1, 3 and 4 are faithful"))
        (1, 3, 4)
    """
    group = next(text for text in found.groups() if text)
    if found["han"]:
        return tuple(
            int(token) if token.isdigit() else NUMBER_WORDS[token]
            for token in re.findall(r"\d+|[一二三四五六七八九十]+", group)
            if token.isdigit() or token in NUMBER_WORDS
        )
    return _spread(group)
