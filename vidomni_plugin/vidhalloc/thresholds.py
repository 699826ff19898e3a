"""Thresholds of detectors: the paper's Algorithm 2, the published ones, and files of calibrations.

An answer is accepted iff its score is at least the threshold (arXiv 2609.09895, section 4).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    model_validator,
)

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.scores import LARGEST_SCORE

__all__ = [
    "KEYS",
    "PRESETS",
    "Calibration",
    "Chosen",
    "Threshold",
    "calibration_of",
    "choose",
    "read_calibration",
    "read_threshold",
]

KEYS = ("overall", "min", "mean", "distance to m", "smaller t")
"""What candidates are compared by, in this order (Algorithm 2)."""

PRESETS: dict[str, float] = {
    # The first two were printed with ten digits of a float32, and lie just above it: as printed
    # they would reject the answer they were taken from (arXiv 2609.09895, Table 8).
    "paper-emscore": float(np.float32(0.2649626136)),
    "paper-pacs": float(np.float32(0.7559156418)),
    "paper-owlcon": 0.53125,
    "paper-fifa": 0.8,
}
"""The published thresholds by name; they hold for the paper's checkpoints, frames and texts."""

Finite = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST_SCORE, le=LARGEST_SCORE)]
Share = Annotated[float, Field(ge=0, le=1)]
SHOWN = 3
"""Faults of a file that a message names."""
MOST_BYTES = 64 << 20
"""A larger file is no calibration; VidHalLoc's fill some 100 kB."""
_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE
)
"""Python would also take 0_5 for 5, and digits of any script."""
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Threshold(NamedTuple):
    """A threshold and where it comes from."""

    value: float | None
    """Accept iff the score is at least this; None where none was set."""
    source: str
    """``none``, ``number``, a preset's name, or ``calibration <hash of its scores>``."""


class Chosen(NamedTuple):
    """The threshold that Algorithm 2 chooses, and what it does to the pairs it was chosen on."""

    threshold: float
    """One of the scores, to its last bit."""
    factual: float
    """Share of pairs whose factual answer is accepted."""
    counterfactual: float
    """Share of pairs whose counterfactual answer is rejected."""
    overall: float
    """Share with both."""
    midpoint: float
    """Mean of the median factual and the median counterfactual score: m of Algorithm 2."""
    candidates: int
    """How many distinct scores there are."""
    decided_by: str
    """The one of ``KEYS`` that told it from the next best; ``only candidate`` where none did."""


def choose(factual: Sequence[float], counterfactual: Sequence[float]) -> Chosen:
    r"""Return the threshold that suits some pairs best (arXiv 2609.09895, Algorithm 2).

    Candidates are the scores themselves: the paper leaves its boundary operator open, and its
    published thresholds are scores. The best has, in this order, the highest Overall, the highest
    min(Factual, Counterfactual), the highest mean of both, the smallest distance to m, and is the
    smallest. All of this is compared exactly, as fractions.

    Args:
        factual: Score of the factual answer of each pair; higher is more support.
        counterfactual: Score of its counterfactual answer.

    Raises:
        ValueError: If there is no pair, the numbers of scores differ, or a score is not finite.

    Example:
        >>> chosen = choose([0.9, 0.8, 0.7], [0.1, 0.2, 0.3])
        >>> chosen.threshold, chosen.overall, chosen.decided_by
        (0.7, 1.0, 'overall')
    """
    if len(factual) != len(counterfactual) or not len(factual):
        raise ValueError(f"{len(factual)} factual and {len(counterfactual)} counterfactual scores")
    above = np.asarray(factual, dtype=np.float64)
    below = np.asarray(counterfactual, dtype=np.float64)
    if odd := int((~np.isfinite(above) | ~np.isfinite(below)).sum()):
        raise ValueError(f"{odd} of {len(above)} pairs have a score that is no finite number")
    tried = np.unique(np.concatenate([above, below]))
    accepted = _at_least(above, tried)
    rejected = len(below) - _at_least(below, tried)
    # Of the pairs whose factual score is enough, those whose other score is too are wrong.
    both = accepted - _at_least(np.minimum(above, below), tried)
    m = (median(map(Fraction, above.tolist())) + median(map(Fraction, below.tolist()))) / 2
    ranked = sorted(
        ((int(o), int(min(f, c)), int(f + c), -abs(Fraction(t) - m), -Fraction(t)), k)
        for k, (t, f, c, o) in enumerate(zip(tried.tolist(), accepted, rejected, both, strict=True))
    )
    (best, k), pairs = ranked[-1], len(above)
    decided_by = "only candidate"
    if len(ranked) > 1:
        differs = [ours != next_best for ours, next_best in zip(best, ranked[-2][0], strict=True)]
        decided_by = KEYS[differs.index(True)]
    return Chosen(
        threshold=float(tried[k]),
        factual=int(accepted[k]) / pairs,
        counterfactual=int(rejected[k]) / pairs,
        overall=int(both[k]) / pairs,
        midpoint=float(m),
        candidates=len(tried),
        decided_by=decided_by,
    )


