"""Time and memory of full-size tasks: ``python tests/benchmarks/bench_tasks.py``.

Everything is measured in one run: start-up against the host's own, and documents and scores of
a synthetic data set of the papers' size against half of it. Prints a table; asserts nothing.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.conftest import vidhalloc_data, vidhalloc_record, vidomni_data, vidomni_record

PAIRS = {"vidomni": 2500, "vidhalloc": 2000}
SENTENCES = 26
ROUNDS = 3
START = """
import time
start = time.perf_counter()
import lmms_eval.evaluator
from lmms_eval.tasks import TaskManager
manager = TaskManager(model_name="dummy")
host = time.perf_counter() - start
start = time.perf_counter()
TaskManager(include_defaults=False)
import vidomni_plugin.vidomni.task, vidomni_plugin.vidhalloc.task
manager.load_task_or_group(["vidomni_mini", "vidhalloc_mini"], "chat")
print(host, time.perf_counter() - start)
"""


def timed(work: Callable[[], object]) -> float:
    """Return the least seconds of a few rounds."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def caption(k: int) -> list[dict[str, object]]:
    text = (
        f"Sentence {k} of a caption describes what happens in the video, in about a hundred words"
    )
    labels = (0, 0, 1, None)
    return [{"text": f"{text} {i}.", "label": labels[(i + k) % 4]} for i in range(SENTENCES)]


def answer(k: int) -> str:
    """Return an answer as models give it: the dictionary, then a reason a sentence."""
    labels = {f"sentence_{i}": (i + k) % 3 % 2 for i in range(1, SENTENCES + 1)}
    reasons = (
        f"sentence_{i}: the video shows this at 0:{i:02d}, or it does not."
        for i in range(1, SENTENCES + 1)
    )
    return json.dumps(labels) + "\n\n" + "\n".join(reasons)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        os.environ["VIDOMNI_HOME"] = str(root / "home")
        os.environ["HF_HUB_OFFLINE"] = "1"
        omni = [
            vidomni_record(pair_id=f"p{k}", video_id=f"v{k % 500}", sentences=caption(k))
            for k in range(PAIRS["vidomni"])
        ]
        halloc = [vidhalloc_record(f"p{k}", f"v{k % 1090}") for k in range(PAIRS["vidhalloc"])]
        os.environ["VIDOMNI_DATA"] = str(vidomni_data(root / "omni", omni))
        os.environ["VIDHALLOC_DATA"] = str(vidhalloc_data(root / "halloc", halloc))

        for _ in range(2):  # the first start looks into the clips, the second remembers
            command = [sys.executable, "-c", START]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        host, ours = map(float, done.stdout.split()[-2:])
        print(f"start-up: host {host:.2f} s, both tasks {ours:.2f} s, {100 * ours / host:.1f} %")

        import datasets  # noqa: F401 - the host has imported it by then

        from vidomni_plugin.vidhalloc import metrics as halloc_metrics
        from vidomni_plugin.vidhalloc import task as halloc_task
        from vidomni_plugin.vidomni import metrics as omni_metrics
        from vidomni_plugin.vidomni import task as omni_task

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        omni_task.ALL_DOCS()
        halloc_task.ALL_DOCS()
        print(f"first look into 1,590 videos and documents: {time.perf_counter() - start:.2f} s")
        seconds = timed(lambda: (omni_task.ALL_DOCS(), halloc_task.ALL_DOCS()))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"documents: {seconds:.2f} s, {before / 1024:.0f} MB before, {grown:.0f} MB more")

        omni_docs = list(omni_task.ALL_DOCS())
        halloc_docs = list(halloc_task.ALL_DOCS())

        def score(share: float) -> None:
            chosen = omni_docs[: int(len(omni_docs) * share)]
            omni_metrics.summary(omni_task.detail(d, answer(k)) for k, d in enumerate(chosen))
            others = halloc_docs[: int(len(halloc_docs) * share)]
            halloc_metrics.summary(halloc_task.detail(d, "ACCEPT") for d in others)

        half, whole = timed(lambda: score(0.5)), timed(lambda: score(1.0))
        print(f"scores: half {half:.2f} s, all {whole:.2f} s, ratio {whole / half:.2f}")


if __name__ == "__main__":
    main()
