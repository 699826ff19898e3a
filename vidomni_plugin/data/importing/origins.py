"""Where one field of a record comes from: a path, a constant, a join, or the video file."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    field_validator,
    model_validator,
)

from vidomni_plugin.data.importing.paths import FieldPath, parse_path
from vidomni_plugin.data.layout import SPLITS
from vidomni_plugin.records import AudioCategory, ErrorCategory, Leaf

__all__ = ["Fields", "Origin", "Part", "Value", "Where", "word"]

ALLOWED: dict[str, tuple[Any, ...]] = {
    "label": (0, 1, None),
    "labels": (0, 1, None),
    "complexity_type": (1, 2, 3, 4, 5),
    "caption_prompt": (1, 2, 3, 4, 5, None),
    "has_audio": (True, False),
    "audio_category": (*get_args(AudioCategory), None),
    "category": get_args(ErrorCategory),
    "task_type": ("video_qa", "video_captioning"),
    "leaf_label": tuple(leaf.value for leaf in Leaf),
    "split": SPLITS,
}
"""Values that a field may have, where they are a closed set: constants and words are held to it."""
FROM_FILE = ("duration_s", "has_audio")
"""Fields that the video file itself tells."""


def word(value: object) -> str:
    """Return how a value of the data is looked up among the words of a mapping.

    Upper and lower case and outer blanks do not count; numbers and null have their JSON text.

    Example:
        >>> word(" Hallucinated "), word(1.0), word(None), word(True)
        ('hallucinated', '1', 'null', 'true')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().casefold()


class Part(BaseModel):
    """A part of a mapping file; entries that are not known are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Where = Annotated[FieldPath, PlainValidator(parse_path)]


class Value(Part):
    """Where one field comes from: exactly one of path, value, join and ``from: file``."""

    path: Where | None = None
    value: Any = None
    join: Annotated[list[Where], Field(min_length=1)] | None = None
    between: str = "__"
    """Text between the parts of a join."""
    from_: Literal["file"] | None = Field(None, alias="from")
    words: dict[str, Any] | None = None
    unit: Literal["seconds", "milliseconds", "minutes", "clock"] = "seconds"

    @field_validator("words", mode="before")
    @classmethod
    def _each_word_once(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        words: dict[str, Any] = {}
        for key, meaning in given.items():
            text = word(key)
            if text in words and words[text] != meaning:
                raise ValueError(f"the word {text!r} has two meanings")
            words[text] = meaning
        return words

    @model_validator(mode="after")
    def _one_origin(self) -> Value:
        given = {"path", "value", "join", "from_"} & self.model_fields_set
        if len(given) != 1:
            raise ValueError("needs exactly one of path, value, join and from: file")
        if self.words is not None and self.path is None:
            raise ValueError("words belong to a path")
        return self


def _short_form(given: object) -> object:
    """A path alone stands for ``{path: ...}``."""
    return {"path": given} if isinstance(given, str) else given


Origin = Annotated[Value, BeforeValidator(_short_form)]


class Fields(Part):
    """Some fields with their origins; constants and words are values that a field may have."""

    @model_validator(mode="after")
    def _values_exist(self) -> Fields:
        for name in type(self).model_fields:
            given = getattr(self, name)
            if not isinstance(given, Value):
                continue
            if given.from_ and name not in FROM_FILE:
                raise ValueError(f"{name}: only {' and '.join(FROM_FILE)} can come from the file")
            if given.unit != "seconds" and name != "duration_s":
                raise ValueError(f"{name}: only duration_s has a unit")
            allowed = ALLOWED.get(name)
            if allowed is None:
                continue
            meanings = list((given.words or {}).values())
            if "value" in given.model_fields_set:
                meanings.append(given.value)
            for meaning in meanings:
                if not any(
                    meaning is a or (meaning == a and type(meaning) is type(a)) for a in allowed
                ):
                    shown = ", ".join("null" if a is None else _as_yaml(a) for a in allowed)
                    raise ValueError(f"{name}: {meaning!r} is not one of {shown}")
        return self


def _as_yaml(value: object) -> str:
    """Return a value as YAML has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
