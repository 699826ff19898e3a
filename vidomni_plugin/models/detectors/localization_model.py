"""A video language model that is asked when something happens, and watched while it says so."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vidomni_plugin.models.detectors.clip import Clip
from vidomni_plugin.models.detectors.localization_span import ends_of
from vidomni_plugin.models.detectors.video_chat import BLACK_SIDE, PIXELS, VideoChat
from vidomni_plugin.models.prefix.cache import why_not_shared
from vidomni_plugin.models.prefix.inputs import once
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.video.failures import reason_of

__all__ = ["LocalizingChat", "Reply"]

GRID = "video_grid_thw"
"""Where processors in Qwen's layout tell how many groups of frames, rows and columns there are."""
HINT = "take a model in the layout of Qwen2.5-VL or Qwen3-VL"
GREEDY: Mapping[str, Any] = {
    "do_sample": False,
    "num_beams": 1,
    # A checkpoint's own penalty falls on digits that stand in the prompt.
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
}


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """What the model wrote about one chat."""

    text: str
    """Up to its end mark."""
    ends: tuple[int, ...]
    """How many characters of the text are there with each of its tokens."""
    finished: bool
    """Whether the model ended it, and not the limit of tokens."""
    groups: int
    """Groups of frames, in their order; each has the same number of tokens."""
    video: Tensor
    """Places of the video's tokens in the prompt."""
    ids: Tensor
    """All new tokens with the end mark, shape ``(1, R)``."""
    prompt: int
    """Tokens of the prompt."""


