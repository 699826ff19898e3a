"""Runs of VidOmni against each other: which ones belong together, and what they differ by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from vidomni_plugin.data.statistics.captions import CATEGORIES
from vidomni_plugin.published import same_model
from vidomni_plugin.report.runs import Signature
from vidomni_plugin.report.signature import FPS
from vidomni_plugin.report.vidomni_measures import Ratio, category_recall, mean_of, minus
from vidomni_plugin.report.vidomni_scored import (
    Scored,
    common_pairs,
    either,
    has_sound,
    select,
)

__all__ = [
    "MOST_PAIRED",
    "Ensemble",
    "SoundGain",
    "Sweep",
    "ensembles",
    "frame_rates",
    "other_settings",
    "recall_gains",
    "size_of",
    "sizes",
    "sound_gains",
]

_SIZE = re.compile(r"(?<![0-9A-Za-z.])(\d+(?:\.\d+)?)\s?[bB](?![A-Za-z0-9])")
"""A number of parameters in a checkpoint's name, such as 32B."""
SAME = ("frames", "fps", "pixels", "limit")
"""Settings that should be the same in two runs that are compared."""
UNKNOWN = {"frames": "not told", "fps": "not told", "pixels": "not told", "limit": "none"}
"""What it means that a log does not tell one."""
MOST_PAIRED = 12
"""More runs would make so many pairs that none could be read."""
ALL_SOURCES = "all"
"""Caption source of an ensemble over the captions of all sources."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Runs of one checkpoint that differ in their frame rate only, by frame rate."""

    checkpoint: str
    runs: Sequence[tuple[float, Scored]]


