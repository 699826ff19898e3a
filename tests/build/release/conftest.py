"""Videos, a run about them, and the release of it, made once; nobody writes to them."""

from __future__ import annotations

import pytest

from tests.build.release.runs import NUMBER, build, rows_of, run_of, videos_of


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """Return the folder of the videos and that of the run."""
    folder = tmp_path_factory.mktemp("source")
    videos = videos_of(folder / "videos", NUMBER)
    return folder / "videos", run_of(folder / "run", rows_of(videos))


@pytest.fixture(scope="session")
def made(source, tmp_path_factory):
    root = tmp_path_factory.mktemp("made") / "root"
    return build(source[1], source[0], root), root
