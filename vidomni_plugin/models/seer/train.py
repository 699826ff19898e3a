"""Train the model: ``python -m vidomni_plugin.models.seer.train OUT``."""

from __future__ import annotations

import argparse
import json
import math
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from filelock import FileLock, Timeout

from vidomni_plugin.models.seer.clips import imagine
from vidomni_plugin.models.seer.course import WEIGHTS, Course, Plan, recipe
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.network import save
from vidomni_plugin.models.seer.packed import Output
from vidomni_plugin.models.seer.rows import append, read
from vidomni_plugin.models.seer.shipped import WEIGHTS as CHECKPOINT

__all__ = ["EVERY", "HALF", "INTERRUPTED", "LOG", "accuracies", "check"]

LOG, STATE = "log.jsonl", "state.pt"
"""What is kept beside the checkpoint: losses and accuracies, and what a run goes on from."""
HALF = "half"
"""Name of the checkpoint from the middle of the second stage, and of its folder beneath."""

EVERY = 100
"""Steps between two rows of the log and two savings of the state."""
SHOWN = 25
"""Steps between two lines on the screen."""
KEEP = 0.95
"""Share of the mean before in a running mean of losses."""
CHECKED, ANEW = 8, 10**6
"""Batches of the check at the end, and how far its seed is from that of training."""
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def accuracies(right: Sequence[tuple[str, bool, bool]]) -> dict[str, float]:
    """Return the share of right answers by skill, the mean of true and false sentences.

    Args:
        right: Skill, whether the sentence was true, and whether the answer was right.

    Returns:
        Shares in [0, 1], higher is better; NaN where sentences were only true or only false.

    Example:
        >>> accuracies([("cut", True, True), ("cut", False, False), ("shape", True, True)])
        {'cut': 0.5, 'shape': nan}
    """
    total, hits = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for skill, true, hit in right:
        total[skill, true] += 1
        hits[skill, true] += hit
    shares = {key: hits[key] / number for key, number in total.items()}
    skills = sorted({skill for skill, _ in total})
    return {
        skill: (shares.get((skill, True), math.nan) + shares.get((skill, False), math.nan)) / 2
        for skill in skills
    }


def _known(shares: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(share) else share for name, share in shares.items()}


def _told(output: Output) -> dict[str, float]:
    return {name: getattr(output, name).item() for name in WEIGHTS}


