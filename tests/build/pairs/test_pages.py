"""Commands in the pages about pairs name options that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from vidomni_plugin.cli import app

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ("pairs", "pairs_tutorial", "pairs_safety", "question_banks")


def options(*names: str) -> set[str]:
    command = typer.main.get_command(app)
    for name in names:
        command = command.commands[name]  # type: ignore[attr-defined]
    return {flag for parameter in command.params for flag in parameter.opts}


@pytest.mark.parametrize("page", PAGES)
def test_commands_name_options_that_there_are(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    whole = text.replace("\\\n", " ")  # a long command goes on in the next line
    commands = re.findall(r"^(vidomni build .*)$", whole, re.MULTILINE)
    for command in commands:
        words = shlex.split(command, comments=True)
        unknown = {w for w in words[3:] if w.startswith("--")} - options("build", words[2])
        assert unknown == set(), command
    assert commands or page in ("pairs", "pairs_safety", "question_banks")


@pytest.mark.parametrize("page", PAGES)
def test_options_in_the_text_are_those_of_the_command(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(--[a-z][a-z-]+)[^`]*`", text))
    others = {"--pilot", "--sample"}
    assert named - options("build", "pairs") - others == set()
