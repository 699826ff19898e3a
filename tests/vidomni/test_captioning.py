"""The captioning prompts, their draw, the names of models, and what is read from an answer."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from vidomni_plugin.host import running_model
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.scores import EMPTY
from vidomni_plugin.vidomni import caption_metrics
from vidomni_plugin.vidomni.caption_reading import read_caption
from vidomni_plugin.vidomni.caption_task import IN_DETAIL, MINI_DOCS, detail, process_results
from vidomni_plugin.vidomni.captioning import (
    PROMPTS,
    caption_prompt,
    caption_source,
    draw,
    prompt_id,
)

PAPER = {
    1: ("Describe this video in detail", "within the scene.", "d9d3b7a2392b"),
    2: ("Give a detailed account", "without skipping any steps.", "1f36c63ecc62"),
    3: ("Describe the video in detail, paying", "shown in the footage.", "69432d92c281"),
    4: ("Thoroughly describe the video's visual narrative", "logically over time.", "245a6f83f4b4"),
    5: ("Provide a thorough description", "the scene evolves over time.", "ba2a3ce3da6a"),
}
"""Beginning, end and SHA-256 (first 12 digits) of each prompt in the paper's Figure 13."""


@pytest.mark.parametrize("number", PAPER)
def test_the_prompts_are_the_papers(number):
    begin, end, digest = PAPER[number]
    assert caption_prompt(number).startswith(begin)
    assert caption_prompt(number).endswith(end)
    assert prompt_id(number) == f"captioning_{number}@{digest}"


def test_the_draw_is_even():
    """500 videos and 5 models, as in the paper: no prompt is preferred, and no source is alike."""
    drawn = {s: [draw(0, f"video{k}", f"model{s}") for k in range(500)] for s in range(5)}
    counts = Counter(number for numbers in drawn.values() for number in numbers)
    assert set(counts) == set(range(1, PROMPTS + 1))
    assert chisquare(list(counts.values())).pvalue > 0.001
    same = sum(a == b for a, b in zip(drawn[0], drawn[1], strict=True))
    assert 60 < same < 140  # 100 expected of independent draws


@given(st.integers(min_value=0), st.text(), st.text())
def test_the_draw_is_one_of_five_and_repeatable(seed, video_id, source):
    assert draw(seed, video_id, source) == draw(seed, video_id, source)
    assert 1 <= draw(seed, video_id, source) <= PROMPTS


def test_seed_video_and_source_all_count():
    base = [draw(0, f"v{k}", "m") for k in range(50)]
    assert base != [draw(1, f"v{k}", "m") for k in range(50)]
    assert base != [draw(0, f"v{k}", "n") for k in range(50)]
    assert len(set(base)) > 1


@pytest.mark.parametrize(
    ("model", "arguments", "name"),
    [
        ("qwen3_vl", "pretrained=Qwen/Qwen3-VL-8B-Instruct,fps=2", "Qwen/Qwen3-VL-8B-Instruct"),
        ("qwen3_vl", "fps=2,pretrained=Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3-VL-8B-Instruct"),
        ("qwen3_vl", "pretrained=/data/models/qwen3-8b", "qwen3-8b"),
        ("qwen3_vl", "pretrained=./qwen3-8b/", "qwen3-8b"),
        ("qwen3_vl", "pretrained=models/vlm/qwen3-8b", "qwen3-8b"),
        ("qwen3_vl", r"pretrained=C:\models\vlm\qwen3-8b", "qwen3-8b"),
        (
            "qwen3_vl",
            "pretrained=/hub/models--Qwen--Qwen3-VL-8B/snapshots/0123456789abcdef",
            "Qwen/Qwen3-VL-8B",
        ),
        ("openai", "model_version=gpt-5-mini,timeout=120", "gpt-5-mini"),
        ("vllm", "model=Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3-VL-8B-Instruct"),
        ("openai", {"model_version": "gpt-5-mini"}, "gpt-5-mini"),
        ("vidomni_replay", "responses=a.jsonl", "vidomni_replay"),
        ("dummy", "", "dummy"),
        ("qwen3_vl", "pretrained=/", "qwen3_vl"),
    ],
)
def test_names_of_models(model, arguments, name):
    assert caption_source(model, arguments) == name


def test_the_running_model_is_that_of_the_call():
    """Two arguments of the host's function are all that is read of it."""
    assert running_model() is None
    scope = {"__name__": "lmms_eval.evaluator", "running_model": running_model}
    exec("def simple_evaluate(model, model_args=None): return running_model()", scope)
    host = scope["simple_evaluate"]
    assert host("qwen3_vl", "pretrained=a/b") == ("qwen3_vl", "pretrained=a/b")
    assert host("qwen3_vl") == ("qwen3_vl", "")
    given_object = SimpleNamespace(model_version="gpt-5-mini", model=object())
    assert host(given_object) == ("SimpleNamespace", {"model_version": "gpt-5-mini"})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *(("VIDOMNI_CAPTION_SEED", value) for value in ("seven", "-1", "1.5", "0x1", str(2**63))),
        *(("VIDOMNI_CAPTION_SOURCE", value) for value in ("m\udc80", "a\nb", "a\x1b[31m")),
    ],
)
def test_settings_that_are_none_end_before_the_model(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputProblems) as caught:
        MINI_DOCS.check()
    assert [(p.code, p.place) for p in caught.value.problems] == [("usage", variable)]
    str(caught.value).encode()


DOC = dict.fromkeys(IN_DETAIL) | {"video_id": "clip", "caption_prompt": 3, "missing": 0}


