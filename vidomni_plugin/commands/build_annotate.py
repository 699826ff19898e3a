"""``vidomni build annotate``."""

from __future__ import annotations

import typer

__all__ = ["app"]

app = typer.Typer(help="Have captions labelled in Label Studio.", no_args_is_help=True)


@app.command()
def plan() -> None:
    """Write the projects."""
    raise NotImplementedError
