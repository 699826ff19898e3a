"""The videos that the page links to, and small pictures of them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from vidomni_plugin.data.locate import Benchmark
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.report.page.page import Media
from vidomni_plugin.report.runs import Run

__all__ = ["link_to", "media_of", "poster_frames", "video_ids"]

FOLDERS: dict[Benchmark, tuple[str, ...]] = {
    "vidomni": ("videos",),
    "vidhalloc": ("videoqa", "video caption"),
}
"""Where a benchmark's root holds its videos."""
POSTER_WIDTH = 176
"""Pixels; four pictures of each of 500 videos then take about 8 MB of the page."""
POSTERS = 3
"""Pictures of a video, from its beginning, middle and end."""
QUALITY = 60
"""Of JPEG: small, and a face or a word on a sign can still be made out."""


def video_ids(runs: Iterable[Run]) -> dict[Benchmark, set[str]]:
    """Return the ids of the videos that the runs' items are about, by benchmark."""
    found: dict[Benchmark, set[str]] = {"vidomni": set(), "vidhalloc": set()}
    for task in (task for run in runs for task in run.tasks.values()):
        if task.kind == "vidomni" or task.kind == "vidhalloc":
            found[task.kind] |= {str(item["video_id"]) for item in task.items}
    return found


def media_of(
    runs: Iterable[Run],
    roots: Mapping[Benchmark, Path],
    page_folder: Path,
    *,
    posters: bool = False,
    seen: Callable[[int, int], None] | None = None,
) -> Media:
    """Return links to the files of the runs' videos, and poster frames when asked for.

    Args:
        runs: The runs of the report.
        roots: Folder of each benchmark's data on this machine; one that is left out has no
            links.
        page_folder: Where the page will lie; links are relative to it where they can be.
        posters: Whether to decode small pictures into the page.
        seen: Told (videos done, videos in all) while pictures are made.

    Returns:
        What ``build_page`` takes; a video without a file, or that cannot be decoded, is left
        out.
    """
    files: dict[str, Path] = {}
    for benchmark, ids in video_ids(runs).items():
        if benchmark in roots:
            for folder in FOLDERS[benchmark]:
                files |= find_videos(roots[benchmark] / folder, ids)
    pictures: dict[str, list[bytes]] = {}
    for k, (video, path) in enumerate(sorted(files.items()) if posters else (), 1):
        if frames := poster_frames(path):
            pictures[video] = frames
        if seen:
            seen(k, len(files))
    return Media({video: link_to(path, page_folder) for video, path in files.items()}, pictures)


def link_to(path: Path, folder: Path) -> str:
    """Return the URL of a file for a page in ``folder``: relative where both are on one disk.

    Example:
        >>> link_to(Path("/data/a b#1.mp4"), Path("/data/out"))
        '../a%20b%231.mp4'
    """
    path, folder = Path(os.path.abspath(path)), Path(os.path.abspath(folder))
    try:
        # "./" keeps a name with a colon from being read as a scheme.
        relative = quote(Path(os.path.relpath(path, folder)).as_posix())
    except ValueError:  # other drive
        return path.as_uri()
    return relative if relative.startswith("..") else f"./{relative}"


def poster_frames(path: Path, count: int = POSTERS) -> list[bytes]:
    """Return small JPEG pictures spread over a video; empty where it cannot be decoded."""
    import av

    pictures: list[bytes] = []
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            length = container.duration or 0
            for k in range(count):
                # Microseconds, as the container counts; key frames are near enough.
                container.seek(length * (2 * k + 1) // (2 * count))
                frame = next(container.decode(stream), None)
                if frame is not None:
                    height = max(2, round(frame.height * POSTER_WIDTH / frame.width))
                    picture = frame.to_image(  # type: ignore[no-untyped-call]
                        width=POSTER_WIDTH, height=height
                    )
                    file = io.BytesIO()
                    picture.save(file, "JPEG", quality=QUALITY, optimize=True)
                    pictures.append(file.getvalue())
    except (OSError, ValueError, IndexError, av.FFmpegError):
        return pictures
    # A short clip with one key frame gives the same picture several times.
    return list(dict.fromkeys(pictures))
