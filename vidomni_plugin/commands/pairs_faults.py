"""What is wrong with the options of ``vidomni build pairs``, collected to be told at once."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vidomni_plugin.problems import InputProblems, Problem

if TYPE_CHECKING:
    from vidomni_plugin.build.pairs.contracts.roles import Role
    from vidomni_plugin.build.pairs.settings import PairSettings
    from vidomni_plugin.endpoint.prices import Prices

__all__ = [
    "Faults",
    "Limits",
    "ceilings_of",
    "check_folder",
    "models_of",
    "prices_of",
    "settings_of",
]

OPTION_OF: Mapping[str, str] = {
    "media.fps": "--fps",
    "media.camera_fps": "--camera-fps",
    "media.most_frames": "--most-frames",
    "media.long_side": "--long-side",
    "round_size": "--round",
    "temperature": "--temperature",
    "max_tokens": "--max-tokens",
    "target": "--target",
}
"""What sets a setting, for messages."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may spend, as it was asked for."""

    rate: float | None
    tokens: int | None
    money: float | None
    prices: str | None
    currency: str
    frame_tokens: float | None
    most_frame_tokens: int | None


@dataclass(slots=True)
class Faults:
    """Collects what is wrong, so that it is told at once."""

    problems: list[Problem] = field(default_factory=list)

    def say(self, place: str, message: str, hint: str = "") -> None:
        """Add a fault of an option."""
        self.problems.append(Problem("usage", place, message, hint))

    def of(self, do: Callable[[], T]) -> T | None:
        """Return what comes back; None, with the faults added, where it finds some."""
        try:
            return do()
        except InputProblems as found:
            self.problems += found.problems
            return None


def models_of(model: str | None, named: Sequence[str], faults: Faults) -> dict[Role, str]:
    """Return the model of each role that has one."""
    from vidomni_plugin.build.pairs.contracts.roles import Role

    roles = {role.value: role for role in Role}
    models = dict.fromkeys(Role, model) if model else {}
    unread = False
    for text in named:
        name, equals, value = text.partition("=")
        if name not in roles or not equals or not value:
            hint = f"it is ROLE=MODEL; roles: {', '.join(roles)}"
            faults.say("--role-model", repr(text), hint)
            unread = True
        else:
            models[roles[name]] = value
    missing = [role.value for role in Role if not models.get(role)]
    if missing and not unread:
        faults.say("--model", f"no model for {', '.join(missing)}", "name one for all roles")
    return {role: name for role, name in models.items() if name}


def ceilings_of(given: Sequence[str], faults: Faults) -> dict[str, int]:
    """Return the most pairs of the categories that are named."""
    from vidomni_plugin.records import CATEGORY_OF_LEAF

    categories = list(CATEGORY_OF_LEAF.values())
    found: dict[str, int] = {}
    for text in given:
        name, _, number = text.partition("=")
        if name.lower() in categories and number.isascii() and number.isdigit():
            found[name.lower()] = int(number[:12])
        else:
            hint = f"it is CATEGORY=NUMBER; categories: {', '.join(categories)}"
            faults.say("--ceiling", repr(text), hint)
    return found


def settings_of(
    given: Mapping[str, Any], models: dict[Role, str], most: dict[str, int], faults: Faults
) -> PairSettings | None:
    """Return the settings of the run; None where they cannot be."""
    from pydantic import ValidationError

    from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
    from vidomni_plugin.build.pairs.contracts.roles import Role
    from vidomni_plugin.build.pairs.settings import PairSettings

    whole = dict.fromkeys(Role, "?") | models  # a missing one was told already
    try:
        settings = PairSettings.model_validate({**given, "models": whole, "ceilings": most})
    except ValidationError as error:
        for one in error.errors(include_url=False):
            name = ".".join(map(str, one["loc"]))
            faults.say(OPTION_OF.get(name, name), one["msg"])
        return None
    places = sum(map(settings.ceiling, LEAVES))
    if places < settings.target:
        hint = "raise ceilings, or lower --target: else all videos are paid for in vain"
        message = f"all categories together may have {places} pairs, the target is"
        faults.say("--ceiling", f"{message} {settings.target}", hint)
    return settings


def prices_of(limits: Limits, faults: Faults) -> Prices | None:
    """Return the prices, if there are any; what else may be spent is checked as well."""
    from vidomni_plugin.endpoint.prices import Prices

    for option, value in (
        ("--rate", limits.rate),
        ("--budget", limits.money),
        ("--frame-tokens", limits.frame_tokens),
    ):
        if value is not None and not (math.isfinite(value) and value > 0):
            faults.say(option, f"{value} is not above zero")
    if limits.money is not None and limits.prices is None:
        hint = "name the prices of a million tokens: --prices INPUT,CACHED,OUTPUT"
        faults.say("--budget", "without prices nobody knows what is spent", hint)
    if limits.prices is None:
        return None
    hint = "three numbers: input, cached input and output, like 0.5,0.1,2"
    parts = limits.prices.split(",")
    if len(parts) != 3:
        faults.say("--prices", f"{limits.prices!r}: {len(parts)} numbers", hint)
        return None
    try:
        given, cached, told = map(float, parts)
        return Prices(given, cached, told, limits.currency)
    except ValueError as error:
        faults.say("--prices", f"{limits.prices!r}: {error}", hint)
        return None


def check_folder(out: Path, faults: Faults) -> None:
    """See whether a run could be kept there."""
    there = out
    try:
        while not there.exists() and there != there.parent:
            there = there.parent
        if not there.is_dir():
            message = "it is a file" if there == out else f"{there} is a file"
        elif not os.access(there, os.W_OK | os.X_OK):
            message = "it cannot be written" if there == out else f"{there} cannot be written"
        else:
            return
    except OSError as error:
        message = error.strerror or str(error)
    faults.problems.append(Problem("no-folder", str(out), message, "name another folder"))
