"""One result from the journals of several jobs; no model is loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vidomni_plugin.data.lines import write_bytes
from vidomni_plugin.data.shard import VARIABLE
from vidomni_plugin.problems import InputProblems, Problem, printable
from vidomni_plugin.run.host_command import Failed, call_host
from vidomni_plugin.run.joined import Parts, joined_model
from vidomni_plugin.run.kept import (
    FILE,
    NOT_KEPT,
    KeptCommand,
    command_line,
    keep_command,
    read_command,
)
from vidomni_plugin.run.planned import JOURNAL, RunPlan, plan_run, wrapped
from vidomni_plugin.run.run import finish, stop
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.models.runner.entries import JournalContents

__all__ = ["merge_journals"]

TITLE = "vidomni merge"
MERGED = "merged"
OF_THE_JOB = NOT_KEPT | {
    *("batch_size", "max_batch_size", "device", "verbosity", "timezone", "process_docs_parallel"),
    *("model_args", "log_samples", "show_config", "launcher_args"),
}
"""Arguments in which jobs may differ; of the model's own, the settings in the journals decide."""
SHOWN = 5


def merge_journals(folders: Sequence[Path], out: Path | None, *, report: bool) -> None:
    """Join journals, and let the host score them.

    Args:
        folders: Journals of ``vidomni run``, or the output folders that they are in.
        out: The new output folder; None is ``merged`` beside those of the jobs.
        report: Whether a report is wanted.

    Raises:
        InputProblems: If the journals do not belong together, or one cannot be read.
        SystemExit: With 1 if answers are missing or failed.
    """
    journals = [_journal_in(folder) for folder in folders]
    output = out or _beside(journals)
    _check_place(output, journals)
    commands = {folder: read_command(folder) for folder in journals}
    contents = {folder: _read(folder) for folder in journals}
    _check_same(commands, contents)
    parts = _parts(commands, contents)
    journal = output / JOURNAL
    try:
        _join(journal, list(contents.values()))
    except OSError as error:
        problem = Problem("no-folder", str(journal), error.strerror or str(error), "--out DIR")
        raise InputProblems(TITLE, [problem]) from None
    host = commands[journals[0]].host()
    host.output_path = str(output)
    plan = plan_run(host, plain=False, journal=journal, shard=None)
    keep_command(plan)
    os.environ.pop(VARIABLE, None)
    _score(plan, parts, report=report)


def _score(plan: RunPlan, parts: Parts, *, report: bool) -> None:
    told = wrapped(plan, answers_only="true")
    try:
        evaluated = call_host(told, None, lambda _, simple: joined_model(simple, parts, _read))
    except (InputProblems, Failed, KeyboardInterrupt) as error:
        stop(error, None, TITLE)
    if evaluated is not None:
        whole = finish(evaluated, plan.output, plan.journal, report=report, title=TITLE)
        typer.echo(printable(f"{TITLE}: complete: {whole}"))


def _journal_in(folder: Path) -> Path:
    inside = folder / JOURNAL
    return inside if (inside / FILE).is_file() and not (folder / FILE).is_file() else folder


def _beside(journals: Sequence[Path]) -> Path:
    """Return ``merged`` beside the jobs' output folders where they lie together."""
    parents = {journal.resolve().parent.parent for journal in journals}
    return parents.pop() / MERGED if len(parents) == 1 else Path(MERGED)


def _check_place(output: Path, journals: Sequence[Path]) -> None:
    """Raise if the merged journal would take the place of answers that are nowhere else."""
    journal = output / JOURNAL
    if journal.resolve() in {folder.resolve() for folder in journals}:
        message = "is one of the journals to merge"
    elif any(journal.glob("answers.rank*.jsonl")) and not (journal / MERGED).exists():
        message = "holds answers that no merge has put there"
    else:
        return
    problem = Problem("exists", str(journal), message, "choose another --out")
    raise InputProblems(TITLE, [problem])


def _read(folder: Path) -> JournalContents:
    from vidomni_plugin.models.runner.entries import read_journal

    try:
        contents = read_journal(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        problem = Problem("no-folder", str(error.filename or folder), reason)
        raise InputProblems(TITLE, [problem]) from None
    for problem in contents.problems:
        typer.echo(f"warning: {problem}", err=True)
    return contents


def _check_same(
    commands: Mapping[Path, KeptCommand], contents: Mapping[Path, JournalContents]
) -> None:
    """Raise with every setting in which a journal differs from the first one."""
    from vidomni_plugin.models.runner.keys import settings_differ

    problems: list[Problem] = []
    first = next(iter(commands))
    if not any(contents[folder].runs for folder in contents):
        message = "no journal holds an answer"
        raise InputProblems(TITLE, [Problem("empty", str(first), message)])
    for folder in list(commands)[1:]:
        lines = settings_differ(_decisive(commands[first]), _decisive(commands[folder]))
        one, other = contents[first].runs, contents[folder].runs
        if one and other and not any(run in other for run in one):
            lines += settings_differ(one[-1], other[-1])
        if lines:
            shown = "; ".join(lines[:SHOWN]) + ("; ..." if len(lines) > SHOWN else "")
            message = f"made with other settings than {first}: {shown} (there / here)"
            hint = "merge journals of one command only; run the others again with its arguments"
            problems.append(Problem("other-settings", str(folder), message, hint))
    if problems:
        raise InputProblems(TITLE, problems)


def _decisive(command: KeptCommand) -> dict[str, Any]:
    kept = {k: v for k, v in command.given().items() if k not in OF_THE_JOB}
    of = command.shard.of if command.shard else "none"
    return {"inner": command.inner, "shards": of, **kept}


def _parts(commands: Mapping[Path, KeptCommand], contents: Mapping[Path, JournalContents]) -> Parts:
    """Return what is joined; shards that were not given are named with what they lack."""
    of = next((command.shard.of for command in commands.values() if command.shard), 0)
    by_number = {
        command.shard.number: folder for folder, command in commands.items() if command.shard
    }

    def again(number: int) -> str:
        folder = by_number.get(number) or next(iter(by_number.values()))
        return command_line(commands[folder], number, folder)

    return Parts([one.runs for one in contents.values()], of, frozenset(by_number), again)


def _join(journal: Path, parts: Sequence[JournalContents]) -> None:
    """Write all lines into one file; the first answer to a request counts.

    What a run has added to an earlier result of ``vidomni merge`` stays in it.
    """
    from vidomni_plugin.models.runner.entries import FILES, line_of, read_journal
    from vidomni_plugin.models.runner.journal import Journal

    journal.mkdir(parents=True, exist_ok=True)
    write_bytes(journal / MERGED, b"answers of other journals, joined by vidomni merge\n")
    held = Journal(journal, 0, {})  # keeps every run out until all is written
    try:
        parts = [*parts, held.contents]
        runs: list[dict[str, Any]] = []
        for part in parts:
            runs += [run for run in part.runs if run not in runs]
        failures = {key: a for part in reversed(parts) for key, a in part.failures.items()}
        answers = {key: a for part in reversed(parts) for key, a in part.answers.items()}
        lines = [line_of({"run": run}) for run in runs]
        lines += [line_of(answer) for answer in (failures | answers).values()]
        write_bytes(held.path, b"".join(lines))
        for old in set(journal.glob(FILES)) - {held.path}:
            old.unlink()
        written = read_journal(journal)
    finally:
        held.close()
    text = f"{counted(len(written.answers), 'answer')}, {len(written.failures)} failed: {journal}"
    typer.echo(printable(f"{TITLE}: {text}"))
