"""The lines of a journal, and reading them: by the runner, by ``vidomni run`` and ``merge``."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vidomni_plugin.problems import Problem

__all__ = ["FILES", "NO_ROOM", "Answer", "JournalContents", "line_of", "read_journal"]

FILES = "answers.rank*.jsonl"
"""One file for each rank that ever wrote to the journal."""
TEXTS = ("key", "task", "item", "text", "at")
COUNTS = ("input_tokens", "output_tokens", "reasoning_tokens")
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""How the system says that there is no room for what is written."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, or why there is none (a line of ``answers.rank<k>.jsonl``)."""

    key: str
    """Hash of all that the answer depends on."""
    task: str
    item: str
    video: str
    """File names of the videos that were shown, joined with a space."""
    text: str
    """What the model said; empty for a failure."""
    failure: str | None
    """Why the request failed, on one line; None for an answer."""
    seconds: float
    """That the model took for it; of requests that were asked together, an equal share."""
    at: str
    """When it was written, ISO 8601 in UTC."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


FIELDS = tuple(Answer.__dataclass_fields__)


@dataclass(slots=True)
class JournalContents:
    """All that a journal holds."""

    answers: dict[str, Answer] = field(default_factory=dict)
    """By key; the first answer of a key counts."""
    failures: dict[str, Answer] = field(default_factory=dict)
    """The last failure of each key that has no answer."""
    runs: list[dict[str, Any]] = field(default_factory=list)
    """Settings of the runs that wrote to it, each once, in order."""
    problems: list[Problem] = field(default_factory=list)
    """Lines that are no such record; what they said is asked again."""

    def keep(self, answer: Answer) -> None:
        """Take in one line."""
        if answer.failure is None:
            self.answers.setdefault(answer.key, answer)
            self.failures.pop(answer.key, None)
        elif answer.key not in self.answers:
            self.failures[answer.key] = answer

    def withdraw(self, keys: list[str]) -> None:
        """Forget answers that a stopped run took back."""
        for key in keys:
            self.answers.pop(key, None)
            self.failures.pop(key, None)

    def join(self, other: JournalContents) -> None:
        """Take in what another file holds."""
        for answer in (*other.answers.values(), *other.failures.values()):
            self.keep(answer)
        self.runs += [run for run in other.runs if run not in self.runs]
        self.problems += other.problems


def line_of(record: Answer | Mapping[str, Any]) -> bytes:
    """Return a record as a line of the journal; empty token counts are left out."""
    if isinstance(record, Answer):
        fields = {name: getattr(record, name) for name in FIELDS}
        record = {k: v for k, v in fields.items() if v is not None or k not in COUNTS}
    try:
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half of a character, which a model may well end with
        return json.dumps(record).encode() + b"\n"


def read_journal(folder: Path) -> JournalContents:
    """Return what the files of a journal hold; of no folder, nothing.

    A last line without its end was cut off by a kill or a full disk and is left out. Every
    other line that cannot be read is a problem, and costs no other line. A rank takes back what
    it wrote itself: what another file says of the same question stays.

    Raises:
        OSError: If a file is there and cannot be read.
    """
    contents = JournalContents()
    for path in sorted(folder.glob(FILES)):
        contents.join(_of_one_rank(path))
    return contents


def _of_one_rank(path: Path) -> JournalContents:
    contents = JournalContents()
    lines = path.read_bytes().split(b"\n")[:-1]
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            _take(contents, json.loads(line))
        except (ValueError, TypeError, RecursionError) as error:
            hint = "its question is asked again; take the line out to be rid of this message"
            place = f"{path}:{number}"
            contents.problems.append(Problem("json", place, f"no answer: {error}", hint))
    return contents


def _take(contents: JournalContents, record: object) -> None:
    if not isinstance(record, dict):
        raise TypeError("no JSON object")
    if "run" in record:
        if not isinstance(record["run"], dict):
            raise TypeError("the settings of a run are no object")
        if record["run"] not in contents.runs:
            contents.runs.append(record["run"])
    elif "withdrawn" in record:
        contents.withdraw([str(key) for key in record["withdrawn"]])
    else:
        contents.keep(_answer(record))


def _answer(record: dict[str, Any]) -> Answer:
    problems = list(_odd_fields(record))
    if problems:
        raise TypeError("; ".join(problems))
    return Answer(**record)


def _odd_fields(record: dict[str, Any]) -> Iterator[str]:
    unknown = record.keys() - set(FIELDS)
    if unknown:
        yield f"unknown: {', '.join(sorted(unknown))}"
    for name in (*TEXTS, "video"):
        if not isinstance(record.get(name), str):
            yield f"{name} is no text"
    if not isinstance(record.get("failure"), (str, type(None))) or "failure" not in record:
        yield "failure is neither a text nor null"
    if not isinstance(record.get("seconds"), (int, float)):
        yield "seconds is no number"
    for name in COUNTS:
        if not isinstance(record.get(name), (int, type(None))):
            yield f"{name} is no number"
