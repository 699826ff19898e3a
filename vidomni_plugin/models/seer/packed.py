"""Many questions about one video in one sequence: the same result as one by one, sooner."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray
from torch import Tensor

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.clips import CELLS, FRAMES, SIDE
from vidomni_plugin.models.seer.network import DEEP
from vidomni_plugin.models.seer.words import (
    ANSWER_END,
    CLOSE,
    END,
    MOST_SENTENCES,
    USER,
    VERDICTS,
    judge_parts,
    label_text,
    sentence_mark,
    verification_head,
)
from vidomni_plugin.models.seer.world import Fact

__all__ = ["Asked", "Branch", "Output", "Packed", "ask", "patches"]

NONE = -100
"""Marks what a loss leaves out, as in torch."""

MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
STD = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)

GRID = SIDE // 14
VISUAL = FRAMES // 2 * CELLS * CELLS
"""Visual tokens of a clip."""


def patches(frames: NDArray[np.float32]) -> Tensor:
    """Return patches as ``Qwen2VLVideoProcessor`` orders them.

    Args:
        frames: Shape ``(clips, FRAMES, SIDE, SIDE, 3)``, 0 to 255.

    Returns:
        Shape ``(clips, FRAMES / 2, GRID * GRID, 1176)``.
    """
    pixels = torch.as_tensor((frames / 255.0 - MEAN) / STD, dtype=torch.float32)
    pixels = pixels.permute(0, 1, 4, 2, 3)
    clips, half = len(frames), GRID // 2
    pixels = pixels.reshape(clips, FRAMES // 2, 2, 3, half, 2, 14, half, 2, 14)
    return pixels.permute(0, 1, 4, 7, 5, 8, 3, 2, 6, 9).reshape(clips, FRAMES // 2, GRID**2, 1176)


class Asked(NamedTuple):
    """One sentence that is judged."""

    fact: Fact
    text: str
    true: bool
    unknown: tuple[int, ...] = ()
    """Places at which a word is put that the model does not know; it must learn to do without."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A prompt after the video, with its answer, and what is learned at each of its tokens."""

    tokens: list[int]
    following: list[int]
    """The next word of true sentences, else NONE."""
    telling: list[bool]
    """Whether the next word is the one by which a false sentence would differ."""
    holds: list[int]
    """Whether the sentence holds up to here: 1, 0 or NONE."""
    answer: list[int]
    """The next token of the answer, else NONE."""
    asked: tuple[Asked, ...]
    at: tuple[int, ...]
    """Where the answers about ``asked`` are predicted."""


class Output(NamedTuple):
    """Losses of a batch, and the share of judged sentences that were right by skill."""

    answer: Tensor
    holds: Tensor
    following: Tensor
    telling: Tensor
    visual: Tensor
    right: list[tuple[str, bool, bool]]
    """Skill, truth and whether the answer was right."""


