"""What ``vidomni data check`` prints: text for people, grouped by code, or JSON for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vidomni_plugin.data.checks.fix import Mended
from vidomni_plugin.data.checks.registry import all_checks
from vidomni_plugin.data.checks.run import Result
from vidomni_plugin.data.locate import Benchmark
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.wording import counted

__all__ = [
    "as_json",
    "as_text",
    "json_text",
    "listed",
    "mended_as_text",
    "none_as_json",
]

FORMAT = 1
"""Version of the JSON; it goes up when a field changes its meaning or goes away."""
SHOWN = 10
"""How many findings of one code the text shows."""


def json_text(ok: bool, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the whole output for machines: JSON without NaN, of characters that can be printed."""
    output = {"format": FORMAT, "ok": ok, "benchmarks": rows}
    text = json.dumps(output, indent=2, ensure_ascii=False, allow_nan=False)
    # Names of files may hold bytes that are no text; in JSON they are escapes.
    return text.encode(errors="backslashreplace").decode()


def as_text(result: Result, shown: int = SHOWN) -> Iterator[str]:
    """Yield the lines of one data set: what was read, findings by code, what was not checked."""
    root = result.root
    usable = f"{result.usable} usable" if result.digest else "videos not looked at"
    yield (
        f"{root.path} ({root.origin}): {counted(result.pairs, 'pair')} on "
        f"{counted(result.videos, 'video')}, {usable}; "
        f"{counted(len(result.findings), 'problem')} "
        f"({counted(result.count('error'), 'error')}, {counted(result.count('report'), 'report')})"
        + (f"; data {result.digest}" if result.digest else "")
    )
    by_code: dict[str, list[Problem]] = {}
    for problem in result.findings:
        by_code.setdefault(problem.code, []).append(problem)
    checks = all_checks()
    for severity in ("error", "report"):
        for code, problems in by_code.items():
            if checks[code].severity == severity:
                yield from _of_code(code, problems, severity, f"{root.path}/", shown)
    if result.as_released:
        yield f"compared with the published release of {result.released:,} pairs"
    elif result.released:
        yield (
            f"not compared with the published release ({result.pairs:,} of {result.released:,} "
            "pairs; --as-released does it)"
        )
    if result.waiting:
        reasons = "; ".join(dict.fromkeys(result.left_out[code] for code in result.waiting))
        yield f"not checked yet: {', '.join(result.waiting)} ({reasons})"


def _of_code(
    code: str, problems: Sequence[Problem], severity: str, root: str, shown: int
) -> Iterator[str]:
    yield f"  {severity} [{code}] {len(problems)}x"
    for problem in problems[:shown]:
        # Paths below the root are shorter without it; it stands in the line above.
        yield f"    {_without(root, f'{problem.place}: {problem.message}')}"
    if len(problems) > shown:
        yield f"    ... and {len(problems) - shown} more; --json shows all"
    for hint in dict.fromkeys(problem.hint for problem in problems if problem.hint):
        yield f"    -> {hint}"
    if fix := all_checks()[code].fix:
        yield f"    -> --fix {fix}"


def _without(root: str, text: str) -> str:
    """Leave a folder out where a path begins with it, and not inside a word or another path."""
    return re.sub(rf"(?<![\w./\\-]){re.escape(root)}", "", text)


def as_json(result: Result, mended: Sequence[Mended] = ()) -> dict[str, Any]:
    """Return one data set's findings for machines; the docs describe the fields."""
    checks = all_checks()
    return {
        "benchmark": result.benchmark,
        "root": str(result.root.path),
        "origin": result.root.origin,
        "pairs": result.pairs,
        "usable": result.usable,
        "videos": result.videos,
        "data": result.digest or None,
        "as_released": result.as_released,
        "errors": result.count("error"),
        "reports": result.count("report"),
        "findings": [
            _finding(problem, checks[problem.code].severity) for problem in result.findings
        ],
        "checked": list(result.checked),
        "left_out": dict(result.left_out),
        "fixed": [
            {
                "file": str(done.path),
                "kept": str(done.kept),
                "changes": dict(done.changes),
                "details": list(done.details),
                "error": done.error,
            }
            for done in mended
        ],
    }


def none_as_json(benchmark: Benchmark, none: InputProblems) -> dict[str, Any]:
    """Return the same fields for a benchmark without data."""
    return {
        "benchmark": benchmark,
        "root": None,
        "origin": None,
        "pairs": 0,
        "usable": 0,
        "videos": 0,
        "data": None,
        "as_released": False,
        "errors": len(none.problems),
        "reports": 0,
        "findings": [_finding(problem, "error") for problem in none.problems],
        "checked": [],
        "left_out": {},
        "fixed": [],
    }


def _finding(problem: Problem, severity: str) -> dict[str, str]:
    return {
        "code": problem.code,
        "severity": severity,
        "place": problem.place,
        "message": problem.message,
        "hint": problem.hint,
    }


def mended_as_text(mended: Sequence[Mended], shown: int = SHOWN) -> Iterator[str]:
    """Yield what ``--fix`` did; what it could not mend is in the findings that follow."""
    for done in mended:
        yield done.summary()
        yield from (f"    {detail}" for detail in done.details[:shown])
        if len(done.details) > shown:
            yield f"    ... and {len(done.details) - shown} more; --json shows all"
    if not mended:
        yield "nothing that --fix can mend"
    yield "what follows was not fixed:"


def listed() -> Iterator[str]:
    """Yield a line for each check: code, severity, where it applies, meaning."""
    for check in all_checks().values():
        where = "both" if len(check.benchmarks) > 1 else check.benchmarks[0]
        release = ", whole release only" if check.of_release else ""
        yield f"{check.code:<20} {check.severity:<6} {where:<9} {check.meaning}{release}"
