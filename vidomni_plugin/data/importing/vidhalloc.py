"""Map records to VidHalLoc pairs."""

from __future__ import annotations

from typing import Any

from vidomni_plugin.data.importing.mapping import VidHalLocMapping
from vidomni_plugin.data.importing.paths import Node
from vidomni_plugin.data.importing.reading import NOTHING, Reader, Unmapped
from vidomni_plugin.data.importing.vidomni import Mapped, Outcome
from vidomni_plugin.data.layout import RELEASED_SCHEMA, SLOT_OF_LEAF

__all__ = ["map_vidhalloc"]

OPTIONAL = frozenset({"file"})


def map_vidhalloc(records: list[Node], mapping: VidHalLocMapping, reader: Reader) -> Outcome:
    """Return what could be mapped and what could not; a record with a single fault is left out."""
    mapped: list[Mapped] = []
    unmapped: list[Unmapped] = []
    for node in records:
        given: dict[str, Any] = {}
        for name in type(mapping.fields).model_fields:
            spec = getattr(mapping.fields, name)
            value = reader.one(node, spec, name, required=name not in OPTIONAL)
            if value is not NOTHING:
                given[name] = value
        notes = reader.taken_notes()
        unmapped += notes
        if not notes:
            mapped.append(_pair(node.place, given))
    return Outcome(mapped, unmapped, [])


def _pair(place: str, given: dict[str, Any]) -> Mapped:
    video_id = given["video_id"]
    fields = {
        "schema_version": given.get("schema_version", RELEASED_SCHEMA),
        "pair_id": given["pair_id"],
        "media": {
            "video_id": video_id,
            "canonical_media_uri": given.get("canonical_media_uri", f"media://{video_id}/original"),
            "registered_modalities": given["registered_modalities"],
            "evidence_policy_id": given["evidence_policy_id"],
        },
        "task_type": given["task_type"],
        "question": given["question"],
        "answer": given["answer"],
        "counterfactual_answer": given["counterfactual_answer"],
        "leaf_label": given["leaf_label"],
        "conflict_slot": given.get("conflict_slot", SLOT_OF_LEAF.get(given["leaf_label"], "?")),
    }
    return Mapped(place, fields, split=given.get("split"), file=given.get("file"))
