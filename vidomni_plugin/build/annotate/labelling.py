"""The two Label Studio projects: labelling configs, tasks, and the names in their exports.

A task is one pair. Its ``sentences`` are numbered from 1 for people; in the names of controls
and in spans they are counted from 0, as Label Studio's Repeater and Paragraphs tags do.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from vidomni_plugin.records import Caption, ErrorCategory

__all__ = [
    "CATEGORIES",
    "ERROR",
    "INCORRECT",
    "SENTENCES",
    "VERDICTS",
    "assigned_tab",
    "assigned_to",
    "in_python",
    "memo_name",
    "project",
    "sentence_name",
    "sentence_of",
    "stage1_config",
    "stage1_task",
    "stage2_config",
    "stage2_task",
    "verdict_name",
]

INCORRECT = "Incorrect"
VERDICTS: dict[str, int | None] = {"Correct": 0, INCORRECT: 1, "Unknown": None}
"""The choices of stage 1 and the labels they stand for in ``pairs.jsonl``."""
CATEGORIES: tuple[str, ...] = get_args(ErrorCategory)
"""The labels of stage 2."""
ERROR = "error"
"""``from_name`` of every span of stage 2."""
SENTENCES = "sentences"
"""``to_name`` of every span of stage 2, and the field of a task with its sentences."""
_REPEATED = re.compile(r"(?:verdict|memo|sentence)_(0|[1-9][0-9]{0,5})")

_HIDDEN = (
    *("inner_id", "total_predictions", "annotations_results", "annotations_ids"),
    *("predictions_score", "predictions_model_versions", "predictions_results"),
    *("file_upload", "storage_filename", "created_at", "updated_at", "updated_by"),
    *("avg_lead_time", "draft_exists", "data.stage", "data.assigned", "data.sentences"),
    *("data.caption", "data.pair_id"),
)
"""Columns of the list of tasks that an annotator has no use for, or, as the pair's id names the
caption's source, should not see."""


def stage1_config() -> str:
    """Return the labelling config of stage 1: a verdict and a memo for each sentence."""
    return _config("stage1.xml")


def stage2_config() -> str:
    """Return the labelling config of stage 2: wrong words in ten categories."""
    return _config("stage2.xml")


