"""Measure checkpoints on fresh clips: coded as files, and answered as text."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

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
from vidomni_plugin.models.seer.traits import FRAMES
from vidomni_plugin.models.seer.world import SKILLS, Fact, Layout
from vidomni_plugin.vidhalloc.prompt import judge_prompt

__all__ = [
    "CLIPS",
    "CONTROLS",
    "FPS",
    "QUALITY",
    "Control",
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
    judges: Sequence[Judge],
    seed: int,
    count: int,
    control: Control = "none",
    each: int = 6,
    quality: int = QUALITY,
    frames: int = FRAMES,
    clips: Kind = "all",
    fps: Fraction = FPS,
    done: Callable[[int], object] = lambda _: None,
) -> list[dict[str, Score]]:
    """Return each checkpoint's scores by skill on the same fresh clips.

    Args:
        judges: The checkpoints.
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
    rng, asked_of = random.Random(seed), Counter[str]()
    tallies = [Counter[tuple[str, str]]() for _ in judges]
    (layouts, skills), balance = CLIPS[clips], Balance()
    with TemporaryDirectory() as folder:
        before: Path | None = None
        for number in range(TRIES):
            open_skills = {s for s in skills if asked_of[s] < count}
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
            for judge, tally in zip(judges, tallies, strict=True):
                answers = judge.answers(seen, prompts, frames=frames)
                for one, text in zip(asked, answers, strict=True):
                    label, skill = parse_verdict(text).label, one.fact.skill
                    tally[skill, f"{one.true}"] += 1
                    tally[skill, f"{one.true} hit"] += label == ("ACCEPT" if one.true else "REJECT")
                    tally[skill, "unreadable"] += label is None
            asked_of.update(one.fact.skill for one in asked)
            done(sum(min(count, asked_of[s]) for s in skills))
    return [
        {
            skill: Score(
                asked_of[skill],
                _share(tally[skill, "True hit"], tally[skill, "True"]),
                _share(tally[skill, "False hit"], tally[skill, "False"]),
                tally[skill, "unreadable"],
            )
            for skill in skills
        }
        for tally in tallies
    ]


def fewest(control: Control, fps: Fraction) -> int:
    """Return how many frames the shortest clip has.

    Example:
        >>> fewest("none", Fraction(8)), fewest("early", Fraction(8))
        (26, 8)
    """
    seconds, shots = SHORTEST
    frames = min(round(seconds * shots * fps), shots * round(seconds * fps))
    return len(CONTROLS[control]([np.empty(0, np.uint8)] * frames))
