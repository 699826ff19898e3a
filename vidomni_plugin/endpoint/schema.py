"""The JSON schema of a pydantic model in the part of the language that servers enforce."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

__all__ = ["strict_schema"]

_KEPT = ("$ref", "anyOf", "description", "enum", "items", "properties", "type", "$defs")
"""Keywords that strict mode knows; all others, such as ``minimum`` or ``pattern``, are left out:
pydantic checks them afterwards."""


@lru_cache(maxsize=64)  # pydantic takes milliseconds, and each call of a role needs it
def strict_schema(model: type[BaseModel]) -> Mapping[str, Any]:
    """Return the schema: every object is closed, and every field of it is asked for.

    Raises:
        TypeError: If the model holds a mapping with free keys or a tuple of fixed length, which
            strict mode cannot describe.

    Example:
        >>> from pydantic import Field, create_model
        >>> strict_schema(create_model("Dogs", count=(int, Field(ge=0))))["properties"]
        {'count': {'type': 'integer'}}
    """
    schema = _strict(model.model_json_schema(), model.__name__)
    if "$ref" in schema:  # a model that contains itself: the top must be an object
        named = schema["$defs"][schema["$ref"].rpartition("/")[2]]
        schema = named | {"$defs": schema["$defs"]}
    return schema


def _strict(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    if (
        isinstance(schema.get("additionalProperties"), (dict, bool))
        and schema["additionalProperties"]
    ):
        raise TypeError(f"{name}: strict mode has no mapping with free keys")
    if "prefixItems" in schema:
        raise TypeError(f"{name}: strict mode has no tuple of fixed length")
    if len(parts := schema.get("allOf", ())) == 1:
        schema = dict(parts[0]) | {k: v for k, v in schema.items() if k != "allOf"}
    if "oneOf" in schema:
        schema = dict(schema) | {"anyOf": schema["oneOf"]}
    kept = {keyword: value for keyword, value in schema.items() if keyword in _KEPT}
    if "const" in schema:  # an enum of one is known to servers that know no const
        kept["enum"] = [schema["const"]]
    if "$ref" in kept:  # nothing may stand beside a reference
        kept = {keyword: kept[keyword] for keyword in ("$ref", "$defs") if keyword in kept}
    for keyword in ("properties", "$defs"):
        if keyword in kept:
            kept[keyword] = {n: _strict(of, f"{name}.{n}") for n, of in kept[keyword].items()}
    if "items" in kept:
        kept["items"] = _strict(kept["items"], name)
    if "anyOf" in kept:
        kept["anyOf"] = [_strict(of, name) for of in kept["anyOf"]]
    if kept.get("type") == "object":
        kept.setdefault("properties", {})
        kept |= {"additionalProperties": False, "required": list(kept["properties"])}
    return kept
