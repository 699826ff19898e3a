"""The videos that the page links to, and small pictures of them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from vidomni_plugin.data.layout import VIDEO_FOLDER
from vidomni_plugin.data.locate import Benchmark
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.report.page.items import video_key
from vidomni_plugin.report.page.page import Media
from vidomni_plugin.report.runs import Run

__all__ = ["files_of", "link_to", "media_of", "poster_frames", "wanted_videos"]

Folder = tuple[Benchmark, str]
"""A folder of videos in the root of a benchmark."""
OF_VIDOMNI = "videos"
"""Where VidOmni's root holds its videos."""
POSTER_WIDTH = 176
"""Pixels; three pictures of each of 500 videos then take about 8 MB of the page."""
POSTERS = 3
"""Pictures of a video, from its beginning, middle and end."""
QUALITY = 60
"""Of JPEG: small, and a face or a word on a sign can still be made out."""


def wanted_videos(runs: Iterable[Run]) -> dict[Folder, dict[str, str]]:
    """Return the videos that the runs' items are about: of each folder, keys by video id."""
    found: dict[Folder, dict[str, str]] = {}
    for task in (task for run in runs for task in run.tasks.values()):
        if task.kind != "vidomni" and task.kind != "vidhalloc":
            continue
        for item in task.items:
            name = VIDEO_FOLDER.get(item["task_type"]) if "task_type" in item else OF_VIDOMNI
            if name is not None:
                known = found.setdefault((task.kind, name), {})
                if item["video_id"] not in known:
                    known[item["video_id"]] = video_key(task.kind, item)
    return found


def files_of(
    wanted: Mapping[Folder, Mapping[str, str]], roots: Mapping[Benchmark, Path]
) -> dict[str, Path]:
    """Return the files of ``wanted_videos`` that are on this machine, by the page's key."""
    files: dict[str, Path] = {}
    for (benchmark, folder), keys in wanted.items():
        if benchmark in roots:
            there = find_videos(roots[benchmark] / folder, keys)
            files |= {keys[video_id]: path for video_id, path in there.items()}
    return files


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
    files = files_of(wanted_videos(runs), roots)
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
