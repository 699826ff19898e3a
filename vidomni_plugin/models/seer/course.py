"""A training run: what is learned when, how fast, and from which clips."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.branches import Branch, ask, shorten
from vidomni_plugin.models.seer.clips import (
    BLACK,
    PLAIN_GLIMPSES,
    SOFT,
    Clip,
    Glimpse,
    glimpse,
    imagine,
)
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.layouts import LAYOUTS, PLAIN
from vidomni_plugin.models.seer.lessons import EYE_WEIGHT
from vidomni_plugin.models.seer.network import build
from vidomni_plugin.models.seer.optimizers import optimizers
from vidomni_plugin.models.seer.packed import Output, Packed
from vidomni_plugin.models.seer.pool import FILL, POOL, USES, Pool
from vidomni_plugin.models.seer.probes import GROUND_WEIGHT, Probes
from vidomni_plugin.models.seer.traits import FRAMES, TRAITS
from vidomni_plugin.models.seer.world import Layout

__all__ = ["WEIGHTS", "Course", "Plan", "recipe"]

LOOK_RATES = (0.06, 3e-3)
RATES = (0.01, 1.2e-3)
"""Learning rates of Muon, for matrices, and of AdamW, for all else, while the eye learns alone and
while all learn; the eye bears more."""
FALL = 1.2
"""Power of what is left of the second part, by which its rates fall: most is learned late."""
TOKEN = 0.5
"""Size of visual tokens when all begin to learn together, as root of the mean square."""
TOWER = 0.4
"""Share of the learning rate for the vision tower while all learn together: with half of it, the
tower learned no more of numbers."""
WARM, DECAY = 40, 0.02
"""Steps in which the rates of each part rise, and weight decay."""
ODD = 0.05
"""Share of sentences with words that the model does not know."""
REST = 0.4
"""Share of the second part in which the vision tower stays as it is: the errors of a language
model that knows nothing yet would spoil it."""
PLAIN_PART = (0.3, 0.5)
"""Shares of the second part: up to the first, all clips are of the plainest kinds; from the second
on, of all kinds. What is learned of the plainest makes the others easy, not the other way round."""
ASKED = 0.4
"""Share of judged sentences with their own question, not with the captioning request."""
SENTENCES = {2: 4, 3: 4, 4: 4, 5: 4, 6: 4, 7: 2, 8: 2, 9: 1, 10: 1, 11: 1, 12: 1}
"""Lengths of captions, with how often each comes. None is left out, since the labels of a length
that was never trained end too early; most are short, since more is learned of those."""
JUDGED, ROOM = 4, 136
"""Judged answers about a clip, at most, and from how many tokens of prompts about it on there are
no more of them. A batch is as long as its longest row."""
GLIMPSES = 8
"""Pairs of frames, each of another clip, that the eye alone sees in place of one clip."""
FRAME_COUNTS = {FRAMES: 0.9, 16: 0.08, 32: 0.02}
"""Numbers of frames of a batch, with their shares; more frames, fewer clips."""
WEIGHTS = {
    "answer": 1.0,
    "holds": 1.0,
    "following": 0.5,
    "telling": 2.0,
    "visual": 10.0,
    "ground": 10.0,
    "place": 0.5,
    "shots": 0.5,
    "attended": 0.5,
    "recalled": 0.5,
}
"""How much each loss counts: those that are means over many traits, most of which are absent, are
small numbers; what inner layers are taught beside is a help, not the aim."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What fixes a run: unbroken, with as many threads, it gives the same model on a machine."""

    steps: int = 4800
    looks: int = 1000
    """How many of the first steps teach the eye alone."""
    clips: int = 16
    """Clips a step."""
    seed: int = 0

    @property
    def half(self) -> int:
        """The step in the middle of the second part."""
        return max(1, (self.looks + self.steps) // 2)


def recipe(course: Course) -> dict[str, str]:
    """Return what a state depends on beside its plan, part by part, as short hashes.

    How clips are drawn and what is said of them is known by the names of the layouts only.
    """
    weights = (*course.model.named_parameters(), *course.probes.named_parameters())
    parts: dict[str, Any] = {
        "network": [(name, list(weight.shape)) for name, weight in weights],
        "words": sorted(course.processor.tokenizer.get_vocab().items()),
        "traits": TRAITS,
        "clips": [_shares(LAYOUTS), _shares(PLAIN), SOFT, BLACK, FRAME_COUNTS],
        "batches": [PLAIN_PART, PLAIN_GLIMPSES, POOL, USES, GLIMPSES],
        "prompts": [ODD, ASKED, SENTENCES, JUDGED, ROOM],
        "rates": [LOOK_RATES, RATES, FALL, TOWER, REST, WARM, DECAY],
        "weights": [WEIGHTS, TOKEN, EYE_WEIGHT.tolist(), GROUND_WEIGHT.tolist()],
    }
    return {
        name: hashlib.sha256(json.dumps(part).encode()).hexdigest()[:8]
        for name, part in parts.items()
    }


class Course:
    """A training run: the model, its optimizers, its random numbers, and how far it is."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.model, self.processor = build(plan.seed)
        self.packed = Packed(self.model, self.processor)
        torch.manual_seed(plan.seed)
        self.probes = Probes()
        self.rng = random.Random(plan.seed)
        self._pools()
        self.balance = Balance()
        self.optimizers = optimizers(self.model, self.probes, DECAY)
        self.step, self.spent = 0, 0.0
        self.means: dict[str, float] = {}
        """Running means of losses, for the log."""

    def _pools(self, fill: int = 0) -> None:
        self.glimpses = Pool(self.rng, glimpse, fill)
        self.plain = Pool(self.rng, partial(imagine, plain=True), fill)
        self.clips = {n: Pool(self.rng, partial(imagine, count=n), fill) for n in FRAME_COUNTS}

    @property
    def rate(self) -> float:
        """Share of the full learning rate: up, level and down; up and down in the second part."""
        looks, at = self.plan.looks, self.step
        if at < looks:
            return min(1.0, (at + 1) / WARM, max(0.1, 2 * (1 - at / looks)))
        at, total = at - looks, self.plan.steps - looks
        left: float = max(0.01, 1 - at / total) ** FALL
        return min(1.0, (at + 1) / WARM) * left

    def branches(self, clip: Clip) -> list[Branch]:
        """Return the prompts about a clip: judged answers, as ``ROOM`` has it, and a caption."""
        make, facts = self.packed.branches, list(clip.facts)
        plain = [f for f in facts if not f.true.startswith(("Yes,", "No,"))]
        (count,) = self.rng.choices(list(SENTENCES), list(SENTENCES.values()))
        caption = shorten(ask(plain, self.rng, count, self.balance, ODD), self.rng)
        every = [make.caption(caption)] if caption else []
        for _ in range(JUDGED):
            if sum(len(branch.tokens) for branch in every) >= ROOM:
                break
            for asked in ask(facts, self.rng, 1, self.balance, ODD):
                question = asked.fact.question if self.rng.random() < ASKED else CAPTION_REQUEST
                every.append(make.judged(asked, question))
        return every

    def batch(self, clips: Sequence[Clip], *, still: bool = False) -> Output:
        """Return the losses for clips with new sentences, see ``branches``."""
        return self.packed.forward(
            _frames(clips), clips, [self.branches(clip) for clip in clips], self.probes, still=still
        )

    def _update(self, loss: torch.Tensor) -> None:
        rate, rates = self.rate, LOOK_RATES if self.step < self.plan.looks else RATES
        for optimizer, full in zip(self.optimizers, rates, strict=True):
            for group in optimizer.param_groups:
                slow = group["tower"] and self.step >= self.plan.looks
                group["lr"] = full * rate * (TOWER if slow else 1.0)
            optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
        self.step += 1

    def look(self) -> float:
        """Take one step with the eye alone, and return its loss."""
        seen = self.glimpses.take(GLIMPSES * self.plan.clips)
        visual = self.packed.eye.see(_frames(seen))
        loss = self.packed.lessons.visual(visual, _cells(seen), self.probes, EYE_WEIGHT)
        self._update(10 * loss)
        return float(loss.item())

    def settle(self) -> None:
        """Bring visual tokens to the size of words; what was learned does not depend on it."""
        last = self.packed.model.model.visual.merger.mlp[-1]
        with torch.no_grad():
            visual = self.packed.eye.see(_frames(self.glimpses.take(GLIMPSES * self.plan.clips)))
            size = visual.pow(2).mean().sqrt()
            for weights in (last.weight, last.bias):
                weights.mul_(TOKEN / size)

    def learn(self) -> Output:
        """Take one step with everything."""
        if self.step == self.plan.looks:
            self.settle()
            self.glimpses.kept.clear()  # they are not looked at again
        done = (self.step - self.plan.looks) / (self.plan.steps - self.plan.looks)
        frames = self.rng.choices(list(FRAME_COUNTS), list(FRAME_COUNTS.values()))[0]
        start, end = PLAIN_PART
        plain = self.rng.random() < (end - done) / (end - start)
        pool = self.plain if plain else self.clips[frames]
        count = max(1, self.plan.clips * FRAMES // (FRAMES if plain else frames))
        output = self.batch(pool.take(count), still=done < REST)
        loss = sum(weight * getattr(output, name) for name, weight in WEIGHTS.items())
        self._update(loss)
        return output

    def keep(self, path: Path) -> None:
        """Write the state, whole or not at all."""
        state = {
            "plan": astuple(self.plan),
            "recipe": recipe(self),
            "model": self.model.state_dict(),
            "probes": self.probes.state_dict(),
            "optimizers": [o.state_dict() for o in self.optimizers],
            "asked": dict(self.balance.asked),
            "random": self.rng.getstate(),
            "step": self.step,
            "spent": self.spent,
            "means": self.means,
        }
        part = path.with_suffix(".part")
        try:
            torch.save(state, part)
        except RuntimeError as error:  # a full disk among others
            part.unlink(missing_ok=True)
            raise OSError(f"{part} could not be written: {error}") from None
        part.replace(path)

    def resume(self, path: Path) -> None:
        """Go on from a state; the pools of clips are drawn anew.

        Raises:
            ValueError: If the file is not a state, or of a run with another plan or recipe.
        """
        try:
            state: dict[str, Any] = torch.load(path, weights_only=True)
        except OSError:
            raise
        except Exception as error:  # what is no state fails in many ways
            raise ValueError(
                f"{path} cannot be read as a state of training ({type(error).__name__}): "
                "remove it, or give another folder"
            ) from None
        needed = {"plan", "model", "probes", "optimizers", "asked", "random", "step", "spent"}
        if not isinstance(state, dict) or not needed <= state.keys():
            raise ValueError(f"{path} is no state of training: give another folder")
        if state["plan"] != astuple(self.plan):
            kept = ", ".join(map(str, state["plan"]))
            raise ValueError(
                f"{path} is of a run with other steps, looks, clips or seed ({kept}): "
                "give the same, or another folder"
            )
        ours, theirs = recipe(self), state.get("recipe", {})
        if other := [name for name in ours if ours[name] != theirs.get(name)]:
            raise ValueError(
                f"{path} is of a run of other code (it differs in: {', '.join(other)}): "
                "give another folder, or train with that code"
            )
        self.model.load_state_dict(state["model"])
        self.probes.load_state_dict(state["probes"])
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.balance.asked.update(state["asked"])
        self.rng.setstate(state["random"])
        self.step, self.spent, self.means = state["step"], state["spent"], state["means"]
        self._pools(FILL)


def _shares(layouts: Mapping[Layout, float]) -> dict[str, float]:
    return {layout.__name__: share for layout, share in layouts.items()}


def _frames(clips: Sequence[Clip | Glimpse]) -> NDArray[np.uint8]:
    return np.stack([clip.frames for clip in clips])


def _cells(clips: Sequence[Clip | Glimpse]) -> torch.Tensor:
    return torch.from_numpy(np.stack([clip.cells for clip in clips]))
