"""Small clips of every kind that a reader may meet, and a count of what decord really decodes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

TICKS = 1000
H264 = {"g": "16", "bf": "3", "preset": "veryfast"}


def picture(number: int, width: int, height: int) -> np.ndarray:
    """Return a picture unlike that of any other number."""
    y, x = np.mgrid[0:height, 0:width]
    parts = (x * 3 + number * 7, y * 5 + number * 3, (x + y) * 2 + number * 11)
    pixels = np.stack([part % 256 for part in parts], -1).astype(np.uint8)
    top, left = (number * 5) % (height - 8), (number * 9) % (width - 8)
    pixels[top : top + 8, left : left + 8] = [255, number % 256, 0]
    return pixels


def steady(number: int) -> int:
    return number * 40


def uneven(number: int) -> int:
    """Return times that lie 20 ms apart for seven frames, then 61 ms, and so on."""
    return sum(20 if (k // 7) % 2 else 61 for k in range(number))


def write(
    path: Path,
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    *,
    frames: int = 48,
    first: int = 0,
    size: tuple[int, int] = (96, 64),
    time: Callable[[int], int] = steady,
    pixels: str = "yuv420p",
    matrix: int | None = None,
    span: int | None = None,
) -> Path:
    """Encode a clip of the pictures from ``first`` on.

    ``matrix`` and ``span`` are FFmpeg's numbers of colour space and range.
    """
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25, options=options or H264)
        stream.width, stream.height = size
        stream.pix_fmt = pixels
        stream.codec_context.time_base = Fraction(1, TICKS if path.suffix != ".avi" else 25)
        if matrix is not None:
            stream.codec_context.colorspace = matrix
        if span is not None:
            stream.codec_context.color_range = span
        for number in range(frames):
            frame = av.VideoFrame.from_ndarray(picture(first + number, *size), format="rgb24")
            if matrix is not None or span is not None:
                frame = frame.reformat(format=pixels, dst_colorspace=matrix, dst_color_range=span)
            frame.time_base = stream.codec_context.time_base
            frame.pts = number if path.suffix == ".avi" else time(number)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def turned(clip: Path, out: Path, degrees: int) -> Path:
    """Return a copy of an MP4 clip that says it is to be turned."""
    cosine, sine = {90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees]
    one = 1 << 16
    matrix = struct.pack(
        ">9i", cosine * one, sine * one, 0, -sine * one, cosine * one, 0, 0, 0, one << 14
    )
    return _with_box(clip, out, "tkhd", lambda box: box[:48] + matrix + box[84:])


def cut_in(clip: Path, out: Path, milliseconds: int) -> Path:
    """Return a copy of an MP4 clip whose edit list begins later."""
    with av.open(str(clip)) as container:
        units = container.streams.video[0].time_base.denominator * milliseconds // 1000

    def later(box: bytes) -> bytes:
        (start,) = struct.unpack(">i", box[20:24])
        return box[:20] + struct.pack(">i", start + units) + box[24:]

    return _with_box(clip, out, "elst", later)


def _with_box(clip: Path, out: Path, kind: str, change: Callable[[bytes], bytes]) -> Path:
    content = clip.read_bytes()
    ((start, end),) = [(s, e) for name, s, e in _boxes(content, 0, len(content)) if name == kind]
    out.write_bytes(content[:start] + change(content[start:end]) + content[end:])
    return out


def _boxes(content: bytes, at: int, end: int) -> Iterator[tuple[str, int, int]]:
    while at < end:
        length, kind = struct.unpack(">I4s", content[at : at + 8])
        yield kind.decode(), at, at + length
        if kind in (b"moov", b"trak", b"edts"):
            yield from _boxes(content, at + 8, at + length)
        at += length


def with_index_first(clip: Path, out: Path) -> Path:
    """Return a copy of an MP4 clip that can be opened when its end is missing."""
    with (
        av.open(str(clip)) as source,
        av.open(str(out), "w", options={"movflags": "faststart"}) as copy,
    ):
        stream = copy.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                packet.duration = packet.duration or 640
                copy.mux(packet)
    return out


def cut_off(clip: Path, out: Path, share: float = 0.6) -> Path:
    """Return a copy without the end."""
    content = clip.read_bytes()
    out.write_bytes(content[: int(len(content) * share)])
    return out


def counted_decodes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by the number of frames each time decord decodes a batch."""
    from decord import video_reader

    counted: list[int] = []
    plain = video_reader._CAPI_VideoReaderGetBatch

    def batch(handle, indices):
        counted.append(indices.shape[0])
        return plain(handle, indices)

    monkeypatch.setattr(video_reader, "_CAPI_VideoReaderGetBatch", batch)
    return counted
