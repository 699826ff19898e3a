"""Options of ``vidomni build pairs``: who is asked, what they see, at what pace and cost."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

__all__ = [
    "BaseUrl",
    "Budget",
    "BudgetTokens",
    "CameraFps",
    "Currency",
    "Fps",
    "FrameTokens",
    "LongSide",
    "MaxTokens",
    "Model",
    "MostFrameTokens",
    "MostFrames",
    "Native",
    "Prices",
    "Rate",
    "Retries",
    "RoleModels",
    "Temperature",
    "Timeout",
]

_ASKED = "Who is asked"
_SEEN = "What the models see"
_SPENT = "Pace and cost"

Model = Annotated[
    Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
    typer.Option(
        help="Model of all six roles, as its server calls it. It has to take pictures and to "
        "write JSON.",
        rich_help_panel=_ASKED,
    ),
]
RoleModels = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        help="Another model for one role, like monitor=NAME; may be repeated. Roles: planner, "
        "extractor, reflector, monitor (these see the video), generator, verifier (text alone).",
        rich_help_panel=_ASKED,
    ),
]
BaseUrl = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        help="An OpenAI-compatible endpoint, like http://localhost:8000/v1 of vllm serve. "
        "Default: OPENAI_BASE_URL, else OpenAI's own. The key is read from OPENAI_API_KEY.",
        rich_help_panel=_ASKED,
    ),
]
Temperature = Annotated[
    float,
    typer.Option(
        help="Of all roles. Below zero: leave it and the seed to the server, for models that "
        "refuse them.",
        rich_help_panel=_ASKED,
    ),
]
MaxTokens = Annotated[
    int,
    typer.Option(
        min=64,
        help="Longest reply. A model that thinks needs more, and a budget sets so much aside.",
        rich_help_panel=_ASKED,
    ),
]
Timeout = Annotated[
    float,
    typer.Option(min=0.1, help="Seconds until a reply is there.", rich_help_panel=_ASKED),
]
Retries = Annotated[
    int,
    typer.Option(
        min=0,
        max=20,
        help="Further tries after 429, 5xx or no answer.",
        rich_help_panel=_ASKED,
    ),
]

Fps = Annotated[
    float,
    typer.Option(help="Frames a second of a look at a video.", rich_help_panel=_SEEN),
]
CameraFps = Annotated[
    float,
    typer.Option(
        help="The same where changes of the camera are looked for or judged; a cut or a zoom is "
        "not seen at one frame a second. In a longer video than --most-frames allow: of the "
        "interval only.",
        rich_help_panel=_SEEN,
    ),
]
MostFrames = Annotated[
    int,
    typer.Option(
        min=1,
        help="Most frames of a look; in a longer video they are farther apart.",
        rich_help_panel=_SEEN,
    ),
]
LongSide = Annotated[
    int,
    typer.Option(
        min=64,
        help="Longest side of a frame in pixels; tokens grow with its square.",
        rich_help_panel=_SEEN,
    ),
]
Native = Annotated[
    bool,
    typer.Option(
        "--native",
        help="Send the video file itself, with its sound, instead of frames. Few servers take "
        "it; whole files leave the machine (docs/pairs_safety.md).",
        rich_help_panel=_SEEN,
    ),
]

Rate = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        help="Most requests a minute, over all workers, retries included. Default: no limit.",
        rich_help_panel=_SPENT,
    ),
]
BudgetTokens = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(
        min=1,
        help="Most tokens, questions and replies, earlier starts of this run included. It is "
        "never passed: each call is set aside before it is made.",
        rich_help_panel=_SPENT,
    ),
]
Budget = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        help="The same in money, in the currency of the prices; it needs --prices.",
        rich_help_panel=_SPENT,
    ),
]
Prices = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        help="Of a million tokens of input, cached input and output, like 0.5,0.1,2. Of several "
        "models, name the dearest's: costs are then upper bounds.",
        rich_help_panel=_SPENT,
    ),
]
Currency = Annotated[str, typer.Option(help="Of the prices.", rich_help_panel=_SPENT)]
FrameTokens = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        help="Tokens of one frame, for the estimate of --dry-run (with --native: of one second "
        "of video). Default: 300 at 512 pixels, more for a longer --long-side. Servers count "
        "differently; a run's own counts are in its --status.",
        rich_help_panel=_SPENT,
    ),
]
MostFrameTokens = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(
        min=1,
        help="Most tokens that one frame can take, which a budget sets aside until the server "
        "has counted (with --native: one second of video). Default: 4096, with --native 1024.",
        rich_help_panel=_SPENT,
    ),
]
