"""Certificate Coverage: a case worked by hand, the union against a raster, and bad files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import write_lines
from tests.data.statistics.samples import pair, parsed
from vidomni_plugin.data.statistics.certificates import (
    coverage,
    read_certificates,
    seen_seconds,
)
from vidomni_plugin.data.statistics.measures import Measure
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Certificate

PAIRS = {
    record.pair_id: record
    for record in parsed(
        pair("a1", [0, 1, None], video_id="a", duration_s=10.0, complexity_type=1),
        pair("a2", [0], video_id="a", duration_s=10.0, complexity_type=1),
        pair("b1", [1], video_id="b", duration_s=100.0, complexity_type=5),
    )
}


def line(pair_id, sentence, *intervals, **more):
    return {"pair_id": pair_id, "sentence": sentence, "intervals": list(intervals), **more}


def read(path, *rows):
    release = read_certificates(write_lines(path / "c.jsonl", list(rows)), PAIRS)
    return [entry.record for entry in release.entries]


def test_by_hand(tmp_path):
    """Video a: 50 %, mean of two annotators (20 and 40) 30 %, 100 %; video b: 10 %."""
    found = read(
        tmp_path,
        line("a1", 1, [0.0, 3.0], [2.0, 4.0], [9, 10]),  # union 5 s, from 0 to 10 s
        line("a1", 2, [0, 2], annotator="x"),
        line("a1", 2, [0, 4], annotator="y"),
        line("a2", 1, [0, 10.4]),  # a little beyond the rounded duration: cut to 10 s
        line("b1", 1, [5.5, 15.5]),
    )
    both = coverage(found, PAIRS)
    assert both.seen == Measure(pytest.approx((60 + 10) / 2), 2, "videos")
    assert both.hull == Measure(pytest.approx(((100 + 30 + 100) / 3 + 10) / 2), 2, "videos")
    assert both.sentences == 4
    assert coverage(found, PAIRS, 5).seen == Measure(pytest.approx(10.0), 1, "videos")
    assert coverage(found, PAIRS, 3).seen.value is None


SECONDS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda x: (x[0], x[0] + x[1])),
    min_size=1,
    max_size=8,
)


@given(SECONDS)
def test_the_union_agrees_with_counting_each_second(intervals):
    seconds = {second for start, end in intervals for second in range(start, end)}
    assert seen_seconds(intervals) == len(seconds)


@given(SECONDS, st.randoms())
def test_the_union_does_not_depend_on_the_order_and_adding_never_shrinks_it(intervals, rng):
    mixed = list(intervals)
    rng.shuffle(mixed)
    assert seen_seconds(mixed) == seen_seconds(intervals)
    assert seen_seconds(intervals[1:]) <= seen_seconds(intervals)


@pytest.mark.parametrize(
    ("row", "code", "message"),
    [
        (line("zz", 1, [0, 1]), "certificate", "no pair 'zz'"),
        (line("a1", 4, [0, 1]), "certificate", "sentence 4 of a caption with 3"),
        (line("a1", 3, [0, 1]), "certificate", "is Unknown"),
        (line("a1", 1, [0, 11.5]), "certificate", "in a video of 10.0 s"),
        (line("a1", 1, [10, 10.5]), "certificate", "in a video of 10.0 s"),
        (line("a1", 1, [3, 3]), "record", "does not end after it starts"),
        (line("a1", 1, [-1, 3]), "record", "greater than or equal to 0"),
        (line("a1", 1), "record", "at least 1 item"),
        (line("a1", 0, [0, 1]), "record", "greater than or equal to 1"),
        (line("a1", 2, [0, 1]), "repeated-id", "already used"),
        ({"pair_id": "a1"}, "record", "Field required"),
    ],
)
def test_a_bad_line_is_named(row, code, message, tmp_path):
    with pytest.raises(InputProblems) as caught:
        read(tmp_path, line("a1", 2, [0, 1]), row)
    assert {problem.code for problem in caught.value.problems} == {code}
    assert all(problem.place.endswith("c.jsonl:2") for problem in caught.value.problems)
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputProblems, match="no-file"):
        read_certificates(tmp_path / "none.jsonl", PAIRS)


def test_the_page_shows_certificates_that_can_be_read():
    page = Path(__file__).parents[3] / "docs" / "statistics.md"
    (block,) = re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    read_as = [Certificate.model_validate_json(row) for row in block.splitlines()]
    assert [record.annotator for record in read_as] == [None, "anna"]


def test_the_worked_case_of_the_page(tmp_path):
    pairs = {"p": parsed(pair("p", [0, 1], duration_s=10.0))[0]}
    rows = [line("p", 1, [0, 3], [2, 4], [9, 10]), line("p", 2, [0, 3])]
    release = read_certificates(write_lines(tmp_path / "c.jsonl", rows), pairs)
    found = coverage([entry.record for entry in release.entries], pairs)
    assert (found.seen.value, found.hull.value) == (pytest.approx(40.0), pytest.approx(65.0))
