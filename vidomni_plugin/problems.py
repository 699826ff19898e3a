"""What is wrong with an input: problems are collected, then raised once, all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["InputProblems", "Problem", "field_errors", "printable", "refuse_start"]

SHOWN = 40
"""How many problems a message lists where a command lists all of them."""
LONGEST_TEXT = 160
"""Longest message about one field; data are never echoed at length."""
MOST = 1000
"""How many problems a message lists where no command does; more are a wrong file."""


def printable(text: str) -> str:
    r"""Return text on one line with everything that a terminal would obey spelled out.

    Texts, names and ids come from data, and may hold escape sequences or line ends.

    Example:
        >>> print(printable("a\x1b[31m\nnote: all is well"))
        a\x1b[31m\nnote: all is well
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def field_errors(error: ValidationError) -> Iterator[str]:
    """Yield what a record does not take, one ``field: message`` each, short enough to read."""
    for detail in error.errors(include_url=False):
        where = ".".join(map(str, detail["loc"]))
        message = detail["msg"].removeprefix("Value error, ")
        text = f"{where}: {message}" if where else message
        yield text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} ..."


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, where it is, and what the reader can do about it.

    Example:
        >>> str(Problem("missing-video", "pairs.jsonl:3", "no video 'a'", "put it there"))
        "pairs.jsonl:3: no video 'a' [missing-video]"
    """

    code: str
    """Short stable name of the kind of problem."""
    place: str
    """File and line, or the folder that was searched."""
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return printable(f"{self.place}: {self.message} [{self.code}]")


class InputProblems(ValueError):
    """Some input cannot be used; ``problems`` holds every reason.

    Args:
        title: What was being read, in a few words.
        problems: At least one problem.
        listed_by: The command that lists all of them, where there is one; this message is then
            a short one.
    """

    def __init__(self, title: str, problems: Sequence[Problem], *, listed_by: str = "") -> None:
        self.title = title
        self.problems = list(problems)
        super().__init__(self._message(listed_by))

    def _message(self, listed_by: str) -> str:
        count = len(self.problems)
        shown = SHOWN if listed_by else MOST
        lines = [f"{printable(self.title)}: {counted(count, 'problem')}"]
        lines += [f"  {problem}" for problem in self.problems[:shown]]
        if count > shown:
            rest = f"`{listed_by}` lists all" if listed_by else "listed once these are corrected"
            lines.append(f"  ... and {count - shown} more; {rest}")
        hints = dict.fromkeys(problem.hint for problem in self.problems if problem.hint)
        lines += [f"-> {printable(hint)}" for hint in hints]
        return "\n".join(lines)


def refuse_start(title: str, place: str, message: str, hint: str = "") -> NoReturn:
    """Raise the one problem that keeps a command from starting: it was asked for in a wrong way.

    Raises:
        InputProblems: Always, with the code ``usage``.
    """
    raise InputProblems(title, [Problem("usage", place, message, hint)])
