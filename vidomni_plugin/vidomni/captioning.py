"""The five dense captioning prompts (arXiv 2609.21521, Figure 13), and which one is drawn."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

__all__ = [
    "DEFAULT_SEED",
    "NAME_KEYS",
    "PROMPTS",
    "caption_prompt",
    "caption_source",
    "draw",
    "prompt_id",
]

PROMPTS = 5
"""Prompts in the paper; one of them is drawn per video and captioning model."""
DEFAULT_SEED = 0
"""Seed of the draw where ``VIDOMNI_CAPTION_SEED`` is not set; the paper names none."""
NAME_KEYS = ("pretrained", "model", "model_version", "model_name", "model_id", "path", "engine")
"""Arguments of the host's runners that name the checkpoint, in the host's own order."""
_SNAPSHOT = re.compile(r"models--([^/]+?)--([^/]+)/snapshots/[0-9a-f]+/?$")


@cache
def caption_prompt(number: int) -> str:
    """Return a prompt word for word.

    Args:
        number: From 1 to 5, in the paper's order.
    """
    path = files("vidomni_plugin") / "vidomni" / "prompts" / f"captioning_{number}.txt"
    return path.read_text(encoding="utf-8").rstrip("\n")


def prompt_id(number: int) -> str:
    """Return name and short hash of a prompt's text, as each sample records it.

    Example:
        >>> prompt_id(1)
        'captioning_1@d9d3b7a2392b'
    """
    text = caption_prompt(number).encode()
    return f"captioning_{number}@{hashlib.sha256(text).hexdigest()[:12]}"


def draw(seed: int, video_id: str, source: str) -> int:
    """Return the number of the prompt for one video and one captioning model, from 1 to 5.

    A hash takes the place of a random number generator: the draw depends on nothing else, so
    it is the same on every rank, machine and version, whatever videos are beside it.

    Args:
        seed: Another seed gives an independent draw.
        video_id: The video.
        source: Name of the captioning model.

    Example:
        >>> [draw(0, f"video{k}", "some-model") for k in range(8)]
        [3, 4, 5, 5, 1, 1, 4, 5]
    """
    key = f"{seed}\n{video_id}\n{source}".encode()
    # 256 bits over 5 numbers: the remainder's bias is below 1e-76.
    return int.from_bytes(hashlib.sha256(key).digest(), "big") % PROMPTS + 1


def caption_source(model: str, model_args: str | Mapping[str, object]) -> str:
    """Return the name of a captioning model from what the host was given.

    That is the checkpoint (``pretrained=``, ``model=``, ...), without folders where it is a
    path, so that one model has one name on every machine; without a checkpoint it is the
    host's name of the runner.

    Args:
        model: The host's ``--model``.
        model_args: The host's ``--model_args``.

    Example:
        >>> caption_source("qwen3_vl", "pretrained=Qwen/Qwen3-VL-8B-Instruct,fps=2")
        'Qwen/Qwen3-VL-8B-Instruct'
        >>> caption_source("qwen3_vl", "pretrained=/data/models/my-model/")
        'my-model'
        >>> caption_source("vidomni_replay", "responses=answers.jsonl")
        'vidomni_replay'
    """
    if isinstance(model_args, str):
        pairs = (part.partition("=") for part in model_args.split(","))
        given: Mapping[str, object] = {name.strip(): value.strip() for name, _, value in pairs}
    else:
        given = model_args
    named = next((str(given[key]) for key in NAME_KEYS if given.get(key)), "")
    return _without_folders(named.replace("\\", "/")) or model


def _without_folders(name: str) -> str:
    if snapshot := _SNAPSHOT.search(name):
        return f"{snapshot[1]}/{snapshot[2]}"
    trimmed = name.rstrip("/")
    is_path = name.startswith(("/", ".", "~")) or trimmed.count("/") > 1 or trimmed != name
    return trimmed.rsplit("/", 1)[-1] if is_path else trimmed
