"""Starts runs of the host that a test may kill, without the ten seconds that a start takes.

The host is imported once; each rank of each run is then a fork, a process of its own that the
test kills by its id. Commands are JSON lines on stdin: ``{"model_args": ..., "ranks": 2,
"results": FILE}``. Each is answered with ``{"pids": [...]}``, and when all ranks have ended with
``{"codes": [...]}``.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from pathlib import Path
from typing import Any


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def be_a_rank(rank: int, command: dict[str, Any], port: int) -> None:
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    if command["ranks"] > 1:
        os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1"}
        os.environ |= {"WORLD_SIZE": str(command["ranks"]), "MASTER_PORT": str(port)}
        os.environ |= {"ACCELERATE_USE_CPU": "true"}
    manager = TaskManager(include_defaults=False, model_name="vidomni_runner")
    found = simple_evaluate(
        model="vidomni_runner",
        model_args=command["model_args"],
        tasks=["vidhalloc_mini"],
        task_manager=manager,
        bootstrap_iters=0,
    )
    if found is not None:
        samples = [(s["overall"], s["filtered_resps"]) for s in found["samples"]["vidhalloc_mini"]]
        answers = {f"{detail['pair_id']}/{detail['side']}": said for detail, said in samples}
        kept = {"results": found["results"], "answers": answers}
        Path(command["results"]).write_text(json.dumps(kept), encoding="utf-8")


def start(command: dict[str, Any]) -> list[int]:
    port = free_port()
    pids = []
    for rank in range(command["ranks"]):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                with open(os.devnull) as nothing:
                    os.dup2(nothing.fileno(), 0)
                os.dup2(2, 1)  # stdout is for the test
                be_a_rank(rank, command, port)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        pids.append(pid)
    return pids


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def main() -> None:
    import lmms_eval.evaluator
    from lmms_eval.models import MODEL_REGISTRY_V2

    from tests.models.runner.toys import manifests

    for manifest in manifests():
        MODEL_REGISTRY_V2.register_manifest(manifest)
    say(ready=bool(lmms_eval.evaluator))
    for line in sys.stdin:
        pids = start(json.loads(line))
        say(pids=pids)
        say(codes=[os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids])


if __name__ == "__main__":
    main()
