"""Whether answers are of one detector with one set of settings: others have another scale."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vidomni_plugin.detectors.answer import Answer

__all__ = ["MODELS", "SETTINGS", "Mixed", "deciding", "mixed"]

SETTINGS = (
    *("detector", "text", "prompt", "prompts", "hint", "frames", "dtype", "long_text", "idf"),
    *("reading", "weights", "layers", "query_tokens", "yes", "no"),
    *("checkpoint", "min_pixels", "max_pixels", "max_new_tokens"),
)
"""What detectors say of themselves in the detail of each answer."""
MODELS = ("llm", "videoqa")
"""Models of FIFA with their settings; where a server is does not matter."""


class Mixed(NamedTuple):
    """An answer with a setting that answers before it do not have."""

    place: str
    said: str
    """Which settings differ, and where they were otherwise."""


def deciding(detail: Mapping[str, object]) -> dict[str, object]:
    """Return what decides a detector's scores, of all that it says of itself in an answer.

    Example:
        >>> deciding({"frames": 8, "f": 0.2, "llm": {"model": "m", "base_url": "http://host"}})
        {'frames': 8, 'llm': {'model': 'm'}}
    """
    found = {name: detail[name] for name in SETTINGS if name in detail}
    for name in MODELS:
        if isinstance(model := detail.get(name), Mapping):
            found[name] = {key: value for key, value in model.items() if key != "base_url"}
    return found


def mixed(answers: Iterable[tuple[str, Answer]], *, thresholds: bool = False) -> list[Mixed]:
    """Return the first answer with each setting that the first answers do not have.

    A setting that an answer does not tell is not compared.

    Args:
        answers: Each with its place.
        thresholds: Whether the threshold is a setting too: it decides, and changes no score.

    Example:
        >>> from vidomni_plugin.detectors.answer import answer, read_answer
        >>> texts = [answer(0.5, None, frames=8), answer(0.5, None, frames=32)]
        >>> mixed((str(line), read_answer(text)) for line, text in enumerate(texts, 1))
        [Mixed(place='2', said='frames 32, and 8 at 1')]
    """
    seen: dict[str, dict[str, str]] = {}
    found = []
    for place, one in answers:
        told = {name: one.detail[name] for name in SETTINGS if name in one.detail}
        if thresholds:
            told["threshold"] = one.threshold
        said = []
        for name, value in told.items():
            places, text = seen.setdefault(name, {}), json.dumps(value, sort_keys=True)
            if places and text not in places:
                first, at = next(iter(places.items()))
                said.append(f"{name} {text}, and {first} at {at}")
            places.setdefault(text, place)
        if said:
            found.append(Mixed(place, "; ".join(said)))
    return found
