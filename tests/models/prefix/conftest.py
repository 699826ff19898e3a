"""The host's requests, its own runners and ours on tiny checkpoints whose answers vary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "end_to_end"))

from checkpoints import FAMILIES, build

from tests.conftest import CLIP

SMALL = {
    "device": "cpu",
    "device_map": "cpu",
    "max_num_frames": 4,
    "min_pixels": 3136,
    "max_pixels": 12544,
}
LIVELY = 8
"""Times its initial size, a random weight matters: answers differ from video to video."""
NEW_TOKENS = 5


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Tiny models: more threads cost time. No line of progress for each of many runs."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("checkpoints")
    return {family: build(family, folder / family) for family in FAMILIES}


@dataclass(frozen=True)
class Asked:
    """Requests as the host gives them to a chat model, with its documents."""

    requests: list[Any]
    task_dict: dict[str, Any]

    def of(self, *tasks: str) -> list[Any]:
        """Return the requests of some tasks, in their order."""
        return [request for request in self.requests if request.task_name in tasks]


def request(doc_id: int, task: str, to_messages: Callable[..., Any], **generation: Any) -> Any:
    """Return one request of the host."""
    from lmms_eval.api.instance import Instance

    return Instance(
        request_type="generate_until",
        arguments=(f"{task} {doc_id}", to_messages, generation, doc_id, task, "test"),
        idx=0,
        metadata={"task": task, "doc_id": doc_id, "repeats": 1},
    )


def chat(*parts: Any) -> list[dict[str, Any]]:
    """Return one turn; a path is a video, other text is text, anything else an image."""
    content = []
    for part in parts:
        kind = "image" if not isinstance(part, str) else "text"
        kind = "video" if isinstance(part, str) and part.endswith(".mp4") else kind
        content.append({"type": kind, "text" if kind == "text" else "url": part})
    return [{"role": "user", "content": content}]


def as_chat(doc: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the turn of a document of these tests."""
    return chat(*doc["parts"])


def asking(*turns: Sequence[Any], task: str = "ours", **generation: Any) -> Asked:
    """Return requests that ask these turns, one each."""
    docs = [{"parts": list(parts)} for parts in turns]
    given = {"max_new_tokens": NEW_TOKENS} | generation
    requests = [request(place, task, as_chat, **given) for place in range(len(docs))]
    return Asked(requests, {task: {"test": docs}})


def choices(video: Path, number: int) -> tuple[str, str]:
    """Return a question in the manner of Video-MME."""
    return (
        str(video),
        "Select the best answer to the following multiple-choice question based on the video.\n"
        f"What does shape {number} do?\nA. It rolls.\nB. It falls.\nC. It turns.\nD. Nothing.\n"
        "Answer with the option's letter from the given choices directly.",
    )


@pytest.fixture(scope="session")
def asked(shared_home: Path) -> Asked:
    """Both built-in samples and a Video-MME about two clips, one of which VidOmni asks about."""
    from lmms_eval.api.model import lmms
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    class Keeper(lmms):  # type: ignore[misc]
        is_simple = False
        requests: list[Any]

        def generate_until(self, requests: list[Any]) -> list[str]:
            self.requests = requests
            return [""] * len(requests)

        loglikelihood = generate_until
        generate_until_multi_round = generate_until

    keeper = Keeper()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIDOMNI_HOME", str(shared_home))
        patch.setenv("HF_HUB_OFFLINE", "1")
        simple_evaluate(
            model=keeper,
            tasks=["vidomni_mini", "vidhalloc_mini"],
            task_manager=TaskManager(include_defaults=False, model_name="vidomni_qwen3_vl"),
            gen_kwargs=f"max_new_tokens={NEW_TOKENS}",
        )
    clips = [CLIP, sorted(CLIP.parent.glob("*.mp4"))[0]]
    other = asking(
        *(choices(clip, number) for number in range(3) for clip in clips),
        task="videomme",
        max_new_tokens=NEW_TOKENS // 2,
        temperature=0,
        top_p=1.0,
        num_beams=1,
        do_sample=False,
    )
    return Asked([*keeper.requests, *other.requests], {**keeper.task_dict, **other.task_dict})


Make = Callable[..., Any]


@pytest.fixture
def make(checkpoints: dict[str, Path]) -> Make:
    """Return a function that loads a runner of a family: the host's without ``prefix``."""
    import torch

    from vidomni_plugin.models.prefix.qwen2_5_vl import HostQwen2_5_VL, SharedQwen25VL
    from vidomni_plugin.models.prefix.qwen3_vl import HostQwen3_VL, SharedQwen3VL

    classes = {
        "qwen2_5_vl": (HostQwen2_5_VL, SharedQwen25VL),
        "qwen3_vl": (HostQwen3_VL, SharedQwen3VL),
    }

    def load(family: str, asked: Asked, *, dtype: str = "float32", **arguments: Any) -> Any:
        hosts, ours = classes[family]
        which = ours if "prefix" in arguments else hosts
        runner = which(**{"pretrained": str(checkpoints[family]), **SMALL, **arguments})
        lively(runner.model)
        runner._model = runner.model.to(getattr(torch, dtype))
        runner.task_dict = asked.task_dict
        return runner

    return load


def lively(model: Any) -> None:
    """Make random weights matter."""
    import torch

    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim > 1:
                weights.mul_(LIVELY)


@pytest.fixture
def notices() -> Iterator[list[str]]:
    """Collect what the runner tells the user."""
    from loguru import logger

    told: list[str] = []
    handler = logger.add(lambda line: told.append(line.record["message"]), level="WARNING")
    yield told
    logger.remove(handler)


class Hook:
    """Keeps what a runner passes to the host's cache."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, str, str]] = []

    def add_partial(self, kind: str, key: tuple[str, Mapping[str, Any]], answer: str) -> None:
        """Take one answer, as the host's own hook does."""
        text, generation = key
        self.kept.append((kind, text + repr(sorted(generation.items())), answer))
