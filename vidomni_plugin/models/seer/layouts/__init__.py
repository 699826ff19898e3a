"""Kinds of random clips: what is drawn, and what can be said about it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vidomni_plugin.models.seer.layouts.bouncing import bounces
from vidomni_plugin.models.seer.layouts.camera import pan, zoom
from vidomni_plugin.models.seer.layouts.coming import appears
from vidomni_plugin.models.seer.layouts.crowds import crowd
from vidomni_plugin.models.seer.layouts.cutting import shots
from vidomni_plugin.models.seer.layouts.deeds import deeds
from vidomni_plugin.models.seer.layouts.duets import duet
from vidomni_plugin.models.seer.layouts.filming import filmed
from vidomni_plugin.models.seer.layouts.hands import carried
from vidomni_plugin.models.seer.layouts.lasting import lasting
from vidomni_plugin.models.seer.layouts.moving import moves
from vidomni_plugin.models.seer.layouts.plain import changing, counted, scattered, successive
from vidomni_plugin.models.seer.layouts.pressing import pressed
from vidomni_plugin.models.seer.layouts.rows import groups, sign
from vidomni_plugin.models.seer.layouts.simple import simple
from vidomni_plugin.models.seer.layouts.still import row
from vidomni_plugin.models.seer.layouts.titles import parts
from vidomni_plugin.models.seer.layouts.touching import touched
from vidomni_plugin.models.seer.world import Layout

__all__ = ["LAYOUTS", "PLAIN"]

PLAIN: Mapping[Layout, float] = MappingProxyType(
    {simple: 2.5, counted: 1.5, successive: 2.5, changing: 0.5}
)
"""How often each of the plainest kinds of clips is drawn, among them and among all."""

LAYOUTS: Mapping[Layout, float] = MappingProxyType(
    {
        **PLAIN,
        scattered: 0.8,
        row: 1.8,
        groups: 1.4,
        sign: 1.5,
        lasting: 1.0,
        moves: 1.0,
        deeds: 1.0,
        bounces: 1.2,
        duet: 1.2,
        crowd: 1.3,
        zoom: 1.2,
        pan: 1.0,
        touched: 1.2,
        pressed: 1.2,
        shots: 1.8,
        filmed: 1.2,
        parts: 1.4,
        appears: 1.2,
        carried: 1.2,
    }
)
"""How often each kind of clip is drawn."""
