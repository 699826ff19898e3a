"""The journal survives kills, keeps what people wrote, and is open once at a time."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from vidomni_plugin.data.fetch.journal import FILE, Fetched, Journal, read_fetched, said
from vidomni_plugin.data.fetch.reasons import Reason
from vidomni_plugin.problems import InputProblems

DAY = datetime(2026, 11, 30, 8, 0, tzinfo=timezone.utc)


def present(video_id: str, sha: str = "a" * 64) -> Fetched:
    return Fetched(
        video_id=video_id,
        status="present",
        file=f"{video_id}.mp4",
        bytes=5,
        mtime_ns=1,
        sha256=sha,
        duration_s=4.0,
        has_audio=False,
        how="local",
        source="/data/x.mp4",
        at=DAY,
        tool="test",
    )


def failed(video_id: str, reason: Reason = Reason.REMOVED) -> Fetched:
    return Fetched(video_id=video_id, status="failed", reason=reason, at=DAY, tool="test")


def test_each_record_is_on_the_disk_at_once(tmp_path):
    with Journal(tmp_path) as journal:
        journal.add(present("a"))
        assert set(read_fetched(tmp_path)) == {"a"}
        journal.add(failed("b"))
        assert read_fetched(tmp_path)["b"].reason is Reason.REMOVED


def test_the_last_line_of_a_video_counts_and_the_end_leaves_one_each(tmp_path):
    with Journal(tmp_path) as journal:
        journal.add(failed("a"))
        journal.add(present("b"))
        journal.add(present("a"))
    assert (tmp_path / FILE).read_text().count("\n") == 2
    assert read_fetched(tmp_path)["a"] == present("a")


def test_a_line_that_a_kill_left_half_is_dropped(tmp_path):
    whole = present("a").model_dump_json() + "\n"
    (tmp_path / FILE).write_text(whole + failed("b").model_dump_json()[:40])
    with Journal(tmp_path) as journal:
        assert set(journal.records) == {"a"}
        journal.add(present("c"))
    assert set(read_fetched(tmp_path)) == {"a", "c"}


def test_a_line_that_is_no_record_is_named_and_nothing_is_lost(tmp_path):
    lines = [present("a").model_dump_json(), '{"video_id": "../x"}', "half", ""]
    (tmp_path / FILE).write_text("\n".join(lines))
    with pytest.raises(InputProblems) as caught, Journal(tmp_path):
        pass
    assert [p.place for p in caught.value.problems] == [
        f"{tmp_path / FILE}:2",
        f"{tmp_path / FILE}:3",
    ]
    assert (tmp_path / FILE).read_text() == "\n".join(lines)
    assert set(read_fetched(tmp_path)) == {"a"}  # a reader takes what it can
    (tmp_path / FILE).write_text(lines[0] + "\n")
    with Journal(tmp_path) as journal:  # the lock of the failed call is gone
        assert set(journal.records) == {"a"}


def test_two_fetches_into_one_folder(tmp_path):
    with Journal(tmp_path), pytest.raises(InputProblems) as caught, Journal(tmp_path):
        pass
    assert caught.value.problems[0].code == "locked"


def test_no_journal_is_no_record(tmp_path):
    assert read_fetched(tmp_path) == {}
    with Journal(tmp_path):
        pass
    assert read_fetched(tmp_path) == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "failed"},
        {"status": "present", "reason": Reason.REMOVED},
        {"sha256": "xyz"},
        {"sha256": None},
        {"video_id": "../up"},
        {"at": datetime(2026, 1, 1)},
    ],
)
def test_records_that_contradict_themselves(changes):
    with pytest.raises(ValueError, match="validation error"):
        Fetched.model_validate(present("a").model_dump() | changes)


def test_what_a_run_says():
    assert said(failed("a")).startswith("fetch said: removed from YouTube")
    assert said(failed("a")).endswith("on 2026-11-30 [removed]")
    assert "it was there on 2026-11-30, as videos/a.mp4" in said(present("a"))


@pytest.mark.parametrize("file", ["../../secret.mp4", "b.mp4", "a.txt", "a"])
def test_a_file_that_is_not_called_as_its_video_is_no_record(tmp_path, file):
    line = present("a").model_dump_json().replace('"a.mp4"', f'"{file}"')
    (tmp_path / FILE).write_text(line + "\n")
    assert read_fetched(tmp_path) == {}
    with pytest.raises(InputProblems, match="not called as its video"), Journal(tmp_path):
        pass


def test_a_journal_that_cannot_be_read_is_not_taken_for_an_empty_one(tmp_path):
    (tmp_path / FILE).mkdir()
    assert read_fetched(tmp_path) == {}
    with pytest.raises(OSError, match="not a regular file"), Journal(tmp_path):
        pass
    (tmp_path / FILE).rmdir()
    with Journal(tmp_path):
        pass
