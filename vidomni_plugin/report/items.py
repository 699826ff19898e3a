"""The details of samples as reports may rely on them: checked, and scored by ``metrics.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticSerializationError, to_json

from vidomni_plugin.problems import field_errors
from vidomni_plugin.records import Category, ComplexityType, Side
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidomni import metrics as vidomni_metrics

__all__ = ["BadItem", "checked"]

Label = Literal[0, 1] | None
Texts = list[str]
Count = Annotated[int, Field(ge=0, le=10**9)]


class BadItem(ValueError):
    """A sample's detail is not as our tasks write it."""


class _Item(BaseModel):
    # Later versions may add fields; a number in quotes is an edited file.
    model_config = ConfigDict(extra="ignore", strict=True)

    pair_id: str
    video_id: str
    missing: Count = 0
    prompt: str = ""
    plugin: str = ""
    media_digest: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _can_be_written(self) -> _Item:
        for name, value in self.__dict__.items():
            try:
                to_json(value)
            except PydanticSerializationError:
                raise ValueError(f"{name} holds half a character") from None
        return self


class _VidOmniItem(_Item):
    complexity_type: ComplexityType
    duration_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    gold: Annotated[list[Label], Field(min_length=1)]
    labels: list[Label]
    sentences: Texts
    errors: list[Texts]
    error_words: list[Texts]
    status: Literal["ok", "partial", "none"]
    has_audio: bool = False
    file_has_audio: bool = False
    audio_category: str | None = None
    source_dataset: str = ""
    caption_source: str = ""
    caption_prompt: int | None = None

    @model_validator(mode="after")
    def _one_a_sentence(self) -> _VidOmniItem:
        lists = (self.labels, self.sentences, self.errors, self.error_words)
        if any(len(values) != len(self.gold) for values in lists):
            raise ValueError("labels, sentences or errors are not one for each gold label")
        return self


class _VidHalLocItem(_Item):
    side: Side
    category: Category
    task_type: str
    question: str
    candidate_answer: str
    label: Literal["ACCEPT", "REJECT"] | None
    duration_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Early versions did not write it."""


def checked(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Return a detail of VidOmni or VidHalLoc with its scores, every field of its type.

    ``error_words``, which early versions did not write, are empty lists where they are missing.
    The scores are those of the labels, whatever the file says.

    Raises:
        BadItem: If a field that a report needs is missing or of another type.
    """
    record: type[_Item] = _VidOmniItem if detail["benchmark"] == "vidomni" else _VidHalLocItem
    whole = dict(detail)
    for name, field in record.model_fields.items():
        if not field.is_required():
            whole.setdefault(name, field.default)
    if record is _VidOmniItem and isinstance(whole.get("gold"), list):
        whole.setdefault("error_words", [[] for _ in whole["gold"]])
    try:
        record.model_validate(whole)
    except ValidationError as error:
        raise BadItem("; ".join(field_errors(error))) from None
    if record is _VidOmniItem:
        return vidomni_metrics.metric_items(whole)["f1"]
    return vidhalloc_metrics.metric_items(whole)["overall"]
