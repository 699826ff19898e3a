"""Write the built-in sample: ``python -m vidomni_plugin.data.mini.build [OUT]``."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vidomni_plugin.data.layout import FULL_SET, INVENTORY, TASK_SETS
from vidomni_plugin.data.mini.clips import CLIPS, SIDE, Clip
from vidomni_plugin.data.mini.draw import frames
from vidomni_plugin.data.mini.encode import write_clip
from vidomni_plugin.data.mini.vidhalloc_items import Video, vidhalloc_videos
from vidomni_plugin.data.mini.vidomni_items import vidomni_records

__all__ = ["build"]

HERE = Path(__file__).parent


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_bytes("".join(lines).encode())


def _write_clip(path: Path, clip: Clip) -> None:
    write_clip(path, frames(clip.scene, SIDE), clip.scene.fps, clip.sound)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _inventory(video: Video, path: Path) -> dict[str, Any]:
    clip = CLIPS[video.clip]
    return {
        "video_id": video.video_id,
        "task_type": video.task,
        "split": clip.split,
        "packaged_path": video.packaged_path,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "sample_count": len(video.records),
        "duration_seconds": float(clip.scene.seconds),
    }


def _vidomni(root: Path, clips: Path) -> None:
    records = list(vidomni_records((HERE / "captions.txt").read_text(encoding="utf-8")))
    _write_lines(root / "pairs.jsonl", records)
    for video_id in sorted({record["video_id"] for record in records}):
        _copy(clips / f"{video_id}.mp4", root / "videos" / f"{video_id}.mp4")


def _vidhalloc(root: Path, clips: Path) -> None:
    videos = list(vidhalloc_videos((HERE / "answers.txt").read_text(encoding="utf-8")))
    for video in videos:
        _copy(clips / f"{video.clip}.mp4", root / video.packaged_path)
    _write_lines(
        root / FULL_SET,
        (record for video in videos for record in video.records),
    )
    for task, files in TASK_SETS.items():
        mine = [video for video in videos if video.task == task]
        _write_lines(
            root / files.full,
            (record for video in mine for record in video.records),
        )
        for split, name in files.splits.items():
            _write_lines(
                root / name,
                (r for video in mine if CLIPS[video.clip].split == split for r in video.records),
            )
    _write_lines(
        root / INVENTORY,
        (_inventory(video, root / video.packaged_path) for video in videos),
    )


def build(out: Path) -> None:
    """Write the clips and the records of both benchmarks.

    Args:
        out: The folder that gets ``vidomni/`` and ``vidhalloc/``. Records come out the same
            everywhere; the bytes of the clips depend on the encoder's version.
    """
    with TemporaryDirectory() as folder:
        for name, clip in CLIPS.items():
            _write_clip(Path(folder) / f"{name}.mp4", clip)
        _vidomni(out / "vidomni", Path(folder))
        _vidhalloc(out / "vidhalloc", Path(folder))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Write the built-in sample.")
    parser.add_argument("out", nargs="?", type=Path, default=HERE, help="default: the package")
    build(parser.parse_args(arguments).out)


if __name__ == "__main__":
    main()
