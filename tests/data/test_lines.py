"""Files are written whole or not at all, and are as open as any file."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time

import pytest

from tests.conftest import vidomni_record
from vidomni_plugin.data.lines import why_no_lines, write_jsonl, write_text
from vidomni_plugin.data.releases import read_vidomni
from vidomni_plugin.records import VidOmniPair


def test_records_come_back_as_they_were_written(tmp_path):
    odd = vidomni_record(caption_source="a\u2028b\n\x0c\U0001f3a5")
    records = [VidOmniPair.model_validate_json(json.dumps(odd))]
    write_jsonl(tmp_path / "new" / "pairs.jsonl", records)
    release = read_vidomni(tmp_path / "new")
    assert release.problems == []
    assert [entry.record for entry in release.entries] == records


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "rows.jsonl"
    write_jsonl(path, [{"a": 1}])
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_jsonl(path, [{"a": 2}, {"a": float("nan")}])
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert path.read_text(encoding="utf-8") == '{"a": 1}\n'
    assert os.listdir(tmp_path) == ["rows.jsonl"]


def test_the_mode_follows_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_text(tmp_path / "a", "")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_what_a_killed_write_has_left_is_removed_by_a_later_one(tmp_path):
    code = (
        "import os, signal; from pathlib import Path; from vidomni_plugin.data import lines;"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL);"
        f"lines.write_text(Path({str(tmp_path / 'rows.jsonl')!r}), 'half')"
    )
    for _ in range(2):
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    old, new = sorted(tmp_path.iterdir())
    others = [tmp_path / name for name in (".more_rows.jsonl.abcdefgh.tmp", ".rows.jsonl.mine.tmp")]
    for path in others:
        path.touch()
    for path in (old, *others):
        os.utime(path, (time.time() - 3700,) * 2)
    write_text(tmp_path / "rows.jsonl", "whole")
    # The younger one may belong to a write that is at work.
    assert set(tmp_path.iterdir()) == {new, *others, tmp_path / "rows.jsonl"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"pair_id,caption\nv1,A dog.\nv2,A cat.\n", "none of its 3 lines"),
        (b'[\n{"a": 1},\n{"a": 2}\n]\n', "one JSON value"),
        (b'{\n"a": 1\n}\n', "one JSON value"),
        (b'{"a": 1\n{"a": 2}\n', ""),
        (b'{"a": 1}\nplain\n', ""),
        (b"plain\n", ""),
        (b"", ""),
    ],
)
def test_another_kind_of_file_is_told_from_a_bad_line(content, reason):
    said = why_no_lines(content)
    assert reason in said
    assert bool(said) == bool(reason)
