"""The two checkpoints that come with the package, and where they lie.

``python -m vidomni_plugin.models.seer.shipped`` prints a folder for ``--model_args pretrained=``.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["FOLDERS", "WEIGHTS", "Which", "checkpoint", "digest"]

Which = Literal["whole", "half"]

FOLDERS: Mapping[Which, str] = MappingProxyType({"whole": "checkpoint", "half": "checkpoint_half"})
"""Beside this module: the model after its training, and in the middle of its second stage."""

WEIGHTS = "model.safetensors"
"""A folder without it is no checkpoint."""


def checkpoint(which: Which = "whole") -> Path:
    """Return the folder of a checkpoint, as ``pretrained`` takes it.

    Args:
        which: ``whole``, or ``half`` for the weaker one.

    Raises:
        InputProblems: If this installation has no such checkpoint.
    """
    path = Path(str(files(__package__) / FOLDERS[which]))
    if not (path / WEIGHTS).is_file():
        message = f"there is no checkpoint {which!r}: no {WEIGHTS}"
        hint = "install the package again"
        raise InputProblems("shipped checkpoint", [Problem("no-data", str(path), message, hint)])
    return path


def digest(folder: Path) -> str:
    """Return a short name of a checkpoint's weights, the same for the same weights only."""
    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()[:12]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the folder of a checkpoint; end with 1 where there is none."""
    parser = argparse.ArgumentParser(
        prog="python -m vidomni_plugin.models.seer.shipped",
        description="Print the folder of a shipped checkpoint.",
    )
    names = "the trained model (default), or the weaker one from the middle of its second stage"
    parser.add_argument("which", nargs="?", choices=list(FOLDERS), default="whole", help=names)
    which: Which = parser.parse_args(arguments).which
    try:
        print(checkpoint(which))
    except InputProblems as problems:
        raise SystemExit(f"seer: {problems}") from None


if __name__ == "__main__":
    main()
