"""Stop a run whose answers show that nothing works, before it has cost a night."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection

from vidomni_plugin.models.runner.entries import Answer
from vidomni_plugin.models.runner.plan import Question
from vidomni_plugin.problems import printable

__all__ = ["FIRST", "OF_FAILURES", "Guard", "failure_hint", "likely_cause"]

FIRST = 8
"""Answers of a run that are looked at; also the failed videos in a row that end a run."""
LOOK = "run one item with --limit 1 --verbosity DEBUG and read what the model prints"
CAUSES = {
    "qwen3_5": 'it thinks by default and returns "" when it is cut off: add enable_thinking=False '
    "or raise --gen_kwargs max_new_tokens=",
    "qwen2_5_omni": 'on transformers 5 every answer is "": install "transformers<5" "datasets<5.1"',
    "qwen3_omni": 'on transformers 5 answers may be "": install "transformers<5" "datasets<5.1"',
    "internvl_hf": "it needs torchcodec with FFmpeg's libraries, and clips of at least num_frames "
    "frames: see `vidomni doctor`",
    "llava_hf": "its chat class fails with LLaVA-OneVision: add --force_simple",
    "huggingface": "this runner fails for every video model that was tried: use the model's own "
    "runner, such as qwen2_5_vl",
}
"""What is wrong most often, by the name of the runner (docs/host.md)."""


def likely_cause(inner: str) -> str:
    """Return what to do about a runner that gives nothing but useless answers."""
    return CAUSES.get(inner, f"some runners catch their errors and answer with nothing: {LOOK}")


OF_FAILURES = (
    "if every request fails, mend what the last one says: a GPU in a bad state or a full one fails "
    "at everything. If only these videos are broken, start again: what is known to fail does not "
    "count a second time"
)
"""What to do about requests that fail one after the other."""
OF_REASONS = {
    "Found no NVIDIA driver": "no GPU is seen here: --model_args device=cpu,device_map=cpu, or "
    "start it where `nvidia-smi` lists one",
    "Torch not compiled with CUDA": "this torch is for CPUs: install one with CUDA, or "
    "--model_args device=cpu,device_map=cpu",
    "no kernel image is available": "this torch was not built for this GPU: install another one",
    "device-side assert": "after this the GPU answers nothing more in this process: start again; "
    "CUDA_LAUNCH_BLOCKING=1 shows where it comes from",
    "out of memory": "fewer or smaller frames (max_num_frames, max_pixels), a smaller batch, or "
    "more GPUs (device_map=auto): docs/memory.md",
    "no read_video": "no reader of videos is there: `vidomni doctor`",
}
"""What to do about reasons that are known, by a part of their text."""


def failure_hint(reason: str) -> str:
    """Return what to do about a reason for failures; empty where that is not known.

    Example:
        >>> failure_hint("RuntimeError: Found no NVIDIA driver on your system.")[:35]
        'no GPU is seen here: --model_args d'
    """
    return next((hint for part, hint in OF_REASONS.items() if part in reason), "")


class Guard:
    """Watches the answers of one run as they come.

    Args:
        first: Whether no answer with these settings is known yet; otherwise only failures count.
        useless: Whether an answer to one of our questions cannot be read; False for others.
        failed_before: Keys of requests that an earlier start failed at; that they fail again
            says nothing of this one.
        on: Whether it may stop the run.
    """

    def __init__(
        self,
        useless: Callable[[Question, str], bool],
        *,
        first: bool,
        failed_before: Collection[str] = (),
        on: bool = True,
    ) -> None:
        self._useless = useless
        self._looking = first
        self._failed_before = frozenset(failed_before)
        self._on = on
        self.first: list[Answer] = []
        """The answers that are looked at."""
        self._unread: list[bool] = []
        self._failing: deque[tuple[object, str]] = deque()

    @property
    def failing(self) -> bool:
        """Whether the last request failed."""
        return bool(self._failing)

    def see(self, question: Question, answer: Answer) -> str:
        """Take in one answer.

        Returns:
            Why the run must stop; empty while it may go on.
        """
        if not self._on:
            return ""
        if answer.failure is not None:
            known = answer.key in self._failed_before
            return "" if known else self._see_failure(question, answer.failure)
        self._failing.clear()
        if not self._looking:
            return ""
        self.first.append(answer)
        self._unread.append(self._useless(question, answer.text))
        if len(self.first) < FIRST:
            return ""
        self._looking = False
        texts = {answer.text.strip() for answer in self.first}
        if texts == {""}:
            return f"the first {FIRST} answers are all empty"
        if len(texts) == 1 and all(self._unread):
            said = printable(texts.pop())
            shown = said if len(said) <= 80 else f"{said[:80]} ..."
            return f"the first {FIRST} answers are all the same and give no label: {shown}"
        return ""

    def _see_failure(self, question: Question, reason: str) -> str:
        self._failing.append((question.video or question.place, reason))
        failed = {video for video, _ in self._failing}
        if len(failed) < FIRST:
            return ""
        return f"the requests of {len(failed)} videos in a row failed, the last with: {reason}"
