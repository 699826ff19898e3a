"""The command of a run, kept in its journal: what ``vidomni merge`` needs to know of it."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from vidomni_plugin.data.lines import write_text
from vidomni_plugin.data.shard import Shard
from vidomni_plugin.models.arguments import HIDDEN, SECRET, without_secrets
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.run.arguments import default_arguments
from vidomni_plugin.run.options import host_options
from vidomni_plugin.run.planned import JOURNAL, RunPlan

__all__ = ["FILE", "KeptCommand", "command_line", "keep_command", "read_command"]

FILE = "command.json"
NOT_KEPT = frozenset(["config", "hf_hub_log_args", "wandb_args", "swanlab_args", "output_path"])
"""Arguments that say where results go and not what they are; some hold secrets."""


class HostArguments(BaseModel):
    """The host's arguments as the user gave them; the types of those that decide a run."""

    model_config = ConfigDict(extra="allow", frozen=True)

    model: str
    tasks: str
    model_args: str = ""
    gen_kwargs: str = ""
    limit: float | None = None
    offset: int | None = None
    num_fewshot: int | None = None
    force_simple: bool = False


class KeptCommand(BaseModel):
    """What a run was started with; a secret is not in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    inner: str
    """The model that answers."""
    shard: Shard | None
    arguments: HostArguments

    @field_validator("shard")
    @classmethod
    def _exists(cls, shard: Shard | None) -> Shard | None:
        if shard is not None and not 1 <= shard.number <= shard.of:
            raise ValueError(f"there is no shard {shard}")
        return shard

    def given(self) -> Mapping[str, Any]:
        """Return the host's arguments by name."""
        return self.arguments.model_dump(exclude_unset=True)

    def host(self) -> argparse.Namespace:
        """Return the arguments for another run of the host.

        What another version of the host did not have yet is as the host's parser has it.
        """
        unset = dict.fromkeys(NOT_KEPT, "")
        return argparse.Namespace(**(default_arguments() | unset | dict(self.given())))


def keep_command(plan: RunPlan) -> None:
    """Write the command into the journal's folder.

    Raises:
        OSError: If the folder cannot be written.
    """
    if plan.journal is None:
        return
    arguments = {
        name: _shown(value) if name == "model_args" else value
        for name, value in sorted(vars(plan.host).items())
        if name not in NOT_KEPT
    }
    shard = tuple(plan.shard) if plan.shard else None
    kept = {"inner": plan.inner, "shard": shard, "arguments": arguments}
    write_text(plan.journal / FILE, json.dumps(kept, indent=2, default=str) + "\n")


def _shown(model_args: str) -> str:
    """Return the arguments of a model without the secrets in them, each looked at by itself."""
    from lmms_eval.utils import _smart_comma_split

    parts = []
    for part in _smart_comma_split(model_args):
        name, sign, value = part.partition("=")
        hidden = sign and value and SECRET.search(name.strip())
        parts.append(f"{name}{sign}{HIDDEN if hidden else without_secrets(value)}")
    return ",".join(parts)


def command_line(kept: KeptCommand, number: int, journal: Path) -> str:
    """Return the command that starts one shard of a run.

    Args:
        kept: The command of this shard, or of another one of the run.
        number: Of the shard that is started.
        journal: Of the shard whose command it is. The same shard goes on in it; another one lies
            beside it where it has its usual name.
    """
    if kept.shard is None:
        return ""
    of = kept.shard.of
    words = ["vidomni", "run", "--shard", f"{number}/{of}"]
    folder = journal.absolute().parent
    if number == kept.shard.number:
        words += ["--journal", str(journal.absolute())]
        if journal.name == JOURNAL:
            words += ["--output_path", str(folder)]
    elif folder.name == f"shard-{kept.shard.number}-of-{of}":
        words += ["--output_path", str(folder.parent / f"shard-{number}-of-{of}")]
    usual, names = default_arguments(), host_options()
    for name, value in kept.given().items():
        option = next((one for one in names if one[2:].replace("-", "_") == name), "")
        if option and value != usual.get(name) and value is not False:
            words += [option] if value is True else [option, _word(value)]
    text = shlex.join(words)
    return f"{text} (put the secret in place of {HIDDEN})" if HIDDEN in text else text


def _word(value: object) -> str:
    """Return a value as the host's parser takes it: of several, one text with commas."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def read_command(journal: Path) -> KeptCommand:
    """Return the command of a run from the folder of its journal.

    Raises:
        InputProblems: If there is none, or it is not whole.
    """
    path = journal / FILE
    hint = "give the folder that `vidomni run` printed as its journal"
    try:
        return KeptCommand.model_validate_json(path.read_bytes())
    except OSError as error:
        problem = Problem("no-file", str(path), error.strerror or str(error), hint)
    except ValidationError as error:
        problem = Problem("unreadable", str(path), "; ".join(field_errors(error)), hint)
    raise InputProblems("vidomni merge", [problem])
