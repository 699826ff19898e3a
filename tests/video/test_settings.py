"""What the environment may say, and how a wrong word is answered before anything is loaded."""

from __future__ import annotations

import sys

import pytest

from vidomni_plugin import doctor
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.video import install as installing
from vidomni_plugin.video import settings
from vidomni_plugin.video.cache import FrameCache
from vidomni_plugin.video.install import install
from vidomni_plugin.video.settings import cache_bytes, check_settings, wanted_reader


@pytest.mark.parametrize(
    ("text", "reader"),
    [("", None), (" ", None), ("pyav", "pyav"), (" PyAV ", "pyav"), ("decord", "decord")],
)
def test_reader(text, reader, monkeypatch):
    monkeypatch.setenv("VIDOMNI_READER", text)
    assert wanted_reader() == reader


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("0.5", 500_000_000), (" 4 ", 4_000_000_000)])
def test_cache_size(text, size, monkeypatch):
    monkeypatch.setenv("VIDOMNI_CACHE_GB", text)
    assert cache_bytes() == size


@pytest.mark.parametrize("text", ["4 GB", "-1", "nan", "inf", "viel"])
def test_a_wrong_cache_size_is_a_clear_error(text, monkeypatch):
    monkeypatch.setenv("VIDOMNI_CACHE_GB", text)
    with pytest.raises(InputProblems, match="VIDOMNI_CACHE_GB: no size"):
        check_settings()


def test_the_default_size_is_shared_by_the_ranks_of_a_machine(monkeypatch):
    monkeypatch.delenv("VIDOMNI_CACHE_GB", raising=False)
    monkeypatch.setattr(
        settings.os, "sysconf", lambda name: {"SC_PAGE_SIZE": 1 << 12}.get(name, 1 << 21)
    )
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)  # a machine of 8 GiB
    assert cache_bytes() == (8 << 30) // 10
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    assert cache_bytes() == (8 << 30) // 40
    monkeypatch.setattr(settings.os, "sysconf", lambda name: 1 << 20)  # 1 TiB
    assert cache_bytes() == 4 << 30


def test_torchcodec_that_is_wanted_must_work(monkeypatch):
    monkeypatch.setenv("VIDOMNI_READER", "torchcodec")
    monkeypatch.setattr(settings, "torchcodec_fault", lambda: "it is not installed")
    with pytest.raises(InputProblems, match="torchcodec does not work: it is not installed") as e:
        check_settings()
    assert "VIDOMNI_READER=pyav" in str(e.value)


def test_the_cause_of_a_torchcodec_without_ffmpeg_is_told(monkeypatch, tmp_path):
    """It can be imported, and fails when it is used."""
    package = tmp_path / "torchcodec"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "decoders.py").write_text(
        "def VideoDecoder(path):\n    raise RuntimeError('Could not load libtorchcodec.')\n"
    )
    for name in ("torchcodec", "torchcodec.decoders"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    settings.torchcodec_fault.cache_clear()
    assert settings.torchcodec_fault() == "Could not load libtorchcodec."
    settings.torchcodec_fault.cache_clear()
    for name in ("torchcodec", "torchcodec.decoders"):
        sys.modules.pop(name, None)


def test_a_bound_that_was_given_stays(monkeypatch):
    cache = FrameCache()
    monkeypatch.setattr(installing, "CACHE", cache)
    monkeypatch.setattr(installing, "WRAPPERS", {"no.such.module": None})
    monkeypatch.setenv("VIDOMNI_CACHE_GB", "0.25")
    install(max_bytes=123)
    install()
    assert cache.max_bytes == 123
    install(max_bytes=7)
    assert cache.max_bytes == 7
    cache = FrameCache()
    monkeypatch.setattr(installing, "CACHE", cache)
    install()
    assert cache.max_bytes == 250_000_000


@pytest.mark.parametrize(
    ("reader", "line"),
    [
        ("", "ok     video reader: the host's choice"),
        ("pyav", "ok     video reader: pyav (VIDOMNI_READER)"),
        ("ffmpeg", "BROKEN video reader: no reader 'ffmpeg'"),
    ],
)
def test_the_doctor_names_the_reader(reader, line, monkeypatch):
    monkeypatch.setenv("VIDOMNI_READER", reader)
    monkeypatch.delenv("FORCE_QWENVL_VIDEO_READER", raising=False)
    assert line in doctor._reader().line()
