"""The full-size synthetic data sets, written once."""

from __future__ import annotations

import pytest

from tests.data.checks.synthetic import synthetic_vidhalloc, synthetic_vidomni


@pytest.fixture(scope="session")
def full_vidomni(tmp_path_factory):
    return synthetic_vidomni(tmp_path_factory.mktemp("full-vidomni"))


@pytest.fixture(scope="session")
def full_vidhalloc(tmp_path_factory):
    return synthetic_vidhalloc(tmp_path_factory.mktemp("full-vidhalloc"))
