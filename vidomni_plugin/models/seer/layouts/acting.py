"""What things do in a clip: how it is drawn and how it is said."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from vidomni_plugin.data.mini.scenes import Colour, Key, Paint, Span, Thing, hop, still
from vidomni_plugin.models.seer.layouts.saying import travel
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.world import COLOURS, OPPOSITE, Group, others

__all__ = [
    "ACROSS",
    "UPRIGHT",
    "acts",
    "alone",
    "beats",
    "perform",
]

ACROSS = ("left", "right", "exit left", "exit right", "still", "grow", "turn", "vanish")
"""What a thing can do in a row of its own."""
UPRIGHT = ("up", "down", "bounce", "still", "grow", "turn", "vanish")
"""What a thing can do in a column of its own."""
ACTS = tuple(dict.fromkeys(ACROSS + UPRIGHT))

_STEMS = {
    "left": ("move to the left",),
    "right": ("move to the right",),
    "up": ("rise", "move upward"),
    "down": ("sink", "move downward"),
    "exit left": ("leave the picture",),
    "exit right": ("leave the picture",),
    "grow": ("grow",),
    "vanish": ("disappear",),
    "bounce": ("bounce up and down",),
}

_BLUR = {
    "exit left": {"left", "exit right", "vanish"},
    "exit right": {"right", "exit left", "vanish"},
    "vanish": {"exit left", "exit right", "still"},
    "grow": {"still"},
    "turn": {"still"},
    "bounce": {"up", "down"},
}
"""What could be said too of a thing that does this; never used as a falsehood about it."""


def alone(group: Group, everyone: Sequence[Group]) -> bool:
    """Return whether no other group has this shape, so that the colour may be left out."""
    return sum(g.shape == group.shape for g in everyone) == 1


def perform(
    group: Group,
    act: str,
    at: tuple[float, float],
    size: float,
    seconds: float,
    far: float = 0.4,
    new: Colour | None = None,
) -> Thing:
    """Return one thing that does something.

    Args:
        group: Its colour and shape.
        act: One of ``ACTS``.
        at: Where it is half-way, or all the time; where it starts to leave, or hits the floor.
        size: Width and height; a thing that grows starts at half of it and ends with it.
        seconds: Duration of the shot.
        far: How far it moves, or how high it bounces.
        new: The colour it turns.
    """
    x, y = at
    if act == "grow":
        path: tuple[Key, ...] = (Key(0.12 * seconds, x, y), Key(0.85 * seconds, x, y, 2.0))
        return Thing(group.shape, group.colour, size / 2, path)
    if act == "turn" and new:
        paint = (Paint(0.5 * seconds, new),)
        return Thing(group.shape, group.colour, size, still(x, y), repaint=paint)
    if act == "vanish":
        return Thing(group.shape, group.colour, size, still(x, y), shown=Span(0, 0.5 * seconds))
    if act == "bounce":
        path = beats(0.06 * seconds, at, far, 4, 0.22 * seconds)
    elif act.startswith("exit"):
        out = -size if act == "exit left" else 1 + size
        path = (Key(0.15 * seconds, x, y), Key(0.72 * seconds, out, y))
    else:
        path = travel(x, y, act, far, seconds)
    return Thing(group.shape, group.colour, size, path)


def beats(
    start: float, spot: tuple[float, float], height: float, times: int, period: float
) -> tuple[Key, ...]:
    """Return the path of a thing that drops to a spot and bounces there, see ``hop``.

    The period is in seconds. Below 0.16 of a clip, eight frames would have less than one for each
    bounce, since they are 0.14 apart.
    """
    keys = hop(0.0, *spot, height, times)
    return tuple(replace(key, at=start + key.at * period) for key in keys)


def does(rng: random.Random, group: Group, act: str, new: str | None = None) -> str:
    """Return what a group does in words, for example ``moves to the left``."""
    many = group.count > 1
    if act == "still":
        stays = "stay where they are" if many else "stays where it is"
        moves = "do not move" if many else "does not move"
        return rng.choice((group.verb("stand still"), moves, stays))
    if act == "turn":
        return group.verb(f"turn {new}")
    return group.verb(rng.choice(_STEMS[act]))


def acts(
    told: Told,
    group: Group,
    act: str,
    new: Colour | None = None,
    *,
    among: Sequence[str] = ACTS,
    name: str = "",
    late: bool = False,
) -> None:
    """Add what a group does.

    Args:
        told: Where the sentence goes.
        group: Which things.
        act: What they do, one of ``ACTS``.
        new: The colour they turn.
        among: What they could have done instead.
        name: What the sentence calls them; ``the red circle`` when left out.
        late: Whether another sentence about the same thing begins as a false one may.
    """
    rng, name = told.rng, name or f"the {group.name}"
    false = [a for a in among if a != act and a not in _BLUR.get(act, ())]
    wrong = []
    for other in rng.sample(false, min(3, len(false))):
        wrong.append(does(rng, group, other, others(rng, COLOURS, group.colour, 1)[0]))
    if act == "turn":
        spare = [c for c in COLOURS if c not in (group.colour, new)]
        wrong[0] = does(rng, group, act, rng.choice(spare))
    opposite = OPPOSITE.get(act, "")
    if opposite in among:
        wrong[0] = does(rng, group, opposite)
    question = f"What {'do' if group.count > 1 else 'does'} the {group.name} do?"
    right = does(rng, group, act, new)
    skill = "colour" if act == "turn" else "direction"
    told.say(skill, f"{name} {{}}.", right, list(dict.fromkeys(wrong)), question, late=late)
    if act.startswith("exit"):
        side = act[5:]
        edges = [f"at the {s} edge" for s in (side, OPPOSITE[side])]
        leaves = f"{name} {group.verb('leave the picture')} {{}}."
        told.say("direction", leaves, edges[0], edges[1:])
