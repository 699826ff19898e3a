"""A candidate's way through all gates, in their order, from what the roles reply as JSON.

The first side of ``verify`` and ``monitor`` is the factual answer; ``ask`` swaps the sides where
the reviewer sees them the other way round.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from vidomni_plugin.build.pairs.contracts.facts import Fact, Interval, rule_of
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import (
    BackParse,
    Equivalence,
    Generated,
    Judgement,
    OpportunityMatrix,
    ProposedFact,
    Reflection,
)
from vidomni_plugin.build.pairs.gates.extraction import admitted
from vidomni_plugin.build.pairs.gates.generation import realized
from vidomni_plugin.build.pairs.gates.monitor import judged
from vidomni_plugin.build.pairs.gates.opportunity import constructible
from vidomni_plugin.build.pairs.gates.phrases import same_phrase
from vidomni_plugin.build.pairs.gates.reflection import borne_out
from vidomni_plugin.build.pairs.gates.verification import to_compare, verified
from vidomni_plugin.build.pairs.policy.bank import choose
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.endpoint.json_text import object_text
from vidomni_plugin.records import Leaf

HERE = Path(__file__).parent
VIDEO_ID = "street_12"
DURATION_S = 20.0
BANK = load_policy().bank
M = TypeVar("M", bound=BaseModel)
Json = dict[str, Any]


class LooseFacts(BaseModel):
    """The extractor's reply as it is read: each fact is looked at by itself."""

    model_config = ConfigDict(extra="forbid")
    facts: list[JsonValue]


class Passed(NamedTuple):
    """A candidate that went through all gates."""

    source: Fact
    counterfactual: Fact
    proposed: ProposedFact
    generated: Generated
    evidence: Interval
    seen: Interval


@dataclass(frozen=True)
class Candidate:
    """A good or bad one, as the files of cases have it."""

    name: str
    leaf: Leaf
    task: str
    replies: Json
    question: str
    same: list[bool] | None = None
    ends: str | None = None


@cache
def good() -> dict[str, Json]:
    """Return the good candidates by name."""
    cases: dict[str, Json] = yaml.safe_load((HERE / "good.yaml").read_text(encoding="utf-8"))
    return cases


def bad() -> list[Json]:
    """Return the bad candidates."""
    cases: list[Json] = yaml.safe_load((HERE / "bad.yaml").read_text(encoding="utf-8"))
    return cases


def good_candidate(name: str, **changes: Any) -> Candidate:
    """Return a good candidate, with some of its keys changed."""
    original = good()[name]
    case = original | changes
    leaf, rule = Leaf(case["leaf"]), LEAVES[Leaf(case["leaf"])]
    fact = {"fact_kind": rule.kind.value, **case["fact"]}
    source = {"fact_kind": rule.kind.value, **original["fact"]}
    question = choose(BANK, VIDEO_ID, name, _fact(source), case["task"], 0).question
    start, end = case["scope"]
    scope = {"start_sec": start, "end_sec": end}
    false = {"true": True, "7": 7}.get(case["replacement"], case["replacement"])
    reads = case.get("reads", [[fact], [fact | {rule.slot: false}]])
    side = {
        "true_elsewhere": False,
        "other_errors": 0,
        "evidence_interval": scope,
        "evidence_summary": "in full view",
    }
    replies = {
        "plan": {"video_id": VIDEO_ID, "opportunities": _rows(leaf)},
        "extract": {
            "facts": [
                {
                    "natural_language_fact": case["sentence"],
                    "time_scope": scope,
                    "normalized_fact": fact,
                }
            ]
        },
        "reflect": {
            "verdict": "supported",
            "unique_grounding": True,
            "leaf_correct": True,
            "mutation_viable": True,
            "evidence_interval": scope,
            "evidence_summary": "in full view",
            "recoverable_reason": None,
        },
        "generate": {
            "replacement_value": case["replacement"],
            "question": question,
            "answer": case.get("answer", case["sentence"]),
            "counterfactual_answer": case["other"],
        },
        "verify": {
            "first": {"claims": reads[0]},
            "second": {"claims": reads[1]},
            "can_both_be_true": False,
        },
        "monitor": {
            "first": {"verdict": "supported", **side},
            "second": {"verdict": "contradicted", **side},
            "differs_in": leaf.value,
            "single_difference": True,
            "recoverable_reason": None,
        },
    }
    return Candidate(name, leaf, case["task"], copy.deepcopy(replies), question)


