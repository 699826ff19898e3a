"""The cases of ``cases/``: see its README."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CASES = Path(__file__).parent / "cases"


def table(name: str) -> dict[str, Any]:
    """Return a case file; null in it stands for NaN."""
    loaded: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())
    return loaded


def arrays(name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays beside a case file."""
    with np.load(CASES / f"{name}.npz") as file:
        return {key: file[key] for key in file.files}


def number(value: float | None) -> float:
    """Return a number of a case file; null is NaN."""
    return math.nan if value is None else value
