"""Decode, resize and vision tower once a video: ``python tests/benchmarks/speed/vision.py``.

A random model in whose runs the vision tower dominates; the clip is small, so that decoding,
which is shared as well, weighs little.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import torch

from tests.benchmarks.prefix_models import (
    FRAMES,
    QUESTIONS,
    ROUNDS,
    VISION_HEAVY,
    Bench,
    ask,
    counting,
    timed,
)
from tests.benchmarks.speed.rows import Row

SHORT = 4
"""New tokens of a short answer."""


def rows() -> list[Row]:
    """Return passes of the vision tower, and CPU time with 5 questions and with one."""
    found = [_passes(dtype) for dtype in (torch.float32, torch.bfloat16)]
    bench = Bench("qwen2_5_vl", VISION_HEAVY)
    host, ours = bench.runner(), bench.runner("enc")
    for questions, target in ((QUESTIONS, 0.58), (1, 1.05)):
        times = timed(
            {
                "host": lambda questions=questions: ask(host, 1, questions, SHORT),
                "enc": lambda questions=questions: ask(ours, 1, questions, SHORT),
            }
        )
        found.append(
            Row(
                f"CPU time, {SHORT}-token answers, {questions} a video: enc",
                1.0,
                times.ratio("enc") if times.equal else float("inf"),
                target,
                "CPU time / host's",
                f"{FRAMES} frames, answers of {times.tokens:.0f} tokens, {ROUNDS} rounds; outputs "
                f"{'equal' if times.equal else 'DIFFER'}",
            )
        )
    return found


def _passes(dtype: torch.dtype) -> Row:
    """Return how often a video passes the tower; both families have to say the same."""
    passes: dict[str, set[float]] = {"host": set(), "ours": set()}
    equal = True
    for family in ("qwen2_5_vl", "qwen3_vl"):
        bench = Bench(family, VISION_HEAVY, dtype)
        answers = []
        for side, runner in (("host", bench.runner()), ("ours", bench.runner("enc"))):
            with counting(bench.model) as counts:
                answers.append(ask(runner, 1, QUESTIONS, SHORT))
            passes[side].add(float(counts.vision))
        equal = equal and answers[0] == answers[1]
    return Row(
        f"vision-tower passes a video, enc, {str(dtype).removeprefix('torch.')}",
        max(passes["host"]),
        max(passes["ours"]) if equal else float("inf"),
        1.0,
        "passes a video",
        f"{QUESTIONS} questions, qwen2_5_vl and qwen3_vl; outputs {'equal' if equal else 'DIFFER'}",
    )


if __name__ == "__main__":
    for row in rows():
        print(row, "held" if row.held else "NOT HELD")
