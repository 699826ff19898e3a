"""The examples of the page on getting the data are what the code reads and writes."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from vidomni_plugin.cli import app
from vidomni_plugin.data.fetch.journal import FILE, read_fetched
from vidomni_plugin.data.fetch.manifest import read_manifest

PAGE = (Path(__file__).parents[3] / "docs" / "get_data.md").read_text(encoding="utf-8")


def blocks(first: str) -> list[str]:
    return [block for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) if first in block]


def test_the_example_manifest_is_one(tmp_path):
    (block,) = blocks('"youtube_id"')
    (tmp_path / "videos.jsonl").write_text(block)
    videos = read_manifest(tmp_path / "videos.jsonl")
    assert [video.source_dataset for video in videos] == ["ActivityNet", "Epic-Kitchens", "YouTube"]


def test_the_example_record_is_one(tmp_path):
    (block,) = blocks('"mtime_ns"')
    (tmp_path / FILE).write_text(block)
    assert read_fetched(tmp_path)["anet_001"].how == "local"


def test_every_option_is_told():
    shown = CliRunner().invoke(app, ["data", "fetch", "--help"], env={"COLUMNS": "200"}).output
    options = set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help"}
    assert len(options) == 14
    assert {option for option in options if f"{option}" not in PAGE} == set()
