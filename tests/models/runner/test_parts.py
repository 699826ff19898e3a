"""Smaller parts of the runner: progress, the readers and the stop behind labels, refusals."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace

import pytest
from accelerate import DistributedType
from lmms_eval.models import MODEL_REGISTRY_V2
from lmms_eval.models.registry_v2 import ModelManifest

from tests.models.runner.conftest import documents, requests_of, verdicts
from vidomni_plugin.models import labels_only
from vidomni_plugin.models.runner import progress
from vidomni_plugin.models.runner.guard import CAUSES, failure_hint, likely_cause
from vidomni_plugin.models.runner.inner import refuse_sharded
from vidomni_plugin.models.runner.outcomes import outcome_of, reason_of
from vidomni_plugin.models.runner.progress import Videos
from vidomni_plugin.problems import InputProblems


def test_a_log_file_gets_lines(warnings, monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.0)
    with Videos(3, shown=True) as videos:
        videos.answered(failed=False)
        videos.answered(failed=True)
        videos.video_done()
    assert warnings[0] == "0 of 3 videos, 1 answer, 0 failed"
    assert warnings[-1].startswith("1 of 3 videos, 2 answers, 1 failed, about 0:00:0")
    assert capsys.readouterr().out == ""


def test_lines_come_once_a_minute(warnings):
    with Videos(3, shown=True) as videos:
        for _ in range(3):
            videos.answered(failed=False)
    assert warnings == []


def test_a_terminal_gets_one_bar_on_stderr(answer, tmp_path, monkeypatch, capsys, warnings):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    answer(verdicts(tmp_path / "videos"), fault="raises", at=7)
    shown = capsys.readouterr()
    assert "videos" in shown.err
    assert "12 answers, 1 failed" in shown.err
    assert "a bar of the inner model" not in shown.err
    assert "4/4" not in shown.out


def test_other_ranks_show_nothing(runner, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    made = runner(documents(tmp_path / "videos"))
    made._rank = 1
    made.generate_until(requests_of(made.task_dict["toys"]["test"]))
    assert "videos" not in capsys.readouterr().err


def test_labels_only_stops_a_stock_model_and_is_told_to_one_of_ours(runner, tmp_path, monkeypatch):
    from tests.models.runner.toys import Toy

    seen = []

    @contextmanager
    def stopping(model, tokenizer, sentences):
        seen.append((model, tokenizer, sentences))
        yield

    model = SimpleNamespace(generate=print)
    monkeypatch.setattr(labels_only, "stopping", stopping)
    monkeypatch.setattr(Toy, "model", model, raising=False)
    monkeypatch.setattr(Toy, "tokenizer", "tokenizer", raising=False)
    docs = documents(tmp_path / "videos", videos=1, each=2, gold=[0, 1, None], answer_id="clip__a")
    docs.append(docs[0] | {"gold": [0], "answer_id": "clip__b"})
    docs += verdicts(tmp_path / "videos", videos=1, each=1)
    made = runner(docs, labels_only=True, batch_size=4)
    made.generate_until(requests_of(docs))
    assert [sentences for _, _, sentences in seen] == [[3], [3], [1]]
    assert all(stopped is model and words == "tokenizer" for stopped, words, _ in seen)
    ours = runner(docs, inner="toy_video", labels_only=True)
    assert ours.rest == {"labels_only": True}
    seen.clear()
    ours.generate_until(requests_of(docs))
    assert seen == []


def test_labels_only_needs_one_question_at_a_time(runner, monkeypatch):
    from tests.models.runner.toys import Toy

    monkeypatch.setattr(Toy, "model", SimpleNamespace(generate=print), raising=False)
    monkeypatch.setattr(Toy, "tokenizer", "tokenizer", raising=False)
    with pytest.raises(InputProblems, match="labels_only needs at_once=1"):
        runner([], labels_only=True, at_once=2)


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"at_once": 4, "batch_size": 4}, True),
        ({"at_once": 4, "batch_size": "2"}, True),
        ({"at_once": 4, "batch_size": 1}, False),
        ({"at_once": 4}, False),
        ({"batch_size": 4}, False),
        ({"at_once": 4, "batch_size": 4, "fps": 1}, False),
        ({"at_once": 4, "batch_size": 4, "force_simple": True}, False),
    ],
    ids=str,
)
def test_videos_are_not_shown_with_the_frame_count_of_another(more, refused, runner, monkeypatch):
    """The host's chat runner of Qwen2.5-VL asks the first video of a batch how many it has."""
    here = "tests.models.runner.toys"
    both = {"simple_class_path": f"{here}.ToySimple", "chat_class_path": f"{here}.Toy"}
    monkeypatch.setitem(
        MODEL_REGISTRY_V2._manifests, "qwen2_5_vl", ModelManifest("qwen2_5_vl", **both)
    )
    made = runner([], at_once=4, batch_size=4)  # of another model
    made._journal.close()
    with pytest.raises(InputProblems, match="first video") if refused else nullcontext():
        runner([], inner="qwen2_5_vl", **more)


