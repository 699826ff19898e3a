"""Statistics as they leave the program: on the terminal, as files, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from vidomni_plugin import __version__
from vidomni_plugin.data.lines import write_text
from vidomni_plugin.data.locate import Benchmark, DataRoot
from vidomni_plugin.data.statistics.vidhalloc import VidHalLocStatistics, vidhalloc_statistics
from vidomni_plugin.data.statistics.vidomni import VidOmniStatistics, vidomni_statistics
from vidomni_plugin.tables import Table, as_markdown, write_table

__all__ = ["Result", "as_json", "compute", "json_text", "write_result"]


@dataclass(frozen=True, slots=True)
class Result:
    """The statistics of one data set."""

    benchmark: Benchmark
    root: DataRoot
    settings: Mapping[str, Any]
    """What the user chose, and the conventions that decide a number."""
    statistics: VidOmniStatistics | VidHalLocStatistics
    tables: Sequence[Table]
    draw: Callable[[Path], list[Path]]
    """Writes the figures into a folder."""


def compute(
    benchmark: Benchmark,
    root: DataRoot,
    *,
    certificates: Path | None = None,
    spacy_model: str | None = None,
) -> Result:
    """Compute the statistics of one data set; nothing is written.

    Raises:
        InputProblems: If the data, the certificates or the spaCy model cannot be used.
    """
    conventions = {
        "unknown_sentences": "left out of rates, kept in caption length",
        "duration_groups": "short <= 180 s < medium < 1800 s <= long",
        "rounding": "half up, in tables only",
    }
    if benchmark == "vidhalloc":
        from vidomni_plugin.data.statistics.vidhalloc_figures import draw_vidhalloc
        from vidomni_plugin.data.statistics.vidhalloc_tables import vidhalloc_tables

        of_vidhalloc = vidhalloc_statistics(root.path)
        return Result(
            benchmark,
            root,
            {"rounding": conventions["rounding"]},
            of_vidhalloc,
            _labelled(vidhalloc_tables(of_vidhalloc), benchmark),
            lambda folder: draw_vidhalloc(of_vidhalloc, folder),
        )
    from vidomni_plugin.data.statistics.vidomni_figures import draw_vidomni
    from vidomni_plugin.data.statistics.vidomni_tables import vidomni_tables
    from vidomni_plugin.data.statistics.words import INFORMATIVE

    found = vidomni_statistics(root.path, certificates=certificates, spacy_model=spacy_model)
    return Result(
        benchmark,
        root,
        {
            "certificates": str(certificates) if certificates else None,
            "spacy_model": spacy_model,
            "information_units": sorted(INFORMATIVE),
            **conventions,
        },
        found,
        _labelled(vidomni_tables(found), benchmark),
        lambda folder: draw_vidomni(found, folder),
    )


def _labelled(tables: Sequence[Table], benchmark: Benchmark) -> list[Table]:
    """Give each table a LaTeX label that no other benchmark's has."""
    return [replace(table, label=f"{benchmark}-{table.name}") for table in tables]


def as_json(result: Result) -> dict[str, Any]:
    """Return every number with its denominator, and what it was computed from and with."""
    return {
        "benchmark": result.benchmark,
        "version": __version__,
        "data": {"root": str(result.root.path), "origin": result.root.origin},
        "settings": dict(result.settings),
        "statistics": asdict(result.statistics),
        "tables": {
            table.name: {
                "title": table.title,
                "columns": [column.title for column in table.columns],
                "rows": [list(row) for row in table.rows],
                "notes": list(table.notes),
            }
            for table in result.tables
        },
    }


def json_text(value: Mapping[str, Any]) -> str:
    """Return JSON without NaN; bytes in names of files that are no text become escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode(errors="backslashreplace").decode()


def write_result(result: Result, folder: Path) -> list[Path]:
    """Write tables, figures, ``tables.md`` with all tables, and ``stats.json``.

    Every run writes the same names, so that nothing old is left beside something new.

    Raises:
        OSError: If the folder cannot be written.
    """
    paths = [path for table in result.tables for path in write_table(table, folder)]
    write_text(folder / "tables.md", "\n".join(map(as_markdown, result.tables)))
    paths += [folder / "tables.md", *result.draw(folder)]
    write_text(folder / "stats.json", json_text(as_json(result)) + "\n")
    return [*paths, folder / "stats.json"]
