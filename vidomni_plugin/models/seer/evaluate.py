"""Measure a checkpoint as the host runs it: coded clips, the processor, generated text."""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from vidomni_plugin.data.mini.clips import SIDE as CODED_SIDE
from vidomni_plugin.data.mini.draw import Frame
from vidomni_plugin.data.mini.draw import frames as pictures_of
from vidomni_plugin.data.mini.encode import write_clip
from vidomni_plugin.labels import parse_verdict
from vidomni_plugin.models.seer.branches import Asked, ask
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.judge import Judge
from vidomni_plugin.models.seer.layouts import LAYOUTS, PLAIN
from vidomni_plugin.models.seer.rows import append
from vidomni_plugin.models.seer.shipped import WEIGHTS, digest
from vidomni_plugin.models.seer.train import INTERRUPTED
from vidomni_plugin.models.seer.traits import FRAMES
from vidomni_plugin.models.seer.world import SKILLS, Fact, Layout
from vidomni_plugin.vidhalloc.prompt import judge_prompt

__all__ = [
    "CLIPS",
    "CONTROLS",
    "FPS",
    "PARTS",
    "QUALITY",
    "Control",
    "Judge",
    "Kind",
    "Score",
    "fewest",
    "measure",
]

Kind = Literal["plain", "all"]
CLIPS: dict[Kind, tuple[Sequence[Layout], Sequence[str]]] = {
    "plain": (tuple(PLAIN), tuple(skill for skill in SKILLS if skill != "camera")),
    "all": (tuple(LAYOUTS), SKILLS),
}
"""Kinds of clips, each drawn as often, and the skills that are asked about in them."""

Control = Literal["none", "reversed", "swapped", "blank", "early", "other"]
"""What is done to the frames: nothing, played backwards, red and blue swapped, black, only the
first third of the clip, or those of the clip before."""

