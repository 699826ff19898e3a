"""Text without its wrapping: fences, escapes, markup and characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["fold", "strip_markup", "unescape"]

_PUNCTUATION = {
    **dict.fromkeys("“”„‟″〝〞「」『』«»《》＂", '"'),
    **dict.fromkeys("‘’‚‛′´｀＇", "'"),
    **dict.fromkeys("‐‑‒–−－", "-"),
    **dict.fromkeys("—―", " - "),
    **{"。": ". ", "．": ".", "，": ", ", "、": ", ", "؛": "; ", "；": "; ", "：": ": "},
    **{"！": "! ", "？": "? ", "（": " (", "）": ") ", "【": "[", "】": "]", "،": ", "},
    **{"…": "...", "।": ". ", "؟": "? ", "‹": "<", "›": ">", "ـ": "", "\x85": "\n"},
    **{"\x0b": "\n", "\x0c": "\n", "\u2028": "\n", "\u2029": "\n"},
}
_KEPT_TAGS = ("<font>", "<wide>", "<narrow>", "<compat>")
_NEGATIVE_LETTERS = ((0x1F150, "A"), (0x1F170, "A"), (0x1F1E6, "A"))
"""First letter of each run of 26 boxed or circled capitals without a decomposition."""
_LONGEST_MARK_RUN = 30
"""More marks on one letter are an attack: composing them takes quadratic time."""


class _Folding(dict[int, str]):
    """Map of one character to its plain form, filled while one text is read."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _plain(chr(code))
        return plain


def _plain(char: str) -> str:
    """Return the plain form of one character."""
    if char in _PUNCTUATION:
        return _PUNCTUATION[char]
    if char in "\n\t" or " " <= char <= "~":
        return char
    category = unicodedata.category(char)
    if category[0] == "C" or category == "Me" or "\ufe00" <= char <= "\ufe0f":
        return ""
    if category == "Zs":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(char))
    decomposition = unicodedata.decomposition(char)
    if decomposition.startswith("<circle>"):
        inner = unicodedata.normalize("NFKC", char)
        return f"({inner}) " if inner.isdigit() else inner
    if decomposition.startswith(_KEPT_TAGS):
        return unicodedata.normalize("NFKC", char)
    for first, letter in _NEGATIVE_LETTERS:
        if first <= ord(char) < first + 26:
            return chr(ord(letter) + ord(char) - first)
    return char


_ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]{0,20}[ -/]{0,3}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z])"
)
_ORPHAN_COLOUR = re.compile(r"\[(?:\d{1,3}(?:;\d{1,3}){0,4})?m")
_OVERLAID = re.compile("(?:[^\\W_][\u0335-\u0338])+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def fold(text: str) -> str:
    """Return the text in plain characters.

    Invisible and control characters go; full-width, mathematical and boxed letters, digits of
    any script, quotes, dashes and punctuation become their ASCII form; letters under a stroke
    are struck out.

    Example:
        >>> fold("\ufeff｛“sent\u200bence_1”：１｝")
        '{"sentence_1": 1}'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _ORPHAN_COLOUR.sub("", _ANSI.sub("", text))
    if text.isascii():
        text = text.replace("\x0b", "\n").replace("\x0c", "\n")
        return _CONTROL.sub("", text)
    text = _OVERLAID.sub("", text)
    if _only_short_mark_runs(text):
        text = unicodedata.normalize("NFC", text)
    return text.translate(_Folding())


def _only_short_mark_runs(text: str) -> bool:
    """Return whether composing is cheap: no long run of combining characters of any script."""
    marks = "".join(re.escape(char) for char in sorted(set(text)) if unicodedata.combining(char))
    return not marks or re.search(f"[{marks}]{{{_LONGEST_MARK_RUN}}}", text) is None


_ENTITIES = (
    ("&amp;", "&"),
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&#x22;", '"'),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&nbsp;", " "),
    ("&#123;", "{"),
    ("&#125;", "}"),
    ("&lbrace;", "{"),
    ("&rbrace;", "}"),
    ("&lcub;", "{"),
    ("&rcub;", "}"),
    ("&colon;", ":"),
    ("&ldquo;", '"'),
    ("&rdquo;", '"'),
)
_ESCAPED_KEY = re.compile(r'(?:[{,\[]|^)\s{0,20}(?:\\{1,4}[nt]\s{0,20}){0,4}\{?\s{0,4}\\{1,8}"')
_ESCAPED_LINE = re.compile(r"[{\[,}\].]\s{0,3}\\{1,2}n")
_CODE_POINT = re.compile(r"\\{1,2}u(00[2-7][0-9a-fA-F])")
_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
_ESCAPE_LEVELS = 3
"""An answer is at most a JSON string of a JSON string of a JSON string."""


def unescape(text: str) -> str:
    r"""Return the text without HTML entities and with JSON escapes undone where they are wrapping.

    Escapes inside the strings of an ordinary dictionary stay.

    Example:
        >>> unescape('"{\\"sentence_1\\": 0}"')
        '{"sentence_1": 0}'
    """
    if "&" in text:
        for name, char in _ENTITIES:
            text = text.replace(name, char)
    if "\\u00" in text:
        text = _CODE_POINT.sub(lambda found: chr(int(found[1], 16)), text)
    if "%22" in text or "%7B" in text or "%7b" in text:
        text = _PERCENT.sub(lambda found: chr(int(found[1], 16)), text)
    if "\\" in text:
        for _ in range(_ESCAPE_LEVELS):
            if not _ESCAPED_KEY.search(text):
                break
            text = _one_level(text)
        if _ESCAPED_LINE.search(text) or ("\\n" in text and "\n" not in text):
            text = text.replace("\\n", "\n").replace("\\t", " ")
        text = text.replace("\\_", "_").replace("\\*", "*")
    return _without_outer_quotes(text)


def _one_level(text: str) -> str:
    """Return the text after one round of JSON string decoding."""
    text = text.replace("\\\\", "\x00")
    for escape, char in (('\\"', '"'), ("\\n", "\n"), ("\\t", " "), ("\\'", "'"), ("\\/", "/")):
        text = text.replace(escape, char)
    return text.replace("\x00", "\\")


def _without_outer_quotes(text: str) -> str:
    """Return the inside of an answer that stands as a whole in one pair of quotes."""
    inner = text.strip()
    for quote in ('"""', "'''", '"', "'", "`"):
        if len(inner) > 2 * len(quote) and inner.startswith(quote) and inner.endswith(quote):
            body = inner[len(quote) : -len(quote)]
            if quote not in body or body.lstrip().startswith(("{", "[")):
                return body
    return text


_LANGUAGES = (
    "json5?|jsonc|jsonl|python|py|plaintext|plain|text|txt|markdown|md|javascript|js|yaml"
    "|dict|bash|output|html|xml|latex"
)
_FENCE = re.compile(rf"(?:`{{3,}}|~{{3,}})(?:(?:{_LANGUAGES})\b)?", re.IGNORECASE)
_SPECIAL = re.compile(
    r"<\|[\w ▁/-]{1,40}\|?>|<[\w]{1,20}\|>|</?s>|<(?:eos|bos|pad|unk|end_of_turn"
    r"|start_of_turn|EOS|BOS)>"
    r"|\[/?INST\]|<end_of_utterance>",
)
_BLOCK_TAG = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|h[1-6]|table|html|body|hr|pre|tbody|thead)\b[^<>]{0,200}>", re.I
)
_CELL_TAG = re.compile(r"</?(?:td|th)\b[^<>]{0,200}>", re.IGNORECASE)
_INLINE_TAG = re.compile(
    r"</?(?:b|i|u|em|strong|span|code|font|mark|tt|small|big|center|label|answer"
    r"|final_answer|final|"
    r"verdict|decision|response|output|result|solution|conclusion|judgment|labels"
    r"|xml)\b[^<>]{0,200}>",
    re.IGNORECASE,
)
_SENTENCE_TAG = re.compile(
    r"<\s?(?:sentence|s)[ _-]?(\d{1,4})\s?>\s{0,5}([^<>\n]{1,80}?)\s{0,5}</\s?(?:sentence"
    r"|s)[ _-]?\d{1,4}\s?>",
    re.IGNORECASE,
)


def strip_markup(text: str) -> str:
    r"""Return the text without fences, special tokens and HTML.

    Example:
        >>> strip_markup("```json\n{1: 0}\n```<|im_end|>").strip()
        '{1: 0}'
    """
    if "<" in text or "[" in text:
        text = _SENTENCE_TAG.sub(r"\nsentence_\1: \2\n", text)
        text = _BLOCK_TAG.sub("\n", text)
        text = _CELL_TAG.sub(" | ", text)
        text = _INLINE_TAG.sub(" ", text)
        text = _SPECIAL.sub(" ", text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n", text)
    return text
