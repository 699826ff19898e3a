"""Where two answers differ, by hand; each row says why it is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.data.checks.answers import (
    is_polar_question,
    is_sentence,
    places_of_change,
    polar_form,
    polarity,
)

PLACES = {
    "a word": ("The circle is red.", "The circle is green.", ["red -> green"]),
    "a phrase": (
        "The bicycle is in front of the wall.",
        "The bicycle is behind the wall.",
        ["in front of -> behind"],
    ),
    "a number, the verb and the plural agree": (
        "One rabbit is on the hill and it eats.",
        "Four rabbits are on the hill and it eats.",
        ["one rabbit is -> four rabbits are"],
    ),
    "a plural far behind": (
        "The man holds one very large cup.",
        "The man holds three very large cups.",
        ["one -> three"],
    ),
    "Yes and No, and not": (
        "Yes, a cup is visible.",
        "No, a cup is not visible.",
        [" -> not"],
    ),
    "Yes and No only": ("Yes, a cup is there.", "No, a cup is there.", []),
    "an article inside": (
        "It moves to the left.",
        "It moves in a circle.",
        ["to the left -> in a circle"],
    ),
    "an article between changes, and more": (
        "It moves to the left and stops.",
        "It moves in a circle and turns.",
        ["to the left -> in a circle", "stops -> turns"],
    ),
    "words exchanged": (
        "A dog runs before a cat.",
        "A cat runs before a dog.",
        ["a dog runs before a cat -> a cat runs before a dog"],
    ),
    "letter case and punctuation are no change": (
        "The cup, a red one.",
        "the cup a blue one.",
        ["red -> blue"],
    ),
    "words that follow a number, side by side": (
        "One dog is running and it barks.",
        "Two dogs are running and they bark.",
        ["one dog is -> two dogs are"],
    ),
    "a pronoun alone is a place": ("He runs.", "They run.", ["he runs -> they run"]),
    "color and verb": (
        "The red circle slides.",
        "The green circle bounces.",
        ["red -> green", "slides -> bounces"],
    ),
    "two nouns": (
        "The dog chases the white cat.",
        "The horse chases the white pig.",
        ["dog -> horse", "cat -> pig"],
    ),
    "Yes, a noun, and a place": (
        "Yes, a red cup is visible on the shelf.",
        "No, a blue cup is visible under the shelf.",
        ["red -> blue", "on -> under"],
    ),
    "a noun left and right of a verb": (
        "A man walks by a car.",
        "A woman walks by a bus.",
        ["man -> woman", "car -> bus"],
    ),
}


@pytest.mark.parametrize("why", PLACES)
def test_places_of_change(why):
    one, other, places = PLACES[why]
    assert places_of_change(one, other) == places


SOME = ["the", "red", "blue", "dog", "cat", "runs", "sits", "left", "on", "not"]
WORDS = st.lists(st.sampled_from(SOME), max_size=8)


@given(WORDS, WORDS)
def test_no_place_exactly_for_equal_words_and_both_ways_alike(one, other):
    left, right = " ".join(one), " ".join(other)
    assert (places_of_change(left, right) == []) == (one == other)
    assert places_of_change(left, left) == []


@pytest.mark.parametrize(
    ("text", "sentence", "polar", "said"),
    [
        ("The circle is red.", True, False, ""),
        ("Red.", False, False, ""),
        ("The circle is red", False, False, ""),
        ("Does it move?", True, False, ""),
        ('He says "stop."', True, False, ""),
        ("Yes, it moves.", True, True, "Yes"),
        ("No, it rests!", True, True, "No"),
        ("Yes, moves.", True, False, "Yes"),
        ("yes, it moves.", True, False, "Yes"),
        ("No it rests.", True, False, "No"),
        ("Nobody moves.", True, False, ""),
        ("Yesterday it moved.", True, False, ""),
        ("The cup\nis red.", True, False, ""),
        ("The .", False, False, ""),
    ],
)
def test_the_form_of_an_answer(text, sentence, polar, said):
    assert (is_sentence(text), polar_form(text), polarity(text)) == (sentence, polar, said)


@pytest.mark.parametrize(
    ("text", "polar"),
    [("Is it red?", True), ("HAS it moved?", True), ("Island?", False), ("What is it?", False)],
)
def test_questions_for_yes_or_no(text, polar):
    assert is_polar_question(text) == polar
    assert not is_polar_question("?")
