"""``vidomni_qwen3_vl``: the host's chat runner of Qwen3-VL, with each video read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lmms_eval.models.chat.qwen3_vl import Qwen3_VL as HostQwen3_VL
from torch import Tensor

from vidomni_plugin.models.prefix.runner import OneVideoAtATime

__all__ = ["SharedQwen3VL"]


class SharedQwen3VL(OneVideoAtATime, HostQwen3_VL):  # type: ignore[misc]
    """Gives the answers of the host's ``qwen3_vl``; each method repeats a step of it."""

    name = "vidomni_qwen3_vl"
    patch_size = 16
    is_simple = False

    def _chat(self, messages: list[Any]) -> list[Any]:
        system = [{"type": "text", "text": self.system_prompt}]
        return [{"role": "system", "content": system}, *messages]

    def _sampling(self, video: str) -> dict[str, Any]:
        settings: dict[str, Any] = self._build_video_kwargs()
        return settings

    def _text(self, chat: list[dict[str, Any]]) -> str:
        (text,) = self._apply_chat_template([chat])
        return str(text)

    def _processed(
        self,
        processor: Any,  # noqa: ANN401
        text: str,
        frames: Tensor,
        metadata: Any,  # noqa: ANN401
        sampling: Mapping[str, Any],
    ) -> Any:  # noqa: ANN401
        return processor(
            text=[text],
            images=None,
            videos=[frames],
            video_metadata=[metadata],
            **sampling,
            do_resize=False,
            return_tensors="pt",
        )

    def _settings(self, generation: Mapping[str, Any]) -> dict[str, Any]:
        settings: dict[str, Any] = self._build_generate_kwargs(generation)
        return settings

    def _cleaned(self, answer: str) -> str:
        return str(self._strip_thinking(answer))
