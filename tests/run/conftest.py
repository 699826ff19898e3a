"""``vidomni run`` inside this process: the host's imports and its index are paid for once."""

from __future__ import annotations

import copy
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.models.runner.toys import manifests
from vidomni_plugin.cli import main
from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni
from vidomni_plugin.data.locate import mini_root


@dataclass(frozen=True)
class Done:
    """What a command printed and left."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def last(self) -> str:
        """The last line of all."""
        return [line for line in self.err.splitlines() if line.strip()][-1]

    def scores(self, folder: Path | None = None) -> dict[str, dict[str, Any]]:
        """Return the values of the newest results file, without those that name a run."""
        files = sorted((folder or self.folder).rglob("*_results.json"))
        results = json.loads(files[-1].read_text(encoding="utf-8"))["results"]
        return {
            task: {name: value for name, value in row.items() if "stderr" not in name}
            for task, row in results.items()
        }


Command = Callable[..., Done]


@pytest.fixture(scope="session")
def index() -> Any:
    """The host's index of all tasks, read once."""
    from lmms_eval.models import MODEL_REGISTRY_V2
    from lmms_eval.tasks import TaskManager

    for manifest in manifests():
        MODEL_REGISTRY_V2.register_manifest(manifest, overwrite=True)
    return TaskManager(model_name="vidomni_runner")


@pytest.fixture(scope="module")
def vidomni(index: Any, shared_home: Path) -> Iterator[Command]:
    """Return a function that runs the command line in a folder."""
    import lmms_eval.__main__ as host
    from loguru import logger

    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"VIDOMNI_HOME": str(shared_home), "VIDOMNI_SHARD": ""}.items():
            patch.setenv(name, value)
        for module in ("run", "forecast"):
            manager = f"vidomni_plugin.run.{module}.task_manager"
            patch.setattr(manager, lambda told: copy.copy(index))
        patch.setattr(host, "TaskManager", lambda *_, **__: copy.copy(index))

        def run(folder: Path, *arguments: str, **env: str) -> Done:
            folder.mkdir(parents=True, exist_ok=True)
            texts = [folder.parent / f"{folder.name}.{name}" for name in ("out", "err")]
            with pytest.MonkeyPatch.context() as inside:
                inside.chdir(folder)
                inside.setenv("VIDOMNI_SHARD", "")
                for name, value in env.items():
                    inside.setenv(name, value)
                inside.setattr(sys, "argv", ["vidomni", *arguments])
                with texts[0].open("w") as out, texts[1].open("w") as err:
                    inside.setattr(sys, "stdout", out)
                    inside.setattr(sys, "stderr", err)
                    try:
                        main()
                        code = 0
                    except SystemExit as end:
                        code = int(end.code or 0)
                    finally:
                        logger.remove()
            read = [path.read_text() for path in texts]
            return Done(code, *read, folder)

        yield run


def verdicts(path: Path) -> Path:
    """Write an answer to every request of both samples; half of them are wrong."""
    rows = []
    for pair in inspect_vidomni(mini_root("vidomni")).pairs:
        labels = {f"sentence_{k}": k % 2 for k, _ in enumerate(pair.record.sentences, 1)}
        rows.append({"id": pair.record.pair_id, "response": json.dumps(labels)})
    for number, other in enumerate(inspect_vidhalloc(mini_root("vidhalloc")).pairs):
        for side in ("factual", "counterfactual"):
            said = "ACCEPT" if side == "factual" or number % 3 == 0 else "REJECT"
            rows.append({"id": f"{other.record.pair_id}/{side}", "response": said})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def responses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded answers to both samples."""
    return verdicts(tmp_path_factory.mktemp("responses") / "responses.jsonl")


BOTH = "vidomni_mini,vidhalloc_mini"


def replay(responses: Path, tasks: str = BOTH) -> tuple[str, ...]:
    """Return the arguments of a run with recorded answers."""
    given = ("--model", "vidomni_replay", "--model_args", f"responses={responses}")
    return ("run", *given, "--tasks", tasks)


def toy(log: Path, *, tasks: str = "vidhalloc_mini", **arguments: object) -> tuple[str, ...]:
    """Return the arguments of a run with a model that has a fault."""
    given = ",".join(f"{name}={value}" for name, value in {"log": log, **arguments}.items())
    return ("run", "--model", "toy", "--model_args", given, "--tasks", tasks, "--no-report")


def asked(log: Path) -> list[dict[str, Any]]:
    """Return what a toy was asked."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


START = """
import os, sys
from lmms_eval.models import MODEL_REGISTRY_V2
from tests.models.runner.toys import manifests
for manifest in manifests():
    MODEL_REGISTRY_V2.register_manifest(manifest, overwrite=True)
from vidomni_plugin.cli import main
main()
"""


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The command line with the toys in a process of its own, and its environment."""
    path = tmp_path_factory.mktemp("start") / "start.py"
    path.write_text(START)
    root = str(Path(__file__).parent.parent.parent)
    env = {"PYTHONPATH": root, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    return path, {**os.environ, **env, "ACCELERATE_USE_CPU": "true"}
