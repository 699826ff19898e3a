"""Which reader and how much memory the environment asks for; a wrong value is said at once."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from importlib.util import find_spec
from typing import Literal, cast, get_args

from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.video.failures import reason_of

__all__ = [
    "CACHE_VARIABLE",
    "READER_VARIABLE",
    "Reader",
    "bytes_of",
    "cache_bytes",
    "check_settings",
    "torchcodec_fault",
    "wanted_reader",
]

Reader = Literal["decord", "pyav", "torchcodec"]
READER_VARIABLE = "VIDOMNI_READER"
CACHE_VARIABLE = "VIDOMNI_CACHE_GB"
MOST_BYTES = 4 << 30
"""The bound where nothing is set: two videos of 768 frames in 720p, or fifty of 32 frames."""
SHARE = 0.1
"""It is never more than this share of the machine's memory, over all processes of a launcher."""


def wanted_reader() -> Reader | None:
    """Return the reader that ``VIDOMNI_READER`` names; None leaves the choice to the host.

    Raises:
        InputProblems: If it names none of them.
    """
    name = os.environ.get(READER_VARIABLE, "").strip().lower()
    if not name:
        return None
    known = get_args(Reader)
    if name not in known:
        raise _wrong(READER_VARIABLE, f"no reader {name!r}", f"use one of {', '.join(known)}")
    return cast(Reader, name)


def cache_bytes() -> int:
    """Return the bound of the cache in bytes: ``VIDOMNI_CACHE_GB``, or a default.

    Raises:
        InputProblems: If it is no number of gigabytes.
    """
    text = os.environ.get(CACHE_VARIABLE, "").strip()
    if not text:
        return _default_bytes()
    try:
        return bytes_of(text)
    except ValueError:
        hint = "use a number of gigabytes, such as 4 or 0.5; 0 decodes for every question"
        raise _wrong(CACHE_VARIABLE, f"no size: {text!r}", hint) from None


def bytes_of(gigabytes: object) -> int:
    """Return a size in bytes, of a number of gigabytes or its text.

    Raises:
        ValueError: If it is no size.

    Example:
        >>> bytes_of("0.5"), bytes_of(4)
        (500000000, 4000000000)
    """
    if isinstance(gigabytes, bool) or not isinstance(gigabytes, str | int | float):
        raise ValueError("no number")
    size = float(gigabytes) * 1e9
    if not 0 <= size < math.inf:
        raise ValueError("no size")
    return int(size)


def check_settings() -> None:
    """Check what a run will need of them, before a model is loaded.

    Raises:
        InputProblems: If a variable is wrong, or the reader that it names does not work.
    """
    cache_bytes()
    if wanted_reader() == "torchcodec" and (fault := torchcodec_fault()):
        hint = f"install torchcodec and FFmpeg's libraries, or set {READER_VARIABLE}=pyav"
        raise _wrong(READER_VARIABLE, f"torchcodec does not work: {fault}", hint)


@lru_cache(maxsize=1)
def torchcodec_fault() -> str:
    """Return why torchcodec cannot be used, "" if it can.

    It can be imported without FFmpeg's libraries, and fails only when it reads: so a built-in
    clip is read.
    """
    if find_spec("torchcodec") is None:
        return "it is not installed"
    from vidomni_plugin.data.locate import mini_root

    try:
        from torchcodec.decoders import VideoDecoder

        VideoDecoder(str(mini_root("vidomni").path / "videos" / "roll.mp4"))[0]
    except (ImportError, RuntimeError, OSError, ValueError) as error:
        return reason_of(error)
    return ""


def _default_bytes() -> int:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "1")
    share = SHARE * memory / (int(ranks) if ranks.isdecimal() and int(ranks) else 1)
    return min(MOST_BYTES, int(share))


def _wrong(variable: str, message: str, hint: str) -> InputProblems:
    return InputProblems("video reader", [Problem("usage", variable, message, hint)])
