"""The file of sources: what it says reaches the pool, and every wrong line is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.build.pool.clips import copy_pool
from tests.build.pool.test_pool import LIMITS, build, lines
from vidomni_plugin.build.pool.find import FoundVideo, find_in_folders
from vidomni_plugin.build.pool.sources import read_sources
from vidomni_plugin.problems import InputProblems

VIDEOS = [
    FoundVideo(Path("/v/a/one.mp4"), "a/one.mp4", "v"),
    FoundVideo(Path("/v/b/one.mp4"), "b/one.mp4", "v"),
    FoundVideo(Path("/v/b/two.mp4"), "b/two.mp4", "v"),
]


def problems(tmp_path, text, name="sources.csv"):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputProblems) as found:
        read_sources(file, VIDEOS)
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in found.value.problems]


def test_a_video_is_named_by_path_or_by_a_name_that_only_it_has(tmp_path):
    file = tmp_path / "sources.csv"
    file.write_text(
        "video,source,parent,task\n/v/a/one.mp4,ucf,,\nb/one.mp4,,tape 3,video_qa\n"
        'two.mp4,"nice, one",tape 3,\nthree.mp4,,,\n',
        encoding="utf-8-sig",
    )
    known = read_sources(file, VIDEOS)
    assert known.without_video == (f"{file}:5: three.mp4",)
    found = {str(path): (x.source, x.parent, x.task) for path, x in known.lines.items()}
    assert found == {
        "/v/a/one.mp4": ("ucf", None, None),
        "/v/b/one.mp4": (None, "tape 3", "video_qa"),
        "/v/b/two.mp4": ("nice, one", "tape 3", None),
    }
    as_json = tmp_path / "sources.jsonl"
    rows = [
        {"video": path, "source": s, "parent": p, "task": t} for path, (s, p, t) in found.items()
    ]
    as_json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_sources(as_json, VIDEOS).lines.keys() == known.lines.keys()


def test_every_wrong_line_is_named(tmp_path):
    text = "video,task\none.mp4,\ntwo.mp4,video_qa\nb/two.mp4,\na/one.mp4,vqa\n,video_qa\nx.mp4\n"
    said = problems(tmp_path, text)
    assert [line.split(": ")[0] for line in said] == [
        *("sources.csv:5", "sources.csv:6", "sources.csv:7", "sources.csv:2", "sources.csv:4"),
    ]
    assert ": task is 'vqa', neither video_qa nor video_captioning [record]" in said[0]
    assert ": it names no video [record]" in said[1]
    assert ": 1 cell for 2 columns [record]" in said[2]
    assert "2 videos are called 'one.mp4'" in said[3]
    assert "is named at" in said[4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("file,source\na.mp4,x\n", "a column called video"),
        ("video,video\na,b\n", "no column twice"),
        ("video,colour\none.mp4,red\n", "sources.csv: no column is called 'colour'"),
        ('video\n"one.mp4\n', "unexpected end of data"),
        ("video\nelse.mp4\n", "none of its 1 line names a video"),
    ],
)
def test_a_wrong_file_says_why(tmp_path, text, said):
    assert said in " ".join(problems(tmp_path, text))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"video": "one.mp4", "colour": "red"}', "no column is called 'colour'"),
        ('{"source": "x"}', "it names no video"),
        ('{"video": " "}', "it names no video"),
        ('{"video": 3}', "video is 3, which is no text"),
        ('{"video": "a/one.mp4", "task": ["x"]}', "task is ['x'], which is no text"),
        ("[1]", "it is no JSON object"),
    ],
)
def test_wrong_json_lines_are_told_in_plain_words(tmp_path, row, said):
    told = problems(tmp_path, f'{{"video": "two.mp4"}}\n{row}\n{{"video": "x"}}\n', "s.jsonl")
    assert len(told) == 1
    assert told[0].startswith(f"s.jsonl:2: {said}")


def test_lines_without_a_video_are_named(clips, tmp_path):
    root = copy_pool(clips, tmp_path / "v", lambda path: path.stem == "good_00")
    sources = tmp_path / "sources.csv"
    sources.write_text("video\ngood_00.mp4\ngone.mp4\n")
    said = build("--videos", root, "--out", tmp_path / "pool", "--sources", sources, *LIMITS)
    assert "1 line of the sources without a video that was found:" in said
    assert f"  {sources}:3: gone.mp4\n" in said


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputProblems, match="No such file"):
        read_sources(tmp_path / "none.csv", VIDEOS)


def test_what_is_known_stands_in_the_pool_also_where_a_copy_was_named(clips, tmp_path):
    root = copy_pool(clips, tmp_path / "v", lambda p: p.stem in {"good_00", "exact_0", "good_12"})
    sources = tmp_path / "sources.csv"
    sources.write_text("video,source,parent,task\nexact_0.mp4,ucf,tape,video_captioning\n")
    build("--videos", root, "--out", tmp_path / "pool", "--sources", sources, *LIMITS)
    first, second = lines(tmp_path / "pool" / "pool.jsonl")
    # The copy in "a" stays; its name comes first.
    told = (first["source"], first["parent"], first["task"])
    assert told == ("ucf", "tape", "video_captioning")
    assert (second["source"], second["parent"], second["task"]) == (
        *("v", second["video_id"], "video_qa"),
    )


def test_a_recording_that_only_a_copy_was_said_to_be_of_counts(clips, tmp_path):
    """The clip that stays has no line, or another name; what its copies have is not lost."""
    wanted = {"good_00", "near_encoded_0", "good_01", "exact_1", "good_02", "good_12", "good_13"}
    root = copy_pool(clips, tmp_path / "v", lambda p: p.stem in wanted)
    sources = tmp_path / "sources.csv"
    sources.write_text(
        "video,source,parent\nnear_encoded_0.mkv,x,tape a\ngood_12.mp4,,tape a\n"
        "good_01.mp4,,tape b\nexact_1.mp4,ucf,tape c\ngood_13.mp4,,tape c\n"
    )
    build("--videos", root, "--out", tmp_path / "pool", "--sources", sources, *LIMITS)
    pool = {line["video_id"][:7]: line for line in lines(tmp_path / "pool" / "pool.jsonl")}
    parents = {name: line["parent"] for name, line in pool.items()}
    assert parents == {
        "good_00": "tape a",
        "good_12": "tape a",
        "good_01": "tape b",
        "good_13": "tape b",
        "good_02": pool["good_02"]["video_id"],
    }
    # The source is that of the very bytes: another encoding may come from elsewhere.
    assert (pool["good_01"]["source"], pool["good_00"]["source"]) == ("ucf", "v")


def test_folders_of_one_name_are_told_apart_and_nothing_is_listed_twice(clips, tmp_path):
    for name in ("x/clips", "y/clips"):
        copy_pool(clips, tmp_path / name, lambda path: path.stem == "good_00")
    folders = [tmp_path / "x/clips", tmp_path / "y/clips", tmp_path / "x"]
    found = find_in_folders(folders)
    assert [video.folder for video in found.videos] == [str(f) for f in folders[:2]]
    assert [video.inside for video in found.videos] == ["a/good_00.mp4"] * 2
