"""What is computed once for all answers about a video.

``python tests/benchmarks/bench_detectors.py``, about a minute.

EMScore on clips of the built-in sample, with a random CLIP of the real architecture at the real
picture size, but narrow: both sides run the same model on the same frames. "Each item alone"
decodes the video and encodes its frames anew for every answer. CPU time of one thread.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from tests.benchmarks.speed.rows import Row
from tests.models.detectors.tiny_clip import build
from vidomni_plugin.data.load import inspect_vidhalloc
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.models.detectors import features
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.emscore import EMScoreDetector
from vidomni_plugin.models.detectors.frames import Frame, Frames

FRAMES = 32
VIDEOS = 4
ANSWERS = (2, 4, 10)
"""About a video: VidHalLoc has 4 on average, and a pair has 2."""
ROUNDS = 3
WIDTH, LAYERS, SIZE, PATCH = 192, 6, 224, 32
OF_TEXTS = 0.1
"""What texts, which have to be encoded all the same, may add to the share that is left."""

Scores = list[float | None]


def rows() -> list[Row]:
    """Return decodes, frames, texts and CPU time for several numbers of answers a video."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        path = build(Path(folder) / "clip", 256, size=SIZE, patch=PATCH, width=WIDTH, layers=LAYERS)
        return [row for answers in ANSWERS for row in _of(path, answers)] + _kept(path)


def _of(path: Path, answers: int) -> list[Row]:
    detector = _detector(path)
    work = _work(answers)
    counts: dict[str, tuple[int, int, int]] = {}
    scores: dict[str, Scores] = {}
    best: dict[str, float] = {}
    sides: dict[str, Callable[[EMScoreDetector], Scores]] = {
        "alone": lambda one: _alone(one, work),
        "ours": lambda one: _ours(one, work),
    }
    for _ in range(ROUNDS):  # in turn, so that a busy machine slows down both
        for side, run in sides.items():
            with _Counting(detector) as counting:
                start = time.process_time()
                scores[side] = run(detector)
                seconds = time.process_time() - start
            counts[side] = counting.found()
            best[side] = min(best.get(side, seconds), seconds)
    equal = scores["alone"] == scores["ours"]
    note = f"{VIDEOS} videos, {FRAMES} frames; scores {'equal' if equal else 'DIFFER'}"
    named = ("decodes a video", "frames through the model a video", "texts through it a video")
    found = [
        Row(
            f"{answers} answers a video: {name}",
            alone / VIDEOS,
            ours / VIDEOS if equal else float("inf"),
            target,
            name,
            note,
        )
        for name, alone, ours, target in zip(
            named, counts["alone"], counts["ours"], (1, FRAMES, answers), strict=True
        )
    ]
    ratio = best["ours"] / best["alone"]
    target = 1 / answers + OF_TEXTS
    return [
        *found,
        Row(f"{answers} answers a video: CPU time", 1.0, ratio, target, "each item alone", note),
    ]


def _kept(path: Path) -> list[Row]:
    """Return what a second run decodes where features are kept on disk."""
    work = _work(2)
    with tempfile.TemporaryDirectory() as folder:
        first = _detector(path, features=folder)
        expected = _ours(first, work)
        again = _detector(path, features=folder)
        with _Counting(again) as counting:
            equal = _ours(again, work) == expected
        decodes, frames, _ = counting.found()
    note = f"features=DIR; scores {'equal' if equal else 'DIFFER'}"
    ours = float(decodes + frames) if equal else float("inf")
    return [Row("second run: decodes and frames", VIDEOS * (1.0 + FRAMES), ours, 0, "all", note)]


def _detector(path: Path, **more: object) -> EMScoreDetector:
    return EMScoreDetector(str(path), frames=FRAMES, device="cpu", **more)


def _work(answers: int) -> list[tuple[Shown, list[str]]]:
    """Return videos, each with as many texts."""
    pairs = inspect_vidhalloc(mini_root("vidhalloc")).pairs
    texts = [f"{p.record.question} {p.record.answer}" for p in pairs]
    videos = list({p.facts.digest: Shown(str(p.video), p.facts.digest) for p in pairs}.values())
    return [
        (video, [texts[(7 * k + i) % len(texts)] for i in range(answers)])
        for k, video in enumerate(videos[:VIDEOS])
    ]


def _ours(detector: EMScoreDetector, work: list[tuple[Shown, list[str]]]) -> Scores:
    detector.frames._kept.clear()
    return [one.score for video, texts in work for one in detector.score_video(video, texts)]


def _alone(detector: EMScoreDetector, work: list[tuple[Shown, list[str]]]) -> Scores:
    found: Scores = []
    for video, texts in work:
        for text in texts:
            detector.frames._kept.clear()
            found += [one.score for one in detector.score_video(video, [text])]
    return found


class _Counting:
    """Counts decodes, and what goes through the model, while it is open."""

    def __init__(self, detector: EMScoreDetector) -> None:
        self._detector = detector
        self._decodes = 0

    def __enter__(self) -> _Counting:
        self._frames, self._texts = self._detector.frames.encoded, self._detector.texts
        self._own = features.shown_frames

        def counted(path: str, frames: Frames) -> Iterator[Frame]:
            self._decodes += 1
            return self._own(path, frames)

        features.shown_frames = counted
        return self

    def __exit__(self, *error: object) -> None:
        features.shown_frames = self._own

    def found(self) -> tuple[int, int, int]:
        """Return decodes, frames and texts."""
        frames = self._detector.frames.encoded - self._frames
        return self._decodes, frames, self._detector.texts - self._texts


if __name__ == "__main__":
    for row in rows():
        held = "held" if row.held else "NOT HELD"
        print(
            f"{row.quantity:55} alone {row.host:8.2f}  here {row.ours:8.3f}  {held}  ({row.note})"
        )
