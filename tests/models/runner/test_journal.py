"""A journal loses nothing to a kill, a full disk or an editor, and lets one run write at a time."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vidomni_plugin.models.runner import journal as journal_module
from vidomni_plugin.models.runner.entries import Answer, line_of, read_journal
from vidomni_plugin.models.runner.journal import Journal
from vidomni_plugin.problems import InputProblems

SETTINGS = {"inner": "toy", "arguments": {"fps": 2}}


def an_answer(key="k", **changes):
    given = {"task": "t", "item": "i", "video": "v.mp4", "text": "ACCEPT", "failure": None}
    given |= {"seconds": 0.5, "at": "2026-11-30T12:00:00+00:00"}
    return Answer(key=key, **{**given, **changes})


def fill(journal, size, written):
    for k in range(1000):
        journal.add(an_answer(str(k), text="x" * size))
        written.append(str(k))


def write(folder, *answers, rank=0):
    journal = Journal(folder, rank, SETTINGS)
    for answer in answers:
        journal.add(answer)
    journal.close()
    return journal.path


TEXTS = st.text(st.characters(), max_size=30)  # halves of characters included


@given(TEXTS, st.none() | TEXTS, st.none() | st.integers(0, 9))
@settings(max_examples=50)
def test_what_is_written_is_read(text, failure, tokens):
    answer = an_answer(text=text, failure=failure, output_tokens=tokens)
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), answer)
        contents = read_journal(Path(folder))
    kept = contents.answers if failure is None else contents.failures
    assert kept == {"k": answer}
    assert (contents.runs, contents.problems) == ([SETTINGS], [])


@given(st.data())
@settings(max_examples=40)
def test_a_kill_at_any_byte_costs_the_line_it_cuts(data):
    answers = [an_answer(str(k), text="é" * k) for k in range(6)]
    content = b"".join([line_of({"run": SETTINGS}), *map(line_of, answers)])
    size = data.draw(st.integers(0, len(content)))
    tail = data.draw(st.sampled_from([b"", bytes(300)]))  # a power cut may leave zeros
    whole = [a for k, a in enumerate(answers) if content[:size].count(b"\n") >= k + 2]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "answers.rank0.jsonl"
        path.write_bytes(content[:size] + tail)
        assert list(read_journal(path.parent).answers.values()) == whole
        write(path.parent, an_answer("new"))
        contents = read_journal(path.parent)
    assert list(contents.answers.values()) == [*whole, an_answer("new")]
    assert contents.problems == []


def test_a_torn_line_longer_than_a_block_is_cut_off(tmp_path):
    path = write(tmp_path, an_answer("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key": "' + b"x" * 200_000)
    write(tmp_path)
    assert path.read_bytes() == whole


def test_lines_that_are_no_answers_are_named_and_cost_no_other(tmp_path):
    good = asdict(an_answer("a"))
    bad = [
        "not json",
        "[1]",
        json.dumps({**good, "text": None}),
        json.dumps({**good, "more": 1}),
        json.dumps({k: v for k, v in good.items() if k != "failure"}),
        json.dumps({**good, "seconds": "long"}),
        json.dumps({**good, "output_tokens": "many"}),
        json.dumps({"run": 1}),
        json.dumps({"withdrawn": 1}),
        "[" * 100_000,
    ]
    path = tmp_path / "answers.rank3.jsonl"
    path.write_text("\n".join([*bad, json.dumps(good), ""]))
    contents = read_journal(tmp_path)
    places = [problem.place for problem in contents.problems]
    assert places == [f"{path}:{n}" for n in range(1, len(bad) + 1)]
    assert list(contents.answers) == ["a"]


def test_an_answer_outlives_failures_and_the_last_failure_counts(tmp_path):
    fails = [an_answer("a", failure=f"reason {k}", text="") for k in range(2)]
    write(tmp_path, *fails)
    assert read_journal(tmp_path).failures["a"].failure == "reason 1"
    write(tmp_path, an_answer("a"), fails[0], an_answer("a", text="a second answer"))
    contents = read_journal(tmp_path)
    assert (contents.answers, contents.failures) == ({"a": an_answer("a")}, {})


def test_withdrawn_answers_are_not_there_and_their_lines_are(tmp_path):
    journal = Journal(tmp_path, 0, SETTINGS)
    journal.add(an_answer("a"))
    journal.add(an_answer("b"))
    journal.withdraw([an_answer("a")], "all are empty")
    assert list(journal.contents.answers) == ["b"]
    journal.close()
    assert list(read_journal(tmp_path).answers) == ["b"]
    assert b'"key": "a"' in journal.path.read_bytes()
    write(tmp_path, an_answer("a", text="asked again"))
    assert read_journal(tmp_path).answers["a"].text == "asked again"


@pytest.mark.parametrize("ranks", [(0, 1), (1, 0)], ids=str)
def test_a_rank_takes_back_what_it_wrote_itself_and_no_more(ranks, tmp_path):
    """The mended start had another number of processes: its answer is in another file."""
    taking, mended = ranks
    journal = Journal(tmp_path, taking, SETTINGS)
    journal.add(an_answer("a", text=""))
    journal.withdraw([an_answer("a")], "all are empty")
    journal.close()
    write(tmp_path, an_answer("a", text="asked again"), rank=mended)
    assert read_journal(tmp_path).answers["a"].text == "asked again"


def test_an_answer_in_one_file_outlives_a_failure_in_another(tmp_path):
    for rank in (0, 2):
        write(tmp_path, an_answer("a", failure=f"reason {rank}", text=""), rank=rank)
    assert read_journal(tmp_path).failures["a"].failure == "reason 2"
    write(tmp_path, an_answer("a"), rank=1)
    contents = read_journal(tmp_path)
    assert (contents.answers, contents.failures) == ({"a": an_answer("a")}, {})
    assert contents.runs == [SETTINGS]


def test_files_of_all_ranks_count(tmp_path):
    for rank in (0, 1, 10):
        write(tmp_path, an_answer(str(rank)), rank=rank)
    assert set(read_journal(tmp_path).answers) == {"0", "1", "10"}
    assert read_journal(tmp_path / "nowhere").answers == {}


def test_another_process_is_kept_out_until_the_end(tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from vidomni_plugin.models.runner.journal import Journal\n"
        "open_now = Journal(Path(sys.argv[1]), 0, {})\n"
        "assert 'lmms_eval' not in sys.modules  # a journal needs no host\n"
        "print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(InputProblems, match="another run writes to this journal"):
            Journal(tmp_path, 0, SETTINGS)
        Journal(tmp_path, 1, SETTINGS).close()  # another rank of one run
    finally:
        other.kill()  # its lock goes with it
        other.communicate()
    Journal(tmp_path, 0, SETTINGS).close()


def test_a_run_of_fewer_ranks_is_kept_out_by_the_last_rank_of_another(tmp_path):
    """Rank 0 of the other run has ended; rank 1 still answers what is missing."""
    last = Journal(tmp_path, 1, SETTINGS, ranks=2)
    with pytest.raises(InputProblems, match="another run writes to this journal"):
        Journal(tmp_path, 0, SETTINGS, ranks=1)
    Journal(tmp_path, 0, SETTINGS, ranks=2).close()  # its own rank 0, started again
    last.close()
    Journal(tmp_path, 0, SETTINGS, ranks=1).close()


def test_the_launcher_says_how_many_ranks_a_run_has(tmp_path, monkeypatch):
    last = Journal(tmp_path, 1, SETTINGS)
    monkeypatch.setenv("WORLD_SIZE", "2")
    Journal(tmp_path, 0, SETTINGS).close()
    last.close()


def test_a_full_disk_ends_the_run_and_keeps_every_whole_line(small_disk):
    journal = Journal(small_disk, 0, SETTINGS)
    written = []
    with pytest.raises(InputProblems, match="No space left on device") as full:
        fill(journal, 1000, written)
    journal.close()
    assert "make room and start the run again" in str(full.value)
    assert len(written) > 30
    assert journal.path.read_bytes().endswith(b"}\n")
    assert list(read_journal(small_disk).answers) == written
    # With room made, the next run goes on.
    shutil.copy(journal.path, small_disk.parent)
    write(small_disk.parent, an_answer("new"))
    assert list(read_journal(small_disk.parent).answers) == [*written, "new"]


def test_a_disk_that_is_full_from_the_start(small_disk):
    with suppress(OSError), (small_disk / "full").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    with pytest.raises(InputProblems, match="No space left on device"):
        Journal(small_disk / "journal", 0, SETTINGS).add(an_answer())


def test_a_line_that_fits_in_part_is_taken_back(tmp_path):
    """The same where no file system can be mounted: a limit on the size of files."""
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.models.runner.test_journal import limited; limited(Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)


def limited(folder):
    journal = Journal(folder, 0, SETTINGS)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    written = []
    with pytest.raises(InputProblems, match="File too large"):
        fill(journal, 700, written)
    assert len(written) > 5
    assert journal.path.stat().st_size < 10_000
    assert list(read_journal(folder).answers) == written


def test_a_disk_that_does_not_keep_it_is_an_error(tmp_path, monkeypatch):
    def broken(file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    journal = Journal(tmp_path, 0, SETTINGS)
    journal.add(an_answer())
    with pytest.raises(InputProblems, match="Input/output error"):
        journal.close()
    monkeypatch.undo()
    Journal(tmp_path, 0, SETTINGS).close()  # and its lock is free


def test_the_disk_is_told_of_many_answers_at_once(tmp_path, monkeypatch):
    told, started, may_go = [], threading.Semaphore(0), threading.Event()

    def slow_disk(file):
        told.append(file)
        started.release()
        assert may_go.wait(60)

    monkeypatch.setattr(os, "fsync", slow_disk)
    monkeypatch.setattr(journal_module, "SYNC_SECONDS", 0)
    journal = Journal(tmp_path, 0, SETTINGS)
    journal.add(an_answer("0"))
    assert started.acquire(timeout=60)
    for k in range(1, 200):  # the disk is still busy with the first one
        journal.add(an_answer(str(k)))
    may_go.set()
    assert started.acquire(timeout=60)
    assert len(told) == 2  # not one for each answer
    journal.close()
    assert len(told) >= 3


@pytest.mark.parametrize("what", ["a file", "a file above"])
def test_a_folder_that_cannot_be_made(what, tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" if what == "a file" else tmp_path / "file" / "journal"
    with pytest.raises(InputProblems, match=r"the journal cannot be used: (File exists|Not a dir)"):
        Journal(folder, 0, SETTINGS)
