"""Read what a user asks of a fetch; everything that is wrong is named at once."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from vidomni_plugin.data.fetch.patterns import ANY, Patterns, faults
from vidomni_plugin.data.yaml_text import NotYaml, read_yaml
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["read_cookies", "read_rate", "read_roots"]

HIGHEST_RATE = 10**12
"""No network is faster, in bytes a second; 0 means no limit."""
UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


def read_rate(text: str) -> int | None:
    """Return bytes a second; None for no limit.

    Raises:
        ValueError: If it is not a number with an optional K, M or G.

    Example:
        >>> read_rate("2.5M"), read_rate("0")
        (2500000, None)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)", text.strip().lower())
    if not found:
        raise ValueError(f"{text!r} is not a rate such as 500K, 4M or 0")
    bytes_a_second = float(found[1]) * UNITS[found[2]]
    if bytes_a_second == 0:
        return None
    if not 1 <= bytes_a_second < HIGHEST_RATE:  # less would be rounded to "no limit"
        raise ValueError(f"{text!r} is not a rate from 1 to {HIGHEST_RATE:,} bytes a second")
    return round(bytes_a_second)


def read_roots(
    given: Sequence[str], file: Path | None, patterns: Patterns, datasets: Collection[str]
) -> dict[str, list[Path]]:
    """Return the folders of local copies by the name of their data set in the patterns.

    Args:
        given: ``NAME=DIR``, or ``DIR`` alone for a folder with videos of every data set.
        file: YAML with ``NAME: DIR`` or ``NAME: [DIR, DIR]``.
        patterns: Knows the spellings of the names.
        datasets: Names that occur in the manifest; they need no entry in the patterns.

    Raises:
        InputProblems: If a name is not known, a folder is not there, or the file cannot be read.
    """
    pairs: list[tuple[str, str, str]] = []
    for text in given:
        name, equals, folder = text.partition("=")
        pairs.append((name, folder, f"--roots {text}") if equals else (ANY, text, "--roots"))
    problems: list[Problem] = []
    if file is not None:
        pairs += _from_file(file, problems)
    known = {ANY, *patterns.sources, *(patterns.name(dataset) for dataset in datasets)}
    roots: dict[str, list[Path]] = {}
    for name, folder, place in pairs:
        path = path_of(folder)
        if patterns.name(name) not in known:
            message = f"no data set is called {name!r}"
            hint = f"one of: {', '.join(sorted(known))}"
            problems.append(Problem("record", place, message, hint))
        elif not folder or not path.is_dir():  # an empty name would be the current folder
            problems.append(Problem("no-file", place, f"{folder!r} is not a folder"))
        else:
            roots.setdefault(patterns.name(name), []).append(path)
    if problems:
        raise InputProblems("the roots cannot be used", problems)
    return roots


def _from_file(file: Path, problems: list[Problem]) -> list[tuple[str, str, str]]:
    try:
        content = read_yaml(file.read_bytes()).value
    except OSError as error:
        problems.append(Problem("no-file", str(file), error.strerror or str(error)))
        return []
    except NotYaml as error:
        problems += faults(file, error)
        return []
    if not isinstance(content, dict):
        problems.append(Problem("record", str(file), "it is not a list of NAME: DIR"))
        return []
    pairs = []
    for name, folders in content.items():
        for folder in folders if isinstance(folders, list) else [folders]:
            if isinstance(folder, str) and isinstance(name, str):
                pairs.append((name, folder, f"{file}: {name}"))
            else:
                message = f"{folder!r} is not the path of a folder"
                problems.append(Problem("record", f"{file}: {name}", message))
    return pairs


def read_cookies(file: Path) -> str:
    """Return the content of a cookies file.

    Raises:
        InputProblems: If it cannot be read, or is not in Netscape format.
    """
    hint = "export the cookies of a signed-in browser in Netscape format (cookies.txt)"
    try:
        text = path_of(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise InputProblems("no cookies", [Problem("no-file", str(file), reason, hint)]) from error
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [line for line in lines if not line.startswith("#") or line.startswith("#HttpOnly_")]
    if not rows or any(line.count("\t") < 6 for line in rows):
        problem = Problem("record", str(file), "not in Netscape format: seven columns, tabs", hint)
        raise InputProblems("no cookies", [problem])
    return text
