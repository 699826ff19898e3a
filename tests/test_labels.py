"""Answers in, labels out: case files, mutations, long inputs and the cases users asked for.

``sentence_answers.jsonl`` and ``verdict_answers.jsonl`` hold one answer a line with what a
careful reader reads in it; in the first, ``.`` stands for a sentence without a label.
"""

import json
import random
import time
from pathlib import Path

import pytest

from vidomni_plugin.labels import REASONS, Verdict, parse_sentence_labels, parse_verdict

CASES = Path(__file__).parent / "cases"
MEGABYTE = 1_000_000
MOST_FAILED = 4
"""Of the 130 invented outputs; a flipped label is never allowed."""
MUTATIONS = 10_000
SLOWEST = 1.0
"""Seconds that one answer of a megabyte may take."""


def rows(name):
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


OUTPUTS = rows("parser_cases.jsonl")
SENTENCE_ANSWERS = rows("sentence_answers.jsonl")
VERDICT_ANSWERS = rows("verdict_answers.jsonl")


def written(labels):
    return "".join("." if label is None else str(label) for label in labels)


def test_invented_outputs():
    failed, flipped = [], []
    for case in OUTPUTS:
        expected = case["expected"]
        if case["task"] == "vidomni":
            got = parse_sentence_labels(case["raw"], case["n"])
            right = list(got.labels) == expected["labels"] and got.status == expected["status"]
            pairs = list(zip(got.labels, expected["labels"], strict=True))
        else:
            label = parse_verdict(case["raw"]).label
            right = label == expected["label"]
            pairs = [(label, expected["label"])]
        if not right:
            failed.append(case["id"])
        if any(a is not None and b is not None and a != b for a, b in pairs):
            flipped.append(case["id"])
    assert not flipped
    assert len(failed) <= MOST_FAILED, failed


@pytest.mark.parametrize("case", SENTENCE_ANSWERS, ids=lambda case: f"{case['group']}-{case['id']}")
def test_sentence_answers(case):
    got = parse_sentence_labels(case["text"], case["n"])
    assert written(got.labels) == case["expected"], got.reason


@pytest.mark.parametrize("case", VERDICT_ANSWERS, ids=lambda case: f"{case['group']}-{case['id']}")
def test_verdict_answers(case):
    got = parse_verdict(case["text"])
    assert got.label == case["expected"], got.reason


@pytest.mark.parametrize(
    ("text", "label", "reason"),
    [
        pytest.param("<think>REJECT</think>ACCEPT", "ACCEPT", "", id="after thinking"),
        pytest.param("REJECT</think>ACCEPT", "ACCEPT", "", id="no opening tag"),
        pytest.param("<think>ACCEPT because", None, "unfinished_thinking", id="cut thinking"),
        pytest.param("Accept.", "ACCEPT", "", id="full stop"),
        pytest.param("**ACCEPT**", "ACCEPT", "", id="bold"),
        pytest.param("Verdict: accept", "ACCEPT", "", id="prefix"),
        pytest.param("unacceptable", None, "no_verdict", id="inside a word"),
        pytest.param("maybe", None, "no_verdict", id="hedge"),
        pytest.param("", None, "empty", id="nothing"),
        pytest.param(" \u200b\n", None, "empty", id="nothing visible"),
        pytest.param("<think>ACCEPT</think>", None, "thinking_only", id="only thinking"),
        pytest.param("I'm sorry, I cannot view videos.", None, "refusal", id="refusal"),
        pytest.param("ACCEPT or REJECT", None, "echo", id="echo"),
        pytest.param("ACCEPT here, REJECT there.", None, "conflict", id="conflict"),
        pytest.param("If red, ACCEPT, otherwise REJECT.", None, "conditional", id="conditional"),
    ],
)
def test_verdict_reasons(text, label, reason):
    got = parse_verdict(text)
    assert (got.label, got.reason) == (label, reason)
    assert parse_verdict(text) == got


@pytest.mark.parametrize(
    ("text", "n", "labels", "status", "reason"),
    [
        ('{"sentence_1": 0, "sentence_2": 1}', 2, "01", "ok", ""),
        ("", 2, "..", "none", "empty"),
        ("anything", 0, "", "ok", ""),
        ('<think>{"sentence_1": 0}', 1, ".", "none", "unfinished_thinking"),
        ('<think>{"sentence_1": 0}</think>', 1, ".", "none", "thinking_only"),
        ("I'm sorry, I cannot view videos.", 1, ".", "none", "refusal"),
        ('Format: {"sentence_1": 0 or 1}', 1, ".", "none", "echo"),
        ('{"sentence_1": 0}\n(placeholder)', 1, ".", "none", "placeholder"),
        ('{"sentence_1": 0, "sentence_2":', 2, "0.", "partial", "truncated"),
        ("[0, 1, 1]", 2, "..", "none", "wrong_length_list"),
        ('{"sentence_1": 0, "sentence_1": 1}', 1, ".", "none", "duplicate_conflict"),
        ('{"sentence_1": true}', 1, ".", "none", "ambiguous"),
        ('{"sentence_1": 0.5, "sentence_2": 1}', 2, ".1", "partial", "out_of_range"),
        ('{"sentence_1": 0}', 2, "0.", "partial", "missing_sentences"),
        ("A dog runs.", 1, ".", "none", "no_labels"),
    ],
)
def test_sentence_reasons(text, n, labels, status, reason):
    got = parse_sentence_labels(text, n)
    assert (written(got.labels), got.status, got.reason) == (labels, status, reason)
    assert parse_sentence_labels(text, n) == got


