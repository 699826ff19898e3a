"""A CLIP checkpoint of tiny size with random weights: the real architecture, tokens and pictures.

``python tests/models/detectors/tiny_clip.py OUT`` writes one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

SEED = 0
SIZE, PATCH, LONGEST = 32, 16, 77
START, END = "<|startoftext|>", "<|endoftext|>"


def tokenizer(longest: int = LONGEST) -> Any:
    """Return CLIP's tokenizer with single characters for words: no merges."""
    from tokenizers import pre_tokenizers
    from transformers import CLIPTokenizer

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), START, END]
    return CLIPTokenizer(
        vocab={token: k for k, token in enumerate(tokens)}, merges=[], model_max_length=longest
    )


def config(
    longest: int = LONGEST,
    size: int = SIZE,
    patch: int = PATCH,
    width: int = 16,
    layers: int = 2,
) -> Any:
    """Return the configuration of a small CLIP."""
    from transformers import CLIPConfig

    words = len(tokenizer())
    shared = {"hidden_size": width, "intermediate_size": 2 * width, "num_hidden_layers": layers}
    shared |= {"num_attention_heads": 2, "hidden_act": "quick_gelu", "projection_dim": 12}
    text = {"vocab_size": words, "max_position_embeddings": longest, "bos_token_id": words - 2}
    text |= {"eos_token_id": words - 1, "pad_token_id": words - 1}
    return CLIPConfig(
        projection_dim=12,
        text_config={**shared, **text},
        vision_config={**shared, "image_size": size, "patch_size": patch},
    )


def build(
    out: Path, longest: int = LONGEST, seed: int = SEED, size: int = SIZE, **shape: int
) -> Path:
    """Write a checkpoint and return its folder.

    Args:
        out: The folder.
        longest: Most tokens of a text.
        seed: Of the weights.
        size: Of a picture, in pixels.
        shape: As ``config``.
    """
    import torch
    from transformers import CLIPImageProcessor, CLIPModel

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = CLIPModel(config(longest, size, **shape)).float().eval()
    model.save_pretrained(out)
    tokenizer(longest).save_pretrained(out)
    CLIPImageProcessor(
        size={"shortest_edge": size}, crop_size={"height": size, "width": size}
    ).save_pretrained(out)
    return out


if __name__ == "__main__":
    build(Path(sys.argv[1]))
