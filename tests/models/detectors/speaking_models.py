"""Tiny random video models that write one fixed sentence, whatever they are asked.

Each token says what the next one is: the embeddings are so large that layers add little to them,
and the head answers each with its successor. The attention is that of random weights.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.models.detectors.video_models import write

LOUD = 50
"""Times its random size, an embedding drowns what the layers add to it."""


def write_speaking(family: str, out: Path, sentence: str) -> Path:
    """Write a checkpoint in float32 that ends its reply after the sentence; return its folder."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    write(family, out)
    model = AutoModelForImageTextToText.from_pretrained(out, dtype=torch.float32)
    with torch.no_grad():
        model.get_input_embeddings().weight.mul_(LOUD)
    speak(model, AutoProcessor.from_pretrained(out).tokenizer, sentence)
    model.config.tie_word_embeddings = model.config.get_text_config().tie_word_embeddings = False
    model.save_pretrained(out)
    return out


def speak(model: Any, words: Any, sentence: str) -> None:
    """Let a model of ``write_speaking`` write another sentence, of which no token comes twice."""
    import torch

    opening = words.encode("assistant\n", add_special_tokens=False)[-1]
    chain = [opening, *words.encode(sentence, add_special_tokens=False), words.eos_token_id]
    if len(set(chain)) != len(chain):
        raise ValueError(f"{sentence!r} has a token twice")
    with torch.no_grad():
        embeddings = model.get_input_embeddings().weight
        head = torch.zeros_like(embeddings)
        for token, successor in pairwise(chain):
            head[successor] = embeddings[token]
        model.lm_head.weight = torch.nn.Parameter(head)