PIECES = [
    *'{}[]()<>"`*:,=|\\/#~0123456789\n\t',
    *("\u2028", "\u200b", "\ufeff", "\ud800", "\udfff", "\x00", "\x1b[1m", "\u0301", "\uff11"),
    *(
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "\\boxed{",
        "```json",
        "~~",
        "&quot;",
        "<|end|>",
    ),
    *("sentence_1", "Sentence 2 is ", " not ", "ACCEPT", "REJECT", "true", "null", "0 or 1", "..."),
    *("\u7b2c\u4e00\u53e5", "\u63a5\u53d7", "\u2462", "\U0001d400", "n't ", "if ", "correction: "),
]


def mutated(rng, texts):
    text = rng.choice(texts)
    for _ in range(rng.randint(1, 4)):
        a, b = sorted(rng.randint(0, len(text)) for _ in range(2))
        other = rng.choice(texts)
        text = rng.choice(
            [
                text[:a],
                text[a:],
                text[:a] + text[b:],
                text[:a] + other[len(other) // 2 :],
                text[:b] + text[a:],
                text[:a] + rng.choice(PIECES) + text[a:],
                text[:a] + text[a:b].swapcase() + text[b:],
                text[:a] + text[a:b][::-1] + text[b:],
                text[:a] + rng.choice(PIECES) * rng.randint(1, 9) + text[b:],
            ]
        )
    return text[:6000]


def test_mutations_raise_nothing_and_stay_consistent():
    rng = random.Random(20260921)
    texts = [case["raw"][:3000] for case in OUTPUTS]
    texts += [case["text"] for case in (*SENTENCE_ANSWERS, *VERDICT_ANSWERS)]
    for _ in range(MUTATIONS):
        text, n = mutated(rng, texts), rng.randint(0, 12)
        got = parse_sentence_labels(text, n)
        found = sum(label is not None for label in got.labels)
        assert isinstance(got.labels, tuple)
        assert len(got.labels) == n, text
        assert all(
            label is None or (type(label) is int and label in (0, 1)) for label in got.labels
        )
        assert got.status == ("ok" if found == n else "partial" if found else "none"), text
        assert got.reason in REASONS
        assert (got.reason == "") == (found == n), text
        verdict = parse_verdict(text)
        assert verdict.label in ("ACCEPT", "REJECT", None)
        assert verdict.reason in REASONS
        assert (verdict.reason == "") == (verdict.label is not None), text


def long(piece, size=MEGABYTE):
    return (piece * (size // len(piece) + 1))[:size]


LONG_PIECES = [
    *(
        "{",
        "[",
        "(((",
        '"',
        "\\",
        "'",
        "|",
        "\n",
        " ",
        "0",
        "1, ",
        "a",
        "\u0301",
        "<think>",
        "</think>",
    ),
    *(
        '{"a":"',
        '{"sentence_1":',
        "sentence_1: ",
        "Sentence 1 is ",
        '"sentence_1": 0, ',
        "| 1 | 0 |\n",
    ),
    *(
        "```json\n",
        "<answer>",
        "\\boxed{",
        '\\"',
        "&quot;",
        "ACCEPT ",
        "REJECT\n",
        "accept or ",
        "not ",
    ),
    *(
        "i would ",
        "verdict: ",
        "ACCEPT ACCEPT or ",
        "A C C E P T ",
        "~~",
        "1. ",
        "one ",
        "/*",
        "if ",
    ),
    *(
        "the caption says ",
        "sentence_1 should be ",
        "final answer: ",
        "only sentence 1 ",
        "all sentences ",
    ),
]


def seconds(text):
    """Return the processor time of the slower parser: what else runs does not count."""
    start = time.process_time()
    parse_sentence_labels(text, 26)
    middle = time.process_time()
    parse_verdict(text)
    return max(middle - start, time.process_time() - middle)


@pytest.mark.parametrize("piece", LONG_PIECES)
def test_a_megabyte_takes_less_than_a_second(piece):
    assert min(seconds(long(piece)) for _ in range(2)) < SLOWEST


@pytest.mark.parametrize(
    "piece", ['{"a":"', "</think>", "</think> a ", "\u0301", "sentence_1: ", '\\"']
)
def test_time_grows_with_length_and_not_faster(piece):
    quarter, whole = (
        min(seconds(long(piece, size)) for _ in range(3)) for size in (MEGABYTE // 4, MEGABYTE)
    )
    assert whole < 8 * quarter + 0.8  # a quadratic step would take sixteen times as long


def test_a_failed_request_is_no_answer():
    """The host's API runners answer with their error, which may hold any word."""
    text = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] the server rejected it: ACCEPT"
    assert parse_verdict(text) == Verdict(None, "request_failed")
    assert parse_sentence_labels(text, 2).reason == "request_failed"
