"""Find the files of runs: ``<date>_results.json`` and ``<date>_samples_<task>.jsonl``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Files", "find_files"]

_RESULTS = re.compile(r"(?:(?P<date>.*)_)?results\.json")
_SAMPLES = re.compile(r"(?:(?P<date>.*?)_)?samples_(?P<task>.+)\.jsonl")
HINT = "give what lmms-eval --output_path was given, or a results or samples file in it"


@dataclass
class Files:
    """The files of one run."""

    folder: Path
    date: str
    results: Path | None = None
    samples: dict[str, Path] = field(default_factory=dict)
    """Samples files by task."""
    whole: bool = False
    """Whether all tasks of the run are meant, and not only those of ``samples``."""


def find_files(paths: Iterable[Path]) -> list[Files]:
    """Return the files of every run below the paths, each run once, sorted within a path.

    A results file brings the samples beside it, a samples file only its own task. A folder
    without a run gives an entry without files.

    Raises:
        InputProblems: If a path does not exist, or a file is neither results nor samples.
    """
    found: dict[tuple[Path, str], Files] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            is_folder = path.is_dir()
        except OSError as error:  # such as a name that is too long
            problems.append(Problem("no-file", str(path), error.strerror or str(error), HINT))
            continue
        if is_folder:
            inside = [file for file in sorted(path.rglob("*")) if file.is_file() and _date(file)]
            for file in inside:
                _add(found, file).whole = True
            if not inside:
                found.setdefault((path.resolve(), ""), Files(path, ""))
        elif not path.exists():
            problems.append(Problem("no-file", str(path), "no such file or folder", HINT))
        elif _date(path) is None:
            message = "neither a results file nor a samples file of the host"
            problems.append(Problem("unreadable", str(path), message, HINT))
        else:
            whole = _is_results(path)
            for other in sorted(path.parent.iterdir()):
                beside = _date(other) == _date(path) and (whole or _is_results(other))
                if beside or other.name == path.name:
                    _add(found, other).whole |= whole
    if not found and not problems:
        problems.append(Problem("usage", "RUN", "no folder of a run was given", HINT))
    if problems:
        raise InputProblems("no run can be read", problems)
    return list(found.values())


def _date(file: Path) -> tuple[str] | None:
    """Return what a file's name starts with, as its date; None where it is no file of a run."""
    match = _RESULTS.fullmatch(file.name) or _SAMPLES.fullmatch(file.name)
    return None if match is None else (match["date"] or "",)


def _is_results(file: Path) -> bool:
    return _RESULTS.fullmatch(file.name) is not None


def _add(found: dict[tuple[Path, str], Files], file: Path) -> Files:
    """Add a file to its run."""
    (date,) = _date(file) or ("",)
    run = found.setdefault((file.parent.resolve(), date), Files(file.parent, date))
    if samples := _SAMPLES.fullmatch(file.name):
        run.samples[samples["task"]] = file
    else:
        run.results = file
    return run
