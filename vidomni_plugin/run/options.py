"""Names of options, looked at before the host is imported: a slip is told at once."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.run.arguments import NO_RUN, TITLE

__all__ = ["check_options", "host_options", "near"]

ELSEWHERE = ("--config", *(f"--{name.replace('_', '-')}" for name in NO_RUN))
"""With one of these, model and tasks may stand elsewhere or are not needed."""
NEEDED = {
    "--model": ("which model?", "such as --model qwen3_vl; `lmms-eval models` lists them"),
    "--tasks": ("which tasks?", "such as --tasks vidomni,vidhalloc"),
}


def check_options(given: Sequence[str], own: Collection[str]) -> None:
    """Check that every option has a known name, and that model and tasks are there.

    Args:
        given: What the command line hands on to the host.
        own: Options of the command itself.

    Raises:
        InputProblems: With every option that nobody knows, and what is missing.
    """
    names = [word.split("=")[0] for word in given if word.startswith("--")]
    problems = list(_unknown(names, [*own, *host_options()]))
    meant = {problem.hint for problem in problems}
    if not any(name in ELSEWHERE for name in names):
        for option, (message, hint) in NEEDED.items():
            there = any(name != "--" and option.startswith(name) for name in names)
            if not there and f"did you mean {option}?" not in meant:
                problems.append(Problem("usage", option, message, hint))
    if problems:
        raise InputProblems(TITLE, problems)


def near(name: str, names: Collection[str]) -> str:
    """Return what was meant, as a question; empty where nothing is like it.

    Example:
        >>> near("--modle", ["--model", "--tasks"])
        'did you mean --model?'
    """
    found = difflib.get_close_matches(name, names, n=3)
    best = [one for one in found if one == found[0] or len(one) == len(name)]
    return f"did you mean {' or '.join(best)}?" if best else ""


def _unknown(names: Sequence[str], known: Sequence[str]) -> Iterator[Problem]:
    for name in dict.fromkeys(names):
        # The host's parser takes the beginning of a name for the whole.
        if not any(one.startswith(name) for one in known):
            hint = near(name, known) or "`vidomni run --help` and `lmms-eval eval --help` list them"
            yield Problem("usage", name, "there is no such option", hint)


def host_options() -> list[str]:
    """Return the options of the host's command, read from its source: its import takes seconds."""
    spec = find_spec("lmms_eval")
    if spec is None or not spec.origin:
        return []
    source = Path(spec.origin).with_name("__main__.py").read_text(encoding="utf-8")
    return [
        str(argument.value)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument"
        for argument in call.args
        if isinstance(argument, ast.Constant) and str(argument.value).startswith("--")
    ]
