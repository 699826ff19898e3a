"""One run of the host, as it is asked for: where everything goes, and what the host is told."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin.data.shard import Shard, cut_again
from vidomni_plugin.host import RUNNER
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.run.arguments import TITLE, refuse

__all__ = ["JOURNAL", "RunPlan", "plan_run", "wrapped"]

JOURNAL = "journal"
"""Folder of the journal inside of the output folder."""
RUNS = Path("runs")
"""Where the output goes if nobody says otherwise."""
NAMED_BY = ("pretrained", "model_version", "model", "model_name", "model_id", "path")
"""Arguments of the host's models that name a checkpoint."""
NOT_IN_A_PATH = frozenset(",\"'{}[]")
"""Signs that the host's parser of model arguments takes for its own."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What is run, and where its files are."""

    host: argparse.Namespace
    """The host's arguments, as the user gave them."""
    inner: str
    """The model that answers."""
    given: Mapping[str, Any]
    """Arguments of the model, those of the runner among them."""
    output: Path
    journal: Path | None
    """None for a run without the runner."""
    shard: Shard | None = None

    @property
    def kind_is_simple(self) -> bool:
        """Whether the user asked for the host's simple classes."""
        return bool(self.host.force_simple)


def plan_run(
    host: argparse.Namespace, *, plain: bool, journal: Path | None, shard: Shard | None
) -> RunPlan:
    """Return the run that the arguments ask for.

    Args:
        host: The host's arguments.
        plain: Whether the model is left as it is, without the runner.
        journal: The folder for answers, where the user named one.
        shard: The part of the run.

    Raises:
        InputProblems: If the arguments contradict each other.
    """
    given = _model_arguments(host.model_args)
    inner = host.model
    if inner == RUNNER:
        if plain:
            refuse("--plain", f"and --model {RUNNER} contradict each other", "take one of them")
        inner = str(given.pop("inner", ""))
        named = given.pop("journal", None)
        journal = journal or (Path(str(named)) if named else None)
    elif not plain and (taken := {"inner", "journal"} & given.keys()):
        name = min(taken)
        hint = "--journal DIR" if name == "journal" else "--plain runs the model by itself"
        refuse("--model_args", f"{name}= is an argument of the runner, not of {inner}", hint)
    if plain and (journal or shard):
        name = "--journal" if journal else "--shard"
        refuse(name, "needs the runner, which --plain leaves out", "leave --plain out")
    if shard and (host.limit not in {None, -1} or host.offset or host.cache_requests):
        raise cut_again()
    output = Path(host.output_path) if host.output_path else RUNS / _name(inner, given)
    if shard and not host.output_path:
        output /= f"shard-{shard.number}-of-{shard.of}"
    output = path_of(output).absolute()
    folder = None if plain else path_of(journal or output / JOURNAL).absolute()
    if folder and (odd := NOT_IN_A_PATH & set(str(folder))):
        hint = "--journal DIR with another name"
        refuse("--journal", f"{folder}: the host cannot be told a path with {min(odd)}", hint)
    return RunPlan(host, inner, given, output, folder, shard)


def wrapped(plan: RunPlan, **more: object) -> argparse.Namespace:
    """Return what the host is told: the model inside of the runner, and samples kept.

    Args:
        plan: The run.
        more: Further arguments of the runner.
    """
    told = argparse.Namespace(**vars(plan.host))
    told.output_path, told.log_samples, told.config = str(plan.output), True, ""
    if plan.journal is None:
        return told
    own = {"inner": plan.inner, "journal": plan.journal, **more}
    given = plan.host.model_args if plan.host.model != RUNNER else _without_own(plan)
    told.model = RUNNER
    told.model_args = ",".join([given] * bool(given) + [f"{k}={v}" for k, v in own.items()])
    return told


def _without_own(plan: RunPlan) -> str:
    """Return the text of the model's arguments without what names model and journal."""
    from lmms_eval.utils import _smart_comma_split

    parts: list[str] = _smart_comma_split(plan.host.model_args.strip())
    return ",".join(p for p in parts if p.split("=")[0].strip() not in {"inner", "journal"})


def _model_arguments(text: str) -> dict[str, Any]:
    from lmms_eval.utils import simple_parse_args_string

    try:
        return dict(simple_parse_args_string(text or ""))
    except ValueError:
        message = f"{text!r} is no list of name=value"
        hint = "such as --model_args pretrained=Qwen/Qwen3-VL-8B-Instruct,max_num_frames=64"
        problem = Problem("usage", "--model_args", message, hint)
        raise InputProblems(TITLE, [problem]) from None


def _name(inner: str, given: Mapping[str, Any]) -> str:
    """Return a folder's name for a model.

    Example:
        >>> _name("qwen3_vl", {"pretrained": "Qwen/Qwen3-VL-8B-Instruct"})
        'qwen3_vl__Qwen3-VL-8B-Instruct'
    """
    named = [str(given[key]).rstrip("/") for key in NAMED_BY if given.get(key)]
    parts = [inner, *(Path(named[0]).name for _ in named[:1])]
    return re.sub(r"[^\w.\-]+", "_", "__".join(parts))[:120] or "model"
