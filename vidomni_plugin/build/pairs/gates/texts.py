"""What every text of an item must be, whatever it says."""

from __future__ import annotations

import unicodedata

from vidomni_plugin.build.segment import split_sentences
from vidomni_plugin.data.checks.answers import is_sentence

__all__ = ["is_one_sentence", "on_one_line"]

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Line ends, and marks that hide or turn the direction of what follows ..."""
_JOINERS = {"\u200c", "\u200d"}
"""... but those that some scripts and pictures need."""


def on_one_line(text: str, longest: int) -> bool:
    r"""Return whether a text is short, without space around it, breaks and control characters.

    Example:
        >>> on_one_line("The cup is red.", 100), on_one_line("The cup\nis red.", 100)
        (True, False)
        >>> on_one_line("The cup is red. ", 100), on_one_line("The cup is red.", 10)
        (False, False)
    """
    if len(text) > longest or text != text.strip():
        return False
    return not any(unicodedata.category(s) in _UNSEEN for s in text if s not in _JOINERS)


def is_one_sentence(text: str, longest: int) -> bool:
    """Return whether a text is a full sentence, on one line, and no more than one.

    Example:
        >>> is_one_sentence("Mr. Lee runs.", 100), is_one_sentence("He runs. He falls.", 100)
        (True, False)
    """
    return on_one_line(text, longest) and is_sentence(text) and len(split_sentences(text)) == 1
