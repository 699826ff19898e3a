"""How fast the joint bootstrap is, and that a plain loop gives the same numbers.

``python tests/benchmarks/bench_bootstrap.py`` draws the videos of VidHalLoc's evaluation set
(800 items on 436 videos, fifteen methods) 10,000 times, both ways, with the same seed. The times
are process times, so that other work on the machine does not count.
"""

from __future__ import annotations

import time

import numpy as np

from vidomni_plugin.bootstrap import LEVEL
from vidomni_plugin.joint import joint_means

METHODS, ITEMS, VIDEOS, DRAWS, SEED = 15, 800, 436, 10_000, 20260906


def outcomes() -> tuple[list[list[int]], list[int]]:
    """Return 100 or 0 for each item and method, and the video of each item."""
    generator = np.random.default_rng(1)
    videos = [*range(VIDEOS), *generator.integers(0, VIDEOS, ITEMS - VIDEOS).tolist()]
    shares = np.linspace(0.05, 0.85, METHODS)
    values = 100 * (generator.random((ITEMS, METHODS)) < shares)
    return values.astype(int).tolist(), videos


def plain_loop(
    values: list[list[int]], videos: list[int], *, seed: int, draws: int
) -> list[tuple[float, float]]:
    """Return the interval of each method: one method, one draw, one video, one item at a time."""
    items_of: dict[int, list[int]] = {}
    for item, video in enumerate(videos):
        items_of.setdefault(video, []).append(item)
    groups = list(items_of.values())
    intervals = []
    for method in range(len(values[0])):
        generator = np.random.default_rng(seed)
        means = []
        for _ in range(draws):
            total, items = 0, 0
            for drawn in generator.integers(0, len(groups), len(groups)).tolist():
                for item in groups[drawn]:
                    total += values[item][method]
                    items += 1
            means.append(total / items)
        low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        intervals.append((float(low), float(high)))
    return intervals


def main() -> None:
    """Measure both."""
    values, videos = outcomes()
    joint_means(values, videos, seed=SEED, draws=10)  # what is loaded once is not measured
    fast = []
    for _ in range(3):
        start, cpu = time.perf_counter(), time.process_time()
        found = joint_means(values, videos, seed=SEED, draws=DRAWS)
        fast.append((time.perf_counter() - start, time.process_time() - cpu))
    start, cpu = time.perf_counter(), time.process_time()
    expected = plain_loop(values, videos, seed=SEED, draws=DRAWS)
    plain = (time.perf_counter() - start, time.process_time() - cpu)
    best = min(fast)
    same = [(e.low, e.high) for e in found] == expected
    print(f"{DRAWS:,} draws, {METHODS} methods, {ITEMS} items, {VIDEOS} videos, seed {SEED}")
    print(f"joint_means {best[0]:8.2f} s wall {best[1]:8.2f} s CPU (best of 3)")
    print(f"plain loop  {plain[0]:8.2f} s wall {plain[1]:8.2f} s CPU")
    print(
        f"{plain[0] / best[0]:.0f} times in wall time, {plain[1] / best[1]:.0f} times in CPU time"
    )
    print(f"same numbers: {same}; {METHODS} intervals, the first {expected[0]}")


if __name__ == "__main__":
    main()
