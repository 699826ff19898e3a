"""How the files of each source data set are called: read from one YAML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from vidomni_plugin.data.yaml_text import NotYaml, read_yaml
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["ANY", "OTHER", "Patterns", "faults", "load_patterns"]

SHIPPED = Path(__file__).parent / "source_patterns.yaml"
OTHER = "other"
"""Entry for every data set that has none of its own."""
ANY = "any"
"""Name of a root that may hold videos of every data set."""
FIELDS = ("id", "youtube", "video")


def _checked(path: str) -> str:
    if path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise ValueError("a pattern is the end of a path: no leading /, no \\ and no ..")
    names = re.findall(r"\{([^{}]*)\}", path)
    if not names or set(names) - set(FIELDS):
        raise ValueError(f"a pattern holds one of {', '.join(f'{{{f}}}' for f in FIELDS)}")
    return path


class _Pattern(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    path: Annotated[str, AfterValidator(_checked)]
    basis: Literal["public docs", "public use", "guess"] = "guess"


class _Source(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    names: list[str] = []
    id: str = ""
    patterns: Annotated[list[_Pattern], Field(min_length=1)]


_FILE = TypeAdapter(dict[str, _Source])


class Patterns:
    """The patterns of every source data set, found by any spelling of its name.

    Args:
        sources: The data sets by name, as the YAML file has them.
    """

    def __init__(self, sources: Mapping[str, _Source]) -> None:
        self.sources = dict(sources)
        self._spellings = {
            _plain(spelling): name
            for name, source in sources.items()
            for spelling in (name, *source.names)
        }

    def name(self, dataset: str) -> str:
        """Return the data set's name in the YAML file, or its own where it has no entry."""
        return self._spellings.get(_plain(dataset), dataset)

    def of(self, dataset: str) -> tuple[str, ...]:
        """Return the path patterns of a data set, in the order in which they are tried."""
        source = self.sources.get(self.name(dataset)) or self.sources[OTHER]
        return tuple(pattern.path for pattern in source.patterns)


def load_patterns(own: Path | None = None) -> Patterns:
    """Return the shipped patterns, with the data sets of ``own`` in place of theirs.

    Raises:
        InputProblems: If ``own`` cannot be read or does not have the shipped file's structure.
    """
    sources = _read(SHIPPED)
    if own is not None:
        shipped = Patterns(sources)
        sources |= {shipped.name(name): source for name, source in _read(own).items()}
    return Patterns(sources)


def _read(path: Path) -> dict[str, _Source]:
    title = f"the patterns {path} cannot be used"
    hint = f"{SHIPPED} shows the structure"
    try:
        return _FILE.validate_python(read_yaml(path.read_bytes()).value)
    except OSError as error:
        problem = Problem("no-file", str(path), error.strerror or str(error), hint)
        raise InputProblems(title, [problem]) from error
    except NotYaml as error:
        raise InputProblems(title, faults(path, error, hint)) from error
    except ValidationError as error:
        problems = [
            Problem("record", f"{path}: {'.'.join(map(str, d['loc']))}", d["msg"], hint)
            for d in error.errors(include_url=False)
        ]
        raise InputProblems(title, problems) from error


def faults(path: Path, error: NotYaml, hint: str = "") -> list[Problem]:
    """Return what is wrong with a YAML file, with its lines."""
    return [
        Problem("record", f"{path}:{line}" if line else str(path), reason, hint)
        for line, reason in error.faults
    ]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
