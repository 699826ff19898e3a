"""Whether a file ends before its container says it does; only sizes in the file are read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from vidomni_plugin.data.probe import ends_inside_a_box

__all__ = ["is_cut_off"]

EBML = b"\x1a\x45\xdf\xa3"
"""How Matroska and WebM begin."""
SEGMENT = b"\x18\x53\x80\x67"
"""The element that holds all the rest."""


def is_cut_off(path: Path) -> bool:
    """Return whether an MP4, MOV, Matroska, WebM or AVI file lacks its end.

    Such a file may still open, and give the frames that are there. False where the container
    does not tell its size, as in a live recording.

    Raises:
        OSError: If the file cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(4096)
    size = path.stat().st_size
    if start[:4] == b"RIFF":
        return int.from_bytes(start[4:8], "little") + 8 > size and start[8:12] == b"AVI "
    if start[:4] == EBML:
        return _segment_end(start) > size
    return ends_inside_a_box(path)


def _segment_end(start: bytes) -> int:
    """Return where the segment ends; 0 where that is not known."""
    length, width = _number(start, 4)
    at = 4 + width + (length or 0)
    if length is None or start[at : at + 4] != SEGMENT:
        return 0
    length, width = _number(start, at + 4)
    return 0 if length is None else at + 4 + width + length


class _Size(NamedTuple):
    value: int | None
    """None where it is not known."""
    width: int
    """Bytes that it takes."""


def _number(data: bytes, at: int) -> _Size:
    """Return a size that stands in a file.

    The leading zeros of the first byte tell how many bytes follow (RFC 8794, section 4).
    """
    if at >= len(data) or data[at] == 0:
        return _Size(None, 1)
    width = 9 - data[at].bit_length()
    value = int.from_bytes(data[at : at + width], "big") & ((1 << 7 * width) - 1)
    unknown = value == (1 << 7 * width) - 1
    return _Size(None if unknown else value, width)
