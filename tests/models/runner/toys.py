"""Inner models whose faults are chosen by their arguments; what they are asked is in a log."""

from __future__ import annotations

import errno
import json
import os
import signal
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lmms_eval.api.instance import GenerationResult, Instance, TokenCounts
from lmms_eval.api.model import lmms
from lmms_eval.models.model_utils.usage_metrics import is_budget_exceeded, log_usage
from lmms_eval.models.registry_v2 import ModelManifest
from loguru import logger
from tqdm import tqdm

from vidomni_plugin.models.requests import asked


def manifests() -> list[ModelManifest]:
    """Return the toys; an entry point of a test calls this as the host does for any plugin."""
    here = "tests.models.runner.toys"
    return [
        ModelManifest("toy", simple_class_path=f"{here}.ToySimple", chat_class_path=f"{here}.Toy"),
        ModelManifest("toy_video", chat_class_path=f"{here}.ToyVideo"),
        ModelManifest("toy_simple", simple_class_path=f"{here}.ToySimple"),
    ]


class Unsayable(Exception):
    """An error that cannot even say what it is."""

    def __str__(self) -> str:
        raise ValueError


class Dropping:
    """Ctrl-C lands in its destructor, where Python only prints that there was one."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


class ToySimple(lmms):
    """Answers ``answer``, which may name the question as {item}, after its fault.

    Args:
        log: File that gets one JSON line a question, before it is answered.
        answer: The text; {n} is how many questions this object had.
        fault: A branch of ``_faulty``; it strikes at question ``at`` (from 1), or always.
        seconds: How long an answer takes.
        gate: File with a number: with so many questions this object stops for good in the next
            one, and says so with an empty file beside it, ``<gate>.<rank>``.
        batch_size, rest: Given by the host to every model.
    """

    def __init__(
        self,
        log: str = "",
        answer: str = "ACCEPT",
        fault: str = "",
        at: int | None = None,
        seconds: float = 0.0,
        gate: str = "",
        batch_size: object = None,
        **rest: Any,
    ) -> None:
        super().__init__()
        self.log = Path(log) if log else None
        self.answer, self.fault, self.at, self.seconds = answer, fault, at, seconds
        self.gate = Path(gate) if gate else None
        self.batch_size = int(str(batch_size or 1))
        self.rest = rest
        self.questions = 0
        self.calls: list[list[str]] = []
        """Items of each call."""

    def generate_until(self, requests: list[Instance]) -> Any:
        known = [asked(request, self.task_dict) for request in requests]
        self.calls.append([one.item for one in known])
        answers: list[Any] = []
        for one, request in zip(
            tqdm(known, desc="a bar of the inner model"), requests, strict=True
        ):
            answers.append(self._answer(one.item, one.media, request))
        if self.fault == "list":
            requests.clear()
        if self.fault == "few":
            return answers[:-1]
        if self.fault == "many":
            return [*answers, "one more"]
        if self.fault == "no-list":
            return answers[0]
        return answers

    def _answer(self, item: str, media: Sequence[Any], request: Instance) -> Any:
        self.questions += 1
        if self.log is not None:
            said = {"item": item, "rank": self.rank, "media": [str(part) for part in media]}
            line = json.dumps(said) + "\n"
            with self.log.open("a", encoding="utf-8") as file:
                file.write(line)
        if self.gate is not None and self.gate.exists():
            while self.questions > int(self.gate.read_text()):
                self.gate.with_name(f"{self.gate.name}.{self.rank}").touch()
                time.sleep(0.1)
        time.sleep(self.seconds)
        text = self.answer.format(item=item, n=self.questions, pid=os.getpid())
        if self.at in (None, self.questions):
            return self._faulty(text, item, media, request)
        return text

    def _faulty(self, text: str, item: str, media: Sequence[Any], request: Instance) -> Any:
        if self.fault == "raises":
            raise RuntimeError("CUDA out of memory.\nTried to allocate 2 GiB")
        if self.fault == "no-room":
            raise OSError(errno.ENOSPC, "No space left on device", "copy.mp4")
        if self.fault == "exits":
            raise SystemExit("no GPU is left")
        if self.fault == "swallows":
            logger.error("the processor is broken")
            return ""
        if self.fault == "none":
            return None
        if self.fault == "number":
            return 7
        if self.fault == "spends":
            if is_budget_exceeded():
                return ""
            log_usage("toy", "toys", input_tokens=100)
        if self.fault == "mixed":
            return "ACCEPT" if zlib.crc32(item.encode()) % 2 else "REJECT"
        if self.fault == "half":
            return f"{text} \ud83d"
        if self.fault == "unsayable":
            raise Unsayable
        if self.fault == "logs-anew":
            logger.remove()
        if self.fault == "interrupted":
            raise KeyboardInterrupt
        if self.fault == "drops-ctrl-c":
            Dropping()
        if self.fault == "says-failed":
            return "[LMMS_EVAL_REQUEST_FAILED after 5 retries] server error (500)"
        if self.fault == "tokens":
            return GenerationResult(text, TokenCounts(input_tokens=11, output_tokens=7))
        if self.fault == "pair":
            return text, {"output_tokens": 3}
        if self.fault == "prints":
            print("a line of the inner model")
        if self.fault == "settings":
            settings = next(part for part in request.args if isinstance(part, dict))
            settings.pop("until", None)
            settings["added"] = self.questions
            request.resps.append("changed")
        if self.fault == "decodes":
            import decord

            frames = decord.VideoReader(str(media[0])).get_batch([0, 9]).asnumpy()
            return f"{text} {frames.shape[0]}"
        return text

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        return [(-1.0, True) for _ in requests]

    def generate_until_multi_round(self, requests: list[Instance]) -> list[str]:
        return ["round" for _ in requests]


class Toy(ToySimple):
    """The same for chat requests."""

    is_simple = False


class ToyVideo(Toy):
    """Takes a whole video, and says each answer at once, the last question's first."""

    def answer_video(
        self, requests: Sequence[Instance], answered: Callable[[int, GenerationResult], None]
    ) -> None:
        known = [asked(request, self.task_dict) for request in requests]
        self.calls.append([one.item for one in known])
        for place in reversed(range(len(requests))):
            if self.fault == "silent" and self.questions + 1 == self.at:
                self.questions += 1
                continue
            text = self._answer(known[place].item, known[place].media, requests[place])
            try:
                answered(place, text)
            except Exception:
                if self.fault != "catches":
                    raise
            if self.fault == "twice":
                answered(place, "another answer to the same question")
