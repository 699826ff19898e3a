"""The sentences of one pair, with labels and marked words, as a mapping describes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vidomni_plugin.data.importing.mapping import Errors, Sentences, VidOmniMapping
from vidomni_plugin.data.importing.paths import Node
from vidomni_plugin.data.importing.reading import NOTHING, Reader, shown

__all__ = ["Draft", "list_sentences", "mark_words", "row_sentence"]


@dataclass(slots=True)
class Draft:
    """A sentence on its way to a record."""

    text: str
    label: int | None
    start: int | None = None
    """Where it starts in the caption, if that was split here."""
    errors: list[dict[str, Any]] = field(default_factory=list)

    def as_record(self) -> dict[str, Any]:
        """Return the sentence as it stands in ``pairs.jsonl``."""
        return {"text": self.text, "label": self.label, "errors": self.errors}


def row_sentence(reader: Reader, node: Node, spec: Sentences) -> Draft:
    """Return the sentence that one row or one element holds."""
    text = reader.one(node, spec.text, "sentences.text")
    label = reader.one(node, spec.label, "label")
    draft = Draft("" if text is NOTHING else text, None if label is NOTHING else label)
    if spec.errors is not None:
        found = reader.nodes(node, spec.errors.each, "sentences.errors", required=False)
        for span in found or ():
            _mark(reader, span, spec.errors, draft, 0)
    return draft


def list_sentences(reader: Reader, node: Node, spec: Sentences) -> list[Draft]:
    """Return the sentences of a record that holds a whole pair."""
    if spec.each is not None:
        found = reader.nodes(node, spec.each, "sentences.each")
        return [row_sentence(reader, each, spec) for each in found or ()]
    drafts: list[Draft] = []
    if spec.texts is not None:
        for each in reader.nodes(node, spec.texts, "sentences.texts") or ():
            text = reader.text(each, "sentences.texts", spec.texts)
            if text is not NOTHING:
                drafts.append(Draft(text, None))
    elif spec.split is not None:
        drafts = _split(reader, node, spec)
    if spec.labels is None:
        label = spec.label.value if spec.label is not None else None
        for draft in drafts:
            draft.label = label
        return drafts
    labels = reader.each(node, spec.labels, "labels")
    if labels is None or reader.notes:
        return drafts
    if len(labels) != len(drafts):
        reader.note(node, "labels", f"{len(labels)} labels for {len(drafts)} sentences")
    for draft, label in zip(drafts, labels, strict=False):
        draft.label = label
    return drafts


def _split(reader: Reader, node: Node, spec: Sentences) -> list[Draft]:
    from vidomni_plugin.build.segment import split_sentences

    caption = reader.one(node, spec.split, "sentences.split")
    if caption is NOTHING:
        return []
    return [Draft(s.text, None, s.start) for s in split_sentences(caption)]


def mark_words(reader: Reader, node: Node, mapping: VidOmniMapping, drafts: list[Draft]) -> None:
    """Put the spans that stand beside the sentences into the sentences they belong to."""
    spec = mapping.errors
    if spec is None:
        return
    for span in reader.nodes(node, spec.each, "errors", required=False) or ():
        if spec.sentence is None:
            start = reader.one(span, spec.start, "start")
            if start is NOTHING:
                continue
            holders = [
                d
                for d in drafts
                if d.start is not None and d.start <= start < d.start + len(d.text)
            ]
            if not holders:
                reader.note(span, "errors", f"offset {start} lies in no sentence")
                continue
            _mark(reader, span, spec, holders[0], holders[0].start or 0)
            continue
        number = reader.one(span, spec.sentence, "sentence")
        if number is NOTHING:
            continue
        if not 0 <= number - spec.first_sentence < len(drafts):
            reason = f"there is no sentence {number}: {len(drafts)} from {spec.first_sentence} on"
            reader.note(span, "errors", reason)
            continue
        _mark(reader, span, spec, drafts[number - spec.first_sentence], 0)


def _mark(reader: Reader, span: Node, spec: Errors, sentence: Draft, shift: int) -> None:
    """Add one span to its sentence; offsets count from ``shift`` characters before it.

    A span that is empty in all its parts is none: a table has the columns also where nothing is
    marked.
    """
    if reader.all_empty(span, (spec.text, spec.start, spec.end, spec.category)):
        return
    text = reader.one(span, spec.text, "errors.text")
    if spec.start is not None:
        start = reader.one(span, spec.start, "start")
        end = reader.one(span, spec.end, "end")
        if start is NOTHING or end is NOTHING:
            return
        start, end = start - shift, end - shift + int(spec.inclusive_end)
        if not 0 <= start < end <= len(sentence.text):
            reason = f"offsets {start} to {end} in a sentence of {len(sentence.text)} characters"
            reader.note(span, "errors", reason)
            return
        words = sentence.text[start:end]
        if text is not NOTHING and text.strip() != words.strip():
            reason = f"the words are {shown(repr(text))}, the offsets give {shown(repr(words))}"
            reader.note(span, "errors", reason)
            return
        text = words
    categories: list[Any] | None
    if spec.category.path is not None and spec.category.path.iterates:
        categories = reader.each(span, spec.category, "category")
    else:
        categories = [reader.one(span, spec.category, "category")]
    for category in categories or ():
        if category is not NOTHING and text is not NOTHING:
            sentence.errors.append({"text": text, "category": category})