class LocalizingChat(VideoChat):
    """Writes a reply, and gives the attention of its tokens to those of the video.

    The prompt is read with the model's usual attention. Only the reply is read again with
    attention whose weights can be seen, after the cache of the prompt: the numbers are those of
    such a pass over everything, without a matrix of all tokens by all tokens.
    """

    _cache: Any = None
    """Keys and values of the latest prompt, and of what follows; one is in memory at a time."""

    def layers(self) -> list[Any]:
        """Return the layers of the language model.

        Raises:
            InputProblems: If they cannot be found, or its cache cannot be cut back to the prompt.
        """
        why = why_not_shared(self.model)
        found = getattr(self.model.get_decoder(), "layers", None)
        if why or not found:
            raise self._unfit(why or "its language model has no list of layers")
        return list(found)

    def try_out(self, chat: str, frames: int, layers: Sequence[int]) -> None:
        """Check on black frames that the attention of these layers can be seen.

        Raises:
            InputProblems: If not, or if the tokens of a group of frames cannot be told.
        """
        black = np.zeros((frames, BLACK_SIDE, BLACK_SIDE, 3), dtype=np.uint8)
        try:
            reply = next(self.replies(Clip(black, range(frames), frames, 1.0), [chat], 1))
            self.attention(reply, [0], layers)
        except InputProblems:
            raise
        except Exception as error:  # whatever a model of transformers makes of it
            raise self._unfit(f"its attention cannot be read: {reason_of(error)}") from error
        if frames % reply.groups:
            message = f"frames={frames} does not fill its groups of frames"
            raise self._unfit(message, "take an even number of frames")
        self.encodings = 0

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def replies(self, clip: Clip, chats: Sequence[str], most_tokens: int) -> Iterator[Reply]:
        """Yield the reply to each chat; ``attention`` has to be asked for before the next one.

        Every chat is a batch of its own, and always the likeliest token is taken. The vision
        tower runs once for all, where the model takes encoded videos.

        Args:
            clip: The video of all chats.
            chats: What ``chat`` returned.
            most_tokens: Where a reply is cut off.
        """
        processor = once(self.processor)
        seen: Any = None
        for chat in chats:
            inputs = self._inputs(processor, clip, chat)
            if seen is None:
                self.encodings += 1
                if self._takes_encoded:
                    given = {name: inputs[name] for name in (PIXELS, GRID) if name in inputs}
                    seen = self.model.get_video_features(**given, return_dict=True)
            if seen is not None:
                inputs.pop(PIXELS)
                inputs["mm_encoder_outputs"] = {"video": copy.copy(seen)}
            yield self._reply(inputs, most_tokens)
            self._cache = None

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def attention(
        self, reply: Reply, tokens: Sequence[int], layers: Sequence[int]
    ) -> NDArray[np.float32]:
        """Return the attention of tokens of a reply to the tokens of the video.

        Args:
            reply: The latest.
            tokens: Which of its tokens, rising.
            layers: Which layers.

        Returns:
            Shape ``(layers, heads, tokens, video tokens)``.
        """
        surplus = self._cache.get_seq_length() - reply.prompt
        if surplus:
            self._cache.crop(-surplus)
        rows: dict[int, Tensor] = {}
        with self._watched(layers, list(tokens), reply.video, rows), self._visible_weights():
            self.model(
                input_ids=reply.ids[:, : max(tokens) + 1],
                cache=self._cache,
                use_cache=True,
                **self._last_only,
            )
        found: NDArray[np.float32] = torch.stack([rows[layer] for layer in layers]).numpy()
        return found

    def _reply(self, inputs: dict[str, Any], most_tokens: int) -> Reply:
        ids = inputs["input_ids"]
        if GRID not in inputs:
            raise self._unfit(f"its processor does not tell the layout of a video ({GRID})")
        grid = inputs[GRID]
        groups = int(grid[0, 0])
        video = (ids[0] == self.model.config.video_token_id).nonzero()[:, 0]
        merged = self.processor.video_processor.merge_size**2
        if len(grid) != 1 or len(video) != int(grid[0].prod()) // merged or len(video) % groups:
            raise self._unfit("the tokens of its video are not those of whole frames")
        output = self.model.generate(
            **inputs, **GREEDY, max_new_tokens=most_tokens, return_dict_in_generate=True
        )
        self._cache = output.cache
        new = output.sequences[:, ids.shape[1] :]
        kept = new[0].tolist()
        ending = next((place for place, token in enumerate(kept) if token in self._endings()), None)
        texts = [self._text(kept[: count + 1]) for count in range(len(kept[:ending]))]
        return Reply(
            text=texts[-1] if texts else "",
            ends=ends_of(texts),
            finished=ending is not None,
            groups=groups,
            video=video,
            ids=new,
            prompt=int(ids.shape[1]),
        )

    def _text(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, clean_up_tokenization_spaces=False))

    def _endings(self) -> set[int]:
        told = self.model.generation_config.eos_token_id
        listed = told if isinstance(told, list) else [told]
        return {token for token in (*listed, self.tokenizer.eos_token_id) if token is not None}

    @contextmanager
    def _visible_weights(self) -> Iterator[None]:
        """Let the language model compute its attention so that the weights come out."""
        decoder = self.model.get_decoder()
        usual = decoder.config._attn_implementation
        decoder.set_attn_implementation("eager")
        try:
            yield
        finally:
            decoder.set_attn_implementation(usual)

    @contextmanager
    def _watched(
        self, layers: Sequence[int], tokens: list[int], video: Tensor, rows: dict[int, Tensor]
    ) -> Iterator[None]:
        """Keep of each layer, while it runs, the rows of some tokens and the video's columns."""

        def keep(layer: int) -> Callable[..., None]:
            def hook(module: object, given: object, output: tuple[Any, ...]) -> None:
                weights = output[1]
                if weights is None:
                    raise ValueError(f"layer {layer} hides the weights of its attention")
                wanted = weights[0][:, tokens][..., video.to(weights.device)]
                rows[layer] = wanted.float().cpu()

            return hook

        own = self.model.get_decoder().layers
        handles = []
        try:
            for layer in layers:
                attention = getattr(own[layer], "self_attn", None)
                if attention is None:
                    raise ValueError(f"layer {layer} has no attention to all tokens")
                handles.append(attention.register_forward_hook(keep(layer)))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _unfit(self, message: str, hint: str = HINT) -> InputProblems:
        return InputProblems("localization", [Problem("weights", self.name, message, hint)])
