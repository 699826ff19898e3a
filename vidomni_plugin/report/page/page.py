"""Write a report as one HTML file: summary first, then every item to look at.

Nothing that comes from data or models can run in the page: the summary is escaped, the items
are compressed and read back as text only, and a content security policy allows the page's own
script, by its hash, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin.problems import Problem, printable
from vidomni_plugin.report.page.items import browser_data
from vidomni_plugin.report.runs import Run
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.sources import is_published
from vidomni_plugin.tables import Table, numeric, plain, shown
from vidomni_plugin.wording import counted

__all__ = ["Media", "build_page"]

HERE = Path(__file__).parent
SCRIPTS = ("outcomes.js", "filters.js", "list.js", "detail.js", "page.js")
"""The page's script, in the order in which its parts need each other."""
ALL_RUNS = "the runs together"
"""Stands where a problem is not one run's own."""
SMALL, FAST = 6, 4
"""How hard the items are compressed: ``SMALL`` takes three times as long for a fifth less."""
MANY_CHARACTERS = 40_000_000
"""Answers longer than this in all are compressed fast: a report of ten models takes seconds."""
GZIP = 31
"""What zlib calls its format with the header that browsers unpack."""


@dataclass(frozen=True, slots=True)
class Media:
    """What the page shows of the videos; see ``vidomni_plugin.report.page.media``."""

    links: Mapping[str, str]
    """URL of each video's file by ``video_key``."""
    posters: Mapping[str, Sequence[bytes]]
    """Small JPEG pictures of each video by ``video_key``."""


def build_page(
    runs: Sequence[Run],
    tables: Sequence[Table],
    figures: Iterable[tuple[str, str]],
    settings: Settings,
    *,
    media: Media | None = None,
    problems: Sequence[Problem] = (),
    answers: bool = True,
    title: str = "Report on VidOmni-Bench and VidHalLoc",
) -> str:
    """Return the whole page.

    Args:
        runs: The runs of the report.
        tables: Shown in this order, so the leaderboard first.
        figures: Title and SVG of each figure; the title is also its description. They are asked
            for last, after the items are packed.
        settings: How intervals were drawn.
        media: Links to the videos' files and poster frames, where there are any.
        problems: What is wrong with the runs together; what each run knows of itself is shown
            anyway.
        answers: Whether the page holds the models' raw answers, most of its size.
        title: Heading of the page.

    Returns:
        HTML in UTF-8 that opens from disk and loads nothing but the linked videos.
    """
    # Imported here: the commands' help does not need it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    media = media or Media({}, {})
    pictures = {
        video: [f"data:image/jpeg;base64,{_base64(jpeg)}" for jpeg in frames]
        for video, frames in media.posters.items()
    }
    script = "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = (HERE / "page.css").read_text(encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    data = Markup(_packed(browser_data(runs, media.links, pictures, answers=answers)))
    html = environment.get_template("template.html.j2").render(
        title=title,
        policy=_policy(script, style),
        script=Markup(script),
        style=Markup(style),
        runs=runs,
        tables=[_table(table) for table in tables],
        figures=[
            (
                name,
                f"data:image/svg+xml;base64,{_base64(svg.encode(errors='replace'))}",
                _place(name),
            )
            for name, svg in figures
        ],
        settings=settings,
        counted=counted,
        problems=_problems(runs, problems),
        captioning=[t for run in runs for t in run.tasks.values() if t.kind == "captioning"],
        data=data,
    )
    # Half a character pair, as a name cut in a log may hold, cannot be written to a file.
    return html.encode("utf-8", errors="replace").decode("utf-8")


def _place(title: str) -> str:
    """Return a figure's place in the page, by its title: links to it outlive other figures.

    Example:
        >>> _place("VidOmni: F1 by frame rate (Table 9)")
        'figure-vidomni-f1-by-frame-rate-table-9'
    """
    return "-".join(["figure", *re.findall("[a-z0-9]+", title.lower())])


def _visible(value: object) -> object:
    """Return text with its control characters spelled out; what the page itself has stays."""
    from markupsafe import Markup

    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _policy(script: str, style: str) -> str:
    """Return the content security policy: own script and style, pictures and linked videos."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'sha256-{_base64(hashlib.sha256(script.encode()).digest())}'",
            f"style-src 'sha256-{_base64(hashlib.sha256(style.encode()).digest())}'",
            "img-src data:",
            "media-src 'self' file:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        ]
    )


def _packed(data: Mapping[str, Any]) -> str:
    """Return data as JSON, compressed and in base64: the same data give the same text."""
    long = sum(map(len, data["texts"] or ())) > MANY_CHARACTERS
    packer = zlib.compressobj(FAST if long else SMALL, wbits=GZIP)
    packed = b"".join(packer.compress(piece) for piece in _json_pieces(data)) + packer.flush()
    return _base64(packed)


def _json_pieces(data: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the JSON of data piece by piece: as one text it would take four bytes a character."""

    def dumped(value: object) -> bytes:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        # Half a character pair, as cut text may hold, has no bytes in UTF-8.
        return text.encode("utf-8", errors="replace")

    for k, (name, value) in enumerate(data.items()):
        yield (b"," if k else b"{") + dumped(name) + b":"
        if isinstance(value, list):
            yield b"["
            yield from ((b"," if n else b"") + dumped(row) for n, row in enumerate(value))
            yield b"]"
        else:
            yield dumped(value)
    yield b"}"


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _table(table: Table) -> dict[str, Any]:
    """Return a table's cells as text, with how each column stands."""
    kinds = [
        " ".join(
            name
            for name, given in (("number", numeric(table, i)), ("published", column.published))
            if given
        )
        for i, column in enumerate(table.columns)
    ]
    return {
        "name": table.name,
        "title": plain(table.title),
        "heads": list(zip([plain(c.title) for c in table.columns], kinds, strict=True)),
        "rows": [
            {
                "published": is_published(table, row),
                "cells": [
                    (shown(cell, column, thousands=","), kind)
                    for cell, column, kind in zip(row, table.columns, kinds, strict=True)
                ],
            }
            for row in table.rows
        ],
        "notes": [plain(note) for note in table.notes],
    }


def _problems(runs: Sequence[Run], of_all: Sequence[Problem]) -> list[tuple[str, str, str]]:
    """Return (run, problem, hint) of everything that is not as it should be, each once."""
    rows = [(ALL_RUNS, str(problem), problem.hint) for problem in of_all]
    rows += [
        (run.name, str(problem), problem.hint)
        for run in runs
        for problem in (*run.problems, *(p for task in run.tasks.values() for p in task.problems))
    ]
    return list(dict.fromkeys(rows))
