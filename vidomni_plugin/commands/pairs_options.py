"""Options of ``vidomni build pairs``: the run and what it makes. Groups are those of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

__all__ = [
    "AsJson",
    "Ceilings",
    "DryRun",
    "Out",
    "PerVideo",
    "Pool",
    "Questions",
    "Replies",
    "RoundSize",
    "Seed",
    "Status",
    "Stop",
    "Target",
    "TaskChoice",
    "Videos",
    "Workers",
]

_MADE = "What is made"
_RUN = "The run"

Out = Annotated[
    Path,
    typer.Option(
        help="Folder of the run, with all that it makes. The same command goes on in it.",
        rich_help_panel=_RUN,
    ),
]
Status = Annotated[
    bool,
    typer.Option(
        "--status",
        help="Show how far the run in OUT is, and end. It may be at work meanwhile.",
        rich_help_panel=_RUN,
    ),
]
Stop = Annotated[
    bool,
    typer.Option(
        "--stop",
        help="Ask the run that is at work in OUT to end, like Ctrl-C in its terminal: replies "
        "under way are waited for and kept.",
        rich_help_panel=_RUN,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Check everything and estimate calls, tokens and cost; ask and write nothing.",
        rich_help_panel=_RUN,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print JSON instead of tables: with --status, with --dry-run, or at the end of a run.",
        rich_help_panel=_RUN,
    ),
]
Replies = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
    typer.Option(
        help="File of replies, or its folder; what is in it is not asked again, and what it cost "
        "counts in the budget. Several runs may share one. Default: OUT/replies.sqlite.",
        rich_help_panel=_RUN,
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        min=1,
        max=256,
        help="Videos under way at a time. It changes the speed, and never the pairs.",
        rich_help_panel=_RUN,
    ),
]

Videos = Annotated[
    Optional[list[Path]],  # noqa: UP045
    typer.Option(
        help="Folder with videos, and folders in it; may be repeated. File names become ids.",
        rich_help_panel=_MADE,
    ),
]
Pool = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        help="Instead of --videos: a pool of `vidomni build pool`; its sample where one was "
        "drawn. Its ids, tasks and recordings are kept.",
        rich_help_panel=_MADE,
    ),
]
Target = Annotated[
    int,
    typer.Option(
        min=1,
        help="Pairs in all; the run ends when they are there.",
        rich_help_panel=_MADE,
    ),
]
Ceilings = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        help="Most pairs of a category, like eeh=40 or cph=0; may be repeated. Default: an equal "
        "share of the target, an eighth rounded up.",
        rich_help_panel=_MADE,
    ),
]
PerVideo = Annotated[
    int,
    typer.Option(
        min=1,
        max=2,
        help="Most pairs of a video, each of another category.",
        rich_help_panel=_MADE,
    ),
]
TaskChoice = Annotated[
    Literal["both", "video_qa", "video_captioning"],
    typer.Option(
        help="What a video is used for: questions with answers, or one-sentence captions. both "
        "deals the videos out evenly.",
        rich_help_panel=_MADE,
    ),
]
Questions = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        help="A question bank of your own, YAML (docs/question_banks.md).",
        rich_help_panel=_MADE,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        help="Of the order of videos, their tasks, the choice of facts and questions and the "
        "order of answers; sent with each request.",
        rich_help_panel=_MADE,
    ),
]
RoundSize = Annotated[
    int,
    typer.Option(
        "--round",
        min=1,
        help="So many videos are looked at before facts are chosen among them, rarest category "
        "first. More is fairer, and more is looked at that is not needed at the end.",
        rich_help_panel=_MADE,
    ),
]