def test_our_readers_are_used(answer, tmp_path, monkeypatch):
    from vidomni_plugin.video import install

    rooms = []
    monkeypatch.setattr(install, "install", lambda max_bytes=None: rooms.append(max_bytes))
    docs = documents(tmp_path / "videos", videos=2, each=2)
    answer(docs, cache_gb=0.5)
    assert rooms == [500_000_000] * 2  # once a video; gigabytes as in VIDOMNI_CACHE_GB
    answer(docs, answer="other")
    assert rooms[2:] == [None] * 2


def test_a_model_that_is_spread_over_processes_is_refused():
    with pytest.raises(InputProblems, match="must ask in step"):
        refuse_sharded(SimpleNamespace(distributed_type=DistributedType.FSDP))
    refuse_sharded(SimpleNamespace(distributed_type=DistributedType.MULTI_GPU))


def test_every_runner_that_is_known_to_be_silent_has_its_way_out():
    assert "enable_thinking=False" in likely_cause("qwen3_5")
    assert all(likely_cause(name) == text for name, text in CAUSES.items())
    assert "--limit 1" in likely_cause("another")


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("[LMMS_EVAL_REQUEST_FAILED: timed out]", "timed out"),
        ("[LMMS_EVAL_REQUEST_FAILED after 5 retries] Error 500 [busy]", "Error 500 [busy]"),
        ("[LMMS_EVAL_REQUEST_FAILED: list [1, 2]]", "list [1, 2]"),
        ("[LMMS_EVAL_REQUEST_FAILED", "no reason given"),
        ("[LMMS_EVAL_REQUEST_FAILED: \x1b[31mred]", "\\x1b[31mred"),
        ("ACCEPT [LMMS_EVAL_REQUEST_FAILED: no]", None),
        ("", None),
    ],
)
def test_what_runners_say_of_failed_requests(text, failure):
    assert outcome_of(text).failure == failure


def test_a_reason_is_one_short_line():
    reason = reason_of(ValueError("a\nb\x1b[0m" + "x" * 1000))
    assert "\n" not in reason
    assert "\x1b" not in reason
    assert len(reason) < 450
    assert reason_of(KeyError()) == "KeyError"
    decord = "cannot open v.mp4, Stack trace: [bt] (0) 0x7f"  # with a trace of its own code
    assert reason_of(RuntimeError(decord)) == "RuntimeError: cannot open v.mp4,"


def test_a_reason_that_goes_round_in_circles_ends():
    one, two = ValueError("one"), ValueError("two")
    one.__context__, two.__context__ = two, one
    assert reason_of(one) == "ValueError: one; before that ValueError: two"


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("RuntimeError: Found no NVIDIA driver on your system.", "device=cpu,device_map=cpu"),
        ("OutOfMemoryError: CUDA out of memory. Tried", "max_num_frames"),
        ("AttributeError: module torchvision.io has no read_video", "vidomni doctor"),
        ("ValueError: something else", ""),
    ],
)
def test_a_known_reason_has_its_own_way_out(reason, said):
    hint = failure_hint(reason)
    assert said in hint
    assert bool(hint) == bool(said)
