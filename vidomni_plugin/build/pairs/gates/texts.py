"""What every text of an item must be, whatever it says."""

from __future__ import annotations

import unicodedata

__all__ = ["on_one_line"]

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
