"""What an answer depends on changes its key, and nothing else does."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from vidomni_plugin.models.requests import Asked
from vidomni_plugin.models.runner import keys
from vidomni_plugin.models.runner.keys import answer_key, run_settings, settings_differ

GENERATION = {"max_new_tokens": 8, "until": ["\n"]}
ONE = Asked("task", "test", 0, "item", "Question?", GENERATION, (), {})


@pytest.mark.parametrize(
    "change",
    [
        {"task": "other"},
        {"item": "other"},
        {"text": "Question"},
        {"generation": {"max_new_tokens": 9}},
        {"media": ("https://example.org/v.mp4",)},
        {"media": (Image.new("RGB", (2, 3)),)},
        {"media": ({"type": "video", "url": "v.mp4", "video_start": 1.0},)},
    ],
    ids=str,
)
def test_every_part_of_a_request_counts(change):
    assert answer_key("s", replace(ONE, **change), 0) != answer_key("s", ONE, 0)


def test_settings_and_occurrence_count_and_order_of_settings_does_not():
    known = answer_key("s", ONE, 0)
    assert len({known, answer_key("t", ONE, 0), answer_key("s", ONE, 1)}) == 3
    swapped = replace(ONE, generation=dict(reversed(GENERATION.items())))
    assert answer_key("s", swapped, 0) == known
    assert answer_key("s", replace(ONE, doc_id=7, split="train"), 0) == known


def test_images_count_by_what_they_show():
    wide, high = Image.new("RGB", (6, 1)), Image.new("RGB", (1, 6))
    same = Image.new("RGB", (6, 1))
    one, two, three = (answer_key("s", replace(ONE, media=(i,)), 0) for i in (wide, high, same))
    assert one == three != two


def test_our_videos_count_by_the_digest_of_their_document(tmp_path):
    doc = {"media_digest": "ab12", "video": "/data/v.mp4"}
    key = answer_key("s", replace(ONE, media=("/data/v.mp4",), doc=doc), 0)
    moved = {"media_digest": "ab12", "video": "/other/w.mp4"}
    assert answer_key("s", replace(ONE, media=("/other/w.mp4",), doc=moved), 0) == key
    silent = replace(ONE, media=("/home/silent/ab12.mp4",), doc=doc)
    elsewhere = replace(ONE, media=("/scratch/silent/ab12.mp4",), doc=doc)
    assert answer_key("s", silent, 0) == answer_key("s", elsewhere, 0) != key
    changed = {"media_digest": "cd34", "video": "/data/v.mp4"}
    assert answer_key("s", replace(ONE, media=("/data/v.mp4",), doc=changed), 0) != key


def settings(**arguments):
    return run_settings("toy", "chat", arguments, labels_only=False)


@pytest.fixture
def checkpoint(tmp_path) -> Path:
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(bytes(5_000_000))
    return folder


def test_a_checkpoint_may_move_and_a_retrained_one_is_another_model(checkpoint, tmp_path):
    known = settings(pretrained=str(checkpoint))
    moved = Path(shutil.copytree(checkpoint, tmp_path / "moved"))
    (moved / ".cache").mkdir()
    (moved / ".cache" / "fetched").write_text("now")
    assert settings(pretrained=str(moved)) == known
    weights = bytearray(5_000_000)
    weights[2_500_000] = 1  # in the middle: big files are hashed in windows
    (moved / "model.safetensors").write_bytes(weights)
    assert settings(pretrained=str(moved)) != known
    assert settings(pretrained="Qwen/Qwen3-VL-8B-Instruct") != known


def test_recorded_answers_count_by_content_and_a_written_file_does_not(tmp_path):
    file = tmp_path / "responses.jsonl"
    file.write_text("1")
    known, written = settings(responses=str(file)), settings(log=str(file))
    file.write_text("2")
    assert settings(responses=str(file)) != known
    assert settings(log=str(file)) == written


def test_the_machine_and_secrets_do_not_count():
    known = settings(fps=2)
    assert settings(fps=2, device="cuda:1", batch_size=4, max_batch_size=None) == known
    assert settings(fps=2, api_key="s3cret", hf_token="s3cret", base_url="http://node7") == known
    assert "s3cret" not in json.dumps(settings(fps=2, my_password="s3cret"))
    assert settings(fps=3) != known


@pytest.mark.parametrize("package", keys.PACKAGES)
def test_versions_count(package, monkeypatch):
    known = settings()
    versions = known["versions"]
    monkeypatch.setattr(keys, "version", lambda name: "9" if name == package else versions[name])
    assert settings_differ(known, settings()) == [f"versions.{package}: {versions[package]} / 9"]


def test_the_kind_and_labels_only_count():
    found = settings_differ(settings(), run_settings("toy", "simple", {}, labels_only=True))
    assert found == ["kind: chat / simple", "labels_only: False / True"]
