"""What the model of our runner receives is what the host's runner gives it, to the token."""

from __future__ import annotations

import functools

import pytest
import torch

from tests.conftest import CLIP
from tests.models.prefix.conftest import asking, choices

OF_THE_VIDEO = {"pixel_values_videos"}
GREEDY = {"max_new_tokens": 3, "temperature": 0, "top_p": 0.9, "top_k": 5}
CASES = [
    ("qwen2_5_vl", {}, {}),
    ("qwen2_5_vl", {"fps": 1.0}, GREEDY),
    ("qwen2_5_vl", {"max_num_frames": 10_000, "max_pixels": 3136}, {}),
    ("qwen2_5_vl", {"max_num_frames": 5, "batch_size": 2, "min_pixels": 6272}, {}),
    ("qwen2_5_vl", {"reasoning_prompt": "Think.", "system_prompt": "Be brief."}, GREEDY),
    ("qwen3_vl", {}, {}),
    ("qwen3_vl", {"fps": 1.0, "max_num_frames": 3}, GREEDY),
    ("qwen3_vl", {"total_pixels": 50176}, {}),
    ("qwen3_vl", {"system_prompt": "Be brief.", "enable_thinking": True}, GREEDY),
    ("qwen3_vl", {"enable_thinking": False, "reasoning_prompt": "Think."}, {}),
]


class Listening:
    """Stands in for a model's ``generate`` and keeps what it is given."""

    def __init__(self, runner):
        self.given = []
        self.pixels = []
        generate, see = runner.model.generate, runner.model.model.get_video_features

        def generating(*unnamed, **given):
            assert not unnamed
            self.given.append(given)
            return generate(**given)

        @functools.wraps(see)  # the host's generate reads the names of its parameters
        def seeing(pixel_values_videos, *more, **given):
            self.pixels.append(pixel_values_videos)
            return see(pixel_values_videos, *more, **given)

        runner.model.generate = generating
        runner.model.model.get_video_features = seeing


def same(one, other):
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    return one == other


@pytest.mark.parametrize(("family", "arguments", "generation"), CASES)
def test_the_hosts_inputs_and_settings(family, arguments, generation, make):
    clips = sorted(CLIP.parent.glob("*.mp4"))[:2]
    asked = asking(*(choices(clip, 9**n) for clip in clips for n in range(2)), **generation)
    hosts = make(family, asked, **{**arguments, "batch_size": 1})
    ours = make(family, asked, prefix="enc", **arguments)
    theirs, mine = Listening(hosts), Listening(ours)
    results = [runner.generate_until(asked.requests) for runner in (hosts, ours)]
    assert results[0] == results[1]
    assert (len(theirs.pixels), len(mine.pixels)) == (4, 2)
    for pixels in theirs.pixels:
        assert any(same(pixels, once) for once in mine.pixels)
    assert len(theirs.given) == len(mine.given) == 4
    by_prompt = {tuple(given["input_ids"][0].tolist()): given for given in mine.given}
    for given in theirs.given:
        got = by_prompt[tuple(given["input_ids"][0].tolist())]
        assert got.keys() - given.keys() == {"mm_encoder_outputs"}
        assert given.keys() - got.keys() == OF_THE_VIDEO
        for name in given.keys() - OF_THE_VIDEO:
            assert same(given[name], got[name]), name


@pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen3_vl"])
@pytest.mark.parametrize("mode", ["kv", "kvb"])
def test_positions_and_masks_of_a_shared_prefix(family, mode, make):
    asked = asking(*(choices(CLIP, 9**number) for number in range(3)))
    hosts, ours = make(family, asked), make(family, asked, prefix=mode)
    theirs, mine = Listening(hosts), Listening(ours)
    prepared = []
    prepare = hosts.model._prepare_position_ids_for_generation
    hosts.model._prepare_position_ids_for_generation = lambda *given: (
        prepared.append(prepare(*given)) or prepared[-1]
    )
    for runner in (hosts, ours):
        runner.generate_until(asked.requests)
    expected = {
        tuple(given["input_ids"][0].tolist()): positions
        for given, positions in zip(theirs.given, prepared, strict=True)
    }
    for given in mine.given:
        for row, mask in enumerate(given["attention_mask"].bool()):
            positions = expected.pop(tuple(given["input_ids"][row, mask].tolist()))
            assert torch.equal(positions[:, 0], given["position_ids"][:, row, mask])
            assert mask[-1]  # the first new token follows the prompt
    assert not expected


def test_the_list_that_a_task_returns_is_not_changed(make):
    asked = asking(choices(CLIP, 1))
    turns = asked.requests[0].args[1](asked.task_dict["ours"]["test"][0])
    asked.requests[0].arguments = ("", lambda _: turns, *asked.requests[0].args[2:])
    make("qwen3_vl", asked, prefix="enc").generate_until(asked.requests)
    assert [turn["role"] for turn in turns] == ["user"]
