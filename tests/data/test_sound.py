"""The copy without sound shows exactly the same pictures at the same times."""

from __future__ import annotations

import wave
from pathlib import Path

import av
import numpy as np
import pytest

from tests.conftest import CLIP
from vidomni_plugin.data.probe import media_digest
from vidomni_plugin.data.sound import readable, sound_of, without_sound


@pytest.fixture(scope="module")
def with_sound() -> Path:
    for clip in sorted(CLIP.parent.glob("*.mp4")):
        with av.open(str(clip)) as container:
            if container.streams.audio:
                return clip
    raise AssertionError("no built-in clip has sound")


def frames(path: Path) -> list[tuple[float, bytes]]:
    with av.open(str(path)) as container:
        return [
            (float(frame.time), frame.to_ndarray(format="rgb24").tobytes())
            for frame in container.decode(video=0)
        ]


def streams(path: Path) -> list[str]:
    with av.open(str(path)) as container:
        return [stream.type for stream in container.streams]


def webm(clip: Path, codec: str) -> Path:
    """Write one second of ever brighter frames."""
    with av.open(str(clip), "w") as container:
        stream = container.add_stream(codec, rate=8)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        for k in range(8):
            image = np.full((64, 64, 3), 30 * k, dtype=np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode(None):
            container.mux(packet)
    return clip


def test_only_the_sound_is_gone(with_sound):
    copy = without_sound(with_sound, media_digest(with_sound))
    assert streams(with_sound) == ["video", "audio"]
    assert streams(copy) == ["video"]
    assert frames(copy) == frames(with_sound)
    assert without_sound(with_sound, media_digest(with_sound)) == copy


def test_the_sound_alone(with_sound):
    with wave.open(str(sound_of(with_sound, media_digest(with_sound)))) as sound:
        assert (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) == (1, 2, 16000)
        samples = np.frombuffer(sound.readframes(sound.getnframes()), dtype=np.int16)
    with av.open(str(with_sound)) as container:
        stream = container.streams.audio[0]
        expected = float(stream.duration * stream.time_base)
    assert len(samples) / 16000 == pytest.approx(expected, abs=0.2)
    assert np.abs(samples.astype(float)).mean() > 50


def test_a_video_without_sound_has_none(tmp_path):
    silent = next(c for c in sorted(CLIP.parent.glob("*.mp4")) if streams(c) == ["video"])
    with pytest.raises(ValueError, match="has no sound"):
        sound_of(silent, "0" * 16)


def test_a_webm_is_given_as_mp4_since_the_host_takes_webm_for_sound(tmp_path):
    clip = webm(tmp_path / "clip.webm", "libvpx-vp9")
    copy = readable(clip, media_digest(clip))
    assert copy.suffix == ".mp4"
    assert frames(copy) == frames(clip)
    assert readable(CLIP, media_digest(CLIP)) == CLIP


def test_nothing_half_made_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    broken = tmp_path / "broken.mp4"
    broken.write_text("no video", encoding="utf-8")
    with pytest.raises(av.FFmpegError):
        without_sound(broken, "0" * 16)
    assert list((tmp_path / "silent").iterdir()) == []


def test_a_codec_that_mp4_cannot_hold_is_copied_into_matroska(tmp_path):
    clip = webm(tmp_path / "clip.webm", "libvpx")
    for copy in (
        readable(clip, media_digest(clip)),
        without_sound(clip, media_digest(clip)),
    ):
        assert copy.suffix == ".mkv"
        assert frames(copy) == frames(clip)
