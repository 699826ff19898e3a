"""The files of a Label Studio project: its config, its settings and its tasks."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vidomni_plugin.build.annotate.labelling import stage1_task, stage2_task
from vidomni_plugin.build.annotate.plans import Plan, PlannedPair
from vidomni_plugin.build.annotate.spans import incorrect
from vidomni_plugin.build.annotate.votes import Label
from vidomni_plugin.data.lines import write_text

__all__ = ["stage1_tasks", "stage2_tasks", "write_project"]

Task = dict[str, Any]


def stage1_tasks(pairs: Sequence[PlannedPair]) -> list[Task]:
    """Return the tasks of stage 1, one a pair."""
    return [stage1_task(p.caption, p.video, p.annotators, p.batch) for p in pairs]


def stage2_tasks(plan: Plan, labels: Mapping[str, Sequence[Label]]) -> list[Task]:
    """Return the tasks of stage 2: one for each pair with an Incorrect sentence.

    The annotators of stage 1 mark the words, as they know the video. Nothing is marked
    beforehand: also whether a repeated sentence is an error of Frequency is theirs to say.
    """
    tasks = []
    for pair_id, settled in labels.items():
        pair, wrong = plan.pairs[pair_id], [number - 1 for number in incorrect(settled)]
        if wrong:
            tasks.append(stage2_task(pair.caption, wrong, pair.video, pair.annotators, pair.batch))
    return tasks


def write_project(folder: Path, settings: Mapping[str, Any], tasks: Sequence[Task]) -> None:
    """Write what a project needs: the config, all tasks, and the tasks batch by batch.

    ``config.xml`` is for the editor of the labelling interface, ``project.json`` for the API,
    ``tasks.json`` holds everything, ``batches/<batch>.json`` the parts.

    Args:
        folder: Where they go.
        settings: What ``POST /api/projects/`` needs; the config is in it.
        tasks: The tasks, each with its batch in its data.
    """
    by_batch: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_batch[task["data"]["batch"]].append(task)
    write_text(folder / "config.xml", settings["label_config"])
    write_text(folder / "project.json", _json(settings))
    for batch, part in by_batch.items():
        write_text(folder / "batches" / f"{batch}.json", _json(part))
    for path in (folder / "batches").glob("*.json"):
        if path.stem not in by_batch:
            path.unlink()  # of an earlier plan: nobody must import it beside this one
    write_text(folder / "tasks.json", _json(tasks))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
