"""Measure a checkpoint as the host runs it: coded clips, the processor, generated text."""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from vidomni_plugin.models.seer.layouts import LAYOUTS
from vidomni_plugin.models.seer.network import PIXELS
from vidomni_plugin.models.seer.world import SKILLS, Fact, World
from vidomni_plugin.vidhalloc.prompt import judge_prompt

__all__ = ["CONTROLS", "Control", "Judge", "Score", "measure"]

Control = Literal["plain", "reversed", "swapped", "blank", "early", "other"]
"""What is done to the frames: nothing, played backwards, red and blue swapped, black, only the
first third of the clip, or those of the clip before."""

CONTROLS: dict[Control, Callable[[list[Frame]], list[Frame]]] = {
    "plain": lambda pictures: pictures,
    "reversed": lambda pictures: pictures[::-1],
    "swapped": lambda pictures: [np.ascontiguousarray(p[..., ::-1]) for p in pictures],
    "blank": lambda pictures: [np.zeros_like(p) for p in pictures],
    "early": lambda pictures: pictures[: max(1, len(pictures) // 3)],
    "other": lambda pictures: pictures,
}
TRIES = 4000
"""Clips drawn at most until every skill has its questions."""


@dataclass(frozen=True, slots=True)
class Score:
    """How one skill came out; shares are in [0, 1] and higher is better."""

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
    world: World, rng: random.Random, open_skills: set[str], each: int, balance: Balance
) -> list[Asked]:
    facts: list[Fact] = [f for f in world.facts if f.skill in open_skills]
    return ask(facts, rng, each, balance) if facts else []


def measure(
    judge: Judge,
    seed: int,
    count: int,
    control: Control = "plain",
    each: int = 6,
    quality: int = QUALITY,
    frames: int = FRAMES,
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
    """
    rng, tally = random.Random(seed), Counter[tuple[str, str]]()
    layouts, balance = list(LAYOUTS), Balance()
    with TemporaryDirectory() as folder:
        before: Path | None = None
        for number in range(TRIES):
            open_skills = {s for s in SKILLS if tally[s, "asked"] < count}
            if not open_skills:
                break
            world = layouts[number % len(layouts)](rng)
            asked = _wanted(world, rng, open_skills, each, balance)
            if not asked:
                continue
            path = Path(folder) / f"{number}.mp4"
            pictures = CONTROLS[control](list(pictures_of(world.scene, CODED_SIDE)))
            write_clip(path, pictures, world.scene.fps, quality=quality)
            seen = before if control == "other" and before else path
            before = path
            prompts = [judge_prompt(a.fact.question, a.text) for a in asked]
            for one, text in zip(asked, judge.answers(seen, prompts, frames=frames), strict=True):
                label, skill = parse_verdict(text).label, one.fact.skill
                tally[skill, "asked"] += 1
                tally[skill, f"{one.true}"] += 1
                tally[skill, f"{one.true} hit"] += label == ("ACCEPT" if one.true else "REJECT")
                tally[skill, "unreadable"] += label is None
    return {
        skill: Score(
            tally[skill, "asked"],
            tally[skill, "True hit"] / max(1, tally[skill, "True"]),
            tally[skill, "False hit"] / max(1, tally[skill, "False"]),
            tally[skill, "unreadable"],
        )
        for skill in SKILLS
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--count", type=int, default=200, help="questions a skill")
    parser.add_argument("--seed", type=int, default=2_000_000, help="seed of the clips")
    parser.add_argument("--control", choices=list(CONTROLS), default="plain")
    parser.add_argument("--quality", type=int, default=QUALITY, help="x264's constant rate factor")
    parser.add_argument("--frames", type=int, default=FRAMES, help="frames of a clip")
    options = parser.parse_args(arguments)
    scores = measure(
        Judge(options.checkpoint),
        options.seed,
        options.count,
        options.control,
        quality=options.quality,
        frames=options.frames,
    )
    for skill, score in scores.items():
        row = {"skill": skill, "control": options.control, "questions": score.questions}
        row |= {"quality": options.quality, "frames": options.frames}
        row |= {"accuracy": round(score.accuracy, 3), "accepted": round(score.accepted, 3)}
        row |= {"rejected": round(score.rejected, 3), "unreadable": score.unreadable}
        print(json.dumps(row))


if __name__ == "__main__":
    main()
