"""VidHalLoc's Table 4, splits and durations: by hand, and on the full-size synthetic release."""

from __future__ import annotations

import json

import pytest

from tests.conftest import vidhalloc_data, vidhalloc_record, write_lines
from vidomni_plugin.data.layout import FULL_SET, INVENTORY
from vidomni_plugin.data.load import VideoKey
from vidomni_plugin.data.statistics.durations import video_durations
from vidomni_plugin.data.statistics.measures import Measure
from vidomni_plugin.data.statistics.vidhalloc import SplitRow, vidhalloc_statistics
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.published import published


def item(pair_id, video_id, leaf="EntityCategory", task="video_qa", question="What rolls?"):
    return vidhalloc_record(pair_id, video_id, leaf_label=leaf, task_type=task, question=question)


ITEMS = [
    item("1", "v1", question="What is this?"),
    item("2", "v1", question="What is that thing there?"),
    item("3", "v2", "CameraPredicate"),
    item("4", "v1", "CameraPredicate", "video_captioning"),  # another video with the same id
]


def known(video_id, seconds, task="video_qa"):
    return {"video_id": video_id, "task_type": task, "duration_seconds": seconds, "width": 1}


@pytest.fixture
def release(tmp_path):
    write_lines(tmp_path / FULL_SET, ITEMS)
    inventory = [known("v1", 10), known("v2", 40.5), known("v1", None, "video_captioning")]
    write_lines(tmp_path / INVENTORY, inventory)
    return tmp_path


def test_by_hand(release):
    """Words 3 and 5; 10 s counts twice, once for each item; the captioning video has no length."""
    found = vidhalloc_statistics(release)
    ech, cph = found.categories["ech"], found.categories["cph"]
    assert (ech.items, ech.video_qa, ech.video_captioning) == (2, 2, 0)
    assert ech.question_words == Measure(4.0, 2, "items")
    assert ech.video_seconds == Measure(10.0, 2, "items")
    assert (cph.items, cph.video_qa, cph.video_captioning) == (2, 1, 1)
    assert cph.video_seconds == Measure(40.5, 1, "items")
    assert found.categories["eeh"].question_words == Measure(None, 0, "items")
    assert (found.categories["ontology"].items, found.categories["dynamic"].items) == (2, 2)
    assert found.categories["all"].video_seconds == Measure(pytest.approx(60.5 / 3), 3, "items")
    assert found.tasks == {
        "video_qa": SplitRow(3, 2),
        "video_captioning": SplitRow(1, 1),
        "all": SplitRow(4, 3),
    }
    assert found.items_of_a_video == {1: 2, 2: 1}
    assert (found.durations_from_inventory, found.durations_from_files) == (2, 0)


def test_a_split_that_is_not_there_has_no_numbers_and_an_empty_one_has_zeros(release):
    write_lines(release / "Datasets/Videoqa_set/Eval_set.jsonl", ITEMS[:2])
    write_lines(release / "Datasets/Videoqa_set/Test_set.jsonl", [])
    found = vidhalloc_statistics(release)
    assert found.splits["video_qa"] == {
        "Main_set": None,
        "Eval_set": SplitRow(2, 1),
        "Test_set": SplitRow(0, 0),
    }
    assert found.evaluation is None
    for name in ("Eval_set", "Test_set"):
        write_lines(release / f"Datasets/Video_caption_set/{name}.jsonl", ITEMS[3:])
    assert vidhalloc_statistics(release).evaluation == SplitRow(4, 2)


def test_files_tell_what_the_inventory_does_not(tmp_path):
    root = vidhalloc_data(tmp_path, ITEMS)
    write_lines(root / INVENTORY, [known("v2", 40.5)])
    wanted = [VideoKey("videoqa", name) for name in ("v1", "v2", "gone")]
    found = video_durations(root, wanted)
    assert (found.from_inventory, found.from_files) == (1, 1)
    assert found.seconds[wanted[1]] == 40.5
    assert 1 < found.seconds[wanted[0]] < 60
    assert wanted[2] not in found.seconds


def test_without_inventory_and_files_there_are_no_seconds(tmp_path):
    write_lines(tmp_path / FULL_SET, ITEMS)
    found = vidhalloc_statistics(tmp_path)
    assert found.categories["all"].video_seconds == Measure(None, 0, "items")
    assert found.categories["all"].items == 4


@pytest.mark.parametrize(
    ("file", "row", "place"),
    [
        (FULL_SET, {"pair_id": "x"}, "2000_Orign.jsonl:5"),
        (INVENTORY, known("../v9", 3), "source_video_inventory.jsonl:4"),
        (INVENTORY, known("v9", -1), "source_video_inventory.jsonl:4"),
        (INVENTORY, known("v2", 3), "source_video_inventory.jsonl:4"),
        ("Datasets/Videoqa_set/Eval_set.jsonl", {"a": 1}, "Eval_set.jsonl:1"),
    ],
)
def test_bad_lines_are_named(file, row, place, release):
    path = release / file
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")
    with pytest.raises(InputProblems) as caught:
        vidhalloc_statistics(release)
    assert {problem.place.rsplit("/", 1)[-1] for problem in caught.value.problems} == {place}


def test_a_full_size_release_has_the_published_counts(full_vidhalloc):
    found = vidhalloc_statistics(full_vidhalloc)
    paper = published()["vidhalloc"]
    counts = paper["table4_counts"]
    for name, questions in zip(counts["categories"], counts["questions"], strict=True):
        row = found.categories[name.lower()]
        assert row.items == questions
        assert row.video_seconds.over == questions
        if name in counts["qa_captioning_split"]:
            split = counts["qa_captioning_split"][name]
            assert [row.video_qa, row.video_captioning] == split
    totals = counts["totals"]
    assert found.tasks["video_qa"].items == totals["video_qa"]
    assert found.tasks["video_captioning"].items == totals["video_captioning"]
    assert found.tasks["all"].videos == totals["videos"]
    assert found.items_of_a_video == {1: 180, 2: 910}
    for task, *items in paper["splits"]["rows"]:
        assert [part.items for part in found.splits[task].values()] == items
    evaluation = paper["splits"]["evaluation"]
    assert found.evaluation == SplitRow(evaluation["items"], evaluation["videos"])
