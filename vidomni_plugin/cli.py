"""The ``vidomni`` command."""

from __future__ import annotations

import codecs
import errno
import io
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from vidomni_plugin.commands import (
    build_annotate,
    build_audit,
    build_captions,
    build_judge,
    build_pairs,
    build_pool,
    build_pool_report,
    build_release,
    calibrate,
    compare,
    data_check,
    data_fetch,
    data_import,
    data_stats,
    ensemble,
    merge,
    published,
    report,
    run,
)
from vidomni_plugin.problems import InputProblems

app = typer.Typer(
    help="VidOmni-Bench and VidHalLoc for lmms-eval: check the set-up, the data and saved runs. "
    "`vidomni run` evaluates a model with lmms-eval, e.g. "
    "vidomni run --model qwen3_vl --tasks vidomni,vidhalloc,videomme",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="The data of the benchmarks.", no_args_is_help=True)
data_app.command("fetch")(data_fetch.fetch)
data_app.command("import")(data_import.import_)
data_app.command("check")(data_check.check)
data_app.command("stats")(data_stats.stats)
app.add_typer(data_app, name="data")
build_app = typer.Typer(help="Make new benchmark items.", no_args_is_help=True)
build_app.command("captions")(build_captions.captions)
build_app.add_typer(build_annotate.app, name="annotate")
build_app.command("judge")(build_judge.judge)
build_app.command("pool")(build_pool.pool)
build_app.command("pool-report")(build_pool_report.pool_report)
build_app.command("pairs")(build_pairs.pairs)
build_app.add_typer(build_audit.app, name="audit")
build_app.command("release")(build_release.release)
app.add_typer(build_app, name="build")
app.command("run", context_settings=run.CONTEXT)(run.run)
app.command("merge")(merge.merge)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("calibrate")(calibrate.calibrate)
app.command("ensemble")(ensemble.ensemble)
app.command("published")(published.published)


def _version(wanted: bool) -> None:
    if wanted:
        from vidomni_plugin import __version__

        typer.echo(f"vidomni {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command()
def path() -> None:
    """Print the folder of the task files, for lmms-eval's --include_path."""
    from vidomni_plugin.host import tasks_folder

    typer.echo(tasks_folder())


@app.command()
def doctor() -> None:
    """Check that everything a run needs is there; each line says how to mend what is not.

    Ends with 1 when something is broken.
    """
    from vidomni_plugin.doctor import BROKEN, examine

    broken = False
    for finding in examine():
        typer.echo(finding.line())
        broken = broken or finding.state == BROKEN
    raise typer.Exit(int(broken))


@app.command()
def score(
    samples: Annotated[
        list[Path], typer.Argument(help="*_samples_*.jsonl that lmms-eval --log_samples wrote.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Score saved samples files again, with today's parser and metrics and without a model."""
    from vidomni_plugin.rescore import rescore

    results = {str(file): rescore(file) for file in samples}
    if as_json:
        scores = {
            file: {name: value._asdict() for name, value in rescored.scores.items()}
            for file, rescored in results.items()
        }
        typer.echo(json.dumps(scores, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    from vidomni_plugin.scores import EMPTY
    from vidomni_plugin.tables import NOTHING
    from vidomni_plugin.terminal import print_whole

    for file, rescored in results.items():
        typer.echo(file)
        view = Table()
        for column in ("metric", "value", "over"):
            view.add_column(column, justify="left" if column == "metric" else "right")
        for name, value in rescored.scores.items():
            told = NOTHING if value.value == EMPTY else f"{value.value:.4f}"
            view.add_row(name, told, f"{value.over} {value.unit}")
        print_whole(view, Console())
        if rescored.reasons:
            counts = ", ".join(f"{reason} {n}" for reason, n in rescored.reasons.most_common())
            typer.echo(f"answers without all labels: {counts}")


def _spelled_out(error: UnicodeError) -> tuple[str, int]:
    """Return what the output's encoding lacks as escapes, which JSON and people can read."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def main() -> None:
    """Run the command; a bad input ends it with its message and exit code 1."""
    codecs.register_error("spelled-out", _spelled_out)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spelled-out")
    try:
        app()
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        typer.echo(f"{error.filename or 'the output'}: {error.strerror}", err=True)
        raise SystemExit(1) from None
    except InputProblems as problems:
        typer.echo(str(problems), err=True)
        raise SystemExit(1) from None
    except KeyboardInterrupt:  # before or after the part in which click says so
        typer.echo("Aborted!", err=True)
        raise SystemExit(130) from None
