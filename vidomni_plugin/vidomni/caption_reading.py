"""From a model's response to its caption, and what may be wrong with it. Pure text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["FAULTS", "ReadCaption", "count_words", "read_caption"]

Fault = Literal[
    "request_failed",
    "empty",
    "unfinished_thinking",
    "thinking_only",
    "no_words",
    "looping",
    "cut_off",
    "broken_characters",
]
FAULTS: dict[str, str] = {
    "request_failed": "the runner's request to an API failed; it answers with its error",
    "empty": "the answer is empty",
    "unfinished_thinking": "the answer ends inside its thinking",
    "thinking_only": "thinking, and nothing after it",
    "no_words": "no letter and no digit",
    "looping": "the end repeats the same words again and again",
    "cut_off": "the last line is no list item or heading, and its last sentence has no end",
    "broken_characters": "halves of characters, each replaced by U+FFFD",
}
"""What may be wrong with a response; there is no caption in one of the first five kinds."""
FAILED_REQUEST = "[LMMS_EVAL_REQUEST_FAILED"
"""What the host's API runners answer when a request failed for good."""
_WRAPPED = re.compile(
    r"\s*<(answer|caption|description|output|response)>(.*)</\1>\s*$", re.DOTALL | re.IGNORECASE
)
_ENDS_WELL = re.compile(r"[.!?…。！？।॥؟۔][\"'”’»」』)\]*_`~|\s]*$")  # noqa: RUF001
_ENDS_IN_ITEM = re.compile(r"\s*(?:[-*•]\s|#{1,6}\s|[|>]|\(?\d{1,3}[.)]\s)")
_RULE = re.compile(r"\s*([-*_=~`])(?:\s?\1){2,}\s*")
"""A line that ends a passage or a code block."""
_LOOP_UNIT = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
"""A word; in scripts without spaces, such as Chinese, Japanese and Thai, a letter."""
LONGEST_PERIOD = 80
"""Words of the longest passage whose repetition is looked for."""
LOOPS = 5
"""So many times in a row at the end of a caption is a loop."""
SHORTEST_LOOP = 15
"""Words that a loop has at least: "no, no, no, no, no" is speech."""


@dataclass(frozen=True, slots=True)
class ReadCaption:
    """The caption of one response."""

    caption: str
    """Without thinking and the white space around it; empty where there is none."""
    thought: bool
    """Whether thinking was left out."""
    faults: tuple[Fault, ...]
    """What is wrong with it, if anything; see ``FAULTS``."""


def read_caption(response: str) -> ReadCaption:
    """Return the caption of a response: all of it, without what stands around it.

    Thinking blocks are left out, and one pair of tags such as ``<answer>`` around the whole.
    Half a character (a lone surrogate, which no file can hold) becomes U+FFFD.
    Repeated sentences stay: the benchmark labels them (category Frequency).

    Args:
        response: What the model answered.

    Example:
        >>> read_caption("<think>A dog?</think> A dog runs.")
        ReadCaption(caption='A dog runs.', thought=True, faults=())
        >>> read_caption("A dog runs. It").faults, read_caption(" ").faults
        (('cut_off',), ('empty',))
    """
    # Its patterns take a tenth of a second to compile, and loading a task does not need them.
    from vidomni_plugin.parsing.thinking import locate

    if response.lstrip().startswith(FAILED_REQUEST):
        return ReadCaption("", False, ("request_failed",))
    given, response = response, _whole_characters(response)
    located = locate(response)
    caption = located.answer
    if wrapped := _WRAPPED.match(caption):
        caption = wrapped[2]
    caption = caption.strip()
    if located.unfinished is not None:
        # Whatever stands before thinking that never ends was not the model's last word.
        return ReadCaption("", True, ("unfinished_thinking",))
    if not caption:
        return ReadCaption("", located.thought, ("thinking_only" if located.thought else "empty",))
    if not any(map(str.isalnum, caption)):
        return ReadCaption("", located.thought, ("no_words",))
    faults: list[Fault] = []
    if _loops(caption):
        faults.append("looping")
    if _is_cut_off(caption):
        faults.append("cut_off")
    if "\ufffd" in response and "\ufffd" not in given:
        faults.append("broken_characters")
    return ReadCaption(caption, located.thought, tuple(faults))


def count_words(text: str) -> int:
    """Return the number of words: stretches without white space that hold a letter or digit.

    Example:
        >>> count_words("- A dog - it's 0.5 m long!")
        6
    """
    return sum(any(map(str.isalnum, word)) for word in text.split())


def _whole_characters(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _loops(caption: str) -> bool:
    """Return whether the last words are one passage over and over."""
    words = _LOOP_UNIT.findall(caption.casefold())[-LONGEST_PERIOD * (LOOPS + 1) :]
    for period in range(1, LONGEST_PERIOD + 1):
        run = 0
        for at in range(len(words) - 1, period - 1, -1):
            if words[at] != words[at - period]:
                break
            run += 1
        # ``run`` words equal those one period before: with them it is run + period words.
        if run + period >= max(LOOPS * period, SHORTEST_LOOP):
            return True
    return False


def _is_cut_off(caption: str) -> bool:
    """Return whether the last line is neither a whole sentence nor a list item or heading."""
    lines = caption.split("\n")
    while _RULE.fullmatch(lines[-1]) or not lines[-1].strip():
        lines.pop()
    last = lines[-1]
    if _ENDS_WELL.search(last[-40:]) or _ENDS_IN_ITEM.match(last):
        return False
    end = last.rstrip("*_`\"'”’)] ")[-1:]  # noqa: RUF001
    return end.isalnum() or end in {",", ";", ":", "-", "–", "—", "(", ""}  # noqa: RUF001
