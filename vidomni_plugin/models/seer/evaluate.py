"""Measure a checkpoint as the host runs it: coded clips, the processor, generated text."""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from vidomni_plugin.data.mini.clips import SIDE as CODED_SIDE
from vidomni_plugin.data.mini.draw import Frame
from vidomni_plugin.data.mini.draw import frames as pictures_of
from vidomni_plugin.data.mini.encode import QUALITY, write_clip
from vidomni_plugin.labels import parse_verdict
from vidomni_plugin.models.seer.branches import Asked, ask
from vidomni_plugin.models.seer.clips import FRAMES
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.layouts import LAYOUTS, PLAIN
from vidomni_plugin.models.seer.network import PIXELS
from vidomni_plugin.models.seer.shipped import WEIGHTS
from vidomni_plugin.models.seer.world import SKILLS, Fact, Layout, World
from vidomni_plugin.vidhalloc.prompt import judge_prompt

__all__ = ["CLIPS", "CONTROLS", "Control", "Judge", "Kind", "Score", "measure"]

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


class Judge:
    """A checkpoint that judges answers about video files, several at once."""

    def __init__(self, checkpoint: Path) -> None:
        import torch
        from transformers import AutoProcessor, Qwen2_5_VLForConditionalGeneration

        self.model = Qwen2_5_VLForConditionalGeneration.from_pretrained(
            checkpoint, dtype=torch.bfloat16
        ).eval()
        self.processor = AutoProcessor.from_pretrained(checkpoint, **PIXELS)

    def answers(
        self, video: Path, prompts: Sequence[str], tokens: int = 4, frames: int = FRAMES
    ) -> list[str]:
        """Return the generated text for each prompt about one video."""
        import torch
        from qwen_vl_utils import process_vision_info

        shown = {"type": "video", "video": str(video), "nframes": frames, **PIXELS}
        chats = [
            [{"role": "user", "content": [shown, {"type": "text", "text": prompt}]}]
            for prompt in prompts
        ]
        texts = self.processor.apply_chat_template(
            chats, tokenize=False, add_generation_prompt=True
        )
        _, videos, _ = process_vision_info(
            chats[:1], return_video_kwargs=True, return_video_metadata=True
        )
        pictures, about = zip(*(videos * len(chats)), strict=True)
        inputs: Any = self.processor(
            text=texts,
            videos=list(pictures),
            video_metadata=list(about),
            padding=True,
            padding_side="left",
            return_tensors="pt",
        )
        with torch.no_grad():
            made = self.model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
        told: list[str] = self.processor.batch_decode(
            made[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True
        )
        return told


def _wanted(
    world: World, rng: random.Random, open_skills: Collection[str], each: int, balance: Balance
) -> list[Asked]:
    facts: list[Fact] = [f for f in world.facts if f.skill in open_skills]
    return ask(facts, rng, each, balance) if facts else []


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
    done: Callable[[int], object] = bool,
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
            asked = _wanted(world, rng, open_skills, each, balance)
            if not asked:
                continue
            path = Path(folder) / f"{number}.mp4"
            scene = replace(world.scene, fps=fps)
            pictures = CONTROLS[control](list(pictures_of(scene, CODED_SIDE)))
            write_clip(path, pictures, scene.fps, quality=quality)
            seen = before if control == "other" and before else path
            before = path
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--count", type=int, default=200, help="questions a skill")
    parser.add_argument("--seed", type=int, default=2_000_000, help="seed of the clips")
    parser.add_argument("--control", choices=list(CONTROLS), default="none")
    parser.add_argument("--quality", type=int, default=QUALITY, help="x264's constant rate factor")
    parser.add_argument(
        "--frames", type=int, default=FRAMES, help="frames of a clip that are shown"
    )
    parser.add_argument(
        "--clips",
        choices=list(CLIPS),
        default="all",
        help="the plainest clips and sentences of each skill, or all kinds (default)",
    )
    parser.add_argument("--fps", type=Fraction, default=FPS, help="frames a second of the clips")
    parser.add_argument("--log", type=Path, help="a file that gets the rows too, at its end")
    options = parser.parse_args(arguments)
    if not (options.checkpoint / WEIGHTS).is_file():
        parser.error(f"{options.checkpoint} is no checkpoint: it has no {WEIGHTS}")
    if options.count < 1 or options.fps <= 0:
        parser.error("--count and --fps must be above 0")
    if options.frames < 2 or options.frames % 2:
        parser.error("--frames must be an even number from 2 on: a token stands for two frames")
    if not 0 <= options.quality <= 51:
        parser.error("--quality must be from 0, nothing lost, to 51")
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        total = options.count * len(CLIPS[options.clips][1])
        shown = bar.add_task("questions", total=total)
        scores = measure(
            Judge(options.checkpoint),
            options.seed,
            options.count,
            options.control,
            quality=options.quality,
            frames=options.frames,
            clips=options.clips,
            fps=options.fps,
            done=lambda answered: bar.update(shown, completed=answered),
        )
    rows = []
    for skill, score in scores.items():
        row: dict[str, Any] = {"checkpoint": options.checkpoint.name, "skill": skill}
        row |= {"clips": options.clips, "control": options.control, "questions": score.questions}
        row |= {"quality": options.quality, "frames": options.frames, "fps": float(options.fps)}
        shares = {n: getattr(score, n) for n in ("accuracy", "accepted", "rejected")}
        row |= {n: None if math.isnan(share) else round(share, 3) for n, share in shares.items()}
        row |= {"unreadable": score.unreadable}
        rows.append(json.dumps(row) + "\n")
    print(*rows, sep="", end="")
    if options.log:
        with options.log.open("a", encoding="utf-8") as file:
            file.writelines(rows)


if __name__ == "__main__":
    main()
