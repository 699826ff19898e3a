"""Who comes, stays and leaves is read off again from what eight frames show."""

import random

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.clips import shown
from vidomni_plugin.models.seer.layouts.coming import appears
from vidomni_plugin.models.seer.traits import FRAMES


@pytest.fixture(scope="module")
def worlds():
    rng = random.Random(6)
    return [appears(rng) for _ in range(200)]


def told(world, words):
    return next((f.true for f in world.facts if words in f.true), None)


def seen(world, thing):
    """Return in which of eight frames a thing can be seen."""
    times = [at for _, at in shown(world.scene, FRAMES)]
    return [
        n for n, at in enumerate(times) if at in thing.shown and 0 < place(thing.path, at).x < 1
    ]


def test_the_order_of_coming_shows_in_the_frames(worlds):
    for world in worlds:
        _, visitor, comes = world.scene.shots[0].things[:3]
        first, second = seen(world, visitor)[0], seen(world, comes)[0]
        assert first != second
        by_name = {f"{t.colour} {t.shape}": n for t, n in ((visitor, first), (comes, second))}
        facts = [f for f in world.facts if " appear" in f.true and f.true.startswith("The ")]
        assert len(facts) == 2
        texts = [(f.true, True) for f in facts] + [(t, False) for f in facts for t in f.false]
        for text, true in texts:
            words = text.rstrip(".").replace("circles", "circle").replace("squares", "square")
            words = words.replace("triangles", "triangle").split()
            a, b = " ".join(words[1:3]), " ".join(words[-2:])
            assert ((" before " in text) == (by_name[a] < by_name[b])) == true


def test_the_first_thing_stays_or_leaves_before_or_after_the_visitor(worlds):
    for world in worlds:
        stands, visitor = world.scene.shots[0].things[:2]
        last, gone = seen(world, stands)[-1], seen(world, visitor)[-1]
        words = ("does not leave", " leaves the room after ", " leaves the room before ")
        which = 0 if last == FRAMES - 1 else 1 if last > gone else 2
        assert last != gone
        fact = next(
            f
            for f in world.facts
            if f.true.startswith(f"The {stands.shape} ") and any(w in f.true for w in words)
        )
        assert words[which] in fact.true
        assert not any(words[which] in text for text in fact.false)


def test_the_visitor_is_there_or_has_gone_when_the_other_comes(worlds):
    for world in worlds:
        _, visitor, comes = world.scene.shots[0].things[:3]
        text = told(world, " has gone, ") or told(world, " is there, ")
        if text is None:
            continue
        both = set(seen(world, visitor)) & set(seen(world, comes))
        assert text.startswith("While") == (len(both) >= 1)


def test_the_visitor_comes_in_its_corner_and_moves_as_told(worlds):
    for world in worlds:
        visitor = world.scene.shots[0].things[1]
        side = "left" if visitor.path[0].x < 0.5 else "right"
        text = told(world, "in the upper ")
        assert f"in the upper {side} " in text
        assert ("stays there" in text) == (len(visitor.path) == 1)
