"""Measure checkpoints as the host runs them: coded clips, the processor, generated text."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from vidomni_plugin.models.seer.judge import Judge
from vidomni_plugin.models.seer.measure import (
    CLIPS,
    CONTROLS,
    FPS,
    QUALITY,
    Kind,
    fewest,
    measure,
)
from vidomni_plugin.models.seer.rows import append
from vidomni_plugin.models.seer.shipped import WEIGHTS
from vidomni_plugin.models.seer.train import INTERRUPTED
from vidomni_plugin.models.seer.traits import FRAMES

__all__ = ["PARTS"]

MOST_FPS = 240
"""Frames a second that a clip may be given, at most."""
PARTS = ("config.json", "tokenizer.json", "processor_config.json", WEIGHTS)
"""Files without which a checkpoint cannot be judged."""


def _rate(text: str) -> Fraction:
    try:
        rate = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    rate = rate.limit_denominator(1001)
    if not 1 <= rate <= MOST_FPS:
        raise argparse.ArgumentTypeError(f"it must be from 1 to {MOST_FPS}")
    return rate


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m vidomni_plugin.models.seer.evaluate", description=__doc__
    )
    parser.add_argument(
        "checkpoints", type=Path, nargs="+", help="their folders; all are shown the same clips"
    )
    parser.add_argument(
        "--count", type=int, default=200, help="questions a skill (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=2_000_000, help="of the clips (default: %(default)s)"
    )
    control = (
        "what is done to the frames: nothing (default), played backwards, red and blue swapped, "
        "black, only the first third of the clip, or those of the clip before"
    )
    parser.add_argument("--control", choices=list(CONTROLS), default="none", help=control)
    quality = f"x264's constant rate factors, one after another (default: {QUALITY})"
    parser.add_argument("--quality", type=int, nargs="+", default=[QUALITY], help=quality)
    parser.add_argument(
        "--frames", type=int, default=FRAMES, help="frames shown of a clip (default: %(default)s)"
    )
    kinds = "the plainest clips and sentences of each skill, or all kinds (default), or both"
    parser.add_argument("--clips", choices=list(CLIPS), nargs="+", default=["all"], help=kinds)
    parser.add_argument(
        "--fps", type=_rate, default=FPS, help="frames a second of the clips (default: %(default)s)"
    )
    parser.add_argument("--log", type=Path, help="a file to which the rows are appended too")
    options = parser.parse_args(arguments)
    if len({folder.resolve() for folder in options.checkpoints}) < len(options.checkpoints):
        parser.error("a checkpoint is given twice")
    for folder in options.checkpoints:
        if missing := [n for n in PARTS if not (folder / n).is_file()]:
            parser.error(f"{folder} is no checkpoint: it has no {', '.join(missing)}")
    if options.count < 1:
        parser.error("--count must be above 0")
    if options.frames < 2 or options.frames % 2:
        parser.error("--frames must be an even number from 2 on: a token stands for two frames")
    if not all(0 <= quality <= 51 for quality in options.quality):
        parser.error("--quality must be from 0, nothing lost, to 51")
    if options.frames > (there := fewest(options.control, options.fps)):
        parser.error(
            f"--frames {options.frames} is too many: with this --fps and --control the shortest "
            f"clip has {there}; give a higher --fps or fewer --frames"
        )
    return options


def _rows(
    options: argparse.Namespace, judges: Mapping[Path, Judge], clips: Kind, quality: int
) -> list[dict[str, Any]]:
    """Measure under one condition, and return a row for each checkpoint and skill."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        total = options.count * len(CLIPS[clips][1])
        shown = bar.add_task(f"{clips}, crf {quality}", total=total)
        measured = measure(
            list(judges.values()),
            options.seed,
            options.count,
            options.control,
            quality=quality,
            frames=options.frames,
            clips=clips,
            fps=options.fps,
            done=lambda answered: bar.update(shown, completed=answered),
        )
    for skill, score in measured[0].items():
        if score.questions < options.count:
            few = f"seer: {score.questions} questions about {skill} instead of {options.count}"
            print(few, file=sys.stderr)
    rows = []
    for (folder, judge), scores in zip(judges.items(), measured, strict=True):
        for skill, score in scores.items():
            row: dict[str, Any] = {"checkpoint": folder.resolve().name}
            row |= {"weights": judge.weights, "seed": options.seed, "skill": skill}
            row |= {"clips": clips, "control": options.control, "questions": score.questions}
            row |= {"quality": quality, "frames": options.frames, "fps": float(options.fps)}
            shares = {n: getattr(score, n) for n in ("accuracy", "accepted", "rejected")}
            row |= {
                n: None if math.isnan(share) else round(share, 3) for n, share in shares.items()
            }
            rows.append(row | {"unreadable": score.unreadable})
    return rows


def _judge(checkpoint: Path) -> Judge:
    try:
        return Judge(checkpoint)
    except PermissionError:
        raise
    except Exception as error:  # a damaged checkpoint fails in many ways
        raise SystemExit(
            f"seer: {checkpoint} cannot be loaded ({type(error).__name__}): is it whole?"
        ) from None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    options = _options(arguments)
    try:
        if options.log:  # what cannot be written is known before the first minute is spent
            append(options.log, [])
        judges = {folder: _judge(folder) for folder in options.checkpoints}
        for clips, quality in product(options.clips, options.quality):
            rows = _rows(options, judges, clips, quality)
            if options.log:
                append(options.log, rows)
            for row in rows:
                print(json.dumps(row), flush=True)
    except OSError as error:
        raise SystemExit(f"seer: {error}") from None
    except KeyboardInterrupt:
        print("seer: stopped; what was measured before is kept", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
