"""Split pairs 60/20/20 by recording, stratified by task and category, with exact totals.

Recordings with the same number of pairs of each task and category are interchangeable. How many of
each such kind go to each split is a small integer program; which ones go is drawn with the seed.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.build.pairs.contracts.pair import Task
from vidomni_plugin.data.layout import SPLITS
from vidomni_plugin.records import Category

__all__ = ["SHARES", "Cell", "Recording", "Split", "split", "totals"]

SHARES: tuple[float, float, float] = (0.6, 0.2, 0.2)
"""Of the pairs of each task, in Main_set, Eval_set and Test_set (VidHalLoc section 3)."""
OF_TOTAL, OF_CATEGORY, OF_VIDEOS = 1000.0, 1.0, 0.05
"""What one pair too many costs: in a task's split, in a category of it; and one video."""
NODES = 200
"""The program is mostly solved at its first node; after so many the best split found counts. A
limit in seconds would let a busy machine decide."""


class Cell(NamedTuple):
    """What is spread evenly over the splits."""

    task: Task
    category: Category


@dataclass(frozen=True, slots=True)
class Recording:
    """All videos of one parent recording: they stay together."""

    parent: str
    videos: int
    pairs: Mapping[Cell, int]


@dataclass(frozen=True, slots=True)
class Split:
    """Where recordings go, and how far that is from the shares asked for."""

    of_parent: Mapping[str, str]
    """Split by recording."""
    missed: Mapping[tuple[Task, str], int]
    """Pairs of a task's split above or below its exact total; empty where all are met."""


def totals(pairs: int, shares: Sequence[float] = SHARES) -> list[int]:
    """Return how many of some pairs belong to each split: largest remainder, the earlier first.

    Example:
        >>> totals(1020), totals(980), totals(7)
        ([612, 204, 204], [588, 196, 196], [4, 2, 1])
    """
    exact = [pairs * share for share in shares]
    counts = [int(part + 1e-9) for part in exact]
    order = sorted(range(len(shares)), key=lambda k: (counts[k] - exact[k], k))
    for place in order[: pairs - sum(counts)]:
        counts[place] += 1
    return counts


def split(recordings: Sequence[Recording], seed: int) -> Split:
    """Return the split of each recording.

    Args:
        recordings: Each parent once.
        seed: Of the choice among interchangeable recordings.

    Returns:
        A split whose totals by task are exact wherever whole recordings allow it, and whose
        categories are then as even as possible.
    """
    kinds: dict[tuple[tuple[Cell, int], ...], list[Recording]] = defaultdict(list)
    for recording in sorted(recordings, key=lambda one: one.parent):
        kinds[tuple(sorted(recording.pairs.items()) + _videos_of(recording))].append(recording)
    grouped = [kinds[key] for key in sorted(kinds)]
    counts = _counts(grouped)
    drawn = random.Random(seed)
    found: dict[str, str] = {}
    for alike, of_kind in zip(grouped, counts, strict=True):
        shuffled = list(alike)
        drawn.shuffle(shuffled)
        names = [name for name, number in zip(SPLITS, of_kind, strict=True) for _ in range(number)]
        found |= {one.parent: name for one, name in zip(shuffled, names, strict=True)}
    return Split(found, _missed(recordings, found))


def _videos_of(recording: Recording) -> list[tuple[Cell, int]]:
    """Return the number of videos as part of a kind, under a cell that no pair has."""
    return [(Cell("video_qa", "eeh"), -recording.videos)]


def _counts(grouped: Sequence[Sequence[Recording]]) -> NDArray[np.int64]:
    """Return how many recordings of each kind go to each split, shape ``(kinds, splits)``."""
    goals = _goals(grouped)
    exact = [goal for goal in goals if goal.cost == OF_TOTAL]
    found, proven = _solved(grouped, goals)
    if not proven and _off(found, exact):  # the totals alone are a far smaller program
        other, _ = _solved(grouped, exact)
        found = min(found, other, key=lambda counts: _off(counts, exact))
    return found


def _off(counts: NDArray[np.int64], goals: Sequence[_Goal]) -> float:
    """Return the cost of what a split misses."""
    return sum(
        goal.cost * abs(float(goal.weights @ counts[:, goal.split]) - goal.value) for goal in goals
    )


def _solved(
    grouped: Sequence[Sequence[Recording]], goals: Sequence[_Goal]
) -> tuple[NDArray[np.int64], bool]:
    """Return the counts that miss the goals least, and whether that is proven."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    numbers = len(grouped) * len(SPLITS)
    size = numbers + 2 * len(goals)  # what is above a goal, and what is below it
    cost = np.zeros(size)
    rows: list[Any] = []
    right: list[float] = []
    for place, goal in enumerate(goals):
        row = np.zeros(size)
        row[goal.split : numbers : len(SPLITS)] = goal.weights
        above = numbers + 2 * place
        row[above], row[above + 1] = -1.0, 1.0
        cost[above : above + 2] = goal.cost
        rows.append(row)
        right.append(goal.value)
    for kind, alike in enumerate(grouped):
        row = np.zeros(size)
        row[kind * len(SPLITS) : (kind + 1) * len(SPLITS)] = 1.0
        rows.append(row)
        right.append(float(len(alike)))
    solved = milp(
        cost,
        constraints=LinearConstraint(np.array(rows), right, right),
        integrality=np.concatenate([np.ones(numbers), np.zeros(size - numbers)]),
        bounds=Bounds(0.0, np.inf),
        options={"node_limit": NODES},
    )
    if solved.x is None:
        raise RuntimeError(f"no split was found: {solved.message}")
    counts = np.rint(solved.x[:numbers]).astype(np.int64).reshape(len(grouped), len(SPLITS))
    return counts, solved.status == 0


class _Goal(NamedTuple):
    split: int
    weights: Any
    """What one recording of each kind adds."""
    value: float
    cost: float


def _goals(grouped: Sequence[Sequence[Recording]]) -> list[_Goal]:
    sizes = [len(alike) for alike in grouped]
    cells = sorted({cell for alike in grouped for cell in alike[0].pairs})
    goals: list[_Goal] = []

    def add(weights: Any, values: Sequence[float], cost: float) -> None:  # noqa: ANN401
        goals.extend(_Goal(k, weights, value, cost) for k, value in enumerate(values))

    for task in sorted({cell.task for cell in cells}):
        weights = np.array(
            [
                sum(count for cell, count in alike[0].pairs.items() if cell.task == task)
                for alike in grouped
            ]
        )
        add(weights, totals(int(weights @ sizes)), OF_TOTAL)
    for cell in cells:
        weights = np.array([alike[0].pairs.get(cell, 0) for alike in grouped])
        add(weights, [share * int(weights @ sizes) for share in SHARES], OF_CATEGORY)
    videos = np.array([alike[0].videos for alike in grouped])
    add(videos, [share * int(videos @ sizes) for share in SHARES], OF_VIDEOS)
    return goals


def _missed(
    recordings: Sequence[Recording], found: Mapping[str, str]
) -> dict[tuple[Task, str], int]:
    is_there: Counter[tuple[Task, str]] = Counter()
    of_task: Counter[Task] = Counter()
    for recording in recordings:
        for cell, count in recording.pairs.items():
            is_there[cell.task, found[recording.parent]] += count
            of_task[cell.task] += count
    off = {
        (task, name): is_there[task, name] - wanted
        for task, count in sorted(of_task.items())
        for name, wanted in zip(SPLITS, totals(count), strict=True)
    }
    return {place: number for place, number in off.items() if number}
