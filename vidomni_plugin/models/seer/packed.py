"""Many questions about one video in one sequence: the same result as one by one, sooner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor

from vidomni_plugin.models.seer.branches import NONE, Branch, Branches
from vidomni_plugin.models.seer.clips import CELLS, SIDE, WORDS, Clip
from vidomni_plugin.models.seer.network import DEEP, HEADS, HIDDEN, NAMED, PLACED
from vidomni_plugin.models.seer.probes import QUARTERS, WEIGHT, Probes, ground, spots
from vidomni_plugin.models.seer.words import USER

__all__ = ["Output", "Packed", "patches"]

MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
STD = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)

GRID = SIDE // 14
SHARP = 2.0
"""What the likeness of a visual token and a word is multiplied by."""


def patches(frames: NDArray[np.float32]) -> Tensor:
    """Return patches as ``Qwen2VLVideoProcessor`` orders them.

    Args:
        frames: Shape ``(clips, frames, SIDE, SIDE, 3)``, 0 to 255.

    Returns:
        Shape ``(clips, frames / 2, GRID * GRID, 1176)``.
    """
    pixels = torch.as_tensor((frames / 255.0 - MEAN) / STD, dtype=torch.float32)
    pixels = pixels.permute(0, 1, 4, 2, 3)
    clips, pairs, half = len(frames), frames.shape[1] // 2, GRID // 2
    pixels = pixels.reshape(clips, pairs, 2, 3, half, 2, 14, half, 2, 14)
    return pixels.permute(0, 1, 4, 7, 5, 8, 3, 2, 6, 9).reshape(clips, pairs, GRID**2, 1176)


class Output(NamedTuple):
    """Losses of a batch, and the share of judged sentences that were right by skill."""

    answer: Tensor
    holds: Tensor
    following: Tensor
    telling: Tensor
    visual: Tensor
    ground: Tensor
    place: Tensor
    attended: Tensor
    recalled: Tensor
    right: list[tuple[str, bool, bool]]
    """Skill, truth and whether the answer was right."""


class Packed:
    """A model under training and how prompts become its sequences."""

    def __init__(self, model: Any, processor: Any) -> None:  # noqa: ANN401
        self.model, self.branches = model, Branches(processor.tokenizer)
        ids = processor.tokenizer.convert_tokens_to_ids
        self.head = [ids(USER), ids("<|vision_start|>")]
        self.pad, self.tail = ids("<|video_pad|>"), ids("<|vision_end|>")
        self.seen_words = torch.tensor([ids(word) for word in WORDS])
        self.seen_traits = torch.tensor(list(WORDS.values()))
        self.states: dict[int, Tensor] = {}
        for depth in sorted({PLACED, NAMED - 1, NAMED, DEEP - 1, DEEP}):
            layer = model.model.language_model.layers[depth - 1]
            layer.register_forward_hook(self._keep(depth))
        from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen

        self.qwen = qwen
        grid = torch.tensor([[1, GRID, GRID]])
        turns = model.model.visual.rotary_pos_emb(
            torch.zeros(1), qwen.get_vision_position_ids(grid, 2, kwargs={})
        )
        self.cosine, self.sine = turns

    def _keep(self, depth: int) -> Any:  # noqa: ANN401
        def keep(module: object, inputs: object, output: Any) -> None:  # noqa: ANN401
            self.states[depth] = output[0] if isinstance(output, tuple) else output

        return keep

    def see(self, frames: NDArray[np.float32]) -> Tensor:
        """Return the visual tokens of clips of one size.

        Args:
            frames: Shape ``(clips, frames, SIDE, SIDE, 3)``, 0 to 255.

        Returns:
            Shape ``(clips, frames / 2 * CELLS * CELLS, hidden)``.
        """
        pixels, visual = patches(frames), self.model.model.visual
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

    def visual_loss(
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
        words = self.model.model.language_model.embed_tokens.weight[self.seen_words]
        visual = F.rms_norm(visual, visual.shape[-1:])
        told, traits = SHARP * visual @ words.T + probes.often, self.seen_traits
        loss: Tensor = F.binary_cross_entropy_with_logits(probes.eye(visual), cells, weight)
        return loss + F.binary_cross_entropy_with_logits(
            told, cells[..., traits], None if weight is None else weight[traits]
        )

    def positions(
        self, seconds: Sequence[float], lengths: Sequence[Sequence[int]], size: int, frames: int
    ) -> Tensor:
        """Return time, height and width of every token, shape ``(3, clips, size)``."""
        place = torch.zeros(3, len(seconds), size, dtype=torch.long)
        start, visual = len(self.head), frames // 2 * CELLS**2
        cells = torch.arange(visual)
        place[1, :, start : start + visual] = cells // CELLS % CELLS + start
        place[2, :, start : start + visual] = cells % CELLS + start
        place[:, :, :start] = torch.arange(start)
        place[:, :, start + visual] = start + CELLS
        rate = self.model.config.vision_config.tokens_per_second
        for row, (duration, parts) in enumerate(zip(seconds, lengths, strict=True)):
            step = rate * 2 / (frames / duration)
            times = (torch.arange(frames // 2) * step).long() + start
            place[0, row, start : start + visual] = times.repeat_interleave(CELLS**2)
            at = start + visual + 1
            for length in parts:
                place[:, row, at : at + length] = torch.arange(length) + start + CELLS + 1
                at += length
        return place

    def _place_loss(self, hidden: Tensor, frames: int, probes: Probes) -> Tensor:
        """Return how badly visual tokens know when and where they are."""
        cells = torch.arange(frames // 2 * CELLS**2)
        quarter = cells * QUARTERS // len(cells)
        wanted = torch.stack([quarter, cells // CELLS % CELLS, cells % CELLS])
        told = probes.place(hidden).split([QUARTERS, CELLS, CELLS], -1)
        losses = [
            F.cross_entropy(part.flatten(0, 1), want.repeat(len(hidden)))
            for part, want in zip(told, wanted, strict=True)
        ]
        return torch.stack(losses).mean()

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
        layer, size = self.model.model.language_model.layers[depth - 1], HIDDEN // HEADS
        states = layer.input_layernorm(self.states[depth - 1])
        asking = layer.self_attn.q_proj(states[rows, places])[:, : 2 * size].view(-1, 2, 1, size)
        told = layer.self_attn.k_proj(states)[..., :size][:, None]
        cosine, sine = turns
        asking, _ = self.qwen.apply_rotary_pos_emb(
            asking, asking, cosine[rows, places][:, None], sine[rows, places][:, None]
        )
        told, _ = self.qwen.apply_rotary_pos_emb(told, told, cosine, sine)
        scores = (asking @ told[rows].transpose(2, 3)).squeeze(2) / size**0.5
        shares: Tensor = (scores + mask[rows, 0, places][:, None]).log_softmax(-1)
        return shares

    def _attention_loss(
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
        first = len(self.head)
        video = shares[..., first : first + wanted.shape[1]]
        return -(wanted[there][:, None] * video).sum(-1).mean()

    def _recall_loss(self, backs: Tensor, turns: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
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

    def forward(
        self,
        frames: NDArray[np.float32],
        clips: Sequence[Clip],
        branches: Sequence[Sequence[Branch]],
        probes: Probes | None = None,
        *,
        still: bool = False,
    ) -> Output:
        """Return the losses of a batch.

        Args:
            frames: Pictures of the clips, shape ``(clips, frames, SIDE, SIDE, 3)``, 0 to 255.
            clips: What is known about them.
            branches: The prompts about each clip.
            probes: Read what the inner states know; without them what they teach has a loss of 0.
            still: Whether the vision tower stays as it is.
        """
        model, first, count = self.model, len(self.head), frames.shape[1]
        prefix = [*self.head, *[self.pad] * (count // 2 * CELLS**2), self.tail]
        visual_end, start = len(prefix) - 1, len(prefix)
        lengths = [[len(b.tokens) for b in bs] for bs in branches]
        size = start + max(map(sum, lengths))
        shape = (len(branches), size)
        tokens = torch.full(shape, self.branches.stop)
        segment = torch.full(shape, -1)
        following, holds, answer = (torch.full(shape, NONE) for _ in range(3))
        telling = torch.zeros(shape, dtype=torch.bool)
        tokens[:, :start] = torch.tensor(prefix)
        segment[:, :start] = 0
        named: list[tuple[int, int]] = []
        backs: list[tuple[int, int, int, int]] = []
        wanted, targets = [], []
        for row, parts in enumerate(branches):
            at, known = start, dict[tuple[str, str], tuple[NDArray[np.float32], ...]]()
            for number, branch in enumerate(parts, 1):
                span = slice(at, at + len(branch.tokens))
                tokens[row, span] = torch.tensor(branch.tokens)
                following[row, span] = torch.tensor(branch.following)
                telling[row, span] = torch.tensor(branch.telling)
                holds[row, span] = torch.tensor(branch.holds)
                answer[row, span] = torch.tensor(branch.answer)
                segment[row, span] = number
                for mention in branch.mentions:
                    name = (mention.colour, mention.noun)
                    if name not in known:
                        known[name] = ground(clips[row], mention), spots(clips[row], mention)
                    named.append((row, at + mention.at))
                    wanted.append(known[name][0])
                    targets.append(known[name][1])
                backs += [(row, *(at + place for place in back)) for back in branch.backs]
                at = span.stop
        order = torch.arange(size)
        allowed = (order[None] <= order[:, None]) & (
            (segment[:, None] == segment[:, :, None]) | (segment[:, None] == 0)
        )
        mask = torch.zeros(len(branches), 1, size, size).masked_fill_(~allowed[:, None], -1e9)
        text = model.model.language_model
        embedded = text.embed_tokens(tokens)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not still):
            visual = self.see(frames)
        embedded = torch.cat([embedded[:, :first], visual, embedded[:, visual_end:]], 1)
        seconds = [clip.seconds for clip in clips]
        positions = self.positions(seconds, lengths, size, count)
        top = text(
            inputs_embeds=embedded,
            position_ids=positions,
            attention_mask={"full_attention": mask},
            use_cache=False,
        ).last_hidden_state
        weight = model.lm_head.weight
        deep = text.norm(self.states[DEEP])

        def loss(hidden: Tensor, target: Tensor, where: Tensor | bool = True) -> Tensor:
            chosen = (target != NONE) & where
            if not chosen.any():
                return torch.zeros(())
            return F.cross_entropy(hidden[chosen] @ weight.T, target[chosen])

        judged = holds != NONE
        verdicts = weight[self.branches.verdicts]
        held = F.cross_entropy(top[judged] @ verdicts.T, holds[judged])
        seen = found = placed = attended = recalled = torch.zeros(())
        if probes is not None:
            cells = torch.from_numpy(np.stack([clip.cells for clip in clips]))
            seen = self.visual_loss(visual, cells, probes)
            rows, places = torch.tensor(named).T
            found = F.binary_cross_entropy_with_logits(
                probes.named(text.norm(self.states[NAMED][rows, places])),
                torch.from_numpy(np.stack(wanted)),
                WEIGHT,
            )
            turns = text.rotary_emb(top, positions)
            attended = self._attention_loss(
                rows, places, turns, mask, torch.from_numpy(np.stack(targets))
            )
            recalled = self._recall_loss(torch.tensor(backs), turns, mask)
            placed = self._place_loss(
                text.norm(self.states[PLACED][:, first:visual_end]), count, probes
            )
        return Output(
            loss(top, answer),
            held,
            loss(deep, following, ~telling),
            loss(deep, following, telling),
            seen,
            found,
            placed,
            attended,
            recalled,
            self._right(top, branches, answer, start),
        )

    def _right(
        self, top: Tensor, branches: Sequence[Sequence[Branch]], answer: Tensor, start: int
    ) -> list[tuple[str, bool, bool]]:
        best = torch.zeros_like(answer)
        wanted = answer != NONE
        with torch.no_grad():
            best[wanted] = (top[wanted] @ self.model.lm_head.weight.T).argmax(-1)
        right = []
        for row, parts in enumerate(branches):
            at = start
            for branch in parts:
                for asked, place in zip(branch.asked, branch.at, strict=True):
                    spot = at + place
                    hit = bool(best[row, spot] == answer[row, spot])
                    right.append((asked.fact.skill, asked.true, hit))
                at += len(branch.tokens)
        return right
