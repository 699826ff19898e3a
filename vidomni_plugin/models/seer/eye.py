"""What the vision tower sees in many clips at once: the same as one by one, sooner."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor

from vidomni_plugin.models.seer.traits import CELLS, SIDE

__all__ = ["GRID", "Eye", "Pictures", "patches"]

MEAN = torch.tensor([0.48145466, 0.4578275, 0.40821073])[:, None]
STD = torch.tensor([0.26862954, 0.26130258, 0.27577711])[:, None]
SCALE, SHIFT = 1 / (255 * STD), -MEAN / STD
"""What the processor does to a value from 0 to 255, by channel."""

GRID = SIDE // 14
"""Patches along a side of a frame."""

Pictures = NDArray[np.uint8] | NDArray[np.float32]
"""Frames of clips, values from 0 to 255: bytes as drawn, or numbers as a processor resizes them."""


def patches(frames: Pictures) -> Tensor:
    """Return patches as ``Qwen2VLVideoProcessor`` orders them.

    Bytes are ordered while they are bytes: as numbers they are four times as many.

    Args:
        frames: Shape ``(clips, frames, SIDE, SIDE, 3)``, 0 to 255.

    Returns:
        Shape ``(clips, frames / 2, GRID * GRID, 1176)``.
    """
    clips, pairs, half = len(frames), frames.shape[1] // 2, GRID // 2
    pixels = torch.from_numpy(frames).view(clips, pairs, 2, half, 2, 14, half, 2, 14, 3)
    pixels = pixels.permute(0, 1, 3, 6, 4, 7, 9, 2, 5, 8).reshape(-1, 3, 2 * 14 * 14)
    return (pixels * SCALE).add_(SHIFT).view(clips, pairs, GRID**2, 1176)


class Eye:
    """The vision tower of a model under training."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401
        from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen

        self.tower, self.qwen = model.model.visual, qwen
        grid = torch.tensor([[1, GRID, GRID]])
        self.cosine, self.sine = self.tower.rotary_pos_emb(
            torch.zeros(1), qwen.get_vision_position_ids(grid, 2, kwargs={})
        )

    def see(self, frames: Pictures) -> Tensor:
        """Return the visual tokens of clips of one size.

        Args:
            frames: Shape ``(clips, frames, SIDE, SIDE, 3)``, 0 to 255.

        Returns:
            Shape ``(clips, frames / 2 * CELLS * CELLS, hidden)``.
        """
        pixels, visual = patches(frames), self.tower
        weight = visual.patch_embed.proj.weight
        clips, pairs = pixels.shape[:2]
        rows = clips * pairs
        hidden = F.linear(pixels, weight.view(len(weight), -1)).view(rows, GRID**2, -1)
        for block in visual.blocks:
            attention = block.attn
            packed = attention.qkv(block.norm1(hidden))
            query, key, value = packed.view(rows, GRID**2, 3, attention.num_heads, -1).unbind(2)
            query, key = self.qwen.apply_rotary_pos_emb_vision(query, key, self.cosine, self.sine)
            mixed = F.scaled_dot_product_attention(
                query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2)
            )
            hidden = hidden + attention.proj(mixed.transpose(1, 2).reshape(rows, GRID**2, -1))
            hidden = hidden + block.mlp(block.norm2(hidden))
        merger = visual.merger
        tokens: Tensor = merger.mlp(merger.ln_q(hidden).reshape(rows, GRID**2 // 4, -1))
        return tokens.reshape(clips, pairs * CELLS**2, -1)
