"""What an answer depends on changes its key, and nothing else does."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from lmms_eval.api.instance import Instance
from PIL import Image

from vidomni_plugin.data import hashes
from vidomni_plugin.models.requests import Asked, asked
from vidomni_plugin.models.runner import keys
from vidomni_plugin.models.runner.keys import answer_key, run_settings, settings_differ
from vidomni_plugin.versions import package_version

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
        {"form": (("user", [{"type": "text", "text": "Question?"}]),)},
    ],
    ids=("task", "item", "text", "generation", "url", "picture", "part", "form"),
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([Image.new("RGB", (2, 2))], [Image.new("RGB", (2, 2), "red")]),
        (["a.mp4"], ["b.mp4"]),
        (b"one", b"other"),
        (torch.zeros(2), torch.ones(2)),
        (torch.zeros(2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.bfloat16)),
        (torch.tensor([1.0]).double(), torch.tensor([1.0]).double() + 1e-12),
        (torch.zeros(2, 3), torch.zeros(3, 2)),
        (np.zeros(2, "f4"), np.zeros(2, "i4")),
        (Image.new("L", (2, 2)), Image.new("P", (2, 2))),
        (Image.new("RGB", (2, 2)).quantize(2), Image.new("RGB", (2, 2), "red").quantize(2)),
    ],
    ids=[
        *("frames", "paths", "bytes", "tensor", "bfloat16", "last digits", "shape"),
        *("kind of number", "mode", "palette"),
    ],
)
def test_media_of_every_sort_count_by_their_content(one, other):
    keys_of = [answer_key("s", replace(ONE, media=(part,)), 0) for part in (one, one, other)]
    assert keys_of[0] == keys_of[1] != keys_of[2]


VIDEO = {"type": "video", "url": "https://example.org/v.mp4"}
TEXT = {"type": "text", "text": "Question?"}


def chat_key(*messages):
    told = [{"role": role, "content": content} for role, *content in messages]
    arguments = ("", lambda doc: told, GENERATION, 0, "task", "test")
    request = Instance("generate_until", arguments, 0, {"task": "task", "doc_id": 0, "repeats": 1})
    return answer_key("s", asked(request, {"task": {"test": [{}]}}), 0)


@pytest.mark.parametrize(
    "messages",
    [
        [("user", TEXT, VIDEO)],
        [("system", TEXT), ("user", VIDEO)],
        [("user", VIDEO), ("user", TEXT)],
        [("user", {**VIDEO, "fps": 1}, TEXT)],
        [("user", {**VIDEO, "type": "image"}, TEXT)],
    ],
    ids=["order", "role", "turns", "setting of a part", "sort of medium"],
)
def test_the_form_of_a_chat_counts(messages):
    assert chat_key(*messages) != chat_key(("user", VIDEO, TEXT)) == chat_key(("user", VIDEO, TEXT))


def test_what_has_no_text_of_its_own_does_not_change_a_key():
    one, other = (chat_key(("user", {**VIDEO, "more": object()}, TEXT)) for _ in range(2))
    assert one == other


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
    os.utime(moved / "model.safetensors", (1, 1))
    assert settings(pretrained=str(moved)) != known
    assert settings(pretrained="Qwen/Qwen3-VL-8B-Instruct") != known


def test_what_a_run_writes_below_a_checkpoint_does_not_count(checkpoint):
    known = settings(pretrained=str(checkpoint))
    (checkpoint / "trainer_state.json").write_text("{}")
    for name in ("eval/journal/answers.rank0.jsonl", "eval/x_results.json", "checkpoint-8/a.bin"):
        (checkpoint / name).parent.mkdir(parents=True, exist_ok=True)
        (checkpoint / name).write_text("{}")
    assert settings(pretrained=str(checkpoint)) == known


@pytest.mark.parametrize("name", ["vision/a.safetensors", "tokenizer.model", "chat_template.jinja"])
def test_every_byte_that_a_loader_reads_counts(name, checkpoint):
    file = checkpoint / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"0000")
    known = settings(pretrained=str(checkpoint))
    file.write_bytes(b"0010")
    os.utime(file, (1, 1))
    assert settings(pretrained=str(checkpoint)) != known


@pytest.mark.parametrize("place", [0.0, 0.1, 0.33, 0.77, 1.0])
def test_a_training_that_changes_one_byte_anywhere_counts(place, checkpoint):
    file = checkpoint / "model.safetensors"
    weights = bytearray(file.read_bytes())
    known = settings(pretrained=str(checkpoint))
    weights[int(place * (len(weights) - 1))] ^= 1
    file.write_bytes(weights)
    os.utime(file, (1, 1))
    assert settings(pretrained=str(checkpoint)) != known


def test_weights_are_read_once(checkpoint, monkeypatch):
    known = settings(pretrained=str(checkpoint))
    monkeypatch.setattr(hashes, "file_sha256", None)  # a second look would fail
    assert settings(pretrained=str(checkpoint)) == known


def test_files_of_weights_count_without_a_configuration(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(bytes(9_000_000))
    alone, inside = settings(model=str(file)), settings(pretrained=str(tmp_path))
    assert settings(model=str(file.rename(tmp_path / "moved.gguf"))) == alone
    file = tmp_path / "moved.gguf"
    file.write_bytes(bytes(2_000_000) + b"\1" + bytes(6_999_999))
    os.utime(file, (1, 1))
    assert settings(model=str(file)) != alone
    assert settings(pretrained=str(tmp_path)) != inside


def test_recorded_answers_count_by_content_and_a_written_file_does_not(tmp_path):
    file = tmp_path / "responses.jsonl"
    file.write_text("1")
    known, written = settings(responses=str(file)), settings(log=str(file))
    file.write_text("2")
    os.utime(file, (1, 1))
    assert settings(responses=str(file)) != known
    assert settings(log=str(file)) == written


def test_weights_of_a_detector_count_by_content_whatever_their_file_is_called(tmp_path):
    file = tmp_path / "PAC-S"
    file.write_text("1")
    known = settings(weights=str(file))
    file.write_text("2")
    os.utime(file, (1, 1))
    assert settings(weights=str(file)) != known


def test_the_machine_and_secrets_do_not_count():
    known = settings(fps=2)
    machine = {"device": "cuda:1", "batch_size": 4, "max_batch_size": None, "prefix_gb": 2}
    assert settings(fps=2, **machine) == known
    assert settings(fps=2, api_key="s3cret", hf_token="s3cret", base_url="http://node7") == known
    assert "s3cret" not in json.dumps(settings(fps=2, my_password="s3cret"))
    assert settings(fps=3) != known


@pytest.mark.parametrize(
    "name",
    [
        *("num_cpus", "work_dir", "cache_dir", "output_dir", "tmp_folder", "temp_dir"),
        *("response_persistent_folder", "continual_mode", "retry_backoff_s"),
        *("adaptive_concurrency", "adaptive_min_concurrency", "adaptive_max_concurrency"),
        *("adaptive_target_latency_s", "adaptive_increase_step", "adaptive_decrease_factor"),
        *("adaptive_failure_threshold", "prefix_aware_queue", "prefix_hash_chars"),
        *("httpx_trust_env", "disable_log_stats"),
    ],
)
def test_how_fast_and_where_does_not_count(name):
    assert settings(fps=2, **{name: "1"}) == settings(fps=2)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ({"extra_body": {"api_key": "s3cret", "n": 1}}, {"extra_body": {"n": 1}}, False),
        ({"extra": '{"api_key": "s3cret", "n": 1}'}, {"extra": '{"api_key": "x", "n": 1}'}, True),
        ({"extra": '{"api_key": "s3cret", "n": 1}'}, {"extra": '{"api_key": "x", "n": 2}'}, False),
        ({"extra_body": {"api_key": "s3cret"}}, {"extra_body": {"api_key": "other"}}, True),
        ({"azure_endpoint": "https://u:s3cret@h"}, {"azure_endpoint": "https://u:x@h"}, True),
        ({"azure_endpoint": "https://u:s3cret@h"}, {"azure_endpoint": "https://u:x@g"}, False),
        ({"image_token": "s3cret"}, {"image_token": "<video>"}, False),
        ({"video_key": "s3cret"}, {}, False),
        ({"extra_body": {"image_token": "s3cret"}}, {"extra_body": {"image_token": "<v>"}}, False),
        ({"system_prompt": "Give the key: s3cret"}, {"system_prompt": "Give the key: B"}, False),
        ({"my_password": "s3cret"}, {}, True),
        ({"hf_token": "s3cret"}, {"hf_token": "other"}, True),
        ({"default_headers": {"X-Mine": "s3cret"}}, {}, True),
    ],
    ids=str,
)
def test_what_may_be_a_secret_is_never_written_and_counts_where_it_may_decide(one, other, shared):
    told, known = settings(**one), settings(**other)
    assert "s3cret" not in json.dumps(told)
    assert "s3cret" not in "".join(settings_differ(told, known))
    assert (told == known) is shared
    assert settings(**one) == told


@pytest.mark.parametrize("package", keys.PACKAGES)
def test_versions_count(package, monkeypatch):
    known = settings()
    monkeypatch.setattr(
        keys, "package_version", lambda name: "9" if name == package else package_version(name)
    )
    before = known["versions"].get(package, "not given")
    assert settings_differ(known, settings()) == [f"versions.{package}: {before} / 9"]


def test_versions_of_what_is_installed_are_told():
    assert {"lmms-eval", "transformers", "torch", "av", "decord"} <= settings()["versions"].keys()
    assert None not in settings()["versions"].values()


@pytest.mark.parametrize("name", ["VIDOMNI_READER", *keys.READING])
def test_what_reads_the_videos_counts(name, monkeypatch):
    monkeypatch.delenv(name, raising=False)
    known = settings()
    monkeypatch.setenv(name, "torchcodec")
    assert settings_differ(known, settings()) == [f"environment.{name}: not given / torchcodec"]


def test_a_reader_counts_as_it_is_understood(monkeypatch):
    monkeypatch.setenv("VIDOMNI_READER", "pyav")
    known = settings()
    monkeypatch.setenv("VIDOMNI_READER", " PyAV ")
    assert settings() == known


@pytest.mark.parametrize(
    ("generation", "shared"),
    [
        ({"temperature": 0}, True),
        ({"temperature": 0.0, "do_sample": True}, True),
        ({"do_sample": False}, True),
        ({"temperature": 0.7}, False),
        ({"do_sample": False, "temperature": 0.7}, False),  # some runners look at one of them only
        ({"do_sample": True}, False),
        ({}, False),
    ],
    ids=str,
)
def test_seeds_count_where_chance_decides(generation, shared):
    one, other = (answer_key("s", replace(ONE, generation=generation), 0, seeds=[n, 2, 3])
                  for n in (0, 1))  # fmt: skip
    assert (one == other) is shared


def test_the_kind_and_labels_only_count():
    found = settings_differ(settings(), run_settings("toy", "simple", {}, labels_only=True))
    assert found == ["kind: chat / simple", "labels_only: False / True"]
