"""The pool of 60 clips, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build.pool.clips import make_pool


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of 60 clips; nobody writes to it."""
    return make_pool(tmp_path_factory.mktemp("clips"))
