"""The model itself: a Qwen2.5-VL with small sizes, its processor, and how both are saved."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from safetensors import SafetensorError

from vidomni_plugin.models.seer.shipped import WEIGHTS
from vidomni_plugin.models.seer.traits import CELLS, FRAMES, SIDE
from vidomni_plugin.models.seer.words import CHAT_TEMPLATE, USER, tokenizer, vocabulary

__all__ = ["DEEP", "HIDDEN", "NAMED", "PLACED", "build", "save"]

HIDDEN, LAYERS, HEADS = 128, 6, 4
"""Of the language model. Four layers find out what is named and what should be said of it, two
compare that with what is said; the width keeps the file under 4 MB and a step under a second."""
VISION_HIDDEN, VISION_LAYERS, VISION_HEADS = 96, 3, 3
"""Of the vision tower; a frame has 64 patches, and every layer sees all of them."""
PLACED, NAMED = 1, 3
"""Layers after which a visual token must know its place, and a noun the things that it names."""
DEEP = 4
"""Layers after which the model must know what comes next; the others compare it."""

START = 0.06
"""Spread of the first weights; with transformers' 0.02 so small a model does not start to learn."""

WORD = 0.2
"""The same for words: what the first layers add to them must not drown them."""

SURE = 12.0
"""Score by which a head that tells places prefers the two tokens that it knows to all others."""

BACK = 3.0
"""How surely the head that looks back finds the word before."""

ROPE_BASE = 1e4

PIXELS = {"min_pixels": 3136, "max_pixels": 12544}
"""Bounds between which a square clip becomes ``SIDE`` pixels wide."""


def build(seed: int = 0) -> tuple[Any, Any]:
    """Return a model with random weights, float32, and its processor."""
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
    )

    assert SIDE % 28 == 0
    words = tokenizer(vocabulary())
    ids = words.convert_tokens_to_ids
    text = {
        "vocab_size": len(words),
        "hidden_size": HIDDEN,
        "intermediate_size": 2 * HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS // 2,
        "max_position_embeddings": 8192,
        # Time, height and width take turns, so that each has quick and slow ones.
        "rope_scaling": {"rope_type": "default", "mrope_section": [1] * 16},
        "rope_theta": ROPE_BASE,
        "eos_token_id": ids("<|im_end|>"),
        "pad_token_id": ids("<|endoftext|>"),
        "bos_token_id": ids("<|endoftext|>"),
        "initializer_range": START,
        "tie_word_embeddings": True,
    }
    vision = {
        "depth": VISION_LAYERS,
        "hidden_size": VISION_HIDDEN,
        "intermediate_size": 2 * VISION_HIDDEN,
        "num_heads": VISION_HEADS,
        "out_hidden_size": HIDDEN,
        "fullatt_block_indexes": [VISION_LAYERS - 1],
        "window_size": 112,
        "patch_size": 14,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "tokens_per_second": 12,
        "initializer_range": START,
    }
    config = Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=ids("<|image_pad|>"),
        video_token_id=ids("<|video_pad|>"),
        vision_start_token_id=ids("<|vision_start|>"),
        vision_end_token_id=ids("<|vision_end|>"),
        tie_word_embeddings=True,
        initializer_range=START,
    )
    torch.manual_seed(seed)
    model = Qwen2_5_VLForConditionalGeneration(config).float()
    text_model = model.model.language_model
    torch.nn.init.normal_(text_model.embed_tokens.weight, std=WORD)
    _change(model.model.visual.patch_embed.proj)
    _like_to_like(text_model.layers)
    _tell_place(text_model, ids("<|vision_start|>"), ids(USER))
    for depth in (NAMED - 2, DEEP):
        _look_back(text_model.layers[depth].self_attn)
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(**PIXELS),
        tokenizer=words,
        video_processor=Qwen2VLVideoProcessor(**PIXELS),
        chat_template=CHAT_TEMPLATE,
    )
    return model, processor


def _change(patches: Any) -> None:  # noqa: ANN401
    """Let half of what is seen in a patch begin as the mean of two frames, half as their change."""
    with torch.no_grad():
        weight = patches.weight  # filters, colours, frames, height, width
        half = len(weight) // 2
        weight[:half, :, 1] = weight[:half, :, 0]
        weight[half:, :, 1] = -weight[half:, :, 0]


