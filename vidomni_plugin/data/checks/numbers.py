"""Checks of the counts of a whole release against the published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vidomni_plugin.data.checks.registry import ANY_FILE, Found, check
from vidomni_plugin.data.checks.view import Data, VidHalLocData, VidOmniData
from vidomni_plugin.data.layout import FILES, FULL_SET, TASK_SETS
from vidomni_plugin.published import published, rows
from vidomni_plugin.records import CATEGORY_OF_LEAF
from vidomni_plugin.vidomni.metrics import duration_group

__all__ = ["Count", "counts_of"]

Count = tuple[str, int, int]
"""What is counted, what is there, and what was published."""


def _vidhalloc(data: VidHalLocData) -> Iterator[Count]:
    table = published()["vidhalloc"]["table4_counts"]
    split_counts = {row["task_type"]: row for row in rows("vidhalloc", "splits")}
    evaluation = published()["vidhalloc"]["splits"]["evaluation"]
    records = [entry.record for entry in data.sets[FULL_SET]]
    yield "items", len(records), sum(table["questions"])
    leaves = Counter(CATEGORY_OF_LEAF[record.leaf_label.value].upper() for record in records)
    for leaf, number in zip(table["categories"], table["questions"], strict=True):
        yield f"items of {leaf}", leaves[leaf], number
    tasks = Counter[str](record.task_type for record in records)
    by_both = Counter[tuple[str, str]](
        (CATEGORY_OF_LEAF[record.leaf_label.value].upper(), record.task_type) for record in records
    )
    for task, files in TASK_SETS.items():
        yield f"items of {task}", tasks[task], table["totals"][task]
        yield files.full, len(data.sets.get(files.full, ())), table["totals"][task]
        for split, name in files.splits.items():
            yield name, len(data.sets.get(name, ())), split_counts[task][split]
    for leaf, numbers in table["qa_captioning_split"].items():
        for task, number in zip(TASK_SETS, numbers, strict=True):
            yield f"items of {leaf} and {task}", by_both[leaf, task], number
    videos = len({record.media.video_id for record in records})
    yield "videos", videos, table["totals"]["videos"]
    judged = [entry.record for name in FILES["eval"] for entry in data.sets.get(name, ())]
    of_leaf = Counter(CATEGORY_OF_LEAF[record.leaf_label.value].upper() for record in judged)
    for leaf in table["categories"]:
        number = evaluation["items"] // len(table["categories"])  # as many of each
        yield f"items of {leaf} in Eval_set and Test_set", of_leaf[leaf], number
    judged_videos = len({record.media.video_id for record in judged})
    yield "videos of Eval_set and Test_set", judged_videos, evaluation["videos"]


def _vidomni(data: VidOmniData) -> Iterator[Count]:
    numbers = published()["vidomni"]
    records = [entry.record for entry in data.pairs]
    videos = {record.video_id: record for record in records}
    yield "pairs", len(records), numbers["counts"]["pairs"]
    yield "videos", len(videos), numbers["counts"]["videos"]
    with_sound = sum(record.has_audio for record in videos.values())
    yield "videos with sound", with_sound, numbers["counts"]["videos_with_audio"]
    sources = len({record.caption_source for record in records})
    yield "caption sources", sources, numbers["counts"]["captioners"]
    cells = Counter(
        (record.complexity_type, duration_group(record.duration_s)) for record in videos.values()
    )
    columns = numbers["figure4_videos"]["columns"][1:]
    for kind, *row in numbers["figure4_videos"]["rows"]:
        of_kind = sum(cells[kind, name] for name in columns)
        yield f"videos of type {kind}", of_kind, sum(row)
        for name, number in zip(columns, row, strict=True):
            yield f"{name} videos of type {kind}", cells[kind, name], number
    # The paper's table runs the digits together; split so, they add up to its "64K".
    total = sum(row[2] for row in numbers["table1_captions"]["rows"])
    labelled = sum(s.label is not None for record in records for s in record.sentences)
    yield "labelled sentences", labelled, total


def counts_of(data: Data) -> list[Count]:
    """Return every count of a data set that the papers state, with what they state."""
    if isinstance(data, VidHalLocData):
        return list(_vidhalloc(data))
    return list(_vidomni(data)) if isinstance(data, VidOmniData) else []


@check(
    "published-counts",
    of_release=True,
    meaning="a number of items, videos, sentences, or of a group of them, that is not the "
    "published one",
    hint="the data set is not the whole release, or more than it: get it again",
    whole=(ANY_FILE,),  # a line that cannot be read is missing in every count
)
def published_counts(data: Data) -> Iterator[Found]:
    """What is lost from every file at once shows here only."""
    for what, number, stated in counts_of(data):
        if number != stated:
            yield Found(str(data.root.path), f"{number:,} {what}, published are {stated:,}")
