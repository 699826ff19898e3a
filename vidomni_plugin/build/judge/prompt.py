"""What the judge is asked."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

__all__ = ["VERSION", "judge_prompt", "prompt_hash"]

VERSION = "1"
"""Raise it when the text or the way it is filled changes."""


@cache
def _template() -> str:
    return (files("vidomni_plugin.build.judge") / "prompt.txt").read_text(encoding="utf-8").strip()


def prompt_hash() -> str:
    """Return a short hash of the prompt's text: results of other texts are not comparable."""
    return hashlib.sha256(f"{VERSION}\n{_template()}".encode()).hexdigest()[:12]


def judge_prompt(first: str, second: str) -> str:
    r"""Return the question on two captions, in this order.

    Example:
        >>> "<description_1>\nA {second} dog.\n" in judge_prompt("A {second} dog.", "A cat.")
        True
    """
    before, rest = _template().split("{first}")
    between, after = rest.split("{second}")
    return f"{before}{first}{between}{second}{after}"