@dataclass(frozen=True, slots=True)
class SoundGain:
    """Gains in F1 of the same pairs with sound over without, in points."""

    heard: Scored
    silent: Scored
    """The run without sound, on the same pairs."""
    category: str
    gains: Ratio
    per_pair: Sequence[float]


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Two verifiers of the captions of one source, alone and together."""

    source: str
    is_self: bool
    """Whether the first of them wrote the captions."""
    first: Scored
    second: Scored
    together: Scored
    gain: Ratio
    """F1 together minus F1 of the first, in points."""


def size_of(checkpoint: str) -> tuple[str, float] | None:
    """Return the family and the billions of parameters that a checkpoint's name says.

    Example:
        >>> size_of("Qwen/Qwen3-VL-32B-Instruct"), size_of("gemini-3-flash")
        (('qwen3vl', 32.0), None)
    """
    name = checkpoint.replace("_", "-").rstrip("/").rsplit("/", 1)[-1]
    name = re.sub(r"-?instruct$", "", name, flags=re.IGNORECASE)
    found = _SIZE.findall(name)
    if len(found) != 1:
        return None
    family = "".join(filter(str.isalnum, _SIZE.sub("", name).casefold().replace("+", "plus")))
    return family, float(found[0])


def sizes(runs: Sequence[Scored]) -> list[tuple[Scored, Scored]]:
    """Return the smallest and the largest model of each family on the pairs both scored.

    Where some of their runs have the same frames, frame rate, pixels and limit, only these;
    ``other_settings`` tells of the others.
    """
    families: dict[tuple[str, str], list[tuple[float, Scored]]] = {}
    for run in runs:
        if known := size_of(run.run.signature.checkpoint):
            families.setdefault((known[0], run.run.task), []).append((known[1], run))
    found = []
    for members in families.values():
        ends = min(size for size, _ in members), max(size for size, _ in members)
        small, large = ([run for size, run in members if size == end] for end in ends)
        if ends[0] < ends[1]:
            found += _alike(small, large)
    return found


def _alike(a: Sequence[Scored], b: Sequence[Scored]) -> list[tuple[Scored, Scored]]:
    """Return the runs of two kinds with the same settings, else every two, on common pairs."""
    every = [(left, right) for left in a for right in b]
    same = [(left, right) for left, right in every if _settings(left) == _settings(right)]
    return [both for left, right in same or every if (both := common_pairs(left, right))]


def _settings(scored: Scored) -> tuple[str | None, ...]:
    return tuple(getattr(scored.run.signature, name) for name in SAME)


def other_settings(a: Scored, b: Scored) -> str:
    """Return in which settings two runs differ that should be the same; empty where in none.

    Example: ``frames 8 against 32, limit none against 50 of 2500``.
    """
    values = zip(SAME, _settings(a), _settings(b), strict=True)
    return ", ".join(
        f"{name} {one or UNKNOWN[name]} against {two or UNKNOWN[name]}"
        for name, one, two in values
        if one != two
    )


def recall_gains(small: Scored, large: Scored) -> dict[str, Ratio]:
    """Return the recall of the larger model minus that of the smaller, by error category."""
    return {
        name: minus(category_recall(large, name), category_recall(small, name))
        for name in CATEGORIES
    }


def _rate(signature: Signature) -> float | None:
    try:
        return float(signature.fps) if signature.fps is not None else None
    except ValueError:
        return None


def _without_rate(signature: Signature) -> str:
    arguments = {k: v for k, v in signature.model_args.items() if k not in FPS}
    return repr(replace(signature, fps=None, model_args=arguments))


def frame_rates(runs: Sequence[Scored]) -> list[Sweep]:
    """Return the runs that differ in nothing but the frame rate, at two rates or more."""
    groups: dict[tuple[str, str], list[tuple[float, Scored]]] = {}
    for run in runs:
        rate = _rate(run.run.signature)
        if rate is not None:
            same = (run.run.task, _without_rate(run.run.signature))
            groups.setdefault(same, []).append((rate, run))
    found = []
    for members in groups.values():
        if len({rate for rate, _ in members}) > 1:
            ordered = sorted(members, key=lambda member: (member[0], member[1].run.run))
            found.append(Sweep(ordered[0][1].run.signature.checkpoint, _on_common(ordered)))
    return [sweep for sweep in found if sweep.runs]


def _on_common(members: Sequence[tuple[float, Scored]]) -> list[tuple[float, Scored]]:
    """Return the runs on the pairs that all of them scored."""
    first = members[0][1]
    for _, other in members[1:]:
        both = common_pairs(first, other)
        if both is None:
            return []
        first = both[0]
    kept: list[tuple[float, Scored]] = []
    for rate, run in members:
        both = common_pairs(run, first)
        if both is None:
            return []
        kept.append((rate, both[0]))
    return kept


def sound_gains(runs: Sequence[Scored], categories: Sequence[str]) -> list[SoundGain]:
    """Return the gains by audio category of each run with sound over each without.

    Runs are of one checkpoint. Where some have the same frames, frame rate, pixels and limit,
    only these are compared; ``other_settings`` tells of the others.
    """
    found: list[SoundGain] = []
    for heard in (run for run in runs if has_sound(run.run)):
        silent = [
            run
            for run in runs
            if not has_sound(run.run)
            and run.run.signature.checkpoint == heard.run.signature.checkpoint
        ]
        for with_, without in _alike([heard], silent):
            found += _gains(with_, without, categories)
    return found


def _gains(heard: Scored, silent: Scored, categories: Sequence[str]) -> Iterator[SoundGain]:
    gains = heard.f1 - silent.f1
    for category in categories:
        inside = heard.where("audio_category", category)
        top, bottom = mean_of(heard, heard.f1, inside), mean_of(silent, silent.f1, inside)
        yield SoundGain(heard, silent, category, minus(top, bottom), gains[inside].tolist())


def ensembles(runs: Sequence[Scored]) -> list[Ensemble]:
    """Return ensembles of two verifiers that say Incorrect if either does (Table 11).

    On the captions of a source that verifies itself: it with each other run. Where no run
    verifies its own captions: each two runs on all captions they have in common, of more than
    ``MOST_PAIRED`` those with the highest F1. A run is never put together with itself.
    """
    found: list[Ensemble] = []
    sources = sorted({str(item["caption_source"]) for run in runs for item in run.items})
    for source in sources:
        writers = [run for run in runs if same_model(run.run.signature.checkpoint, source)]
        for first in writers:
            for second in (run for run in runs if run not in writers):
                found += _ensemble(first, second, source, is_self=True)
    if not found:
        best = sorted(runs, key=lambda run: -float(np.mean(run.f1)))[:MOST_PAIRED]
        for first, second in combinations([run for run in runs if run in best], 2):
            found += _ensemble(first, second, ALL_SOURCES, is_self=False)
    return found


def _ensemble(first: Scored, second: Scored, source: str, *, is_self: bool) -> list[Ensemble]:
    if is_self:
        own = select(first, np.flatnonzero(first.where("caption_source", source)).tolist())
        if own is None:
            return []
        first = own
    both = None if first.run.answered_as(second.run) else common_pairs(first, second)
    if both is None:
        return []
    a, b = both
    together = either(a, b)
    gain = minus(mean_of(together, together.f1), mean_of(a, a.f1))
    return [Ensemble(source, is_self, a, b, together, gain)]
