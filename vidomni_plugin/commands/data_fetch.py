"""``vidomni data fetch``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from vidomni_plugin.paths import path_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fetch"]

INTERRUPTED = 130
"""Exit code of a command that was ended with Ctrl-C (128 + SIGINT)."""
OF_VIDHALLOC = ("out", "local", "revision")
OF_VIDOMNI = (
    *("root", "videos", "roots", "roots_file", "patterns", "cookies"),
    *("max_height", "rate", "sleep", "retry", "dry_run"),
)


def fetch(
    context: typer.Context,
    benchmark: Annotated[
        str,
        typer.Argument(
            help="vidhalloc: the public data set, from the Hugging Face hub. "
            "vidomni: the videos that a manifest names."
        ),
    ],
    out: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            help="vidhalloc: where to put it. Default: <home>/vidhalloc, where runs look for it "
            "(home: VIDOMNI_HOME or ~/.cache/vidomni)."
        ),
    ] = None,
    local: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="vidhalloc: a copy that you made by hand. It is checked, then linked into place; "
            "nothing in it is changed and nothing is downloaded."
        ),
    ] = None,
    revision: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="vidhalloc: branch, tag or commit on the hub, to pin what you run on."),
    ] = None,
    root: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="vidomni: folder of the data set; videos go into its videos/, what became of "
            "each into its fetched.jsonl. Default: <home>/vidomni."
        ),
    ] = None,
    videos: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="vidomni: the manifest, JSON lines or .csv with the same columns. "
            "Default: videos.jsonl in the root."
        ),
    ] = None,
    roots: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="NAME=DIR",
            help="vidomni: a local copy of a source data set, e.g. ActivityNet=/data/anet; DIR "
            "alone is searched for every data set. Give it as often as needed.",
        ),
    ] = None,
    roots_file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="vidomni: the same in a YAML file, NAME: DIR a line."),
    ] = None,
    patterns: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="vidomni: YAML of file names per data set, where your copies are called "
            "otherwise than source_patterns.yaml says."
        ),
    ] = None,
    cookies: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="vidomni: cookies of a signed-in browser (Netscape format), for videos that "
            "YouTube shows to signed-in people only. The file is read, not written."
        ),
    ] = None,
    max_height: Annotated[
        int, typer.Option(min=1, help="vidomni: lines of the picture, at most.")
    ] = 720,
    rate: Annotated[
        str, typer.Option(help="vidomni: bytes a second at most, e.g. 500K; 0 for no limit.")
    ] = "4M",
    sleep: Annotated[
        float, typer.Option(min=0, max=86400, help="vidomni: seconds between two downloads.")
    ] = 5.0,
    retry: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="REASON",
            help="vidomni: ask again for videos with this reason (removed, private, ...), and "
            "throw away downloads that were kept although they do not fit. May be repeated.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="vidomni: show what would be done, and do nothing.")
    ] = False,
) -> None:
    """Get the data: only what is missing; what was interrupted is gone on with.

    Ends with 1 while something is missing, and says what and why.

      vidomni data fetch vidhalloc

      vidomni data fetch vidomni --root DATA --roots ActivityNet=/data/anet --dry-run
    """
    wrong = {"vidhalloc": OF_VIDOMNI, "vidomni": OF_VIDHALLOC}.get(benchmark)
    if wrong is None:
        raise typer.BadParameter(f"{benchmark!r} is neither vidomni nor vidhalloc")
    for name in wrong:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = "--" + name.replace("_", "-")
            raise typer.BadParameter(f"{option} does not belong to {benchmark}")
    if benchmark == "vidhalloc":
        _interruptible(lambda: _vidhalloc(out, local, revision))
    else:
        _interruptible(
            lambda: _vidomni(
                root=root,
                videos=videos,
                roots=roots or [],
                roots_file=roots_file,
                patterns=patterns,
                cookies=cookies,
                max_height=max_height,
                rate=rate,
                sleep=sleep,
                retry=retry or [],
                dry_run=dry_run,
            )
        )


def _interruptible(work: Callable[[], bool]) -> None:
    try:
        whole = work()
    except KeyboardInterrupt:
        typer.echo("stopped; all that was fetched is kept, the same command goes on", err=True)
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(0 if whole else 1)


def _vidhalloc(out: Path | None, local: Path | None, revision: str | None) -> bool:
    from vidomni_plugin.data.fetch.vidhalloc import from_copy, from_hub
    from vidomni_plugin.data.locate import home

    if local and revision:
        raise typer.BadParameter("--revision is of the hub; it does not go with --local")
    target = path_of(out) if out else home() / "vidhalloc"
    layout = from_copy(path_of(local), target) if local else from_hub(target, revision)
    typer.echo(f"{layout.root}: {layout.pairs} pairs, {layout.videos} videos")
    for problem in layout.problems:
        typer.echo(f"  {problem}", err=True)
    if layout.problems:
        count = len(layout.problems)
        typer.echo(f"{count} problems: this is not the whole data set", err=True)
        return False
    place = shlex.quote(str(layout.root.absolute()))  # runs may start elsewhere
    named = f" --root {place}" if out else ""
    typer.echo(f"whole; next: vidomni data check vidhalloc{named}")
    if out:
        typer.echo(f"runs find it with VIDHALLOC_DATA={place}")
    return True


def _vidomni(
    *,
    root: Path | None,
    videos: Path | None,
    roots: list[str],
    roots_file: Path | None,
    patterns: Path | None,
    cookies: Path | None,
    max_height: int,
    rate: str,
    sleep: float,
    retry: list[str],
    dry_run: bool,
) -> bool:
    from vidomni_plugin.data.fetch.download import Options
    from vidomni_plugin.data.fetch.reasons import Reason
    from vidomni_plugin.data.fetch.settings import read_cookies, read_rate
    from vidomni_plugin.data.fetch.vidomni import Request, fetch_videos, show_plan
    from vidomni_plugin.data.locate import home

    try:
        limit = read_rate(rate)
        again = frozenset(Reason(name) for name in retry)
    except ValueError as error:
        known = ", ".join(reason.value for reason in Reason)
        hint = f"; --retry takes: {known}" if "Reason" in str(error) else ""
        raise typer.BadParameter(f"{error}{hint}") from None
    request = Request(
        root=path_of(root or home() / "vidomni"),
        manifest=videos,
        roots=roots,
        roots_file=roots_file,
        patterns=patterns,
        options=Options(max_height, limit, read_cookies(cookies) if cookies else None),
        sleep_s=sleep,
        retry=again,
    )
    if dry_run:
        show_plan(request)
        return True
    return fetch_videos(request)
