"""What a mapping file may say: where each field is in the data, and what words mean."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import Field, field_validator, model_validator

from vidomni_plugin.data.importing.origins import Fields, Origin, Part, Where

__all__ = [
    "Errors",
    "Lookup",
    "Mapping",
    "Sentences",
    "VidHalLocMapping",
    "VidOmniMapping",
]


class Errors(Fields):
    """Marked words of Incorrect sentences."""

    each: Where
    """The error spans; the other paths start at one of them."""
    category: Origin
    text: Origin | None = None
    start: Origin | None = None
    """Offset of the first character."""
    end: Origin | None = None
    """Offset behind the last character, or of it with ``inclusive_end``."""
    inclusive_end: bool = False
    sentence: Origin | None = None
    """Number of the sentence, for spans that stand beside the sentences."""
    first_sentence: Literal[0, 1] = 1
    """The number that the first sentence has."""

    @model_validator(mode="after")
    def _words_or_offsets(self) -> Errors:
        if (self.start is None) != (self.end is None):
            raise ValueError("start and end go together")
        if self.text is None and self.start is None:
            raise ValueError("needs text, or start and end")
        return self


class Sentences(Fields):
    """Where the sentences of a pair and their labels are."""

    each: Where | None = None
    """The sentences; text, label and errors start at one of them."""
    split: Origin | None = None
    """One text that is split into sentences."""
    texts: Where | None = None
    """A list of texts beside a list of labels."""
    text: Origin | None = None
    label: Origin | None = None
    labels: Origin | None = None
    """The labels beside split or texts, in the same order."""
    errors: Errors | None = None
    order_by: Where | None = None
    """The number that orders the rows of a pair."""
    first_number: int | None = None
    """With it the numbers must run from here without a gap."""


class Lookup(Part):
    """Another file that knows more about a record; its row is ``$name`` in paths."""

    file: str
    key: Where
    """The id in a row of that file."""
    by: Where
    """The id in the record."""
    records: Where | None = None


class _Mapping(Part):
    records: Where | None = None
    json_columns: list[str] = Field(default_factory=list)
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    lookup: dict[Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")], Lookup] = Field(
        default_factory=dict
    )

    @field_validator("lookup")
    @classmethod
    def _key_is_taken(cls, given: dict[str, Lookup]) -> dict[str, Lookup]:
        if "key" in given:
            raise ValueError("a table cannot be called key: $key is the key of a record")
        return given


class VidOmniFields(Fields):
    """Fields of a VidOmni pair and of its video."""

    pair_id: Origin | None = None
    video_id: Origin
    complexity_type: Origin | None = None
    duration_s: Origin | None = None
    has_audio: Origin | None = None
    audio_category: Origin | None = None
    source_dataset: Origin
    caption_source: Origin | None = None
    caption_prompt: Origin | None = None
    source_id: Origin | None = None
    youtube_id: Origin | None = None
    url: Origin | None = None
    sha256: Origin | None = None
    file: Origin | None = None


class VidOmniMapping(_Mapping):
    """A mapping file for ``--to vidomni``."""

    record: Literal["pair", "sentence", "video"] = "pair"
    fields: VidOmniFields
    sentences: Sentences | None = None
    errors: Errors | None = None

    @model_validator(mode="after")
    def _whole(self) -> VidOmniMapping:
        given = self.sentences
        if self.record == "video":
            if given is not None or self.errors is not None:
                raise ValueError("record: video has no sentences and no errors")
            return self
        needed = ("complexity_type", "duration_s", "has_audio", "caption_source")
        lacking = [name for name in needed if getattr(self.fields, name) is None]
        if lacking:
            raise ValueError(f"fields: a pair needs {', '.join(lacking)}")
        if given is None:
            raise ValueError("sentences: a pair needs them; without, say record: video")
        kinds = [n for n in ("each", "split", "texts") if getattr(given, n) is not None]
        if self.record == "sentence":
            if kinds or given.labels is not None or given.text is None or given.label is None:
                raise ValueError("sentences: one row a sentence needs text and label, no lists")
            if given.order_by is None:
                raise ValueError("sentences: one row a sentence needs order_by")
        elif len(kinds) != 1:
            raise ValueError("sentences: needs exactly one of each, split and texts")
        else:
            _sentence_list(given, kinds[0])
        if self.errors is not None:
            offsets = given.split is not None and self.errors.start is not None
            if self.errors.sentence is None and not offsets:
                raise ValueError("errors: needs sentence, or start and end in a text to be split")
        return self


def _sentence_list(given: Sentences, kind: str) -> None:
    if given.order_by is not None or given.first_number is not None:
        raise ValueError("sentences: order_by and first_number belong to record: sentence")
    if kind == "each":
        if given.text is None or given.label is None or given.labels is not None:
            raise ValueError("sentences: each needs text and label")
        return
    constant = given.label is not None and "value" in given.label.model_fields_set
    if given.text is not None or given.errors is not None:
        raise ValueError(f"sentences: text and errors belong to each, not to {kind}")
    if (given.labels is None) == (not constant):
        raise ValueError(f"sentences: {kind} needs labels, or label with one value for all")


class VidHalLocFields(Fields):
    """Fields of a VidHalLoc pair."""

    pair_id: Origin
    video_id: Origin
    task_type: Origin
    question: Origin
    answer: Origin
    counterfactual_answer: Origin
    leaf_label: Origin
    conflict_slot: Origin | None = None
    registered_modalities: Origin
    evidence_policy_id: Origin
    canonical_media_uri: Origin | None = None
    schema_version: Origin | None = None
    split: Origin | None = None
    file: Origin | None = None


class VidHalLocMapping(_Mapping):
    """A mapping file for ``--to vidhalloc``."""

    fields: VidHalLocFields


Mapping = TypeVar("Mapping", VidOmniMapping, VidHalLocMapping)
