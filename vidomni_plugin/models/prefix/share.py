"""Answers of a model about one video whose frames are encoded once.

The numbers that reach the language model are the host's in every mode. ``alone`` also calls it
as the host does, so its answers are the host's in any dtype. ``in_turn`` and ``together`` add
the same terms in another order: the same answers in float32, and in bfloat16 but for ties.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import torch
from torch import Tensor

from vidomni_plugin.models.prefix.cache import new_cache
from vidomni_plugin.models.prefix.inputs import Prompt

__all__ = ["Prefix", "SeenVideo", "alone", "encoded", "in_turn", "prefilled", "together"]


@dataclass(frozen=True, slots=True)
class SeenVideo:
    """A video after the vision tower."""

    features: Any
    """What the vision tower returned."""
    grid: Mapping[str, Tensor]
    """Frames, rows and columns of patches, and what else the position ids need."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The tokens that prompts begin with, in the language model's cache."""

    cache: Any
    length: int


def encoded(model: Any, inputs: Mapping[str, Tensor]) -> SeenVideo:  # noqa: ANN401
    """Return the video after the vision tower, called as ``generate`` calls it.

    Args:
        model: A vision-language model of transformers.
        inputs: What the processor returned for the video; the pixels among it.
    """
    grid = {name: value for name, value in inputs.items() if name != "pixel_values_videos"}
    features = model.base_model.get_video_features(
        pixel_values_videos=inputs["pixel_values_videos"],
        video_grid_thw=inputs["video_grid_thw"],
        return_dict=True,
    )
    return SeenVideo(features, grid)


def alone(model: Any, video: SeenVideo, prompt: Prompt) -> Tensor:  # noqa: ANN401
    """Return the tokens of one answer; the whole prompt is prefilled."""
    output = model.generate(
        input_ids=prompt.input_ids,
        attention_mask=prompt.attention_mask,
        mm_token_type_ids=prompt.mm_token_type_ids,
        mm_encoder_outputs={"video": copy.copy(video.features)},
        **video.grid,
        **prompt.settings,
    )
    return output[0, len(prompt) :]


def prefilled(model: Any, video: SeenVideo, prompts: Sequence[Prompt]) -> Prefix:  # noqa: ANN401
    """Return the longest common prefix of the prompts, prefilled.

    The prefix is found on token ids: a word that begins the same can be another token. One
    token at least is left for each prompt, since the last one gives the first new token.
    """
    side_by_side = zip(*(prompt.ids[:-1] for prompt in prompts), strict=False)
    length = sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, side_by_side))
    first = prompts[0]
    cache = new_cache(model)
    model(
        input_ids=first.input_ids[:, :length],
        attention_mask=first.attention_mask[:, :length],
        position_ids=_positions(model, video, first)[..., :length],
        mm_token_type_ids=first.mm_token_type_ids[:, :length],
        mm_encoder_outputs={"video": copy.copy(video.features)},
        cache=cache,
        use_cache=True,
        logits_to_keep=1,
        **video.grid,
    )
    return Prefix(cache, length)


def in_turn(
    model: Any,  # noqa: ANN401
    video: SeenVideo,
    prefix: Prefix,
    prompt: Prompt,
) -> Tensor:
    """Return the tokens of one answer; the prefix is not prefilled again, and stays as it is."""
    output = model.generate(
        input_ids=prompt.input_ids,
        attention_mask=prompt.attention_mask,
        position_ids=_positions(model, video, prompt),
        cache=prefix.cache,
        **prompt.settings,
    )
    _cut_back(prefix)
    return output[0, len(prompt) :]


def together(
    model: Any,  # noqa: ANN401
    video: SeenVideo,
    prefix: Prefix,
    prompts: Sequence[Prompt],
) -> Tensor:
    """Return the tokens of several answers, one row each; the prefix stays as it is.

    A row is the prefix, then masked places, then the rest of its prompt, so that all prompts
    end at the same place. The masked places repeat the first token of the prompt: a penalty on
    repeated tokens sees no token that the prompt does not have.
    """
    longest = max(map(len, prompts))
    shape = (len(prompts), longest)
    first = prompts[0].input_ids
    input_ids = first[0, 0].expand(shape).clone()
    attention_mask = torch.zeros(shape, dtype=prompts[0].attention_mask.dtype, device=first.device)
    position_ids = torch.zeros((4, *shape), dtype=torch.long, device=first.device)
    for row, prompt in enumerate(prompts):
        own = longest - (len(prompt) - prefix.length)
        positions = _positions(model, video, prompt)[:, 0]
        for place, part in (
            (slice(0, prefix.length), slice(0, prefix.length)),
            (slice(own, longest), slice(prefix.length, len(prompt))),
        ):
            input_ids[row, place] = prompt.input_ids[0, part]
            attention_mask[row, place] = 1
            position_ids[:, row, place] = positions[:, part]
    prefix.cache.batch_repeat_interleave(len(prompts))
    output = model.generate(
        input_ids=input_ids,
        attention_mask=attention_mask,
        position_ids=position_ids,
        cache=prefix.cache,
        **prompts[0].settings,
    )
    prefix.cache.batch_select_indices(torch.zeros(1, dtype=torch.long, device=first.device))
    _cut_back(prefix)
    return output[:, longest:]


def _cut_back(prefix: Prefix) -> None:
    """Take all but the prefix out of its cache; a negative number is how many tokens go."""
    prefix.cache.crop(prefix.length - prefix.cache.get_seq_length())


def _positions(model: Any, video: SeenVideo, prompt: Prompt) -> Tensor:  # noqa: ANN401
    """Return the position ids of a whole prompt as ``generate`` builds them, ``(4, 1, tokens)``.

    They are given explicitly, since ``generate`` goes on from a cache by the offset of the
    last prompt, and text after a video starts below the last time id of Qwen2.5-VL's frames.
    """
    in_space, _ = model.base_model.get_rope_index(
        prompt.input_ids,
        mm_token_type_ids=prompt.mm_token_type_ids,
        attention_mask=prompt.attention_mask,
        **video.grid,
    )
    in_text = torch.arange(len(prompt), device=in_space.device)[None, None]
    return torch.cat([in_text, in_space])
