"""Which tokens say yes and which say no: the first token of each word, as a tokenizer gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["SPACES", "YesNo", "spaces_of", "yes_no"]

WORDS = ("Yes", "No")
SPACES: dict[str, tuple[bool, ...]] = {
    "both": (False, True),
    "without": (False,),
    "with": (True,),
}
"""Setting ``spaces``: whether a space before the word is a part of its first token."""
BEFORE = ("", " ", "\n")
"""What may stand before a word. Sentencepiece puts a space of its own before a text, so that it
shows the word's form without one only behind something else: where an answer begins after the
line break of a chat template."""
SPACE_MARKS = ("\u2581", "\u0120", " ")
"""How tokenizers spell a space: sentencepiece, byte-level ones, others."""


@dataclass(frozen=True, slots=True)
class YesNo:
    """The tokens whose probabilities are added up for each word."""

    yes: tuple[int, ...]
    no: tuple[int, ...]
    yes_texts: tuple[str, ...]
    """The tokens as the tokenizer spells them, for the log."""
    no_texts: tuple[str, ...]


def spaces_of(given: object) -> str:
    """Return the setting ``spaces``, checked.

    Raises:
        ValueError: If it is not known.
    """
    if str(given) not in SPACES:
        raise ValueError(f"spaces={given} is not known; give one of {', '.join(SPACES)}")
    return str(given)


def yes_no(tokenizer: Any, spaces: str, model: str) -> YesNo:  # noqa: ANN401
    """Return the first tokens of "Yes" and "No", with and without a space before.

    A form counts for both words or for none. A token that is a space alone, or the same for both
    words, tells nothing.

    Args:
        tokenizer: Of transformers.
        spaces: A key of ``SPACES``.
        model: The model's name, for the error.

    Raises:
        InputProblems: If no form is left.
    """
    yes, no = (_forms(tokenizer, word) for word in WORDS)
    both = [form for form in SPACES[spaces] if form in yes and form in no and yes[form] != no[form]]
    tokens = [tuple(forms[form] for form in both) for forms in (yes, no)]
    if not both or set(tokens[0]) & set(tokens[1]):
        message = 'its tokenizer has no tokens that tell "Yes" from "No"'
        hint = "take a model whose tokenizer splits words into letters or larger parts"
        raise InputProblems("yes and no", [Problem("yes-no-tokens", model, message, hint)])
    spelled = [tuple(tokenizer.convert_ids_to_tokens(list(ids))) for ids in tokens]
    return YesNo(tokens[0], tokens[1], spelled[0], spelled[1])


def _forms(tokenizer: Any, word: str) -> dict[bool, int]:  # noqa: ANN401
    """Return the first token of a word by whether it holds a space before it."""
    forms: dict[bool, int] = {}
    for before in BEFORE:
        token = _first(tokenizer, before, word)
        if token is not None:
            spelled = tokenizer.convert_ids_to_tokens([token])[0]
            forms.setdefault(spelled.startswith(SPACE_MARKS), token)
    return forms


def _first(tokenizer: Any, before: str, word: str) -> int | None:  # noqa: ANN401
    """Return the first token of a word behind a text; None where it does not begin there."""
    ids = tokenizer.encode(before + word, add_special_tokens=False)
    if before.strip(" "):
        lead = tokenizer.encode(before, add_special_tokens=False)
        if ids[: len(lead)] != lead:
            return None
        ids = ids[len(lead) :]
    if not ids or ids[0] == tokenizer.unk_token_id:
        return None
    text = tokenizer.decode(ids[:1]).strip()
    return int(ids[0]) if text and word.startswith(text) else None
