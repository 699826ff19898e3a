"""Kinds of random clips: what is drawn, and what can be said about it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vidomni_plugin.models.seer.layouts.changing import appears, carried, touched
from vidomni_plugin.models.seer.layouts.cutting import shots
from vidomni_plugin.models.seer.layouts.moving import camera, moves
from vidomni_plugin.models.seer.layouts.still import groups, row
from vidomni_plugin.models.seer.world import Layout

__all__ = ["LAYOUTS"]

LAYOUTS: Mapping[Layout, float] = MappingProxyType(
    {
        row: 1.0,
        groups: 1.4,
        moves: 1.6,
        camera: 1.2,
        touched: 1.2,
        shots: 1.4,
        appears: 1.0,
        carried: 0.7,
    }
)
"""How often each kind of clip is drawn."""