class Packed:
    """A model under training and how sentences become its sequences."""

    def __init__(self, model: Any, processor: Any) -> None:  # noqa: ANN401
        self.model, self.words = model, processor.tokenizer
        ids = self.words.convert_tokens_to_ids
        self.prefix = [ids(USER), ids("<|vision_start|>")]
        self.first = len(self.prefix)
        self.prefix += [ids("<|video_pad|>")] * VISUAL + [ids("<|vision_end|>")]
        self.judge = [ids(part) for part in judge_parts()]
        self.verification = ids(verification_head())
        self.request, self.end, self.stop = ids(CAPTION_REQUEST), ids(END), ids(ANSWER_END)
        self.verdicts = [ids(verdict) for verdict in VERDICTS]
        self.marks = [ids(sentence_mark(k)) for k in range(1, MOST_SENTENCES + 1)]
        self.labels = [
            [ids(label_text(k, v)) for v in (0, 1)] for k in range(1, MOST_SENTENCES + 1)
        ]
        self.close, self.unknown = ids(CLOSE), ids("<unk>")
        self.cache: dict[str, list[int]] = {}
        self.deep: Tensor | None = None
        layer = model.model.language_model.layers[DEEP - 1]
        layer.register_forward_hook(self._keep)
        from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as qwen

        self.qwen = qwen
        grid = torch.tensor([[1, GRID, GRID]])
        turns = model.model.visual.rotary_pos_emb(
            torch.zeros(1), qwen.get_vision_position_ids(grid, 2, kwargs={})
        )
        self.cosine, self.sine = turns

    def _keep(self, module: object, inputs: object, output: Any) -> None:  # noqa: ANN401
        self.deep = output[0] if isinstance(output, tuple) else output

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        if text not in self.cache:
            self.cache[text] = self.words(text)["input_ids"]
        return self.cache[text]

    def _sentence(self, asked: Asked) -> tuple[list[int], list[int], list[bool]]:
        """Return a sentence's tokens, whether it holds up to each, and which one is telling."""
        tokens, fact = list(self.ids(asked.text)), asked.fact
        other = self.ids(fact.false[0] if asked.true else fact.true)
        pairs = enumerate(zip(tokens, other, strict=False))
        same = next((n for n, (a, b) in pairs if a != b), len(tokens) - 1)
        if asked.true:
            holds = [1] * len(tokens)
        elif fact.late:
            holds = [NONE] * (len(tokens) - 1) + [0]
        else:
            holds = [1] * same + [0] * (len(tokens) - same)
        telling = [asked.true and not fact.late and n == same for n in range(len(tokens))]
        for place in asked.unknown:
            at = 1 + place % (len(tokens) - 1)
            tokens.insert(at, self.unknown)
            holds.insert(at, holds[at - 1])
            telling.insert(at, False)
        return tokens, holds, telling

    def _following(self, tokens: Sequence[int], *, true: bool) -> list[int]:
        return [t if true and t != self.unknown else NONE for t in tokens]

    def judged(self, asked: Asked, question: str) -> Branch:
        """Return the branch of one VidHalLoc answer."""
        head, middle, tail = self.judge
        before = [
            head,
            *([self.request] if question == CAPTION_REQUEST else self.ids(question)),
            middle,
        ]
        tokens, holds, tells = self._sentence(asked)
        answer = self.verdicts[asked.true]
        sequence = [*before, *tokens, tail, self.end, answer]
        last = len(sequence) - 2
        following, telling = [NONE] * len(sequence), [False] * len(sequence)
        if asked.true:
            telling[len(before) - 1 : len(before) + len(tokens) - 1] = tells
            words = self._following(tokens, true=True)
            following[len(before) - 1 : len(before) + len(tokens) - 1] = words
        truth = int(asked.true)
        learned = [NONE] * len(before) + holds + [truth, truth, NONE]
        return Branch(
            sequence,
            following,
            telling,
            learned,
            [NONE] * last + [answer, self.stop],
            (asked,),
            (last,),
        )

    def caption(self, sentences: Sequence[Asked]) -> Branch:
        """Return the branch of one VidOmni caption."""
        sequence, learned, following = [self.verification], [NONE], [NONE]
        telling = [False]
        for number, asked in enumerate(sentences):
            tokens, holds, tells = self._sentence(asked)
            telling += [*tells, False]
            sequence += [self.marks[number], *tokens]
            # The mark after a sentence says whether it held, the one before is not part of it.
            learned += [NONE if number == 0 else int(sentences[number - 1].true), *holds]
            following += [*self._following(tokens, true=asked.true), NONE]
        sequence.append(self.end)
        learned.append(int(sentences[-1].true))
        following.append(NONE)
        telling.append(False)
        start = len(sequence) - 1
        answers = [self.labels[n][not asked.true] for n, asked in enumerate(sentences)]
        answers += [self.close, self.stop]
        sequence += answers[:-1]
        extra = [NONE] * (len(answers) - 1)
        return Branch(
            sequence,
            following + extra,
            telling + [False] * len(extra),
            learned + extra,
            [NONE] * start + answers,
            tuple(sentences),
            tuple(range(start, start + len(sentences))),
        )

    def see(self, frames: NDArray[np.float32]) -> Tensor:
        """Return the visual tokens, shape ``(clips, VISUAL, hidden)``, of clips of one size."""
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
        return tokens.reshape(clips, VISUAL, -1)

    def positions(
        self, seconds: Sequence[float], lengths: Sequence[Sequence[int]], size: int
    ) -> Tensor:
        """Return time, height and width of every token, shape ``(3, clips, size)``."""
        place = torch.zeros(3, len(seconds), size, dtype=torch.long)
        start = self.first
        cells = torch.arange(VISUAL)
        place[1, :, start : start + VISUAL] = cells // CELLS % CELLS + start
        place[2, :, start : start + VISUAL] = cells % CELLS + start
        place[:, :, :start] = torch.arange(start)
        place[:, :, start + VISUAL] = start + CELLS
        rate = self.model.config.vision_config.tokens_per_second
        for row, (duration, parts) in enumerate(zip(seconds, lengths, strict=True)):
            step = rate * 2 / (FRAMES / duration)
            times = (torch.arange(FRAMES // 2) * step).long() + start
            place[0, row, start : start + VISUAL] = times.repeat_interleave(CELLS**2)
            at = len(self.prefix)
            for length in parts:
                place[:, row, at : at + length] = torch.arange(length) + start + CELLS + 1
                at += length
        return place

    def forward(
        self,
        frames: NDArray[np.float32],
        seconds: Sequence[float],
        branches: Sequence[Sequence[Branch]],
        cells: Tensor | None = None,
        eye: torch.nn.Module | None = None,
        *,
        still: bool = False,
    ) -> Output:
        """Return the losses of a batch.

        Args:
            frames: Shape ``(clips, FRAMES, SIDE, SIDE, 3)``, 0 to 255.
            seconds: Duration of each clip.
            branches: The prompts about each clip.
            cells: Traits of the visual tokens, see ``Clip``.
            eye: Reads the traits off a visual token; needed with ``cells``.
            still: Whether the vision tower is left as it is, which is quicker.
        """
        model, start = self.model, len(self.prefix)
        lengths = [[len(b.tokens) for b in bs] for bs in branches]
        size = start + max(map(sum, lengths))
        shape = (len(branches), size)
        tokens = torch.full(shape, self.stop)
        segment = torch.full(shape, -1)
        following, holds, answer = (torch.full(shape, NONE) for _ in range(3))
        telling = torch.zeros(shape, dtype=torch.bool)
        tokens[:, :start] = torch.tensor(self.prefix)
        segment[:, :start] = 0
        for row, parts in enumerate(branches):
            at = start
            for number, branch in enumerate(parts, 1):
                span = slice(at, at + len(branch.tokens))
                tokens[row, span] = torch.tensor(branch.tokens)
                following[row, span] = torch.tensor(branch.following)
                telling[row, span] = torch.tensor(branch.telling)
                holds[row, span] = torch.tensor(branch.holds)
                answer[row, span] = torch.tensor(branch.answer)
                segment[row, span] = number
                at = span.stop
        order = torch.arange(size)
        allowed = (order[None] <= order[:, None]) & (
            (segment[:, None] == segment[:, :, None]) | (segment[:, None] == 0)
        )
        mask = torch.zeros(len(branches), 1, size, size).masked_fill_(~allowed[:, None], -1e9)
        text = model.model.language_model
        with torch.set_grad_enabled(torch.is_grad_enabled() and not still):
            visual = self.see(frames)
        embedded = text.embed_tokens(tokens)
        embedded = torch.cat(
            [embedded[:, : self.first], visual, embedded[:, self.first + VISUAL :]], 1
        )
        top = text(
            inputs_embeds=embedded,
            position_ids=self.positions(seconds, lengths, size),
            attention_mask={"full_attention": mask},
            use_cache=False,
        ).last_hidden_state
        weight = model.lm_head.weight
        assert self.deep is not None
        deep = text.norm(self.deep)

        def loss(hidden: Tensor, target: Tensor, where: Tensor | bool = True) -> Tensor:
            chosen = (target != NONE) & where
            return F.cross_entropy(hidden[chosen] @ weight.T, target[chosen])

        judged = holds != NONE
        held = F.cross_entropy(top[judged] @ weight[self.verdicts].T, holds[judged])
        seen = torch.zeros(())
        if cells is not None and eye is not None:
            seen = F.binary_cross_entropy_with_logits(eye(visual), cells)
        told = telling.any()  # a batch may have none
        return Output(
            loss(top, answer),
            held,
            loss(deep, following, ~telling),
            loss(deep, following, telling) if told else torch.zeros(()),
            seen,
            self._right(top, branches, answer),
        )

    def _right(
        self, top: Tensor, branches: Sequence[Sequence[Branch]], answer: Tensor
    ) -> list[tuple[str, bool, bool]]:
        best = torch.zeros_like(answer)
        wanted = answer != NONE
        with torch.no_grad():
            best[wanted] = (top[wanted] @ self.model.lm_head.weight.T).argmax(-1)
        right = []
        for row, parts in enumerate(branches):
            at = len(self.prefix)
            for branch in parts:
                for asked, place in zip(branch.asked, branch.at, strict=True):
                    spot = at + place
                    hit = bool(best[row, spot] == answer[row, spot])
                    right.append((asked.fact.skill, asked.true, hit))
                at += len(branch.tokens)
        return right


def ask(
    facts: Sequence[Fact], rng: random.Random, count: int, truth: float = 0.5, odd: float = 0.0
) -> list[Asked]:
    """Return sentences about a clip.

    Args:
        facts: What can be said.
        rng: Chooses; each skill comes as often as any other.
        count: How many sentences.
        truth: Share of true ones.
        odd: Share of sentences with one to three words that the model does not know.
    """
    by_skill: dict[str, list[Fact]] = {}
    for fact in facts:
        by_skill.setdefault(fact.skill, []).append(fact)
    asked = []
    for _ in range(count):
        fact = rng.choice(by_skill[rng.choice(sorted(by_skill))])
        true = rng.random() < truth
        text = fact.true if true else rng.choice(fact.false)
        places = tuple(rng.randrange(100) for _ in range(rng.randint(1, 3)))
        asked.append(Asked(fact, text, true, places if rng.random() < odd else ()))
    return asked
