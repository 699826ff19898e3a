"""Clips that go from one thing to another: by a cut, or by a camera that turns or comes closer."""

from __future__ import annotations

import random
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Backdrop, Key, Scene, Shot, Thing, still
from vidomni_plugin.models.seer.layouts.choosing import distinct, one_of
from vidomni_plugin.models.seer.layouts.saying import shot_count
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import Group, World, backdrop

__all__ = ["filmed", "goes"]

CHANGES = ("video cuts", "camera pans", "camera tilts up", "camera zooms in")
"""How a clip may go from one thing to another."""

_TURNS = {
    "right": ("camera pans", "pans to the right"),
    "left": ("camera pans", "pans to the left"),
    "up": ("camera tilts up", "tilts up"),
    "in": ("camera zooms in", "zooms in"),
    "cut": ("video cuts", "stands still"),
}


def goes(
    told: Told, a: Group, b: Group, change: str, *, turns: bool = True, several: bool = False
) -> None:
    """Add how the clip goes from one thing to the next.

    Args:
        told: Where the sentences go.
        a: What is shown first.
        b: What is shown then.
        change: One of ``CHANGES``.
        turns: Whether they are shown in turn; otherwise both are in sight from the start.
        several: Whether there are more shots than two.
    """
    between = f"from the {a.name} to the {b.name}"
    wrong = [f"{c} {between}" for c in CHANGES if c != change]
    # "The camera stands still" and "The video does not cut" are said too.
    later = [text for text in wrong if text.split()[0] != change.split()[0]]
    wrong = [text for text in wrong if text not in later]
    (later if several else wrong).append(f"{change} from the {b.name} to the {a.name}")
    told.say(
        "cut" if change == "video cuts" else "camera",
        "The {}.",
        f"{change} {between}",
        wrong,
        f"What camera or editing change occurs between the {a.name} and the {b.name}?",
        later=later,
    )
    if not turns:
        return
    for first, second, right in ((a, b, "before"), (b, a, "after")):
        one_of(
            told,
            "order",
            f"The {first.name} {first.be} shown {{}} the {second.name}.",
            right,
            ("before", "after"),
            late=several,
        )


def filmed(rng: random.Random) -> World:
    """Return one or more equal things, then others, with a cut or a move of the camera between."""
    told, seconds = Told(rng), rng.choice((5.0, 6.0, 6.0, 8.0))
    way = rng.choices(tuple(_TURNS), (1.7, 1.7, 2.6, 2, 2.8))[0]
    back = backdrop(rng, floor=rng.random() < 0.6)
    if way in ("left", "right") and rng.random() < 0.5:
        back = Backdrop(back.wall, back.horizon, tuple(n * 0.29 - 1.45 for n in range(16)))
    first, second = (
        replace(g, count=rng.choice((1, 1, 2, 3))) for g in distinct(rng, back.wall, 2)
    )
    if way == "in":
        first = replace(first, count=rng.choice((1, 2)))
    y = 0.6 if back.horizon else rng.uniform(0.45, 0.6)
    spots = _row(first, 0.5, y, 0.27)
    start, end = rng.uniform(0.08, 0.18) * seconds, rng.uniform(0.8, 0.92) * seconds
    path: tuple[Key, ...] = (Key(0, 0.5, 0.5),)
    if way == "in":
        sign = rng.choice((-1, 1))
        near, x = rng.uniform(2.3, 2.6), 0.5 + sign * 0.17
        spots = tuple(
            Thing(first.shape, first.colour, 0.2, still(0.5 - sign * 0.34, spot))
            for spot in ((y,) if first.count == 1 else (y - 0.25, y))
        )
        path = (Key(start, 0.5, 0.5), Key(end, x, y - 0.02, near))
        goal = _row(second, x, y + 0.04, 0.115)
    elif way in ("left", "right"):
        far = rng.uniform(1.1, 1.3) * (1 if way == "right" else -1)
        path = (Key(start, 0.5, 0.5), Key(end, 0.5 + far, 0.5))
        goal = _row(second, 0.5 + far, y, 0.27)
    elif way == "up":
        far = rng.uniform(0.95, 1.15)
        path = (Key(start, 0.5, 0.5), Key(end, 0.5, 0.5 - far))
        goal = _row(second, 0.5, rng.uniform(0.42, 0.55) - far, 0.27)
    else:
        goal = _row(second, 0.5, y, 0.27)
    shots: tuple[Shot, ...]
    if way == "cut":
        half = round(seconds * rng.uniform(0.4, 0.6))
        shots = (Shot(half, back, spots), Shot(seconds - half, back, goal))
    else:
        shots = (Shot(seconds, back, spots + goal, camera=path),)

    change, does = _TURNS[way]
    goes(told, first, second, change, turns=way != "in")
    options = ["pans to the right", "pans to the left", "tilts up", "zooms in", "stands still"]
    one_of(told, "camera", "The camera {}.", does, options, "What does the camera do?")
    one_of(
        told,
        "cut",
        "The video {}.",
        "cuts to another scene" if way == "cut" else "does not cut",
        ("cuts to another scene", "does not cut"),
    )
    shot_count(told, len(shots), 3, "How many shots are there?")
    told.exist([first, second])
    told.look([first, second])
    return World(Scene(shots), tuple(told.facts))


def _row(group: Group, x: float, y: float, gap: float) -> tuple[Thing, ...]:
    """Return equal things side by side."""
    return tuple(
        Thing(
            group.shape,
            group.colour,
            gap * 0.85,
            still(x + gap * (n - (group.count - 1) / 2), y),
        )
        for n in range(group.count)
    )
