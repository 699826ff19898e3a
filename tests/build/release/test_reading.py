"""What runs give, and which pairs do not go together."""

from __future__ import annotations

import sqlite3

import pytest

from tests.build.release.runs import CLIPS, pair, run_of
from vidomni_plugin.build.release.reading import read_runs
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Leaf

AVH, ECH, EQH = Leaf.ATTRIBUTE_VALUE, Leaf.ENTITY_CATEGORY, Leaf.ENTITY_QUANTITY
ONE, OTHER = CLIPS[:2]


def problems(*folders):
    with pytest.raises(InputProblems) as caught:
        read_runs(folders)
    return [(one.code, one.place.rpartition("/")[2], one.message) for one in caught.value.problems]


def test_contents_come_in_the_order_of_task_and_id_whatever_the_order_of_lines(tmp_path):
    rows = [
        pair(OTHER, AVH),
        pair(ONE, ECH),
        pair(ONE, AVH),
        pair(CLIPS[2], AVH, "video_captioning"),
    ]
    forth = read_runs([run_of(tmp_path / "a", rows)])
    back = read_runs([run_of(tmp_path / "b", rows[::-1])])
    ids = [content.source_id for content in forth.contents]
    assert ids == [CLIPS[2].stem, ONE.stem, OTHER.stem]
    assert [len(content.records) for content in forth.contents] == [1, 2, 1]
    assert [c.records for c in forth.contents] == [c.records for c in back.contents]


def test_two_runs_give_pairs_of_one_video(tmp_path):
    """It may have another id, and another parent, in the other run."""
    first = run_of(tmp_path / "a", [pair(ONE, ECH, parent="match 3")])
    second = run_of(tmp_path / "b", [pair(ONE, AVH, video_id="again")])
    (content,) = read_runs([first, second]).contents
    assert (content.source_id, content.parents) == ("again", {"match 3", "again"})
    assert len(content.records) == 2


def test_no_run_and_a_run_without_pairs_are_both_told(tmp_path):
    good = run_of(tmp_path / "good", [pair(ONE, ECH)])
    empty = run_of(tmp_path / "empty", [])
    assert problems(good, empty, tmp_path / "none") == [
        ("no-file", "pairs_extended.jsonl", "No such file or directory"),
        ("no-pairs", "pairs_extended.jsonl", "there is no pair in it"),
    ]


def test_a_run_named_twice_is_told_once(tmp_path):
    run = run_of(tmp_path / "run", [pair(ONE, ECH), pair(OTHER, ECH)])
    (tmp_path / "link").symlink_to(run)
    assert problems(run, tmp_path / "link") == [("usage", "--pairs", "one folder is named twice")]


@pytest.mark.parametrize(
    ("second", "code", "message"),
    [
        pytest.param(
            pair(ONE, ECH, pair_id="p2"), "repeated-id", "fact 'fact_", id="the same fact"
        ),
        pytest.param(
            pair(ONE, ECH, fact_id="fact_2", pair_id="p2"),
            "record",
            "the video has a pair of EntityCategory",
            id="the same leaf",
        ),
        pytest.param(
            pair(ONE, AVH, "video_captioning"), "record", "is used for video_qa", id="another task"
        ),
        pytest.param(pair(OTHER, AVH, schema_version="1"), "record", "schema_version", id="schema"),
        pytest.param(
            pair(OTHER, AVH, conflict_slot="count"), "record", "change 'count'", id="slot"
        ),
    ],
)
def test_pairs_that_do_not_go_together(tmp_path, second, code, message):
    run = run_of(tmp_path / "a", [pair(ONE, ECH)])
    found = problems(run, run_of(tmp_path / "b", [second]))
    assert {(one[0], one[1]) for one in found} <= {
        (code, "pairs_extended.jsonl:1"),
        ("repeated-id", "pairs_extended.jsonl:1"),
    }
    assert any(one[0] == code and message in one[2] for one in found)


def test_a_copy_of_a_run_is_one_line(tmp_path):
    """And not one a pair, beside another one about its video."""
    rows = [pair(path, leaf) for path in CLIPS[:3] for leaf in (ECH, AVH)]
    first = run_of(tmp_path / "run", rows)
    copy = run_of(tmp_path / "runc", rows)
    third = run_of(tmp_path / "more", [*rows[:1], pair(CLIPS[4], ECH)])
    assert problems(first, copy, third) == [
        ("repeated-id", "runc", f"it has 6 pairs of {first}: give one of them"),
        ("repeated-id", "more", f"it has 1 pair of {first}: give one of them"),
    ]


def test_every_bad_record_is_told_at_once(tmp_path):
    third = pair(ONE, AVH)
    rows = [pair(ONE, ECH), pair(ONE, EQH), third, pair(OTHER, ECH, schema_version="x")]
    assert [one[:2] for one in problems(run_of(tmp_path, rows))] == [
        ("record", "pairs_extended.jsonl:4"),
        ("record", "pairs_extended.jsonl:3"),
    ]


def test_a_line_that_is_no_record(tmp_path):
    run = run_of(tmp_path, [pair(ONE, ECH)])
    with (run / "pairs_extended.jsonl").open("a") as file:
        file.write('{"public": 1}\n{"publ')
    places = {one[:2] for one in problems(run)}
    assert places == {("record", "pairs_extended.jsonl:2"), ("record", "pairs_extended.jsonl:3")}


def test_what_a_killed_run_did_not_write_is_a_note(tmp_path):
    run = run_of(tmp_path, [pair(ONE, ECH)])
    with sqlite3.connect(run / "pairs.sqlite") as database:
        database.execute("CREATE TABLE pairs (pair_id TEXT)")
        database.executemany("INSERT INTO pairs VALUES (?)", [("a",), ("b",), ("c",)])
    database.close()
    (note,) = read_runs([run]).notes
    assert "its store has 3 pairs, pairs_extended.jsonl 1" in note
