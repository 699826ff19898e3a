"""Copies of a video that a runner needs: without sound, as MP4, or the sound by itself."""

from __future__ import annotations

import os
import tempfile
import wave
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from vidomni_plugin.data.locate import home

if TYPE_CHECKING:
    from av.audio.resampler import AudioResampler
    from av.container import InputContainer
    from av.packet import Packet
    from av.stream import Stream

__all__ = ["named_only", "readable", "sound_of", "without_sound"]

READ_BY_ALL = (".mp4", ".avi", ".mov")
"""Endings that every runner takes for a video; the host takes ``.webm`` for sound."""
SOUND_RATE = 16_000
"""Samples a second that audio encoders of video language models take."""

_NAMED_ONLY: ContextVar[bool] = ContextVar("named_only", default=False)


@contextmanager
def named_only() -> Iterator[None]:
    """Inside, copies are named and not made: for who asks which files a request will show."""
    token = _NAMED_ONLY.set(True)
    try:
        yield
    finally:
        _NAMED_ONLY.reset(token)


def without_sound(video: Path, digest: str) -> Path:
    """Return a copy of a video that holds its picture only.

    The video stream is copied packet by packet, not encoded again, so every frame and time
    stamp stays as it is.

    Args:
        video: A video file with or without sound.
        digest: Its content hash; names the copy, so that a replaced video gets a new one.

    Returns:
        Path of the copy under ``<home>/silent``.
    """
    return _copied("silent", video, digest, _copy_picture)


def readable(video: Path, digest: str) -> Path:
    """Return the video itself, or a copy as MP4 where some runner would not see it.

    The host takes ``.webm`` for an audio file, and several runners pass over every ending but
    mp4, avi and mov. Picture and sound are copied, not encoded again.
    """
    if _suffix(video) == video.suffix.lower():
        return video
    return _copied("mp4", video, digest, _copy_all)


def sound_of(video: Path, digest: str) -> Path:
    """Return a video's sound as a WAV file: 16 kHz, mono, 16 bit.

    Args:
        video: A video file with sound.
        digest: Its content hash; names the file.

    Returns:
        Path of the file under ``<home>/sound``.

    Raises:
        ValueError: If the video has no sound.
    """
    return _made(home() / "sound" / f"{digest}.wav", video, _extract_sound)


def _suffix(video: Path) -> str:
    suffix = video.suffix.lower()
    return suffix if suffix in READ_BY_ALL else ".mp4"


def _copied(folder: str, video: Path, digest: str, make: Callable[[Path, Path], None]) -> Path:
    """Return a copy in the usual container, or in Matroska, which holds every codec."""
    import av

    usual = home() / folder / f"{digest}{_suffix(video)}"
    try:
        return _made(usual, video, make)
    except (av.FFmpegError, ValueError):
        if usual.suffix != ".mp4":
            raise
        return _made(usual.with_suffix(".mkv"), video, make)


def _made(target: Path, video: Path, make: Callable[[Path, Path], None]) -> Path:
    """Return ``target``, made first if need be; other processes never see a half-made file."""
    if target.exists() or _NAMED_ONLY.get():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".making-", suffix=target.suffix)
    os.close(handle)
    partial = Path(name)
    try:
        make(video, partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _copy_picture(video: Path, target: Path) -> None:
    _copy(video, target, with_sound=False)


def _copy_all(video: Path, target: Path) -> None:
    _copy(video, target, with_sound=True)


def _copy(video: Path, target: Path, *, with_sound: bool) -> None:
    import av

    with av.open(str(video)) as source, av.open(str(target), "w") as copy:
        picture = source.streams.video[0]
        copies: dict[int, Stream] = {picture.index: copy.add_stream_from_template(picture)}
        for sound in source.streams.audio[:1] if with_sound else ():
            copies[sound.index] = copy.add_stream_from_template(sound)
        for packet in _with_durations(source.demux([source.streams[k] for k in copies])):
            packet.stream = copies[packet.stream.index]
            copy.mux(packet)


def _with_durations(packets: Iterable[Packet]) -> Iterator[Packet]:
    """Yield packets, each with a duration: without one an MP4 ends before its last frame."""
    waiting: dict[int, Packet] = {}
    steps: dict[int, int] = {}
    for packet in packets:
        if packet.dts is None:
            continue  # the empty packet that ends a stream
        index = packet.stream.index
        if index in waiting:
            steps[index] = packet.dts - (waiting[index].dts or 0)
            yield _lasting(waiting[index], steps[index])
        waiting[index] = packet
    for index, packet in waiting.items():
        yield _lasting(packet, steps.get(index, 0))


def _lasting(packet: Packet, step: int) -> Packet:
    packet.duration = packet.duration or step
    return packet


def _extract_sound(video: Path, target: Path) -> None:
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=SOUND_RATE)
    with av.open(str(video)) as source:
        if not source.streams.audio:
            raise ValueError(f"{video} has no sound")
        _write_wave(source, resampler, target)


def _write_wave(source: InputContainer, resampler: AudioResampler, target: Path) -> None:
    with wave.open(str(target), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(SOUND_RATE)
        for frame in source.decode(source.streams.audio[0]):
            for part in resampler.resample(frame):
                sound.writeframes(part.to_ndarray().tobytes())
        for part in resampler.resample(None):
            sound.writeframes(part.to_ndarray().tobytes())
