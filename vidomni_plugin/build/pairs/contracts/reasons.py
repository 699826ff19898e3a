"""Why a candidate is not committed: one closed code a gate."""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple

__all__ = ["MEANINGS", "Meaning", "Reason", "ReasonClass", "Stage"]

Stage = Literal["HCR", "FER", "allocation", "GVP", "CRV", "commit", "call"]
"""HCR category retrieval, FER extraction and reflection, GVP generation and verification,
CRV reliability validation."""
ReasonClass = Literal["content", "format", "infra"]
"""content is final; format is final after one repair; infra is tried again by the next run."""


class Reason(str, Enum):
    """Code of a rejection."""

    OPPORTUNITY_ROWS_INVALID = "opportunity_rows_invalid"
    OPPORTUNITY_TAXONOMY_MISMATCH = "opportunity_taxonomy_mismatch"
    NO_CONSTRUCTIBLE_LEAF = "no_constructible_leaf"
    NO_FACT = "no_fact"
    FACT_UNPLANNED_LEAF = "fact_unplanned_leaf"
    FACT_DUPLICATE_LEAF = "fact_duplicate_leaf"
    FACT_SCOPE_INVALID = "fact_scope_invalid"
    FACT_SHAPE_INVALID = "fact_shape_invalid"
    FACT_CAMERA_SOURCE_INVALID = "fact_camera_source_invalid"
    SLOT_LEAK_IN_ANCHOR = "slot_leak_in_anchor"
    REFLECTION_CONTRADICTED = "reflection_contradicted"
    REFLECTION_INSUFFICIENT = "reflection_insufficient"
    AMBIGUOUS_GROUNDING = "ambiguous_grounding"
    LEAF_BOUNDARY_FAILED = "leaf_boundary_failed"
    MUTATION_NOT_VIABLE = "mutation_not_viable"
    EVIDENCE_INTERVAL_MISMATCH = "evidence_interval_mismatch"
    VIDEO_CAP = "video_cap"
    LEAF_CAP = "leaf_cap"
    DUPLICATE_FACT = "duplicate_fact"
    QUESTION_CHANGED = "question_changed"
    ANSWER_CHANGED = "answer_changed"
    ANSWER_FORM_INVALID = "answer_form_invalid"
    POLARITY_WRONG = "polarity_wrong"
    REPLACEMENT_INVALID = "replacement_invalid"
    REPLACEMENT_EQUAL = "replacement_equal"
    REPLACEMENT_COMPATIBLE = "replacement_compatible"
    EXTRA_ATOMIC_FACT = "extra_atomic_fact"
    ANCHOR_CHANGED = "anchor_changed"
    MULTIPLE_CHANGED_SLOTS = "multiple_changed_slots"
    WRONG_LEAF_AFTER_BACKPARSE = "wrong_leaf_after_backparse"
    BACKPARSE_MISMATCH = "backparse_mismatch"
    ANSWER_NOT_SUPPORTED = "answer_not_supported"
    COUNTERFACTUAL_NOT_CONTRADICTED = "counterfactual_not_contradicted"
    TRUE_ELSEWHERE = "true_elsewhere"
    ADDITIONAL_ERROR = "additional_error"
    MONITOR_WRONG_LEAF = "monitor_wrong_leaf"
    MONITOR_REJECTED = "monitor_rejected"
    DUPLICATE_PAIR_ID = "duplicate_pair_id"
    TARGET_REACHED = "target_reached"
    INVALID_JSON = "invalid_json"
    SCHEMA_VIOLATION = "schema_violation"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    BAD_REQUEST = "bad_request"
    VIDEO_UNREADABLE = "video_unreadable"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    NO_CONNECTION = "no_connection"
    AUTH_FAILED = "auth_failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    STOPPED = "stopped"


class Meaning(NamedTuple):
    """What a code says."""

    stage: Stage
    kind: ReasonClass
    text: str


