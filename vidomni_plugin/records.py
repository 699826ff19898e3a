"""The shapes of the data of both benchmarks: one record is one line of an annotation file."""

from __future__ import annotations

import unicodedata
from enum import Enum
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

__all__ = [
    "CATEGORY_OF_LEAF",
    "DYNAMIC",
    "LONGEST_S",
    "ONTOLOGY",
    "AudioCategory",
    "Caption",
    "CaptionSentence",
    "Category",
    "Certificate",
    "ComplexityType",
    "ErrorCategory",
    "ErrorSpan",
    "Leaf",
    "Media",
    "Sentence",
    "Side",
    "VidHalLocPair",
    "VidOmniPair",
    "VidOmniVideo",
]

LONGEST_S = 1e9
"""No video is longer, in seconds; a larger number is a mistake, and no table can show it."""
ID_LENGTH = 200
"""Longest id; ids become file names, and file systems stop at 255 bytes ..."""
ID_BYTES = 240
"""... of UTF-8, where a character has up to four; the ending needs some."""
UNSAFE_IN_ID = frozenset('/\\:*?"<>|')
"""Characters that separate paths or that some file system refuses."""


def _safe_id(value: str) -> str:
    if len(value) > ID_LENGTH:
        raise ValueError(f"id of {len(value)} characters; at most {ID_LENGTH}")
    if len(value.encode(errors="replace")) > ID_BYTES:
        raise ValueError(f"id of {len(value.encode(errors='replace'))} bytes; at most {ID_BYTES}")
    if value in {".", ".."} or value != value.strip():
        raise ValueError(f"id {value!r} cannot be a file name")
    bad = [c for c in value if c in UNSAFE_IN_ID or unicodedata.category(c)[0] == "C"]
    if bad:
        raise ValueError(f"id {value!r} holds {bad[0]!r}, which cannot be in a file name")
    return value


def _visible(value: str) -> str:
    if not value.strip():
        raise ValueError("text is empty")
    return value


Id = Annotated[str, StringConstraints(min_length=1), AfterValidator(_safe_id)]
"""Stable name of a pair or a video, safe as a file name."""
Text = Annotated[str, AfterValidator(_visible)]
"""Text with at least one visible character, kept as it is written."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


ComplexityType = Literal[1, 2, 3, 4, 5]
"""VidOmni's video types: 1 Static World, 2 Body Motion, 3 Hand-Object Interaction,
4 Crowd Action, 5 Multi-Scene Dynamics."""
AudioCategory = Literal["Speech", "Sound Effect", "Background"]
"""VidOmni's kinds of sound (Table 13)."""
ErrorCategory = Literal[
    "Object",
    "Relation",
    "Location",
    "Direction",
    "Illusion",
    "Action",
    "Order",
    "Causality",
    "Frequency",
    "State Change",
]
"""VidOmni's ten error categories: five static ones, then five temporal ones."""


class ErrorSpan(_Record):
    """The wrong words of an Incorrect sentence and their category."""

    text: Text
    category: ErrorCategory


class Sentence(_Record):
    """One sentence of a caption with its gold label."""

    text: Text
    label: Literal[0, 1] | None
    """0 Correct, 1 Incorrect, None Unknown (shown to the model, left out of the scores)."""
    errors: list[ErrorSpan] = []

    @model_validator(mode="after")
    def _only_incorrect_sentences_have_errors(self) -> Sentence:
        if self.errors and self.label != 1:
            raise ValueError(f"errors are marked in a sentence whose label is {self.label}")
        return self


class VidOmniPair(_Record):
    """One video with one dense caption, its sentences labelled (a line of ``pairs.jsonl``)."""

    pair_id: Id
    video_id: Id
    complexity_type: ComplexityType
    duration_s: Annotated[float, Field(gt=0, le=LONGEST_S, allow_inf_nan=False)]
    has_audio: bool
    audio_category: AudioCategory | None = None
    source_dataset: Text
    caption_source: Text
    """The model that wrote the caption."""
    caption_prompt: Literal[1, 2, 3, 4, 5] | None = None
    """Which of the five captioning prompts (Figure 13) was used, where that is known."""
    sentences: Annotated[list[Sentence], Field(min_length=1)]


class VidOmniVideo(_Record):
    """One video of VidOmni and where it comes from (a line of ``videos.jsonl``).

    ``vidomni data fetch`` finds or downloads the file from ``source_id`` (its name in the
    source data set), ``youtube_id`` or ``url``.
    """

    video_id: Id
    source_dataset: Text
    complexity_type: ComplexityType | None = None
    duration_s: Annotated[float, Field(gt=0, le=LONGEST_S, allow_inf_nan=False)] | None = None
    has_audio: bool | None = None
    audio_category: AudioCategory | None = None
    source_id: Text | None = None
    youtube_id: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{11}$")] | None = None
    url: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")] | None = None
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None


