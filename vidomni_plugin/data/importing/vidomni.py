"""Map records to VidOmni pairs and videos."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from vidomni_plugin.data.importing.mapping import VidOmniMapping
from vidomni_plugin.data.importing.paths import Node
from vidomni_plugin.data.importing.reading import NOTHING, Reader, Unmapped, as_number, shown
from vidomni_plugin.data.importing.sentences import (
    Draft,
    list_sentences,
    mark_words,
    row_sentence,
)

__all__ = ["Mapped", "Outcome", "map_vidomni"]

OF_PAIR = (
    "complexity_type",
    "duration_s",
    "has_audio",
    "audio_category",
    "source_dataset",
    "caption_source",
    "caption_prompt",
)
OF_VIDEO = (
    "source_dataset",
    "complexity_type",
    "duration_s",
    "has_audio",
    "audio_category",
    "source_id",
    "youtube_id",
    "url",
    "sha256",
)
OPTIONAL = frozenset(
    {"audio_category", "caption_prompt", "source_id", "youtube_id", "url", "sha256", "file"}
)
"""Fields of a pair that may be missing in a record."""


@dataclass(slots=True)
class Mapped:
    """One record of the data in our shape, before it is checked."""

    place: str
    fields: dict[str, Any]
    """Fields of a pair, or of a video where there is no pair; may hold ``FROM_FILE``."""
    video: dict[str, Any] = field(default_factory=dict)
    """Fields of the pair's line in ``videos.jsonl``."""
    split: str | None = None
    """The file of a VidHalLoc release that it belongs to."""
    file: str | None = None
    """Name of the video file, where the data have one."""


class Outcome(NamedTuple):
    """What became of the records."""

    mapped: list[Mapped]
    unmapped: list[Unmapped]
    orphans: list[Unmapped]
    """Rows whose pair is not known, so that any pair may lack a sentence."""


def map_vidomni(records: list[Node], mapping: VidOmniMapping, reader: Reader) -> Outcome:
    """Return what could be mapped and what could not; a record with a single fault is left out."""
    if mapping.record == "sentence":
        return _from_rows(records, mapping, reader)
    mapped: list[Mapped] = []
    unmapped: list[Unmapped] = []
    for node in records:
        given = _fields(reader, node, mapping)
        if mapping.record == "video":
            one = Mapped(node.place, {}, _video(given), file=given.get("file"))
        else:
            drafts = list_sentences(reader, node, _sentences(mapping))
            mark_words(reader, node, mapping, drafts)
            one = _pair(node.place, given, drafts)
        notes = reader.taken_notes()
        unmapped += notes
        if not notes:
            mapped.append(one)
    return Outcome(mapped, unmapped, [])


def _sentences(mapping: VidOmniMapping) -> Any:  # noqa: ANN401
    assert mapping.sentences is not None  # the mapping checks it
    return mapping.sentences


def _fields(reader: Reader, node: Node, mapping: VidOmniMapping) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in type(mapping.fields).model_fields:
        spec = getattr(mapping.fields, name)
        optional = name in OPTIONAL
        if mapping.record == "video":
            optional = name not in {"video_id", "source_dataset"}
        value = reader.one(node, spec, name, required=not optional)
        if value is not NOTHING:
            given[name] = value
    if mapping.fields.pair_id is None and {"video_id", "caption_source"} <= given.keys():
        given["pair_id"] = f"{given['video_id']}__{given['caption_source']}"
    return given


def _video(given: dict[str, Any]) -> dict[str, Any]:
    names = ("video_id", *OF_VIDEO)
    return {name: given[name] for name in names if name in given}


def _pair(place: str, given: dict[str, Any], drafts: list[Draft]) -> Mapped:
    fields = {name: given[name] for name in ("pair_id", "video_id", *OF_PAIR) if name in given}
    fields["sentences"] = [draft.as_record() for draft in drafts]
    return Mapped(place, fields, _video(given), file=given.get("file"))


@dataclass(slots=True)
class _Group:
    node: Node
    given: dict[str, Any]
    rows: list[tuple[float, Node, Draft]] = field(default_factory=list)
    notes: list[Unmapped] = field(default_factory=list)


def _from_rows(records: list[Node], mapping: VidOmniMapping, reader: Reader) -> Outcome:
    """Group rows by pair id and order them; one bad row makes its pair unmapped."""
    spec = _sentences(mapping)
    groups: dict[str, _Group] = {}
    unmapped: list[Unmapped] = []
    orphans: list[Unmapped] = []
    for node in records:
        given = _fields(reader, node, mapping)
        draft = row_sentence(reader, node, spec)
        order = _order(reader, node, spec.order_by)
        notes = reader.taken_notes()
        pair_id = given.get("pair_id")
        if pair_id is None:
            orphans += notes
            continue
        group = groups.setdefault(pair_id, _Group(node, given))
        group.notes += notes
        if notes:
            continue
        if group.given != given:
            for name in sorted(given.keys() | group.given.keys()):
                if given.get(name) != group.given.get(name):
                    reason = f"another value than at {group.node.place}, the pair's first row"
                    group.notes.append(Unmapped(node.place, name, reason))
        group.rows.append((order, node, draft))
    mapped: list[Mapped] = []
    for pair_id, group in groups.items():
        if not group.notes:
            group.notes += _numbering(group.rows, spec.first_number)
        if group.notes:
            left = f"; pair {shown(repr(pair_id))} is left out"
            unmapped += [Unmapped(n.place, n.field, n.reason + left) for n in group.notes]
            continue
        drafts = [draft for _, _, draft in sorted(group.rows, key=lambda row: row[0])]
        mapped.append(_pair(group.node.place, group.given, drafts))
    return Outcome(mapped, unmapped, orphans)


def _order(reader: Reader, node: Node, path: Any) -> float:  # noqa: ANN401
    nodes = reader.nodes(node, path, "order_by")
    if nodes is None:
        return 0.0
    number = as_number(nodes[0].value) if len(nodes) == 1 else None
    if number is None:
        reader.note(node, "order_by", f"there is no number at {path}")
        return 0.0
    return number


def _numbering(rows: list[tuple[float, Node, Draft]], first: int | None) -> list[Unmapped]:
    notes = []
    ordered = sorted(rows, key=lambda row: row[0])
    for before, after in pairwise(ordered):
        if before[0] == after[0]:
            reason = f"number {after[0]:g} is already at {before[1].place}"
            notes.append(Unmapped(after[1].place, "order_by", reason))
    if first is not None and not notes:
        for expected, (number, node, _) in enumerate(ordered, first):
            if number != expected:
                reason = f"sentence {expected} is missing before number {number:g}"
                notes.append(Unmapped(node.place, "order_by", reason))
                break
    return notes
