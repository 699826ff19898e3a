"""Words: forms of one word, other words for it, what can hold at once, and what never can."""

from __future__ import annotations

import string
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.pairs.gates.lexicon import COMPATIBLE, INVERSE, NUMBERS, SAME
from vidomni_plugin.build.pairs.gates.phrases import (
    compatible,
    contains,
    inverse,
    normal,
    same_phrase,
    words_of,
)

ALIKE = [
    ("walks", "walking"),
    ("walks", "is walking"),
    ("slides", "sliding"),
    ("cut", "is cutting"),
    ("opened", "opens"),
    ("carries", "carrying"),
    ("lies", "lying"),
    ("ran", "is running"),
    ("The Red Cup.", "red cups"),
    ("a knife", "knives"),
    ("children", "the child"),
    ("puppies", "puppy"),
    ("boxes", "box"),
    ("two dogs", "2 dogs"),
    (2, "two"),
    (3.0, 3),
    (True, "true"),
    (False, "False"),
    ("zoom_in", "zooming in"),
    ("grey", "gray"),
    ("in", "inside of"),
    ("on top of", "on"),
    ("to the left of", "left"),
    ("is located on the left side of", "left of"),
    ("next to", "beside"),
    ("sofa", "the couch"),
    ("caf\u00e9", "CAFE\u0301"),
    ("\uff34\uff26", "tf"),
]
TOLD_APART = [
    *(("left", "right"), ("above", "below"), ("on", "under"), ("inside", "outside")),
    *(("in front of", "behind"), ("near", "far"), ("before", "after"), ("open", "closed")),
    *(("opens", "closes"), ("pushes", "pulls"), ("enters", "leaves"), ("rises", "falls")),
    *(("sits down", "stands up"), ("sitting", "standing"), ("lifts", "lowers")),
    *(("picks up", "puts down"), ("turns on", "turns off"), ("empty", "full"), ("wet", "dry")),
    *(("long", "short"), ("large", "small"), ("black", "white"), ("red", "green")),
    *(("old", "young"), ("man", "woman"), ("boy", "girl"), ("light", "dark"), ("on", "off")),
    *(("pan_left", "pan_right"), ("tilt_up", "tilt_down"), ("zoom_in", "zoom_out")),
    *(("zoom_in", "no_camera_change"), ("focus_change", "no_camera_change")),
    *(("red", "not red"), ("moves", "never moves"), ("left", "right of"), (2, 3), (-3, 3)),
    *((1.5, 15), ("12:30", "1230"), ("+", "-"), ("?", "!"), (True, False), ("true", "no")),
    # Words that lose an ending, or seem to.
    *(("cap", "cape"), ("can", "cane"), ("plan", "plane"), ("tub", "tube"), ("kit", "kite")),
    *(("car", "care"), ("bus", "bush"), ("pin", "pine"), ("ring", "rung"), ("bed", "bee")),
    *(("dog", "cat"), ("hot dog", "dog"), ("teddy bear", "bear"), ("walks", "runs")),
]
AT_ONCE = [
    *(("dog", "animal"), ("a man", "person"), ("truck", "vehicles"), ("jacket", "coat")),
    *(("red", "bright red"), ("dog", "small dog"), ("light blue", "blue"), ("cup", "red cup")),
    *(("on", "above"), ("next to", "to the left of"), ("in front of", "near"), ("under", "below")),
    *(("outside", "beside"), ("touching", "on"), ("left", "in front of"), ("facing", "left")),
    *(("walks", "moves"), ("walks slowly", "walks"), ("quickly runs", "is running")),
    *(("red couch", "sofa"), ("sits to the left of", "left"), ("a phone", "mobile telephone")),
    *(("slices", "cuts"), ("zoom_in", "framing_change"), ("cut", "viewpoint_change")),
]


def both_ways(pairs):
    return pytest.mark.parametrize(
        ("one", "other"), [pair for a, b in pairs for pair in ((a, b), (b, a))]
    )


@both_ways(ALIKE)
def test_the_same(one, other):
    assert same_phrase(one, other)
    assert compatible(one, other)


@both_ways(TOLD_APART)
def test_never_the_same_and_never_at_once(one, other):
    assert not same_phrase(one, other)
    assert not compatible(one, other)


@both_ways(AT_ONCE)
def test_at_once_and_not_the_same(one, other):
    assert not same_phrase(one, other)
    assert compatible(one, other)


def test_no_word_stands_in_two_groups():
    groups = {}
    for group in SAME:
        for word in group:
            assert groups.setdefault(normal(word), group) is group, word


def test_no_opposites_are_listed_at_once():
    listed = {frozenset(map(normal, (a, b))) for a, others in COMPATIBLE.items() for b in others}
    opposites = {frozenset(map(normal, pair)) for pair in INVERSE.items() if pair[0] != pair[1]}
    assert not listed & opposites


def test_an_inverse_leads_back():
    assert all(inverse(inverse(relation)) == relation for relation in INVERSE)
    assert {inverse(w) for w in ("beneath it", "around", "facing", "supports")} == {None}


def test_number_words():
    assert [normal(word) for word in NUMBERS] == [str(number) for number in range(21)]


def test_what_a_text_contains():
    assert contains("the man opening the door", "opens")
    assert contains("The two dogs", 2)
    assert not contains("a hundred dogs", "red")
    assert not contains("the 12 dogs", 2)
    assert not contains("anything", "")


def test_words():
    assert words_of("The T-shirt's -3.5, at 12:30 (25/30)!") == [
        *("the", "t-shirt's", "-3.5", "at", "12:30", "25/30")
    ]
    assert words_of("2-3 men") == ["2-3", "men"]


TEXT = st.text(max_size=30) | st.text(string.ascii_letters + " -'_.", max_size=30)
VALUE = TEXT | st.integers() | st.floats(allow_nan=False) | st.booleans()


@given(VALUE, VALUE)
def test_comparisons_are_symmetric_and_one_follows_from_the_other(one, other):
    assert same_phrase(one, one)
    assert same_phrase(one, other) == same_phrase(other, one)
    assert compatible(one, other) == compatible(other, one)
    assert compatible(one, other) or not same_phrase(one, other)


@given(TEXT)
def test_case_space_and_articles_say_nothing(text):
    assert same_phrase(text, f" {text} ")
    only_articles = not set(words_of(text)) - {"a", "an", "the", "its", "his", "her", "some"}
    assert only_articles or same_phrase(text, f"The {text}")


def test_threads_do_not_mix_words():
    """A stemmer holds the word that it works on, and gates run in several threads."""
    words = [a + b for a, b in combinations(string.ascii_lowercase, 2)]
    forms = [f"{word}{ending}" for word in words for ending in ("king", "mped", "lies")] * 3
    alone = [normal(form) for form in forms]
    from vidomni_plugin.build.pairs.gates import phrases

    phrases._stem.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(normal, forms)) == alone
