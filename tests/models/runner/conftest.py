"""The runner around a toy, asked as the host asks, without the seconds that the host takes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lmms_eval.api.instance import Instance
from lmms_eval.models import MODEL_REGISTRY_V2
from loguru import logger

from tests.models.runner.toys import manifests
from vidomni_plugin.models.runner.model import RunnerChat, RunnerSimple


@pytest.fixture(scope="session", autouse=True)
def _toys() -> None:
    for manifest in manifests():
        MODEL_REGISTRY_V2.register_manifest(manifest, overwrite=True)


Docs = list[dict[str, Any]]


def documents(folder: Path, videos: int = 4, each: int = 3, **more: Any) -> Docs:
    """Return questions about videos, in the worst order: neighbours never share a video."""
    folder.mkdir(exist_ok=True)
    docs: Docs = []
    for question in range(each):
        for video in range(videos):
            path = folder / f"v{video}.mp4"
            if not path.exists():
                path.write_bytes(f"video {video}".encode())
            docs.append({"video": str(path), "question": f"Question {question}?", **more})
    return docs


def verdicts(folder: Path, videos: int = 4, each: int = 3) -> Docs:
    """Return the same as questions of VidHalLoc."""
    docs = documents(folder, videos, each, side="factual")
    return [doc | {"answer_id": f"pair_{k}/factual"} for k, doc in enumerate(docs)]


def requests_of(docs: Docs, *, simple: bool = False, repeats: int = 1) -> list[Instance]:
    """Return what the host asks about documents."""

    def doc_to_messages(doc: dict[str, Any]) -> list[dict[str, Any]]:
        if "exits" in doc:
            raise SystemExit("video path does not exist, please check")
        video = {"type": "video", "url": doc["video"]}
        text = {"type": "text", "text": doc["question"]}
        return [{"role": "user", "content": [video, text]}]

    requests = []
    for k, doc in enumerate(docs):
        settings = {"max_new_tokens": 8, "until": ["\n"]}
        head = (doc["question"], doc_to_messages, settings)
        if simple:
            head = (doc["question"], settings, lambda doc: [doc["video"]])
        metadata = {"task": "toys", "doc_id": k, "repeats": repeats}
        one = Instance("generate_until", (*head, k, "toys", "test"), 0, metadata)
        requests += [one] * repeats
    return requests


Answer = Callable[..., list[str]]


@pytest.fixture
def runner(tmp_path: Path) -> Callable[..., RunnerSimple]:
    """Return a function that makes a runner around a toy, as the host makes it."""

    def make(docs: Docs, *, force_simple: bool = False, **arguments: Any) -> RunnerSimple:
        given = {"inner": "toy", "journal": str(tmp_path / "journal"), **arguments}
        made = (RunnerSimple if force_simple else RunnerChat)(**given)
        made.task_dict["toys"] = {"test": docs}
        return made

    return make


@pytest.fixture
def answer(runner: Callable[..., RunnerSimple]) -> Answer:
    """Return a function that asks about documents in a run of its own and gives the texts."""

    def ask(docs: Docs, **arguments: Any) -> list[str]:
        made = runner(docs, **arguments)
        requests = requests_of(docs, simple=made.is_simple)
        return [result.text for result in made.generate_until(requests)]

    return ask


@pytest.fixture
def warnings() -> Any:
    """Return what is logged, as it comes."""
    heard: list[str] = []
    handler = logger.add(lambda message: heard.append(str(message.record["message"])), level="INFO")
    yield heard
    logger.remove(handler)


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """A file system of 64 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "vidomni-test", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command")
    if done.returncode:
        pytest.skip("this user may not mount a tmpfs")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
