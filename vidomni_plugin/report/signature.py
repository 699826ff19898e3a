"""The settings behind a run's scores, from its results file, and how those of two runs differ."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vidomni_plugin.models.arguments import (
    CREDENTIAL,
    HIDDEN,
    OF_THE_MACHINE,
    SECRET,
    without_secrets,
)
from vidomni_plugin.models.runner.arguments import OWN
from vidomni_plugin.models.runner.arguments import TITLE as RUNNER
from vidomni_plugin.report.host_scores import mapping
from vidomni_plugin.report.runs import Signature, TaskRun

__all__ = ["Difference", "count", "differences", "model_arguments", "odd_counts", "signature_of"]

CHECKPOINT = (
    *("pretrained", "model_version", "model", "model_name", "model_path", "checkpoint"),
    "responses",
)
"""Names under which the host's runners take the model itself, in order of preference; of recorded
answers, ``responses`` is the model."""
FRAMES = (
    *("max_num_frames", "num_frames", "num_frame", "max_frames_num", "max_frames", "nframes"),
    *("max_frame_num", "max_frame", "video_max_frames", "num_video_frames", "video_frames"),
    *("total_frame_num", "num_segments", "for_get_frames_num", "frames"),
)
"""Names under which they take how many frames a model sees, or at most sees."""
FPS = ("fps", "video_fps", "video_framerate", "frame_rate")
PIXELS = ("min_pixels", "max_pixels", "total_pixels", "min_image_pixels", "max_image_pixels")
ALL = -1
"""The host's ``--limit`` for all documents."""
WHO_ASKS = re.compile(rf"{CREDENTIAL.pattern}|^(?:key|token)$", re.IGNORECASE)
"""Names of secrets that decide no answer: by them, runs do not differ."""
_DATA = re.compile(r": \d+ documents, data (\S+)$")


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting that differs; ``None`` is what a log does not say."""

    name: str
    a: str | None
    b: str | None
    of_the_model: bool
    """Whether it is what a comparison of two models is about, or of their machines: such a
    difference is shown, and is no reason not to compare."""


def model_arguments(given: object) -> dict[str, str]:
    """Return what stood after ``--model_args`` by name, sorted.

    Args:
        given: The text, or what a configuration file made of it.

    Example:
        >>> model_arguments('pretrained=a/b,max_num_frames=32,opts={"x": 1, "y": 2}')
        {'max_num_frames': '32', 'opts': '{"x": 1, "y": 2}', 'pretrained': 'a/b'}
        >>> model_arguments({"fps": 2.0, "use_cache": True, "token": "abc"})
        {'fps': '2', 'token': '(hidden)', 'use_cache': 'true'}
    """
    if isinstance(given, Mapping):
        pairs = {str(name): value_text(value) for name, value in given.items()}
    else:
        parts = (part.partition("=") for part in _split(str(given or "")))
        pairs = {name.strip(): _number(value.strip()) for name, _, value in parts if name.strip()}
    return dict(sorted((name, _safe(name, text)) for name, text in pairs.items()))


def _safe(name: str, text: str) -> str:
    """Return a setting without secrets.

    What only may be one, such as an ``image_token``, is hidden and has a short hash behind it, so
    that another value is another setting.
    """
    shown = HIDDEN if SECRET.search(name) else without_secrets(text)
    decisive = HIDDEN if WHO_ASKS.search(name) else without_secrets(text, WHO_ASKS)
    if shown == decisive:
        return shown
    return f"{shown} {hashlib.sha256(decisive.encode(errors='replace')).hexdigest()[:8]}"


def _split(text: str) -> list[str]:
    """Split at the commas that are outside of brackets and quotes, as the host does."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "{[(":
            depth += 1
        elif character in "}])":
            depth -= 1
        elif character == "," and depth <= 0:
            parts.append("")
            continue
        parts[-1] += character
    return parts


def _number(text: str) -> str:
    """Return numbers in one way of writing: 2.0 is 2."""
    try:
        return f"{float(text):.12g}" if re.fullmatch(r"-?\d+\.\d+", text) else text
    except ValueError:
        return text


def value_text(value: object) -> str:
    """Return a setting as text.

    Example:
        >>> value_text(0.0), value_text(False), value_text(["a", "b"]), value_text("x")
        ('0', 'false', '["a", "b"]', 'x')
    """
    if isinstance(value, str):
        return _number(value)
    if isinstance(value, float):
        return f"{value:.12g}"
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _given(arguments: Mapping[str, str], names: Sequence[str]) -> str | None:
    """Return what the arguments say under any of the names; several values joined with "/"."""
    values = dict.fromkeys(arguments[name] for name in names if name in arguments)
    return "/".join(values) or None


def _pixels(arguments: Mapping[str, str]) -> str | None:
    return ",".join(f"{name}={arguments[name]}" for name in PIXELS if name in arguments) or None


def _one(values: Iterable[object]) -> str | None:
    """Return the values, which should be one, sorted; None where there is none."""
    return "/".join(sorted({str(value) for value in values if value})) or None


def _limit(results: Mapping[str, Any], task: str) -> str | None:
    """Return which of the documents a run was asked for; None for all of them."""
    samples = mapping(mapping(results.get("n-samples")).get(task))
    effective, original = count(samples.get("effective")), count(samples.get("original"))
    config = mapping(results.get("config"))
    limit, offset = config.get("limit"), config.get("offset")
    if limit in (None, 0, ALL) and not offset:
        return None
    behind = f" behind the first {value_text(offset)}" if offset else ""
    if effective is not None and original is not None:
        if effective >= original and not offset:
            return None
        return f"{effective} of {original}{behind}"
    return value_text(limit or "all") + behind


def count(value: object) -> int | None:
    """Return a number of documents as it stands in a log; None where it is none."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None  # type: ignore[return-value]


def odd_counts(results: Mapping[str, Any], task: str) -> list[str]:
    """Return what a log says of how many documents were asked for that is no such number.

    Example:
        >>> odd_counts({"config": {"limit": float("inf"), "offset": 0}}, "vidomni")
        ['limit inf']
    """
    config = mapping(results.get("config"))
    samples = mapping(mapping(results.get("n-samples")).get(task))
    odd = [] if _is_limit(config.get("limit")) else ["limit"]
    odd += [] if _is_limit(config.get("offset")) else ["offset"]
    found = [f"{name} {value_text(config[name])}" for name in odd]
    for name in ("original", "effective"):
        if samples.get(name) is not None and count(samples[name]) is None:
            found.append(f"{name} {value_text(samples[name])}")
    return found


def _is_limit(value: object) -> bool:
    """Whether the host takes a value as its ``--limit`` or ``--offset``."""
    if value is None or value == ALL:
        return True
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value >= 0 and (isinstance(value, int) or math.isfinite(value))


def signature_of(
    results: Mapping[str, Any], task: str, items: Sequence[Mapping[str, Any]], folder: str
) -> Signature:
    """Return the settings of one task of a run.

    Args:
        results: The host's results file; empty where there is none.
        task: Name of the task.
        items: Details of its samples.
        folder: Name of the folder of the files, which tells the model where nothing else does.
    """
    config = mapping(results.get("config"))
    of_task = mapping(mapping(results.get("configs")).get(task))
    arguments = model_arguments(config.get("model_args"))
    model = str(config.get("model") or results.get("model_source") or "unknown")
    if model == RUNNER:
        model = arguments.get("inner", RUNNER)
        arguments = _of_the_inner_model(arguments)
    if compared := _one(item.get("detector_text") for item in items):
        # What a detector compared with the video, also where it is the default.
        arguments = dict(sorted((arguments | {"text": compared}).items()))
    if thresholds := {
        value_text(item["detector_threshold"])
        for item in items
        if item.get("detector_threshold") is not None
    }:
        # The number that decided, also where the argument names a file or the published ones.
        arguments = dict(sorted((arguments | {"threshold": "/".join(sorted(thresholds))}).items()))
    named = next((arguments[name] for name in CHECKPOINT if arguments.get(name)), None)
    data = _DATA.search(str(of_task.get("process_docs") or ""))
    generation = mapping(of_task.get("generation_kwargs"))
    version = mapping(results.get("versions")).get(task)
    return Signature(
        model=model,
        model_args=arguments,
        checkpoint=named or (folder if model == "unknown" else model),
        frames=_given(arguments, FRAMES),
        fps=_given(arguments, FPS),
        pixels=_pixels(arguments),
        prompt=_one(item.get("prompt") for item in items),
        data=data[1] if data else None,
        task_version=None if version is None else value_text(version),
        # The log's own ``lmms_eval_version`` is the git commit of the folder of the run.
        host=_one(item.get("host") for item in items),
        plugin=_one(item.get("plugin") for item in items),
        generation={name: _safe(name, value_text(generation[name])) for name in sorted(generation)},
        limit=_limit(results, task),
    )


def _of_the_inner_model(arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments that decide the answers of a run through ``vidomni_runner``.

    Its own say how answers are asked for and kept; only ``labels_only`` makes other answers.
    """
    given = {name: value for name, value in arguments.items() if name not in OWN}
    if arguments.get("labels_only", "false").lower() == "true":
        given["labels_only"] = "true"
    return dict(sorted(given.items()))


def differences(a: TaskRun, b: TaskRun) -> list[Difference]:
    """Return every setting that differs between two runs, the ones of the models first.

    Runners name their frames differently, so frames, fps and pixels are compared by value.
    Other arguments of the model are settings where both runs use the same runner; of different
    runners they are part of what is compared. What one log does not tell is shown only, since it
    may well be the same; but where one runner was not given its frames, fps or pixels, its default
    holds, and ``limit`` is told by every log.
    """
    one, two = a.signature, b.signature
    found = [
        Difference(name, getattr(one, name), getattr(two, name), of_the_model=True)
        for name in ("model", "checkpoint")
    ]
    common = {*CHECKPOINT, *FRAMES, *FPS, *PIXELS}
    for name in sorted({*one.model_args, *two.model_args} - common):
        freely = one.model != two.model or name in OF_THE_MACHINE
        values = one.model_args.get(name), two.model_args.get(name)
        found.append(Difference(f"argument {name}", *values, of_the_model=freely))
    found.append(Difference("task", a.task, b.task, of_the_model=False))
    for name in ("frames", "fps", "pixels"):
        seen = getattr(one, name), getattr(two, name)
        freely = None in seen and one.model != two.model
        found.append(Difference(name, *seen, of_the_model=freely))
    for name in ("prompt", "data", "task_version"):
        told = getattr(one, name), getattr(two, name)
        found.append(Difference(name, *told, of_the_model=None in told))
    found.append(Difference("limit", one.limit, two.limit, of_the_model=False))
    for name in sorted({*one.generation, *two.generation}):
        values = one.generation.get(name), two.generation.get(name)
        untold = not (one.generation and two.generation)
        found.append(Difference(f"generation {name}", *values, of_the_model=untold))
    for name in ("host", "plugin"):
        versions = getattr(one, name), getattr(two, name)
        found.append(Difference(name, *versions, of_the_model=None in versions))
    return [difference for difference in found if difference.a != difference.b]
