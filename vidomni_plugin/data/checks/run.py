"""Apply the checks to a data set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from vidomni_plugin.data.checks.reading import (
    read_vidhalloc_data,
    read_vidomni_data,
    released_pairs,
)
from vidomni_plugin.data.checks.registry import ANY_FILE, Check, Severity, all_checks
from vidomni_plugin.data.checks.view import Data, VidHalLocData, VidOmniData
from vidomni_plugin.data.layout import FULL_SET
from vidomni_plugin.data.locate import Benchmark, DataRoot
from vidomni_plugin.problems import Problem

__all__ = ["Options", "Result", "applicable", "chosen", "examine"]

LONGEST_MESSAGE = 2000
"""Data are never echoed at length: an answer may be a book. Paths have room."""


NOT_READ = "cannot be read as a whole"
"""How a reason ends that goes away once the records are corrected."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to check."""

    as_released: bool = False
    videos: bool = True
    only: frozenset[str] = frozenset()
    """Codes; all where it is empty."""
    skip: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Result:
    """What the checks found in one data set."""

    benchmark: Benchmark
    root: DataRoot
    pairs: int
    usable: int
    videos: int
    """Videos that the pairs name."""
    digest: str
    as_released: bool
    released: int
    """Pairs of the published data set."""
    findings: tuple[Problem, ...]
    checked: tuple[str, ...]
    left_out: Mapping[str, str]
    """Checks that were not applied, and why."""
    waiting: tuple[str, ...]
    """Those of them that can be applied once all lines can be read."""

    def count(self, severity: Severity) -> int:
        """Return the number of findings that are errors, or that are reports."""
        checks = all_checks()
        return sum(checks[problem.code].severity == severity for problem in self.findings)


def chosen(benchmark: Benchmark, options: Options) -> dict[str, Check]:
    """Return the checks of a benchmark that the options leave."""
    return {
        code: check
        for code, check in all_checks().items()
        if benchmark in check.benchmarks
        and (not options.only or code in options.only)
        and code not in options.skip
    }


def applicable(benchmark: Benchmark, options: Options) -> dict[str, Check]:
    """Return the chosen checks that can be applied whatever the data are."""
    checks = chosen(benchmark, options)
    return {c: check for c, check in checks.items() if options.videos or check.needs != "videos"}


def examine(benchmark: Benchmark, root: DataRoot, options: Options) -> Result:
    """Read a data set and apply the checks; never raises for bad data."""
    checks = chosen(benchmark, options)
    data = _read(benchmark, root, options, checks.values())
    left_out = _left_out(checks, options, data)
    applied = [check for code, check in checks.items() if code not in left_out]
    findings = tuple(problem for check in applied for problem in _findings(check, data))
    pairs, videos = _size(data)
    return Result(
        benchmark=benchmark,
        root=root,
        pairs=pairs,
        usable=data.usable,
        videos=videos,
        digest=data.digest,
        as_released=data.as_released,
        released=released_pairs(benchmark),
        findings=findings,
        checked=tuple(check.code for check in applied),
        left_out=left_out,
        waiting=tuple(code for code in left_out if left_out[code].endswith(NOT_READ)),
    )


def _read(
    benchmark: Benchmark, root: DataRoot, options: Options, checks: Collection[Check]
) -> VidOmniData | VidHalLocData:
    read = read_vidomni_data if benchmark == "vidomni" else read_vidhalloc_data
    return read(
        root,
        as_released=options.as_released,
        videos=options.videos and any(check.needs == "videos" or check.hashes for check in checks),
        hashes=any(check.hashes for check in checks),
    )


def _left_out(checks: Mapping[str, Check], options: Options, data: Data) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for code, check in checks.items():
        if check.needs == "videos" and not options.videos:
            reasons[code] = "the videos were not looked at"
        elif check.of_release and not data.as_released:
            reasons[code] = "the data set is too small to be the whole release"
        elif bad := [n for n in sorted(data.unreadable) if {n, ANY_FILE} & set(check.whole)]:
            reasons[code] = f"{', '.join(bad)} {NOT_READ}"
    return reasons


def _findings(check: Check, data: Data) -> Iterator[Problem]:
    for found in check.find(data):
        message = found.message
        if len(message) > LONGEST_MESSAGE:
            message = f"{message[:LONGEST_MESSAGE]} ... ({len(message):,} characters)"
        yield Problem(check.code, found.place, message, found.hint or check.hint)


def _size(data: VidOmniData | VidHalLocData) -> tuple[int, int]:
    if isinstance(data, VidOmniData):
        of_pairs = {entry.record.video_id for entry in data.pairs}
        listed = {entry.record.video_id for entry in data.manifest or ()}
        return len(data.pairs), len(of_pairs or listed)
    records = [entry.record for entry in data.sets[FULL_SET]]
    return len(records), len({record.media.video_id for record in records})
