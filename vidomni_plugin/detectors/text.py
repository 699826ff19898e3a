"""What a detector compares with the video: which text stands for a question and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["TextKind", "read_statements", "text_kind", "text_of"]

TextKind = Literal["answer", "question_answer", "statement"]
"""The papers do not say what they gave the detectors; so it is a setting and in the logs."""
TITLE = "statements"
MOST_BYTES = 256 << 20
"""A larger file is no list of statements."""


def text_kind(given: object) -> TextKind:
    """Return the setting ``text``, checked.

    Raises:
        ValueError: If it is not known.

    Example:
        >>> text_kind("answer")
        'answer'
    """
    kinds: tuple[TextKind, ...] = get_args(TextKind)
    for kind in kinds:
        if given == kind:
            return kind
    raise ValueError(f"text={given} is not known; give one of {', '.join(kinds)}")


def text_of(
    doc: Mapping[str, object], kind: TextKind, statements: Mapping[str, str] | None = None
) -> str:
    """Return the text of one answer that a detector judges.

    Args:
        doc: A document of a VidHalLoc task.
        kind: ``answer``: the candidate answer alone; ``question_answer``: the question, a space,
            and the answer; ``statement``: both as one sentence, which somebody wrote.
        statements: The sentences by answer id, for ``statement``.

    Raises:
        KeyError: If there is no statement for this answer.

    Example:
        >>> doc = {"answer_id": "p/factual", "question": "Who runs?", "candidate_answer": "A dog."}
        >>> text_of(doc, "question_answer")
        'Who runs? A dog.'
        >>> text_of(doc, "statement", {"p/factual": "A dog runs."})
        'A dog runs.'
    """
    if kind == "statement":
        return (statements or {})[str(doc["answer_id"])]
    answer = str(doc["candidate_answer"]).strip()
    return answer if kind == "answer" else f"{str(doc['question']).strip()} {answer}".strip()


def read_statements(path: Path) -> dict[str, str]:
    """Return the statements of a file by the id of their answer.

    Args:
        path: JSON lines ``{"id": "<pair id>/factual", "statement": "A dog runs."}``; the id of a
            counterfactual answer ends in ``/counterfactual``.

    Raises:
        InputProblems: Names every line that cannot be used.
    """
    try:
        if not path.is_file() and path.exists():
            raise _refused(path, "this is no file")
        if path.stat().st_size > MOST_BYTES:
            raise _refused(path, "the file is too large for a list of statements")
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise _refused(path, "the file is not UTF-8 text") from None
    except ValueError as error:  # a name with a zero byte
        raise _refused(path, str(error)) from None
    statements: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = _statement(line)
        if isinstance(found, str):
            problems.append(Problem("statement", f"{path}:{number}", found))
        elif found[0] in statements:
            message = f"a second statement for {found[0]!r}"
            problems.append(Problem("statement", f"{path}:{number}", message))
        else:
            statements[found[0]] = found[1]
    if problems:
        raise InputProblems(TITLE, problems)
    if not statements:
        raise _refused(path, "there is no statement in it")
    return statements


def _statement(line: str) -> tuple[str, str] | str:
    """Return id and statement of a line, or what is wrong with it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return "no JSON object"
    if not isinstance(row, dict) or row.keys() != {"id", "statement"}:
        return 'not {"id": ..., "statement": ...}'
    name, text = row["id"], row["statement"]
    if not isinstance(name, str) or not isinstance(text, str) or not text.strip():
        return "id and statement have to be text, and the statement not empty"
    if any("\ud800" <= character <= "\udfff" for character in f"{name}{text}"):
        return "half a character, which no model can read"
    return name, text.strip()


def _refused(path: Path, why: str) -> InputProblems:
    hint = 'give JSON lines: {"id": "<pair id>/factual", "statement": "A dog runs."}'
    return InputProblems(TITLE, [Problem("statement", str(path), why, hint)])
