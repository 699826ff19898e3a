"""Whether a threshold was chosen for the detector and the settings that it would decide for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, get_args

from vidomni_plugin.detectors.settings import MODELS, SETTINGS, deciding
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.vidhalloc.thresholds import PRESETS, calibration_of

__all__ = ["ChosenWith", "SettingsPolicy", "checkpoint_name", "chosen_with", "settings_policy"]

SettingsPolicy = Literal["refuse", "allow"]
"""What becomes of a run with other settings: it does not start, or its answers say so."""
OWNERS = {
    "paper-emscore": "vidomni_emscore",
    "paper-pacs": "vidomni_pacs",
    "paper-owlcon": "vidomni_entailment",
    "paper-fifa": "vidomni_fifa",
}
"""The detector that each published threshold is of."""
NOT_ALWAYS = frozenset({"min_pixels", "max_pixels"})
"""Settings that an answer tells only where they were given."""
HINT = (
    "scores of another detector, or of other settings, have another scale: calibrate on a run with "
    "these settings, or give those; threshold_settings=allow takes the threshold all the same, and "
    "each answer says so"
)


@dataclass(frozen=True, slots=True)
class ChosenWith:
    """What is known of the run that a threshold was chosen on."""

    source: str
    """The calibration's file, or the published name."""
    settings: Mapping[str, object]
    """By name, as ``deciding`` gives them; empty where nothing is known."""

    def differences(self, told: Mapping[str, object]) -> list[str]:
        """Return what a detector says otherwise of itself; a setting that one lacks is no matter.

        Args:
            told: Its settings, as far as they are known.

        Example:
            >>> ChosenWith("t.json", {"frames": 8}).differences({"frames": 4, "text": "answer"})
            ['frames 8, and 4 here']
        """
        whole = len(self.settings) > 1  # of a published one the detector alone is known
        here = deciding(told)
        found = []
        for name in (*SETTINGS, *MODELS):
            there = name in self.settings and name in here
            if there or (name in NOT_ALWAYS and whole):
                ours, theirs = (_text(of.get(name)) for of in (self.settings, here))
                if ours != theirs:
                    found.append(f"{name} {ours}, and {theirs} here")
        return found

    def refuse(self, title: str, told: Mapping[str, object]) -> None:
        """Raise InputProblems where a detector differs."""
        if found := self.differences(told):
            message = f"chosen with {'; '.join(found)}"
            raise InputProblems(title, [Problem("threshold", self.source, message, HINT)])


def chosen_with(threshold: object) -> ChosenWith | None:
    """Return what is known of the run that a detector's setting ``threshold`` was chosen on.

    Returns:
        None where it is a number, or none.

    Raises:
        InputProblems: If it names a file that is no calibration.
    """
    text = "" if threshold is None else str(threshold).strip()
    if text in PRESETS:
        return ChosenWith(text, {"detector": OWNERS[text]})
    found = calibration_of(threshold)
    return ChosenWith(str(path_of(text)), found.settings) if found else None


def settings_policy(given: object) -> SettingsPolicy:
    """Return the setting ``threshold_settings``.

    Raises:
        ValueError: If it is none.

    Example:
        >>> settings_policy("allow"), settings_policy("")
        ('allow', 'refuse')
    """
    policies: tuple[SettingsPolicy, ...] = get_args(SettingsPolicy)
    text = "refuse" if given in (None, "") else str(given)
    for policy in policies:
        if text == policy:
            return policy
    raise ValueError(f"threshold_settings={text} is not known; give one of {', '.join(policies)}")


def checkpoint_name(pretrained: object) -> str:
    """Return the last part of a hub id or path: a folder that was moved is the same checkpoint.

    Example:
        >>> checkpoint_name("openai/clip-vit-base-patch32"), checkpoint_name("/m/b-32/")
        ('clip-vit-base-patch32', 'b-32')
    """
    return PurePosixPath(str(pretrained or "")).name


def _text(value: object) -> str:
    return "not given" if value is None else json.dumps(value, sort_keys=True, default=str)
