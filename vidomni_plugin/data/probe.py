"""Look into one video file; runs in a process of its own, since a decoder may hang or crash.

``python -m vidomni_plugin.data.probe`` reads one JSON string (a path) a line and answers with
one JSON object a line.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import IO, Any

__all__ = ["ends_inside_a_box", "media_digest", "probe"]

WINDOW = 1 << 20
"""Bytes hashed at the start, the middle and the end of a file."""
LAG_S = 1.0
"""How far the last frame may lie before the end of its stream, in seconds."""
CONTAINER_LAG = 0.05
"""The same as a share of the duration, where only the container's (with sound) is known."""
LAG_FRAMES = 2.5
"""The same in frames, for videos with less than a few frames a second."""
MIN_FRAMES = 2
"""Fewer frames are no video, and several runners crash on them."""


def media_digest(path: Path) -> str:
    """Return a content hash that is quick on files of any size, as 16 hexadecimal digits.

    SHA-256 over the size and three windows of 1 MiB (start, middle, end); up to 3 MiB that is
    the whole file. It tells replaced files apart; it is no proof against a forger.
    """
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        if size <= 3 * WINDOW:
            digest.update(file.read())
        else:
            for start in (0, (size - WINDOW) // 2, size - WINDOW):
                file.seek(start)
                digest.update(file.read(WINDOW))
    return digest.hexdigest()[:16]


def probe(path: Path) -> dict[str, Any]:
    """Return what a video file holds, or why it cannot be used.

    The first frame, one in the middle and the last ones are decoded.

    Returns:
        ``digest``, ``duration_s``, ``fps``, ``frames`` (0 where unknown), ``has_audio`` and
        ``error`` ("" for a usable file).
    """
    facts: dict[str, Any] = {"digest": "", "duration_s": 0.0, "fps": 0.0, "frames": 0}
    facts |= {"has_audio": False, "error": ""}
    import av

    try:
        if path.stat().st_size == 0:
            raise ValueError("the file is empty")
        if not path.is_file():
            raise ValueError("not a regular file")
        if ends_inside_a_box(path):
            raise ValueError("the file is cut off")
        facts["digest"] = media_digest(path)
        facts |= _decode(str(path))
    except (av.FFmpegError, OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        facts["error"] = reason or type(error).__name__
    return facts


def ends_inside_a_box(path: Path) -> bool:
    """Return whether an MP4 or MOV file ends before one of its top-level boxes does.

    A file that was cut inside its index may still open, with its sound or its end gone.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(8)[4:] != b"ftyp":
            return False
        at = 0
        while at + 8 <= size:
            file.seek(at)
            header = file.read(16)
            length = int.from_bytes(header[:4], "big")
            if length == 0:  # the last box, up to the end of the file
                return False
            if length == 1 and len(header) == 16:
                length = int.from_bytes(header[8:], "big")
            if length < 8:
                return False  # not a box; the decoder has the last word
            at += length
    return at > size


def _decode(path: str) -> dict[str, Any]:
    import av

    with av.open(path) as container:
        if not container.streams.video:
            raise ValueError("no video stream")
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        fps = float(stream.average_rate or stream.guessed_rate or 0)
        whole = (container.duration or 0) / av.time_base
        known = stream.duration is not None and stream.time_base is not None
        duration = float(stream.duration * stream.time_base) if known else whole  # type: ignore[operator]
        start = float((stream.start_time or 0) * (stream.time_base or 0))
        first = next(container.decode(stream), None)
        if first is None:
            raise ValueError("no frame can be decoded")
        for part, target in (("middle", duration / 2), ("end", max(0.0, duration - LAG_S))):
            container.seek(int((start + target) * av.time_base))
            last = None
            for frame in container.decode(stream):
                last = frame
                if part == "middle":
                    break
            if last is None or last.time is None:
                raise ValueError(f"nothing can be decoded {target:.1f} s into the file")
        lag = start + duration - last.time if last and last.time is not None else 0.0
        allowed = max(LAG_S, LAG_FRAMES / fps if fps else 0.0)
        if not known:
            allowed = max(5 * LAG_S, CONTAINER_LAG * duration, allowed)
        if lag > allowed:
            raise ValueError(
                f"frames end at {duration - lag:.1f} s of {duration:.1f} s: the file is cut off"
            )
        frames = stream.frames or round(duration * fps)
        if frames < MIN_FRAMES:
            raise ValueError(f"{frames} frame in the file; a video needs {MIN_FRAMES}")
        has_audio = bool(container.streams.audio)
    return {"duration_s": duration, "fps": fps, "frames": frames, "has_audio": has_audio}


def _serve(requests: IO[str], answers: IO[str]) -> None:
    for line in requests:
        print(json.dumps(probe(Path(json.loads(line)))), file=answers, flush=True)


if __name__ == "__main__":
    _serve(sys.stdin, sys.stdout)
