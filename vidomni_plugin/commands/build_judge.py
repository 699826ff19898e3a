"""``vidomni build judge``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from vidomni_plugin.problems import InputProblems, Problem, printable

if TYPE_CHECKING:
    from vidomni_plugin.build.judge.captions import Joined

__all__ = ["judge"]


def _joined(a: Path, b: Path) -> Joined:
    from vidomni_plugin.build.judge.captions import join, read_texts

    texts, problems = [], []
    for path in (a, b):
        try:
            texts.append(read_texts(path))
        except InputProblems as found:
            problems += found.problems
    if problems:
        raise InputProblems("the captions cannot be compared", problems)
    joined = join(texts[0], texts[1])
    typer.echo(
        f"{joined.videos} videos in both files, {joined.only_a} only in A, {joined.only_b} only "
        f"in B: {len(joined.pairs)} comparisons, {2 * len(joined.pairs)} questions",
        err=True,
    )
    if not joined.pairs:
        problem = Problem("no-pairs", f"{a}, {b}", "no video is in both files")
        raise InputProblems("nothing to compare", [problem])
    if joined.identical:
        typer.echo(
            f"warning: in {joined.identical} of these comparisons both captions are the same text",
            err=True,
        )
    return joined


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _range(interval: list[float | None]) -> str:
    return "-" if None in interval else f"{_rate(interval[0])}-{_rate(interval[1])}"


def _show(result: dict[str, Any]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from vidomni_plugin.terminal import print_whole

    view = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for name in ("A", "B"):
        view.add_column(name, overflow="fold", min_width=6)
    rows = [*result["sources"], {"source_a": "all", "source_b": "all", **result["all"]}]
    rows = rows if len(rows) > 2 else rows[-1:]
    counts = ("win", "loss", "tie", "unparsable", "failed", "comparisons")
    numbers = {name: [str(row[name]) for row in rows] for name in counts}
    numbers["all"] = numbers.pop("comparisons")
    numbers["win %"] = [_rate(row["win_rate"]) for row in rows]
    numbers["95 %"] = [_range(row["win_rate_interval"]) for row in rows]
    for name, cells in numbers.items():
        width = max(map(len, (name, *cells)))
        view.add_column(name, justify="right", no_wrap=True, min_width=width)
    for row, *cells in zip(rows, *numbers.values(), strict=True):
        names = (Text(printable(row[key])) for key in ("source_a", "source_b"))
        view.add_row(*names, *cells)
    print_whole(view, Console())
    every = result["all"]
    typer.echo(
        f"A wins {_rate(every['win_rate'])} % of all {every['comparisons']} comparisons and "
        f"{_rate(every['win_rate_of_decided'])} % of the {every['decided']} that were decided "
        f"({_range(every['win_rate_of_decided_interval'])}); intervals are Wilson's at 95 %"
    )
    replies = result["replies"]
    typer.echo(
        f"{replies['total']} replies: {replies['first']} chose the first caption, "
        f"{replies['second']} the second, {replies['tie']} neither, {replies['unparsable']} "
        f"unparsable, {replies['failed']} failed; chose the first: "
        f"{_rate(replies['chose_first'])} % ({_range(replies['chose_first_interval'])}); "
        f"{replies['contradicting']} comparisons with the same place chosen twice"
    )


def judge(
    a: Annotated[
        Path, typer.Option("--a", help="Captions to be rated: captions.jsonl or pairs.jsonl.")
    ],
    b: Annotated[Path, typer.Option("--b", help="Captions they are compared with.")],
    model: Annotated[str, typer.Option(help="Name of the judge, as its server calls it.")],
    out: Annotated[
        Path, typer.Option(help="Folder of replies and results; a second run goes on in it.")
    ],
    base_url: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Option(
            help="An OpenAI-compatible endpoint, like http://localhost:8000/v1 of vllm serve. "
            "Default: OPENAI_BASE_URL, else OpenAI's own. The key is read from OPENAI_API_KEY."
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, max=256, help="Questions under way at a time.")
    ] = 4,
    retries: Annotated[
        int,
        typer.Option(min=0, max=20, help="Further tries after 429, 5xx or no answer in time."),
    ] = 5,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds to wait for one answer.")
    ] = 120.0,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="Longest reply; a thinking judge needs more.")
    ] = 1024,
    seed: Annotated[int, typer.Option(help="Sent with each question.")] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print judge.json instead of the table.")
    ] = False,
) -> None:
    """Have a language model say which captions tell more (Table 10's last column).

    Captions of the same video are compared in both orders. A wins only
    if both replies choose it; contradictions are ties. Unparsable
    replies and failed calls are counted and are never a win.

      vidomni build judge --a mine.jsonl --b theirs.jsonl --out judged
        --model prometheus-7b --base-url http://localhost:8000/v1

    Each reply is kept in OUT/replies.jsonl at once. Stop it at any time;
    the same command goes on with what is missing. Ends with 1 when calls
    failed: run it again to ask only those.
    """
    import json

    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from vidomni_plugin.build.judge.asking import OFFICIAL_URL, still_asking
    from vidomni_plugin.build.judge.questions import Settings
    from vidomni_plugin.build.judge.run import Network
    from vidomni_plugin.build.judge.run import judge as run

    joined = _joined(a, b)
    url = base_url or os.environ.get("OPENAI_BASE_URL") or OFFICIAL_URL
    settings = Settings(model, url.rstrip("/"), 0.0, seed, max_tokens)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:

        def started(missing: int, known: int) -> Any:  # noqa: ANN401
            task = progress.add_task("judging", total=missing + known, completed=known)
            return lambda: progress.advance(task)

        try:
            network = Network(concurrency, retries, timeout)
            judged = run(
                joined, settings, network, out, started=started, say=progress.console.print
            )
        except KeyboardInterrupt:
            typer.echo(f"stopped; every reply is in {out / 'replies.jsonl'}", err=True)
            if still_asking():  # Interrupted twice: an exit would wait for these, for minutes
                os._exit(130)
            raise typer.Exit(130) from None
        except OSError as error:
            problem = Problem("no-file", str(error.filename or out), error.strerror or str(error))
            raise InputProblems("the result cannot be written", [problem]) from None
    if judged.known:
        typer.echo(f"{judged.known} replies were there already", err=True)
    if as_json:
        typer.echo(json.dumps(judged.result, ensure_ascii=False, indent=1))
    else:
        _show(judged.result)
        typer.echo(f"result: {out / 'judge.json'}, {out / 'comparisons.jsonl'}")
    if judged.asked.failed:
        first = next(iter(judged.asked.failed.values()))
        replies = judged.result["replies"]
        typer.echo(
            f"{replies['failed']} of {replies['total']} replies are missing, since calls failed "
            f"like this: {first}\n"
            "-> the same command asks only for what is missing",
            err=True,
        )
        raise typer.Exit(1)
