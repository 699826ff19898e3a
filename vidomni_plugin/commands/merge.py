"""``vidomni merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

__all__ = ["merge"]


def merge(
    journals: Annotated[
        list[Path],
        typer.Argument(
            metavar="JOURNAL...",
            help="Journals of `vidomni run --shard`, or the output folders that they are in.",
        ),
    ],
    out: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            "--out",
            help="Folder for the joined journal, the host's results and the report. Default: "
            "merged/ beside the output folders of the jobs.",
        ),
    ] = None,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no report of the result.")
    ] = False,
) -> None:
    """Make one result of the parts of a run: joined journals, scored by lmms-eval.

    Loads no model. Answers that are missing are named by shard; journals of
    other settings are refused, with the difference. Ends with 1 if the result
    is not complete. The data must be on this machine.

    Example: vidomni merge runs/qwen3_vl/shard-*-of-8
    """
    from vidomni_plugin.run.merging import merge_journals

    merge_journals(journals, out, report=not no_report)
