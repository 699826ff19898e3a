"""Where the answer is: after the thinking, and inside an answer container if there is one."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Located", "containers", "final_answer", "locate", "reconsiders"]

_NAMES = (
    "think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|seed:think"
    "|longcat_think|mm:think"
)
_TAG = re.compile(
    rf"""
      (?P<open><\s?(?:{_NAMES})\s?>
        |◁\s?think\s?▷|<\|(?:begin_of_thought|start_thinking|thinking|begin_of_thinking)\|>
        |\[think\]|<unused94>(?:thought)?
        |<\|channel\|?>\s?(?:analysis|commentary|thought|thinking)\s?(?:<\|message\|>)?)
    | (?P<close><\s?[\\/]{{1,2}}\s?(?:{_NAMES})\s?>
        |◁\s?/\s?think\s?▷|<\|(?:end_of_thought|end_thinking|/thinking|end_of_thinking)\|>
        |\[/think\]|<unused95>|<channel\|>
        |<\|channel\|?>\s?final\s?(?:<\|message\|>)?)
    | (?P<end><\|end\|>)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_QUOTES = "\"'`"
_BEFORE_LITERAL = re.compile(
    r"\b(?:the|an?|says?|reads?|shows?|text|tag|tags|token|word|string|of|with|closing|opening|"
    r"literal|displays?|contains?|and|or|like|called|named|marker|symbol|written)\s$",
    re.IGNORECASE,
)
_AFTER_LITERAL = re.compile(
    r"\s(?:tags?|tokens?|markers?|text|symbols?|strings?|is|are|appears?|in|on|at|as|written|"
    r"and|or|element|label|sign|which|that|can|inside|near|above|below|over|next)\b"
)


@dataclass(frozen=True, slots=True)
class Located:
    """One response cut into what counts and what does not."""

    answer: str
    """Text after the last thinking."""
    earlier: str
    """Text before or between the thinking blocks, outside all of them."""
    unfinished: str | None
    """Thinking that was opened and never closed."""
    thought: bool
    """Whether there was any thinking."""


def _is_literal(text: str, start: int, end: int, in_quotes: bool, inside: bool) -> bool:
    """Return whether a tag is only spoken of: quoted, or in the middle of a sentence."""
    before, after = text[max(0, start - 12) : start], text[end : end + 12]
    if before[-1:] and before[-1:] in _QUOTES and after[:1] in _QUOTES and after[:1]:
        return True
    if in_quotes:
        return True
    if _BEFORE_LITERAL.search(before) and _AFTER_LITERAL.match(after):
        return True
    mid_sentence = bool(re.search(r"[a-z,]\s$", before)) and bool(re.match(r"\s[a-z]", after))
    if mid_sentence and not inside:
        return True
    return mid_sentence and bool(_BEFORE_LITERAL.search(before) or _AFTER_LITERAL.match(after))


_MOST_TAGS = 2000
"""Tags that are looked at from each end of a response; more of them are a loop."""


def _structural_tags(text: str) -> list[tuple[str, int, int]]:
    """Return kind, start and end of every tag that is structure and not text."""
    tags: list[tuple[str, int, int]] = []
    if "<" not in text and "[" not in text and "◁" not in text:
        return tags
    line_start = quote_from = quotes = next_quote = next_line = 0
    inside = False
    matches = list(_TAG.finditer(text))
    if len(matches) > 2 * _MOST_TAGS:
        matches = matches[:_MOST_TAGS] + matches[-_MOST_TAGS:]
    for found in matches:
        kind, start, end = str(found.lastgroup), found.start(), found.end()
        newline = text.rfind("\n", quote_from, start)
        if newline >= 0:
            line_start, quote_from, quotes = newline + 1, newline + 1, 0
        quotes += text.count('"', quote_from, start)
        quote_from = start
        if quotes % 2:
            if next_quote < end:
                position = text.find('"', end)
                next_quote = position if position >= 0 else len(text) + 1
            if next_line < end:
                position = text.find("\n", end)
                next_line = position if position >= 0 else len(text)
        in_quotes = bool(quotes % 2) and next_quote < next_line and line_start <= start
        if kind == "end":
            if inside and tags and text[tags[-1][1] : tags[-1][2]].startswith("<|channel"):
                tags.append(("close", start, end))
                inside = False
            continue
        if not _is_literal(text, start, end, in_quotes, inside):
            tags.append((kind, start, end))
            inside = kind == "open"
    return tags


