"""The list of checks: a decorator fills it, the command, the run and the docs read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from vidomni_plugin.data.locate import Benchmark

__all__ = ["ANY_FILE", "Check", "Found", "Needs", "Severity", "all_checks", "check"]

Severity = Literal["error", "report"]
"""An error ends ``vidomni data check`` with 1; a report is worth a look."""
Needs = Literal["records", "videos"]
"""What must have been looked at: the annotation files, or the videos too."""
ANY_FILE = "*"
"""Stands for every annotation file."""
BOTH: tuple[Benchmark, ...] = ("vidomni", "vidhalloc")


class Found(NamedTuple):
    """One finding of a check."""

    place: str
    """File and line, or the file or folder."""
    message: str
    hint: str = ""
    """In place of the check's own hint, where this finding needs another."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check and what people are told about it."""

    code: str
    benchmarks: tuple[Benchmark, ...]
    severity: Severity
    meaning: str
    hint: str
    find: Callable[[Any], Iterable[Found]]
    """A pure function of the view of a data set; ``Any``, since each benchmark has its own."""
    needs: Needs
    hashes: bool
    """Whether it compares hashes of whole files, which take long the first time."""
    of_release: bool
    """Whether it only makes sense for a data set that claims to be the whole release."""
    fix: str
    """What ``--fix`` does about it; empty where nothing is safe."""
    gate: bool
    """Whether it also stops a run."""
    whole: tuple[str, ...]
    """Annotation files without which it is not applied: a line that cannot be read may be the
    one that it would miss."""


_CHECKS: dict[str, Check] = {}


def check(
    code: str,
    *benchmarks: Benchmark,
    severity: Severity = "error",
    meaning: str,
    hint: str,
    needs: Needs = "records",
    hashes: bool = False,
    of_release: bool = False,
    fix: str = "",
    gate: bool = False,
    whole: tuple[str, ...] = (),
) -> Callable[[Callable[[Any], Iterable[Found]]], Callable[[Any], Iterable[Found]]]:
    """Return a decorator that registers a function under ``code``.

    Args:
        code: Short stable name, as it stands in brackets behind a finding.
        *benchmarks: Where it applies; both where none is given.
        severity: "error" or "report".
        meaning: What is wrong, in one line, as the docs print it.
        hint: What the reader can do.
        needs: What must have been looked at.
        hashes: Whether it compares hashes of whole files.
        of_release: Apply it only to a data set that claims to be the whole release.
        fix: What ``--fix`` does about it.
        gate: Whether a run stops on it as well.
        whole: Files, or ``ANY_FILE``, of which every line must have been read.

    Raises:
        ValueError: If the code is taken.
    """

    def register(
        find: Callable[[Any], Iterable[Found]],
    ) -> Callable[[Any], Iterable[Found]]:
        if code in _CHECKS:
            raise ValueError(f"check {code!r} is registered twice")
        _CHECKS[code] = Check(
            code=code,
            benchmarks=benchmarks or BOTH,
            severity=severity,
            meaning=meaning,
            hint=hint,
            find=find,
            needs=needs,
            hashes=hashes,
            of_release=of_release,
            fix=fix,
            gate=gate,
            whole=whole,
        )
        return find

    return register


def all_checks() -> dict[str, Check]:
    """Return every check by its code: those that stop a run, of both benchmarks, of one."""
    from vidomni_plugin.data.checks import (  # noqa: F401 - importing them registers them
        captions,
        files,
        gate,
        ids,
        items,
        membership,
        numbers,
        same_content,
        texts,
        video_lines,
    )

    def rank(known: Check) -> tuple[bool, bool, tuple[Benchmark, ...], str]:
        # By module, since who imported one of them first must not show in lists and docs.
        only_one = len(known.benchmarks) == 1
        return not known.gate, only_one, known.benchmarks, known.find.__module__

    return {known.code: known for known in sorted(_CHECKS.values(), key=rank)}
