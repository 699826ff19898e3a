"""``vidomni published``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from vidomni_plugin.tables import Table

__all__ = ["published"]


def published(
    benchmark: Annotated[
        Optional[str],  # noqa: UP045 - typer reads this at run time, also on Python 3.10
        typer.Argument(help="vidomni or vidhalloc; both where none is given."),
    ] = None,
    table: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(help="Name of a table as listed, such as table3; without it, the list."),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the numbers as JSON; without a table, all of them."),
    ] = False,
) -> None:
    """Show the numbers that the papers print, table by table, each with its source.

    Example: vidomni published vidhalloc table5 --csv > table5.csv
    """
    from vidomni_plugin import tables
    from vidomni_plugin.published.tables import BENCHMARKS, published_tables

    if benchmark is not None and benchmark not in BENCHMARKS:
        raise typer.BadParameter(f"{benchmark!r} is neither vidomni nor vidhalloc")
    if as_csv + as_markdown + as_json > 1:
        raise typer.BadParameter("--csv, --markdown and --json exclude each other")
    wanted = [name for name in BENCHMARKS if benchmark in {None, name}]
    found = {name: published_tables()[name] for name in wanted}
    name = None if table is None else _full_name(table, list(found[wanted[0]]))
    if as_json:
        typer.echo(_json(wanted, name))
        return
    chosen = _listing(found) if name is None else found[wanted[0]][name]
    if as_csv or as_markdown:
        form = tables.as_csv if as_csv else tables.as_markdown
        typer.echo(form(chosen), nl=False)
        return
    from rich.console import Console

    from vidomni_plugin.terminal import print_table

    print_table(chosen, Console())


def _full_name(wanted: str, names: list[str]) -> str:
    """Return the table's name; ``table3`` is enough for ``table3_audit``.

    Raises:
        typer.BadParameter: If there is no such table.
    """
    for name in names:
        if wanted.lower() in {name, name.split("_")[0]}:
            return name
    raise typer.BadParameter(f"no table {wanted!r}; there are {', '.join(names)}")


def _listing(found: dict[str, dict[str, Table]]) -> Table:
    from vidomni_plugin.tables import Column, Table

    return Table(
        name="published",
        title="The papers' tables",
        columns=[Column("benchmark"), Column("table"), Column("shows"), Column("rows")],
        rows=[
            [benchmark, name, table.title.partition(", ")[2], len(table.rows)]
            for benchmark, tables in found.items()
            for name, table in tables.items()
        ],
        notes=[f"Print one: vidomni published {next(iter(found))} table3"],
    )


def _json(benchmarks: list[str], table: str | None) -> str:
    import json

    from vidomni_plugin.published import published as numbers

    everything = {name: numbers()[name] for name in benchmarks}
    if table is None:
        return json.dumps(everything, indent=2)
    (benchmark,) = benchmarks
    source = everything[benchmark]["source"]
    one = {"benchmark": benchmark, "table": table, "source": source}
    return json.dumps({**one, "published": everything[benchmark][table]}, indent=2)
