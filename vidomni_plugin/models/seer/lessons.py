"""What inner layers are taught, beside what the answers teach: losses of what they know."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from vidomni_plugin.models.seer.network import DEEP, HEADS, HIDDEN, NAMED, PLACED
from vidomni_plugin.models.seer.probes import GROUND_WEIGHT, QUARTERS, SAID, Probes
from vidomni_plugin.models.seer.traits import (
    CELLS,
    COUNT_TRAITS,
    MOTION_TRAITS,
    TRAITS,
    WORDS,
)
from vidomni_plugin.models.seer.world import COLOURS, SHAPES

__all__ = ["EYE_WEIGHT", "Lessons"]

SHAPE_WEIGHT = 3.0
"""How much more a shape counts than a colour while the eye learns alone: it is harder to see."""
MOTION_WEIGHT = 5.0
"""The same for what moves, and for the camera: it shows between two frames only."""
COUNT_WEIGHT = 4.0
"""The same for how many there are, which shows in no single place."""
EYE_WEIGHT = torch.ones(TRAITS)
"""How much each trait counts while the eye learns alone; while all learn, each counts the same."""
EYE_WEIGHT[len(COLOURS) : len(COLOURS) + len(SHAPES)] = SHAPE_WEIGHT
EYE_WEIGHT[list(MOTION_TRAITS)] = MOTION_WEIGHT
EYE_WEIGHT[list(COUNT_TRAITS)] = COUNT_WEIGHT

SHARP = 2.0
"""What the likeness of a visual token and a word is multiplied by."""


class Lessons:
    """Reads the inner states of the last forward pass of a model under training."""

    def __init__(self, model: Any, words: Any, first: int) -> None:  # noqa: ANN401
        """Watch a model.

        Args:
            model: The model.
            words: Its tokenizer.
            first: Place of the first visual token.
        """
        from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen

        self.qwen, self.text, self.first = qwen, model.model.language_model, first
        self.norm = self.text.norm
        ids = words.convert_tokens_to_ids
        self.seen_words = torch.tensor([ids(word) for word in WORDS])
        self.seen_traits = torch.tensor(list(WORDS.values()))
        self.said_words = torch.tensor([ids(word) for word in SAID])
        self.said_places = torch.tensor(list(SAID.values()))
        self.states: dict[int, Tensor] = {}
        """By number of the layer that they come out of."""
        for depth in sorted({PLACED, NAMED - 1, NAMED, DEEP - 1, DEEP}):
            self.text.layers[depth - 1].register_forward_hook(self._keep(depth))

    def _keep(self, depth: int) -> Any:  # noqa: ANN401
        def keep(module: object, inputs: object, output: Any) -> None:  # noqa: ANN401
            self.states[depth] = output[0] if isinstance(output, tuple) else output

        return keep

    def visual(
        self, visual: Tensor, cells: Tensor, probes: Probes, weight: Tensor | None = None
    ) -> Tensor:
        """Return how badly visual tokens tell what they show.

        A linear probe reads every trait; and the words for some traits are read by their own
        embeddings, so that what is seen and what is said about it become alike.

        Args:
            visual: Shape ``(clips, tokens, hidden)``.
            cells: Traits, shape ``(clips, tokens, TRAITS)``.
            probes: The probe.
            weight: How much each trait counts.
        """
        words = self.text.embed_tokens.weight[self.seen_words]
        visual = F.rms_norm(visual, visual.shape[-1:])
        told, traits = SHARP * visual @ words.T + probes.often, self.seen_traits
        loss: Tensor = F.binary_cross_entropy_with_logits(probes.eye(visual), cells, weight)
        return loss + F.binary_cross_entropy_with_logits(
            told, cells[..., traits], None if weight is None else weight[traits]
        )

    def place(self, frames: int, probes: Probes) -> Tensor:
        """Return how badly visual tokens know when and where they are.

        Args:
            frames: Of each clip.
            probes: The probe.
        """
        cells = torch.arange(frames // 2 * CELLS**2)
        quarter = cells * QUARTERS // len(cells)
        wanted = torch.stack([quarter, cells // CELLS % CELLS, cells % CELLS])
        hidden = self.norm(self.states[PLACED][:, self.first : self.first + len(cells)])
        told = probes.place(hidden).split([QUARTERS, CELLS, CELLS], -1)
        losses = [
            F.cross_entropy(part.flatten(0, 1), want.repeat(len(hidden)))
            for part, want in zip(told, wanted, strict=True)
        ]
        return torch.stack(losses).mean()

    def shots(self, numbers: Tensor, probes: Probes) -> Tensor:
        """Return how badly visual tokens know how many shots came before their own.

        Args:
            numbers: Of the shots, shape ``(clips, frames / 2)``.
            probes: The probe.
        """
        wanted = numbers.repeat_interleave(CELLS**2, 1)
        hidden = self.states[NAMED][:, self.first : self.first + wanted.shape[1]]
        told = probes.shot(self.norm(hidden))
        return F.cross_entropy(told.flatten(0, 1), wanted.flatten())

    def found(self, rows: Tensor, places: Tensor, wanted: Tensor, probes: Probes) -> Tensor:
        """Return how badly nouns know what they name: where it is, how much, how it moves.

        A linear probe reads it, and the words for numbers and motions by their own embeddings.

        Args:
            rows: Of the nouns in the batch.
            places: Of the nouns in their rows.
            wanted: What must be known, shape ``(nouns, GROUND)``.
            probes: The probe.
        """
        nouns = self.norm(self.states[NAMED][rows, places])
        named = probes.named(nouns)
        loss: Tensor = F.binary_cross_entropy_with_logits(named, wanted, GROUND_WEIGHT)
        words = self.text.embed_tokens.weight[self.said_words]
        told = SHARP * F.rms_norm(nouns, nouns.shape[-1:]) @ words.T + probes.said
        return loss + F.binary_cross_entropy_with_logits(told, wanted[:, self.said_places])

    def _shares(
        self,
        depth: int,
        rows: Tensor,
        places: Tensor,
        turns: tuple[Tensor, Tensor],
        mask: Tensor,
    ) -> Tensor:
        """Return the logarithms of what two heads of a layer give to each token.

        Args:
            depth: Number of the layer, counted from 1; its first two heads share their keys.
            rows: Of tokens that look, in the batch.
            places: Of these tokens in their rows.
            turns: Cosine and sine of every position.
            mask: What may be attended to, as the model gets it.

        Returns:
            Shape ``(looking tokens, 2, size)``.
        """
        layer, size = self.text.layers[depth - 1], HIDDEN // HEADS
        states = layer.input_layernorm(self.states[depth - 1])
        clips, tokens, _ = states.shape
        asking = layer.self_attn.q_proj(states)[..., : 2 * size]
        asking = asking.view(clips, tokens, 2, size).transpose(1, 2)
        told = layer.self_attn.k_proj(states)[:, None, :, :size]
        asking, told = self.qwen.apply_rotary_pos_emb(asking, told, *turns)
        # Of all tokens at once: to copy the keys for each token that looks takes longer.
        scores = (asking @ told.transpose(2, 3))[rows, :, places] / size**0.5
        shares: Tensor = (scores + mask[rows, 0, places][:, None]).log_softmax(-1)
        return shares

    def attended(
        self,
        rows: Tensor,
        places: Tensor,
        turns: tuple[Tensor, Tensor],
        mask: Tensor,
        wanted: Tensor,
    ) -> Tensor:
        """Return how far the first heads of nouns look away from what is named.

        Args:
            rows: Of the nouns in the batch.
            places: Of the nouns in their rows.
            turns: Cosine and sine of every position.
            mask: What may be attended to, as the model gets it.
            wanted: Shares of attention by noun and visual token; all 0 where nothing is named.
        """
        there = wanted.sum(1) > 0
        if not there.any():
            return torch.zeros(())
        shares = self._shares(NAMED, rows[there], places[there], turns, mask)
        video = shares[..., self.first : self.first + wanted.shape[1]]
        return -(wanted[there][:, None] * video).sum(-1).mean()

    def recalled(self, backs: Tensor, turns: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        """Return how far tokens look away from the first and the last noun of their sentence.

        Args:
            backs: Row, place, and places of the two nouns by token.
            turns: Cosine and sine of every position.
            mask: What may be attended to, as the model gets it.
        """
        if not len(backs):
            return torch.zeros(())
        shares = self._shares(DEEP, backs[:, 0], backs[:, 1], turns, mask)
        return -shares.gather(2, backs[:, 2:, None]).mean()
