"""Who judges which pair: the pilot, the batches and a balanced assignment, fixed by a seed."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.records import Caption

__all__ = ["PILOT", "Assigned", "assign", "batch_name", "choose_pilot"]

PILOT = "pilot"
"""Name of the batch that everybody judges."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """One pair with its batch and the people who judge it."""

    caption: Caption
    batch: str
    annotators: tuple[str, ...]


def batch_name(number: int) -> str:
    """Return the name of an audit batch.

    Example:
        >>> batch_name(1)
        'batch-001'
    """
    return f"batch-{number:03d}"


def choose_pilot(captions: Sequence[Caption], videos: int, seed: int) -> list[Caption]:
    """Return the pairs of the pilot: one caption each of ``videos`` videos, sources in turn.

    The choice depends on the captions and the seed only, so that it stays the same when the
    annotators' file changes after the pilot.
    """
    of_video = _by_video(captions)
    names = _shuffled(of_video, f"pilot {seed}")[:videos]
    sources = _shuffled({caption.caption_source for caption in captions}, f"sources {seed}")
    used = dict.fromkeys(sources, 0)
    chosen = []
    for name in names:
        caption = min(
            of_video[name],
            key=lambda c: (used[c.caption_source], sources.index(c.caption_source), c.pair_id),
        )
        used[caption.caption_source] += 1
        chosen.append(caption)
    return chosen


def assign(
    captions: Sequence[Caption],
    people: Sequence[Annotator],
    *,
    seed: int,
    per_pair: int,
    batch_size: int,
    pilot: int,
) -> list[Assigned]:
    """Assign every pair.

    Everybody judges the pilot. All other captions of one video go to the same people, who
    watch it once. Videos come in an order drawn with the seed; each gets the trusted annotator
    with the fewest sentences so far, then the annotators with the fewest, whoever they are;
    among equals those who have worked least together.
    Batches are cut from the same order.

    Args:
        captions: The pairs, each id once.
        people: The annotators. Without a trusted one only the pilot is assigned: it has to
            show whom to trust.
        seed: Fixes the pilot, the order and the ties.
        per_pair: How many people judge a pair, from 2 to the number of people.
        batch_size: Pairs in an audit batch; the last one may be smaller.
        pilot: Videos in the pilot; 0 for none.

    Returns:
        The pilot's pairs, then the others batch by batch.
    """
    everybody = tuple(sorted(person.name for person in people))
    first = [Assigned(caption, PILOT, everybody) for caption in choose_pilot(captions, pilot, seed)]
    trusted = {person.name for person in people if person.trusted}
    if not trusted:
        return first
    in_pilot = {assigned.caption.pair_id for assigned in first}
    of_video = _by_video([c for c in captions if c.pair_id not in in_pilot])
    order = _shuffled(of_video, f"videos {seed}")
    work = {name: sum(len(c.sentences) for c in of_video[name]) for name in order}
    teams = _teams(work, everybody, trusted, per_pair, seed)
    rest = [(caption, teams[name]) for name in order for caption in of_video[name]]
    return first + [
        Assigned(caption, batch_name(number // batch_size + 1), team)
        for number, (caption, team) in enumerate(rest)
    ]


def _teams(
    work: Mapping[str, int],
    people: Sequence[str],
    trusted: set[str],
    per_pair: int,
    seed: int,
) -> dict[str, tuple[str, ...]]:
    """Return who judges each video; ``work`` gives its sentences, in order."""
    draw = random.Random(f"people {seed}")
    load = dict.fromkeys(people, 0)
    together: Counter[frozenset[str]] = Counter()
    teams = {}

    def least(names: Sequence[str], team: Sequence[str]) -> str:
        # Among equals who has worked least with the team, so that everybody can be compared
        # with everybody; then whoever is drawn.
        return min(
            names,
            key=lambda name: (
                load[name],
                sum(together[frozenset((name, member))] for member in team),
                draw.random(),
            ),
        )

    for video, sentences in work.items():
        team = [least([name for name in people if name in trusted], [])]
        while len(team) < per_pair:
            team.append(least([name for name in people if name not in team], team))
        for name in team:
            load[name] += sentences
        together.update(frozenset(two) for two in combinations(team, 2))
        teams[video] = tuple(sorted(team))
    return teams


def _by_video(captions: Sequence[Caption]) -> dict[str, list[Caption]]:
    groups: dict[str, list[Caption]] = defaultdict(list)
    for caption in sorted(captions, key=lambda c: c.pair_id):
        groups[caption.video_id].append(caption)
    return dict(groups)


def _shuffled(names: Mapping[str, object] | Sequence[str] | set[str], key: str) -> list[str]:
    """Return the names in an order that depends on them and on ``key`` only."""
    order = sorted(names)
    random.Random(key).shuffle(order)
    return order
