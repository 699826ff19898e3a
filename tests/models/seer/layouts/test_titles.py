"""Titles, backgrounds and moves of the parts are read off again from the shots."""

import random

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.layouts.takes import MEETINGS
from vidomni_plugin.models.seer.layouts.titles import MOVES, parts
from vidomni_plugin.models.seer.world import ORDINALS


@pytest.fixture(scope="module")
def worlds():
    rng = random.Random(8)
    return [parts(rng) for _ in range(150)]


def told(world, words):
    return [f.true for f in world.facts if words in f.true]


def test_titles_come_in_the_order_of_the_shots(worlds):
    for world in worlds:
        titles = [shot.words[0].text for shot in world.scene.shots]
        assert titles == sorted(set(titles))
        assert told(world, "Next, ") == [f"Next, the title changes to {t}." for t in titles[1:]]
        place_of = "top" if world.scene.shots[0].words[0].y < 0.5 else "bottom"
        texts = [f"The title {t} is written at the {place_of}." for t in titles]
        assert told(world, "is written at") == texts


def test_backgrounds_are_those_of_the_shots(worlds):
    for world in worlds:
        walls = [shot.backdrop.wall for shot in world.scene.shots]
        for wall, ordinal in zip(walls, ORDINALS, strict=False):
            assert told(world, f" in the {ordinal} part.")[-1] == (
                f"The background is {wall} in the {ordinal} part."
            )
        for text in told(world, "All three parts"):
            assert text.endswith(
                {1: "the same background.", 3: "different backgrounds."}[len(set(walls))]
            )
        for fact in world.facts:
            if fact.true.startswith("The background is now "):
                assert fact.true.split()[-1].rstrip(".") in walls[1:]
                assert not {t.split()[-1].rstrip(".") for t in fact.false} & set(walls[1:])


def test_a_part_shows_what_moves_as_it_is_drawn(worlds):
    for world in worlds:
        for shot in world.scene.shots:
            for text in told(world, f"{shot.words[0].text} shows "):
                (thing,) = shot.things
                a, b = (place(thing.path, at) for at in (0, shot.seconds))
                side = "right" if b.x > a.x else "left"
                upward = "up" if b.y < a.y else "down"
                way = side if abs(b.x - a.x) > abs(b.y - a.y) else upward
                shows = f"{thing.colour} {thing.shape} that {MOVES[way]} in front"
                assert shows in text
                shows += f" of a {shot.backdrop.wall} background"
                fact = next(f for f in world.facts if f.true == text)
                assert not any(shows in other for other in fact.false)


def test_two_things_meet_as_it_is_drawn(worlds):
    for world in worlds:
        for shot in world.scene.shots:
            for text in told(world, f"In {shot.words[0].text}, "):
                a, b = shot.things
                gaps = [
                    place(b.path, at * shot.seconds).x - place(a.path, at * shot.seconds).x
                    for at in (0, 0.5, 1)
                ]
                change = gaps[-1] - gaps[0]
                which = 2 if abs(change) < 0.05 else (0 if change < 0 else 1)
                assert text.endswith(f"{MEETINGS[which]}.")
                touch = gaps[-1] < (a.size + b.size) / 2 + 0.01
                for end in told(world, " meets ") + told(world, " stops before "):
                    assert (" meets " in end) == touch


def test_what_comes_back_is_in_the_first_and_the_last_part(worlds):
    for world in worlds:
        shots = world.scene.shots
        looks = [{f"{t.colour} {t.shape}" for t in shot.things} for shot in shots]
        for text in told(world, " back in "):
            name = " ".join(text.split()[1:3])
            assert name in looks[0]
            assert (" comes back " in text) == (name in looks[-1])
