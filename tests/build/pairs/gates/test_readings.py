"""Two ways to say one thing, what goes without saying, and what is compared by a reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.pairs.contracts.facts import (
    CategoryFact,
    ExistenceFact,
    QuantityFact,
    RelationFact,
    TemporalFact,
    mutated,
    rule_of,
    slot_value,
)
from vidomni_plugin.build.pairs.contracts.leaves import CAMERA_CHANGES, LEAVES, NO_CAMERA_CHANGE
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import BackParse
from vidomni_plugin.build.pairs.gates.graph_diff import changed_fields, is_minimal
from vidomni_plugin.build.pairs.gates.phrases import same_phrase
from vidomni_plugin.build.pairs.gates.readings import is_implied, turned
from vidomni_plugin.build.pairs.gates.verification import Phrases, to_compare, verified
from vidomni_plugin.records import Leaf


def relation(subject, predicate, other):
    return RelationFact(
        fact_kind="static_relation", subject=subject, relation_predicate=predicate, object=other
    )


def order(first, how, second):
    return TemporalFact(fact_kind="temporal_relation", event_a=first, order=how, event_b=second)


def there(entity, existence=True):
    return ExistenceFact(fact_kind="entity_existence", entity=entity, existence=existence)


def count(number):
    return QuantityFact(fact_kind="entity_quantity", entity_set="cups", count=number)


def parse(first, second, both=False):
    return BackParse.model_validate(
        {
            "first": {"claims": [one.model_dump() for one in first]},
            "second": {"claims": [one.model_dump() for one in second]},
            "can_both_be_true": both,
        }
    )


LEFT, RIGHT = relation("the cup", "left of", "the box"), relation("the cup", "right", "the box")
BEFORE = order("the bell rings", "before", "the boy sits down")
AFTER = order("the bell rings", "after", "the boy sits down")


@pytest.mark.parametrize(
    ("claim", "meant", "found"),
    [
        (relation("the box", "right", "cup"), LEFT, relation("cup", "left", "the box")),
        (relation("box", "to the left of", "cup"), LEFT, relation("cup", "right", "box")),
        (relation("box", "supports", "cup"), LEFT, relation("box", "supports", "cup")),
        (relation("cup", "left", "box"), LEFT, relation("cup", "left", "box")),
        (relation("a lid", "left", "a jar"), LEFT, relation("a lid", "left", "a jar")),
        # The words of one end tell which end it is.
        (
            order("the boy takes a seat", "after", "a bell rings"),
            BEFORE,
            order("a bell rings", "before", "the boy takes a seat"),
        ),
        (
            order("bell rings", "after", "boy sits"),
            BEFORE,
            order("bell rings", "after", "boy sits"),
        ),
    ],
)
def test_a_claim_from_the_other_end(claim, meant, found):
    assert turned(claim, meant) == found


NAMES = st.sampled_from(["cup", "the box", "a red lid", "the lid", "box lid", "jar"])
RELATIONS = st.sampled_from(["left", "right", "on", "under", "beside", "facing", "near", "inside"])


@given(NAMES, RELATIONS, NAMES, RELATIONS)
def test_turning_twice_or_towards_itself_changes_nothing(subject, predicate, other, second):
    claim = relation(subject, predicate, other)
    assert turned(claim, claim) == claim
    meant = relation(other, second, subject)
    once = turned(claim, meant)
    assert turned(once, meant) == once


@pytest.mark.parametrize(
    ("claim", "by", "implied"),
    [
        (there("the cups"), count(2), True),
        (there("cup", existence=False), count(2), False),
        (there("cups", existence=False), count(0), True),
        (there("cups"), count(0), False),
        (there("a box"), LEFT, True),
        (there("a jar"), LEFT, False),
        (there("a lamp"), there("a jar"), False),
        (there("a jar"), there("a jar"), False),
        (count(2), LEFT, False),
    ],
)
def test_what_goes_without_saying(claim, by, implied):
    assert is_implied(claim, by) is implied


def test_implied_and_repeated_claims_do_not_count():
    said = [LEFT, there("a cup"), relation("box", "right of", "cup"), LEFT]
    assert verified(parse(said, [RIGHT]), LEFT, RIGHT, factual_first=True) is None
    fault = verified(parse([*said, there("a dog")], [RIGHT]), LEFT, RIGHT, factual_first=True)
    assert fault.reason is Reason.EXTRA_ATOMIC_FACT


def test_implied_by_the_names_that_the_reader_uses():
    """The reader calls the cup a mug with a handle, and says that there is one."""
    said = [relation("mug with a handle", "left", "box"), there("a mug with a handle")]
    asked = to_compare(parse(said, [RIGHT]), LEFT, RIGHT, factual_first=True)
    assert asked == (Phrases("the cup", "mug with a handle"),)


def test_existence_is_a_claim_where_it_is_asked_about():
    lamp, none = there("a lamp"), there("a lamp", existence=False)
    said = [lamp, relation("lamp", "on", "a desk")]
    fault = verified(parse(said, [none]), lamp, none, factual_first=True)
    assert fault.reason is Reason.EXTRA_ATOMIC_FACT


def test_what_a_reader_compares():
    claims = parse([relation("mug with a handle", "left", "crate")], [RIGHT])
    asked = to_compare(claims, LEFT, RIGHT, factual_first=True)
    assert asked == (Phrases("the box", "crate"), Phrases("the cup", "mug with a handle"))
    yes = verified(
        claims,
        LEFT,
        RIGHT,
        factual_first=True,
        same=lambda one, other: same_phrase(one, other) or (one, other) in asked,
    )
    assert yes is None
    no = verified(claims, LEFT, RIGHT, factual_first=True)
    assert no.reason is Reason.ANCHOR_CHANGED


@pytest.mark.parametrize(
    ("claims", "source", "other"),
    [
        # Whether after means before, nobody is asked.
        (parse([AFTER], [AFTER]), BEFORE, AFTER),
        (parse([count(3)], [count(4)]), count(2), count(4)),
        # Nor anything about answers that fail whatever words mean.
        (parse([relation("mug", "left", "crate")], [RIGHT], both=True), LEFT, RIGHT),
        (parse([relation("mug", "left", "crate"), there("a dog")], [RIGHT]), LEFT, RIGHT),
        (parse([], [RIGHT]), LEFT, RIGHT),
        (parse([there("crate")], [RIGHT]), LEFT, RIGHT),
    ],
)
def test_no_call_for_what_fails_anyway(claims, source, other):
    assert to_compare(claims, source, other, factual_first=True) == ()
    assert verified(claims, source, other, factual_first=True)


WORD = st.sampled_from(["cup", "the box", "a dog", "runs", "a bell rings", "red", "the street"])
VALUES = {
    Leaf.ENTITY_EXISTENCE: st.booleans(),
    Leaf.ENTITY_QUANTITY: st.integers(0, 10_000),
    Leaf.ATTRIBUTE_VALUE: WORD | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9),
    Leaf.TEMPORAL_RELATION: st.sampled_from(["before", "after"]),
    Leaf.CAMERA_PREDICATE: st.sampled_from([*CAMERA_CHANGES, NO_CAMERA_CHANGE]),
}
KEYS = {
    Leaf.ENTITY_EXISTENCE: ("entity",),
    Leaf.ENTITY_CATEGORY: ("entity",),
    Leaf.ENTITY_QUANTITY: ("entity_set",),
    Leaf.ATTRIBUTE_VALUE: ("entity", "attribute_key"),
    Leaf.STATIC_RELATION: ("subject", "object"),
    Leaf.ACTION_PREDICATE: ("subject", "object"),
    Leaf.TEMPORAL_RELATION: ("event_a", "event_b"),
    Leaf.CAMERA_PREDICATE: ("camera_event",),
}


@st.composite
def two_values(draw):
    """A fact, and another value for its slot."""
    from vidomni_plugin.build.pairs.contracts.facts import claimed_fact

    rule = LEAVES[draw(st.sampled_from(Leaf))]
    values = VALUES.get(rule.leaf, WORD)
    named = {key: draw(WORD) for key in KEYS[rule.leaf]}
    given = {"fact_kind": rule.kind.value, rule.slot: draw(values), **named}
    return claimed_fact(given), draw(values)


@given(two_values(), two_values())
def test_the_graph_diff_is_symmetric_and_a_mutation_is_in_the_slot_alone(one, other):
    fact, value = one
    changed = mutated(fact, value)
    same = same_phrase(slot_value(fact), value)
    slot = rule_of(fact).slot
    assert slot_value(changed) == value
    assert fact.model_dump(exclude={slot}) == changed.model_dump(exclude={slot})
    assert is_minimal(fact, changed) is not same
    assert mutated(changed, slot_value(fact)) == fact
    assert changed_fields(fact, fact) == ()
    if fact.fact_kind is other[0].fact_kind:
        there_, back = changed_fields(fact, other[0]), changed_fields(other[0], fact)
        assert [(c.field, c.was, c.now) for c in there_] == [(c.field, c.now, c.was) for c in back]
    else:
        assert not is_minimal(fact, other[0])
        with pytest.raises(ValueError, match=" and "):
            changed_fields(fact, other[0])


def test_category_facts_have_no_other_end():
    cat = CategoryFact(fact_kind="entity_category", entity="it", category="cat")
    assert turned(cat, LEFT) is cat