def bad_candidate(case: Json) -> Candidate:
    """Return a bad candidate: a good one, and what is wrong with it."""
    found = good_candidate(case["of"], **case.get("with", {}))
    for place, value in case.get("replies", {}).items():
        _put(found.replies, place, value)
    return Candidate(
        case["why"],
        found.leaf,
        found.task,
        found.replies,
        found.question,
        case.get("same"),
        case["ends"],
    )


def read(reply: object, model: type[M]) -> M:
    """Return a reply in its shape, read as the endpoint reads it.

    Raises:
        NoObject, ValidationError: If it is none.
    """
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return model.model_validate_json(object_text(text))


def swapped(reply: Mapping[str, Any]) -> Json:
    """Return a review of the answers the other way round."""
    return {**reply, "first": reply["second"], "second": reply["first"]}


def end_of(candidate: Candidate, *, factual_first: bool = True) -> Reject | Passed:
    """Return how a candidate ends: the last fact that the extractor gives is followed."""
    try:
        return _end_of(candidate, factual_first)
    except ValidationError as error:
        return Reject(Reason.SCHEMA_VIOLATION, str(error))


def _end_of(candidate: Candidate, factual_first: bool) -> Reject | Passed:
    replies = candidate.replies
    rows = constructible(read(replies["plan"], OpportunityMatrix), VIDEO_ID, DURATION_S)
    if isinstance(rows, Reject):
        return rows
    given = read(replies["extract"], LooseFacts).facts
    found = admitted(given, rows, DURATION_S)
    if found.dropped:
        return found.dropped[-1].reject
    proposed = found.facts[-1]
    source = proposed.normalized_fact
    evidence = borne_out(read(replies["reflect"], Reflection), proposed.time_scope, DURATION_S)
    if isinstance(evidence, Reject):
        return evidence
    generated = read(replies["generate"], Generated)
    sentence = proposed.natural_language_fact
    counterfactual = realized(generated, source, sentence, candidate.question, candidate.task)
    if isinstance(counterfactual, Reject):
        return counterfactual
    review = replies["verify"] if factual_first else swapped(replies["verify"])
    parse = read(review, BackParse)
    phrases = to_compare(parse, source, counterfactual, factual_first=factual_first)
    told = candidate.same if candidate.same is not None else [True] * len(phrases)
    same = read({"same": told}, Equivalence).same
    assert len(same) == len(phrases), phrases
    alike = {pair for pair, is_same in zip(phrases, same, strict=True) if is_same}
    fault = verified(
        parse,
        source,
        counterfactual,
        factual_first=factual_first,
        same=lambda one, other: same_phrase(one, other) or (one, other) in alike,
    )
    if fault:
        return fault
    review = replies["monitor"] if factual_first else swapped(replies["monitor"])
    leaf = rule_of(source).leaf
    seen = judged(
        read(review, Judgement),
        leaf,
        proposed.time_scope,
        DURATION_S,
        factual_first=factual_first,
    )
    if isinstance(seen, Reject):
        return seen
    return Passed(source, counterfactual, proposed, generated, evidence, seen)


def _fact(given: Json) -> Fact:
    text = {
        "natural_language_fact": "Anything is said.",
        "time_scope": {"start_sec": 0, "end_sec": 1},
    }
    return ProposedFact.model_validate({**text, "normalized_fact": given}).normalized_fact


def _rows(planned: Leaf) -> list[Json]:
    """Return the planner's rows: one leaf can be built on, all over the video."""
    rows = []
    for leaf, rule in LEAVES.items():
        here = leaf is planned
        rows.append(
            {
                "leaf_label": leaf.value,
                "fact_kind": rule.kind.value,
                "conflict_slot": rule.slot,
                "constructibility": "constructible" if here else "not_constructible",
                "evidence_intervals": [{"start_sec": 0, "end_sec": DURATION_S}] if here else [],
                "anchor_summary": "in the middle of the picture" if here else "",
                "decision_reason": "clearly seen" if here else "nothing of it",
            }
        )
    return rows


def _put(replies: Json, place: str, value: object) -> None:
    """Change one place, such as ``reflect.verdict``; GONE removes it, TWICE repeats it."""
    *way, last = place.split(".")
    at: Any = replies
    for step in way:
        at = at[int(step)] if isinstance(at, list) else at[step]
    key: Any = int(last) if isinstance(at, list) else last
    if value == "GONE":
        del at[key]
    elif value == "TWICE":
        at.append(at[key])
    else:
        assert isinstance(at, list) or key in at, place
        at[key] = value
