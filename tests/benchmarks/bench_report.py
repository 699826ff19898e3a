"""Time and memory of a report: ``python tests/benchmarks/bench_report.py [MODELS]``.

Synthetic logs of ten models over data of the papers' full size (2,500 pairs of VidOmni, 4,000
answers of VidHalLoc, 2,700 of Video-MME; half a gigabyte) become a report with page, in a
process of its own, as the command makes it. Prints one line a step; asserts nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.report.synthetic_logs import synthetic_logs

MODELS = 10
EVERY = 0.2
"""Seconds between two looks at the memory."""
CODE = """
import resource, sys, time
start = time.perf_counter()
from pathlib import Path
from vidomni_plugin.report.assemble import Options, assemble, write_report
from vidomni_plugin.report.draw import helpers
from vidomni_plugin.report.settings import Settings
step, began = "imports", start
def say(what):
    global step, began
    kind = " ".join(word for word in what.split() if not word[0].isdigit())
    if kind != step:
        now = time.perf_counter()
        print(f"{step:<22} {now - began:6.2f} s")
        step, began = kind, now
report = assemble([Path(path) for path in sys.argv[2:]], Settings(), say)
files = write_report(report, Path(sys.argv[1]), Options(beside=helpers()), say)
say("all")
wall = time.perf_counter() - start
own, others = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
used = sum(each.ru_utime + each.ru_stime for each in (own, others))
print(f"{'all':<22} {wall:6.2f} s, {used:.2f} s of processor in all processes")
print(f"{len(files)} files; {helpers()} processes beside this one")
"""


def main(models: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        runs = synthetic_logs(Path(folder) / "logs", models)
        size = sum(path.stat().st_size for run in runs for path in run.rglob("*.json*"))
        print(f"{models} models, {size / 1e6:.0f} MB of logs")
        out = Path(folder) / "report"
        command = [sys.executable, "-c", CODE, str(out), *map(str, runs)]
        with subprocess.Popen(command) as process:
            most = _most_memory(process)
        if process.returncode:
            sys.exit(process.returncode)
        print(f"memory of all processes together up to {most / 1e6:.0f} MB")
        print(f"page {(out / 'report.html').stat().st_size / 1e6:.1f} MB")


def _most_memory(process: subprocess.Popen[bytes]) -> int:
    """Return the most bytes that a process and those it started held at one time."""
    most = 0
    while process.poll() is None:
        try:
            first = psutil.Process(process.pid)
            family = [first, *first.children(recursive=True)]
            # Shared pages count once: a library that all have loaded is there once.
            most = max(most, sum(each.memory_full_info().pss for each in family))
        except psutil.NoSuchProcess:
            pass
        time.sleep(EVERY)
    return most


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MODELS)
