"""A session's clips, fresh copies of the host's modules, and a cache of a test's own."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import clips

from vidomni_plugin.video.cache import FrameCache
from vidomni_plugin.video.decord_reader import KEY

OPEN = {**clips.H264, "x264-params": "open-gop=1"}
REFRESH = {**clips.H264, "x264-params": "intra-refresh=1"}
VP9 = {"g": "16", "deadline": "realtime", "cpu-used": "8"}
HEVC = {"preset": "ultrafast", "x265-params": "keyint=16:log-level=none:open-gop=0"}
KINDS: dict[str, Callable[[Path], Path]] = {
    "cfr.mp4": clips.write,
    "vfr.mp4": lambda path: clips.write(path, time=clips.uneven),
    "late.mp4": lambda path: clips.write(path, time=lambda k: 1500 + 40 * k),
    "no_b_frames.mp4": lambda path: clips.write(path, options={"g": "8", "bf": "0"}),
    "every_frame_a_key.mp4": lambda path: clips.write(path, options={"g": "1"}),
    "one_key.mp4": lambda path: clips.write(path, options={"g": "250", "bf": "3"}),
    "odd.mp4": lambda path: clips.write(path, size=(97, 65), pixels="yuv444p"),
    "padded.mp4": lambda path: clips.write(path, size=(250, 142)),
    "ten_bits.mp4": lambda path: clips.write(path, pixels="yuv420p10le"),
    "bt709.mp4": lambda path: clips.write(path, matrix=1),
    "full_range.mp4": lambda path: clips.write(path, span=2),
    "bt709_full.mp4": lambda path: clips.write(path, matrix=1, span=2),
    "hevc.mp4": lambda path: clips.write(path, "libx265", HEVC),
    "clip.mkv": clips.write,
    "vp9.webm": lambda path: clips.write(path, "libvpx-vp9", VP9),
    "vp9_vfr.webm": lambda path: clips.write(path, "libvpx-vp9", VP9, time=clips.uneven),
    "vp9_odd.webm": lambda path: clips.write(path, "libvpx-vp9", VP9, size=(97, 65)),
    "vp9_full.webm": lambda path: clips.write(path, "libvpx-vp9", VP9, span=2),
    "vp8.webm": lambda path: clips.write(path, "libvpx", VP9),
    "turned_90.mp4": lambda path: _turned(path, 90),
    "turned_180.mp4": lambda path: _turned(path, 180),
    "turned_270.mp4": lambda path: _turned(path, 270),
    "refreshed.mp4": lambda path: clips.write(path, options=REFRESH, frames=80),
    "interlaced.mp4": lambda path: clips.write(
        path, options={**clips.H264, "x264-params": "interlaced=1:slices=4"}
    ),
    "open_groups.mp4": lambda path: clips.write(path, options=OPEN, frames=80),
    "clip.avi": lambda path: clips.write(path, "mpeg4", {"g": "12"}),
}


def _turned(path: Path, degrees: int) -> Path:
    plain = clips.write(path.with_suffix(".plain.mp4"), size=(98, 66))
    return clips.turned(plain, path, degrees)


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return a function that gives a clip by name, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("clips")

    def made(name: str) -> str:
        path = folder / name
        return str(path if path.exists() else KINDS[name](path))

    return made


@pytest.fixture(autouse=True)
def _plain_decord(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take back what a run of the host in this process has wrapped."""
    import decord

    reader = decord.VideoReader
    if hasattr(reader, KEY):
        monkeypatch.delattr(reader, KEY)
        monkeypatch.delattr(reader, "__getattr__")
        for name in ("__init__", "__del__", "__getitem__", "get_batch"):
            monkeypatch.setattr(reader, name, getattr(reader, name).__wrapped__)


@pytest.fixture
def cache() -> FrameCache:
    return FrameCache(1 << 30)


def fresh(name: str) -> ModuleType:
    """Return a copy of an installed module that nobody else uses."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def vision(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a copy of ``qwen_vl_utils.vision_process`` as a user without torchcodec has it."""
    for variable in ("VIDOMNI_READER", "VIDOMNI_CACHE_GB", "FORCE_QWENVL_VIDEO_READER"):
        monkeypatch.delenv(variable, raising=False)
    module = fresh("qwen_vl_utils.vision_process")
    monkeypatch.setattr(module, "is_torchcodec_available", lambda: False)
    return module


@pytest.fixture
def decodes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by the number of frames each time decord decodes a batch."""
    return clips.counted_decodes(monkeypatch)
