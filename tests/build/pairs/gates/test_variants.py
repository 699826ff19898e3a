"""Good candidates said in other ways still pass: a gate that refuses them costs calls."""

from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build.pairs.gates.chain import Passed, end_of, good, good_candidate

ENDS = {"left": "right", "right": "left", "under": "on", "on": "under"}
ENDS |= {"left of": "right of", "right of": "left of", "before": "after", "after": "before"}
ANCHORS = ("entity", "entity_set", "subject", "object", "event_a", "event_b", "camera_event")
BODIES = [("event_a", "order", "event_b"), ("subject", "relation_predicate", "object")]


def other_article(name, draw):
    words = name.split(" ")
    rest = words[1:] if words[0].casefold() in ("the", "a", "an") and len(words) > 1 else words
    article = draw(st.sampled_from([[], ["the"], ["The"], ["a"]]))
    return " ".join([*article, *rest]) + draw(st.sampled_from(["", "."]))


def other_end(claim):
    """The claim from its other end, where there is a word for it."""
    for one, between, other in BODIES:
        if ENDS.get(claim.get(between)):
            return {
                **claim,
                one: claim[other],
                between: ENDS[claim[between]],
                other: claim[one],
            }
    return claim


@st.composite
def readings(draw, claims):
    """What another reader could have written down for the same answer."""
    found = []
    for claim in claims:
        told = dict(claim)
        for key in ANCHORS:
            if isinstance(told.get(key), str):
                told[key] = other_article(told[key], draw)
        if draw(st.booleans()):
            told = other_end(told)
        found.append(told)
        if draw(st.booleans()):
            found.append(copy.deepcopy(told))
    about = next((found[0][key] for key in ANCHORS[:3] if key in found[0]), None)
    kind = found[0]["fact_kind"]
    if about and kind != "entity_existence" and draw(st.booleans()):
        there = {"fact_kind": "entity_existence", "entity": about, "existence": True}
        found.insert(draw(st.integers(0, len(found))), there)
    return found


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(sorted(good())), st.booleans())
def test_other_words_of_the_reviewers(data, name, factual_first):
    candidate = good_candidate(name)
    replies = candidate.replies
    scope = replies["reflect"]["evidence_interval"]
    middle = (scope["start_sec"] + scope["end_sec"]) / 2
    for side in ("first", "second"):
        replies["verify"][side]["claims"] = data.draw(readings(replies["verify"][side]["claims"]))
    for reply in (replies["reflect"], replies["monitor"]["first"]):
        start = data.draw(st.floats(0, middle - 0.01))
        reply["evidence_interval"] = {
            "start_sec": start,
            "end_sec": data.draw(st.floats(middle, 20)),
        }
        reply["evidence_summary"] = data.draw(st.text(min_size=1).filter(str.strip))
    end = end_of(candidate, factual_first=factual_first)
    assert isinstance(end, Passed), end


FAULTS = {
    "reflect": [("verdict", "contradicted"), ("leaf_correct", False), ("evidence_interval", None)],
    "generate": [("question", "Another one?"), ("answer", "It is so."), ("replacement_value", "")],
    "verify": [("can_both_be_true", True), ("first", {"claims": []}), ("second", {"claims": []})],
    "monitor": [("single_difference", False), ("differs_in", None)],
}


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(good())), st.booleans())
def test_nothing_makes_up_for_a_fault(data, name, factual_first):
    candidate = good_candidate(name)
    part = data.draw(st.sampled_from(sorted(FAULTS)))
    key, value = data.draw(st.sampled_from(FAULTS[part]))
    candidate.replies[part][key] = value
    assert not isinstance(end_of(candidate, factual_first=factual_first), Passed)
