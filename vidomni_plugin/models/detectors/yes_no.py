"""Which tokens say yes and which say no: the first token of each word, as a tokenizer gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["SPACES", "YesNo", "yes_no"]

WORDS = ("Yes", "No")
SPACES = {"both": ("", " "), "without": ("",), "with": (" ",)}
"""Setting ``spaces``: what may stand before the word."""


@dataclass(frozen=True, slots=True)
class YesNo:
    """The tokens whose probabilities are added up for each word."""

    yes: tuple[int, ...]
    no: tuple[int, ...]
    yes_texts: tuple[str, ...]
    """The tokens as the tokenizer spells them, for the log."""
    no_texts: tuple[str, ...]


def yes_no(tokenizer: Any, spaces: str, model: str) -> YesNo:  # noqa: ANN401
    """Return the first tokens of "Yes" and "No", with and without a space before.

    A form counts for both words or for none: where a tokenizer gives a space of its own before
    the word, or the same first token for both words, that token tells nothing.

    Args:
        tokenizer: Of transformers.
        spaces: A key of ``SPACES``.
        model: The model's name, for the error.

    Raises:
        InputProblems: If no form is left, or ``spaces`` is unknown.
    """
    if spaces not in SPACES:
        message = f"spaces={spaces!r} is not known"
        hint = f"give one of {', '.join(SPACES)}"
        raise InputProblems("yes and no", [Problem("usage", "--model_args", message, hint)])
    found: dict[int, int] = {}
    for space in SPACES[spaces]:
        pair = [_first(tokenizer, space, word) for word in WORDS]
        if pair[0] is not None and pair[1] is not None and pair[0] != pair[1]:
            found.setdefault(pair[0], pair[1])
    yes = tuple(found)
    no = tuple(dict.fromkeys(found.values()))
    if not yes or set(yes) & set(no):
        message = 'its tokenizer has no tokens that tell "Yes" from "No"'
        hint = "take a model whose tokenizer splits words into letters or larger parts"
        raise InputProblems("yes and no", [Problem("yes-no-tokens", model, message, hint)])
    spelled = [tuple(tokenizer.convert_ids_to_tokens(list(ids))) for ids in (yes, no)]
    return YesNo(yes, no, spelled[0], spelled[1])


def _first(tokenizer: Any, space: str, word: str) -> int | None:  # noqa: ANN401
    """Return the first token of a word; None where it is not the beginning of this word."""
    ids = tokenizer.encode(space + word, add_special_tokens=False)
    if not ids or ids[0] == tokenizer.unk_token_id:
        return None
    text = tokenizer.decode(ids[:1]).strip()
    return int(ids[0]) if text and word.startswith(text) else None
