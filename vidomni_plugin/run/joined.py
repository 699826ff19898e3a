"""The model of a merge: answers that other machines gave, and which shards lack some."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidomni_plugin.data.deal import shard_videos
from vidomni_plugin.data.shard import shard_names
from vidomni_plugin.models.arguments import HIDDEN
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.models.runner.entries import JournalContents
    from vidomni_plugin.models.runner.model import RunnerSimple

__all__ = ["Parts", "joined_model"]

Settings = Mapping[str, Any]
OF_THE_PLACE = frozenset(["versions", "environment"])
"""Settings of a run that the machine has, and not its command."""
BY_CONTENT = ("checkpoint ", "file ")
"""How settings name what was read from a path; it need not be here, or may have moved.

What a command kept with a secret hidden in it cannot be compared either.
"""
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Parts:
    """The journals that are joined."""

    runs: Sequence[Sequence[Settings]]
    """Settings of the runs that wrote to each of them."""
    of: int
    """How many shards there are; 0 for whole runs."""
    present: frozenset[int]
    """The shards whose journals were given."""
    again: Callable[[int], str] = str
    """Gives the command that starts a shard."""


def joined_model(
    simple: bool, parts: Parts, read: Callable[[Path], JournalContents]
) -> type[RunnerSimple]:
    """Return a runner that has its answers from the joined journal alone.

    A key of an answer holds versions and checkpoint of the machine that gave it. So its settings
    are those that the journals tell, and not what this machine would make of the command.

    Args:
        simple: Whether the host wants its simple kind.
        parts: What is joined; the missing answers are named by shard.
        read: Reads the joined journal.
    """
    from vidomni_plugin.models.runner.keys import digest_of
    from vidomni_plugin.models.runner.model import RunnerChat, RunnerSimple

    class Joined(RunnerSimple if simple else RunnerChat):  # type: ignore[misc]
        """Answers from the joined journal alone."""

        _by_content = False  # any content of a journal fits, so reading a checkpoint tells nothing

        def __init__(self, **arguments: Any) -> None:  # noqa: ANN401
            super().__init__(**arguments)
            self.settings: Settings = _told(read(self.arguments.journal).runs, self.settings, parts)
            self._settings_key = digest_of(self.settings)

        def _complete(self, questions: Sequence[Any]) -> JournalContents:
            contents = read(self.arguments.journal)
            known = contents.answers.keys() | contents.failures.keys()
            missing = [question for question in questions if question.key not in known]
            if missing and parts.of:
                raise _missing_by_shard(missing, self.task_dict, parts, len(questions))
            return contents if not missing else super()._complete(questions)

    return Joined


def _told(runs: Sequence[Settings], own: Settings, parts: Parts) -> Settings:
    """Return the settings of the command as most journals tell them, the last of several.

    Args:
        runs: Of the joined journal.
        own: What this machine makes of the command; they stay where no run is of that command.
        parts: What is joined.
    """
    own = json.loads(json.dumps(own, default=str))
    known = [run for run in reversed(runs) if _same_command(run, own)]
    return max(
        known,
        key=lambda run: (sum(run in part for part in parts.runs), _same_place(run, own)),
        default=own,
    )


def _same_place(one: Settings, other: Settings) -> bool:
    return all(one.get(name) == other.get(name) for name in OF_THE_PLACE)


def _same_command(one: Settings, other: Settings) -> bool:
    """Return whether two runs differ only in what their machines have.

    Example:
        >>> a = {"inner": "m", "arguments": {"pretrained": "checkpoint 1f"}, "versions": {"v": "1"}}
        >>> b = {"inner": "m", "arguments": {"pretrained": "/gone"}, "versions": {"v": "2"}}
        >>> _same_command(a, b), _same_command(a, b | {"inner": "n"})
        (True, False)
    """
    apart = {name for name in {*one, *other} if one.get(name) != other.get(name)}
    given, mine = one.get("arguments") or {}, other.get("arguments") or {}
    return (
        apart <= OF_THE_PLACE | {"arguments"}
        and given.keys() == mine.keys()
        and all(
            value == mine[name] or str(value).startswith(BY_CONTENT) or HIDDEN in str(mine[name])
            for name, value in given.items()
        )
    )


def _missing_by_shard(
    missing: Sequence[Any], task_dict: Mapping[str, Any], parts: Parts, total: int
) -> InputProblems:
    """Return one problem for each shard that lacks answers."""
    by_shard: dict[int, list[str]] = defaultdict(list)
    for question in missing:
        _, _, _, _, task, split = question.request.args
        rows = [{"video": video} for video in task_dict[task][split]["video"]]
        doc = task_dict[task][split][question.request.args[3]]
        (name,) = shard_names([doc])
        by_shard[shard_videos(shard_names(rows), parts.of)[name]].append(question.item)
    problems = []
    for number, items in sorted(by_shard.items()):
        named = ", ".join(items[:SHOWN]) + (", ..." if len(items) > SHOWN else "")
        gone = "" if number in parts.present else "; its journal was not given"
        message = f"no answer to {counted(len(items), 'request')} of {total:,}: {named}{gone}"
        hint = f"start it (it asks only what is missing), then merge: {parts.again(number)}"
        place = f"shard {number} of {parts.of}"
        problems.append(Problem("missing-response", place, message, hint))
    return InputProblems("vidomni merge", problems)
