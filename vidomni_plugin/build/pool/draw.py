"""Draw a sample that covers motion, sources and tasks: pure functions of videos and a seed."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, TypeVar, get_args

from vidomni_plugin.build.pool.lines import PoolVideo, Task, Third

__all__ = [
    "Allocation",
    "Stratum",
    "Unassigned",
    "allocate",
    "draw",
    "motion_thirds",
    "rank",
    "spread",
    "with_tasks",
]

Allocation = Literal["equal", "proportional"]
Name = TypeVar("Name")
THIRDS: tuple[Third, ...] = get_args(Third)
TASKS: tuple[Task, ...] = get_args(Task)


class Stratum(NamedTuple):
    """Videos that are drawn from together."""

    third: Third
    source: str
    task: Task


class Unassigned(NamedTuple):
    """A video before it has a task."""

    video_id: str
    source: str
    third: Third
    task: Task | None
    """None where it is to be assigned."""


def rank(seed: int, what: str, name: str) -> str:
    """Return a text that sorts names at random: the same for the same seed on every machine.

    Args:
        seed: Of the draw.
        what: What is drawn, so that two draws of one seed are not the same.
        name: Of the thing to be ranked.
    """
    return hashlib.sha256(f"{seed}:{what}:{name}".encode()).hexdigest()


def motion_thirds(motion: Mapping[str, float]) -> dict[str, Third]:
    """Return the third of each video by motion; their sizes differ by one at most.

    Videos of the same motion are taken by their ids.

    Example:
        >>> motion_thirds({"a": 0.3, "b": 0.1, "c": 0.2})
        {'b': 'low', 'c': 'middle', 'a': 'high'}
    """
    order = sorted(motion, key=lambda name: (motion[name], name))
    return {name: THIRDS[place * 3 // len(order)] for place, name in enumerate(order)}


def with_tasks(videos: Iterable[Unassigned], seed: int) -> dict[str, Task]:
    """Return the task of each video: its own, or one that is assigned evenly.

    Videos are taken at random. Each gets the task that fewer videos of its source and third
    have, then the one that fewer videos of all have, then one at random. Without tasks of their
    own, the numbers of the two tasks in a source and third differ by one at most.
    """
    cells: Counter[tuple[str, Third, Task]] = Counter()
    whole: Counter[Task] = Counter()
    tasks: dict[str, Task] = {}
    order = sorted(videos, key=lambda one: (one.task is None, rank(seed, "task", one.video_id)))
    for one in order:
        task = one.task or _rarest(one, cells, whole, seed)
        cells[one.source, one.third, task] += 1
        whole[task] += 1
        tasks[one.video_id] = task
    return tasks


def _rarest(
    one: Unassigned, cells: Counter[tuple[str, Third, Task]], whole: Counter[Task], seed: int
) -> Task:
    def weight(task: Task) -> tuple[int, int, str]:
        return cells[one.source, one.third, task], whole[task], rank(seed, task, one.video_id)

    return min(TASKS, key=weight)


def allocate(
    sizes: Mapping[Name, int], count: int, how: Allocation, order: Sequence[Name]
) -> dict[Name, int]:
    """Return how many are drawn from each stratum; all together ``count``, or all there are.

    Args:
        sizes: How many each stratum has.
        count: How many are wanted in all.
        how: "equal" draws the same number from each; a stratum that has fewer gives all, and
            the others make up for it. "proportional" draws shares of the sizes by largest
            remainder.
        order: The strata; the earlier ones get what is left over.
    """
    count = min(count, sum(sizes.values()))
    if how == "proportional":
        whole = sum(sizes.values())
        shares = {name: Fraction(count * sizes[name], max(whole, 1)) for name in order}
        given = {name: int(share) for name, share in shares.items()}
        rest = sorted(order, key=lambda name: given[name] - shares[name])  # stable: order is kept
    else:
        given = dict.fromkeys(order, 0)
        while True:
            room = [name for name in order if given[name] < sizes[name]]
            each = (count - sum(given.values())) // max(len(room), 1)
            if not each:
                rest = room
                break
            for name in room:
                given[name] = min(sizes[name], given[name] + each)
    for name in rest[: count - sum(given.values())]:
        given[name] += 1
    return given


def spread(strata: Iterable[Stratum], seed: int) -> list[Stratum]:
    """Return the strata in an order whose every start is even over tasks, thirds and sources.

    The next one is of the third and task that come less often in those before, then of the
    source that does, then the first at random. So a sample of fewer videos than strata, and what
    is left over by a larger one, does not lean to one task by chance.
    """
    waiting: dict[tuple[Third, Task], list[tuple[int, str, Stratum]]] = defaultdict(list)
    for stratum in strata:
        place = rank(seed, "stratum", "\0".join(stratum))
        waiting[stratum.third, stratum.task].append((0, place, stratum))
    for heap in waiting.values():
        heapq.heapify(heap)
    before: Counter[str] = Counter()
    of_source: Counter[str] = Counter()
    order: list[Stratum] = []

    def often(cell: tuple[Third, Task]) -> tuple[int, str]:
        third, task = cell
        return before[third] * len(THIRDS) + before[task] * len(TASKS), rank(seed, third, task)

    while waiting:
        cell = min(waiting, key=often)
        heap = waiting[cell]
        while heap[0][0] < (now := of_source[heap[0][2].source]):  # counts only grow
            heapq.heapreplace(heap, (now, *heap[0][1:]))
        chosen = heapq.heappop(heap)[2]
        if not heap:
            del waiting[cell]
        before.update(cell)
        of_source[chosen.source] += 1
        order.append(chosen)
    return order


def draw(
    videos: Sequence[PoolVideo], count: int, seed: int, how: Allocation = "equal"
) -> list[PoolVideo]:
    """Return a stratified sample over motion third, source and task, in the order of ids.

    Args:
        videos: The pool.
        count: How many are wanted; the whole pool where it has fewer.
        seed: The same one gives the same sample, in whichever order the videos come.
        how: See ``allocate``.
    """
    strata: dict[Stratum, list[PoolVideo]] = defaultdict(list)
    for video in videos:
        strata[Stratum(video.motion_third, video.source, video.task)].append(video)
    order = spread(strata, seed)
    sizes = {stratum: len(members) for stratum, members in strata.items()}
    chosen: list[PoolVideo] = []
    for stratum, number in allocate(sizes, count, how, order).items():
        members = sorted(strata[stratum], key=lambda v: rank(seed, "sample", v.sha256))
        chosen += members[:number]
    return sorted(chosen, key=lambda video: video.video_id)
