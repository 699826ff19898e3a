"""What an answer depends on, as one key: two runs that differ in it never share an answer."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from vidomni_plugin.data.probe import media_digest
from vidomni_plugin.models.arguments import (
    CREDENTIAL,
    HIDDEN,
    OF_THE_MACHINE,
    SECRET,
    without_secrets,
)
from vidomni_plugin.models.requests import Asked
from vidomni_plugin.models.runner.checkpoint import content_of
from vidomni_plugin.versions import package_version
from vidomni_plugin.video.settings import READER_VARIABLE, wanted_reader

__all__ = ["answer_key", "digest_of", "run_settings", "settings_differ"]

PACKAGES = (
    *("lmms-eval", "vidomni-plugin", "transformers", "torch", "torchvision", "pillow"),
    *("qwen-vl-utils", "qwen-omni-utils", "decord", "eva-decord", "av", "torchcodec"),
    *("vllm", "sglang", "openai"),
)
"""What an answer depends on: what runs the model, and what reads and resizes its videos."""
NOT_IN_THE_KEY = OF_THE_MACHINE - {"responses"}
"""The file of recorded answers is what ``vidomni_replay`` answers with."""
READING = ("FORCE_QWENVL_VIDEO_READER", "LMMS_VIDEO_DECODE_BACKEND", "MODEL_SEQ_LEN")
"""Variables that decide, beside our own, which pixels a model gets of a video."""


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
    inner: str,
    kind: str,
    arguments: Mapping[str, Any],
    *,
    labels_only: bool,
    by_content: bool = True,
) -> dict[str, Any]:
    """Return the settings that all answers of a run share, for the key and for people.

    Args:
        inner: Name of the model that answers.
        kind: "chat" or "simple": the host has two classes for some models.
        arguments: Of the inner model. Those that only say where and how fast it runs, or who
            asks, are left out. A checkpoint folder counts by its content, so that it may be
            moved, and a retrained one is another model.
        labels_only: Whether answers stop behind the labels.
        by_content: Whether files are read; without it they count by their path.

    Raises:
        InputProblems: If ``VIDOMNI_READER`` names no reader.
    """
    counted = {
        name: _told(name, content_of(name, value) if by_content else value)
        for name, value in sorted(arguments.items())
        if name not in NOT_IN_THE_KEY and not CREDENTIAL.search(name) and value is not None
    }
    versions = {name: package_version(name) for name in PACKAGES}
    chosen = {READER_VARIABLE: wanted_reader()} | {name: os.environ.get(name) for name in READING}
    return {
        "inner": inner,
        "kind": kind,
        "arguments": counted,
        "labels_only": labels_only,
        "environment": {name: value for name, value in chosen.items() if value},
        "versions": {name: number for name, number in versions.items() if number},
    }


def _told(name: str, value: object) -> object:
    """Return an argument as it is written: what may be a secret is hidden, and counts by its hash.

    What certainly is a secret, such as an ``api_key`` inside of another argument, does not count.
    """
    text = value if isinstance(value, str) else canonical(value).decode()
    shown = HIDDEN if SECRET.search(name) else without_secrets(text)
    decisive = without_secrets(text, CREDENTIAL)
    if shown == text:
        return value
    return shown if shown == decisive else f"{shown} {digest_of(decisive)[:16]}"


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


def answer_key(
    settings: str, asked: Asked, occurrence: int, seeds: Sequence[int | None] = ()
) -> str:
    """Return the key of one answer.

    Args:
        settings: Hash of ``run_settings``.
        asked: The request, before any model has seen it: some change its settings.
        occurrence: How often the same was asked before in this call (``--repeats``).
        seeds: Of the run. Runs of other seeds are made to see how much answers vary: each has
            its own, unless the answers cannot vary.
    """
    media = [_medium(part, asked) for part in asked.media]
    parts = [settings, asked.task, asked.item, occurrence, asked.text, asked.generation, media]
    return digest_of([*parts, asked.form, [] if _is_greedy(asked.generation) else seeds])


def _is_greedy(generation: Mapping[str, Any]) -> bool:
    """Whether no chance decides the answer, as far as the settings tell.

    Example:
        >>> [_is_greedy(g) for g in ({"temperature": 0}, {"do_sample": False}, {"temperature": 1})]
        [True, True, False]
    """
    if (temperature := generation.get("temperature")) is not None:
        return bool(temperature == 0)
    return generation.get("do_sample") is False


def _medium(part: object, asked: Asked) -> object:
    """Return what stands for a video, an image or a sound: its content, not where it lies."""
    if isinstance(part, str):
        if known := asked.doc.get("media_digest"):
            # A copy, such as one without sound, has the digest of its original in its name. Its
            # ending is known when it is made: some pictures do not fit into the usual one.
            same = part == asked.doc.get("video")
            return [known, "" if same else "/".join(Path(part).with_suffix("").parts[-2:])]
        return _file_digest(part)
    if isinstance(part, bytes):
        return hashlib.sha256(part).hexdigest()
    if hasattr(part, "detach"):  # a tensor; numpy does not know every sort of number
        return _tensor(part)
    if getattr(part, "mode", "") == "P":  # an image of numbers of colours
        part = part.convert("RGBA")  # type: ignore[attr-defined]
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


def _tensor(part: Any) -> list[object]:  # noqa: ANN401
    import torch

    numbers = part.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    return [str(part.dtype), list(part.shape), hashlib.sha256(numbers).hexdigest()]


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
