"""What passes the model is what the counters say, and no more than has to."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from itertools import takewhile

import pytest
import torch

from tests.conftest import CLIP
from tests.models.prefix.conftest import as_chat, asking, choices
from tests.models.prefix.test_equal import answers
from vidomni_plugin.labels import parse_sentence_labels
from vidomni_plugin.models.prefix import runner as runners
from vidomni_plugin.models.prefix.cache import rows_that_fit
from vidomni_plugin.video.cache import CACHE
from vidomni_plugin.video.install import install

CLIPS = sorted(CLIP.parent.glob("*.mp4"))[:3]
TURNS = [choices(clip, 9**number) for number in range(4) for clip in CLIPS]


def entering(model: torch.nn.Module) -> list[int]:
    """Return a list that grows by the tokens of each call of the language model."""
    sizes: list[int] = []

    def count(_module, _unnamed, given):
        rows, tokens = given["inputs_embeds"].shape[:2]
        sizes.append(rows * tokens if tokens > 1 else 0)

    model.model.language_model.register_forward_pre_hook(count, with_kwargs=True)
    return sizes


@pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen3_vl"])
def test_tokens_are_prefilled_once(family, make):
    asked = asking(*TURNS)
    hosts = make(family, asked)
    theirs = entering(hosts.model)
    generate = hosts.model.generate
    least = 0
    for clip in range(len(CLIPS)):
        prompts: list[list[int]] = []

        def listening(prompts=prompts, **given):
            prompts.append(given["input_ids"][0].tolist())
            return generate(**given)

        hosts.model.generate = listening
        hosts.generate_until(asked.requests[clip :: len(CLIPS)])
        shared = shared_start(prompts)
        least += shared + sum(len(prompt) - shared for prompt in prompts)
    for mode in ("enc", "kv", "kvb"):
        ours = make(family, asked, prefix=mode)
        mine = entering(ours.model)
        ours.generate_until(asked.requests)
        assert sum(mine) == ours.work.prefilled_tokens
        assert ours.work.prompt_tokens == sum(theirs)
        assert mode != "enc" or sum(mine) == sum(theirs)
        assert mode != "kv" or sum(mine) == least
        assert mode != "kvb" or least <= sum(mine) < 1.05 * least


def shared_start(prompts: Sequence[Sequence[int]]) -> int:
    """Return how many tokens all prompts begin with."""
    side_by_side = zip(*prompts, strict=False)
    return sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, side_by_side))


def test_no_frames_are_kept(make, monkeypatch):
    monkeypatch.setattr(CACHE, "max_bytes", 1 << 30)
    CACHE.clear()
    install()
    asked = asking(*TURNS)
    make("qwen2_5_vl", asked, prefix="enc").generate_until(asked.requests)
    assert (CACHE.stats.decodes, CACHE.bytes) == (len(CLIPS), 0)


@pytest.mark.parametrize("mode", ["enc", "kvb"])
def test_one_video_is_in_memory(mode, make, monkeypatch):
    asked = asking(*TURNS)
    runner = make("qwen3_vl", asked, prefix=mode)
    alive: list[weakref.ref[torch.Tensor]] = []
    before: list[int] = []
    encode = runners.encoded

    def encoding(model, inputs):
        before.append(sum(tensor() is not None for tensor in alive))
        video = encode(model, inputs)
        alive.extend(
            map(weakref.ref, (inputs["pixel_values_videos"], *video.features.pooler_output))
        )
        return video

    monkeypatch.setattr(runners, "encoded", encoding)
    runner.generate_until(asked.requests)
    assert before == [0, 0, 0]
    assert not any(tensor() is not None for tensor in alive)


def test_what_was_saved_is_said_at_the_end(make):
    from loguru import logger

    told: list[str] = []
    handler = logger.add(lambda line: told.append(line.record["message"]), level="INFO")
    asked = asking(*TURNS, ("No video.",))
    runner = make("qwen2_5_vl", asked, prefix="kv")
    runner.generate_until(asked.requests)
    runner.clean()
    logger.remove(handler)
    (saved,) = (line for line in told if line.startswith("vidomni_qwen2_5_vl, prefix=kv: "))
    assert "12 requests about 3 videos: 3 decodes and 3 passes of the vision tower" in saved
    assert saved.endswith("; 1 more request by the host's own runner")
    speeds = [line for line in told if line.startswith("Metric summary")]
    assert len(speeds) == 2  # the host's for its request, and ours
    assert f"Total gen tokens: {runner.work.output_tokens}," in " ".join(speeds)
    assert not hasattr(runner, "_model")  # the host frees the model here


def test_a_missing_video_is_the_hosts_error(make, tmp_path):
    asked = asking((str(tmp_path / "gone.mp4"), "What?"))
    errors = []
    for arguments in ({}, {"prefix": "enc"}):
        runner = make("qwen2_5_vl", asked, **arguments)
        with pytest.raises(Exception, match=r"gone\.mp4|read_video") as raised:
            runner.generate_until(asked.requests)
        errors.append(type(raised.value))
    assert errors[0] is errors[1]


SENTENCES = 2
WRITTEN = '<think>{"sentence_1": 1}</think>{"sentence_1": 0, "sentence_2": 1}'
NEW = 72


class Writing:
    """Lets a model write a text whatever it would say."""

    def __init__(self, tokens: Sequence[int], prompt: int) -> None:
        self._tokens, self._prompt = tokens, prompt

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        place = input_ids.shape[1] - self._prompt
        if place < len(self._tokens):
            scores = torch.full_like(scores, -1e9)
            scores[:, self._tokens[place]] = 0
        return scores


@pytest.mark.parametrize("mode", ["enc", "kvb", "off"])
def test_labels_only(mode, make):
    asked = asking(*(choices(CLIP, 9**number) for number in range(4)), max_new_tokens=NEW)
    labelling = {"answer_id": "clip__a", "gold": [0] * SENTENCES}
    docs = asked.task_dict["ours"]["test"]
    docs[:3] = [doc | labelling for doc in docs[:3]]

    def written(**arguments):
        runner = make("qwen3_vl", asked, **arguments)
        tokens = runner.tokenizer(WRITTEN, add_special_tokens=False)["input_ids"]
        generate = runner.model.generate
        runner.model.generate = lambda **given: generate(
            **given, logits_processor=[Writing(tokens, given["input_ids"].shape[1])]
        )
        return runner.generate_until(asked.requests), len(tokens)

    whole, length = written()
    short, _ = written(prefix=mode, labels_only=True)
    assert [result.token_counts.output_tokens for result in short] == [length] * 3 + [NEW]
    assert [result.token_counts.output_tokens for result in whole] == [NEW] * 4
    assert all(result.text.endswith("}") for result in short[:3])
    assert answers(short[3:]) == answers(whole[3:])  # it labels nothing
    for one, other in zip(short[:3], whole, strict=False):
        labels = parse_sentence_labels(one.text, SENTENCES)
        assert labels.labels == parse_sentence_labels(other.text, SENTENCES).labels == (0, 1)


def test_rows_that_fit_are_those_of_the_docs():
    """57,344 bytes a token of Qwen2.5-VL-7B: 12,000 tokens are 0.7 GB."""
    budget = 8 * 2**30
    assert rows_that_fit(budget, 57_344, 12_000, 0) * 12_000 * 57_344 <= budget
    assert rows_that_fit(budget, 57_344, 115_000, 2_048) == 1
    assert rows_that_fit(budget, 57_344, 150_000, 0) == 0


def test_the_turn_of_a_document_is_asked_for_once(make):
    """A task may decode images there."""
    asked = asking(choices(CLIP, 1))
    calls: list[object] = []
    request = asked.requests[0]
    counted = lambda doc: calls.append(doc) or as_chat(doc)  # noqa: E731
    request.arguments = ("", counted, *request.args[2:])
    make("qwen2_5_vl", asked, prefix="enc").generate_until([request])
    assert len(calls) == 1
