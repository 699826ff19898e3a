"""The judge prompt of VidHalLoc (arXiv 2609.09895, Tables 16 and 17)."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files

__all__ = ["judge_prompt", "prompt_id"]

ENDS_SENTENCE = (".", "?", "!", "…", "。", "？", "！", '."', '?"', '!"')  # noqa: RUF001
"""A text that ends so keeps its own punctuation; the template's full stop is dropped."""
_SLOT = re.compile(r"\{(question|candidate_answer)\}\.")


@cache
def _template() -> str:
    path = files("vidomni_plugin") / "vidhalloc" / "prompts" / "judge.txt"
    return path.read_text(encoding="utf-8").rstrip("\n")


def prompt_id() -> str:
    """Return name and short hash of the prompt text, as each scored item records it."""
    return f"judge@{hashlib.sha256(_template().encode()).hexdigest()[:12]}"


def judge_prompt(question: str, candidate_answer: str) -> str:
    """Return the paper's prompt, word for word, for one candidate answer.

    Both slots are filled in one pass, so that braces in the data stay text.

    Args:
        question: The question about the video.
        candidate_answer: The answer to judge; nothing says whether it is the factual one.

    Returns:
        The text for the model; the video comes before it.

    Example:
        >>> judge_prompt("What colour is it?", "It is red").split(" Judge ")[0][-57:]
        'Question: What colour is it? Candidate answer: It is red.'
    """
    values = {"question": question.strip(), "candidate_answer": candidate_answer.strip()}

    def fill(match: re.Match[str]) -> str:
        text = values[match[1]]
        return text if text.endswith(ENDS_SENTENCE) else f"{text}."

    return _SLOT.sub(fill, _template())
