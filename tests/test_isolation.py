"""What one test does to the process does not reach the next."""

from __future__ import annotations

import pytest
from filelock import FileLock, Timeout
from lmms_eval import evaluator

from tests.conftest import separate_locks


def test_an_evaluation_of_the_host_leaves_locks_as_they_were(tmp_path):
    path = tmp_path / "lock"
    for _ in range(2):
        evaluator._enable_reentrant_filelocks()
        with FileLock(path):
            FileLock(path).acquire(timeout=0)  # the host's way, else this test shows nothing
        separate_locks()
        with FileLock(path), pytest.raises(Timeout):
            FileLock(path).acquire(timeout=0)
