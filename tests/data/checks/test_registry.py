"""The list of checks, and what a file's own manifest says of its video."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.data.checks.sets import Files, sample
from vidomni_plugin.data.checks import registry
from vidomni_plugin.data.checks.line_faults import LineFaults, line_faults
from vidomni_plugin.data.checks.registry import all_checks, check
from vidomni_plugin.data.checks.run import Options, examine
from vidomni_plugin.data.hashes import file_sha256
from vidomni_plugin.data.locate import DataRoot, mini_root


def test_a_code_is_registered_once():
    all_checks()
    with pytest.raises(ValueError, match="'duration' is registered twice"):
        check("duration", meaning="again", hint="again")(lambda data: [])


def test_every_check_says_what_is_wrong_and_what_to_do():
    for code, known in all_checks().items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
        assert known.meaning
        assert known.hint
        assert known.find.__doc__ or known.gate


def test_the_order_does_not_depend_on_which_module_was_imported_first(monkeypatch):
    before = list(all_checks())
    others_first = sorted(all_checks().values(), key=lambda c: c.find.__module__, reverse=True)
    monkeypatch.setattr(registry, "_CHECKS", {known.code: known for known in others_first})
    assert list(all_checks()) == before


def with_manifest(root: Path, sha256: str) -> Files:
    files = sample("vidomni", root)
    rows = {row["video_id"]: row for row in files.read("pairs")}
    names = ("video_id", "source_dataset", "complexity_type", "duration_s", "has_audio")
    lines = [{name: row[name] for name in names} for row in rows.values()]
    lines[0]["sha256"] = sha256
    files.write("videos", lines)
    return files


def found(root: Path) -> list[str]:
    result = examine("vidomni", DataRoot(root, "test"), Options())
    return [f"{problem.code} {Path(problem.place).name}" for problem in result.findings]


def test_the_hash_of_videos_jsonl_is_compared(tmp_path):
    right = file_sha256(mini_root("vidomni").path / "videos" / "trio.mp4")
    with_manifest(tmp_path / "right", right)
    assert found(tmp_path / "right") == []
    with_manifest(tmp_path / "wrong", "0" * 64)
    assert found(tmp_path / "wrong") == ["hash-differs videos.jsonl:1"]


def test_a_manifest_that_disagrees_with_the_pairs_is_named(tmp_path):
    files = sample("vidomni", tmp_path)
    rows = {row["video_id"]: row for row in files.read("pairs")}
    lines = [{"video_id": video_id, "source_dataset": "other"} for video_id in rows]
    lines[2]["complexity_type"] = 5
    files.write("videos", lines)
    assert found(tmp_path) == ["video-metadata videos.jsonl:3"]


def test_bad_lines_of_the_manifest_are_named_and_are_no_fault_of_a_run(tmp_path):
    files = with_manifest(tmp_path, "no hash")
    assert found(tmp_path) == ["record videos.jsonl:1"]
    files.write("videos", [])
    assert "no-pairs videos.jsonl" in found(tmp_path)


def test_lines_are_counted_from_one(tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\n{"b":1} \n{"a":1}\n')
    assert line_faults(path) == LineFaults(True, (1,), (2, 3))
    path.write_bytes(b'{"a":1}\n{"b":"\xe2\x80\xa8"}')
    assert line_faults(path) == LineFaults()
    path.write_bytes(b"")
    assert line_faults(path) == LineFaults()


def test_the_hash_that_was_fetched_is_compared(tmp_path):
    files = sample("vidomni", tmp_path)
    line = {"video_id": "trio", "status": "present", "file": "trio.mp4", "bytes": 1}
    line |= {"sha256": "0" * 64, "at": "2026-01-01T00:00:00Z", "tool": "test"}
    files.write("fetched", [line])
    assert found(tmp_path) == ["hash-differs fetched.jsonl"]
