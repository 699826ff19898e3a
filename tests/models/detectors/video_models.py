"""Tiny random video language models of two families, whose weights matter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "end_to_end"))

from checkpoints import MARKS, SEED, build, tokenizer

LIVELY = 8
"""Times its initial size, a random weight matters: logits differ from video to video."""
SIDE = 56
LLAVA_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}"
    "{% if part['type'] in ('image', 'video') %}<{{ part['type'] }}>\n"
    "{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write(family: str, out: Path) -> Path:
    """Write a checkpoint in float32 and return its folder."""
    import torch
    from transformers import AutoModelForImageTextToText

    if family == "llava_onevision":
        _llava_onevision(out)
    else:
        build(family, out)
    model = AutoModelForImageTextToText.from_pretrained(out, dtype=torch.float32)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim > 1:
                weights.mul_(LIVELY)
    model.save_pretrained(out)
    return out


def _llava_onevision(out: Path) -> None:
    import torch
    import transformers as tf

    words: Any = tokenizer()
    words.add_special_tokens({"additional_special_tokens": [*MARKS, "<image>", "<video>"]})
    ids = {
        mark: words.convert_tokens_to_ids(mark)
        for mark in ("<image>", "<video>", "<|im_end|>", "<|endoftext|>")
    }
    vision = tf.SiglipVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=SIDE,
        patch_size=14,
        vision_use_head=False,
    )
    text = tf.Qwen2Config(
        vocab_size=len(words) + 8,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        eos_token_id=ids["<|im_end|>"],
        pad_token_id=ids["<|endoftext|>"],
        bos_token_id=ids["<|endoftext|>"],
    )
    pinpoints = [[SIDE, SIDE], [SIDE, 2 * SIDE]]
    config = tf.LlavaOnevisionConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=ids["<image>"],
        video_token_index=ids["<video>"],
        image_grid_pinpoints=pinpoints,
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
    )
    torch.manual_seed(SEED)
    tf.LlavaOnevisionForConditionalGeneration(config).save_pretrained(out)
    size = {"height": SIDE, "width": SIDE}
    tf.LlavaOnevisionProcessor(
        image_processor=tf.LlavaOnevisionImageProcessor(size=size, image_grid_pinpoints=pinpoints),
        tokenizer=words,
        video_processor=tf.LlavaOnevisionVideoProcessor(size=size),
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=LLAVA_TEMPLATE,
    ).save_pretrained(out)
