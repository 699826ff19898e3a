"""Train the model: ``python -m vidomni_plugin.models.seer.train OUT``."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from vidomni_plugin.models.seer.clips import imagine
from vidomni_plugin.models.seer.course import WEIGHTS, Course, Plan
from vidomni_plugin.models.seer.network import save
from vidomni_plugin.models.seer.packed import Output

__all__ = ["accuracies", "evaluate"]

EVERY = 100
"""Steps between two evaluations and two savings of the state."""


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
        try:
            course.resume(state)
        except ValueError as error:
            raise SystemExit(f"seer: {error}") from None
        if course.step < plan.steps:
            _log(log, {"resumed": course.step})
    else:
        _log(log, {"plan": asdict(plan), "torch": torch.__version__})
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
        if course.step == plan.half:
            save(course.model, course.processor, out / "half")
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