_R = Reason
MEANINGS: dict[Reason, Meaning] = {
    _R.OPPORTUNITY_ROWS_INVALID: Meaning(
        "HCR",
        "content",
        "the planner's rows are not one for each of the eight leaves, or all constructible ones "
        "lack an anchor or have an interval that is not in the video",
    ),
    _R.OPPORTUNITY_TAXONOMY_MISMATCH: Meaning(
        "HCR", "content", "a row's kind of fact or slot is not that of its leaf"
    ),
    _R.NO_CONSTRUCTIBLE_LEAF: Meaning("HCR", "content", "no leaf can be built on in this video"),
    _R.NO_FACT: Meaning("FER", "content", "the extractor found no fact"),
    _R.FACT_UNPLANNED_LEAF: Meaning(
        "FER", "content", "the fact belongs to a leaf that the planner did not call constructible"
    ),
    _R.FACT_DUPLICATE_LEAF: Meaning(
        "FER", "content", "the leaf already has a fact; the first one counts"
    ),
    _R.FACT_SCOPE_INVALID: Meaning(
        "FER",
        "content",
        "the fact's time has no length, is outside the video, or meets no planned interval",
    ),
    _R.FACT_SHAPE_INVALID: Meaning(
        "FER",
        "content",
        "the fact has not exactly the keys and values of its kind, or is not one full sentence; or "
        "a text is longer than one line",
    ),
    _R.FACT_CAMERA_SOURCE_INVALID: Meaning(
        "FER", "content", "a camera fact without one of the ten changes, such as a stationary shot"
    ),
    _R.SLOT_LEAK_IN_ANCHOR: Meaning(
        "FER", "content", "another part of the fact already says what the slot holds"
    ),
    _R.REFLECTION_CONTRADICTED: Meaning("FER", "content", "a second look finds the fact wrong"),
    _R.REFLECTION_INSUFFICIENT: Meaning("FER", "content", "a second look cannot settle the fact"),
    _R.AMBIGUOUS_GROUNDING: Meaning(
        "FER", "content", "the fact could mean several things or events"
    ),
    _R.LEAF_BOUNDARY_FAILED: Meaning(
        "FER", "content", "the fact does not belong to its leaf, such as a cause told as an order"
    ),
    _R.MUTATION_NOT_VIABLE: Meaning(
        "FER", "content", "no false value exists that the video rules out"
    ),
    _R.EVIDENCE_INTERVAL_MISMATCH: Meaning(
        "FER", "content", "the evidence lies outside the fact's time or the video, or there is none"
    ),
    _R.VIDEO_CAP: Meaning("allocation", "content", "the video has its pairs already"),
    _R.LEAF_CAP: Meaning(
        "allocation", "content", "the leaf has its pairs already, in the video or in all"
    ),
    _R.DUPLICATE_FACT: Meaning("allocation", "content", "the fact was used already"),
    _R.QUESTION_CHANGED: Meaning("GVP", "content", "the question is not the one that was given"),
    _R.ANSWER_CHANGED: Meaning("GVP", "content", "the factual answer is not the accepted sentence"),
    _R.ANSWER_FORM_INVALID: Meaning(
        "GVP", "content", "an answer has not the form of its task and leaf"
    ),
    _R.POLARITY_WRONG: Meaning(
        "GVP", "content", "Yes or No does not agree with what the answer says"
    ),
    _R.REPLACEMENT_INVALID: Meaning("GVP", "content", "the slot cannot hold the false value"),
    _R.REPLACEMENT_EQUAL: Meaning("GVP", "content", "the false value is the true one"),
    _R.REPLACEMENT_COMPATIBLE: Meaning(
        "GVP",
        "content",
        "the false value can be true beside the true one: a synonym, a wider or narrower word",
    ),
    _R.EXTRA_ATOMIC_FACT: Meaning("GVP", "content", "an answer claims more than the one fact"),
    _R.ANCHOR_CHANGED: Meaning("GVP", "content", "an answer is about another thing, event or time"),
    _R.MULTIPLE_CHANGED_SLOTS: Meaning(
        "GVP", "content", "the answers differ in more than the slot"
    ),
    _R.WRONG_LEAF_AFTER_BACKPARSE: Meaning(
        "GVP", "content", "an answer states a fact of another leaf"
    ),
    _R.BACKPARSE_MISMATCH: Meaning(
        "GVP", "content", "an answer does not state the value it is to state"
    ),
    _R.ANSWER_NOT_SUPPORTED: Meaning(
        "CRV", "content", "the video does not support the factual answer"
    ),
    _R.COUNTERFACTUAL_NOT_CONTRADICTED: Meaning(
        "CRV", "content", "the video does not contradict the counterfactual answer"
    ),
    _R.TRUE_ELSEWHERE: Meaning(
        "CRV", "content", "the counterfactual answer is true of another part of the video"
    ),
    _R.ADDITIONAL_ERROR: Meaning("CRV", "content", "an answer has a second error"),
    _R.MONITOR_WRONG_LEAF: Meaning(
        "CRV", "content", "the answers differ in what belongs to another leaf"
    ),
    _R.MONITOR_REJECTED: Meaning(
        "CRV", "content", "the monitor gives no evidence, or sees more than one difference"
    ),
    _R.DUPLICATE_PAIR_ID: Meaning("commit", "content", "a pair with this id exists"),
    _R.TARGET_REACHED: Meaning("commit", "content", "all pairs that were asked for exist"),
    _R.INVALID_JSON: Meaning("call", "format", "the reply is no JSON, also after one repair"),
    _R.SCHEMA_VIOLATION: Meaning(
        "call", "format", "the reply has not the asked shape, also after one repair"
    ),
    _R.TRUNCATED: Meaning("call", "format", "the reply was cut off by the token limit"),
    _R.REFUSED: Meaning("call", "content", "the model refused to answer"),
    _R.BAD_REQUEST: Meaning("call", "infra", "the server calls the request wrong"),
    _R.VIDEO_UNREADABLE: Meaning("call", "content", "the video cannot be decoded"),
    _R.TIMEOUT: Meaning("call", "infra", "no reply in time"),
    _R.RATE_LIMITED: Meaning("call", "infra", "the server asks to slow down, also after retries"),
    _R.SERVER_ERROR: Meaning("call", "infra", "the server failed, also after retries"),
    _R.NO_CONNECTION: Meaning("call", "infra", "no connection to the server"),
    _R.AUTH_FAILED: Meaning(
        "call", "infra", "the server refuses the key, the model or the address"
    ),
    _R.BUDGET_EXHAUSTED: Meaning("call", "infra", "the next call could cost more than is left"),
    _R.STOPPED: Meaning("call", "infra", "the run was stopped"),
}
"""Meaning of every code; docs/reason_codes.md is made of it."""
