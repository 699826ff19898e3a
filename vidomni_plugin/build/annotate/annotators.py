"""Who labels: the file of annotators that the user writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from vidomni_plugin.data.yaml_text import NotYaml, read_yaml
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Annotator", "Annotators", "read_annotators"]


def _plain_name(value: str) -> str:
    bad = [c for c in value if c in ",;|=" or not c.isprintable()]
    if bad or value != value.strip():
        raise ValueError(f"name {value!r}: no commas, semicolons, | or =, no space at the ends")
    return value


Name = Annotated[str, StringConstraints(min_length=1, max_length=60), AfterValidator(_plain_name)]
"""How an annotator is called in every file; names are listed with commas between them."""
Email = Annotated[str, StringConstraints(pattern=r"^[^@\s,;]+@[^@\s,;]+$", to_lower=True)]


class Annotator(BaseModel):
    """One person who labels."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Name
    email: Email
    """The address of the account in Label Studio; exports name people by it."""
    trusted: bool = False
    """Has passed the pilot; each pair is judged by at least one such person."""
    label_studio_id: Annotated[int, Field(ge=1)] | None = None
    """Number of the account; needed where an export names people by number only."""


class Annotators(BaseModel):
    """Everyone who labels, each name, address and number once."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    annotators: Annotated[list[Annotator], Field(min_length=1)]

    @model_validator(mode="after")
    def _each_once(self) -> Annotators:
        for field in ("name", "email", "label_studio_id"):
            values = [getattr(person, field) for person in self.annotators]
            keys = Counter(v.casefold() if isinstance(v, str) else v for v in values)
            twice = [str(key) for key, count in keys.items() if count > 1 and key is not None]
            if twice:
                raise ValueError(f"{field} used twice: {', '.join(twice)}")
        return self


def read_annotators(path: Path) -> tuple[Annotator, ...]:
    """Return the people of an annotators file, in its order.

    Args:
        path: YAML with one key ``annotators``: a list of ``name``, ``email`` and, where it is
            so, ``trusted: true`` and ``label_studio_id``.

    Raises:
        InputProblems: If the file cannot be read, is no YAML, or a field is wrong; all at once.
    """
    title = f"annotators in {path}"
    problems: Sequence[Problem]
    try:
        return tuple(Annotators.model_validate(read_yaml(path.read_bytes()).value).annotators)
    except OSError as error:
        problems = [Problem("no-file", str(path), error.strerror or str(error))]
    except NotYaml as error:
        problems = [
            Problem("annotators", f"{path}:{line}" if line else str(path), reason, _HINT)
            for line, reason in error.faults
        ]
    except ValidationError as error:
        problems = _problems(path, error)
    raise InputProblems(title, problems)


_HINT = "docs/annotate.md shows an annotators file"


def _problems(path: Path, error: ValidationError) -> Sequence[Problem]:
    problems = []
    for detail in error.errors(include_url=False):
        where = ".".join(str(part + 1 if isinstance(part, int) else part) for part in detail["loc"])
        message = detail["msg"].removeprefix("Value error, ")
        if detail["type"] == "model_type" and not detail["loc"]:
            message = "it must be one entry `annotators:` with the list of people under it"
        text = f"{where}: {message}" if where else message
        problems.append(Problem("annotators", str(path), text[:200], _HINT))
    return problems
