"""Exports as Label Studio writes them, made in memory; their shape is that of ``exports/``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.assign import assign
from vidomni_plugin.build.annotate.plans import Plan, Settings, planned
from vidomni_plugin.build.annotate.projects import stage1_tasks
from vidomni_plugin.records import Caption

PEOPLE = (
    Annotator(name="ann", email="ann@lab.org", trusted=True, label_studio_id=2),
    Annotator(name="ben", email="ben@lab.org", label_studio_id=3),
    Annotator(name="cai", email="cai@lab.org", label_studio_id=4),
)
NUMBER = {person.name: person.label_studio_id for person in PEOPLE}


def caption(
    pair_id: str, sentences: Sequence[str], video_id: str = "", source: str = "m"
) -> Caption:
    """Return a caption whose sentences are joined with spaces."""
    text, placed = " ".join(sentences), []
    at = 0
    for sentence in sentences:
        placed.append({"text": sentence, "start": at, "end": at + len(sentence)})
        at += len(sentence) + 1
    return Caption.model_validate(
        {
            "pair_id": pair_id,
            "video_id": video_id or pair_id.split("__")[0],
            "caption_source": source,
            "caption_prompt": 1,
            "caption": text,
            "sentences": placed,
        }
    )


def plan_of(
    captions: Sequence[Caption],
    people: Sequence[Annotator] = PEOPLE,
    per_pair: int = 3,
    pilot: int = 0,
) -> Plan:
    """Return a plan of these captions, seed 0."""
    assigned = assign(captions, people, seed=0, per_pair=per_pair, batch_size=100, pilot=pilot)
    videos = {one.video_id: f"/v/{one.video_id}.mp4" for one in captions}
    settings = Settings(
        seed=0,
        per_pair=per_pair,
        batch_size=100,
        pilot=pilot,
        video_url="/v/",
        captions="0" * 64,
        annotators=list(people),
    )
    return Plan(settings, {pair.pair_id: pair for pair in planned(assigned, videos, {})})


def result(name: str, to: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return one item of an annotation's result."""
    return {"id": "x", "from_name": name, "to_name": to, "type": kind, "value": dict(value)}


def verdicts(labels: Sequence[str | None], memos: Mapping[int, str] | None = None) -> list[Any]:
    """Return the result of an annotation of stage 1; memos by sentence, counted from 0."""
    items = [
        result(f"verdict_{k}", f"sentence_{k}", "choices", {"choices": [label]})
        for k, label in enumerate(labels)
        if label is not None
    ]
    return items + [
        result(f"memo_{k}", f"sentence_{k}", "textarea", {"text": [text]})
        for k, text in (memos or {}).items()
    ]


def spans(*marked: tuple[int, int, int, str, str]) -> list[Any]:
    """Return the result of stage 2: sentence shown (from 0), offsets, words, category."""
    return [
        result(
            "error",
            "sentences",
            "paragraphlabels",
            {
                "start": str(k),
                "end": str(k),
                "startOffset": start,
                "endOffset": end,
                "text": words,
                "paragraphlabels": [category],
            },
        )
        for k, start, end, words, category in marked
    ]


def annotation(
    number: int, by: str, items: Sequence[Any], *, expanded: bool = True, **changes: Any
) -> dict[str, Any]:
    """Return one annotation of a JSON export; ``expanded`` gives the address of the account."""
    who: Any = {"id": NUMBER[by], "email": f"{by}@lab.org"} if expanded else NUMBER[by]
    made = f"2026-11-30T08:{number % 60:02d}:00.000000Z"
    return {
        "id": number,
        "completed_by": who,
        "result": list(items),
        "was_cancelled": False,
        "created_at": made,
        "updated_at": made,
        "lead_time": 10.0 * number,
    } | changes


def tasks_of(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return the data of each task of stage 1 by pair id."""
    tasks = stage1_tasks(list(plan.pairs.values()))
    return {task["data"]["pair_id"]: task["data"] for task in tasks}


def as_json(path: Path, annotated: Sequence[tuple[dict[str, Any], Sequence[Any]]]) -> Path:
    """Write a JSON export: task data with the annotations of each."""
    tasks = [
        {"id": number, "data": data, "annotations": list(made), "drafts": []}
        for number, (data, made) in enumerate(annotated, 1)
    ]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def as_min(path: Path, annotated: Sequence[tuple[dict[str, Any], Sequence[Any]]]) -> Path:
    """Write the same as JSON-MIN: a row an annotation, no address, nothing that was skipped."""
    rows = []
    for number, (data, made) in enumerate(annotated, 1):
        for one in made:
            if one["was_cancelled"]:
                continue
            who = one["completed_by"]
            row = {**data, "id": number, "annotation_id": one["id"]}
            row["annotator"] = who["id"] if isinstance(who, dict) else who
            for item in one["result"]:
                name, value = item["from_name"], item["value"]
                if name == "error":
                    row.setdefault("error", []).append(value)
                elif "choices" in value:
                    row[name] = value["choices"][0]
                else:
                    texts = value["text"]
                    row[name] = texts[0] if len(texts) == 1 else {"text": texts}
            rows.append(row | {k: one[k] for k in ("lead_time", "created_at", "updated_at")})
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path
