"""Tiny random checkpoints that the host's own runners load: real processor, no knowledge.

``python tests/end_to_end/checkpoints.py qwen2_5_vl OUT`` writes one. The weights are random
with a fixed seed, so the answers are noise, but every step of a real run takes place.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

FAMILIES = ("qwen2_5_vl", "qwen3_vl")
SEED = 0
MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
VISION = [f"<|{name}|>" for name in ("vision_start", "vision_end", "image_pad", "video_pad")]
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] in ('image', 'video') %}"
    "<|vision_start|><|{{ part['type'] }}_pad|><|vision_end|>"
    "{% elif 'text' in part %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer() -> Any:
    """Return a byte-level tokenizer with the marks of the Qwen chat format."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import Qwen2TokenizerFast

    base = Tokenizer(models.BPE())
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    base.train_from_iterator(["ACCEPT REJECT sentence label video"] * 3, trainer)
    return Qwen2TokenizerFast(
        tokenizer_object=base,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=MARKS + VISION,
        chat_template=CHAT_TEMPLATE,
    )


def build(family: str, out: Path) -> Path:
    """Write a checkpoint of one family and return its folder."""
    import torch
    import transformers as tf

    words = tokenizer()
    ids = {mark: words.convert_tokens_to_ids(mark) for mark in MARKS + VISION}
    text = {
        "vocab_size": len(words) + 8,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 65536,
        "rope_theta": 1e6,
        "eos_token_id": ids["<|im_end|>"],
        "pad_token_id": ids["<|endoftext|>"],
        "bos_token_id": ids["<|endoftext|>"],
    }
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "out_hidden_size": 64,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
    }
    tokens = {
        "image_token_id": ids["<|image_pad|>"],
        "video_token_id": ids["<|video_pad|>"],
        "vision_start_token_id": ids["<|vision_start|>"],
        "vision_end_token_id": ids["<|vision_end|>"],
    }
    torch.manual_seed(SEED)
    if family == "qwen2_5_vl":
        text["rope_scaling"] = {"rope_type": "default", "mrope_section": [2, 3, 3]}
        vision |= {"fullatt_block_indexes": [1], "patch_size": 14, "window_size": 112}
        config = tf.Qwen2_5_VLConfig(text_config=text, vision_config=vision, **tokens)
        model = tf.Qwen2_5_VLForConditionalGeneration(config)
        images, videos = tf.Qwen2VLImageProcessor(), tf.Qwen2VLVideoProcessor()
        processor = tf.Qwen2_5_VLProcessor
    else:
        text["rope_scaling"] = {
            "rope_type": "default",
            "mrope_section": [3, 3, 2],
            "mrope_interleaved": True,
        }
        text["head_dim"] = 16
        vision |= {"patch_size": 16, "num_position_embeddings": 64}
        vision["deepstack_visual_indexes"] = [0, 1]
        config = tf.Qwen3VLConfig(text_config=text, vision_config=vision, **tokens)
        model = tf.Qwen3VLForConditionalGeneration(config)
        images = tf.Qwen2VLImageProcessor(patch_size=16)
        videos = tf.Qwen3VLVideoProcessor()
        processor = tf.Qwen3VLProcessor
    model.to(torch.bfloat16).save_pretrained(out)
    processor(
        image_processor=images,
        tokenizer=words,
        video_processor=videos,
        chat_template=CHAT_TEMPLATE,
    ).save_pretrained(out)
    return out


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in FAMILIES:
        sys.exit(f"usage: {sys.argv[0]} {{{'|'.join(FAMILIES)}}} OUT")
    print(build(sys.argv[1], Path(sys.argv[2])))
