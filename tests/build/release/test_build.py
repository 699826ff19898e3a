"""A release as a whole: what is written."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import shutil
from collections import Counter

import av
import pytest

from tests.build.release.runs import NUMBER, build, lines, pair, rows_of, run_of
from vidomni_plugin.data.checks.run import Options, examine
from vidomni_plugin.data.layout import FILES, FULL_SET, TASK_SETS
from vidomni_plugin.data.locate import DataRoot
from vidomni_plugin.records import Leaf, VidHalLocPair


def test_all_records_are_in_their_files(source, made):
    _, root = made
    everything = lines(root / FULL_SET)
    assert len(everything) == len(lines(source[1] / "pairs_extended.jsonl"))
    for record in everything:
        VidHalLocPair.model_validate_json(json.dumps(record))
        video_id = record["media"]["video_id"]
        assert record["media"]["canonical_media_uri"] == f"media://{video_id}/original"
        assert record["pair_id"].startswith(f"pair_{video_id}_fact_")
    keys = [(record["media"]["video_id"], record["pair_id"]) for record in everything]
    assert keys == sorted(keys)
    for task, files in TASK_SETS.items():
        own = [record for record in everything if record["task_type"] == task]
        assert lines(root / files.full) == own
        parts = [record for name in files.splits.values() for record in lines(root / name)]
        assert sorted(parts, key=lambda one: one["pair_id"]) == own
    read = {name for names in FILES.values() for name in names}
    assert all((root / name).is_file() for name in read)
    assert "Datasets/pairs_extended.jsonl" not in read


def test_texts_and_facts_are_those_of_the_run(source, made):
    before = {row["fact_id"]: row for row in lines(source[1] / "pairs_extended.jsonl")}
    after = lines(made[1] / "Datasets/pairs_extended.jsonl")
    assert len(after) == len(before)
    for row in after:
        old = before[row["fact_id"]]
        ids = {name: row["public"][name] for name in ("pair_id", "media")}
        assert row == old | {"public": old["public"] | ids}


def test_the_inventory_is_what_lies_there(source, made):
    _, root = made
    inventory = lines(root / "Datasets/source_video_inventory.jsonl")
    assert len(inventory) == NUMBER
    for task, prefix in (("video_qa", "videoqa"), ("video_captioning", "captioning")):
        ids = [one["video_id"] for one in inventory if one["task_type"] == task]
        assert ids == [f"{prefix}_{k:04d}" for k in range(1, len(ids) + 1)]
    items = Counter(record["media"]["video_id"] for record in lines(root / FULL_SET))
    for one in inventory:
        path = root / one["packaged_path"]
        content = path.read_bytes()
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
        original = source[0] / f"{one['source_id']}.mp4"
        assert original.read_bytes() == content
        assert one["bytes"] == len(content)
        assert one["sample_count"] == items[one["video_id"]]
        with av.open(str(path)) as container:
            frames = sum(1 for _ in container.decode(video=0))
            stream = container.streams.video[0]
            assert (one["frame_count"], one["width"]) == (frames, stream.width)
            assert one["duration_seconds"] == pytest.approx(
                float(stream.duration * stream.time_base), abs=0.05
            )
    with (root / "Datasets/source_video_inventory.csv").open(encoding="utf-8") as file:
        flat = list(csv.DictReader(file))
    assert flat == [{name: str(value) for name, value in one.items()} for one in inventory]


def test_statistics_are_those_of_the_files(made):
    _, root = made
    numbers = json.loads((root / "Datasets/dataset_statistics.json").read_text())["tasks"]
    inventory = lines(root / "Datasets/source_video_inventory.jsonl")
    for task, files in TASK_SETS.items():
        for split, name in files.splits.items():
            records = lines(root / name)
            own = [v for v in inventory if (v["task_type"], v["split"]) == (task, split)]
            found = numbers[task][split]
            assert found["sample_count"] == len(records)
            assert found["source_video_count"] == len(own)
            assert found["source_bytes"] == sum(v["bytes"] for v in own)
            seconds = sum(v["duration_seconds"] for v in own)
            assert found["total_duration_seconds"] == pytest.approx(seconds, abs=1e-3)
            leaves = Counter(record["leaf_label"] for record in records)
            assert found["leaf_distribution"] == {leaf.value: leaves[leaf.value] for leaf in Leaf}
    with (root / "Datasets/distribution_by_task_split_leaf.csv").open(encoding="utf-8") as file:
        flat = list(csv.DictReader(file))
    assert len(flat) == 2 * 3 * 8
    for row in flat:
        leaf = numbers[row["task_type"]][row["split"]]["leaf_distribution"][row["leaf_label"]]
        assert int(row["sample_count"]) == leaf
    with (root / "Datasets/source_video_distribution.csv").open(encoding="utf-8") as file:
        flat = list(csv.DictReader(file))
    assert sum(int(row["source_video_count"]) for row in flat) == NUMBER


def test_the_readme_counts_this_release(source, made):
    text = (made[1] / "README.txt").read_text(encoding="utf-8")
    pairs = len(lines(source[1] / "pairs_extended.jsonl"))
    assert text.startswith(f"{pairs} pairs about {NUMBER} videos")
    for task, files in TASK_SETS.items():
        counts = [f"{split} {len(lines(made[1] / name))}" for split, name in files.splits.items()]
        said = {"video_qa": "question answering", "video_captioning": "captioning"}[task]
        assert f"{said}: {', '.join(counts)}" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_data_check_finds_splits_inventory_and_schema_right(made):
    """The texts are not those of real pairs; what they say is checked elsewhere."""
    result = examine("vidhalloc", DataRoot(made[1], "test"), Options())
    texts = {"several-changes", "repeated-item", "not-a-sentence", "polar-question"}
    assert [one for one in result.findings if one.code not in texts] == []


def test_the_same_input_gives_the_same_bytes(source, made, tmp_path):
    run = run_of(tmp_path / "run", lines(source[1] / "pairs_extended.jsonl"))
    build(run, source[0], tmp_path / "again")
    files = [path.relative_to(made[1]) for path in made[1].rglob("*") if path.is_file()]
    assert len(files) > NUMBER + 12
    for path in files:
        assert (tmp_path / "again" / path).read_bytes() == (made[1] / path).read_bytes(), path
    assert len(files) == sum(path.is_file() for path in (tmp_path / "again").rglob("*"))


def test_links_are_one_file_and_copies_are_two(source, made, tmp_path):
    copied = tmp_path / "copied"
    assert build(source[1], source[0], copied, copy=True).packaged.copied == NUMBER
    for root, same, mode in ((made[1], True, "hardlink"), (copied, False, "copy")):
        for one in lines(root / "Datasets/source_video_inventory.jsonl"):
            original = source[0] / f"{one['source_id']}.mp4"
            assert os.path.samefile(original, root / one["packaged_path"]) is same
            assert one["link_mode"] == mode


def test_a_file_system_without_links_gets_copies(source, tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError(errno.EXDEV, "another file system")

    monkeypatch.setattr("vidomni_plugin.data.fetch.place.os.link", refuse)
    root = tmp_path / "root"
    assert build(source[1], source[0], root).packaged.copied == NUMBER
    assert {one["link_mode"] for one in lines(root / "Datasets/source_video_inventory.jsonl")} == {
        "copy"
    }


def test_endings_are_those_that_runs_look_for_and_a_link_becomes_a_file(source, tmp_path):
    folder = tmp_path / "videos"
    folder.mkdir()
    real = tmp_path / "somewhere" / "x.mp4"
    real.parent.mkdir()
    shutil.copyfile(source[0] / "roll.mp4", real)
    (folder / "Clip.MP4").symlink_to(real)
    run = run_of(tmp_path / "run", [pair(folder / "Clip.MP4", Leaf.ENTITY_CATEGORY)])
    root = tmp_path / "root"
    build(run, folder, root)
    assert [path.name for path in (root / "videoqa").iterdir()] == ["videoqa_0001.mp4"]
    packaged = root / "videoqa" / "videoqa_0001.mp4"
    assert packaged.is_file()
    assert not packaged.is_symlink()
    result = examine("vidhalloc", DataRoot(root, "test"), Options())
    assert not {one.code for one in result.findings} & {"missing-video", "unused-video"}


def splits_of(root):
    inventory = lines(root / "Datasets/source_video_inventory.jsonl")
    return {one["source_id"]: (one["recording"], one["split"]) for one in inventory}


def test_clips_of_one_recording_stay_together(source, tmp_path):
    videos = sorted(source[0].glob("*.mp4"))
    parents = {path.stem: {"parent": f"match {k // 10}"} for k, path in enumerate(videos)}
    run = run_of(tmp_path / "run", rows_of(videos, **parents))
    made = build(run, source[0], tmp_path / "root", bits=-1.0)
    placed = splits_of(tmp_path / "root")
    of_parent = {}
    for k, path in enumerate(videos):
        of_parent.setdefault(k // 10, set()).add(placed[path.stem])
    assert all(len(found) == 1 for found in of_parent.values())
    assert len({recording for recording, _ in placed.values()}) == 2
    told = json.loads((tmp_path / "root/Datasets/dataset_statistics.json").read_text())
    missed = told["split_policy"]["missed_totals"]
    assert len(missed) == len(made.placed.split.missed) > 0


def test_videos_that_show_the_same_stay_together(source, made):
    """The last four have the pictures of the first four, and other bytes."""
    result, root = made
    placed = splits_of(root)
    twins = [name for name in placed if name.endswith("1") and name[:-1] in placed]
    assert len(twins) == 4
    assert all(placed[name] == placed[name[:-1]] for name in twins)
    audit = json.loads((root / "Datasets/split_integrity_audit.json").read_text())
    assert audit["passed"] is True
    assert len(audit["near_identical_videos"]) == len(result.placed.near) >= 4
    assert not result.audit["overlaps"]["near_identical"]
