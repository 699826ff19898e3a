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
from vidomni_plugin.models.seer.clips import Clip
from vidomni_plugin.models.seer.eye import Eye, Pictures
from vidomni_plugin.models.seer.lessons import Lessons
from vidomni_plugin.models.seer.network import DEEP
from vidomni_plugin.models.seer.probes import Probes, ground, spots
from vidomni_plugin.models.seer.traits import CELLS
from vidomni_plugin.models.seer.words import USER

__all__ = ["Output", "Packed"]


class Output(NamedTuple):
    """Losses of a batch, and the share of judged sentences that were right by skill."""

    answer: Tensor
    holds: Tensor
    following: Tensor
    telling: Tensor
    visual: Tensor
    ground: Tensor
    place: Tensor
    shots: Tensor
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
        self.eye = Eye(model)
        self.lessons = Lessons(model, processor.tokenizer, len(self.head))

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

    def forward(
        self,
        frames: Pictures,
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
                backs += [(row, at + b.at, at + b.first, at + b.last) for b in branch.backs]
                at = span.stop
        order = torch.arange(size)
        allowed = (order[None] <= order[:, None]) & (
            (segment[:, None] == segment[:, :, None]) | (segment[:, None] == 0)
        )
        mask = torch.zeros(len(branches), 1, size, size).masked_fill_(~allowed[:, None], -1e9)
        text = model.model.language_model
        embedded = text.embed_tokens(tokens)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not still):
            visual = self.eye.see(frames)
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
        deep = text.norm(self.lessons.states[DEEP])

        def loss(hidden: Tensor, target: Tensor, where: Tensor | bool = True) -> Tensor:
            chosen = (target != NONE) & where
            if not chosen.any():
                return torch.zeros(())
            return F.cross_entropy(hidden[chosen] @ weight.T, target[chosen])

        judged, verdicts = holds != NONE, weight[self.branches.verdicts]
        held = torch.zeros(())
        if judged.any():
            held = F.cross_entropy(top[judged] @ verdicts.T, holds[judged])
        seen = found = placed = cut = attended = recalled = torch.zeros(())
        if probes is not None:
            lessons, turns = self.lessons, text.rotary_emb(top, positions)
            cells = torch.from_numpy(np.stack([clip.cells for clip in clips]))
            seen = lessons.visual(visual, cells, probes)
            placed = lessons.place(count, probes)
            cut = lessons.shots(torch.from_numpy(np.stack([clip.shots for clip in clips])), probes)
            rows, places = torch.tensor(named, dtype=torch.long).view(-1, 2).T
            if named:
                found = lessons.found(rows, places, torch.from_numpy(np.stack(wanted)), probes)
                shares = torch.from_numpy(np.stack(targets))
                attended = lessons.attended(rows, places, turns, mask, shares)
            recalled = lessons.recalled(torch.tensor(backs).view(-1, 4), turns, mask)
        return Output(
            loss(top, answer),
            held,
            loss(deep, following, ~telling),
            loss(deep, following, telling),
            seen,
            found,
            placed,
            cut,
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
