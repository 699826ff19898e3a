"""What several people marked, united: the same words and category once, disputes listed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build.annotate.exported import caption, plan_of
from vidomni_plugin.build.annotate.labelling import CATEGORIES
from vidomni_plugin.build.annotate.marked import Span
from vidomni_plugin.build.annotate.spans import disputes_table, unite, whole_words

SENTENCE = "The red cube rolls, then the red cube stops."
PLAN = plan_of([caption("a__m", ["It is day.", SENTENCE])])
LABELS = {"a__m": ["Correct", "Incorrect"]}


def span(words: str, category: str, occurrence: int = 0) -> Span:
    start = -1
    for _ in range(occurrence + 1):
        start = SENTENCE.index(words, start + 1)
    return Span(2, start, start + len(words), category)


def united(**marked):
    return unite({("a__m", name): spans for name, spans in marked.items()}, LABELS, PLAN)


def errors(**marked):
    found = united(**marked).errors.get(("a__m", 2), [])
    return [(error.text, error.category) for error in found]


def test_the_same_words_and_category_count_once():
    red = [span("red", "Object")]
    assert errors(ann=red, ben=red) == [("red", "Object")]
    assert errors(ann=red, ben=[span("red", "Object", 1)]) == [("red", "Object")]


def test_words_come_in_the_order_of_the_sentence():
    marked = [span("stops", "Action"), span("red", "Object")]
    assert errors(ann=marked) == [("red", "Object"), ("stops", "Action")]


def test_other_words_are_other_errors():
    assert errors(ann=[span("red", "Object")], ben=[span("red cube", "Object")]) == [
        ("red", "Object"),
        ("red cube", "Object"),
    ]


def test_categories_in_dispute_are_all_kept_and_listed():
    found = united(ann=[span("rolls", "Action")], ben=[span("rolls", "Order")])
    assert [e.category for e in found.errors["a__m", 2]] == ["Action", "Order"]
    (dispute,) = found.disputes
    assert dispute.categories == (("Action", ("ann",)), ("Order", ("ben",)))
    assert disputes_table(found.disputes).rows[0] == (
        "a__m",
        2,
        SENTENCE,
        "rolls",
        "Action: ann; Order: ben",
    )


def test_two_categories_that_both_chose_are_no_dispute():
    both = [span("rolls", "Action"), span("rolls", "Order")]
    assert united(ann=both, ben=both).disputes == []
    assert len(united(ann=both, ben=both[:1]).disputes) == 1


def test_sentences_in_which_nobody_marked_a_word():
    assert united(ann=[], ben=[]).unmarked == [("a__m", 2)]
    assert united(ann=[], ben=[span("red", "Object")]).unmarked == []


@pytest.mark.parametrize(
    ("sentence", "marked", "words"),
    [
        ("The sign says OPEN.", " says OPE", "says OPEN"),
        ("The sign says OPEN.", "PEN.", "OPEN."),
        ("It's the man's red-hot iron", "s red", "s red"),
        ("Seen 3.5 m away", "3.5 m", "3.5 m"),
        ("a caf\u00e9 here", "caf", "caf\u00e9"),
        ("\u7ea2\u8272\u7684\u5706\u6eda\u52a8", "\u8272\u7684", "\u8272\u7684"),
        (" . ", ".", "."),
    ],
)
def test_whole_words(sentence, marked, words):
    start = sentence.index(marked)
    start, end = whole_words(sentence, start, start + len(marked))
    assert sentence[start:end] == words


@given(st.text(min_size=1, max_size=30), st.data())
def test_whole_words_only_add_letters_and_drop_spaces(sentence, data):
    start = data.draw(st.integers(0, len(sentence) - 1))
    end = data.draw(st.integers(start + 1, len(sentence)))
    words = sentence[start:end].strip()
    if not words:
        return
    first, last = whole_words(sentence, start, end)
    found = sentence[first:last]
    assert words in found
    assert found == found.strip()
    assert whole_words(sentence, first, last) == (first, last)


@given(
    st.dictionaries(
        st.sampled_from(["ann", "ben", "cai"]),
        st.lists(
            st.builds(
                span,
                st.sampled_from(["red", "cube", "rolls", "stops."]),
                st.sampled_from(CATEGORIES),
            ),
            max_size=6,
        ),
        min_size=1,
    ),
    st.randoms(),
)
def test_the_union_holds_what_everybody_marked_and_no_more(marked, random):
    wanted = {
        (SENTENCE[one.start : one.end], one.category) for spans in marked.values() for one in spans
    }
    found = errors(**marked)
    assert len(found) == len(set(found))
    assert set(found) == wanted
    names = list(marked)
    random.shuffle(names)
    shuffled = {name: random.sample(marked[name], len(marked[name])) for name in names}
    assert united(**shuffled) == united(**marked)
