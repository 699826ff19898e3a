"""VidHalLoc's tables: the data at hand beside what the paper published."""

from __future__ import annotations

from typing import Any

from vidomni_plugin.data.layout import SPLITS
from vidomni_plugin.data.statistics.vidhalloc import VidHalLocStatistics
from vidomni_plugin.published import published, rows
from vidomni_plugin.tables import Cell, Column, Table, beside_published

__all__ = ["GROUP_NAMES", "TASK_NAMES", "published_categories", "vidhalloc_tables"]

GROUP_NAMES = {
    "eeh": "EEH Entity Existence",
    "ech": "ECH Entity Category",
    "eqh": "EQH Entity Quantity",
    "avh": "AVH Attribute Value",
    "srh": "SRH Static Relation",
    "aph": "APH Action Predicate",
    "trh": "TRH Temporal Relation",
    "cph": "CPH Camera Predicate",
    "ontology": "OH ontology",
    "dynamic": "DH dynamic",
    "all": "all",
}
TASK_NAMES = {"video_qa": "QA", "video_captioning": "captioning"}


def vidhalloc_tables(found: VidHalLocStatistics) -> list[Table]:
    """Return the tables in the order in which they are read."""
    return [_counts(found), _table4(found), _splits(found)]


def published_categories() -> dict[str, dict[str, Any]]:
    """Return Table 4's published values by category; a value that is not printed is missing."""
    paper = published()["vidhalloc"]["table4_counts"]
    by_category: dict[str, dict[str, Any]] = {}
    for index, name in enumerate(paper["categories"]):
        values = {
            "items": paper["questions"][index],
            "question_words": paper["avg_question_words"][index],
            "video_seconds": paper["avg_video_seconds"][index],
        }
        if name in paper["qa_captioning_split"]:
            values["video_qa"], values["video_captioning"] = paper["qa_captioning_split"][name]
        by_category[name.lower()] = values
    totals = paper["totals"]
    tasks = {task: totals[task] for task in TASK_NAMES}
    by_category["all"] = {"items": sum(tasks.values()), **tasks}
    return by_category


def _part(found: VidHalLocStatistics) -> str:
    whole = published_categories()["all"]["items"]
    here = found.tasks["all"].items
    if here == whole:
        return f"Published values are for the paper's {whole:,} items."
    return f"These data have {here:,} items, published values are for the paper's {whole:,}."


def _counts(found: VidHalLocStatistics) -> Table:
    totals = published()["vidhalloc"]["table4_counts"]["totals"]
    evaluation = published()["vidhalloc"]["splits"]["evaluation"]
    items = published_categories()["all"]["items"]
    here = found.tasks["all"]
    part = found.evaluation
    of_a_video = found.items_of_a_video
    two = items - totals["videos"]
    body: list[list[Cell]] = [
        ["items", here.items, items],
        *([f"items, {TASK_NAMES[t]}", found.tasks[t].items, totals[t]] for t in TASK_NAMES),
        ["videos", here.videos, totals["videos"]],
        ["videos with one item", of_a_video.get(1, 0), totals["videos"] - two],
        ["videos with two items", of_a_video.get(2, 0), two],
        ["videos with more items", sum(n for k, n in of_a_video.items() if k > 2), 0],
        ["items of the evaluation set", part.items if part else None, evaluation["items"]],
        ["videos of the evaluation set", part.videos if part else None, evaluation["videos"]],
    ]
    return Table(
        "counts",
        "VidHalLoc: what is in the data",
        [Column(""), Column("here"), Column("published", published=True)],
        body,
        [
            _part(found),
            "Published items a video follow from the totals and the limit of two items a video. "
            "The evaluation set is Eval_set and Test_set of both tasks.",
        ],
    )


def _table4(found: VidHalLocStatistics) -> Table:
    paper = published_categories()
    body: list[list[Cell]] = []
    for group, row in found.categories.items():
        there = paper.get(group, {})
        body.append(
            [
                GROUP_NAMES[group],
                row.items,
                there.get("items"),
                row.video_qa,
                there.get("video_qa"),
                row.video_captioning,
                there.get("video_captioning"),
                row.question_words.value,
                there.get("question_words"),
                row.video_seconds.value,
                there.get("video_seconds"),
                row.video_seconds.over,
            ]
        )
    measured = "words", "seconds"
    titles = ("items", "QA", "captioning", "question words", "video seconds")
    columns = [Column("category")]
    for title in titles:
        digits = 2 if title.endswith(measured) else 0
        columns += beside_published(title, digits)
    columns.append(Column("n with a duration"))
    return Table(
        "table4",
        "VidHalLoc Table 4: items by category",
        columns,
        body,
        [
            _part(found),
            "Words and seconds are means over items: a video with two items of a category counts "
            f"twice. Durations: {found.durations_from_inventory:,} videos from the inventory, "
            f"{found.durations_from_files:,} from the files.",
            "The paper prints QA and captioning for four categories.",
        ],
    )


def _splits(found: VidHalLocStatistics) -> Table:
    paper = {row["task_type"]: row for row in rows("vidhalloc", "splits")}
    body: list[list[Cell]] = []
    for task in TASK_NAMES:
        for name in SPLITS:
            part = found.splits[task][name]
            body.append(
                [
                    TASK_NAMES[task],
                    name,
                    part.items if part else None,
                    paper[task][name],
                    part.videos if part else None,
                ]
            )
    return Table(
        "splits",
        "VidHalLoc: splits",
        [
            Column("task"),
            Column("split"),
            *beside_published("items"),
            Column("videos"),
        ],
        body,
        [_part(found), "A split whose file is not there has no numbers."],
    )
