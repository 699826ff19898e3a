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
from vidomni_plugin.build.release.swaps import cost_of, improved
from vidomni_plugin.data.layout import SPLITS
from vidomni_plugin.records import Category

__all__ = ["SHARES", "Cell", "Recording", "Split", "split", "totals"]

SHARES: tuple[float, float, float] = (0.6, 0.2, 0.2)
"""Of the pairs of each task, in Main_set, Eval_set and Test_set (VidHalLoc section 3)."""
OF_TOTAL, OF_CATEGORY, OF_VIDEOS = 1000.0, 1.0, 0.05
"""What one pair too many costs: in a task's split, in a category of it; and one video."""
NODES = 100
"""The program is mostly solved at its first node; after so many the best split found is improved
by exchanges. A limit in seconds would let a busy machine decide."""
EXACT_NODES = 20_000
"""The same where totals alone count: 2,000 pairs of 10 to 100 recordings needed less."""


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
    if not recordings:
        return Split({}, {})
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
    sizes = [len(alike) for alike in grouped]
    found, proven = _solved(sizes, goals, NODES)
    if proven:
        return found
    # The totals alone are a far smaller program; exchanges then make the rest even.
    exact, _ = _solved(sizes, [goal for goal in goals if goal.cost == OF_TOTAL], EXACT_NODES)
    weights = np.stack([goal.weights for goal in goals])
    wanted = np.stack([goal.values for goal in goals])
    costs = np.array([goal.cost for goal in goals])
    return min(
        (improved(counts, weights, wanted, costs) for counts in (found, exact)),
        key=lambda counts: cost_of(weights @ counts, wanted, costs),
    )


class _Solved(NamedTuple):
    counts: NDArray[np.int64]
    proven: bool
    """Whether no others miss the goals less."""


def _solved(sizes: Sequence[int], goals: Sequence[_Goal], nodes: int) -> _Solved:
    """Return the counts that miss the goals least, as far as they were found."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    splits = len(SPLITS)
    numbers = len(sizes) * splits
    size = numbers + 2 * splits * len(goals)  # what is above a goal, and what is below it
    cost = np.zeros(size)
    rows: list[Any] = []
    right: list[float] = []
    for place, goal in enumerate(goals):
        for split_number, value in enumerate(goal.values):
            row = np.zeros(size)
            row[split_number:numbers:splits] = goal.weights
            above = numbers + 2 * (splits * place + split_number)
            row[above], row[above + 1] = -1.0, 1.0
            cost[above : above + 2] = goal.cost
            rows.append(row)
            right.append(float(value))
    for kind, there in enumerate(sizes):
        row = np.zeros(size)
        row[kind * splits : (kind + 1) * splits] = 1.0
        rows.append(row)
        right.append(float(there))
    solved = milp(
        cost,
        constraints=LinearConstraint(np.array(rows), right, right),
        integrality=np.concatenate([np.ones(numbers), np.zeros(size - numbers)]),
        bounds=Bounds(0.0, np.inf),
        options={"node_limit": nodes, "mip_rel_gap": 0.0},
    )
    if solved.x is None:  # any split is one; this one is improved
        counts = np.zeros((len(sizes), splits), dtype=np.int64)
        counts[:, 0] = sizes
        return _Solved(counts, False)
    counts = np.rint(solved.x[:numbers]).astype(np.int64).reshape(len(sizes), splits)
    return _Solved(counts, solved.status == 0)


class _Goal(NamedTuple):
    """What is spread over the splits."""

    weights: Any
    """What one recording of each kind adds."""
    values: Any
    """What each split should have."""
    cost: float


def _goals(grouped: Sequence[Sequence[Recording]]) -> list[_Goal]:
    sizes = [len(alike) for alike in grouped]
    cells = sorted({cell for alike in grouped for cell in alike[0].pairs})
    goals: list[_Goal] = []
    for task in sorted({cell.task for cell in cells}):
        weights = np.array(
            [
                sum(count for cell, count in alike[0].pairs.items() if cell.task == task)
                for alike in grouped
            ]
        )
        goals.append(_Goal(weights, totals(int(weights @ sizes)), OF_TOTAL))
    by_cell = [
        (np.array([a[0].pairs.get(cell, 0) for a in grouped]), OF_CATEGORY) for cell in cells
    ]
    videos = (np.array([alike[0].videos for alike in grouped]), OF_VIDEOS)
    for weights, cost in [*by_cell, videos]:
        everything = int(weights @ sizes)
        goals.append(_Goal(weights, [share * everything for share in SHARES], cost))
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
