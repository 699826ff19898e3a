"""Every reason why a label or a verdict is missing, with its meaning."""

from __future__ import annotations

from typing import Literal

from vidomni_plugin.detectors.answer import DETECTOR_REASONS

__all__ = ["REASONS", "SentenceReason", "VerdictReason"]

SentenceReason = Literal[
    "",
    "request_failed",
    "empty",
    "unfinished_thinking",
    "thinking_only",
    "refusal",
    "echo",
    "placeholder",
    "truncated",
    "wrong_length_list",
    "duplicate_conflict",
    "ambiguous",
    "out_of_range",
    "missing_sentences",
    "no_labels",
]
"""Why a sentence has no label; ``""`` when none is missing."""
VerdictReason = Literal[
    "",
    "request_failed",
    "empty",
    "unfinished_thinking",
    "thinking_only",
    "refusal",
    "echo",
    "conflict",
    "conditional",
    "ambiguous",
    "no_verdict",
    "no_threshold",
    "not_finite",
    "no_score",
]
"""Why there is no verdict; ``""`` when there is one."""

REASONS: dict[str, str] = {
    "": "nothing is missing",
    "request_failed": "the runner's request to an API failed; it answers with its error",
    "empty": "the answer is empty or holds nothing visible",
    "unfinished_thinking": "the answer ends inside its thinking",
    "thinking_only": "thinking, and nothing after it",
    "refusal": "the model says that it cannot judge",
    "echo": "only the instruction, its options or an example came back",
    "placeholder": "the model calls its own labels placeholders",
    "truncated": "the answer was cut off before these labels",
    "wrong_length_list": "a list without keys whose length is not the number of sentences",
    "duplicate_conflict": "one sentence has two different labels",
    "conflict": "both verdicts are given and nothing says which one is meant",
    "conditional": "the verdict depends on a condition that is left open",
    "ambiguous": "the wording can be read either way: bare booleans, hedges, both options",
    "out_of_range": "a value that is not a label: 2, -1, 0.5, null",
    "missing_sentences": "labels for some sentences, silence about the others",
    "no_labels": "no label of any kind was found",
    "no_verdict": "no verdict of any kind was found",
    **DETECTOR_REASONS,
}
"""Meaning of every reason code of both parsers."""
