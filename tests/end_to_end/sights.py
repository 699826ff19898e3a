"""Drawn clips that the shipped model is asked about, and the host that asks it.

Sentences are the training generator's, about other clips. Those of a control come with the sentence
that is true once the control has been applied: a model that looks must then turn round.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import vidhalloc_record, write_lines
from vidomni_plugin.data.mini.clips import SIDE
from vidomni_plugin.data.mini.draw import Frame, frames
from vidomni_plugin.data.mini.encode import write_clip
from vidomni_plugin.models.seer.layouts import LAYOUTS
from vidomni_plugin.models.seer.world import Fact, World

SMALL = "device=cpu,device_map=cpu,max_num_frames=8,min_pixels=3136,max_pixels=12544"
"""What the model was trained with: 8 frames, a square clip 112 pixels wide."""
LONGEST = 32
"""Tokens of an answer at most, three times what a caption needs; a model must not run on."""
PART = 1 / 3
"""Share of a clip that a wrong sampler looks at."""
SEED = 8_000_000
"""Training and evaluation draw other clips."""
TRIES = 4000
"""Clips drawn at most to find enough of a kind."""


@dataclass(frozen=True)
class Question:
    """Two answers to a question about a clip, of which the first is true."""

    kind: str
    fact: Fact
    wrong: str


@dataclass(frozen=True)
class Sight:
    """A drawn clip and what is asked about it."""

    name: str
    world: World
    questions: tuple[Question, ...]


Pick = Callable[[World, Fact], "str | None"]
"""Returns the answer that a control makes true, or None where it makes none true."""

_OTHER_WAY = {"left": "right", "upward": "downward", "rises": "sinks", "rise": "sink"}
_OTHER_WAY |= {new: old for old, new in _OTHER_WAY.items()}
_MOVES = re.compile(r"\b(moves?|travels|carried|slides|rises?|sinks?)\b")
_ONE_STRETCH = re.compile(r"^after that|at the end|later|comes? |leaves?\b|part,|against", re.I)
"""Sentences about a part of the clip: played backwards, more than the way is another."""
_IN_TURN = re.compile(r"\b(is|are) \w+ (before|after) it is \w+|\b(is|are) shown (before|after)\b")
_FROM_TO = re.compile(r"\bturns from (\w+) to (\w+)")
_PLAIN_COLOUR = re.compile(r"^The (circle|square|triangle)s? (is|are) (red|blue)\.$")
_AT_THE_END = re.compile(r"^(The \w+ is) (\w+) at the end of the video\.$")


def exchanged(text: str, words: Mapping[str, str]) -> str:
    """Return a text with each of some words replaced, all at once.

    Example:
        >>> exchanged("moves from the left to the right", {"left": "right", "right": "left"})
        'moves from the right to the left'
    """
    return re.sub(rf"\b({'|'.join(words)})\b", lambda found: words[found[0]], text)


def backwards(world: World, fact: Fact) -> str | None:
    """Return where a thing moves when the clip is played backwards."""
    if fact.skill != "direction" or not _MOVES.search(fact.true) or _ONE_STRETCH.search(fact.true):
        return None
    other = exchanged(fact.true, _OTHER_WAY)
    return other if other in fact.false else None


def in_turn(world: World, fact: Fact) -> str | None:
    """Return what comes after what when the clip is played backwards."""
    if fact.skill != "order":
        return None
    found = _FROM_TO.search(fact.true)
    if found:
        other = exchanged(fact.true, {found[1]: found[2], found[2]: found[1]})
    elif _IN_TURN.search(fact.true):
        other = exchanged(fact.true, {"before": "after", "after": "before"})
    else:
        return None
    return other if other in fact.false else None


def recoloured(world: World, fact: Fact) -> str | None:
    """Return which colour a thing has when red and blue change places."""
    if not _PLAIN_COLOUR.match(fact.true):
        return None
    other = exchanged(fact.true, {"red": "blue", "blue": "red"})
    return None if other in {told.true for told in world.facts} else other


def at_the_end(world: World, fact: Fact) -> str | None:
    """Return the colour that a thing has in the first part of the clip."""
    found = _AT_THE_END.match(fact.true)
    (shot, *others) = world.scene.shots
    paints = [paint.at / shot.seconds for thing in shot.things for paint in thing.repaint]
    if not found or others or len(paints) != 1 or paints[0] < PART + 0.05:
        return None
    first = re.compile(rf"^{found[1]} (\w+) at first\.$")
    earlier = [seen[1] for seen in (first.match(other.true) for other in world.facts) if seen]
    return f"{found[1]} {earlier[0]} at the end of the video." if earlier else None


PICKS: Mapping[str, Pick] = {
    "direction": backwards,
    "order": in_turn,
    "colour": recoloured,
    "end": at_the_end,
}


def sights(kind: str, count: int, each: int = 2) -> list[Sight]:
    """Return clips with questions of one kind.

    Args:
        kind: One of ``PICKS``.
        count: How many clips.
        each: Questions a clip at most.
    """
    rng, layouts, found = random.Random(f"{SEED} {kind}"), list(LAYOUTS), []
    for number in range(TRIES):
        world = layouts[number % len(layouts)](rng)
        asked = [
            Question(kind, fact, wrong)
            for fact in world.facts
            if (wrong := PICKS[kind](world, fact)) is not None
        ]
        if asked:
            asked = rng.sample(asked, min(each, len(asked)))
            found.append(Sight(f"{kind}_{len(found):02}", world, tuple(asked)))
        if len(found) == count:
            return found
    raise ValueError(f"{len(found)} of {count} clips about {kind} among {TRIES}")


Spoil = Callable[[list[Frame]], list[Frame]]


def film(root: Path, shown: Iterable[Sight], spoil: Spoil) -> None:
    """Write the clips of a VidHalLoc release."""
    for sight in shown:
        scene = sight.world.scene
        path = root / "videoqa" / f"{sight.name}.mp4"
        write_clip(path, spoil(list(frames(scene, SIDE))), scene.fps)


def ask(root: Path, shown: Sequence[Sight], shift: int = 0) -> Path:
    """Write the questions of a VidHalLoc release and return its folder.

    Args:
        root: The folder, with the clips in it.
        shown: What is asked.
        shift: By how many places the clips are moved on: 1 gives each question that of the next.
    """
    rows = [
        vidhalloc_record(
            pair_id=f"{sight.name}_{number}",
            video_id=shown[(place + shift) % len(shown)].name,
            question=question.fact.question,
            answer=question.fact.true,
            counterfactual_answer=question.wrong,
        )
        for place, sight in enumerate(shown)
        for number, question in enumerate(sight.questions)
    ]
    write_lines(root / "Datasets" / "2000_Orign" / "2000_Orign.jsonl", rows)
    return root


@dataclass(frozen=True)
class Outcome:
    """How the answers of one kind were judged, as the benchmark counts; shares are in [0, 1]."""

    pairs: int
    factual: float
    """Share of the answers accepted that are true of the clip as it was drawn."""
    counterfactual: float
    """Share of the answers rejected that are not; a control makes these true."""
    undecided: int

    @property
    def accuracy(self) -> float:
        """The mean of both shares."""
        return (self.factual + self.counterfactual) / 2


def outcome(samples: Iterable[Mapping[str, Any]], kinds: Sequence[str]) -> Outcome:
    """Return what the host's samples of ``vidhalloc`` say about some kinds of questions."""
    items = [sample["overall"] for sample in samples]
    asked = [item for item in items if item["pair_id"].split("_")[0] in kinds]

    def share(side: str, label: str) -> float:
        labels = [item["label"] for item in asked if item["side"] == side]
        return labels.count(label) / len(labels)

    undecided = sum(item["label"] is None for item in asked)
    shares = share("factual", "ACCEPT"), share("counterfactual", "REJECT")
    return Outcome(len(asked) // 2, *shares, undecided)


def first_part(read: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reader of qwen_vl_utils that samples from the first part of a clip only."""
    import decord

    def short(request: Mapping[str, Any]) -> Any:
        reader = decord.VideoReader(request["video"])
        end = len(reader) / reader.get_avg_fps() * PART
        return read({**request, "video_start": 0.0, "video_end": end})

    return short


def host_run(model: str, model_args: str, tasks: Sequence[str], **options: Any) -> Any:
    """Return what the host's own evaluation returns, without the task index of all benchmarks."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    return simple_evaluate(
        model=model,
        model_args=model_args,
        tasks=list(tasks),
        task_manager=TaskManager(include_defaults=False, model_name=model),
        bootstrap_iters=0,
        gen_kwargs=f"max_new_tokens={LONGEST}",
        **options,
    )
