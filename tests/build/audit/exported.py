"""Audits on disk and exports as Label Studio writes them; their shape is that of ``exports/``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.conftest import vidhalloc_record, write_lines
from tests.label_studio.audit_story import Judgement
from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.audit.files import AuditItem
from vidomni_plugin.build.audit.labels import CODES, LABELS
from vidomni_plugin.data.layout import FULL_SET, SLOT_OF_LEAF, VIDEO_FOLDER
from vidomni_plugin.records import VidHalLocPair

PEOPLE = (
    Annotator(name="ann", email="ann@lab.org", label_studio_id=2),
    Annotator(name="ben", email="ben@lab.org", label_studio_id=3),
    Annotator(name="cem", email="cem@lab.org", label_studio_id=4),
)
NUMBER = {person.name: person.label_studio_id for person in PEOPLE}
LEAVES = LABELS[: len(CODES)]


def record(number: int, leaf: str, video: int, task: str = "video_qa") -> dict[str, Any]:
    """Return one pair of a release."""
    return vidhalloc_record(
        f"pair_v{video:04d}_fact_{number:05d}",
        f"v{video:04d}",
        task_type=task,
        leaf_label=leaf,
        conflict_slot=SLOT_OF_LEAF[leaf],
        answer=f"A circle rolls, no. {number}.",
        counterfactual_answer=f"A cube rolls, no. {number}.",
    )


def release(root: Path, per_category: int = 250, videos: int = 1090) -> Path:
    """Lay out a release with so many pairs a category; its videos are empty files.

    Video k has one task, and pairs of different categories.
    """
    tasks = tuple(VIDEO_FOLDER)
    rows = []
    for number in range(per_category * len(LEAVES)):
        video = number % videos
        leaf = LEAVES[(number + number // videos) % len(LEAVES)]
        rows.append(record(number, leaf, video, tasks[video % 2]))
    counts = {leaf: sum(row["leaf_label"] == leaf for row in rows) for leaf in LEAVES}
    surplus = [leaf for leaf in LEAVES for _ in range(counts[leaf] - per_category)]
    lacking = [leaf for leaf in LEAVES for _ in range(per_category - counts[leaf])]
    for more, less in zip(surplus, lacking, strict=True):
        row = next(row for row in rows if row["leaf_label"] == more)
        row |= {"leaf_label": less, "conflict_slot": SLOT_OF_LEAF[less]}
    write_lines(root / FULL_SET, rows)
    for video in range(videos):
        folder = root / VIDEO_FOLDER[tasks[video % 2]]
        folder.mkdir(exist_ok=True)
        (folder / f"v{video:04d}.mp4").touch()
    return root


def items(labels: Sequence[str], batch: str = "audit") -> list[AuditItem]:
    """Return items with these original labels."""
    return [
        AuditItem.model_validate(
            {
                "item": f"item-{batch}-{k:03d}",
                "batch": batch,
                "pair": VidHalLocPair.model_validate(record(k, label, k)),
            }
        )
        for k, label in enumerate(labels)
    ]


def annotation(number: int, by: str, said: Judgement, **changes: Any) -> dict[str, Any]:
    """Return one annotation of a JSON export."""
    made = f"2026-11-30T08:{number // 60 % 60:02d}:{number % 60:02d}.000000Z"
    return {
        "id": number,
        "completed_by": NUMBER[by],
        "result": said.result(),
        "was_cancelled": False,
        "created_at": made,
        "updated_at": made,
        "lead_time": 20.5,
    } | changes


def as_json(
    path: Path, annotated: Sequence[tuple[Mapping[str, Any], Sequence[dict[str, Any]]]]
) -> Path:
    """Write a JSON export: task data with the annotations of each."""
    tasks = [
        {"id": number, "data": dict(data), "annotations": list(made), "drafts": []}
        for number, (data, made) in enumerate(annotated, 1)
    ]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def as_min(
    path: Path, annotated: Sequence[tuple[Mapping[str, Any], Sequence[dict[str, Any]]]]
) -> Path:
    """Write the same as JSON-MIN: a row an annotation, the controls beside the task's data."""
    rows = []
    for number, (data, made) in enumerate(annotated, 1):
        for one in made:
            row = {**data, "id": number, "annotation_id": one["id"]}
            row["annotator"] = one["completed_by"]
            for part in one["result"]:
                (values,) = part["value"].values()
                row[part["from_name"]] = values[0]
            rows.append(row | {k: one[k] for k in ("lead_time", "created_at", "updated_at")})
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def export_of(
    project: Path, path: Path, by: str, said: Mapping[tuple[str, str], Judgement], write: Any
) -> Path:
    """Write the export of one person's project, everything judged."""
    tasks = json.loads((project / "tasks.json").read_text(encoding="utf-8"))
    annotated = [
        (task["data"], [annotation(number, by, said[task["data"]["item"], by])])
        for number, task in enumerate(tasks, 1)
    ]
    done: Path = write(path, annotated)
    return done
