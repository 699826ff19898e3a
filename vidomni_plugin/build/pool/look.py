"""A contact sheet a video, and one page with all of them, for a person to look through."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from vidomni_plugin.build.pool.lines import PoolVideo
from vidomni_plugin.build.pool.measure import Picture
from vidomni_plugin.data.lines import write_bytes, write_text

__all__ = ["FOLDER", "clock", "contact_sheet", "remove_look", "write_look"]

FOLDER = "look"
COLUMNS = 4
GAP = 4
"""Pixels between pictures."""
QUALITY = 85
STYLE = (
    "body{font:14px/1.4 sans-serif;margin:1rem auto;max-width:72rem;padding:0 1rem}"
    "figure{margin:0 0 2rem}img{max-width:100%}figcaption{overflow-wrap:anywhere}"
)


def clock(seconds: float) -> str:
    """Return a time in a video as people read it.

    Example:
        >>> clock(61.26), clock(59.97)
        ('1:01.3', '1:00.0')
    """
    tenths = round(seconds * 10)
    return f"{tenths // 600}:{tenths % 600 // 10:02d}.{tenths % 10}"


def contact_sheet(pictures: Sequence[Picture]) -> bytes:
    """Return one JPEG with all pictures, each with its time in its lower left corner.

    Args:
        pictures: At least one, of one size.
    """
    from PIL import Image, ImageDraw, ImageFont

    tiles = [Image.open(io.BytesIO(picture.jpeg)) for picture in pictures]
    width, height = tiles[0].size
    columns = min(COLUMNS, len(tiles))
    rows = math.ceil(len(tiles) / columns)
    sheet = Image.new("RGB", (columns * (width + GAP) - GAP, rows * (height + GAP) - GAP), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default()
    for number, (tile, picture) in enumerate(zip(tiles, pictures, strict=True)):
        left = number % columns * (width + GAP)
        top = number // columns * (height + GAP)
        sheet.paste(tile, (left, top))
        place, text = (left + 3, top + height - 3), clock(picture.time_s)
        pen.text(
            place, text, fill="white", font=font, anchor="lb", stroke_width=1, stroke_fill="black"
        )
    file = io.BytesIO()
    sheet.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def write_look(
    videos: Sequence[PoolVideo], pictures: Callable[[PoolVideo], Sequence[Picture]], pool: Path
) -> Path:
    """Write ``look/index.html`` and a sheet a video; sheets of an earlier look are removed.

    Args:
        videos: What is to be looked at.
        pictures: Returns a video's pictures.
        pool: The folder of the pool.

    Returns:
        The page.

    Raises:
        OSError: If the folder cannot be written.
    """
    folder = pool / FOLDER
    wanted = {f"{video.video_id}.jpg" for video in videos}
    for old in folder.glob("*.jpg"):
        if old.name not in wanted:
            old.unlink()
    for video in videos:
        write_bytes(folder / f"{video.video_id}.jpg", contact_sheet(pictures(video)))
    page = folder / "index.html"
    write_text(page, _page(videos, folder))
    return page


def remove_look(pool: Path) -> None:
    """Remove what an earlier call of ``write_look`` wrote; other files stay.

    Raises:
        OSError: If the folder cannot be written.
    """
    folder = pool / FOLDER
    for old in (*folder.glob("*.jpg"), folder / "index.html"):
        old.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _page(videos: Sequence[PoolVideo], folder: Path) -> str:
    from vidomni_plugin.report.page.media import link_to

    figures = []
    for video in videos:
        facts = (
            f"{video.source}, {video.task}, motion {video.motion:.4f} ({video.motion_third}), "
            f"{video.duration_s:.1f} s, {video.width}x{video.height}, {video.fps:.2f} frames a "
            f"second"
        )
        link = escape(link_to(Path(video.path), folder))
        figures.append(
            f'<figure id="{escape(video.video_id)}">'
            f'<a href="{link}"><img src="{escape(video.video_id)}.jpg" alt="" loading="lazy"></a>'
            f"<figcaption><b>{escape(video.video_id)}</b><br>{escape(facts)}<br>"
            f"{escape(video.path)}</figcaption></figure>\n"
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Videos to look at</title>'
        f"<style>{STYLE}</style></head><body>\n<h1>{len(videos)} videos to look at</h1>\n"
        f"{''.join(figures)}</body></html>\n"
    )
