"""Where sentences end within one stretch of text."""
# ruff: noqa: RUF001 - the marks of many scripts are what this is about

from __future__ import annotations

import re
from collections.abc import Iterator
from heapq import merge

from vidomni_plugin.build.segment.full_stop import full_stop_ends
from vidomni_plugin.build.segment.spans import inside
from vidomni_plugin.build.segment.words import SPEAKERS, SPEAKS, STARTERS

__all__ = ["ends"]

_WIDE = "。！？｡．।॥؟۔։።"
"""Marks that need no space behind them and stand in no abbreviation."""
_STOP = re.compile(
    rf"""(?P<marks>[.!?‽…{_WIDE}]+)
         (?P<closers>(?:\s?[»›]|“(?=[\s.,;:)]|$)|["'”’«)\]}}）】」』》\u200b\u2060\ufeff]|[*_~`]+(?=[\s"'”’)\]|<.,;:]|$))*)
         (?P<row>(?:\s*\|)?)""",
    re.VERBOSE,
)
_STAMP = r"[\[(]?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[-–—]\s?\d{1,2}:\d\d(?::\d\d)?)?[\])]"
_PICTURE = "[\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]"
_BEHIND = re.compile(rf"(?:\s{{0,9}}{_PICTURE}){{0,99}}(?:\s{{1,9}}{_STAMP})?(?=\s|$)")
"""Emojis and a timestamp behind a sentence."""
_LEADS = re.compile(rf"[\s\-*#>|\d.)]{{0,12}}?(?:{_STAMP}|\d{{1,2}}:\d\d|{_PICTURE})")
_BREAK = re.compile(r"\s*(?:<br\s*/?>|</\w{1,20}>)", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FAR = 80
"""Characters that are looked at on either side of a mark."""
_OPENING = " \t\n\r*_\"'“„‘([{«#>-–—|¿¡"
_CLOSING = "\"'`”“’»«›」』》"
_JAPANESE_GOES_ON = re.compile(r"[とっはがをにもので]")
_CHINESE_GOES_ON = re.compile(r"[，、；：的地得并然后时就便而着]|[她他它我]?们?[说道喊问叫答]")
_EMOJI_STOP = re.compile(r"(?<=\w)\s*(?:[\u2600-\u27bf\U0001f000-\U0001faff]\ufe0f?){1,20}(?=\s)")
"""Emojis behind a word; a sentence ends with them where a typical first word follows."""
_NEXT_ITEM = re.compile(r"\s+(?:\(\d{1,2}\)|\d{1,2}\))\s")
"""The number of the next item of a list within a line: ``(2) ``."""
_SITE = re.compile(r"[/@\\]|\.\S+\.|^www\.|^https?:", re.IGNORECASE)


def ends(text: str) -> list[int]:
    """Return the offsets behind the sentences of ``text``, without the last one.

    Args:
        text: One paragraph, list item or row of a table.

    Example:
        >>> ends("Mr. T. walks. He waves!")
        [13]
    """
    found: list[int] = []
    hidden = inside(text)
    last = len(text.rstrip())
    leads = _LEADS.match(text) is not None
    start = looked = 0
    has_words = False
    for stop in _stops(text, leads):
        end = stop.end()
        # Dots before the first word of a sentence belong to it.
        has_words = has_words or any(map(str.isalnum, text[looked : stop.start()]))
        looked = stop.start()
        if end >= last:
            break
        if hidden[end] or not has_words or looked < start or not _ends(text, start, stop):
            continue
        start = _with_what_belongs(text, end, leads or _LEADS.match(text, start) is not None)
        found.append(start)
        looked, has_words = start, False
    return found


def _stops(text: str, leads: bool) -> Iterator[re.Match[str]]:
    """Yield in order what may end a sentence."""
    emojis = () if leads else _EMOJI_STOP.finditer(text)
    return merge(_STOP.finditer(text), emojis, key=lambda stop: stop.start())


def _with_what_belongs(text: str, end: int, leads: bool) -> int:
    """Return the end behind a line break mark, emojis and timestamp that follow a sentence.

    ``leads`` says that emojis and timestamps stand before the sentences of this text.
    """
    if mark := _BREAK.match(text, end):
        return mark.end()
    behind = None if leads else _BEHIND.match(text, end)
    return behind.end() if behind else end


def _ends(text: str, start: int, stop: re.Match[str]) -> bool:
    """Return whether a sentence that began at ``start`` ends with this mark."""
    if stop.re is _EMOJI_STOP:
        first = _WORDS.match(text[stop.end() : stop.end() + _FAR].lstrip())
        return first is not None and first[0][0].isupper() and first[0].lower() in STARTERS
    mark, closers = stop["marks"][-1], stop["closers"]
    end = stop.end()
    rest = text[end : end + _FAR]
    quoted = any(closer in _CLOSING for closer in closers)
    if mark in _WIDE:
        return not quoted or rest[:1].isspace() or _wide_quote_ends(mark, rest)
    words = _WORDS.findall(rest)
    following = words[0] if words else ""
    next_char = rest.lstrip(_OPENING)[:1]
    starter = next_char.isupper() and following.lower() in STARTERS
    if rest.lstrip()[:1] in {",", ";", ":", ")", "]"}:
        return False
    if quoted and (next_char.islower() or (mark in "!?" and _is_said(words))):
        return False
    in_brackets = any(closer in ")]" for closer in closers)
    if (
        in_brackets
        and not starter
        and text[start : start + _FAR].lstrip(" *_\"'“‘")[:1] not in "(["
    ):
        return False
    if not (rest[:1].isspace() or stop["row"].strip() or _BREAK.match(rest)):
        return _ends_without_space(text, start, stop, rest)
    if _NEXT_ITEM.match(rest):
        return True
    if mark in "!?‽":
        # "Is it a dog? a cat?" is one sentence, unless the text has no capital letters at all.
        begins = text[start : start + _FAR].lstrip(_OPENING)[:1]
        return not (next_char.islower() and begins.isupper())
    if len(stop["marks"]) > 1 or mark == "…":
        counts = next_char.isdigit() and text[stop.start() - 1 : stop.start()].isdigit()
        return not (next_char.islower() or counts)  # 3... 2... 1...
    return full_stop_ends(
        text[max(start, stop.start() - _FAR) : stop.start()], following, next_char
    )


def _wide_quote_ends(mark: str, rest: str) -> bool:
    """Return whether the end of a Chinese or Japanese quote ends its sentence, too."""
    if _JAPANESE_GOES_ON.match(rest):
        return False
    return mark not in "！？" or _CHINESE_GOES_ON.match(rest) is None


def _is_said(words: list[str]) -> bool:
    """Return whether a quote is followed by who says it: ``"Stop!" Anna shouts.``."""
    speaker = words[0].lower() if words else ""
    return (speaker not in STARTERS or speaker in SPEAKERS) and any(w in SPEAKS for w in words[1:3])


def _ends_without_space(text: str, start: int, stop: re.Match[str], rest: str) -> bool:
    """Return whether a sentence ends although the next one follows without a space."""
    opening = rest.lstrip(_OPENING)
    if not opening[:1].isalpha() or opening[:1].islower():
        return False
    if stop["marks"][-1] != "." or len(stop["marks"]) > 1:
        return True
    # A word before and a word behind; addresses, file names, "e.g." and "ASP.NET" are none.
    first = max(start, text.rfind(" ", start, stop.start()) + 1, stop.start() - _FAR)
    token = (text[first : stop.start() + _FAR].split(maxsplit=1) or [""])[0]
    word = text[first : stop.start()].lstrip(_OPENING)
    if len(word) < 2 or not word[-1].isalpha() or _SITE.search(token):
        return False
    return not opening[0].isupper() or opening[1:2].islower() or not opening[1:2].isalnum()
