"""Thresholds of detectors: the paper's Algorithm 2, the published ones, and files of calibrations.

An answer is accepted iff its score is at least the threshold (arXiv 2609.09895, section 4).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from vidomni_plugin.problems import InputProblems, Problem, field_errors

__all__ = [
    "PRESETS",
    "SCHEMA",
    "Calibration",
    "Threshold",
    "read_calibration",
    "read_threshold",
]

SCHEMA = "vidomni-threshold-1"
"""What the first field of a calibration file says."""
LARGEST = 1e100
"""Scores beyond this, on either side of 0, are none; reports draw the line at the same place."""

PRESETS: dict[str, float] = {
    # The first two were printed with ten digits of a float32, and lie just above it: as printed
    # they would reject the answer they were taken from (arXiv 2609.09895, Table 8).
    "paper-emscore": float(np.float32(0.2649626136)),
    "paper-pacs": float(np.float32(0.7559156418)),
    "paper-owlcon": 0.53125,
    "paper-fifa": 0.8,
}
"""The published thresholds by name; they hold for the paper's checkpoints, frames and texts."""

Finite = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
Share = Annotated[float, Field(ge=0, le=1)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Threshold(NamedTuple):
    """A threshold and where it comes from."""

    value: float | None
    """Accept iff the score is at least this; None where none was set."""
    source: str
    """``none``, ``number``, a preset's name, or ``calibration <hash of its scores>``."""


class Calibration(BaseModel):
    """What ``vidomni calibrate`` writes: a threshold, how good it was, and what chose it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal["vidomni-threshold-1"]
    threshold: Finite
    """At full precision: the score of one of the answers."""
    factual: Share
    """Share of the calibration pairs whose factual answer is accepted."""
    counterfactual: Share
    """Share whose counterfactual answer is rejected."""
    overall: Share
    """Share with both."""
    midpoint: Finite
    """Mean of the median factual and the median counterfactual score."""
    candidates: Annotated[int, Field(ge=1)]
    """Distinct scores that were tried."""
    decided_by: str
    """The key that told the threshold from the next best."""
    pairs: Annotated[int, Field(ge=1)]
    videos: Annotated[int, Field(ge=1)]
    pair_ids: tuple[str, ...]
    video_keys: tuple[str, ...]
    """``task_type/video_id`` of each video that was used, which must not be evaluated on."""
    scores_sha256: Hash
    task: str
    split: str
    model: str
    """The run whose scores these are."""
    signature: str
    """Data, prompt and settings of that run, as far as its samples say."""


def read_threshold(setting: object) -> Threshold:
    """Return the threshold that a setting of a detector names.

    Args:
        setting: A number, the name of a preset, or a file that ``vidomni calibrate`` wrote;
            None or empty for no threshold.

    Raises:
        InputProblems: If it is none of these, or the number is not finite.

    Example:
        >>> read_threshold("paper-fifa")
        Threshold(value=0.8, source='paper-fifa')
        >>> read_threshold(0.25), read_threshold("")
        (Threshold(value=0.25, source='number'), Threshold(value=None, source='none'))
    """
    text = "" if setting is None else str(setting).strip()
    if not text:
        return Threshold(None, "none")
    if text in PRESETS:
        return Threshold(PRESETS[text], text)
    try:
        number = float(text)
    except ValueError:
        return _of_file(Path(text).expanduser())
    if not abs(number) <= LARGEST or math.isnan(number):
        message = f"{text} is no threshold: a finite number is"
        raise _unusable(Problem("threshold", "threshold", message))
    return Threshold(number, "number")


def _of_file(path: Path) -> Threshold:
    found = read_calibration(path)
    return Threshold(found.threshold, f"calibration {found.scores_sha256[:12]}")


def read_calibration(path: Path) -> Calibration:
    """Return what a calibration file holds.

    Raises:
        InputProblems: If the file is not there or is no calibration.
    """
    presets = ", ".join(sorted(PRESETS))
    hint = f"give a number, a file that `vidomni calibrate` wrote, or one of: {presets}"
    try:
        return Calibration.model_validate_json(path.read_bytes())
    except OSError as error:
        message = f"neither a number nor a published threshold, and no file: {error.strerror}"
        raise _unusable(Problem("no-file", str(path), message, hint)) from None
    except ValidationError as error:
        message = f"no calibration file: {'; '.join(field_errors(error))}"
        raise _unusable(Problem("threshold", str(path), message, hint)) from None


def _unusable(problem: Problem) -> InputProblems:
    return InputProblems("cannot use the threshold", [problem])