_GARBLED_CHANNEL = re.compile(r"^\s{0,20}analysis(?=[A-Z\s])")


def locate(text: str) -> Located:
    """Return the parts of a response; the last structural closing tag is the border.

    Example:
        >>> locate("<think>REJECT?</think>ACCEPT").answer
        'ACCEPT'
        >>> locate("<think>ACCEPT because").unfinished
        'ACCEPT because'
    """
    if _GARBLED_CHANNEL.match(text) and "assistantfinal" in text:
        return Located(text[text.rindex("assistantfinal") + 14 :], "", None, True)
    tags = _structural_tags(text)
    closes = [index for index, tag in enumerate(tags) if tag[0] == "close"]
    border = tags[closes[-1]][2] if closes else 0
    rest = tags[closes[-1] + 1 :] if closes else tags
    outside: list[str] = []
    depth = segment = 0
    for kind, start, end in tags[: closes[-1] + 1] if closes else ():
        if kind == "open":
            if depth == 0:
                outside.append(text[segment:start])
            depth += 1
        else:
            if depth == 0:
                outside.clear()
            depth = max(0, depth - 1)
            segment = end
    unfinished = text[rest[0][2] :] if rest else None
    answer = text[border : rest[0][1]] if rest else text[border:]
    return Located(answer, "\n".join(outside), unfinished, bool(tags))