class CaptionSentence(_Record):
    """One sentence of a caption and where it stands in it."""

    text: Text
    start: Annotated[int, Field(ge=0)]
    """Offset of the first character in the caption."""
    end: Annotated[int, Field(ge=0)]
    """Offset behind the last character."""


class Caption(_Record):
    """A model's caption of one video, split into sentences (a line of ``captions.jsonl``)."""

    pair_id: Id
    video_id: Id
    caption_source: Text
    """The model that wrote the caption."""
    caption_prompt: Literal[1, 2, 3, 4, 5] | None = None
    caption: Text
    """The whole text as the model wrote it."""
    sentences: Annotated[list[CaptionSentence], Field(min_length=1)]

    @model_validator(mode="after")
    def _sentences_stand_in_the_caption(self) -> Caption:
        at = 0
        for number, sentence in enumerate(self.sentences, 1):
            if sentence.start < at or self.caption[sentence.start : sentence.end] != sentence.text:
                raise ValueError(f"sentence {number} does not stand where its offsets say")
            at = sentence.end
        return self


Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A point of time in a video."""


class Certificate(_Record):
    """The parts of a video that settle one sentence (a line of a certificates file).

    Used for Certificate Coverage (VidOmni Table 2). A sentence that can only be settled by the
    whole video, such as one about something that never happens, has the whole video here.
    """

    pair_id: Id
    sentence: Annotated[int, Field(ge=1)]
    """Number of the sentence in the caption, from 1, Unknown sentences counted."""
    intervals: Annotated[list[tuple[Seconds, Seconds]], Field(min_length=1)]
    """Start and end in seconds of the shortest parts that must be seen; they may overlap."""
    annotator: Text | None = None
    """Who marked it; a sentence may be marked by several, once by each."""

    @property
    def certificate_id(self) -> str:
        """What names the record: no two lines may share it."""
        return f"{self.pair_id} sentence {self.sentence} by {self.annotator}"

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> Certificate:
        for start, end in self.intervals:
            if start >= end:
                raise ValueError(f"interval {start} to {end} does not end after it starts")
        return self


class Leaf(str, Enum):
    """``leaf_label`` of a VidHalLoc record."""

    ENTITY_EXISTENCE = "EntityExistence"
    ENTITY_CATEGORY = "EntityCategory"
    ENTITY_QUANTITY = "EntityQuantity"
    ATTRIBUTE_VALUE = "AttributeValue"
    STATIC_RELATION = "StaticRelation"
    ACTION_PREDICATE = "ActionPredicate"
    TEMPORAL_RELATION = "TemporalRelation"
    CAMERA_PREDICATE = "CameraPredicate"


Category = Literal["eeh", "ech", "eqh", "avh", "srh", "aph", "trh", "cph"]
"""VidHalLoc's eight categories, in the paper's order and in lower case."""
CATEGORY_OF_LEAF: dict[str, Category] = {
    Leaf.ENTITY_EXISTENCE.value: "eeh",
    Leaf.ENTITY_CATEGORY.value: "ech",
    Leaf.ENTITY_QUANTITY.value: "eqh",
    Leaf.ATTRIBUTE_VALUE.value: "avh",
    Leaf.STATIC_RELATION.value: "srh",
    Leaf.ACTION_PREDICATE.value: "aph",
    Leaf.TEMPORAL_RELATION.value: "trh",
    Leaf.CAMERA_PREDICATE.value: "cph",
}
ONTOLOGY: tuple[Category, ...] = ("eeh", "ech", "eqh", "avh", "srh")
"""Categories of ontology hallucination (OH)."""
DYNAMIC: tuple[Category, ...] = ("aph", "trh", "cph")
"""Categories of dynamic hallucination (DH)."""
Side = Literal["factual", "counterfactual"]
"""Which of the two answers of a VidHalLoc pair."""


class Media(_Record):
    """Where a VidHalLoc video comes from."""

    video_id: Id
    canonical_media_uri: str
    registered_modalities: list[str]
    evidence_policy_id: str


class VidHalLocPair(_Record):
    """A question about one video with a factual and a counterfactual answer.

    The nine fields of the public release, read as they are.
    """

    schema_version: str
    pair_id: Id
    media: Media
    task_type: Literal["video_qa", "video_captioning"]
    question: Text
    answer: Text
    """The factual answer."""
    counterfactual_answer: Text
    leaf_label: Annotated[Leaf, Field(strict=False)]
    conflict_slot: Text

    @model_validator(mode="after")
    def _answers_differ(self) -> VidHalLocPair:
        def plain(text: str) -> str:
            return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

        if plain(self.answer) == plain(self.counterfactual_answer):
            raise ValueError(f"both answers are {self.answer!r}")
        return self
