"""What an argument that names files stands for: a checkpoint counts by its weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from vidomni_plugin.data.probe import media_digest

__all__ = ["content_of"]

READ_FILES = frozenset(["responses", "system_prompt", "chat_template"])
"""Arguments that may name a file whose content decides; others may name one that is written."""
CHECKPOINT_FILES = ("config.json", "adapter_config.json")
"""A folder with one of these is a checkpoint."""
WEIGHTS = frozenset([".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt"])
"""Endings of files that hold weights: such a file, or a folder with one, is a checkpoint too."""
LOOK = 4096
"""Bytes that are read at one place of the weights."""
PLACES = 1000
"""Places in a file whose tensors are not known."""
MOST_HEADER = 100_000_000
"""Bytes that the header of a safetensors file may have; the format's own bound."""


def content_of(name: str, value: object) -> object:
    """Return what stands for an argument of a model: of files, their content.

    So a checkpoint may be moved, and a retrained one in its place is another model.
    """
    if not isinstance(value, str) or not value:
        return value
    path = Path(value).expanduser()
    try:
        if path.is_file():
            if path.suffix in WEIGHTS:
                return f"checkpoint {_weights_digest(path)}"
            return f"file {media_digest(path)}" if name in READ_FILES else value
        if _is_checkpoint(path):
            return f"checkpoint {_folder_digest(path)}"
    except OSError:  # a text that cannot be a path, or a file that cannot be read
        pass
    return value


def _is_checkpoint(folder: Path) -> bool:
    if any((folder / name).is_file() for name in CHECKPOINT_FILES):
        return True
    return folder.is_dir() and any(path.suffix in WEIGHTS for path in folder.iterdir())


def _folder_digest(folder: Path) -> str:
    """Return a hash over names and contents of a folder's files; hidden ones are a tool's."""
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    shown = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    seen = [(name.as_posix(), _weights_digest(folder / name)) for name in shown]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:16]


def _weights_digest(path: Path) -> str:
    """Return a hash that a training of any part of the weights changes, in seconds for 100 GB.

    Beside ``media_digest`` it looks into every tensor of a safetensors file, at its start, middle
    and end: a training may leave most tensors as they are. Other files are looked at in many
    places.
    """
    digest = hashlib.sha256(media_digest(path).encode())
    size = path.stat().st_size
    with path.open("rb") as file:
        for start, end in _tensors(file, size) or _evenly(size):
            for place in sorted(
                {start, max(start, (start + end - LOOK) // 2), max(start, end - LOOK)}
            ):
                file.seek(place)
                digest.update(file.read(min(LOOK, end - place)))
    return digest.hexdigest()[:16]


def _tensors(file: BinaryIO, size: int) -> list[tuple[int, int]]:
    """Return where the tensors of a safetensors file lie; of other files nothing."""
    length = int.from_bytes(file.read(8), "little")
    if not 2 <= length <= min(MOST_HEADER, size - 8):
        return []
    try:
        header = json.loads(file.read(length))
        offsets = [entry["data_offsets"] for name, entry in header.items() if name[:2] != "__"]
        return [(8 + length + int(start), 8 + length + int(end)) for start, end in offsets]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []


def _evenly(size: int) -> Iterator[tuple[int, int]]:
    for k in range(PLACES):
        start = size * k // PLACES
        yield start, min(start + LOOK, size * (k + 1) // PLACES)
