"""Spans that a reply names, or does not name, and the tokens that write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.models.detectors.localization_span import (
    Span,
    digit_tokens,
    read_span,
    why_not_scored,
)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param("[1.5, 4]", (1.5, 4.0), id="as asked"),
        pytest.param("[1.5 s, 4.0 s]", (1.5, 4.0), id="with units"),
        pytest.param("(00:01, 01:04.5)", (1.0, 64.5), id="clock"),
        pytest.param("1:00:02 - 1:00:03", (3602.0, 3603.0), id="hours"),
        pytest.param("From 1.5 to 4 seconds.", (1.5, 4.0), id="to"),
        pytest.param("1.5s\u20134s", (1.5, 4.0), id="long dash"),
        pytest.param("It happens between 2 and 3 s.", (2.0, 3.0), id="between"),
        pytest.param("It starts at 2.0 seconds and ends at 5.5.", (2.0, 5.5), id="starts, ends"),
        pytest.param('{"start": 2, "end": 5.5}', (2.0, 5.5), id="JSON"),
        pytest.param('{"start_time": "2.0", "end_time": "5.5"}', (2.0, 5.5), id="JSON of text"),
        pytest.param("[1, 4]: from 1.0 to 4.0 s", (1.0, 4.0), id="twice the same"),
        pytest.param("[4, 1]", (4.0, 1.0), id="backwards, as it is"),
        pytest.param("-2 to 3", (-2.0, 3.0), id="before the video"),
        pytest.param("The 2 dogs run from 3 to 5.", (3.0, 5.0), id="another number"),
        pytest.param("[1, 4] and [6, 8]", "several_spans", id="two"),
        pytest.param("1 to 2 minutes", "no_span", id="minutes"),
        pytest.param("1 to 25 minutes", "no_span", id="minutes, not 1 to 2"),
        pytest.param("[1, 2] minutes", "no_span", id="minutes in brackets"),
        pytest.param("frames: 10-20 frames", "no_span", id="frames"),
        pytest.param("10%-20%", "no_span", id="percent"),
        pytest.param("at 3.5 seconds", "no_span", id="one time"),
        pytest.param("2 and 3 dogs", "no_span", id="a list"),
        pytest.param("1.2.3-4", "no_span", id="a version"),
        pytest.param("1,5 to 8", "no_span", id="a comma in the first"),
        pytest.param("1 to 4,5 s", "no_span", id="a comma in the last"),
        pytest.param("between 1 and 4,5", "no_span", id="between, a comma"),
        pytest.param("start 1, end 4,5", "no_span", id="start and end, a comma"),
        pytest.param("1,000 to 1,200 s", "no_span", id="thousands"),
        pytest.param("[1,5]", (1.0, 5.0), id="brackets hold two"),
        pytest.param("start 1, end 4, it is", (1.0, 4.0), id="a comma behind"),
        pytest.param("He feeds between 2 and 3 dogs.", "no_span", id="between two counts"),
        pytest.param("2 to 3 people pass by: [4, 6]", (4.0, 6.0), id="counts beside a span"),
        pytest.param("From 2 to 4 in the video.", (2.0, 4.0), id="the sentence goes on"),
        pytest.param("2024-11-20", "no_span", id="a date"),
        pytest.param("1 - 2 - 3", "no_span", id="three numbers"),
        pytest.param("<think>maybe 1-2</think>[3, 4]", (3.0, 4.0), id="behind thinking"),
        pytest.param("<think>1-2?</think>It never does.", "no_span", id="only in thinking"),
        pytest.param("<think>It is 1-2", "unfinished", id="thinking without an end"),
        pytest.param("", "no_span", id="nothing"),
    ],
)
def test_replies(reply, expected):
    found = read_span(reply)
    assert (found if isinstance(found, str) else found[:2]) == expected


TIMES = st.decimals(0, 5000, places=2)
FORMS = (
    "[{}, {}]",
    "from {} to {} seconds",
    "{}s - {}s",
    "between {} and {}",
    "It starts {} end {}",
)


@given(TIMES, TIMES, st.sampled_from(FORMS))
def test_every_form_reads_what_was_written(start, end, form):
    reply = form.format(start, end)
    span = read_span(reply)
    assert span[:2] == (float(start), float(end))
    assert [reply[first:after] for first, after in span.places] == [str(start), str(end)]


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(reply):
    found = read_span(reply)
    assert isinstance(found, str) or len(found.places) == 2


@pytest.mark.parametrize(
    ("span", "why"),
    [
        pytest.param((0.0, 5.0), None, id="all of it"),
        pytest.param((1.0, 5.9), None, id="rounded up"),
        pytest.param((1.0, 6.1), "span_outside", id="too long"),
        pytest.param((5.0, 5.5), "span_outside", id="begins at the end"),
        pytest.param((-1.0, 2.0), "span_outside", id="begins before"),
        pytest.param((3.0, 2.0), "span_backwards", id="ends before it begins"),
        pytest.param((2.0, 2.0), "span_empty", id="no length"),
    ],
)
def test_spans_of_a_video_of_five_seconds(span, why):
    assert why_not_scored(Span(*span), 5.0) == why


def test_tokens_that_write_digits_of_the_span():
    reply = "2 é: 10.5 to 12 s"
    #         "2", " ", first and second byte of "é", ": ", "10", ".5", " ", "to 1", "2 s"
    ends = [1, 2, 3, 3, 5, 7, 9, 10, 14, 17]
    assert digit_tokens(reply, ends, read_span(reply)) == [5, 6, 8, 9]
