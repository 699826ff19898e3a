"""Each row: a reply, its choice, and why there is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.judge.verdict import NO_CHOICE, parse_choice


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Verdict: 1", "first"),
        ("Verdict: 2", "second"),
        ("Verdict: tie", "tie"),
        ("It names colours and places.\nVerdict: 1\n", "first"),
        ("verdict: 2.", "second"),
        ("VERDICT : 1!", "first"),
        ("Verdict - 2", "second"),
        ("Verdict = 1", "first"),
        ("Verdict: Description 1", "first"),
        ("Verdict: description_2", "second"),
        ("Verdict: Caption 2", "second"),
        ("Verdict: The first description", "first"),
        ("Verdict: second", "second"),
        ("Verdict: A", "first"),
        ("Verdict: B", "second"),
        ("Verdict: a tie", "tie"),
        ("Verdict: Tied", "tie"),
        ("Verdict: neither", "tie"),
        ("Verdict: both are equal", "tie"),
        ("**Verdict: 1**", "first"),
        ("**Verdict:** 2", "second"),
        ("### Verdict: **2**", "second"),
        ("- Verdict: `1`", "first"),
        ("> Verdict: 1", "first"),
        ("Verdict: [[2]]", "second"),
        ('Verdict: "1"', "first"),
        ("Verdict: <1>", "first"),
        ("### Verdict\n\n1", "first"),
        ("**Verdict:**\nDescription 2", "second"),
        ("The final verdict is 2.", "second"),
        ("My verdict: 1", "first"),
        ("Winner: Caption 1", "first"),
        ("Final answer: 2", "second"),
        ("Feedback: the first has more. [RESULT] A", "first"),
        ("Feedback: the first has less.\n[RESULT] 2", "second"),
        ("\\boxed{2}", "second"),
        ("So it is <answer>1</answer>", "first"),
        ("2", "second"),
        ("It has more.\n\nDescription 1.", "first"),
        ("Reason: it has more, so verdict: 2", "second"),
        ("It has more details. Verdict: 1", "first"),
        ("Verdict: 1, because it does not repeat itself", "first"),
        ("Verdict: 2 (it names a dog and a cat)", "second"),
        ("Verdict: 1 (Description 1)", "first"),
        ("Verdict: B (the second)", "second"),
        ("Verdict\uff1a2", "second"),
        ("Verdict: 1\nWait, there is more.\nVerdict: 2", "second"),
        ("Verdict: 2\nVerdict: 2", "second"),
        ("<think>Verdict: 1</think>\nVerdict: 2", "second"),
        ("<think>1 or 2?</think>1", "first"),
        ("Verdict: 1\r\n", "first"),
        ("", "empty"),
        ("  \n", "empty"),
        ("<think>Verdict: 1</think>", "empty"),
        ("<think>Verdict: 1", "unfinished"),
        ("Verdict: 1\n<think>no", "unfinished"),
        ("Verdict: 1 (Description 2)", "both"),
        ("Verdict: 1 or 2", "both"),
        ("Verdict: 1/2", "both"),
        ("Verdict: A or B", "both"),
        ("Verdict: 1 Verdict: 2", "both"),
        ("Verdict: 1 is better than 2", "both"),
        ("Verdict: description 1 beats description 2", "both"),
        ("Verdict: 1\nVerdict: 2 or tie", "both"),
        ("Verdict: [1/2/tie]", "both"),
        ("Verdict: not 1", "none"),
        ("Verdict: 1 is not better", "none"),
        ("Verdict: unclear", "none"),
        ("Verdict: 3", "none"),
        ("Verdict: 12", "none"),
        ("Verdict: 1.5 points", "none"),
        ("Verdict:", "none"),
        ("Description 1 is better.", "none"),
        ("1 is better than 2", "none"),
        ("The result of all this shows that description 1 has more.", "none"),
        ("I cannot compare them.", "none"),
        ("1\n2\nboth have merits", "none"),
        ("Verdict: 1\nVerdict: I am not sure", "none"),
    ],
)
def test_replies(reply, expected):
    reading = parse_choice(reply)
    if expected in NO_CHOICE:
        assert (reading.choice, reading.reason) == (None, expected)
    else:
        assert (reading.choice, reading.reason) == (expected, "")


@given(st.text())
def test_any_text_gives_a_choice_or_a_reason(text):
    reading = parse_choice(text)
    assert (reading.choice is None) == (reading.reason in NO_CHOICE)


LINE = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=40)


@given(st.lists(LINE, max_size=4), st.sampled_from(["1", "2"]))
def test_a_last_line_with_a_plain_verdict_decides(lines, choice):
    """Whatever comes before, unless it opens thinking."""
    text = "\n".join(line.replace("<", "").replace("[", "").replace("◁", "") for line in lines)
    reading = parse_choice(f"{text}\nVerdict: {choice}")
    assert reading.choice == {"1": "first", "2": "second"}[choice]
