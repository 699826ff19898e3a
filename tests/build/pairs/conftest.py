"""Small videos, and a key for servers that want one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.build.pairs.running import write_clip
from vidomni_plugin.build.pairs.videos import VideoFile, videos_in

MANY = 12


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")


@pytest.fixture(autouse=True)
def _own_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the tracing client and the environment that another test has made it for."""
    if client := sys.modules.get("langsmith.run_trees"):
        monkeypatch.setattr(client, "_CLIENT", None)
    if utils := sys.modules.get("langsmith.utils"):
        utils.get_env_var.cache_clear()


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of twelve clips of one second."""
    folder = tmp_path_factory.mktemp("pair-clips")
    for number in range(MANY):
        write_clip(folder / f"clip_{number:02d}.mp4", number)
    return folder


@pytest.fixture(scope="session")
def videos(clips: Path, shared_home: Path) -> list[VideoFile]:
    """The clips in their order, each with its task."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIDOMNI_HOME", str(shared_home))
        return videos_in([clips], "both", 42)