def _config(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def verdict_name(index: int) -> str:
    """Return ``from_name`` of the verdict on a sentence, counted from 0."""
    return f"verdict_{index}"


def memo_name(index: int) -> str:
    """Return ``from_name`` of the memo on a sentence, counted from 0."""
    return f"memo_{index}"


def sentence_name(index: int) -> str:
    """Return ``to_name`` of a sentence's verdict and memo, counted from 0."""
    return f"sentence_{index}"


def sentence_of(name: str) -> int | None:
    """Return which sentence a verdict or memo is on, counted from 0; None for other names.

    Example:
        >>> sentence_of("verdict_12"), sentence_of("memo_0"), sentence_of("error")
        (12, 0, None)
    """
    found = _REPEATED.fullmatch(name)
    return int(found.group(1)) if found else None


def stage1_task(
    caption: Caption, video: str, assigned: Sequence[str], batch: str
) -> dict[str, Any]:
    """Return the task of stage 1 for one pair, as Label Studio imports it.

    Args:
        caption: The caption in sentences.
        video: Address of the video for the annotator's browser.
        assigned: Names of the annotators; no ``|`` in them.
        batch: Name of the batch.
    """
    return _task(caption, video, assigned, batch, 1, range(len(caption.sentences)))


def stage2_task(
    caption: Caption, wrong: Sequence[int], video: str, assigned: Sequence[str], batch: str
) -> dict[str, Any]:
    """Return the task of stage 2 for one pair: its Incorrect sentences and the whole caption.

    Args:
        caption: The caption in sentences.
        wrong: The Incorrect sentences, counted from 0 in the caption; at least one.
        video: Address of the video for the annotator's browser.
        assigned: Names of the annotators; no ``|`` in them.
        batch: Name of the batch.
    """
    task = _task(caption, video, assigned, batch, 2, wrong)
    task["data"]["caption"] = caption.caption
    return task


def _task(
    caption: Caption,
    video: str,
    assigned: Sequence[str],
    batch: str,
    stage: int,
    shown: Sequence[int],
) -> dict[str, Any]:
    # Numbers are strings: the Header and Paragraphs tags show nothing else.
    sentences = [{"number": str(k + 1), "text": caption.sentences[k].text} for k in shown]
    return {
        "data": {
            "stage": stage,
            "pair_id": caption.pair_id,
            "video_id": caption.video_id,
            "batch": batch,
            "assigned": "".join(f"|{name}" for name in assigned) + "|",
            "video": video,
            SENTENCES: sentences,
        }
    }


def assigned_to(data: dict[str, Any]) -> tuple[str, ...]:
    """Return the annotators that a task's data name.

    Example:
        >>> assigned_to({"assigned": "|ann|bob|"})
        ('ann', 'bob')
    """
    return tuple(name for name in str(data.get("assigned", "")).split("|") if name)


def project(stage: int, title: str, annotators: int) -> dict[str, Any]:
    """Return what ``POST /api/projects/`` needs for one stage.

    Args:
        stage: 1 or 2.
        title: Name of the project, at most 50 characters.
        annotators: How many people label; a task stays open until all of them could have.
    """
    return {
        "title": title,
        "label_config": stage1_config() if stage == 1 else stage2_config(),
        # Label Studio closes a task at this number of annotations, whoever made them.
        "maximum_annotations": annotators,
        "show_skip_button": True,
        "show_collab_predictions": False,
    }


def assigned_tab(project_id: int, annotator: str) -> dict[str, Any]:
    """Return what ``POST /api/dm/views/`` needs for a tab with one annotator's tasks.

    Label Studio's community edition assigns nothing: "Label Tasks As Displayed" in
    this tab does it, "Label All Tasks" leaves the tab.
    """
    mine = {
        "filter": "filter:tasks:data.assigned",
        "operator": "contains",
        "type": "String",
        "value": f"|{annotator}|",
    }
    hidden = [f"tasks:{name}" for name in _HIDDEN]
    return {
        "project": project_id,
        "data": {
            "title": annotator,
            "filters": {"conjunction": "and", "items": [mine]},
            "hiddenColumns": {"explore": hidden, "labeling": hidden},
        },
    }


def in_python(text: str, offset: int) -> int:
    """Return where a browser's offset into ``text`` is in Python.

    Browsers count UTF-16 units, so a character beyond U+FFFF, such as an emoji, is two.

    Raises:
        ValueError: If the offset is outside the text or within such a character.

    Example:
        >>> in_python("a \U0001f600 b", 5)
        4
    """
    units = text.encode("utf-16-le")
    if not 0 <= 2 * offset <= len(units):
        raise ValueError(f"offset {offset} is not in a text of {len(units) // 2} units")
    return len(units[: 2 * offset].decode("utf-16-le"))


def main(arguments: Sequence[str]) -> None:
    """Print ``assigned_tab`` as JSON, for shell scripts.

    Args:
        arguments: Number of the project, name of the annotator and, where the name is to be
            looked up, folder of the plan.

    Raises:
        SystemExit: If the arguments are others; says which are needed.
    """
    if len(arguments) not in (2, 3) or not arguments[0].isdecimal() or not arguments[1]:
        raise SystemExit(
            "usage: python -m vidomni_plugin.build.annotate.labelling PROJECT NAME [PLAN]\n"
            "PROJECT: number of the project in Label Studio; NAME: an annotator; PLAN: folder of "
            "the plan, in which the name is looked up"
        )
    project_id, annotator, *plan = arguments
    if plan:
        _check_name(annotator, Path(plan[0]))
    print(json.dumps(assigned_tab(int(project_id), annotator)))


def _check_name(annotator: str, plan: Path) -> None:
    # plans.py takes names of fields from this module.
    from vidomni_plugin.build.annotate.plans import read_plan
    from vidomni_plugin.problems import InputProblems, printable

    try:
        known = [person.name for person in read_plan(plan).settings.annotators]
    except InputProblems as problems:
        raise SystemExit(str(problems)) from None
    if annotator not in known:
        names = ", ".join(known)
        raise SystemExit(printable(f"{annotator!r} is no annotator of {plan}: {names}"))


if __name__ == "__main__":
    main(sys.argv[1:])
