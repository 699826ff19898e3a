"""The answers about one video, in the way that the arguments ask for and the memory allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from vidomni_plugin.models.prefix.arguments import GIB, Mode, Sharing
from vidomni_plugin.models.prefix.cache import bytes_a_token, rows_that_fit, why_not_shared
from vidomni_plugin.models.prefix.inputs import Prompt
from vidomni_plugin.models.prefix.share import SeenVideo, alone, in_turn, prefilled, together
from vidomni_plugin.models.prefix.work import Work

__all__ = ["Answer", "Answering", "possible_mode", "stopping_at_labels"]

Say = Callable[[str], None]
"""Tells the user something once."""


class Answer(NamedTuple):
    """One answer, with the end token where there is one."""

    prompt: Prompt
    tokens: Tensor


def possible_mode(model: Any, asked: Mode, say: Say) -> Mode:  # noqa: ANN401
    """Return the mode that a model allows, and say what is lost or has to be known.

    Args:
        model: A vision-language model of transformers.
        asked: What the user asked for.
        say: Tells the user.
    """
    if asked in ("off", "enc"):
        return asked
    reason = why_not_shared(model)
    if reason is not None:
        say(f"prefix=enc in place of {asked}: {reason}")
        return "enc"
    if asked == "kvb" and "flash" in str(model.config._attn_implementation):
        say("prefix=kv in place of kvb: flash attention is not tested with padding inside a row")
        asked = "kv"
    if model.dtype != torch.float32:
        say(
            f"prefix={asked} in {str(model.dtype).removeprefix('torch.')}: where two tokens are "
            "about as likely, an answer may differ from the host's; prefix=enc has none of this"
        )
    return asked


@dataclass(frozen=True, slots=True)
class Answering:
    """A model, and how it shares work between prompts."""

    model: Any
    tokenizer: Any
    sharing: Sharing
    mode: Mode
    """What is possible of what ``sharing`` asks for."""
    work: Work
    say: Say

    def answers(self, video: SeenVideo, prompts: Sequence[Prompt]) -> Iterator[Answer]:
        """Yield the answers to prompts of one group, see ``inputs.groups``."""
        left = list(prompts)
        rows = self._rows(prompts)
        if rows:
            try:
                for answer in self._from_prefix(video, prompts, rows):
                    left.remove(answer.prompt)
                    yield answer
            except torch.OutOfMemoryError:
                self.say(
                    f"prefix={self.mode} ran out of memory: what is left of such a video is "
                    "answered with prefix=enc; a lower prefix_gb avoids the attempt"
                )
        for prompt in left:
            with self._stopping([prompt]), self.work.timed():
                tokens = alone(self.model, video, prompt)
            self.work.prefilled_tokens += len(prompt)
            yield Answer(prompt, tokens)

    def _from_prefix(
        self, video: SeenVideo, prompts: Sequence[Prompt], rows: int
    ) -> Iterator[Answer]:
        with self.work.timed():
            prefix = prefilled(self.model, video, prompts)
        self.work.prefilled_tokens += prefix.length
        for start in range(0, len(prompts), rows):
            batch = prompts[start : start + rows]
            with self._stopping(batch), self.work.timed():
                if rows == 1:
                    answers = in_turn(self.model, video, prefix, batch[0])[None]
                else:
                    answers = together(self.model, video, prefix, batch)
            self.work.prefilled_tokens += len(batch) * (max(map(len, batch)) - prefix.length)
            for prompt, row in zip(batch, answers, strict=True):
                yield Answer(prompt, self._until_its_end(prompt, row))

    def _until_its_end(self, prompt: Prompt, row: Tensor) -> Tensor:
        """Return an answer without the padding up to the longest answer of its batch."""
        ends = (row == prompt.settings["eos_token_id"]).nonzero()
        if len(ends):
            return row[: int(ends[0]) + 1]
        if not (self.sharing.labels_only and prompt.question.sentences):
            return row  # nothing but its end token could have stopped it
        written = (row != prompt.settings["pad_token_id"]).nonzero()
        return row[: int(written[-1]) + 1] if len(written) else row[:0]

    def _rows(self, prompts: Sequence[Prompt]) -> int:
        """Return how many prompts go on from the prefix at a time; 0 for no shared prefix."""
        if self.mode == "enc" or len(prompts) == 1:
            return 0
        longest, new = max(map(len, prompts)), prompts[0].settings["max_new_tokens"]
        fit = rows_that_fit(self.sharing.cache_bytes, bytes_a_token(self.model), longest, new)
        if fit == 0 or (fit == 1 and self.mode == "kvb"):
            self.say(
                f"prefix={'kv' if fit else 'enc'} in place of {self.mode} for videos as long as "
                f"{longest:,} tokens with {new:,} new ones: more does not fit into "
                f"prefix_gb={self.sharing.cache_bytes / GIB:g}"
            )
        return min(fit, len(prompts) if self.mode == "kvb" else 1)

    def _stopping(self, prompts: Sequence[Prompt]) -> AbstractContextManager[object]:
        sentences = [prompt.question.sentences for prompt in prompts]
        return stopping_at_labels(self.sharing, self.model, self.tokenizer, sentences)


def stopping_at_labels(
    sharing: Sharing,
    model: Any,  # noqa: ANN401
    tokenizer: Any,  # noqa: ANN401
    sentences: Sequence[int],
) -> AbstractContextManager[object]:
    """Let the answers of a batch end with their labels, where that was asked.

    Args:
        sharing: Whether it was.
        model: Whose ``generate`` is called inside.
        tokenizer: The model's.
        sentences: That each answer labels, 0 where it does not.
    """
    if not sharing.labels_only:
        return nullcontext()
    from vidomni_plugin.models.labels_only import stopping

    ending: AbstractContextManager[object] = stopping(model, tokenizer, sentences)
    return ending
