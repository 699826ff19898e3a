"""A model with first weights, for the tests of one module."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from vidomni_plugin.models.seer.network import build
from vidomni_plugin.models.seer.packed import Packed


@pytest.fixture(scope="module")
def made():
    model, processor = build(seed=1)
    model.eval()
    return SimpleNamespace(model=model, processor=processor, packed=Packed(model, processor))
