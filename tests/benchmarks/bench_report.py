"""Time and memory of a report: ``python tests/benchmarks/bench_report.py [MODELS]``.

Synthetic logs of ten models over data of the papers' full size (2,500 pairs of VidOmni, 4,000
answers of VidHalLoc, 2,700 of Video-MME; half a gigabyte) become a report with page, in a
process of its own, as the command makes it. Prints one line a step; asserts nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.report.synthetic_logs import synthetic_logs

MODELS = 10
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
beside = f"{helpers()} processes beside it up to {others.ru_maxrss / 1024:.0f} MB each"
print(f"memory {own.ru_maxrss / 1024:.0f} MB, {beside}; {len(files)} files")
"""


def main(models: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        runs = synthetic_logs(Path(folder) / "logs", models)
        size = sum(path.stat().st_size for run in runs for path in run.rglob("*.json*"))
        print(f"{models} models, {size / 1e6:.0f} MB of logs")
        out = Path(folder) / "report"
        command = [sys.executable, "-c", CODE, str(out), *map(str, runs)]
        subprocess.run(command, check=True)
        print(f"page {(out / 'report.html').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MODELS)
