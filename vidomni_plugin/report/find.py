"""Find the files of runs: ``<date>_results.json`` and ``<date>_samples_<task>.jsonl``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Files", "Given", "find_files", "given"]

_RESULTS = re.compile(r"(?:(?P<date>.*)_)?results\.json")
_SAMPLES = re.compile(r"(?:(?P<date>.*?)_)?samples_(?P<task>.+)\.jsonl")
HINT = "give what lmms-eval --output_path was given, or a results or samples file in it"
_NAMED = re.compile(r"([^=/\\]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Given:
    """A path to runs, and what tables are to call them; empty for their own names."""

    path: Path
    name: str = ""


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
    name: str = ""
    """What tables are to call the run; empty for its own name."""
    problems: list[Problem] = field(default_factory=list)
    """Folders that cannot be read."""


def given(text: str | Path) -> Given:
    """Return what ``PATH`` or ``NAME=PATH`` says. What exists is a path, whatever its name.

    Example:
        >>> given("sft=logs/a"), given("logs/a=b")
        (Given(path=PosixPath('logs/a'), name='sft'), Given(path=PosixPath('logs/a=b'), name=''))
    """
    named = _NAMED.fullmatch(str(text))
    if named is None or not named[1].strip() or os.path.lexists(text):
        return Given(Path(text))
    return Given(Path(named[2]), named[1].strip())


def find_files(paths: Iterable[Path | Given]) -> list[Files]:
    """Return the files of every run below the paths, each run once, sorted within a path.

    Links to folders are followed. A results file brings the samples beside it, a samples file
    only its own task. A folder without a run gives an entry without files.

    Raises:
        InputProblems: If a path does not exist, or a file is neither results nor samples.
    """
    found: dict[tuple[Path, str], Files] = {}
    problems: list[Problem] = []
    for one in paths:
        path, name = (one.path, one.name) if isinstance(one, Given) else (one, "")
        try:
            is_folder = path.is_dir()
        except OSError as error:  # such as a name that is too long
            problems.append(Problem("no-file", str(path), error.strerror or str(error), HINT))
            continue
        if is_folder:
            locked: list[Problem] = []
            inside = [file for file in _below(path, locked) if file.is_file() and _date(file)]
            for file in inside:
                _add(found, file, name).whole = True
            if locked or not inside:
                nothing = Files(path, "", problems=locked)
                found.setdefault((path.resolve(), "" if not locked else str(path)), nothing)
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
                    _add(found, other, name).whole |= whole
    if not found and not problems:
        problems.append(Problem("usage", "RUN", "no folder of a run was given", HINT))
    if problems:
        raise InputProblems("no run can be read", problems)
    return list(found.values())


def _below(folder: Path, problems: list[Problem]) -> list[Path]:
    """Return all files below a folder, sorted; each real folder is walked once."""

    def told(error: OSError) -> None:
        message = f"a folder that cannot be read: {error.strerror or error}"
        problems.append(Problem("unreadable", str(error.filename or folder), message))

    files: list[Path] = []
    walked: set[str] = set()
    for at, folders, names in os.walk(folder, onerror=told, followlinks=True):
        walked.add(os.path.realpath(at))
        folders[:] = [name for name in folders if os.path.realpath(Path(at, name)) not in walked]
        files += [Path(at, name) for name in names]
    return sorted(files)


def _date(file: Path) -> tuple[str] | None:
    """Return what a file's name starts with, as its date; None where it is no file of a run."""
    match = _RESULTS.fullmatch(file.name) or _SAMPLES.fullmatch(file.name)
    return None if match is None else (match["date"] or "",)


def _is_results(file: Path) -> bool:
    return _RESULTS.fullmatch(file.name) is not None


def _add(found: dict[tuple[Path, str], Files], file: Path, name: str) -> Files:
    """Add a file to its run."""
    (date,) = _date(file) or ("",)
    run = found.setdefault((file.parent.resolve(), date), Files(file.parent, date))
    run.name = run.name or name
    if samples := _SAMPLES.fullmatch(file.name):
        run.samples[samples["task"]] = file
    else:
        run.results = file
    return run
