"""One value of an argument, read strictly; a ValueError says what it should be."""

from __future__ import annotations

import math
import re
from urllib.parse import urlsplit

from vidomni_plugin.endpoint.call import MOST_OUTPUT

__all__ = [
    "Unshown",
    "above_zero",
    "address",
    "count",
    "flag",
    "prices",
    "seconds",
    "temperature",
    "tokens",
    "variable",
    "whole",
]

LONGEST_S = 86_400.0
"""A day: clocks of operating systems do not take any number of seconds."""

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")


class Unshown(ValueError):
    """A value that may be a secret, and is not repeated."""


def whole(value: object) -> int:
    """Return a whole number from 1 on."""
    number = count(value)
    if number < 1:
        raise ValueError("it is a whole number from 1 on")
    return number


def count(value: object) -> int:
    """Return a whole number from 0 on."""
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ValueError("it is a whole number")
    return int(text)


def _number(value: object) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise ValueError("it is a number from 0 on")
    return number


def above_zero(value: object) -> float:
    """Return a finite number above 0."""
    number = _number(value)
    if not number:
        raise ValueError("it is a number above 0")
    return number


def temperature(value: object) -> float | None:
    """Return a number from 0 on, or None where ``none`` is told."""
    return None if str(value).strip().lower() == "none" else _number(value)


def seconds(value: object) -> float:
    """Return a time above 0, a day at most."""
    number = above_zero(value)
    if number > LONGEST_S:
        raise ValueError(f"it is {LONGEST_S:.0f} seconds at most")
    return number


def tokens(value: object) -> int:
    """Return a number of tokens from 1 on."""
    number = whole(value)
    if number > MOST_OUTPUT:
        raise ValueError(f"it is {MOST_OUTPUT} at most")
    return number


def flag(value: object) -> bool:
    """Return whether it is true, by word or as 1."""
    told = str(value).strip().lower()
    if told not in {"true", "false", "1", "0"}:
        raise ValueError("it is true or false")
    return told in {"true", "1"}


def prices(value: object) -> tuple[float, float, float]:
    """Return the prices in ``INPUT/CACHED/OUTPUT``.

    Example:
        >>> prices("2.5/1.25/10")
        (2.5, 1.25, 10.0)
    """
    try:
        found = [_number(part) for part in str(value).split("/")]
    except ValueError:
        found = []
    if len(found) != 3:
        raise ValueError("prices of a million tokens are INPUT/CACHED/OUTPUT, such as 2.5/1.25/10")
    return found[0], found[1], found[2]


def address(value: object) -> str:
    """Return the address of a server that holds no secret; ``make_client`` checks the rest."""
    text = str(value).strip()
    try:
        parts = urlsplit(text)
    except ValueError:
        raise ValueError("no address of a server") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Unshown("an address with a user, a password or a key in it would be logged")
    return text


def variable(value: object) -> str:
    """Return the name of an environment variable."""
    text = str(value).strip()
    if not _VARIABLE.fullmatch(text):
        raise Unshown("it is the name of an environment variable, in capitals, and not a key")
    return text
