"""Words for numbers: one pair, two pairs."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, one: str, many: str = "") -> str:
    """Return how many there are of something, in words that fit the number.

    Args:
        number: How many.
        one: What one of them is called.
        many: What several are called, and none; ``one`` and an "s" where it is left out.

    Example:
        >>> counted(1, "pair"), counted(0, "pair"), counted(2500, "pair is", "pairs are")
        ('1 pair', '0 pairs', '2,500 pairs are')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
