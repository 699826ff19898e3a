"""What an answer depends on, as one key: two runs that differ in it never share an answer."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from vidomni_plugin.data.probe import media_digest
from vidomni_plugin.host import running_seeds
from vidomni_plugin.models.arguments import OF_THE_MACHINE, SECRET
from vidomni_plugin.models.requests import Asked
from vidomni_plugin.models.runner.checkpoint import content_of

__all__ = ["answer_key", "digest_of", "run_settings", "settings_differ"]

PACKAGES = ("lmms-eval", "vidomni-plugin", "transformers", "torch", "qwen-vl-utils")
"""Whose version an answer depends on."""
NOT_IN_THE_KEY = OF_THE_MACHINE - {"responses"}
"""The file of recorded answers is what ``vidomni_replay`` answers with."""
ENVIRONMENT = ("VIDOMNI_READER", "FORCE_QWENVL_VIDEO_READER", "MODEL_SEQ_LEN")
"""Variables that decide which pixels a model gets of a video; they count where they are set."""


def canonical(value: object) -> bytes:
    """Return a value as JSON text that is the same for equal values.

    Example:
        >>> canonical({"b": 1, "a": (None, "x")})
        b'{"a":[null,"x"],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str).encode()


def digest_of(value: object) -> str:
    """Return the SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


def run_settings(
    inner: str, kind: str, arguments: Mapping[str, Any], *, labels_only: bool
) -> dict[str, Any]:
    """Return the settings that all answers of a run share, for the key and for people.

    Args:
        inner: Name of the model that answers.
        kind: "chat" or "simple": the host has two classes for some models.
        arguments: Of the inner model. Those that only say where and how fast it runs are left
            out, and so are secrets. A checkpoint folder counts by its content, so that it may be
            moved, and a retrained one is another model.
        labels_only: Whether answers stop behind the labels.
    """
    counted = {
        name: content_of(name, value)
        for name, value in sorted(arguments.items())
        if name not in NOT_IN_THE_KEY and not SECRET.search(name) and value is not None
    }
    settings = {
        "inner": inner,
        "kind": kind,
        "arguments": counted,
        "labels_only": labels_only,
        "versions": {name: _version(name) for name in PACKAGES},
    }
    environment = {name: value for name in ENVIRONMENT if (value := os.environ.get(name))}
    # Runs of other seeds are made to see how much answers vary: each has its own.
    more = {"environment": environment, "seeds": running_seeds()}
    return settings | {name: value for name, value in more.items() if value}


def settings_differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return which settings two runs do not share, each with both values.

    Example:
        >>> settings_differ({"inner": "a", "arguments": {"fps": 1}}, {"inner": "a"})
        ['arguments.fps: 1 / not given']
    """
    a, b = dict(_flat(one)), dict(_flat(other))
    return [
        f"{name}: {a.get(name, 'not given')} / {b.get(name, 'not given')}"
        for name in sorted({*a, *b})
        if a.get(name) != b.get(name)
    ]


def answer_key(settings: str, asked: Asked, occurrence: int) -> str:
    """Return the key of one answer.

    Args:
        settings: Hash of ``run_settings``.
        asked: The request, before any model has seen it: some change its settings.
        occurrence: How often the same was asked before in this call (``--repeats``).
    """
    media = [_medium(part, asked) for part in asked.media]
    parts = (settings, asked.task, asked.item, occurrence, asked.text, asked.generation, media)
    return digest_of((*parts, asked.form))


def _medium(part: object, asked: Asked) -> object:
    """Return what stands for a video, an image or a sound: its content, not where it lies."""
    if isinstance(part, str):
        if known := asked.doc.get("media_digest"):
            # A copy, such as one without sound, has the digest of its original in its name.
            same = part == asked.doc.get("video")
            return [known, "" if same else "/".join(Path(part).parts[-2:])]
        return _file_digest(part)
    if isinstance(part, bytes):
        return hashlib.sha256(part).hexdigest()
    if hasattr(part, "detach"):  # a tensor; float32 holds all that bfloat16 does
        return [
            str(getattr(part, "dtype", "")),
            _medium(part.detach().cpu().float().numpy(), asked),
        ]
    if hasattr(part, "tobytes"):  # an image or an array
        named = (str(getattr(part, name, "")) for name in ("size", "shape", "mode", "dtype"))
        return [" ".join(named), hashlib.sha256(part.tobytes()).hexdigest()]
    if isinstance(part, (list, tuple)):  # frames
        return [_medium(value, asked) for value in part]
    if isinstance(part, Mapping):
        return {str(name): _medium(value, asked) for name, value in sorted(part.items())}
    if isinstance(part, (int, float, type(None))):
        return part
    return type(part).__qualname__  # as text it may name an address, which is new in every process


def _file_digest(path: str) -> str:
    """Return the content hash of a file; what is no readable file stands for itself."""
    try:
        state = Path(path).stat()
        return _digest_of_file(path, state.st_mtime_ns, state.st_size)
    except (OSError, ValueError):
        return path


@lru_cache(maxsize=4096)
def _digest_of_file(path: str, _mtime_ns: int, _size: int) -> str:
    return media_digest(Path(path))


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", str(value)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
