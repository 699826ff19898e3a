"""The language model's prefix once a video: ``python tests/benchmarks/speed/prefill.py``.

A random model in whose runs the language model dominates. What is prefilled is counted where
it enters the language model, of the host's runner and of ours.
"""

from __future__ import annotations

import sys
from itertools import takewhile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.benchmarks.prefix_models import (
    FRAMES,
    QUESTIONS,
    ROUNDS,
    TEXT_HEAVY,
    Bench,
    ask,
    counting,
    timed,
)
from tests.benchmarks.speed.rows import Row

SHORT, LONG = 4, 64
"""New tokens of an answer."""
VIDEOS = 5
"""With 5 questions each: 25 requests."""


def rows() -> list[Row]:
    """Return tokens that are prefilled, and CPU time with short and with long answers."""
    bench = Bench("qwen2_5_vl", TEXT_HEAVY)
    return [_tokens(bench), _time(bench, SHORT, "kv", 0.30), _time(bench, LONG, "kvb", 0.33)]


def _tokens(bench: Bench) -> Row:
    """Return the tokens a video.

    What must be prefilled is what the prompts begin with, and of each what is its own. The
    texts are the same for all videos, and so are the prompts.
    """
    with counting(bench.model) as theirs:
        expected = ask(bench.runner(), VIDEOS, QUESTIONS, SHORT)
    with counting(bench.model) as mine:
        answers = ask(bench.runner("kv"), VIDEOS, QUESTIONS, SHORT)
    prompts = theirs.prompts
    side_by_side = zip(*prompts, strict=False)
    shared = sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, side_by_side))
    least = shared + sum(len(prompt) - shared for prompt in prompts)
    different = len({answer.text for answer in expected})
    equal = answers == expected
    return Row(
        "language-model prefill tokens a video: kv",
        theirs.prefill / VIDEOS,
        mine.prefill / VIDEOS if equal else float("inf"),
        1.05 * least,
        "tokens a video",
        f"V + I = {shared}, 5 C = {least - shared}; {len(expected)} requests with {different} "
        f"different answers in float32; outputs {'equal' if equal else 'DIFFER'}",
    )


def _time(bench: Bench, new_tokens: int, way: str, target: float) -> Row:
    host, ours = bench.runner(), bench.runner(way)
    times = timed(
        {
            "host": lambda: ask(host, 1, QUESTIONS, new_tokens),
            way: lambda: ask(ours, 1, QUESTIONS, new_tokens),
        }
    )
    return Row(
        f"CPU time, {new_tokens}-token answers, {QUESTIONS} a video: {way}",
        1.0,
        times.ratio(way) if times.equal else float("inf"),
        target,
        "CPU time / host's",
        f"{FRAMES} frames, answers of {times.tokens:.0f} tokens, {ROUNDS} rounds; outputs "
        f"{'equal' if times.equal else 'DIFFER'}",
    )


if __name__ == "__main__":
    for row in rows():
        print(row, "held" if row.held else "NOT HELD")
