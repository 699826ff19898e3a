"""A whole report: runs are read, tables and figures are made of them, and all is written."""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vidomni_plugin import __version__
from vidomni_plugin.data.lines import write_text
from vidomni_plugin.data.statistics.output import json_text
from vidomni_plugin.figures import Draw
from vidomni_plugin.problems import Problem
from vidomni_plugin.report.draw import Say, drawn
from vidomni_plugin.report.few_videos import with_note_on_few
from vidomni_plugin.report.figure_titles import figure_title
from vidomni_plugin.report.find import Given
from vidomni_plugin.report.findings import different_settings, findings
from vidomni_plugin.report.folder import INDEX, KIND, new_folder
from vidomni_plugin.report.leaderboard import leaderboard
from vidomni_plugin.report.page.media import media_of
from vidomni_plugin.report.page.page import Media, build_page
from vidomni_plugin.report.pairwise import pairwise_tables
from vidomni_plugin.report.read import read_runs
from vidomni_plugin.report.roots import data_roots
from vidomni_plugin.report.runs import Run, TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_analysis import analyse as analyse_vidhalloc
from vidomni_plugin.report.vidhalloc_figures import analysis_figures as vidhalloc_figures
from vidomni_plugin.report.vidhalloc_tables import analysis_tables as vidhalloc_tables
from vidomni_plugin.report.vidomni_analysis import analyse as analyse_vidomni
from vidomni_plugin.report.vidomni_figures import analysis_figures as vidomni_figures
from vidomni_plugin.report.vidomni_tables import analysis_tables as vidomni_tables
from vidomni_plugin.tables import Table, as_csv, write_table

__all__ = ["Options", "Report", "assemble", "index_of", "write_report"]

LIBRARIES = ("numpy", "scipy", "matplotlib")
"""Packages whose version may change a number or a picture."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a report is written."""

    page: bool = True
    posters: bool = False
    """Whether the page holds pictures of the videos."""
    answers: bool = True
    """Whether the page holds the models' raw answers."""
    replace: bool = False
    """Whether it takes the place of an earlier report."""
    beside: int = 0
    """Processes that write figures beside this one; see ``draw.helpers``."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report says; figures are drawn when they are written."""

    runs: Sequence[Run]
    settings: Settings
    problems: Sequence[Problem]
    """What a reader must know before the numbers."""
    leaderboard: Table
    tables: Sequence[Table]
    figures: Sequence[tuple[str, Draw]]
    """Name and drawing of each figure."""


def assemble(paths: Sequence[Path | Given], settings: Settings, say: Say) -> Report:
    """Read runs and compute every table of them.

    Args:
        paths: Output folders of the host, or files in them, with or without a name.
        settings: How intervals are drawn.
        say: Told what is being done.

    Raises:
        InputProblems: If nothing can be read.
    """
    runs = read_runs(paths, lambda done, size: say(f"reading {_megabytes(done, size)}"))
    tasks = [task for run in runs for task in run.tasks.values()]
    say("leaderboard")
    best = leaderboard(runs, settings)
    say("every two runs")
    tables = pairwise_tables(tasks, settings)
    say("tables of VidOmni")
    of_vidomni = analyse_vidomni(tasks, settings)
    tables += vidomni_tables(of_vidomni)
    say("tables of VidHalLoc")
    of_vidhalloc = analyse_vidhalloc(tasks, settings)
    tables += vidhalloc_tables(of_vidhalloc)
    figures = [*vidomni_figures(of_vidomni), *vidhalloc_figures(of_vidhalloc)]
    tables = [with_note_on_few(table) for table in tables]
    return Report(runs, settings, findings(runs), with_note_on_few(best), tables, figures)


def write_report(report: Report, out: Path, options: Options, say: Say) -> list[str]:
    """Write a report into a folder, all of it or nothing.

    Returns:
        The files, relative to ``out``; ``report.json`` is the last.

    Raises:
        InputProblems: If there is something at ``out`` that must stay.
        OSError: If the folder cannot be written.
    """
    with _collected_again(), new_folder(out, replace=options.replace) as folder:
        (folder / "tables").mkdir()
        (folder / "figures").mkdir()
        with drawn(report.figures, folder / "figures", options.beside, say) as wait:
            paths = [p for table in report.tables for p in write_table(table, folder / "tables")]
            write_text(folder / "leaderboard.csv", as_csv(report.leaderboard))
            paths.append(folder / "leaderboard.csv")
            if options.page:
                page = folder / "report.html"
                media = _media(report, out, options, say)
                say("page")
                pictures = _pictures(report, folder / "figures", wait)
                write_text(page, _page(report, pictures, media, options))
                paths.append(page)
            paths += wait()
        files = sorted(path.relative_to(folder).as_posix() for path in paths)
        write_text(folder / INDEX, json_text(index_of(report, files)) + "\n")
    return [*files, INDEX]


@contextmanager
def _collected_again() -> Iterator[None]:
    """Give what was read back to the collector of cycles, which ``read_runs`` kept it from."""
    try:
        yield
    finally:
        gc.unfreeze()


def index_of(report: Report, files: Sequence[str]) -> dict[str, Any]:
    """Return what a report was made from and with, for machines."""
    tasks = [task for run in report.runs for task in run.tasks.values()]
    return {
        "kind": KIND,
        "version": __version__,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "settings": asdict(report.settings),
        "problems": [asdict(problem) for problem in report.problems],
        "runs": [
            {"name": run.name, "folder": str(run.folder), "tasks": list(run.tasks)}
            for run in report.runs
        ],
        "tasks": [_read(task) for task in tasks],
        "leaderboard": {
            "columns": [column.title for column in report.leaderboard.columns],
            "rows": [list(row) for row in report.leaderboard.rows],
            "notes": list(report.leaderboard.notes),
        },
        "tables": {table.name: table.title for table in report.tables},
        "files": list(files),
    }


def _read(task: TaskRun) -> dict[str, Any]:
    return {
        "run": task.run,
        "task": task.task,
        "kind": task.kind,
        "signature": asdict(task.signature),
        "evaluated": task.expected,
        "scored": len(task.items),
        "scores_of_the_host": dict(task.scores),
        "problems": len(task.problems),
    }


def _media(report: Report, out: Path, options: Options, say: Say) -> Media:
    return media_of(
        report.runs,
        data_roots(report.runs),
        out.resolve(),
        posters=options.posters,
        seen=lambda done, total: say(f"pictures of video {done} of {total}"),
    )


def _pictures(
    report: Report, folder: Path, wait: Callable[[], object]
) -> Iterator[tuple[str, str]]:
    """Yield title and SVG of each figure, once the page asks for them: they are drawn by then."""
    wait()
    titles = {table.name: table.title for table in report.tables}
    for name, _ in report.figures:
        yield figure_title(name, titles), (folder / f"{name}.svg").read_text(encoding="utf-8")


def _page(
    report: Report, pictures: Iterable[tuple[str, str]], media: Media, options: Options
) -> str:
    return build_page(
        report.runs,
        [report.leaderboard, *report.tables],
        pictures,
        report.settings,
        media=media,
        problems=different_settings(report.runs),
        answers=options.answers,
    )


def _megabytes(done: int, size: int) -> str:
    return f"{done / 1e6:,.0f} of {size / 1e6:,.0f} MB"
