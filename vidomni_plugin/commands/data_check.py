"""``vidomni data check``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from vidomni_plugin.problems import InputProblems

if TYPE_CHECKING:
    from vidomni_plugin.data.checks.fix import Mended
    from vidomni_plugin.data.checks.run import Options, Result
    from vidomni_plugin.data.locate import Benchmark, DataRoot

__all__ = ["check"]


def _codes(given: str) -> frozenset[str]:
    from vidomni_plugin.data.checks.registry import all_checks

    codes = frozenset(code.strip() for code in given.split(",") if code.strip())
    if unknown := sorted(codes - all_checks().keys()):
        raise typer.BadParameter(f"there is no check {', '.join(map(repr, unknown))}; see --list")
    return codes


def _found(benchmarks: list[Benchmark], root: Path | None) -> dict[Benchmark, Any]:
    """Return the data of each benchmark, or the problem that there are none."""
    from vidomni_plugin.data.locate import listed_videos, locate

    found: dict[Benchmark, DataRoot | InputProblems] = {}
    for benchmark in benchmarks:
        try:
            found[benchmark] = locate(benchmark, root, may_download=False)
        except InputProblems as none:
            listed = listed_videos(root) if benchmark == "vidomni" else None
            found[benchmark] = listed or none
    return found


def _optional(benchmark: Benchmark, found: dict[Benchmark, Any]) -> bool:
    """Return whether a benchmark may be without data: nobody named it, and the other has some."""
    from vidomni_plugin.data.locate import is_named

    others = [data for name, data in found.items() if name != benchmark]
    return not is_named(benchmark) and any(not isinstance(data, InputProblems) for data in others)


def _checked(
    benchmark: Benchmark, root: DataRoot, options: Options, mend: bool
) -> tuple[Result, list[Mended]]:
    from vidomni_plugin.data.checks.fix import fix
    from vidomni_plugin.data.checks.registry import all_checks
    from vidomni_plugin.data.checks.run import examine
    from vidomni_plugin.data.locate import mini_root

    if mend and root.path.resolve() == mini_root(benchmark).path.resolve():
        raise typer.BadParameter(
            "the built-in sample is a part of the package: copy it and mend the copy, or install "
            "the package again"
        )
    result = examine(benchmark, root, options)
    if not mend:
        return result, []
    checks = all_checks()
    codes = {problem.code for problem in result.findings if checks[problem.code].fix}
    mended = list(fix(benchmark, root.path, codes)) if codes else []
    return (examine(benchmark, root, options) if mended else result), mended


def check(
    benchmark: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Argument(help="vidomni or vidhalloc; both where none is given."),
    ] = None,
    root: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            "--root",
            help="Folder with the data, or mini for the built-in sample; goes before variables "
            "and defaults.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all findings as JSON, for machines.")
    ] = False,
    mend: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Mend what is safe: byte-order marks, line ends, lines that stand twice, and "
            "durations and sound flags, which are taken from the videos. Labels and texts are "
            "never touched; each old file is kept as *.bak.",
        ),
    ] = False,
    as_released: Annotated[
        bool,
        typer.Option(
            "--as-released",
            help="Compare with the published release (counts, at most two items a video, ...); "
            "done without it for data with 90 % of the published pairs.",
        ),
    ] = False,
    no_videos: Annotated[
        bool, typer.Option("--no-videos", help="Read the records only; look at no video.")
    ] = False,
    only: Annotated[
        str, typer.Option(metavar="CODE,..", help="Apply these checks only, e.g. --only duration.")
    ] = "",
    skip: Annotated[
        str,
        typer.Option(
            metavar="CODE,..",
            help="Leave these checks out, e.g. --skip hash-differs,repeated-content,content-leak: "
            "no video is read as a whole.",
        ),
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="End with 1 on reports too.")] = False,
    list_checks: Annotated[bool, typer.Option("--list", help="Print all checks and end.")] = False,
) -> None:
    """Check records and videos of a data set, and name everything that is wrong.

    An error ends the command with 1. A report is worth a look and does not.
    Nothing is downloaded, and nothing is changed without --fix.

    Example: vidomni data check vidhalloc --root ~/VidHalLoc --no-videos
    """
    from vidomni_plugin.data.checks.run import Options, applicable
    from vidomni_plugin.data.checks.show import as_json as result_as_json
    from vidomni_plugin.data.checks.show import (
        as_text,
        json_text,
        listed,
        mended_as_text,
        none_as_json,
    )
    from vidomni_plugin.problems import printable

    if list_checks:
        typer.echo("\n".join(listed()))
        return
    if benchmark not in {None, "vidomni", "vidhalloc"}:
        raise typer.BadParameter(f"{benchmark!r} is neither vidomni nor vidhalloc")
    if root is not None and benchmark is None:
        raise typer.BadParameter("--root needs the name of a benchmark")
    options = Options(as_released, not no_videos, _codes(only), _codes(skip))
    benchmarks: list[Benchmark] = ["vidomni", "vidhalloc"]
    asked = [name for name in benchmarks if benchmark in {None, name}]
    wanted = [name for name in asked if applicable(name, options)]
    if not wanted:  # "no problems" of checks that never ran would be a lie
        names = " and ".join(asked)
        raise typer.BadParameter(f"these options leave no check of {names}; see --list")
    found = _found(wanted, root)
    failed = False
    rows: list[dict[str, Any]] = []
    for name, data in found.items():
        if isinstance(data, InputProblems):
            if _optional(name, found):
                typer.echo(f"{name}: no data, not checked", err=True)
                continue
            failed = True
            rows.append(none_as_json(name, data))
            if not as_json:
                typer.echo(str(data), err=True)
            continue
        result, mended = _checked(name, data, options, mend)
        failed |= bool(result.count("error") or (strict and result.findings))
        failed |= any(done.error for done in mended)
        rows.append(result_as_json(result, mended))
        if not as_json:
            lines = [*(mended_as_text(mended) if mend else ()), *as_text(result)]
            typer.echo("\n".join(map(printable, lines)))
    if as_json:
        typer.echo(json_text(not failed, rows))
    raise typer.Exit(int(failed))
