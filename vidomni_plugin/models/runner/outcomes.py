"""What an inner model hands back, made one text a request, or the reason why there is none."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lmms_eval.api.instance import GenerationResult, TokenCounts, unwrap_generation_output
from lmms_eval.models.model_utils.usage_metrics import is_budget_exceeded

from vidomni_plugin.models.runner.entries import NO_ROOM, Answer
from vidomni_plugin.problems import printable
from vidomni_plugin.video.failures import reason_of as message_of
from vidomni_plugin.wording import counted

__all__ = [
    "OVER_BUDGET",
    "BadAnswer",
    "Outcome",
    "failed_text",
    "free_memory",
    "is_no_room",
    "outcome_of",
    "outcomes_of",
    "reason_of",
    "result_of",
]

FAILED = re.compile(
    r"\s*\[LMMS_EVAL_REQUEST_FAILED(?:: (?P<inside>.*)\]|[^\]]*\](?P<behind>.*)|.*)\s*", re.DOTALL
)
"""How the host's API runners say that a request failed for good; labels.py reads it."""
NOT_ASKED = ("", "[LMMS_EVAL_BUDGET_EXCEEDED]")
"""What they answer without asking once the tokens of ``--max_tokens`` are used up."""
OVER_BUDGET = "the tokens of --max_tokens are used up"
LONGEST_REASON = 600
"""Characters of a reason that are kept; some errors print whole tensors."""


class BadAnswer(ValueError):
    """An inner model returned something that is no answer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer, or why a request failed."""

    text: str = ""
    failure: str | None = None
    tokens: TokenCounts | None = None
    again: bool = False
    """Whether the request alone may still get an answer: it failed among others."""


def reason_of(error: BaseException) -> str:
    """Return on one line why a request failed, with the error that came first.

    Some readers hide what went wrong behind an error of their own.

    Example:
        >>> try:
        ...     try:
        ...         raise OSError("cut off")
        ...     except OSError:
        ...         raise AttributeError("no read_video")
        ... except AttributeError as error:
        ...     reason_of(error)
        'AttributeError: no read_video; before that OSError: cut off'
    """
    *_, first = _chain(error)
    text = _named(error) if first is error else f"{_named(error)}; before that {_named(first)}"
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]} ..."


def is_no_room(error: BaseException) -> bool:
    """Whether a full disk is among what led to an error."""
    return any(getattr(one, "errno", None) in NO_ROOM for one in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, what it came from, and so on."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        yield current
        seen.add(id(current))
        current = current.__cause__ or current.__context__


def _named(error: BaseException) -> str:
    name = type(error).__name__
    try:
        message = printable(message_of(error))
    except Exception:  # an error that cannot even say what it is
        return name
    return message if isinstance(error, BadAnswer) or message == name else f"{name}: {message}"


def failed_text(reason: str) -> str:
    """Return what a failed request says in place of an answer; one that scores as none."""
    return f"[LMMS_EVAL_REQUEST_FAILED: {reason}]"


def outcome_of(output: object) -> Outcome:
    """Return one answer in one shape.

    Args:
        output: A text, or a text with its token counts in one of the host's ways.

    Raises:
        BadAnswer: If it is anything else; the host would score the word "None".
    """
    text, tokens = unwrap_generation_output(output)
    pair = isinstance(output, (tuple, list)) and tokens is not None
    if not isinstance(text, str) or not (isinstance(output, (str, GenerationResult)) or pair):
        raise BadAnswer(f"the model returned a {type(output).__name__} in place of a text")
    # Half of a character has no place in a file: the host would lose all samples behind it.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if text.strip() in NOT_ASKED and is_budget_exceeded():
        return Outcome(failure=OVER_BUDGET)
    if failed := FAILED.fullmatch(text):
        reason = printable(" ".join((failed["inside"] or failed["behind"] or "").split()))
        return Outcome(failure=reason or "no reason given")
    return Outcome(text, None, tokens)


def outcomes_of(outputs: object, requests: int) -> list[Outcome]:
    """Return the outcomes of several requests that were asked together, in their order.

    Raises:
        BadAnswer: If they are not one a request, so that nobody knows which belongs to which.
    """
    if not isinstance(outputs, Sequence) or isinstance(outputs, (str, bytes)):
        raise BadAnswer(f"the model returned a {type(outputs).__name__} in place of a list")
    if len(outputs) != requests:
        got = f"{counted(len(outputs), 'answer')} to {counted(requests, 'request')}"
        raise BadAnswer(f"the model returned {got}")
    return [_outcome(output) for output in outputs]


def _outcome(output: object) -> Outcome:
    try:
        return outcome_of(output)
    except BadAnswer as error:
        return Outcome(failure=reason_of(error), again=True)


def result_of(answer: Answer) -> GenerationResult:
    """Return what the host gets for a line of the journal."""
    if answer.failure is not None:
        return GenerationResult(failed_text(answer.failure))
    counts = (answer.input_tokens, answer.output_tokens, answer.reasoning_tokens)
    known = any(count is not None for count in counts)
    return GenerationResult(answer.text, TokenCounts(*counts) if known else None)


def free_memory() -> None:
    """Give back what a failed request left on the GPU; the next one may fit then."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        gc.collect()
        torch.cuda.empty_cache()
