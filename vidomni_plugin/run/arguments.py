"""The host's arguments, read by the host's own parser before anything is loaded."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from vidomni_plugin.problems import InputProblems, Problem, refuse_start

__all__ = ["TITLE", "default_arguments", "read_host_arguments", "refuse"]

TITLE = "vidomni run"
TEXTS = ("model", "model_args", "tasks", "gen_kwargs", "output_path")
"""Arguments of a configuration file that the host takes as text only."""
NO_RUN = {
    "power_analysis": "plans a test and runs nothing",
    "tui": "is the host's own user interface",
}


refuse = partial(refuse_start, TITLE)
"""Raises the one problem that keeps a run from starting: place, message, hint."""


def read_host_arguments(given: Sequence[str]) -> argparse.Namespace:
    """Return the host's arguments, with those of its ``--config`` file under them.

    Args:
        given: As they would follow ``lmms-eval``.

    Raises:
        InputProblems: If they name no run, or the configuration cannot be used.
        SystemExit: If the host's parser does not take them; it has said why.
    """
    parser, arguments = _parsed(given)
    if arguments.config:
        arguments = _with_config(parser, arguments)
    for name, why in NO_RUN.items():
        if getattr(arguments, name, False):
            refuse(f"--{name.replace('_', '-')}", why, "use lmms-eval for it")
    if not arguments.tasks:
        refuse("--tasks", "which tasks?", "such as --tasks vidomni,vidhalloc")
    if arguments.tasks == "list" or arguments.tasks.startswith("list_"):
        refuse("--tasks", f"{arguments.tasks!r} is no task", "use lmms-eval tasks list")
    return arguments


def default_arguments() -> dict[str, Any]:
    """Return the arguments of the host's command where nothing is given."""
    return vars(_parsed(()).arguments)


class _Parsed(NamedTuple):
    """The host's parser, and what it made of some arguments."""

    parser: argparse.ArgumentParser
    arguments: argparse.Namespace


def _parsed(given: Sequence[str]) -> _Parsed:
    """Call the host's parser, which reads the arguments of the process."""
    from lmms_eval.__main__ import parse_eval_args

    kept = sys.argv
    sys.argv = [TITLE, *given]
    try:
        return _Parsed(*parse_eval_args())
    finally:
        sys.argv = kept


def _with_config(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace
) -> argparse.Namespace:
    """Return the run of a configuration file; what was given on the command line wins."""
    path = str(arguments.config)
    config = _only_run(path)
    environment = config.pop("env", None) or {}
    if not isinstance(environment, Mapping):
        refuse(path, f"env: is a {type(environment).__name__}", "give NAME: value lines below env:")
    unknown = sorted(str(name) for name in config.keys() - set(vars(arguments)))
    if unknown:
        refuse(path, f"unknown: {', '.join(unknown)}", "`lmms-eval eval --help` lists the names")
    odd = [name for name in TEXTS if not isinstance(config.get(name, ""), str)]
    if odd:
        hint = 'write it as on the command line, such as tasks: "vidomni,vidhalloc"'
        refuse(path, f"{', '.join(odd)}: the host takes one text here", hint)
    defaults = vars(parser.parse_args([]))
    explicit = {name: v for name, v in vars(arguments).items() if v != defaults.get(name)}
    for name, value in environment.items():
        os.environ[str(name)] = os.path.expandvars(str(value))
    return argparse.Namespace(**(defaults | config | explicit | {"config": ""}))


def _only_run(path: str) -> dict[str, Any]:
    hint = "a YAML file with the host's arguments, such as tasks: vidomni"
    try:
        config = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputProblems(
            TITLE, [Problem("no-file", path, error.strerror or str(error), hint)]
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise InputProblems(TITLE, [Problem("unreadable", path, reason, hint)]) from None
    if isinstance(config, list):
        if len(config) != 1:
            hint = "one file a run: each has its own journal and its own exit code"
            refuse(path, f"holds {len(config)} runs", hint)
        (config,) = config
    if not isinstance(config, dict):
        refuse(path, "holds no arguments", hint)
    return dict(config)