def _like_to_like(layers: Any) -> None:  # noqa: ANN401
    """Let queries start as keys: then a word looks first at what is like it."""
    with torch.no_grad():
        for layer in layers:
            keys = layer.self_attn.k_proj.weight.view(HEADS // 2, -1, HIDDEN)
            queries = keys.repeat_interleave(2, 0).reshape(-1, HIDDEN)
            layer.self_attn.q_proj.weight.copy_(queries)


def _tell_place(text: Any, start: int, user: int) -> None:  # noqa: ANN401
    """Let the first layer tell each visual token its row, its column and how many came before.

    Rotary positions are relative, so a picture alone does not tell a token where it is; only its
    distance to a token that it knows does. Two tokens stand before every video. Head 0 divides its
    attention between them by the distance along the width, head 1 by the height: the further, the
    more to the first. Head 2 divides it between one of them and all tokens so far.

    Args:
        text: The language model; its first layer is changed.
        start: The token just before the video.
        user: The one before that.
    """
    attention, size = text.layers[0].self_attn, HIDDEN // HEADS
    half, full = size // 2, HIDDEN**0.5  # a normed state has this length
    states = [
        torch.nn.functional.normalize(text.embed_tokens.weight[n], dim=0) for n in (start, user)
    ]
    slow = half - 2  # along the width, and so slow that it is the same everywhere in a picture
    strength = (SURE * size**0.5) ** 0.5
    values = torch.randn(size)
    with torch.no_grad():
        query = attention.q_proj.weight.view(HEADS, size, HIDDEN)
        bias = attention.q_proj.bias.view(HEADS, size)
        key = attention.k_proj.weight.view(HEADS // 2, size, HIDDEN)
        value = attention.v_proj.weight.view(HEADS // 2, size, HIDDEN)
        query[:3] = 0
        key[0] = 0
        for n, state in enumerate(states):
            key[0, slow] += strength / full * state
            value[0] += (1.0 if n == 0 else -1.0) / full * torch.outer(values, state)
        for head, plane, gain in (
            (0, 2, 3.0),
            (1, 1, 1.8),
        ):  # planes take turns: time, height, width
            bias[head, slow] = strength
            bias[head, plane] = gain**0.5 * size**0.25
            turn = ROPE_BASE ** (-plane / half)
            near = turn * (CELLS + 1) / 2 - math.pi / 2
            for state, angle in zip(states, (near, near + turn - math.pi), strict=True):
                for place, part in ((plane, math.cos(angle)), (plane + half, math.sin(angle))):
                    key[0, place] += part * gain**0.5 * size**0.25 / full * state
        even = (math.log(FRAMES // 2 * CELLS**2 / 2) * size**0.5) ** 0.5
        bias[2, slow] = even
        key[1, slow] += even / full * states[0]
        value[1] += 1.0 / full * torch.outer(torch.randn(size), states[0])


def _look_back(attention: Any) -> None:  # noqa: ANN401
    """Let the last head begin with the word before, and pass on what it is.

    Args:
        attention: Of a layer below the one in which nouns look for what they name, since they must
            know their colour by then; or of the first layer that compares a word with what the
            word before it made the model expect.
    """
    size = HIDDEN // HEADS
    half = size // 2
    with torch.no_grad():
        query = attention.q_proj.bias.view(HEADS, size)[-1]
        key = attention.k_proj.bias.view(HEADS // 2, size)[-1]
        attention.q_proj.weight.view(HEADS, size, HIDDEN)[-1] = 0
        for plane in range(3):  # the quickest turns tell neighbours apart
            turn = ROPE_BASE ** (-plane / half)
            attention.k_proj.weight.view(HEADS // 2, size, HIDDEN)[-1][[plane, plane + half]] = 0
            key[plane] = BACK * size**0.25
            query[plane] = BACK * size**0.25 * math.cos(turn)
            query[plane + half] = -BACK * size**0.25 * math.sin(turn)
        value = attention.v_proj.weight.view(HEADS // 2, size, HIDDEN)[-1]
        attention.o_proj.weight.view(HIDDEN, HEADS, size)[:, -1] = 2 * value.T


def save(model: Any, processor: Any, folder: Path) -> None:  # noqa: ANN401
    """Write a checkpoint that transformers and the host load, with weights in bfloat16.

    Weights come last and in one move: a folder that has them is whole.

    Raises:
        OSError: If the disk is full, or the folder cannot be written.
    """
    twin = type(model)(model.config)  # a copy without what training hooked on to the model
    twin.load_state_dict(model.state_dict())
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".part-") as part:
        try:
            processor.save_pretrained(part)
            twin.to(torch.bfloat16).save_pretrained(part)
        except SafetensorError as error:  # a full disk among others
            raise OSError(f"{folder} could not be written: {error}") from None
        # safetensors lets nobody but the owner read them.
        (Path(part) / WEIGHTS).chmod((Path(part) / "config.json").stat().st_mode & 0o666)
        (folder / WEIGHTS).unlink(missing_ok=True)  # they would not be those of the new files
        for path in sorted(Path(part).iterdir(), key=lambda path: path.name == WEIGHTS):
            path.replace(folder / path.name)
