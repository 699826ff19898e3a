"""Train the model: ``python -m vidomni_plugin.models.seer.train OUT --minutes 25``."""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.clips import TRAITS, Clip, imagine, soften
from vidomni_plugin.models.seer.network import HIDDEN, build, save
from vidomni_plugin.models.seer.packed import Branch, Output, Packed, ask

__all__ = ["Course", "accuracies"]

RATE, WARM, DECAY = 1.5e-3, 60, 0.02
POOL, USES = 1000, 4
"""Clips kept, and how often each is shown, each time with other sentences."""
WEIGHTS = {"answer": 1.0, "holds": 1.0, "following": 3.0, "visual": 4.0}
EVERY = 100
"""Steps between two evaluations and two savings of the state."""


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


def branches(packed: Packed, clip: Clip, rng: random.Random) -> list[Branch]:
    """Return the prompts that a clip is shown with: judged answers and a caption."""
    judged = [
        packed.judged(a, a.fact.question if rng.random() < 0.6 else CAPTION_REQUEST)
        for a in ask(clip.facts, rng, 4)
    ]
    plain = [f for f in clip.facts if not f.true.startswith(("Yes,", "No,"))]
    caption = ask(plain, rng, rng.choice((2, 3, 3, 4, 4, 5, 6)), truth=0.6)
    return [*judged, packed.caption(caption)]


class Course:
    """A training run: the model, its optimizer, its random numbers, and how far it is."""

    def __init__(self, seed: int, clips: int) -> None:
        self.model, self.processor = build(seed)
        self.packed = Packed(self.model, self.processor)
        torch.manual_seed(seed)
        self.eye = torch.nn.Linear(HIDDEN, TRAITS)
        self.clips, self.rng, self.noise = clips, random.Random(seed), np.random.default_rng(seed)
        self.source = Clips(self.rng)
        every = [*self.model.parameters(), *self.eye.parameters()]
        groups = [
            {"params": [p for p in every if p.ndim > 1], "weight_decay": DECAY},
            {"params": [p for p in every if p.ndim < 2], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.97), foreach=True)
        self.step, self.spent = 0, 0.0

    def batch(self, clips: Sequence[Clip]) -> Output:
        """Return the losses for clips with new sentences."""
        frames = np.stack([clip.frames for clip in clips]).astype(np.float32)
        if self.rng.random() < 0.8:
            frames = soften(frames, self.noise)
        return self.packed.forward(
            frames,
            [clip.seconds for clip in clips],
            [branches(self.packed, clip, self.rng) for clip in clips],
            torch.from_numpy(np.stack([clip.cells for clip in clips])),
            self.eye,
        )

    def learn(self, done: float) -> Output:
        """Take one step; ``done`` is the share of the course that is over."""
        rate = min(1.0, (self.step + 1) / WARM)
        if done > 0.4:
            rate *= 0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * min(1.0, (done - 0.4) / 0.6)))
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * rate
        output = self.batch(self.source.take(self.clips))
        loss = sum(weight * getattr(output, name) for name, weight in WEIGHTS.items())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[union-attr]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        return output

    def keep(self, path: Path) -> None:
        """Write the state, whole or not at all."""
        state = {
            "model": self.model.state_dict(),
            "eye": self.eye.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": self.rng.getstate(),
            "noise": self.noise.bit_generator.state,
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
        self.noise.bit_generator.state = state["noise"]
        self.step, self.spent = state["step"], state["spent"]


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
            right += course.batch([imagine(course.rng) for _ in range(course.clips)]).right
    course.rng = kept
    return accuracies(right)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder that gets the checkpoint")
    parser.add_argument("--minutes", type=float, default=25, help="time to train (default: 25)")
    parser.add_argument("--clips", type=int, default=40, help="clips a step (default: 40)")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch (default: 2)")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    parser.add_argument("--steps", type=int, default=10**9, help="stop after so many steps")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    state, log = options.out / "state.pt", options.out / "log.jsonl"
    course = Course(options.seed, options.clips)
    if state.exists():
        course.resume(state)
    limit, before = options.minutes * 60, time.monotonic()
    mean: dict[str, float] = {}
    recent: list[tuple[str, bool, bool]] = []
    while course.spent < limit and course.step < options.steps:
        output = course.learn(course.spent / limit)
        now = time.monotonic()
        course.spent, before = course.spent + now - before, now
        for name, value in _told(output).items():
            mean[name] = 0.95 * mean.get(name, value) + 0.05 * value
        recent += output.right
        if course.step % 25 == 0:
            share = sum(hit for *_, hit in recent) / len(recent)
            losses = " ".join(f"{name} {value:.3f}" for name, value in mean.items())
            print(f"step {course.step} {course.spent:.0f} s right {share:.3f} {losses}", flush=True)
            if course.step % EVERY == 0:
                row = {"step": course.step, "seconds": round(course.spent), **mean}
                row |= {"right": accuracies(recent)}
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                shown = " ".join(f"{k} {v:.2f}" for k, v in accuracies(recent).items())
                print(f"   {shown}", flush=True)
                recent = []
                course.keep(state)
    save(course.model, course.processor, options.out)
    row = {"step": course.step, "seconds": round(course.spent)}
    row |= {"evaluation": evaluate(course, seed=options.seed + 10**6, batches=8)}
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps(row))


if __name__ == "__main__":
    main()
