"""What is wrong with an input: problems are collected, then raised once, all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["InputProblems", "Problem"]

SHOWN = 40
"""How many problems one error message lists; ``InputProblems.problems`` holds all of them."""


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
        return f"{self.place}: {self.message} [{self.code}]"


class InputProblems(ValueError):
    """Some input cannot be used; ``problems`` holds every reason.

    Args:
        title: What was being read, in a few words.
        problems: At least one problem.
        shown: How many the message lists; None for all, where no other command lists them.
    """

    def __init__(
        self, title: str, problems: Sequence[Problem], *, shown: int | None = SHOWN
    ) -> None:
        self.title = title
        self.problems = list(problems)
        super().__init__(self._message(len(self.problems) if shown is None else shown))

    def _message(self, shown: int) -> str:
        count = len(self.problems)
        lines = [f"{self.title}: {count} problem{'s' if count != 1 else ''}"]
        lines += [f"  {problem}" for problem in self.problems[:shown]]
        if count > shown:
            lines.append(f"  ... and {count - shown} more; `vidomni data check` lists all of them")
        hints = dict.fromkeys(problem.hint for problem in self.problems if problem.hint)
        lines += [f"-> {hint}" for hint in hints]
        return "\n".join(lines)
