"""Time and memory of data checks: ``python tests/benchmarks/bench_checks.py [FOLDER]``.

Each line is a process of its own, so that its memory is its own: the full-size synthetic data
sets without videos, then 1,000 small videos (copies of the built-in clips, each with other
bytes at its end, so that each has its own content) looked into for the first time, hashed, and
remembered. Prints a table; asserts nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.conftest import vidomni_record, write_lines
from tests.data.checks.synthetic import synthetic_vidhalloc, synthetic_vidomni
from vidomni_plugin.data.locate import mini_root

VIDEOS = 1000
SHORT_BYTES = 30_000
"""Larger clips are left out: the long ones are long to look into."""
CODE = """
import resource, sys, time
start = time.perf_counter()
from vidomni_plugin.cli import app
try:
    app(sys.argv[1:])
except SystemExit as end:
    code = end.code
used = resource.getrusage(resource.RUSAGE_SELF)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = time.perf_counter() - start
print(seconds, used.ru_maxrss / 1024, used.ru_utime + children.ru_utime, code, file=sys.stderr)
"""


def measured(what: str, *arguments: str) -> None:
    """Run ``vidomni data check`` in a process of its own and print what it took."""
    command = [sys.executable, "-c", CODE, "data", "check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds, memory, busy, code = done.stderr.split()[-4:]
    print(
        f"{what:<44} {float(seconds):6.2f} s {float(memory):5.0f} MB "
        f"{float(busy):6.2f} s of processor, ends with {code}"
    )


def free_box(number: int) -> bytes:
    """Return a box that players pass over, which gives a file a content of its own."""
    content = hashlib.sha256(str(number).encode()).digest()
    return (8 + len(content)).to_bytes(4, "big") + b"free" + content


def many_videos(root: Path) -> Path:
    """Lay out a VidOmni data set of 1,000 small videos."""
    source = mini_root("vidomni").path
    lines = (source / "pairs.jsonl").read_text("utf-8").splitlines()
    stated = {row["video_id"]: row for row in map(json.loads, lines)}
    clips = [
        clip
        for clip in sorted((source / "videos").glob("*.mp4"))
        if clip.stat().st_size < SHORT_BYTES and stated[clip.stem]["duration_s"] < 10
    ]
    (root / "videos").mkdir(parents=True)
    pairs, videos = [], []
    for k in range(VIDEOS):
        clip = clips[k % len(clips)]
        content = clip.read_bytes() + free_box(k)
        (root / "videos" / f"v{k}.mp4").write_bytes(content)
        about = {name: stated[clip.stem][name] for name in ("duration_s", "has_audio")}
        about |= {"video_id": f"v{k}", "complexity_type": 2, "source_dataset": "other"}
        pairs.append(vidomni_record(pair_id=f"p{k}", **about))
        videos.append({**about, "sha256": hashlib.sha256(content).hexdigest()})
    write_lines(root / "pairs.jsonl", pairs)
    write_lines(root / "videos.jsonl", videos)
    return root


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else None) as folder:
        root = Path(folder)
        os.environ["VIDOMNI_HOME"] = str(root / "home")
        os.environ["VIDOMNI_PROBE_SECONDS"] = "60"
        halloc, omni = synthetic_vidhalloc(root / "halloc"), synthetic_vidomni(root / "omni")
        print(f"{os.cpu_count()} processors")
        measured("VidHalLoc, 2,000 items", "vidhalloc", "--root", str(halloc), "--no-videos")
        measured("VidOmni, 64,843 sentences", "vidomni", "--root", str(omni), "--no-videos")
        many = str(many_videos(root / "many"))
        measured("1,000 videos, first time, with hashes", "vidomni", "--root", many)
        measured("1,000 videos, remembered", "vidomni", "--root", many)


if __name__ == "__main__":
    main()
