"""What the benchmarks of shared prefixes have in common: a model, questions, a fair clock.

The models are random, and as large as a CPU allows in minutes, so that the vision tower and
the language model take the time and not the set-up around them. The host's runner and ours hold
one and the same model, and are asked in turn.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "end_to_end"))

import torch
from checkpoints import build
from lmms_eval.api.instance import GenerationResult, Instance

from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.models.prefix.qwen2_5_vl import HostQwen2_5_VL, SharedQwen25VL
from vidomni_plugin.models.prefix.qwen3_vl import HostQwen3_VL, SharedQwen3VL

QUESTIONS = 5
FRAMES = 32
ROUNDS = 3
PIXELS = 224 * 224
"""Of a frame: 64 places of the prompt for each two frames, 1,024 for 32."""
LIVELY = 6
"""Times its initial size, a random weight matters: answers differ."""
CLASSES = {
    "qwen2_5_vl": (HostQwen2_5_VL, SharedQwen25VL),
    "qwen3_vl": (HostQwen3_VL, SharedQwen3VL),
}
INSTRUCTION = (
    "Watch the video, then read the sentence. Say whether the video supports it: answer with "
    "ACCEPT or REJECT and nothing else.\nSentence: "
)
SENTENCES = (
    "A circle rolls to the right.",
    "A cube turns twice and stops.",
    "Nothing moves until the end.",
    "Two shapes meet at the left.",
    "A bell rings, then it is dark.",
)


@dataclass(frozen=True)
class Size:
    """How large a random model is."""

    text: dict[str, int]
    vision: dict[str, int]


VISION_HEAVY = Size(
    text={"hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 4},
    vision={"hidden_size": 256, "intermediate_size": 768, "depth": 5, "num_heads": 4},
)
TEXT_HEAVY = Size(
    text={
        "hidden_size": 512,
        "intermediate_size": 1536,
        "num_hidden_layers": 5,
        "num_attention_heads": 8,
        "num_key_value_heads": 1,  # an eighth of the model's width, as in Qwen2.5-VL-7B a seventh
    },
    vision={"hidden_size": 160, "intermediate_size": 480, "depth": 3, "num_heads": 2},
)


class Bench:
    """The host's runner and ours, on one random model of a family."""

    def __init__(self, family: str, size: Size, dtype: torch.dtype = torch.float32) -> None:
        from transformers import AutoModelForImageTextToText

        torch.set_num_threads(1)
        self._family = family
        self._folder = tempfile.TemporaryDirectory()
        build(family, Path(self._folder.name))
        small = AutoModelForImageTextToText.from_pretrained(self._folder.name)
        config = small.config
        text = config.text_config
        text.update(size.text)
        text.head_dim = text.hidden_size // text.num_attention_heads
        text.layer_types = ["full_attention"] * text.num_hidden_layers
        text.rope_parameters["mrope_section"] = sections(text.head_dim)
        config.vision_config.update(size.vision)
        config.vision_config.out_hidden_size = text.hidden_size
        torch.manual_seed(0)
        self.model = type(small)(config).to(dtype).eval()
        with torch.no_grad():
            for weights in self.model.parameters():
                if weights.ndim > 1:
                    weights.mul_(LIVELY)

    def runner(self, prefix: str | None = None) -> Any:
        """Return the host's runner, or ours with a way to share."""
        hosts, ours = CLASSES[self._family]
        arguments: dict[str, Any] = {
            "pretrained": self._folder.name,
            "device": "cpu",
            "device_map": "cpu",
            "max_num_frames": FRAMES,
            "min_pixels": PIXELS,
            "max_pixels": PIXELS,
        }
        made = hosts(**arguments) if prefix is None else ours(prefix=prefix, **arguments)
        made._model = self.model
        return made


def sections(head: int) -> list[int]:
    """Return how the position ids of time, rows and columns share half a head."""
    half = head // 2
    return [half - 2 * (half // 3), half // 3, half // 3]


def ask(runner: Any, videos: int, questions: int, new_tokens: int) -> list[GenerationResult]:
    """Return a runner's answers to questions about the built-in clips."""
    clips = sorted((mini_root("vidomni").path / "videos").glob("*.mp4"))[:videos]
    docs = [
        (str(clip), INSTRUCTION + SENTENCES[number])
        for number in range(questions)
        for clip in clips
    ]
    runner.task_dict = {"bench": {"test": docs}}
    generation = {"max_new_tokens": new_tokens, "temperature": 0, "do_sample": False}
    requests = [
        Instance(
            request_type="generate_until",
            arguments=(docs[place][1], _turn, dict(generation), place, "bench", "test"),
            idx=0,
            metadata={"task": "bench", "doc_id": place, "repeats": 1},
        )
        for place in range(len(docs))
    ]
    results: list[GenerationResult] = runner.generate_until(requests)
    return results


def _turn(doc: tuple[str, str]) -> list[dict[str, Any]]:
    video, text = doc
    content = [{"type": "video", "url": video}, {"type": "text", "text": text}]
    return [{"role": "user", "content": content}]


@dataclass(frozen=True)
class Timed:
    """CPU seconds of several ways in one interleaved run, and whether they answered the same."""

    seconds: dict[str, float]
    equal: bool
    tokens: float
    """Mean length of an answer, its end token counted."""

    def ratio(self, way: str) -> float:
        """Return the time of a way, the host's being 1."""
        return self.seconds[way] / self.seconds["host"]


def timed(ways: dict[str, Callable[[], Sequence[GenerationResult]]]) -> Timed:
    """Return the median CPU time of each way, each round after all ways had their turn."""
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    answers = set()
    lengths: list[int] = []
    for _ in range(ROUNDS):
        for way, run in ways.items():
            start = time.process_time()
            results = run()
            seconds[way].append(time.process_time() - start)
            answers.add(tuple(result.text for result in results))
            lengths += [result.token_counts.output_tokens for result in results]
    return Timed(
        {way: statistics.median(times) for way, times in seconds.items()},
        len(answers) == 1,
        statistics.mean(lengths),
    )


@dataclass
class Counts:
    """What passed a model."""

    vision: int = 0
    """Passes of the vision tower."""
    prefill: int = 0
    """Tokens that entered the language model before a first new token."""
    prompts: set[tuple[int, ...]] = field(default_factory=set)
    """Token ids of all prompts that were given to ``generate``."""


@contextmanager
def counting(model: Any) -> Iterator[Counts]:
    """Count what passes a model."""
    counts = Counts()
    generate = model.generate

    def of_vision(*_: object) -> None:
        counts.vision += 1

    def of_text(_: object, __: object, given: dict[str, Any]) -> None:
        rows, tokens = given["inputs_embeds"].shape[:2]
        counts.prefill += rows * tokens if tokens > 1 else 0

    def generating(**given: Any) -> Any:
        counts.prompts |= {tuple(row) for row in given["input_ids"].tolist()}
        return generate(**given)

    handles = [
        model.model.visual.register_forward_pre_hook(of_vision),
        model.model.language_model.register_forward_pre_hook(of_text, with_kwargs=True),
    ]
    model.generate = generating
    try:
        yield counts
    finally:
        del model.generate
        for handle in handles:
            handle.remove()
