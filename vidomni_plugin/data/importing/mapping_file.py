"""Read a mapping file; everything that is wrong with it is named with its line."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from vidomni_plugin.data.importing.mapping import Mapping, VidHalLocMapping
from vidomni_plugin.data.yaml_text import NotYaml, read_yaml
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["load_mapping"]

ONLY_VIDHALLOC = frozenset({"task_type", "question", "counterfactual_answer", "leaf_label"})
"""Fields by which a mapping for the other benchmark is known."""


def load_mapping(path: Path, model: type[Mapping]) -> Mapping:
    """Read and check a mapping file.

    Raises:
        InputProblems: If it cannot be read; names every wrong entry with its line.
    """
    title = "the mapping cannot be used"
    hint = _hint(model, None)
    try:
        read = read_yaml(path.read_bytes())
        return model.model_validate(read.value)
    except OSError as error:
        problems = [Problem("no-file", str(path), error.strerror or str(error), hint)]
    except NotYaml as error:
        problems = [
            Problem("mapping", f"{path}:{line}" if line else str(path), reason, hint)
            for line, reason in error.faults
        ]
    except ValidationError as error:
        hint = _hint(model, read.value)
        problems = [
            Problem("mapping", f"{path}:{_line(read.tree, detail)}", _say(detail, model), hint)
            for detail in error.errors(include_url=False)
        ]
    raise InputProblems(title, problems)


def _hint(model: type[BaseModel], given: object) -> str:
    """Return where to learn how a mapping looks, or that this one is for the other benchmark."""
    given = given if isinstance(given, dict) else {}
    fields = given.get("fields")
    is_vidhalloc = isinstance(fields, dict) and bool(ONLY_VIDHALLOC & fields.keys())
    if model is VidHalLocMapping:
        asked, looks_like = "vidhalloc", "vidomni" if "sentences" in given else "vidhalloc"
    else:
        asked, looks_like = "vidomni", "vidhalloc" if is_vidhalloc else "vidomni"
    if asked != looks_like:
        return f"it looks like a mapping for {looks_like}: add --to {looks_like} to the command"
    return f"`vidomni data import --example --to {asked}` prints a commented mapping"


def _line(tree: yaml.Node | None, detail: Any) -> int:  # noqa: ANN401 - pydantic's ErrorDetails
    """Return the line of the entry that a validation error is about, or of what holds it."""
    line = 1
    named = re.match(r"Value error, (\w+): ", detail["msg"])  # our own checks of several entries
    for part in (*detail["loc"], *(named.groups() if named else ())):
        if not isinstance(tree, yaml.MappingNode):
            break
        for key, inner in tree.value:
            if key.value == part:
                line, tree = key.start_mark.line + 1, inner
                break
        else:
            break
    return line


def _say(detail: Any, model: type[BaseModel]) -> str:  # noqa: ANN401 - pydantic's ErrorDetails
    where = ".".join(str(part) for part in detail["loc"])
    message = str(detail["msg"]).removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        name = str(detail["loc"][-1])
        known = _known(model, detail["loc"][:-1])
        near = difflib.get_close_matches(name, known, 1)
        message = (
            f"there is no such entry; did you mean {near[0]}?"
            if near
            else (f"there is no such entry; known are {', '.join(known)}")
        )
    elif detail["type"] == "missing":
        message = "it is needed"
    return f"{where}: {message}" if where else message


def _known(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Return the names that may stand at a place of the mapping."""
    for part in loc:
        info = model.model_fields.get(str(part))
        if info is None:
            continue  # the name of a lookup table
        inner = _models_in(info.annotation)
        if not inner:
            break
        model = inner[0]
    return [info.alias or name for name, info in model.model_fields.items()]


def _models_in(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any type form
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models_in(inner)]
