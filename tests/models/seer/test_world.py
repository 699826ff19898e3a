"""What is said about a random clip is said once, in known words, and its falsehoods differ."""

import random
import re

import pytest

from vidomni_plugin.models.seer.layouts import LAYOUTS
from vidomni_plugin.models.seer.layouts.moving import moves
from vidomni_plugin.models.seer.telling import Told
from vidomni_plugin.models.seer.words import vocabulary
from vidomni_plugin.models.seer.world import SKILLS, Group, kinds

MANY = 40


def worlds(layout, seed=5, count=MANY):
    rng = random.Random(seed)
    return [layout(rng) for _ in range(count)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_no_sentence_is_both_true_and_false_of_a_clip(layout):
    for world in worlds(layout):
        true = {fact.true for fact in world.facts}
        false = {text for fact in world.facts for text in fact.false}
        assert not true & false
        assert all(fact.false and fact.skill in SKILLS for fact in world.facts)


def words(text):
    """Return words and signs as the tokenizer cuts them."""
    return re.findall(r"\w+|[^\w\s]", text.lower())


def first_other(text, other):
    """Return the place of the first word of a text that is not that of the other, or its last."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), len(text) - 1)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_where_a_sentence_is_called_false_no_true_one_goes_on(layout):
    """What is not late is false from the first word by which it is not the true sentence."""
    for world in worlds(layout, count=4 * MANY):
        true = [words(fact.true) for fact in world.facts]
        begun = {tuple(text[:end]) for text in true for end in range(1, len(text) + 1)}
        for fact in world.facts:
            for text in () if fact.late else map(words, fact.false):
                seen = text[: first_other(text, words(fact.true)) + 1]
                assert tuple(seen) not in begun, (fact, " ".join(seen))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_every_word_is_in_the_vocabulary(layout):
    known = set(vocabulary())
    for world in worlds(layout, seed=6, count=200):
        for fact in world.facts:
            for text in (fact.question, fact.true, *fact.false):
                assert known.issuperset(words(text)), text


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_sentences_look_like_sentences(layout):
    for world in worlds(layout):
        for fact in world.facts:
            for text in (fact.true, *fact.false):
                assert text[0].isupper()
                assert text.endswith(".")
                assert "{" not in text
                assert "  " not in text


def test_the_layouts_together_have_every_skill():
    seen = {fact.skill for layout in LAYOUTS for w in worlds(layout) for fact in w.facts}
    assert seen == set(SKILLS)


def test_a_seed_gives_the_same_world_again():
    assert moves(random.Random(3)) == moves(random.Random(3))


@pytest.mark.parametrize(
    ("group", "some", "moves"),
    [
        (Group("red", "circle"), "a red circle", "moves to the left"),
        (Group("orange", "square"), "an orange square", "moves to the left"),
        (Group("blue", "triangle", 3), "three blue triangles", "move to the left"),
    ],
)
def test_grammar_follows_the_number(group, some, moves):
    assert group.some == some
    assert group.verb("move to the left") == moves


def test_what_begins_as_something_true_is_a_fact_of_its_own():
    seen = set()
    for seed in range(20):
        told = Told(random.Random(seed))
        told.say("count", "{} fly.", "two", ["three"], later=["four", "five"])
        (fact,) = told.facts
        seen.add((fact.late, fact.false))
    assert seen == {(False, ("Three fly.",)), (True, ("Four fly.", "Five fly."))}


def test_one_and_many_are_told_in_their_own_words():
    told = Told(random.Random(0))
    told.number(Group("green", "square", 1), "are below the word")
    (fact,) = told.facts
    assert fact.true == "One green square is below the word."
    assert all("squares are below the word" in text for text in fact.false)


@pytest.mark.parametrize(("wall", "hidden"), [("gray", "white"), ("dark", "black")])
def test_no_colour_is_drawn_on_a_wall_that_hides_it(wall, hidden):
    rng = random.Random(1)
    assert hidden not in {g.colour for _ in range(200) for g in kinds(rng, wall, 4)}