def check(course: Course, seed: int, batches: int) -> dict[str, float]:
    """Return accuracies on clips of another seed, without a trace in the course."""
    kept = course.rng, course.balance
    course.rng, course.balance = random.Random(seed), Balance()
    right: list[tuple[str, bool, bool]] = []
    try:
        with torch.no_grad():
            for _ in range(batches):
                clips = [imagine(course.rng) for _ in range(2 * course.plan.clips)]
                right += course.batch(clips).right
    finally:
        course.rng, course.balance = kept
    return accuracies(right)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m vidomni_plugin.models.seer.train",
        description="Train the model; stopped, the same command goes on where it was.",
    )
    parser.add_argument("out", type=Path, help="the folder that gets the checkpoint")
    parser.add_argument(
        "--steps", type=int, default=Plan().steps, help="steps in all (default: %(default)s)"
    )
    parser.add_argument(
        "--looks",
        type=int,
        default=Plan().looks,
        help="steps of the eye alone (default: %(default)s)",
    )
    parser.add_argument(
        "--clips", type=int, default=Plan().clips, help="clips a step (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=Plan().seed, help="of all that is drawn (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of torch (default: %(default)s)"
    )
    parser.add_argument(
        "--until",
        type=int,
        help="stop after this step and save the checkpoint; the same call without --until goes on",
    )
    options = parser.parse_args(arguments)
    if not 0 <= options.looks < options.steps:
        parser.error("--looks must be from 0 on and below --steps")
    for name in ("clips", "threads", "until"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name} must be 1 or more")
    if not 0 <= options.seed < 2**32:
        parser.error("--seed must be from 0 on and below 2 ** 32")
    if options.out.exists() and not options.out.is_dir():
        parser.error(f"{options.out} is not a folder")
    return options


def _ended(rows: Sequence[Mapping[str, Any]], step: int) -> bool:
    """Return whether the last row of a log is what is written at a run's end."""
    return bool(rows) and "evaluation" in rows[-1] and rows[-1].get("step") == step


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Refuse a folder in which another process trains."""
    lock = FileLock(out / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise SystemExit(f"seer: another process trains in {out}") from None
    try:
        yield
    finally:
        lock.release()


class _Stop:
    """Whether Ctrl-C was pressed; a second time it ends the process at once."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def _stoppable() -> Iterator[_Stop]:
    """Put off Ctrl-C: half of a step must not be kept."""
    stop, before = _Stop(), signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:  # as shells start what runs in the background
        yield stop
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _learn(course: Course, until: int, out: Path, stop: _Stop) -> None:
    """Take steps and keep the state, until a step or until asked to stop."""
    plan, recent = course.plan, list[tuple[str, bool, bool]]()
    before = time.monotonic()
    while course.step < until and not stop.asked:
        if course.step < plan.looks:
            told = {"visual": course.look()}
        else:
            output = course.learn()
            told, recent = _told(output), recent + output.right
        now = time.monotonic()
        course.spent, before = course.spent + now - before, now
        mean = course.means
        mean |= {k: KEEP * mean.get(k, v) + (1 - KEEP) * v for k, v in told.items()}
        if course.step % SHOWN == 0:
            losses = " ".join(f"{name} {value:.3f}" for name, value in mean.items())
            print(f"step {course.step} of {plan.steps} {course.spent:.0f} s {losses}", flush=True)
        if course.step == plan.half:
            save(course.model, course.processor, out / HALF)
        if course.step % EVERY == 0 or course.step == until or stop.asked:
            course.keep(out / STATE)
            if recent:
                skills, recent = accuracies(recent), []
                row = {"step": course.step, "seconds": round(course.spent), **mean}
                append(out / LOG, [row | _known(skills)])
                print("   " + " ".join(f"{k} {v:.2f}" for k, v in skills.items()), flush=True)


def _run(options: argparse.Namespace, stop: _Stop) -> None:
    out: Path = options.out
    plan = Plan(options.steps, options.looks, options.clips, options.seed)
    state, log = out / STATE, out / LOG
    course = Course(plan)
    until = min(plan.steps, options.until or plan.steps)
    if state.exists():
        try:
            course.resume(state)
            rows = read(log) if log.is_file() else []
        except ValueError as error:
            raise SystemExit(f"seer: {error}") from None
        if not any("plan" in row for row in rows):
            raise SystemExit(f"seer: {log} does not tell of the run of {state}: remove the state")
        if course.step >= until and (out / CHECKPOINT).is_file() and _ended(rows, course.step):
            print(f"{out} has been trained to step {course.step} of {plan.steps} already")
            return
        if course.step < until:
            append(log, [{"resumed": course.step, "threads": options.threads}])
    else:
        row = {"plan": asdict(plan), "recipe": recipe(course), "threads": options.threads}
        append(log, [row | {"torch": torch.__version__}])
    _learn(course, until, out, stop)
    if course.step < until:
        raise KeyboardInterrupt(
            f"stopped at step {course.step}; the same command goes on from there"
        )
    save(course.model, course.processor, out)
    shares = check(course, seed=plan.seed + ANEW, batches=CHECKED)
    row = {"step": course.step, "seconds": round(course.spent), "evaluation": _known(shares)}
    append(log, [row])
    print(json.dumps(row))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    options = _options(arguments)
    torch.set_num_threads(options.threads)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        with _alone(options.out), _stoppable() as stop:
            _run(options, stop)
    except OSError as error:
        raise SystemExit(f"seer: {error}") from None
    except KeyboardInterrupt as stopped:
        told = str(stopped) or "stopped; the same command goes on from the last state"
        print(f"seer: {told}", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
