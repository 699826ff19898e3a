"""The model itself: a Qwen2.5-VL with small sizes, its processor, and how both are saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from vidomni_plugin.models.seer.clips import SIDE
from vidomni_plugin.models.seer.words import CHAT_TEMPLATE, tokenizer, vocabulary

__all__ = ["DEEP", "HIDDEN", "NAMED", "PLACED", "build", "save"]

HIDDEN, LAYERS, HEADS = 128, 6, 4
VISION_HIDDEN, VISION_LAYERS, VISION_HEADS = 96, 3, 3
PLACED, NAMED = 1, 2
"""Layers after which a visual token must know its place, and a noun the things that it names."""
DEEP = 3
"""Layers after which the model must know what comes next; the others compare it."""

START = 0.06
"""Spread of the first weights; with transformers' 0.02 so small a model does not start to learn."""

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
        "rope_theta": 1e4,
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
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(**PIXELS),
        tokenizer=words,
        video_processor=Qwen2VLVideoProcessor(**PIXELS),
        chat_template=CHAT_TEMPLATE,
    )
    return model, processor


def save(model: Any, processor: Any, folder: Path) -> None:  # noqa: ANN401
    """Write a checkpoint that transformers and the host load, with weights in bfloat16."""
    twin = type(model)(model.config)  # a copy without what training hooked on to the model
    twin.load_state_dict(model.state_dict())
    twin.to(torch.bfloat16).save_pretrained(folder)
    processor.save_pretrained(folder)
