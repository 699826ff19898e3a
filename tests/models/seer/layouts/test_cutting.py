"""What the shots of a clip hold is read off again from the scene."""

import random
import re
from collections import Counter

import pytest

from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.models.seer.layouts.cutting import shots
from vidomni_plugin.models.seer.layouts.takes import MEETINGS
from vidomni_plugin.models.seer.world import NUMBERS, ORDINALS


@pytest.fixture(scope="module")
def worlds():
    rng = random.Random(9)
    return [shots(rng) for _ in range(200)]


def sentences(world):
    for fact in world.facts:
        yield fact.true, True
        yield from ((text, False) for text in fact.false)


def counts(shot):
    return Counter((thing.colour, thing.shape) for thing in shot.things)


def test_numbers_of_things_in_a_shot(worlds):
    pattern = re.compile(r"(\w+) (\w+) (circle|square|triangle)s? stands? in the (\w+) shot\.")
    checked = 0
    for world in worlds:
        for text, true in sentences(world):
            if found := pattern.fullmatch(text):
                number, colour, shape, ordinal = found.groups()
                here = counts(world.scene.shots[ORDINALS.index(ordinal)])[colour, shape]
                assert (here == NUMBERS.index(number.lower())) == true, text
                checked += 1
    assert checked > 200


def test_what_is_present_in_a_shot(worlds):
    pattern = re.compile(r"An? (\w+) (\w+) is (not )?present in the (\w+) shot\.")
    for world in worlds:
        for text, true in sentences(world):
            if found := pattern.fullmatch(text):
                colour, shape, no, ordinal = found.groups()
                here = counts(world.scene.shots[ORDINALS.index(ordinal)])[colour, shape] > 0
                assert (here == (no is None)) == true, text


def test_what_is_shown_next_is_in_a_later_shot(worlds):
    pattern = re.compile(r"(\w+) (\w+) (circle|square|triangle)s? (?:is|are) shown next\.")
    for world in worlds:
        later = [counts(shot) for shot in world.scene.shots[1:]]
        for text, true in sentences(world):
            if found := pattern.fullmatch(text):
                _, colour, shape = found.groups()
                assert any(shot[colour, shape] for shot in later) == true, text


def test_the_number_of_shots(worlds):
    for world in worlds:
        (fact,) = (f for f in world.facts if f.true.endswith(" shots in all."))
        assert fact.true == f"There are {NUMBERS[len(world.scene.shots)]} shots in all."
        assert fact.true not in fact.false


def test_two_equal_things_meet_as_they_are_drawn(worlds):
    checked = 0
    for world in worlds:
        for fact in world.facts:
            if not fact.true.startswith("The two "):
                continue
            noun = fact.true.split()[2].rstrip("s")
            (shot,) = (
                s
                for s in world.scene.shots
                if [t.shape for t in s.things if counts(s)[t.colour, t.shape] == 2] == [noun] * 2
            )
            a, b = (t for t in shot.things if t.shape == noun)
            start, end = (place(b.path, at).x - place(a.path, at).x for at in (0, shot.seconds))
            which = 2 if start == end else (0 if end < start else 1)
            assert fact.true.endswith(f"{MEETINGS[which]}.")
            assert not any(text.endswith(f"{MEETINGS[which]}.") for text in fact.false)
            stands = re.compile(rf"Two \w+ {noun}s stand in ")
            assert which == 2 or not any(stands.match(f.true) for f in world.facts)
            checked += 1
    assert checked > 20


def test_what_returns_is_in_the_last_shot(worlds):
    for world in worlds:
        first, last = counts(world.scene.shots[0]), counts(world.scene.shots[-1])
        for fact in world.facts:
            if fact.true.endswith(" in the last shot.") and " return" in fact.true:
                words = fact.true.split()
                look = words[1], words[2].rstrip("s")
                assert first[look]
                assert (" not " in fact.true) == (not last[look])
