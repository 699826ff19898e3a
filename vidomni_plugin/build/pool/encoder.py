"""A vision encoder of transformers as one function: pictures to features."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.data.hub import HubUnreachable, model_place
from vidomni_plugin.problems import InputProblems, Problem, printable

__all__ = ["Encoder", "Rule", "load_encoder"]

Rule = Literal["image features", "pooled output", "mean of tokens"]
"""What stands for a picture: what a model of pictures and texts compares, as CLIP and SigLIP
have it; else the pooled output; else, where there is none with weights, the mean of all tokens."""
Made = TypeVar("Made")
TITLE = "the encoder"
HINT = (
    "give a folder with a vision encoder, or a hub id such as openai/clip-vit-base-patch32 where "
    "there is a network, or the hub's cache (HF_HOME) has it"
)


@dataclass(frozen=True, slots=True)
class Encoder:
    """A loaded vision encoder with what prepares its inputs."""

    name: str
    model: Any
    processor: Any
    rule: Rule

    def features(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return the features of RGB pictures, shape ``(pictures, d)``."""
        import torch

        pixels = self.processor(
            images=list(pictures), return_tensors="pt", input_data_format="channels_last"
        ).pixel_values.to(self.model.device, self.model.dtype)
        with torch.no_grad():
            if self.rule == "image features":
                found = self.model.get_image_features(pixel_values=pixels)
                found = getattr(found, "pooler_output", found)  # transformers 4 returns a tensor
            else:
                output = self.model(pixel_values=pixels)
                found = output.pooler_output if self.rule == "pooled output" else None
                if found is None:
                    tokens = output.last_hidden_state
                    # A convolution gives channels before places, a transformer tokens first.
                    found = tokens.flatten(2).mean(2) if tokens.ndim == 4 else tokens.mean(1)
        numbers: NDArray[np.float32] = found.flatten(1).float().cpu().numpy()
        return numbers

    def digest(self) -> str:
        """Return a hash of all that decides the features, 64 hexadecimal digits."""
        import torch

        digest = hashlib.sha256(self.rule.encode())
        settings = {
            name: value
            for name, value in self.processor.to_dict().items()
            if name not in {"_processor_class", "processor_class"}
        }
        digest.update(json.dumps(settings, sort_keys=True, default=str).encode())
        for name, tensor in sorted(self.model.state_dict().items()):
            digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
            digest.update(
                tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data
            )
        return digest.hexdigest()


def load_encoder(name: str, device: str) -> Encoder:
    """Return a vision encoder from the hub or from a folder, in float32.

    Args:
        name: A hub id or a folder.
        device: Where it computes; ``auto`` takes a GPU where there is one.

    Raises:
        InputProblems: If there is no such model or device, or the model takes no pictures.
    """
    place = _place(name)

    import torch
    from transformers import AutoImageProcessor, AutoModel

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # a torch without CUDA asserts
        why = str(error).splitlines()[0]
        raise InputProblems(
            TITLE, [Problem("usage", "--device", why, "cpu works always")]
        ) from None
    processor = _loaded(name, lambda: AutoImageProcessor.from_pretrained(place))
    model, told = _loaded(
        name,
        lambda: AutoModel.from_pretrained(place, dtype=torch.float32, output_loading_info=True),
    )
    absent = sorted(told.get("missing_keys", ()))
    rule: Rule = "pooled output"
    if hasattr(model, "get_image_features"):
        rule = "image features"
    elif all(key.startswith("pooler.") for key in absent):
        # Many checkpoints come without the pooler of their class; it would be random numbers.
        pooler = getattr(model, "pooler", None)
        rule = "mean of tokens" if absent or pooler is None else "pooled output"
        absent = []
    if absent:
        raise _refused(name, f"{len(absent)} weights are missing, such as {absent[0]}")
    encoder = Encoder(name, model.to(device).eval(), processor, rule)
    _loaded(name, lambda: encoder.features([np.zeros((32, 48, 3), dtype=np.uint8)]))
    return encoder


def _place(name: str) -> str:
    """Return what the encoder is loaded from: a folder, or its id where the hub gives it.

    Raises:
        InputProblems: If there is no such folder, and the hub does not give the encoder.
    """
    if Path(name).is_dir():
        return name
    try:
        return model_place(name)
    except HubUnreachable as error:
        raise _refused(name, f"no folder, and not to be had from the hub: {error}") from error


def _loaded(name: str, load: Callable[[], Made]) -> Made:
    """Return what ``load`` returns; what transformers raises becomes one line."""
    try:
        return load()
    # Beside OSError and ValueError, files that are none raise errors of their parsers.
    except Exception as error:
        why = textwrap.shorten(str(error), 300, placeholder=" ...") or type(error).__name__
        raise _refused(name, f"it cannot be used: {why}") from error


def _refused(name: str, why: str) -> InputProblems:
    return InputProblems(TITLE, [Problem("weights", name, printable(why), HINT)])
