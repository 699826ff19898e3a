"""Prompts about one video, what is learned along them, and which sentences are asked."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import pytest

from vidomni_plugin.models.seer.branches import NONE, Asked, Branches, Mention, ask, shorten
from vidomni_plugin.models.seer.forms import Balance, form
from vidomni_plugin.models.seer.words import tokenizer, vocabulary
from vidomni_plugin.models.seer.world import Fact


@pytest.fixture(scope="module")
def made():
    return SimpleNamespace(packed=Branches(tokenizer(vocabulary())))


def sentence(true: bool, *, late: bool = False, unknown: tuple[int, ...] = ()) -> Asked:
    fact = Fact("direction", "?", "The red circle rises.", ("The red circle sinks.",), late)
    return Asked(fact, fact.true if true else fact.false[0], true, unknown)


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        pytest.param(sentence(True), [1, 1, 1, 1, 1], id="true throughout"),
        pytest.param(sentence(False), [1, 1, 1, 0, 0], id="false from the first other word"),
        pytest.param(sentence(False, late=True), [NONE] * 4 + [0], id="false at the end"),
        pytest.param(
            Asked(
                Fact("direction", "?", "", ("The red circle rises.",)),
                "The red circle rises.",
                False,
            ),
            [0] * 5,
            id="about black frames",
        ),
        pytest.param(sentence(False, unknown=(3,)), [1, 1, 1, 0, 0, 0], id="an unknown word"),
    ],
)
def test_what_is_learned_along_a_sentence(made, asked, holds):
    branch = made.packed.judged(asked, "What does it do?")
    learned = branch.holds[branch.holds.index(holds[0]) if holds[0] != NONE else 0 :]
    assert str(holds)[1:-1] in str(learned)
    assert branch.holds[branch.at[0]] == int(asked.true)
    assert len(branch.tokens) == len(branch.following) == len(branch.holds) == len(branch.answer)


def test_what_is_known_late_is_known_at_the_last_noun(made):
    fact = Fact("count", "?", "Two red circles rise.", ("One red circle rises.",), late=True)
    branch = made.packed.judged(Asked(fact, fact.false[0], False), "?")
    start = len(branch.holds) - len(["one", "red", "circle", "rises", ".", "tail", "end", "answer"])
    assert branch.holds[start:] == [NONE, NONE, 0, 0, 0, 0, 0, NONE]


def test_only_true_sentences_teach_what_follows(made):
    true = made.packed.judged(sentence(True), "?")
    words = list(made.packed.ids("The red circle rises."))
    assert [t for t in true.following if t != NONE] == words
    assert all(t == NONE for t in made.packed.judged(sentence(False), "?").following)
    assert (
        made.packed.unknown not in made.packed.judged(sentence(True, unknown=(1, 2)), "?").following
    )


def test_a_caption_is_answered_in_order(made):
    packed = made.packed
    branch = packed.caption([sentence(True), sentence(False)])
    told = packed.words.convert_ids_to_tokens([t for t in branch.answer if t != NONE])
    assert told == ['{"sentence_1": 0', ', "sentence_2": 1', "}", "<|im_end|>"]
    assert branch.answer[branch.at[1]] == packed.labels[1][1]


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        pytest.param(sentence(True), "rises", id="the word that could be another"),
        pytest.param(sentence(True, unknown=(0,)), "rises", id="behind an unknown word"),
        pytest.param(sentence(False), None, id="a false sentence teaches none"),
        pytest.param(sentence(True, late=True), None, id="only the end tells"),
    ],
)
@pytest.mark.parametrize("kind", ["judged", "caption"])
def test_the_telling_word_is_the_one_that_follows(made, asked, word, kind):
    packed = made.packed
    branch = packed.judged(asked, "?") if kind == "judged" else packed.caption([asked])
    told = [t for t, tells in zip(branch.following, branch.telling, strict=True) if tells]
    assert told == ([] if word is None else list(packed.ids(word)))


def test_every_name_of_what_can_be_seen_is_found(made):
    tokens = made.packed.ids("The red circle is above two blue squares, a hand and the word.")
    assert made.packed.mentions(tokens) == (
        Mention(2, "red", "circle"),
        Mention(7, "blue", "square"),
        Mention(10, "", "hand"),
        Mention(13, "", "word"),
    )


def test_skills_come_equally_often_whatever_the_number_of_their_facts():
    facts = [Fact("count", "?", f"T{n}.", (f"F{n}.",)) for n in range(20)]
    facts.append(Fact("colour", "?", "The circle is red.", ("The circle is blue.",)))
    skills = [a.fact.skill for a in ask(facts, random.Random(0), 60, Balance())]
    assert 20 < skills.count("colour") < 40


def test_a_form_is_as_often_true_as_false():
    """A sentence that is nearly always true is asked as rarely as it is false."""
    rng, balance, asked = random.Random(0), Balance(), Counter()
    for _ in range(4000):
        truth = rng.random() < 0.9
        stays, grows = "The red circle stays.", "The red circle grows."
        fact = Fact("direction", "?", *((stays, (grows,)) if truth else (grows, (stays,))))
        for one in ask([fact], rng, 1, balance):
            asked[form(one.text), one.true] += 1
    for name in ("the C S stays.", "the C S grows."):
        assert asked[name, True] > 150
        assert abs(asked[name, True] - asked[name, False]) <= 2


def test_a_form_that_is_never_true_is_hardly_asked():
    fact = Fact("direction", "?", "It stays.", ("It grows.",))
    asked = [a for n in range(500) for a in ask([fact], random.Random(n), 1, Balance())]
    assert len(asked) == 500  # each time with a new balance
    rng, balance = random.Random(0), Balance()
    assert sum(len(ask([fact], rng, 1, balance)) for _ in range(500)) == 4


def test_a_repeated_subject_becomes_it():
    def say(text: str) -> Asked:
        return Asked(Fact("direction", "?", text, (text.replace("rises", "sinks"),)), text, True)

    caption = [say("A red circle rises."), say("The red circle rises."), say("The hand rises.")]
    texts = {tuple(a.text for a in shorten(caption, random.Random(n))) for n in range(20)}
    assert texts == {
        ("A red circle rises.", "The red circle rises.", "The hand rises."),
        ("A red circle rises.", "It rises.", "The hand rises."),
    }
    (short,) = {a for n in range(20) for a in shorten(caption, random.Random(n)) if "It" in a.text}
    assert short.fact.false == ("It sinks.",)


def test_tokens_look_back_at_the_nouns_of_their_own_sentence(made):
    fact = Fact("relation", "?", "The red circle is above the blue square.", ("x",))
    asked = Asked(fact, fact.true, True)
    branch = made.packed.caption([asked, asked])
    words = made.packed.words.convert_ids_to_tokens(branch.tokens)
    told = [(words[b.at], b.first, b.last) for b in branch.backs]
    one, two = 4, 9  # after the head, the mark and two words; then five words on
    first = [("is", one, one), ("above", one, one), ("the", one, one), ("blue", one, one)]
    first += [("square", one, one), (".", one, two)]
    assert told == first + [(word, a + 10, b + 10) for word, a, b in first]
    assert (words[one], words[two]) == ("circle", "square")
    (judged,) = (made.packed.judged(asked, "What is above the square?"),)
    assert len(judged.backs) == len(first)
    assert all(judged.tokens[b.first] == branch.tokens[one] for b in judged.backs)