def _at_least(scores: NDArray[np.float64], tried: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return how many scores each candidate would accept."""
    return len(scores) - np.searchsorted(np.sort(scores), tried, side="left")


class Calibration(BaseModel):
    """What ``vidomni calibrate`` writes: a threshold, how good it was, and what chose it."""

    # A number in quotes, or ``true`` for 1, is an edited file.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    schema_version: Literal["vidomni-threshold-1"] = "vidomni-threshold-1"
    threshold: Finite
    factual: Share
    counterfactual: Share
    overall: Share
    midpoint: Finite
    candidates: Annotated[int, Field(ge=1)]
    decided_by: str
    """These as in ``Chosen``."""
    n: Annotated[int, Field(ge=1)]
    """Pairs that it was chosen on."""
    pair_ids: tuple[str, ...]
    videos: tuple[str, ...]
    """Their videos as ``task_type/video_id``; none of them may be evaluated on."""
    media_digests: tuple[str, ...] = ()
    """Of the content of these videos, as far as the run told: none of their copies either."""
    scores_sha256: Hash
    """Of the pairs' ids and scores: the same threshold comes of the same hash."""
    split: str
    """How the pairs were chosen."""
    task: str
    model: str
    signature: str
    """The settings of the run whose scores these are, as far as its files say."""
    settings: dict[str, JsonValue] = {}
    """What the detector said of itself in each answer; empty where it said nothing."""

    @model_validator(mode="after")
    def _pairs_are_counted(self) -> Calibration:
        if not len(self.pair_ids) == len(set(self.pair_ids)) == self.n:
            raise ValueError(f"n is {self.n}, and pair_ids are {len(set(self.pair_ids))}")
        return self


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
    text = _text(setting)
    if not text:
        return Threshold(None, "none")
    if text in PRESETS:
        return Threshold(PRESETS[text], text)
    if found := calibration_of(text):
        return Threshold(found.threshold, f"calibration {found.scores_sha256[:12]}")
    number = float(text)
    if not abs(number) <= LARGEST_SCORE or math.isnan(number):
        message = f"{text} is no threshold: a finite number is"
        raise _unusable(Problem("threshold", "threshold", message))
    return Threshold(number, "number")


def calibration_of(setting: object) -> Calibration | None:
    """Return the calibration that a setting of a detector names.

    Returns:
        None where it names no file: a number, a preset, or nothing.

    Raises:
        InputProblems: If it names a file that is not there or is no calibration.
    """
    text = _text(setting)
    if not text or text in PRESETS:
        return None
    if _NUMBER.fullmatch(text):
        return None
    return read_calibration(path_of(text))


def _text(setting: object) -> str:
    return "" if setting is None else str(setting).strip()


def read_calibration(path: Path) -> Calibration:
    """Return what a calibration file holds.

    Raises:
        InputProblems: If the file is not there or is no calibration.
    """
    presets = ", ".join(sorted(PRESETS))
    hint = f"give a number, a file that `vidomni calibrate` wrote, or one of: {presets}"
    try:
        if path.exists() and not path.is_file():
            raise OSError(None, "a folder or a device")
        if path.stat().st_size > MOST_BYTES:
            raise _unusable(Problem("threshold", str(path), "too large for a calibration", hint))
        return Calibration.model_validate_json(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        message = f"neither a number nor a published threshold, and no file: {error.strerror}"
        raise _unusable(Problem("no-file", str(path), message, hint)) from None
    except ValidationError as error:
        message = f"no calibration file: {'; '.join(_faults(error))}"
        raise _unusable(Problem("threshold", str(path), message, hint)) from None
    except ValueError as error:  # a name with a zero byte
        raise _unusable(Problem("no-file", str(path), str(error), hint)) from None


def _faults(error: ValidationError) -> list[str]:
    """Return what is wrong with a file, its missing fields as one: another file lacks them all."""
    lacking = [".".join(map(str, e["loc"])) for e in error.errors() if e["type"] == "missing"]
    others = [text for text in field_errors(error) if not text.endswith(": Field required")]
    more = [f"{len(others) - SHOWN} more"] if len(others) > SHOWN else []
    return [f"it lacks {', '.join(lacking)}"] * bool(lacking) + others[:SHOWN] + more


def _unusable(problem: Problem) -> InputProblems:
    return InputProblems("cannot use the threshold", [problem])
