"""Full hashes: right, remembered until the file changes, and no obstacle when one fails."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from loguru import logger

from vidomni_plugin.data import hashes
from vidomni_plugin.data.hashes import file_sha256, sha256_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize("size", [0, 1, hashes.BLOCK, 3 * hashes.BLOCK + 7])
def test_the_whole_file_counts(size, tmp_path):
    content = os.urandom(size)
    (tmp_path / "file").write_bytes(content)
    assert file_sha256(tmp_path / "file") == hashlib.sha256(content).hexdigest()


def test_what_was_hashed_is_remembered_until_the_file_changes(home, tmp_path, monkeypatch):
    files = [tmp_path / name for name in "abc"]
    for path in files:
        path.write_bytes(path.name.encode())
    first = sha256_of(files)
    assert first == {path: hashlib.sha256(path.name.encode()).hexdigest() for path in files}
    with monkeypatch.context() as patch:
        patch.setattr(hashes, "file_sha256", None)  # a second look would fail
        assert sha256_of(files) == first
    files[0].write_bytes(b"other")
    assert sha256_of(files)[files[0]] == hashlib.sha256(b"other").hexdigest()


def test_a_file_that_cannot_be_hashed_is_left_out(home, tmp_path):
    good = tmp_path / "good"
    good.write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    found = sha256_of([good, tmp_path / "folder", tmp_path / "nowhere"])
    assert found.keys() == {good}
    assert sha256_of([]) == {}


def test_a_damaged_memory_is_forgotten(home, tmp_path):
    good = tmp_path / "good"
    good.write_bytes(b"x")
    right = sha256_of([good])
    stored = json.loads((home / "hashes.json").read_text("utf-8"))
    (home / "hashes.json").write_text(json.dumps(dict.fromkeys(stored, "abc")), encoding="utf-8")
    assert sha256_of([good]) == right


def test_names_of_files_that_cannot_be_hashed_move_no_cursor(tmp_path):
    said: list[str] = []
    handler = logger.add(lambda message: said.append(str(message)), format="{message}")
    (tmp_path / "x\x1b[2J.mp4").symlink_to("nowhere")
    try:
        assert sha256_of([tmp_path / "x\x1b[2J.mp4"]) == {}
    finally:
        logger.remove(handler)
    assert said
    assert "\x1b" not in "".join(said)
