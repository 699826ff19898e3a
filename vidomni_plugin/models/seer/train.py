"""Train the model: ``python -m vidomni_plugin.models.seer.train OUT --minutes 25``."""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from numpy.typing import NDArray

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.clips import TRAITS, Clip, imagine
from vidomni_plugin.models.seer.network import HIDDEN, build, save
from vidomni_plugin.models.seer.packed import Branch, Output, Packed, ask
from vidomni_plugin.models.seer.world import COLOURS, SHAPES

__all__ = ["Clips", "Course", "Plan", "accuracies", "evaluate"]

RATE, WARM, DECAY = 2e-3, 40, 0.02
LOOK_RATE = 3e-3
"""Learning rate of the eye alone, which bears more."""
SHAPE_WEIGHT = 3.0
"""How much more a shape counts than a colour, which is far easier to see."""
LEVEL = 0.5
"""Share of the second part after which the learning rate falls."""
ODD = 0.1
"""Share of sentences with words that the model does not know."""
EASY, EASY_SHARE = ("colour", "shape", "existence", "direction"), 0.4
"""What is asked for in the first share of the second part: what all other skills build on. The
vision tower rests then: the errors of a language model that knows nothing yet would spoil it."""
ASKED = 0.4
"""Share of judged sentences with their own question, not with the captioning request."""
SENTENCES = (2, 3, 3, 4, 4, 5, 5, 6, 8)
"""Lengths of captions, each as likely."""
POOL, USES = 1000, 4
"""Clips kept, and how often each is shown, each time with other sentences."""
WEIGHTS = {"answer": 1.0, "holds": 1.0, "following": 1.0, "telling": 3.0, "visual": 10.0}
EVERY = 100
"""Steps between two evaluations and two savings of the state."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What fixes a run: the same plan gives the same model on the same machine."""

    steps: int = 3000
    looks: int = 800
    """How many of the first steps teach the eye alone."""
    clips: int = 16
    """Clips a step; twice as many while the eye learns."""
    seed: int = 0


