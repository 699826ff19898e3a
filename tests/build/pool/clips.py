"""A pool of 60 small clips; what each is follows from its name."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

Frames = list[NDArray[np.uint8]]

WIDTH, HEIGHT, FPS, COUNT = 96, 64, 16, 32
LIMITS = ("--min-side", "48", "--min-seconds", "1.5")
"""Options under which the good clips are large and long enough."""
PLAIN = 24
"""Good clips with an object that moves at a usual speed."""


def picture(seed: int, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.uint8]:
    """Return a smooth random picture, another one for each seed."""
    coarse = np.random.default_rng(seed).integers(0, 255, (5, 7, 3)).astype(np.uint8)
    return np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC))


def scene(
    seed: int,
    speed: float = 24.0,
    *,
    size: int = 16,
    seconds: float = COUNT / FPS,
    fps: float = FPS,
    scale: int = 1,
) -> Frames:
    """Return frames of a square that goes back and forth over a picture.

    Args:
        seed: Of the picture and the square's colour.
        speed: Of the square, in pixels a second.
        size: Of the square.
        seconds: Length.
        fps: Frames a second; the scene is the same one at each rate.
        scale: The same scene in more pixels.
    """
    back = picture(seed, WIDTH * scale, HEIGHT * scale)
    colour = np.random.default_rng(seed + 1000).integers(0, 255, 3)
    room = WIDTH - size
    frames = []
    for number in range(round(seconds * fps)):
        way = speed * number / fps % (2 * room)
        left = round(min(way, 2 * room - way) * scale)
        frame = back.copy()
        frame[20 * scale : (20 + size) * scale, left : left + size * scale] = colour
        frames.append(frame)
    return frames


def write(path: Path, frames: Sequence[NDArray[np.uint8]], fps: float = FPS, crf: int = 20) -> Path:
    """Encode frames by the ending of the name: H.264, or MPEG-4 in AVI."""
    path.parent.mkdir(parents=True, exist_ok=True)
    avi = path.suffix == ".avi"
    options = {"qscale": "3"} if avi else {"crf": str(crf), "preset": "veryfast", "g": "16"}
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("mpeg4" if avi else "libx264", rate=round(fps))
        stream.options = {**options, "threads": "1"}
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def cut(path: Path, share: float = 0.6) -> Path:
    """Cut off the end of a file."""
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    return path


def resized(frames: Frames, width: int, height: int) -> Frames:
    return [
        np.asarray(Image.fromarray(frame).resize((width, height), Image.Resampling.BICUBIC))
        for frame in frames
    ]


def cropped(frames: Frames, left: float, top: float, width: float, height: float) -> Frames:
    """Return a part of each frame, all given as shares, blown up to the old size."""
    rows, columns = frames[0].shape[:2]
    x, y = math.floor(left * columns), math.floor(top * rows)
    part = [
        frame[y : y + math.floor(height * rows), x : x + math.floor(width * columns)]
        for frame in frames
    ]
    return resized(part, columns, rows)


CROPS = (
    (0.05, 0.05, 0.9, 0.9),
    (0.0, 0.0, 0.9, 1.0),
    (0.1, 0.1, 0.85, 0.85),
    (0.0, 0.2, 1.0, 0.8),
    (0.03, 0.0, 0.95, 0.95),
)


def speed(number: int) -> float:
    """Return how fast a plain clip's object moves: all speeds in both folders."""
    return 8.0 + 2 * (7 * number % PLAIN)


def make_pool(root: Path) -> Path:
    """Write 60 clips into ``root/a`` and ``root/b``; a name begins with what the clip is."""
    a, b = root / "a", root / "b"
    for number in range(PLAIN):
        folder = a if number < PLAIN // 2 else b
        write(folder / f"good_{number:02d}.mp4", scene(number, speed(number)))
    for number in range(3):
        # One small square in a corner moves by a few pixels: still, and not frozen.
        write(a / f"good_still_{number}.mp4", scene(100 + number, 2.0, size=6))
        write(b / f"good_fast_{number}.mp4", scene(200 + number, 400.0, size=40))
    for number in range(5):
        frames = scene(number, speed(number))
        write(b / f"near_encoded_{number}.mkv", frames, crf=36)
        shares = CROPS[number]
        write(b / f"near_cropped_{number}.mp4", cropped(frames, *shares), crf=26)
    for number in range(5, 8):
        frames = scene(number, speed(number))
        write(b / f"near_scaled_{number}.avi", resized(frames, 80, 60))
    for number in range(4):
        (b / f"exact_{number}.mp4").write_bytes((a / f"good_{number:02d}.mp4").read_bytes())
    black = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)
    lit = scene(300)
    write(a / "black_0.mp4", [black] * COUNT)
    write(b / "black_1.mkv", [*lit[:2], *[black] * (COUNT - 2)])
    for number in range(3):
        still = picture(400 + number)
        write(a / f"frozen_{number}.mp4", [still] * COUNT, crf=(18, 20, 23)[number])
    for number, ending in enumerate((".mp4", ".mkv", ".avi")):
        cut(write(b / f"truncated_{number}{ending}", scene(500 + number)))
    write(a / "small_0.mp4", resized(scene(600), 64, 40))
    write(b / "small_1.mp4", resized(scene(601), 40, 64))
    write(a / "short_0.mp4", scene(700, seconds=1.0))
    write(b / "short_1.mp4", scene(701, seconds=1 / FPS))
    (b / "empty_0.mp4").write_bytes(b"")
    return root


EXPECTED: dict[str, str] = {
    "near": "near_duplicate",
    "exact": "exact_duplicate",
    "black": "black",
    "frozen": "frozen",
    "truncated": "truncated",
    "small": "too_small",
    "short": "too_short",
    "empty": "empty",
}
"""Reason of a clip by the first word of its name; good ones have none."""


def copy_pool(root: Path, out: Path, keep: Callable[[Path], bool] = lambda path: True) -> Path:
    """Copy some of the clips."""
    for path in sorted(root.glob("*/*")):
        if keep(path):
            target = out / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return out
