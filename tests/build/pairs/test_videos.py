"""Which videos a run has, what they are called, and what each is used for."""

from __future__ import annotations

import json
import shutil
from collections import Counter

import pytest

from tests.build.pairs.running import write_clip
from vidomni_plugin.build.pairs.videos import pool_videos, videos_in
from vidomni_plugin.problems import InputProblems


@pytest.fixture
def folder(clips, tmp_path):
    for number in range(5):
        shutil.copy(clips / f"clip_{number:02d}.mp4", tmp_path / f"clip_{number:02d}.mp4")
    return tmp_path


def test_each_video_has_one_task_and_they_are_dealt_out_evenly(folder):
    found = videos_in([folder], "both", 42)
    assert sorted(video.video_id for video in found) == [f"clip_0{n}" for n in range(5)]
    assert Counter(video.task for video in found) == {"video_qa": 3, "video_captioning": 2}
    assert {video.duration_s for video in found} == {1.0}
    assert all(video.parent == video.video_id for video in found)
    assert {video.task for video in videos_in([folder], "video_qa", 42)} == {"video_qa"}


def test_the_order_follows_from_content_and_seed_and_not_from_names(folder, tmp_path):
    hashes = [video.sha256 for video in videos_in([folder], "both", 42)]
    (folder / "clip_00.mp4").rename(folder / "zebra.mp4")
    assert [video.sha256 for video in videos_in([folder], "both", 42)] == hashes
    assert [video.sha256 for video in videos_in([folder], "both", 43)] != hashes


def test_a_copy_counts_once(folder):
    shutil.copy(folder / "clip_00.mp4", folder / "a_copy.mp4")
    found = [video.video_id for video in videos_in([folder], "both", 42)]
    assert len(found) == 5
    assert "a_copy" in found
    assert "clip_00" not in found


def test_names_become_safe_ids(folder):
    (folder / "clip_00.mp4").rename(folder / "a b (1) ü.mp4")
    assert "a_b_1" in {video.video_id for video in videos_in([folder], "both", 42)}


def test_all_that_is_wrong_is_told_at_once(folder):
    (folder / "sub").mkdir()
    write_clip(folder / "sub" / "CLIP_00.mp4", 99)
    (folder / "text.mp4").write_text("no video")
    with pytest.raises(InputProblems) as caught:
        videos_in([folder], "both", 42)
    assert {problem.code for problem in caught.value.problems} == {
        "repeated-id",
        "unusable-video",
    }


@pytest.mark.parametrize("where", ["nowhere", "empty"])
def test_no_videos(tmp_path, where):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputProblems, match=where):
        videos_in([tmp_path / where], "both", 42)


def pool(folder, lines, name="sample.jsonl"):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / name).write_text(text, encoding="utf-8")


def test_a_pool_gives_ids_parents_and_tasks(folder):
    lines = [
        {"video_id": "one", "path": "clip_00.mp4", "parent": "tape", "task": "video_captioning"},
        {"video_id": "two", "path": str(folder / "clip_01.mp4"), "motion": 0.5},
    ]
    pool(folder, lines)
    found = {video.video_id: video for video in pool_videos(folder, "video_qa", 42)}
    assert set(found) == {"one", "two"}
    assert (found["one"].parent, found["one"].task) == ("tape", "video_captioning")
    assert (found["two"].parent, found["two"].task) == ("two", "video_qa")


def test_the_whole_pool_where_no_sample_was_drawn(folder):
    pool(folder, [{"video_id": "one", "path": "clip_00.mp4"}], "pool.jsonl")
    assert len(pool_videos(folder, "both", 42)) == 1
    pool(folder, [{"video_id": n, "path": f"clip_0{k}.mp4"} for k, n in enumerate("ab")])
    assert len(pool_videos(folder, "both", 42)) == 2


def test_what_is_wrong_with_a_pool_is_told_with_its_line(folder):
    with pytest.raises(InputProblems, match="no such file"):
        pool_videos(folder, "both", 42)
    pool(folder, [{"video_id": "one"}, {"video_id": "two", "path": "gone.mp4"}])
    with pytest.raises(InputProblems) as caught:
        pool_videos(folder, "both", 42)
    assert "sample.jsonl:1" in str(caught.value)
    assert "gone.mp4" in str(caught.value)