class Clips:
    """A pool of clips, renewed a few at a time: drawing must not take longer than learning."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pool: list[Clip] = []

    def take(self, count: int) -> list[Clip]:
        """Return clips, a part of them new."""
        new = [imagine(self.rng) for _ in range(math.ceil(count / USES))]
        self.pool += new
        if len(self.pool) > POOL:
            self.rng.shuffle(self.pool)
            self.pool = self.pool[-POOL + count :]
        return new + self.rng.choices(self.pool, k=count - len(new))


def branches(packed: Packed, clip: Clip, rng: random.Random, *, easy: bool) -> list[Branch]:
    """Return the prompts that a clip is shown with: judged answers and a caption.

    Args:
        packed: Makes the prompts.
        clip: What they are about.
        rng: Chooses.
        easy: Whether only the skills with which learning begins are asked for.
    """
    facts = [f for f in clip.facts if f.skill in EASY] if easy else list(clip.facts)
    judged = [
        packed.judged(a, a.fact.question if rng.random() < ASKED else CAPTION_REQUEST)
        for a in ask(facts, rng, 4, odd=ODD)
    ]
    plain = [f for f in facts if not f.true.startswith(("Yes,", "No,"))]
    caption = ask(plain, rng, rng.choice(SENTENCES), truth=0.6, odd=ODD)
    return [*judged, packed.caption(caption)]


class Course:
    """A training run: the model, its optimizer, its random numbers, and how far it is."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.model, self.processor = build(plan.seed)
        self.packed = Packed(self.model, self.processor)
        torch.manual_seed(plan.seed)
        self.eye = torch.nn.Linear(HIDDEN, TRAITS)
        self.rng = random.Random(plan.seed)
        self.source = Clips(self.rng)
        every = [*self.model.parameters(), *self.eye.parameters()]
        groups = [
            {"params": [p for p in every if p.ndim > 1], "weight_decay": DECAY},
            {"params": [p for p in every if p.ndim < 2], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.97), foreach=True)
        self.step, self.spent = 0, 0.0

    @property
    def rate(self) -> float:
        """The learning rate of the next step: up, level, down; again for each of the two parts."""
        looks, at = self.plan.looks, self.step
        if at < looks:
            return LOOK_RATE * min(1.0, (at + 1) / WARM, max(0.1, 2 * (1 - at / looks)))
        at, total = at - looks, self.plan.steps - looks
        rate, done = RATE * min(1.0, (at + 1) / WARM), at / max(1, total)
        if done > LEVEL:
            rate *= 0.02 + 0.98 * 0.5 * (
                1 + math.cos(math.pi * min(1.0, (done - LEVEL) / (1 - LEVEL)))
            )
        return rate

    def batch(self, clips: Sequence[Clip], *, easy: bool = False) -> Output:
        """Return the losses for clips with new sentences, see ``branches``."""
        return self.packed.forward(
            _frames(clips),
            [clip.seconds for clip in clips],
            [branches(self.packed, clip, self.rng, easy=easy) for clip in clips],
            _cells(clips),
            self.eye,
            still=easy,
        )

    def _update(self, loss: torch.Tensor) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1

    def look(self) -> float:
        """Take one step with the eye alone, and return its loss."""
        clips = self.source.take(2 * self.plan.clips)
        weight = torch.ones(TRAITS)
        weight[len(COLOURS) : len(COLOURS) + len(SHAPES)] = SHAPE_WEIGHT
        loss = F.binary_cross_entropy_with_logits(
            self.eye(self.packed.see(_frames(clips))), _cells(clips), weight
        )
        self._update(10 * loss)
        return float(loss.item())

    def learn(self) -> Output:
        """Take one step with everything."""
        easy = self.step - self.plan.looks < EASY_SHARE * (self.plan.steps - self.plan.looks)
        output = self.batch(self.source.take(self.plan.clips), easy=easy)
        loss = sum(weight * getattr(output, name) for name, weight in WEIGHTS.items())
        self._update(loss)
        return output

    def keep(self, path: Path) -> None:
        """Write the state, whole or not at all."""
        state = {
            "model": self.model.state_dict(),
            "eye": self.eye.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": self.rng.getstate(),
            "step": self.step,
            "spent": self.spent,
        }
        part = path.with_suffix(".part")
        torch.save(state, part)
        part.replace(path)

    def resume(self, path: Path) -> None:
        """Go on from a state; the pool of clips starts anew."""
        state: dict[str, Any] = torch.load(path, weights_only=False)
        self.model.load_state_dict(state["model"])
        self.eye.load_state_dict(state["eye"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.setstate(state["random"])
        self.step, self.spent = state["step"], state["spent"]


def _frames(clips: Sequence[Clip]) -> NDArray[np.float32]:
    return np.stack([clip.frames for clip in clips]).astype(np.float32)


def _cells(clips: Sequence[Clip]) -> torch.Tensor:
    return torch.from_numpy(np.stack([clip.cells for clip in clips]))


def accuracies(right: Sequence[tuple[str, bool, bool]]) -> dict[str, float]:
    """Return the share of right answers by skill, the mean of true and false sentences."""
    total, hits = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for skill, true, hit in right:
        total[skill, true] += 1
        hits[skill, true] += hit
    skills = sorted({skill for skill, _ in total})
    return {
        skill: sum(hits[skill, t] / max(1, total[skill, t]) for t in (True, False)) / 2
        for skill in skills
    }


def _told(output: Output) -> dict[str, float]:
    return {name: getattr(output, name).item() for name in WEIGHTS}


def evaluate(course: Course, seed: int, batches: int) -> dict[str, float]:
    """Return accuracies on clips of another seed."""
    kept, course.rng = course.rng, random.Random(seed)
    right: list[tuple[str, bool, bool]] = []
    with torch.no_grad():
        for _ in range(batches):
            right += course.batch([imagine(course.rng) for _ in range(2 * course.plan.clips)]).right
    course.rng = kept
    return accuracies(right)


def _plan(arguments: Sequence[str] | None) -> tuple[Path, Plan, argparse.Namespace]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder that gets the checkpoint")
    parser.add_argument("--steps", type=int, default=Plan().steps, help="steps in all")
    parser.add_argument("--looks", type=int, default=Plan().looks, help="steps of the eye alone")
    parser.add_argument("--clips", type=int, default=Plan().clips, help="clips a step")
    parser.add_argument("--seed", type=int, default=Plan().seed, help="seed of all random numbers")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch")
    parser.add_argument("--until", type=int, help="stop after this step; a second call goes on")
    options = parser.parse_args(arguments)
    plan = Plan(options.steps, options.looks, options.clips, options.seed)
    return options.out, plan, options


def _log(path: Path, row: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    out, plan, options = _plan(arguments)
    torch.set_num_threads(options.threads)
    out.mkdir(parents=True, exist_ok=True)
    state, log = out / "state.pt", out / "log.jsonl"
    course = Course(plan)
    if state.exists():
        course.resume(state)
    mean: dict[str, float] = {}
    recent: list[tuple[str, bool, bool]] = []
    before = time.monotonic()
    until = min(plan.steps, options.until or plan.steps)
    while course.step < until:
        if course.step < plan.looks:
            told = {"visual": course.look()}
        else:
            output = course.learn()
            told, recent = _told(output), recent + output.right
        now = time.monotonic()
        course.spent, before = course.spent + now - before, now
        mean |= {k: 0.95 * mean.get(k, v) + 0.05 * v for k, v in told.items()}
        if course.step % 25 == 0:
            losses = " ".join(f"{name} {value:.3f}" for name, value in mean.items())
            print(f"step {course.step} of {plan.steps} {course.spent:.0f} s {losses}", flush=True)
        if course.step % EVERY == 0 or course.step == until:
            course.keep(state)
            if recent:
                skills, recent = accuracies(recent), []
                _log(log, {"step": course.step, "seconds": round(course.spent), **mean, **skills})
                print("   " + " ".join(f"{k} {v:.2f}" for k, v in skills.items()), flush=True)
    save(course.model, course.processor, out)
    shares = evaluate(course, seed=plan.seed + 10**6, batches=8)
    row = {"step": course.step, "seconds": round(course.spent), "evaluation": shares}
    _log(log, row)
    print(json.dumps(row))


if __name__ == "__main__":
    main()
