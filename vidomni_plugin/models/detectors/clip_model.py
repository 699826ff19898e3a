"""A CLIP model of transformers as two functions: pictures and token ids to features.

Features are not normalised; the formulas do that. They come back as float32, whatever the
model computes in, as in the authors' code.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from vidomni_plugin.models.detectors.places import pretrained_of
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.versions import package_version

__all__ = ["ClipModel", "dtype_of", "load_clip"]

Features = NDArray[np.float32]
Made = TypeVar("Made")

DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
PACKAGES = ("transformers", "torch", "torchvision", "pillow", "numpy")
"""What prepares pictures and encodes them: another version may give other numbers."""
FEWEST_TOKENS = 0.5
"""Of a tokenizer, as a share of the model's; some models have a few more places than tokens."""
HINT = "give a hub id such as openai/clip-vit-base-patch32, or a folder with a CLIP model"


def dtype_of(given: object) -> torch.dtype:
    """Return the setting ``dtype``.

    Raises:
        ValueError: If it is not known.
    """
    try:
        return DTYPES[str(given)]
    except KeyError:
        raise ValueError(f"dtype={given} is not known; give one of {', '.join(DTYPES)}") from None


@dataclass(frozen=True, slots=True)
class ClipModel:
    """A loaded CLIP model with what prepares its inputs."""

    model: Any
    tokenizer: Any
    processor: Any
    """Resizes, crops and normalises pictures."""
    longest: int
    """Most tokens of a text, its two markers among them."""

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text with its start and end markers, of any number."""
        # The library warns of a long text once; each is dealt with here.
        ids: list[int] = self.tokenizer(text, truncation=False, verbose=False).input_ids
        return ids

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def pictures(self, pictures: Sequence[NDArray[np.uint8]]) -> Features:
        """Return the features of pictures, shape ``(pictures, d)``.

        Args:
            pictures: RGB, each of shape ``(height, width, 3)``.
        """
        pixels = self.processor(
            images=list(pictures), return_tensors="pt", input_data_format="channels_last"
        ).pixel_values
        pixels = pixels.to(self.model.device, self.model.dtype)
        return _numbers(self.model.get_image_features(pixel_values=pixels).pooler_output)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def words(self, ids: Sequence[int]) -> Features:
        """Return the projected features of a text's tokens, shape ``(tokens, d)``.

        The last row, that of the end marker, is the feature of the whole text. A text is
        encoded alone, so that its score does not depend on the texts beside it.

        Args:
            ids: At most ``longest`` tokens, the markers among them.
        """
        tokens = torch.tensor([list(ids)], device=self.model.device)
        states = self.model.text_model(input_ids=tokens).last_hidden_state
        return _numbers(self.model.text_projection(states)[0])

    def picture_digest(self) -> str:
        """Return a hash of all that decides the features of a picture, 64 hexadecimal digits."""
        digest = hashlib.sha256()
        settings = {
            "processor": _plain(self.processor.to_dict()),
            "dtype": str(self.model.dtype),
            # Equal weights are another model with another number of heads.
            "tower": _plain(self.model.config.vision_config.to_dict()),
            "versions": [package_version(name) for name in PACKAGES],
        }
        digest.update(json.dumps(settings, sort_keys=True, default=str).encode())
        parts = (self.model.vision_model, self.model.visual_projection)
        for name, part in zip(("tower", "projection"), parts, strict=True):
            for key, tensor in sorted(part.state_dict().items()):
                digest.update(f"{name}.{key} {tuple(tensor.shape)}".encode())
                raw = tensor.detach().cpu().contiguous().flatten().view(torch.uint8)
                digest.update(raw.numpy().data)
        return digest.hexdigest()


def load_clip(detector: str, pretrained: str, device: Any, dtype: torch.dtype) -> ClipModel:  # noqa: ANN401
    """Return a CLIP model from the hub or from a folder.

    Args:
        detector: Its name, for messages.
        pretrained: A hub id or a folder.
        device: Where it computes.
        dtype: What it computes in.

    Raises:
        InputProblems: If there is no such model, or it is no CLIP model.
    """
    from transformers import AutoConfig, AutoImageProcessor, AutoTokenizer, CLIPModel

    if not pretrained:
        raise _refused(detector, "--model_args", "pretrained=... is missing")
    pretrained = pretrained_of(detector, pretrained, HINT)
    config = _loaded(detector, pretrained, lambda: AutoConfig.from_pretrained(pretrained))
    if config.model_type != "clip":
        raise _refused(detector, pretrained, f"a model of type {config.model_type}, and not CLIP")
    model, told = _loaded(
        detector,
        pretrained,
        lambda: CLIPModel.from_pretrained(pretrained, dtype=dtype, output_loading_info=True),
    )
    absent = sorted(told.get("missing_keys", ()))
    if absent:  # they would be random numbers
        named = ", ".join(absent[:3])
        raise _refused(detector, pretrained, f"{len(absent)} weights are missing, such as {named}")
    tokenizer = _loaded(detector, pretrained, lambda: AutoTokenizer.from_pretrained(pretrained))
    processor = _loaded(
        detector, pretrained, lambda: AutoImageProcessor.from_pretrained(pretrained)
    )
    known, tokens = int(config.text_config.vocab_size), len(tokenizer)
    if not known * FEWEST_TOKENS <= tokens <= known:  # without its file a tokenizer is empty
        why = f"its tokenizer has {tokens} tokens, and the model {known}"
        raise _refused(detector, pretrained, why)
    model = model.to(device).eval()
    return ClipModel(model, tokenizer, processor, int(config.text_config.max_position_embeddings))


def _loaded(detector: str, pretrained: str, load: Callable[[], Made]) -> Made:
    """Return what ``load`` returns; what transformers raises becomes one line."""
    try:
        return load()
    # Beside OSError and ValueError, files that are none raise errors of their parsers.
    except Exception as error:
        why = textwrap.shorten(str(error), 300, placeholder=" ...") or type(error).__name__
        raise _refused(detector, pretrained, f"it cannot be loaded: {why}") from error


def _refused(detector: str, place: str, why: str) -> InputProblems:
    return InputProblems(detector, [Problem("weights", place, printable(why), HINT)])


def _numbers(features: torch.Tensor) -> Features:
    numbers: Features = features.float().cpu().numpy()
    return numbers


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return settings without those that only say where and with what they were saved."""
    told = {"_name_or_path", "_processor_class", "processor_class", "transformers_version"}
    return {k: v for k, v in value.items() if k not in told}