CONTROLS: dict[Control, Callable[[list[Frame]], list[Frame]]] = {
    "none": lambda pictures: pictures,
    "reversed": lambda pictures: pictures[::-1],
    "swapped": lambda pictures: [np.ascontiguousarray(p[..., ::-1]) for p in pictures],
    "blank": lambda pictures: [np.zeros_like(p) for p in pictures],
    "early": lambda pictures: pictures[: max(1, len(pictures) // 3)],
    "other": lambda pictures: pictures,
}
FPS = Fraction(8)
"""Frames a second of the sample's clips."""
QUALITY = 18
"""x264's constant rate factor of clips that a card is measured on."""
SHORTEST = (Fraction("1.6"), 2)
"""Seconds of each shot of the shortest clip, and its shots; it may be one shot as long as both."""
MOST_FPS = 240
"""Frames a second that a clip may be given, at most."""
PARTS = ("config.json", "tokenizer.json", "processor_config.json", WEIGHTS)
"""Files without which a checkpoint cannot be judged."""
TRIES = 4000
"""Clips drawn at most until every skill has its questions."""


@dataclass(frozen=True, slots=True)
class Score:
    """How one skill came out; shares are in [0, 1], NaN of no questions, and higher is better."""

    questions: int
    accepted: float
    """Share of true answers that were accepted."""
    rejected: float
    """Share of false answers that were rejected."""
    unreadable: int

    @property
    def accuracy(self) -> float:
        """The mean of both shares."""
        return (self.accepted + self.rejected) / 2


def _share(hits: int, questions: int) -> float:
    """Return a share, not a number if there is nothing that it could be one of."""
    return hits / questions if questions else math.nan


def _questions(facts: Sequence[Fact], rng: random.Random, each: int, b: Balance) -> list[Asked]:
    """Return at most ``each`` sentences about a clip, of each fact one."""
    left, asked = list(facts), list[Asked]()
    for _ in range(each):
        for one in ask(left, rng, 1, b) if left else []:
            asked.append(one)
            left = [fact for fact in left if fact != one.fact]
    return asked


def measure(
    judge: Judge,
    seed: int,
    count: int,
    control: Control = "none",
    each: int = 6,
    quality: int = QUALITY,
    frames: int = FRAMES,
    clips: Kind = "all",
    fps: Fraction = FPS,
    done: Callable[[int], object] = lambda _: None,
) -> dict[str, Score]:
    """Return the scores by skill on fresh clips.

    Args:
        judge: The checkpoint.
        seed: Of the clips; training uses others.
        count: Questions a skill.
        control: What is done to the clips before they are coded.
        each: Questions a clip.
        quality: x264's constant rate factor of the clips.
        frames: How many frames of a clip the model is shown.
        clips: Which kinds of clips, see ``CLIPS``.
        fps: Frames a second of the clips.
        done: Is told how many of the questions that were asked for have been answered.
    """
    rng, tally = random.Random(seed), Counter[tuple[str, str]]()
    (layouts, skills), balance = CLIPS[clips], Balance()
    with TemporaryDirectory() as folder:
        before: Path | None = None
        for number in range(TRIES):
            open_skills = {s for s in skills if tally[s, "asked"] < count}
            if not open_skills:
                break
            world = layouts[number % len(layouts)](rng)
            facts = [fact for fact in world.facts if fact.skill in open_skills]
            alone = control == "other" and before is None  # no clip comes before the first
            asked = [] if alone else _questions(facts, rng, each, balance)
            if not (asked or alone):
                continue
            path = Path(folder) / f"{number}.mp4"
            scene = replace(world.scene, fps=fps)
            pictures = CONTROLS[control](list(pictures_of(scene, CODED_SIDE)))
            write_clip(path, pictures, scene.fps, quality=quality)
            seen, before = before if control == "other" else path, path
            if seen is None:
                continue
            prompts = [judge_prompt(a.fact.question, a.text) for a in asked]
            for one, text in zip(asked, judge.answers(seen, prompts, frames=frames), strict=True):
                label, skill = parse_verdict(text).label, one.fact.skill
                tally[skill, "asked"] += 1
                tally[skill, f"{one.true}"] += 1
                tally[skill, f"{one.true} hit"] += label == ("ACCEPT" if one.true else "REJECT")
                tally[skill, "unreadable"] += label is None
            done(sum(min(count, tally[s, "asked"]) for s in skills))
    return {
        skill: Score(
            tally[skill, "asked"],
            _share(tally[skill, "True hit"], tally[skill, "True"]),
            _share(tally[skill, "False hit"], tally[skill, "False"]),
            tally[skill, "unreadable"],
        )
        for skill in skills
    }


def fewest(control: Control, fps: Fraction) -> int:
    """Return how many frames the shortest clip has.

    Example:
        >>> fewest("none", Fraction(8)), fewest("early", Fraction(8))
        (26, 8)
    """
    seconds, shots = SHORTEST
    frames = min(round(seconds * shots * fps), shots * round(seconds * fps))
    return len(CONTROLS[control]([np.empty(0, np.uint8)] * frames))


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
    parser.add_argument("checkpoint", type=Path, help="its folder")
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
    if missing := [n for n in PARTS if not (options.checkpoint / n).is_file()]:
        parser.error(f"{options.checkpoint} is no checkpoint: it has no {', '.join(missing)}")
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
    options: argparse.Namespace, judge: Judge, weights: str, clips: Kind, quality: int
) -> list[dict[str, Any]]:
    """Measure under one condition, and return a row for each skill."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        total = options.count * len(CLIPS[clips][1])
        shown = bar.add_task(f"{clips}, crf {quality}", total=total)
        scores = measure(
            judge,
            options.seed,
            options.count,
            options.control,
            quality=quality,
            frames=options.frames,
            clips=clips,
            fps=options.fps,
            done=lambda answered: bar.update(shown, completed=answered),
        )
    rows = []
    for skill, score in scores.items():
        if score.questions < options.count:
            few = f"seer: {score.questions} questions about {skill} instead of {options.count}"
            print(few, file=sys.stderr)
        row: dict[str, Any] = {"checkpoint": options.checkpoint.resolve().name}
        row |= {"weights": weights, "seed": options.seed, "skill": skill}
        row |= {"clips": clips, "control": options.control, "questions": score.questions}
        row |= {"quality": quality, "frames": options.frames, "fps": float(options.fps)}
        shares = {n: getattr(score, n) for n in ("accuracy", "accepted", "rejected")}
        row |= {n: None if math.isnan(share) else round(share, 3) for n, share in shares.items()}
        rows.append(row | {"unreadable": score.unreadable})
    return rows


def _judge(checkpoint: Path) -> Judge:
    try:
        return Judge(checkpoint)
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
        weights = digest(options.checkpoint)  # before they could become others
        judge = _judge(options.checkpoint)
        for clips, quality in product(options.clips, options.quality):
            rows = _rows(options, judge, weights, clips, quality)
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