_CONTAINER = re.compile(
    r"""
      <(?P<name>answer|final_answer|final|solution|response|output|result|conclusion|verdict
        |decision|label|labels|judgment)\s?>
    | (?P<box><\|begin_of_box\|>) | (?P<solution><\|begin_of_solution\|>)
    | (?P<reply><\|start_response\|>) | (?P<boxed>(?<![a-z])\\{0,2}b?oxed\s?\{)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLOSERS = {
    "box": "<|end_of_box|>",
    "solution": "<|end_of_solution|>",
    "reply": "<|end_response|>",
}
_LONGEST_BOX = 12_000
"""Characters that are searched for the closing brace of one boxed answer."""
_MOST_CONTAINERS = 20
"""Containers that are read from each end of a response; more of them are a loop."""
_BRACE = re.compile(r"[{}]")
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|texttt|bf|rm|mbox)\s?\{?|[$]")


def containers(text: str) -> list[str]:
    r"""Return the contents of the explicit answer containers in their order.

    Args:
        text: Text outside thinking.

    Example:
        >>> containers("so <answer>ACCEPT</answer> and $\\boxed{\\text{ACCEPT}}$")
        ['ACCEPT', 'ACCEPT']
    """
    lowered = text.lower()
    if "<" not in lowered and "oxed" not in lowered:
        return []
    found = list(_CONTAINER.finditer(text))
    if len(found) > 2 * _MOST_CONTAINERS:
        found = found[:_MOST_CONTAINERS] + found[-_MOST_CONTAINERS:]
    contents: list[str] = []
    for opener in found:
        start = opener.end()
        if opener["boxed"]:
            contents.append(
                _LATEX.sub(" ", _braced(text, start))
                .replace("\\{", "{")
                .replace("\\}", "}")
                .strip(" }")
            )
            continue
        name = (opener["name"] or "").lower()
        closer = f"</{name}" if name else _CLOSERS[str(opener.lastgroup)]
        end = lowered.find(closer, start, start + _LONGEST_BOX)
        if end < 0:
            end = len(text)
        contents.append(text[start : min(end, start + _LONGEST_BOX)].strip())
    return contents


def _braced(text: str, start: int) -> str:
    """Return the text up to the brace that closes the one before ``start``."""
    depth = 1
    for brace in _BRACE.finditer(text, start, start + _LONGEST_BOX):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            inner = text[start : brace.start()]
            return inner + "}" if inner.count("{") > inner.count("}") else inner
    return text[start : start + _LONGEST_BOX]


_TURN = re.compile(
    r"(?:\bASSISTANT\s?:|(?:^|\n)\s{0,3}(?:#{1,3}\s)?(?:Assistant|assistant|Response)\s?:"
    r"|<\|im_start\|>assistant|<\|start_header_id\|>assistant<\|end_header_id\|>"
    r"|<start_of_turn>model|\[/INST\])"
)
_TURN_NAMES = ("ASSISTANT", "ssistant", "Response", "<start_of_turn>", "[/INST]")
"""One of these stands in every text that has turns."""
_USER_TURN = re.compile(
    r"\bUSER\s?:|(?:^|\n)\s{0,3}(?:User|Human)\s?:|<\|im_start\|>user|<start_of_turn>user"
)


def assistant_part(text: str) -> str:
    """Return what the assistant says in a response that repeats the dialogue around it.

    Example:
        >>> assistant_part("USER: ACCEPT or REJECT? ASSISTANT: REJECT")
        ' REJECT'
    """
    if not any(name in text for name in _TURN_NAMES):
        return text
    turns = list(_TURN.finditer(text))
    if not turns:
        return text
    ends = [turn.start() for turn in turns[1:]] + [len(text)]
    parts = []
    for turn, end in zip(turns, ends, strict=True):
        user = _USER_TURN.search(text, turn.end(), end)
        parts.append(text[turn.end() : user.start() if user else end])
    return "\n".join(parts)


_FINAL = re.compile(
    r"(?:^|\n|[.!?]\s)[\s*#_>]{0,8}(?:(?:my|the|so|and)\s){0,2}"
    r"(?:final\s(?:answer|verdict|labels?|output|result|decision|judge?ment|response|dictionary)"
    r"|最终答案|最终结论|最終回答|respuesta final|réponse finale|endgültige antwort)"
    r"\s?(?:is|are)?[\s*_]{0,4}:",
    re.IGNORECASE,
)
_RECONSIDERS = re.compile(
    r"\b(?:wait|hmm+|hold on|let me|let's|on second thought|reconsider|re-?check|double[- ]check|"
    r"not sure|not yet|maybe|actually,|or should|need to check|but then)\b",
    re.IGNORECASE,
)


def final_answer(text: str) -> str | None:
    """Return what follows the last explicit final marker of unfinished thinking, if any.

    Example:
        >>> final_answer("it rains. Final answer: REJECT")
        ' REJECT'
    """
    last = None
    for last in _FINAL.finditer(text):  # noqa: B007
        pass
    found = list(_CONTAINER.finditer(text))[-1:]
    inside = [opener for opener in found if opener["name"] or opener["box"] or opener["boxed"]]
    if inside and (last is None or inside[0].start() > last.start()):
        body = containers(text[inside[0].start() :])
        closed = re.search(r"</\w{1,20}\s?>|<\|end_of_box\|>|\}", text[inside[0].end() :])
        tail = text[inside[0].end() + (closed.end() if closed else 0) :]
        return f"{body[0]}\n{tail if closed else ''}" if body else None
    return text[last.end() :] if last else None


def reconsiders(text: str) -> bool:
    """Return whether a text takes up its decision again.

    Example:
        >>> reconsiders("ACCEPT. Wait, the hat is red."), reconsiders("The hat is red.")
        (True, False)
    """
    return _RECONSIDERS.search(text) is not None
