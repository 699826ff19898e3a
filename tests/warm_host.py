"""Runs of the host without the seconds that its imports take.

``python -m tests.warm_host`` imports the host once; each rank of a run is then a fork: a process
of its own, with its own folder, variables and command line. Commands are JSON lines on stdin; each
is answered with ``{"pids": [...]}``, and when all ranks have ended with ``{"codes": [...]}``. What
the host reads while it is imported is the same for all of them: see ``is_warm``.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["is_warm", "warm_run"]

ROOT = Path(__file__).parents[1]
OURS = ("VIDOMNI_", "VIDHALLOC_")
"""How variables begin that are read when they are needed, and not while the host is imported."""


def is_warm(names: Iterable[str]) -> bool:
    """Return whether a run with these variables may start from the imported host."""
    return hasattr(os, "fork") and all(name.startswith(OURS) for name in names)


def warm_run(
    arguments: Sequence[str],
    cwd: Path,
    env: dict[str, str],
    output: Path,
    seconds: float,
    ranks: int = 1,
) -> list[int]:
    """Run the host's command line and return the exit code of each rank.

    Args:
        arguments: What stands behind ``lmms-eval``.
        cwd: Where it runs.
        env: All of its variables.
        output: The file for what it prints.
        seconds: After which all ranks are killed.
        ranks: How many processes, which find each other as after ``torchrun``.
    """
    server = _server(os.getpid())
    envs = [env | _of_a_rank(rank, ranks, port) for port in [_free_port()] for rank in range(ranks)]
    command = {"arguments": list(arguments), "cwd": str(cwd), "envs": envs, "output": str(output)}
    server.stdin.write(json.dumps(command) + "\n")
    server.stdin.flush()
    pids = _told(server)["pids"]
    late = threading.Timer(seconds, lambda: [os.kill(pid, signal.SIGKILL) for pid in pids])
    late.start()
    try:
        return list(_told(server)["codes"])
    finally:
        late.cancel()


def _of_a_rank(rank: int, ranks: int, port: int) -> dict[str, str]:
    if ranks == 1:
        return {}
    names = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks}
    told = {name: str(value) for name, value in names.items()}
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    return told | place | {"ACCELERATE_USE_CPU": "true"}


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@cache
def _server(_owner: int) -> Any:
    """Return the process with the imported host; it ends with this one."""
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", __name__]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    server = subprocess.Popen(command, cwd=ROOT, env=env, **pipes)  # type: ignore[call-overload]
    atexit.register(_end, server)
    assert _told(server) == {"ready": True}
    return server


def _end(server: Any) -> None:
    server.stdin.close()
    server.wait()


def _told(server: Any) -> dict[str, Any]:
    line = server.stdout.readline()
    assert line, "the process with the imported host has ended"
    return dict(json.loads(line))


def _be_the_host(command: dict[str, Any], env: dict[str, str]) -> int:
    """Return the exit code of the host's command line, as Python would."""
    from lmms_eval.__main__ import cli_evaluate

    os.environ.clear()
    os.environ.update(env)
    os.chdir(command["cwd"])
    sys.path[0] = command["cwd"]
    sys.argv = ["lmms-eval", *command["arguments"]]
    try:
        cli_evaluate()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _start(command: dict[str, Any], env: dict[str, str]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        with open(os.devnull) as nothing, open(command["output"], "ab") as output:
            os.dup2(nothing.fileno(), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        code = _be_the_host(command, env)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def main() -> None:
    import lmms_eval.__main__
    from lmms_eval.models import MODEL_REGISTRY_V2

    _say(ready=bool(lmms_eval.__main__ and MODEL_REGISTRY_V2))
    for line in sys.stdin:
        command = json.loads(line)
        pids = [_start(command, env) for env in command["envs"]]
        _say(pids=pids)
        _say(codes=[os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids])


if __name__ == "__main__":
    main()
