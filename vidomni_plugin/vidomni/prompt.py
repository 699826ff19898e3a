"""The sentence verification prompt of VidOmni-Bench (arXiv 2609.21521, Figure 14)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

__all__ = ["prompt_id", "verification_prompt"]


@cache
def _template() -> str:
    path = files("vidomni_plugin") / "vidomni" / "prompts" / "verification.txt"
    return path.read_text(encoding="utf-8").rstrip("\n")


def prompt_id() -> str:
    """Return name and short hash of the prompt text, as each scored item records it."""
    return f"verification@{hashlib.sha256(_template().encode()).hexdigest()[:12]}"


def verification_prompt(sentences: Sequence[str]) -> str:
    r"""Return the paper's prompt, word for word, followed by the numbered caption.

    The paper does not print how the sentences follow "Caption:"; they are set out as its
    Figure 2 shows them. A line break inside a sentence becomes a space, so that one line is
    one sentence.

    Args:
        sentences: The caption's sentences in order, Unknown ones included.

    Returns:
        The text for the model; the video comes before it.

    Example:
        >>> verification_prompt(["A dog runs.", "It barks."]).splitlines()[-2:]
        ['Sentence 1: A dog runs.', 'Sentence 2: It barks.']
    """
    lines = (f"Sentence {k}: {' '.join(text.split())}" for k, text in enumerate(sentences, 1))
    return "\n".join([_template(), *lines])
