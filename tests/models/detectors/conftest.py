"""Tiny CLIP checkpoints and videos without loss, for tests of detectors on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a model this small only waits for more
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkpoint whose texts may have 77 tokens: one a letter."""
    from tiny_clip import build

    return build(tmp_path_factory.mktemp("tiny-clip"))
