"""Chat runners of the host that read, encode and prefill a video once for all its questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from lmms_eval.api.instance import GenerationResult, Instance, TokenCounts
from lmms_eval.models.model_utils.gen_metrics import log_metrics
from lmms_eval.protocol import ChatMessages
from loguru import logger
from qwen_vl_utils import process_vision_info
from torch import Tensor
from tqdm import tqdm

from vidomni_plugin.console import make_reentrant
from vidomni_plugin.models.prefix.answering import Answering, possible_mode, stopping_at_labels
from vidomni_plugin.models.prefix.arguments import sharing
from vidomni_plugin.models.prefix.inputs import OF_THE_TEXT, Prompt, Question, groups, once
from vidomni_plugin.models.prefix.reasons import why_not_this_model, why_not_this_request
from vidomni_plugin.models.prefix.share import SeenVideo, encoded
from vidomni_plugin.models.prefix.work import Work
from vidomni_plugin.models.requests import sentences_of
from vidomni_plugin.video.cache import CACHE

__all__ = ["Answered", "OneVideoAtATime"]

Answered = Callable[[int, GenerationResult], None]
"""Called with the place of a request and its answer, as soon as that is there."""


class Read(NamedTuple):
    """A video after the vision tower, and what is asked about it."""

    video: SeenVideo
    prompts: list[Prompt]


class OneVideoAtATime:
    """What both families share; it stands before a chat runner of the host among the bases.

    Args:
        prefix: ``enc``, ``kv``, ``kvb`` or ``off``, see docs/prefix.md.
        prefix_gb: What the cache of keys and values may take, in GiB.
        labels_only: Stop an answer when its label dictionary is complete.
        host: The arguments of the host's runner.

    Raises:
        ValueError: If an argument of our own cannot be used.
    """

    name: str
    """Under which the host knows it."""
    patch_size: int
    """Of the vision tower, in pixels; frames are resized to a multiple of it."""
    # What the host's runner has.
    model: Any
    tokenizer: Any
    processor: Any
    device: Any
    device_map: Any
    rank: int
    task_dict: Any
    cache_hook: Any

    def __init__(
        self,
        prefix: str = "enc",
        prefix_gb: float = 8,
        labels_only: bool = False,
        **host: Any,  # noqa: ANN401
    ) -> None:
        self.sharing = sharing(prefix, prefix_gb, labels_only)
        self.work = Work()
        self._said: set[str] = set()
        super().__init__(**host)
        off = self.sharing.mode == "off"
        self._why_off = "prefix=off" if off else why_not_this_model(self)
        asked = "off" if self._why_off else self.sharing.mode
        self.mode = possible_mode(self.model, asked, self._say)
        """What is possible of what ``prefix`` asks for."""

    # What a family says about itself; each repeats what its chat runner of the host does.

    def _chat(self, messages: list[Any]) -> list[Any]:
        """Return the turns of the chat."""
        return messages

    def _sampling(self, video: str) -> dict[str, Any]:
        """Return how frames are taken from a video."""
        raise NotImplementedError

    def _text(self, chat: list[dict[str, Any]]) -> str:
        """Return a chat after the template."""
        raise NotImplementedError

    def _processed(
        self,
        processor: Any,  # noqa: ANN401
        text: str,
        frames: Tensor,
        metadata: Any,  # noqa: ANN401
        sampling: Mapping[str, Any],
    ) -> Any:  # noqa: ANN401
        """Return what the processor makes of one chat and its video."""
        raise NotImplementedError

    def _settings(self, generation: Mapping[str, Any]) -> dict[str, Any]:
        """Return what ``generate`` gets beside the inputs."""
        raise NotImplementedError

    def _cleaned(self, answer: str) -> str:
        """Return an answer as the host passes it on."""
        return answer

    # What the host and our runner call.

    def generate_until(self, requests: Sequence[Instance]) -> list[GenerationResult]:
        """Return the answers in the order of the requests, which may be any."""
        results: dict[int, GenerationResult] = {}
        make_reentrant()
        bar = tqdm(total=len(requests), disable=self.rank != 0, desc="Model Responding")

        def answered(place: int, result: GenerationResult) -> None:
            results[place] = result
            bar.update(1)

        with bar:
            by_host = self._answer(requests, answered)
            self._answer_by_host(requests, by_host, answered)
        return [results[place] for place in range(len(requests))]

    def answer_video(self, requests: Sequence[Instance], answered: Answered) -> None:
        """Answer the requests of one video, and hand on each answer as soon as it is there.

        Those that the host's own runner has to answer go to it one by one.
        """
        for place in self._answer(requests, answered):
            self._answer_by_host(requests, [place], answered)

    def clean(self) -> None:
        """Say what was saved; the host calls this when all is answered."""
        if self.work.requests:
            logger.info(f"{self.name}, prefix={self.mode}: {self.work.saved()}")
        super().clean()  # type: ignore[misc]

    # The work.

    def _answer(self, requests: Sequence[Instance], answered: Answered) -> list[int]:
        """Answer what can share work, and return the places of the rest."""
        by_host: list[int] = []
        videos: dict[object, list[Question]] = {}
        for place, request in enumerate(requests):
            if self._why_off is not None:
                self._say(f"answered by the host's own runner: {self._why_off}")
                by_host.append(place)
                continue
            question = self._question(place, request)
            reason = why_not_this_request(question.messages, question.generation)
            if reason is not None:
                self._say(f"answered by the host's own runner: {reason}")
                by_host.append(place)
            else:
                videos.setdefault(question.video, []).append(question)
        seconds, tokens = self.work.seconds, self.work.output_tokens
        for questions in videos.values():
            self._answer_one_video(questions, answered)
        if videos:
            seconds, tokens = self.work.seconds - seconds, self.work.output_tokens - tokens
            log_metrics(
                total_elapsed_time=seconds,
                total_gen_tokens=tokens,
                avg_speed=tokens / seconds if seconds else 0,
                additional_metrics={"rank": self.rank},
            )
        return by_host

    def _question(self, place: int, request: Instance) -> Question:
        _, to_messages, generation, doc_id, task, split = request.args
        messages = to_messages(self.task_dict[task][split][doc_id])
        return Question(
            place, ChatMessages(messages=self._chat(messages)), generation, self._sentences(request)
        )

    def _sentences(self, request: Instance) -> int:
        """Return how many sentences an answer labels, 0 where it does not."""
        *_, doc_id, task, split = request.args
        return sentences_of(self.task_dict[task][split][doc_id]) or 0

    def _answer_by_host(
        self, requests: Sequence[Instance], places: Sequence[int], answered: Answered
    ) -> None:
        chunks = [[place] for place in places] if self.sharing.labels_only else [places]
        for chunk in filter(None, chunks):
            sentences = [self._sentences(requests[chunk[0]])]
            with stopping_at_labels(self.sharing, self.model, self.tokenizer, sentences):
                results = super().generate_until([requests[place] for place in chunk])  # type: ignore[misc]
            self.work.by_host += len(chunk)
            for place, result in zip(chunk, results, strict=True):
                answered(place, result)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _answer_one_video(self, questions: Sequence[Question], answered: Answered) -> None:
        """Answer all questions about one video; nothing of it stays in memory afterwards."""
        work = self.work
        video, prompts = self._read(questions)
        work.videos += 1
        answering = Answering(self.model, self.tokenizer, self.sharing, self.mode, work, self._say)
        for group in groups(prompts):
            for prompt, tokens in answering.answers(video, group):
                (decoded,) = self.processor.batch_decode(
                    [tokens], skip_special_tokens=True, clean_up_tokenization_spaces=False
                )
                answer = self._cleaned(decoded)
                given = prompt.question.generation
                self.cache_hook.add_partial("generate_until", (prompt.text, given), answer)
                work.requests += 1
                work.prompt_tokens += len(prompt)
                work.output_tokens += len(tokens)
                counts = TokenCounts(output_tokens=len(tokens))
                answered(prompt.question.place, GenerationResult(answer, counts))

    def _read(self, questions: Sequence[Question]) -> Read:
        """Decode and encode the video of the questions, and make a prompt of each."""
        sampling = self._sampling(str(questions[0].video[0]))
        chats = [question.messages.to_hf_messages(video_kwargs=sampling) for question in questions]
        with CACHE.bypassed():  # no other question about it will come
            _, videos, more = process_vision_info(
                chats[:1],
                return_video_kwargs=True,
                return_video_metadata=True,
                image_patch_size=self.patch_size,
            )
        self.work.decodes += 1
        ((frames, metadata),) = videos
        device = "cuda" if self.device_map == "auto" else self.device
        processor = once(self.processor)
        of_video: dict[str, Tensor] = {}
        prompts: list[Prompt] = []
        for question, chat in zip(questions, chats, strict=True):
            text = self._text(chat)
            inputs = self._processed(processor, text, frames, metadata, {**sampling, **more})
            of_video = of_video or {
                name: value.to(device) for name, value in inputs.items() if name not in OF_THE_TEXT
            }
            of_text = {name: inputs[name].to(device) for name in OF_THE_TEXT}
            settings = self._settings(question.generation)
            prompts.append(Prompt(question, text, settings=settings, **of_text))
        with self.work.timed():
            video = encoded(self.model, of_video)
        self.work.vision_passes += 1
        return Read(video, prompts)

    def _say(self, text: str) -> None:
        """Tell the user something once."""
        if text not in self._said:
            self._said.add(text)
            logger.warning(f"{self.name}: {text}")
