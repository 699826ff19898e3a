"""Weights in the layout of OpenAI's CLIP code, as PAC-S publishes them, for transformers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vidomni_plugin.problems import InputProblems, Problem, printable

__all__ = ["converted", "load_checkpoint"]

KEY = "state_dict"
"""Under which a PAC-S file keeps its weights."""
NOT_WEIGHTS = {"input_resolution", "context_length", "vocab_size", "attn_mask"}
"""What OpenAI's files hold beside weights."""
TOWERS = {"visual.": "vision_model.", "": "text_model."}
ALONE = {
    "visual.class_embedding": "vision_model.embeddings.class_embedding",
    "visual.conv1.weight": "vision_model.embeddings.patch_embedding.weight",
    "visual.positional_embedding": "vision_model.embeddings.position_embedding.weight",
    "visual.ln_pre.weight": "vision_model.pre_layrnorm.weight",
    "visual.ln_pre.bias": "vision_model.pre_layrnorm.bias",
    "visual.ln_post.weight": "vision_model.post_layernorm.weight",
    "visual.ln_post.bias": "vision_model.post_layernorm.bias",
    "token_embedding.weight": "text_model.embeddings.token_embedding.weight",
    "positional_embedding": "text_model.embeddings.position_embedding.weight",
    "ln_final.weight": "text_model.final_layer_norm.weight",
    "ln_final.bias": "text_model.final_layer_norm.bias",
    "logit_scale": "logit_scale",
}
TURNED = {"visual.proj": "visual_projection.weight", "text_projection": "text_projection.weight"}
"""Matrices that OpenAI multiplies from the right, and transformers from the left."""
IN_A_BLOCK = {
    "attn.out_proj": "self_attn.out_proj",
    "ln_1": "layer_norm1",
    "ln_2": "layer_norm2",
    "mlp.c_fc": "mlp.fc1",
    "mlp.c_proj": "mlp.fc2",
}
BLOCK = re.compile(
    r"(?P<tower>visual\.|)transformer\.resblocks\.(?P<number>\d+)\."
    r"(?:attn\.in_proj_(?P<joined>weight|bias)|(?P<part>[\w.]+)\.(?P<kind>weight|bias))"
)
SHOWN = 3
"""Names of weights in a message."""
HINT = "pretrained= has to be the CLIP of the checkpoint's architecture"
FILE_HINT = "weights= takes the file of PAC-S's weights, as its authors give it"


def load_checkpoint(detector: str, path: Path, model: Any) -> None:  # noqa: ANN401
    """Put the weights of a file into a ``CLIPModel``; all of them, or an error.

    Args:
        detector: Its name, for messages.
        path: A file of torch with tensors alone: nothing in it is run. They may stand under
            ``state_dict``, in OpenAI's layout or in that of transformers.
        model: Of the same architecture.

    Raises:
        InputProblems: If the file cannot be read, or does not fit the model.
    """
    own = model.state_dict()
    try:
        weights = converted(_read(path))
    except OSError as error:
        why = error.strerror or str(error)
        raise _refused(detector, path, why, FILE_HINT) from None
    # A file that is none raises errors of zip files, pickles or torch.
    except Exception as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise _refused(detector, path, f"no file of weights alone: {why}", FILE_HINT) from None
    absent = sorted(own.keys() - weights.keys())
    odd = sorted(weights.keys() - own.keys())
    shapes = [k for k in sorted(own.keys() & weights.keys()) if own[k].shape != weights[k].shape]
    for names, what in ((absent, "missing"), (odd, "not known"), (shapes, "of another shape")):
        if names:
            listed = ", ".join(names[:SHOWN])
            raise _refused(detector, path, f"{len(names)} weights are {what}: {listed}")
    model.load_state_dict(weights)


def converted(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights under the names of transformers; unknown names stay as they are."""
    return dict(
        pair
        for name, value in weights.items()
        for pair in _pairs(name.removeprefix("module."), value)
    )


def _pairs(name: str, value: Tensor) -> Iterator[tuple[str, Tensor]]:
    if name in NOT_WEIGHTS or name.endswith("position_ids"):
        return
    if name in ALONE:
        yield ALONE[name], value
    elif name in TURNED:
        yield TURNED[name], value.T.contiguous()
    elif found := BLOCK.fullmatch(name):
        layer = f"{TOWERS[found['tower']]}encoder.layers.{found['number']}."
        if found["joined"]:
            for part, third in zip("qkv", value.chunk(3), strict=True):
                yield f"{layer}self_attn.{part}_proj.{found['joined']}", third
        else:
            part = IN_A_BLOCK.get(found["part"], found["part"])
            yield f"{layer}{part}.{found['kind']}", value
    else:
        yield name, value


def _read(path: Path) -> dict[str, Tensor]:
    content = torch.load(path, map_location="cpu", weights_only=True)
    weights = content.get(KEY, content) if isinstance(content, Mapping) else None
    if not isinstance(weights, Mapping):
        raise ValueError(f"there is no {KEY}")
    tensors = {str(name): value for name, value in weights.items() if isinstance(value, Tensor)}
    if not tensors:
        raise ValueError("there are no weights in it")
    return tensors


def _refused(detector: str, path: Path, why: str, hint: str = HINT) -> InputProblems:
    return InputProblems(detector, [Problem("weights", str(path), printable(why), hint)])
