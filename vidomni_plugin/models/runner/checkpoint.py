"""What an argument that names files stands for: a checkpoint counts by its weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from vidomni_plugin.data.hashes import sha256_of
from vidomni_plugin.paths import path_of

__all__ = ["content_of"]

READ_FILES = frozenset(
    [
        *("responses", "system_prompt", "chat_template", "prompt", "statements", "threshold"),
        *("idf", "weights"),
    ]
)
"""Arguments that may name a file whose content decides; others may name one that is written."""
CHECKPOINT_FILES = ("config.json", "adapter_config.json")
"""A folder with one of these is a checkpoint."""
WEIGHTS = frozenset([".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt"])
"""Endings of files that hold weights: such a file, or a folder with one, is a checkpoint too."""
SETTINGS = frozenset([".json", ".model", ".txt", ".jinja", ".py", ".tiktoken"])
"""Endings of what a loader reads beside them: configuration, tokenizer, template and code."""
OF_THE_TRAINING = "trainer_state.json"
"""What a training notes of itself; no loader reads it."""


def content_of(name: str, value: object) -> object:
    """Return what stands for an argument of a model: of files, their content.

    So a checkpoint may be moved, and a retrained one in its place is another model: a training
    may change any part of the weights, so every byte counts. The hashes are remembered until
    the files change.
    """
    if not isinstance(value, str) or not value:
        return value
    path = path_of(value)
    try:
        if path.is_file():
            if path.suffix in WEIGHTS:
                return f"checkpoint {_digest([path], path)}"
            return f"file {_digest([path], path)}" if name in READ_FILES else value
        if _is_checkpoint(path):
            return f"checkpoint {_digest(_loaded(path), path)}"
    except OSError:  # a text that cannot be a path, or a folder that cannot be read
        pass
    return value


def _is_checkpoint(folder: Path) -> bool:
    if any((folder / name).is_file() for name in CHECKPOINT_FILES):
        return True
    return folder.is_dir() and any(path.suffix in WEIGHTS for path in folder.iterdir())


def _loaded(folder: Path) -> list[Path]:
    """Return the files of a checkpoint that a loader reads.

    Other files may come and go: a run may write its output and its journal below the checkpoint,
    and a training keeps its earlier states there. Hidden ones are a tool's.
    """
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in files if _is_loaded(path.relative_to(folder)))


def _is_loaded(path: Path) -> bool:
    if any(part.startswith(".") for part in path.parts):
        return False
    if len(path.parts) == 1:
        return path.suffix in WEIGHTS | SETTINGS and path.name != OF_THE_TRAINING
    earlier = any(part.startswith("checkpoint-") for part in path.parts)
    return path.suffix in WEIGHTS and not earlier


def _digest(files: Iterable[Path], root: Path) -> str:
    """Return a hash over names below ``root`` and contents, as 16 hexadecimal digits."""
    files = list(files)
    hashes = sha256_of(files, "hashing the checkpoint")
    seen = [(path.relative_to(root).as_posix(), hashes.get(path, "unread")) for path in files]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:16]
