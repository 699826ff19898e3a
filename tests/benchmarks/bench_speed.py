"""What runs that share work cost against the host: ``python tests/benchmarks/bench_speed.py``.

Calls ``rows()`` of every module of ``tests/benchmarks/speed``, each in a process of its own, and
prints one table. ``--only NAME`` runs one module (may be given several times), ``--markdown``
prints the table of docs/speed.md. Ends with 1 if a target was missed or a module failed.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tests.benchmarks.speed.rows import Row  # noqa: E402

SPEED = Path(__file__).resolve().parent / "speed"
SHARED = ("rows", "__init__")
"""Modules of that folder that measure nothing."""
PACKAGES = ("torch", "transformers", "lmms-eval", "decord", "av")
HEAD = ("quantity", "host", "ours", "target", "held?", "unit", "conditions")
LAST_LINES = 15
"""Lines of a failed module's own output that are shown."""


def modules(folder: Path = SPEED) -> list[str]:
    """Return the names of the modules that measure something."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem not in SHARED)


def measured(name: str) -> list[Row]:
    """Return the rows of one module, which runs in a process of its own.

    Raises:
        RuntimeError: If it fails; with the end of what it printed.
    """
    with tempfile.TemporaryDirectory() as folder:
        # Not through stdout: models and the host print there.
        out = Path(folder) / "rows.json"
        command = [sys.executable, str(Path(__file__).resolve()), "--rows-of", name, str(out)]
        threads = {
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
        }
        # The clips and the caches are this run's own.
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env={**os.environ, **threads, "VIDOMNI_HOME": str(Path(folder) / "home")},
        )
        if done.returncode or not out.is_file():
            lines = (done.stdout + done.stderr).splitlines()[-LAST_LINES:]
            raise RuntimeError("\n".join([f"{name} ended with {done.returncode}", *lines]))
        return [Row(**row) for row in json.loads(out.read_text(encoding="utf-8"))]


def write_rows(name: str, out: Path) -> None:
    """Measure one module in this process and write its rows."""
    found: list[Row] = import_module(f"tests.benchmarks.speed.{name}").rows()
    if not found:
        raise RuntimeError(f"{name} measured nothing")
    out.write_text(json.dumps([dataclasses.asdict(row) for row in found]), encoding="utf-8")


def machine() -> str:
    """Return processor, cores, how busy they are, and the versions that count."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{_processor()}, {cores} cores (load {os.getloadavg()[0]:.1f}), "
        f"Python {platform.python_version()}, {versions}"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as text."""
    held = "yes" if row.held else "NO"
    numbers = (_number(value) for value in (row.host, row.ours, row.target))
    return (row.quantity, *numbers, held, row.unit, row.note)


def _number(value: float) -> str:
    """Return three digits that count, and all of a large number.

    Example:
        >>> _number(0.0664), _number(5.0), _number(6121.2)
        ('0.066', '5.00', '6,121')
    """
    if math.isnan(value):
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3f}" if 0 < value < 0.1 else f"{value:.2f}"


def table(rows: Sequence[Row], *, markdown: bool) -> str:
    """Return all rows as one table, in columns of equal width or for a page of the docs."""
    lines = [HEAD, *map(cells, rows)]
    if markdown:
        lines.insert(1, tuple("---" for _ in HEAD))
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def main(arguments: Sequence[str]) -> int:
    """Measure and print; return 1 if a target was missed or a module failed."""
    parser = argparse.ArgumentParser(description="Speed and memory against the host, one table.")
    parser.add_argument("--only", action="append", choices=modules(), help="one module")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--rows-of", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.rows_of:
        write_rows(given.rows_of[0], Path(given.rows_of[1]))
        return 0
    where = machine()  # how busy it is before this run adds its own load
    names = given.only or modules()
    rows: list[Row] = []
    failed: list[str] = []
    for number, name in enumerate(names, 1):
        print(f"{number} of {len(names)}: {name} ...", file=sys.stderr, flush=True)
        start = time.monotonic()
        try:
            rows += measured(name)
        except RuntimeError as error:
            failed.append(name)
            print(error, file=sys.stderr)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    print(where, end="\n\n")
    print(table(rows, markdown=given.markdown))
    missed = [row.quantity for row in rows if not row.held]
    print(f"\n{len(rows) - len(missed)} of {len(rows)} held")
    for what, found in (("missed", missed), ("failed", failed)):
        if found:
            print(f"{what}: {'; '.join(found)}", file=sys.stderr)
    return 1 if missed or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