@pytest.mark.parametrize(
    ("response", "caption", "thought", "faults"),
    [
        ("A dog runs.", "A dog runs.", False, []),
        ("  A dog runs.\n\n", "A dog runs.", False, []),
        ("<think>Dog or cat?</think>\n\nA dog runs.", "A dog runs.", True, []),
        ("Dog or cat?</think>A dog runs.", "A dog runs.", True, []),
        ("<answer>A dog runs.</answer>", "A dog runs.", False, []),
        ("<think>x</think><answer>\nA dog runs.\n</answer>\n", "A dog runs.", True, []),
        ("A sign <answer> hangs. A dog.", "A sign <answer> hangs. A dog.", False, []),
        ("", "", False, ["empty"]),
        (" \n\t", "", False, ["empty"]),
        ("<think>never ends. A dog runs.", "", True, ["unfinished_thinking"]),
        ("<think>all</think>  ", "", True, ["thinking_only"]),
        ("...", "", False, ["no_words"]),
        ("[LMMS_EVAL_REQUEST_FAILED after 5 tries] time-out", "", False, ["request_failed"]),
        ("A dog runs. It barks at the", "A dog runs. It barks at the", False, ["cut_off"]),
        ("A dog runs,", "A dog runs,", False, ["cut_off"]),
        ("**A dog runs**", "**A dog runs**", False, ["cut_off"]),
        ("It says:\n- a dog\n- a cat", "It says:\n- a dog\n- a cat", False, []),
        ("A dog runs.\n1. left", "A dog runs.\n1. left", False, []),
        ("A dog runs.\n## The end", "A dog runs.\n## The end", False, []),
        ("A dog runs.\n\n---", "A dog runs.\n\n---", False, []),
        ("A dog runs to\n* * *", "A dog runs to\n* * *", False, ["cut_off"]),
        ("```\nA dog runs.\n```", "```\nA dog runs.\n```", False, []),
        ("A dog runs.\n-", "A dog runs.\n-", False, ["cut_off"]),
        ("一只狗在跑。" * 4, "一只狗在跑。" * 4, False, []),
        ("一只狗在跑。" * 9, "一只狗在跑。" * 9, False, ["looping"]),
        ("犬が走る。猫が座る。" * 9, "犬が走る。猫が座る。" * 9, False, ["looping"]),
        ('He says "Stop."', 'He says "Stop."', False, []),
        ("A dog runs. **It barks.**", "A dog runs. **It barks.**", False, []),
        ("A dog runs! 🐶", "A dog runs! 🐶", False, []),
        ("一只狗在跑。", "一只狗在跑。", False, []),
        ("The ball bounces. " * 3, ("The ball bounces. " * 3).strip(), False, []),
        ("The ball bounces. " * 9, ("The ball bounces. " * 9).strip(), False, ["looping"]),
        (
            "A dog. " + "It runs left. It runs right. " * 6 + "It runs",
            "A dog. " + "It runs left. It runs right. " * 6 + "It runs",
            False,
            ["looping", "cut_off"],
        ),
        ("A \ud83d dog.", "A \ufffd dog.", False, ["broken_characters"]),
        ("A \ufffd dog.", "A \ufffd dog.", False, []),
        ("A dog \ud83d\ude00.", "A dog \U0001f600.", False, []),
    ],
)
def test_what_is_read_from_an_answer(response, caption, thought, faults):
    read = read_caption(response)
    assert (read.caption, read.thought, list(read.faults)) == (caption, thought, faults)


def test_a_loop_of_a_long_passage():
    passage = " ".join(f"word{k}" for k in range(60)) + ". "
    assert read_caption(passage * 5).faults == ("looping",)
    assert read_caption(passage * 4).faults == ()


@pytest.mark.parametrize(("times", "faults"), [(14, ()), (15, ("looping",))])
def test_a_loop_has_fifteen_words(times, faults):
    assert read_caption("no. " * times).faults == faults


@given(st.text())
def test_any_answer_is_counted_and_never_an_error(response):
    items = process_results(DOC, [response])
    assert set(items) == set(caption_metrics.METRICS)
    read = read_caption(response)
    there = bool(read.caption)
    assert items["empty"]["score"] == (0 if there else 100)
    assert ("score" in items["words"]) == there
    assert there or read.faults
    read.caption.encode()  # no lone surrogates: it can be written to a file


def test_no_answer_is_an_empty_one():
    assert process_results(DOC, [])["words"]["faults"] == ["empty"]


def test_metrics_worked_by_hand():
    """Three words and two sentences; six and one, cut off; nothing."""
    answers = ["A dog. Ran.", "A dog runs to the big", ""]
    got = caption_metrics.summary([detail(DOC | {"missing": 2}, text) for text in answers])
    assert {name: tuple(value) for name, value in got.items()} == {
        "words": (4.5, 2, "captions"),
        "sentences": (1.5, 2, "captions"),
        "empty": (pytest.approx(100 / 3), 3, "answers"),
        "suspect": (pytest.approx(100 / 3), 3, "answers"),
        "missing": (2.0, 5, "videos"),
    }


def test_metrics_of_nothing_are_finite():
    for name in caption_metrics.METRICS:
        value = caption_metrics.aggregate(name, [])
        assert value == (0 if name == "missing" else EMPTY)
        assert math.isfinite(value)


@given(st.lists(st.text(max_size=40), min_size=1), st.randoms())
def test_the_order_of_answers_does_not_matter(answers, random):
    details = [detail(DOC, text) for text in answers]
    shuffled = details.copy()
    random.shuffle(shuffled)
    assert caption_metrics.summary(details) == caption_metrics.summary(shuffled)


def test_the_prompts_are_files_of_the_package():
    folder = Path(caption_metrics.__file__).parent / "prompts"
    assert len(list(folder.glob("captioning_*.txt"))) == PROMPTS
