"""Ten thousand replies of each role, changed at random: nothing raises, nothing invalid passes.

What passes is checked by rules that are written down here once more, without the gates' code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from tests.build.pairs.gates.chain import (
    DURATION_S,
    VIDEO_ID,
    Candidate,
    LooseFacts,
    Passed,
    end_of,
    good,
    good_candidate,
    read,
)
from tests.build.pairs.gates.fuzz import replies
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.roles import (
    BackParse,
    Equivalence,
    Generated,
    Judgement,
    OpportunityMatrix,
    Reflection,
)
from vidomni_plugin.build.pairs.gates.extraction import admitted
from vidomni_plugin.build.pairs.gates.generation import realized
from vidomni_plugin.build.pairs.gates.monitor import focus_of as focus_of_monitor
from vidomni_plugin.build.pairs.gates.monitor import judged
from vidomni_plugin.build.pairs.gates.opportunity import constructible
from vidomni_plugin.build.pairs.gates.phrases import same_phrase
from vidomni_plugin.build.pairs.gates.reflection import borne_out
from vidomni_plugin.build.pairs.gates.reflection import focus_of as focus_of_reflector
from vidomni_plugin.build.pairs.gates.verification import to_compare, verified
from vidomni_plugin.endpoint.json_text import NoObject

COUNT = 10_000
SHAPES = {  # leaf: kind, slot, all keys
    "EntityExistence": ("entity_existence", "existence", "entity"),
    "EntityCategory": ("entity_category", "category", "entity"),
    "EntityQuantity": ("entity_quantity", "count", "entity_set"),
    "AttributeValue": ("attribute_value", "attribute_value", "entity attribute_key"),
    "StaticRelation": ("static_relation", "relation_predicate", "subject object"),
    "ActionPredicate": ("action_predicate", "predicate", "subject object"),
    "TemporalRelation": ("temporal_relation", "order", "event_a event_b"),
    "CameraPredicate": ("camera_predicate", "camera_predicate", "camera_event"),
}
SLOTS = {kind: slot for kind, slot, _ in SHAPES.values()}
KEYS = {kind: {"fact_kind", slot, *keys.split()} for kind, slot, keys in SHAPES.values()}
CAMERA = {
    *("pan_left", "pan_right", "tilt_up", "tilt_down", "zoom_in", "zoom_out", "cut"),
    *("focus_change", "framing_change", "viewpoint_change"),
}
GOOD = [good_candidate(name) for name in good()]
PASSED: list[Passed] = [end for one in GOOD if isinstance(end := end_of(one), Passed)]


Gate = Callable[[str, Candidate, Passed], bool]


def run(part: str, gate: Gate) -> Counter[str]:
    """Return how many replies are unreadable, rejected and passed; a gate raises nothing.

    Each tenth meets another candidate than the one that its good reply is about.
    """
    counts: Counter[str] = Counter()
    sources = [one.replies[part] for one in GOOD]
    for number, (at, text) in enumerate(replies(sources, seed=20_261_130, count=COUNT)):
        at = number % len(GOOD) if number % 10 == 0 else at
        try:
            counts["passed" if gate(text, GOOD[at], PASSED[at]) else "rejected"] += 1
        except (ValidationError, NoObject):
            counts["unreadable"] += 1
    return counts


def in_the_video(interval: Any) -> bool:
    return 0 <= interval.start_sec < interval.end_sec <= DURATION_S + 0.25


def meets(one: Any, other: Any) -> bool:
    return one.start_sec < other.end_sec and other.start_sec < one.end_sec


def is_full_sentence(text: str) -> bool:
    return (
        bool(re.fullmatch(r"\S+\s+.+[.!?]['\")\u2019\u201d\u00bb\]]*", text)) and "\n" not in text
    )


def is_whole_fact(fact: Any) -> bool:
    """Keys and values of a kind, as the public taxonomy has them."""
    given = fact.model_dump(mode="json")
    kind, slot = given["fact_kind"], SLOTS[given["fact_kind"]]
    texts = [v for k, v in given.items() if k not in (slot, "fact_kind") and v is not None]
    value = given[slot]
    fits = {
        "existence": isinstance(value, bool),
        "count": type(value) is int and 0 <= value <= 10_000,
        "attribute_value": isinstance(value, (str, int, float, bool)),
        "order": value in ("before", "after"),
        "camera_predicate": value in CAMERA | {"no_camera_change"},
    }
    return (
        set(given) == KEYS[kind]
        and all(isinstance(text, str) and text.strip() for text in texts)
        and fits.get(slot, isinstance(value, str) and bool(value.strip()))
    )


def words_in(text: object) -> list[str]:
    return re.findall(r"\w+", str(text).casefold().replace("_", " "))


def tokens(text: object) -> set[str]:
    """First letters of the words of a phrase, without articles: enough to tell two apart."""
    figures = {"one": "1", "two": "2", "three": "3", "four": "4", "seven": "7"}
    return {figures.get(word, word[:3]) for word in words_in(text)} - {
        "a",
        "an",
        "the",
        "its",
        "his",
        "is",
    }


def test_planner():
    def gate(text: str, candidate: Candidate, _: Passed) -> bool:
        matrix = read(text, OpportunityMatrix)
        rows = constructible(matrix, VIDEO_ID, DURATION_S)
        if isinstance(rows, Reject):
            return False
        assert matrix.video_id == VIDEO_ID
        assert sorted(row.leaf_label.value for row in matrix.opportunities) == sorted(SHAPES)
        for row in rows:
            kind, slot, _keys = SHAPES[row.leaf_label.value]
            assert (row.fact_kind.value, row.conflict_slot) == (kind, slot)
            assert row.constructibility == "constructible"
            assert row.anchor_summary.strip()
            assert 1 <= len(row.evidence_intervals) <= 2
            assert all(map(in_the_video, row.evidence_intervals))
        return bool(rows)

    counts = run("plan", gate)
    assert min(counts.values()) > COUNT / 50, counts


def test_extractor():
    planned = [
        row
        for one in GOOD
        for row in constructible(read(one.replies["plan"], OpportunityMatrix), VIDEO_ID, DURATION_S)
    ]
    rows = list({row.leaf_label: row for row in planned}.values())
    dropped: Counter[str] = Counter()

    def gate(text: str, candidate: Candidate, _: Passed) -> bool:
        given = read(text, LooseFacts).facts
        found = admitted(given, rows, DURATION_S)
        assert len(found.facts) + len(found.dropped) == len(given)
        dropped.update(one.reject.reason.value for one in found.dropped)
        kinds = [fact.normalized_fact.fact_kind for fact in found.facts]
        assert len(set(kinds)) == len(kinds)
        for fact in found.facts:
            assert is_whole_fact(fact.normalized_fact)
            assert fact.normalized_fact.model_dump().get("camera_predicate") != "no_camera_change"
            assert is_full_sentence(fact.natural_language_fact)
            assert not re.match(r"(yes|no)\b", fact.natural_language_fact, re.IGNORECASE)
            assert in_the_video(fact.time_scope)
            slot = SLOTS[fact.normalized_fact.fact_kind.value]
            said = fact.normalized_fact.model_dump()
            if isinstance(said[slot], str) and "entity" in said:
                assert not said["entity"].casefold().startswith(f"the {said[slot].casefold()} ")
        return bool(found.facts)

    counts = run("extract", gate)
    assert min(counts.values()) > COUNT / 50, counts
    assert {"fact_shape_invalid", "fact_scope_invalid", "fact_duplicate_leaf"} <= set(dropped)


def test_reflector():
    def gate(text: str, candidate: Candidate, passed: Passed) -> bool:
        reflection = read(text, Reflection)
        scope = passed.proposed.time_scope
        focus = focus_of_reflector(reflection)
        assert focus is None or reflection.verdict == "insufficient"
        seen = borne_out(reflection, scope, DURATION_S)
        if isinstance(seen, Reject):
            return False
        assert focus is None
        assert reflection.verdict == "supported"
        assert reflection.unique_grounding is True
        assert reflection.leaf_correct is True
        assert reflection.mutation_viable is True
        assert in_the_video(seen)
        assert meets(seen, scope)
        assert reflection.evidence_summary.strip()
        return True

    counts = run("reflect", gate)
    assert min(counts.values()) > COUNT / 50, counts


def test_generator():
    def gate(text: str, candidate: Candidate, passed: Passed) -> bool:
        generated = read(text, Generated)
        sentence = passed.proposed.natural_language_fact
        found = realized(generated, passed.source, sentence, candidate.question, candidate.task)
        if isinstance(found, Reject):
            return False
        assert generated.question == candidate.question
        was, now = passed.source.model_dump(mode="json"), found.model_dump(mode="json")
        slot = SLOTS[was["fact_kind"]]
        assert is_whole_fact(found)
        assert [key for key in was if was[key] != now[key]] == [slot]
        chosen = generated.replacement_value
        if type(now[slot]) is int:
            assert float(chosen) == now[slot]
        else:
            assert str(chosen).strip().casefold() == str(now[slot]).casefold()
        assert tokens(was[slot]) != tokens(now[slot])
        answers = (generated.answer, generated.counterfactual_answer)
        assert all(is_full_sentence(answer) and len(answer) <= 1000 for answer in answers)
        assert answers[0].casefold() != answers[1].casefold()
        said = [re.match(r"(yes|no)\b", answer, re.IGNORECASE) for answer in answers]
        if candidate.task == "video_qa" and was["fact_kind"] == "entity_existence":
            assert answers[0].startswith("Yes, " if was[slot] else "No, ")
            assert answers[1].startswith("No, " if was[slot] else "Yes, ")
        else:
            assert said == [None, None]
            assert answers[0] == sentence
        return True

    counts = run("generate", gate)
    assert min(counts.values()) > COUNT / 50, counts


INVERSE = {"left": "right", "right": "left", "under": "on", "on": "under"}


def test_verifier():
    def gate(text: str, candidate: Candidate, passed: Passed) -> bool:
        parse = read(text, BackParse)
        source, other = passed.source, passed.counterfactual
        phrases = to_compare(parse, source, other, factual_first=True)
        assert all(phrase.strip() for pair in phrases for phrase in pair)

        def by_words_or_reader(one: object, two: object) -> bool:
            return same_phrase(one, two) or (one, two) in phrases

        verified(parse, source, other, factual_first=True, same=by_words_or_reader)
        fault = verified(parse, source, other, factual_first=True)
        other_way = BackParse(first=parse.second, second=parse.first, can_both_be_true=False)
        if not parse.can_both_be_true:
            assert verified(other_way, source, other, factual_first=False) == fault
        if fault:
            return False
        assert not phrases
        assert parse.can_both_be_true is False
        for side, meant in ((parse.first, source), (parse.second, other)):
            assert any(states(claim, meant) for claim in side.claims)
        return True

    counts = run("verify", gate)
    assert min(counts.values()) > COUNT / 50, counts


def states(claim: Any, meant: Any) -> bool:
    """Whether a claim says what is meant, from either end, by the first letters of its words."""
    said, wanted = claim.model_dump(mode="json"), meant.model_dump(mode="json")
    if said["fact_kind"] != wanted["fact_kind"]:
        return False
    if alike(said, wanted):
        return True
    turned = dict(said)
    if "order" in said:
        turned["order"] = "after" if said["order"] == "before" else "before"
        turned["event_a"], turned["event_b"] = said["event_b"], said["event_a"]
    if "relation_predicate" in said:
        word = next((w for w in INVERSE if w in words_in(said["relation_predicate"])), "")
        turned["relation_predicate"] = INVERSE.get(word, word)
        turned["subject"], turned["object"] = said["object"], said["subject"]
    return alike(turned, wanted)


SYNONYMS = {"cou": "sof", "bik": "bic", "col": "col"}


def alike(said: dict[str, Any], wanted: dict[str, Any]) -> bool:
    def known(text: object) -> set[str]:
        words = {SYNONYMS.get(word, word) for word in tokens(text)}
        return words - {"of", "to", "are", "was", "be"}

    return all(
        said[key] == wanted[key]
        or (None not in (said[key], wanted[key]) and known(said[key]) == known(wanted[key]))
        for key in wanted
    )


def test_monitor():
    def gate(text: str, candidate: Candidate, passed: Passed) -> bool:
        judgement = read(text, Judgement)
        scope = passed.proposed.time_scope
        focus = focus_of_monitor(judgement)
        leaf = judgement.differs_in if judgement.differs_in is not None else candidate.leaf
        seen = judged(judgement, leaf, scope, DURATION_S, factual_first=True)
        if isinstance(seen, Reject):
            return False
        other = judged(judgement, leaf, scope, DURATION_S, factual_first=False)
        assert isinstance(other, Reject)
        assert focus is None
        assert (judgement.first.verdict, judgement.second.verdict) == ("supported", "contradicted")
        assert judgement.first.other_errors == judgement.second.other_errors == 0
        assert judgement.second.true_elsewhere is False
        assert judgement.single_difference is True
        assert judgement.differs_in is leaf
        assert in_the_video(seen)
        assert meets(seen, scope)
        assert judgement.first.evidence_summary.strip()
        assert judgement.second.evidence_summary.strip()
        return True

    counts = run("monitor", gate)
    assert min(counts.values()) > COUNT / 50, counts


def test_comparer():
    """What the verifier says of phrases is read strictly; a wrong count is seen by the step."""
    counts: Counter[str] = Counter()
    good_replies = [{"same": [True] * n} for n in range(7)] + [{"same": [False, True]}]
    for _, text in replies(good_replies, seed=1, count=COUNT // 5):
        try:
            same = read(text, Equivalence).same
        except (ValidationError, NoObject):
            counts["unreadable"] += 1
            continue
        assert all(value is True or value is False for value in same)
        counts["read"] += 1
    assert min(counts.values()) > COUNT / 50, counts
