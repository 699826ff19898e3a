"""CPU time and peak memory of 32 frames of a clip of 90 minutes: the lean reader and decord.

``python tests/benchmarks/speed/reader.py`` prints the rows; with ``10x600`` and the like, those of
600 frames of a clip of 10 minutes. Each reading takes place in a process of its own, decord's and
ours in turn. The clip of 90 minutes takes 0.7 GB of the temporary folder.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.benchmarks.speed.rows import Row  # noqa: E402

RATE = 25
SIZE = (1280, 720)
ROUNDS = 3
KEY_EVERY = 10
"""Seconds between key frames: x264's own choice is 250 frames."""


class Clip(NamedTuple):
    """What is read."""

    minutes: int = 90
    frames: int = 32


CHILD = """
import hashlib, json, os, resource, sys, threading, time
name, path, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
import numpy as np

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

import av, decord
from vidomni_plugin.video.readers import OPENERS
before, peak, done = resident(), [0], threading.Event()
def watch():
    while not done.wait(0.005):
        peak[0] = max(peak[0], resident())
watcher = threading.Thread(target=watch); watcher.start()
start = time.process_time()
if name == "decord":
    video = decord.VideoReader(path)
    numbers = np.linspace(0, len(video) - 1, wanted).round().astype(int).tolist()
    frames = video.get_batch(numbers).asnumpy()
else:
    video = OPENERS[name](path)
    numbers = np.linspace(0, video.frames - 1, wanted).round().astype(int).tolist()
    frames = video.read(numbers)
seconds = time.process_time() - start
done.set(); watcher.join()
print(json.dumps({"cpu": seconds, "peak": max(peak[0], resident()) - before,
                  "size": frames.nbytes, "pixels": hashlib.sha256(frames).hexdigest()}))
"""


def long_clip(path: Path, minutes: int) -> Path:
    """Write a clip of some minutes: one group of moving pictures, its packets repeated in time."""
    import av
    import numpy as np

    width, height = SIZE
    group = RATE * KEY_EVERY
    options = {"g": str(group), "keyint_min": str(group), "bf": "3", "preset": "veryfast"}
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (height + 128, width + 512, 3), dtype=np.uint8)
    noise = noise // 4 + np.linspace(0, 190, width + 512, dtype=np.uint8)[None, :, None]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options=options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        packets = []
        for number in range(group):
            top, left = number % 128, 2 * number % 512
            part = np.ascontiguousarray(noise[top : top + height, left : left + width])
            packets += stream.encode(av.VideoFrame.from_ndarray(part, format="rgb24"))
        packets += stream.encode(None)
        step = round(1 / (RATE * Fraction(packets[0].time_base)))
        contents = [(bytes(p), p.pts, p.dts, p.is_keyframe) for p in packets]
        base = packets[0].time_base
        for turn in range(minutes * 60 // KEY_EVERY):
            for content, pts, dts, is_key in contents:
                packet = av.Packet(content)
                packet.stream, packet.time_base, packet.is_keyframe = stream, base, is_key
                packet.pts = pts + turn * group * step
                packet.dts = dts + turn * group * step
                packet.duration = step
                container.mux(packet)
    return path


def measured(name: str, path: Path, frames: int) -> dict[str, float | str]:
    """Read the clip in a process of its own."""
    command = [sys.executable, "-c", CHILD, name, str(path), str(frames)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    result: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return result


def rows(read: Clip = Clip()) -> list[Row]:  # noqa: B008 - it cannot be changed
    """Return CPU time against decord's, and peak memory against the frames' own size."""
    with tempfile.TemporaryDirectory() as folder:
        path = long_clip(Path(folder) / "long.mp4", read.minutes)
        runs = {name: [] for name in ("decord", "pyav")}
        for _ in range(ROUNDS):
            for name, done in runs.items():
                done.append(measured(name, path, read.frames))
    same = len({run["pixels"] for done in runs.values() for run in done}) == 1
    cpu, peak = (
        {name: statistics.median(float(run[key]) for run in done) for name, done in runs.items()}
        for key in ("cpu", "peak")
    )
    size = float(runs["pyav"][0]["size"])
    pixels = "same pixels" if same else "OTHER PIXELS"
    clip = f"{read.frames} frames of {read.minutes} min in {SIZE[1]}p, {ROUNDS} rounds, {pixels}"
    seconds = f"decord {cpu['decord']:.1f} s, pyav {cpu['pyav']:.1f} s"
    return [
        Row(
            "reader: CPU time of pyav",
            1.0,
            cpu["pyav"] / cpu["decord"] if same else float("inf"),
            0.55,
            "CPU time / decord's",
            f"{clip}; {seconds}",
        ),
        Row(
            "reader: peak memory of pyav",
            peak["decord"] / size,
            peak["pyav"] / size if same else float("inf"),
            1.5,
            "peak / the frames' own size",
            f"frames {size / 1e6:.0f} MB",
        ),
    ]


if __name__ == "__main__":
    for text in sys.argv[1:]:  # the targets are those of the long clip
        for row in rows(Clip(*map(int, text.split("x")))):
            print(f"{row.quantity}: {row.ours:.2f}, decord {row.host:.2f} ({row.unit}); {row.note}")
    for row in rows() if not sys.argv[1:] else []:
        print(row, "held" if row.held else "MISSED")
