"""A tolerant reader of dictionaries and lists: it takes what is written and never backtracks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["Mapping", "Node", "Scalar", "Sequence", "Top", "scan"]

DEPTH = 30
"""Deepest nesting that is followed; deeper text is skipped."""
LONGEST_STRING = 8000
"""Characters of one string value; what is longer is taken as an unclosed string."""
WINDOW = 1500
"""Characters that are searched for the next key after something unreadable."""


@dataclass(slots=True)
class Scalar:
    """A string, number or word; ``cut`` when the text ends inside it."""

    text: str
    quoted: bool = False
    cut: bool = False


@dataclass(slots=True)
class Mapping:
    """Pairs in their order, duplicates kept; ``ellipsis`` when it holds ``...`` for more."""

    pairs: list[tuple[str, Node | None]] = field(default_factory=list)
    closed: bool = False
    ellipsis: bool = False


@dataclass(slots=True)
class Sequence:
    """Items in their order."""

    items: list[Node] = field(default_factory=list)
    closed: bool = False
    ellipsis: bool = False


Node = Scalar | Mapping | Sequence


@dataclass(slots=True)
class Top:
    """One dictionary or list of the text and where it stands."""

    node: Mapping | Sequence
    start: int
    end: int


_START = re.compile(
    r"\bdict\((?=\s{0,40}\w)|\{(?=\s{0,40}(?:[\"'`\w{]|//|#|/\*|<))"
    r"|\[(?!\[{8})(?=\s{0,40}[\"'{\[(\w-])"
)
_BRACELESS = re.compile(
    r"^\s{0,20}(?=[\"']sentence[ _]?\d{1,4}[\"']\s?:\s?[\"']?[01][\"']?\s?(?:,|$))", re.M | re.I
)
"""The first of several lines that are the inside of a dictionary, without its braces."""
_SKIP = re.compile(r"(?:[\s,;]|//[^\n]*|#[^\n]*|/\*[^*]{0,2000}\*/)*")
_COMMENT = re.compile(r"\s*(?://|#|/\*).*", re.DOTALL)
_SENTENCE = r"(?:sentence|label|s|句子|第)[\s_\\-]{0,3}\d{1,4}"
_COLON = r"\s{0,20}(?::|=>|=|->)"
_KEY = re.compile(
    rf"""(?:"(?P<double>[^"\n]{{1,400}})"|'(?P<single>[^'\n]{{1,400}})'|`(?P<tick>[^`\n]{{1,400}})`
    |(?P<bare>[^\s{{}}\[\],:;"'=][^{{}}\[\],:;"'\n=]{{0,60}}))[*_]{{0,2}}{_COLON}""",
    re.VERBOSE,
)
_ODD_KEY = re.compile(rf"[\"'`]?({_SENTENCE})[\"'`]?{_COLON}", re.IGNORECASE)
_RESYNC = re.compile(
    rf"[{{}}]|\n\s{{0,40}}\n|(?<=[\s,;\"'(])[\"'`]?{_SENTENCE}[\"'`]?{_COLON}"
    r"|(?<=[,\s])\"[A-Za-z_][\w ]{0,40}\"\s{0,5}:",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"(?:(?!\s[\"'`]?{_SENTENCE}[\"'`]?{_COLON})[^,{{}}\]\n\"]){{0,400}}", re.IGNORECASE
)
_AFTER_STRING = re.compile(r"\s{0,40}(?:[,}\]:;)]|//|#|$)|\s{0,40}\n")
_AFTER_LABEL = re.compile(r"\s{0,5}[(\"'-]")
_SPACE = re.compile(r"\s+")
_PAIR = re.compile(r"\(\s?([\"']?)([^\"'(),\n]{1,60})\1\s?,\s?([\"']?)([^\"'(),\n]{1,60})\3\s?,?\)")
_NEXT_KEY = re.compile(rf"\"(?:{_SENTENCE}|[A-Za-z_]\w{{0,40}})\"\s{{0,5}}:", re.IGNORECASE)


class _Scanner:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.size = len(text)
        self.at = 0

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self) -> None:
        found = _SKIP.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def mapping(self, depth: int) -> Mapping:
        """Read on after an opening brace."""
        node = Mapping()
        quoted: bool | None = None
        seen: set[str] = set()
        after_comma = True
        while True:
            before = self.at
            self._skip()
            gap = self.text[before : self.at]
            char = self._peek()
            if not char:
                return node
            if char in "}])":
                self.at += 1
                node.closed = True
                return node
            if self.text.startswith("...", self.at):
                node.ellipsis = True
                self.at += 3
                continue
            if char == "{" and not node.pairs:
                self.at += 1
                continue
            found = _KEY.match(self.text, self.at)
            if found is None:
                if not self._resync():
                    return node
                continue
            key = found["double"] or found["single"] or found["tick"] or found["bare"]
            is_quoted = found["bare"] is None
            comma = after_comma or "," in gap or ";" in gap
            new_paragraph = gap.count("\n") > 1
            if (
                not comma
                and quoted is not None
                and (is_quoted != quoted or key in seen or new_paragraph)
            ):
                return node
            if (
                not comma
                and not is_quoted
                and not _ODD_KEY.match(self.text, self.at)
                and not key.isdigit()
            ):
                return node
            if new_paragraph and not is_quoted and not _ODD_KEY.match(self.text, self.at):
                return node
            quoted, after_comma = is_quoted, False
            seen.add(key)
            self.at = found.end()
            node.pairs.append((key.strip(), self.value(depth)))

    def _resync(self) -> bool:
        """Go to the next key or brace; False when the dictionary ends here."""
        found = _RESYNC.search(self.text, self.at + 1, self.at + WINDOW)
        if found is None:
            self.at = min(self.size, self.at + WINDOW)
            return False
        self.at = found.start()
        return found[0] != "{" and not found[0].startswith("\n")

    def sequence(self, depth: int) -> Sequence:
        """Read on after an opening bracket."""
        node = Sequence()
        while True:
            self._skip()
            char = self._peek()
            if not char:
                return node
            if char in "])}":
                self.at += 1
                node.closed = True
                return node
            if self.text.startswith("...", self.at):
                node.ellipsis = True
                self.at += 3
                continue
            start = self.at
            value = self.value(depth)
            if value is None or self.at == start:
                return node
            node.items.append(value)

    def value(self, depth: int) -> Node | None:
        """Read one value; None when the text ends before it or nests too deeply."""
        if space := _SPACE.match(self.text, self.at):
            self.at = space.end()
        char = self._peek()
        if not char or char in ",}":
            return None
        if pair := _PAIR.match(self.text, self.at):
            self.at = pair.end()
            return Sequence([Scalar(pair[2], bool(pair[1])), Scalar(pair[4], bool(pair[3]))], True)
        if char in "{[":
            if depth >= DEPTH:
                return None
            self.at += 1
            return self.mapping(depth + 1) if char == "{" else self.sequence(depth + 1)
        if char in "\"'":
            return self._string(char)
        return self._bare()

    def _string(self, quote: str) -> Scalar:
        """Read a string; a quote ends it when what may follow a value follows."""
        start = self.at + 1
        limit = min(self.size, start + LONGEST_STRING)
        at = start
        while True:
            at = self.text.find(quote, at, limit)
            if at < 0:
                self.at = limit
                return Scalar(self.text[start:limit], quoted=True, cut=True)
            head = self.text[max(start, at - 20) : at]
            escaped = (len(head) - len(head.rstrip("\\"))) % 2 == 1
            if not escaped and (_AFTER_STRING.match(self.text, at + 1) or at + 1 >= self.size):
                self.at = at + 1
                return Scalar(self.text[start:at], quoted=True)
            if not escaped and at > start and _NEXT_KEY.match(self.text, at):
                self.at = at
                return Scalar(self.text[start:at].rstrip(", \n"), quoted=True)
            if not escaped and at - start <= 30 and _AFTER_LABEL.match(self.text, at + 1):
                self.at = at + 1
                return Scalar(self.text[start:at], quoted=True)
            at += 1

    def _bare(self) -> Scalar | None:
        found = _BARE.match(self.text, self.at)
        if not found or not found[0].strip():
            return None
        self.at = found.end()
        return Scalar(_COMMENT.sub("", found[0]).strip(), cut=self.at >= self.size)


def scan(text: str) -> list[Top]:
    """Return the outermost dictionaries and lists of a text, in their order.

    Syntax slips are forgiven: missing commas and closing braces, comments, any quotes, no
    quotes, a text that ends early. The time is linear in the length of the text.

    Example:
        >>> top, = scan("Labels: {sentence_1: 0 sentence_2: [1, 'no']")
        >>> top.node.pairs[0], top.node.closed
        (('sentence_1', Scalar(text='0', quoted=False, cut=False)), False)
    """
    tops: list[Top] = []
    scanner = _Scanner(text)
    start = _START if "{" in text or "[" in text or "dict(" in text else _BRACELESS
    while found := start.search(text, scanner.at):
        scanner.at = found.end()
        node = scanner.sequence(0) if found[0] == "[" else scanner.mapping(0)
        scanner.at = max(scanner.at, found.end(), found.start() + 1)
        if isinstance(node, Mapping) and not node.pairs:
            continue
        if isinstance(node, Sequence) and not node.items:
            continue
        tops.append(Top(node, found.start(), scanner.at))
    return tops
