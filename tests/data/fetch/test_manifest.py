"""JSON lines and CSV give the same videos; every bad line is named."""

from __future__ import annotations

import pytest

from tests.conftest import write_lines
from vidomni_plugin.data.fetch.manifest import read_manifest
from vidomni_plugin.problems import InputProblems

ROWS = [
    {
        "video_id": "a",
        "source_dataset": "ActivityNet",
        "complexity_type": 2,
        "duration_s": 12.5,
        "has_audio": True,
        "source_id": "v_QOlSCBRmfWY",
        "youtube_id": "QOlSCBRmfWY",
    },
    {"video_id": "b, c", "source_dataset": "other", "url": "https://example.org/b.mp4"},
]
COLUMNS = "video_id,source_dataset,complexity_type,duration_s,has_audio,source_id,youtube_id,url"
CSV = (
    f"{COLUMNS}\n"
    "a,ActivityNet,2,12.5,TRUE,v_QOlSCBRmfWY,QOlSCBRmfWY,\n"
    '"b, c",other,,,,,,https://example.org/b.mp4\n'
)


def test_both_formats_give_the_same(tmp_path):
    table = tmp_path / "videos.csv"
    table.write_bytes(b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode())  # as Excel saves it
    assert read_manifest(write_lines(tmp_path / "v.jsonl", ROWS)) == read_manifest(table)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("../a,other,,,,,,", "video_id"),
        ("a,other,9,,,,,", "complexity_type"),
        ("a,other,,long,,,,", "duration_s"),
        ("a,other,,-1,,,,", "duration_s"),
        ("a,other,,nan,,,,", "duration_s"),
        ("a,other,,,maybe,,,", "has_audio"),
        ("a,other,,,,,short,", "youtube_id"),
        ("a,other,,,,,,file:///etc/passwd", "url"),
        ("a,,,,,,,", "source_dataset"),
        ("a,other", "columns"),
        ("a,other,,,,,,,,", "columns"),
        ("ok,other,,,,,,", "already used"),
    ],
)
def test_each_bad_line_is_named(tmp_path, line, words):
    table = tmp_path / "videos.csv"
    table.write_text(f"{COLUMNS}\nok,other,,,,,,\n{line}\n")
    with pytest.raises(InputProblems) as caught:
        read_manifest(table)
    (problem,) = caught.value.problems
    assert problem.place == f"{table}:3"
    assert words in problem.message


@pytest.mark.parametrize("name", ["gone.csv", "gone.jsonl", "empty.csv", "empty.jsonl", "head.csv"])
def test_nothing_to_read(tmp_path, name):
    if not name.startswith("gone"):
        (tmp_path / name).write_text(COLUMNS if name == "head.csv" else "")
    with pytest.raises(InputProblems):
        read_manifest(tmp_path / name)


def test_a_file_that_is_not_text(tmp_path):
    (tmp_path / "v.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputProblems, match="UTF-8"):
        read_manifest(tmp_path / "v.csv")


def test_an_unknown_column_is_named(tmp_path):
    (tmp_path / "v.csv").write_text("video_id,source_dataset,colour\na,other,red\n")
    with pytest.raises(InputProblems, match="colour"):
        read_manifest(tmp_path / "v.csv")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("video_id;source_dataset\r\na;x\r\nb;x\r\n", "semicolons"),
        ("sep=;\r\nvideo_id;source_dataset\r\na;x\r\n", "semicolons"),
        ("video_id\tsource_dataset\na\tx\n", "tabs"),
        ("video_id,video_id,source_dataset\na,b,x\n", "'video_id' stands twice"),
    ],
)
def test_a_table_that_is_no_csv_with_commas_is_one_problem(tmp_path, content, words):
    table = tmp_path / "videos.csv"
    table.write_bytes(content.encode("utf-8-sig"))
    with pytest.raises(InputProblems) as caught:
        read_manifest(table)
    (problem,) = caught.value.problems
    assert words in problem.message


@pytest.mark.parametrize("number", ["1_0", "\uff11\uff12", "0x10", "12,5"])
def test_numbers_are_read_as_people_write_them(tmp_path, number):
    table = tmp_path / "videos.csv"
    table.write_text(f'video_id,source_dataset,duration_s\na,x,"{number}"\n')
    with pytest.raises(InputProblems, match="duration_s"):
        read_manifest(table)


def test_ids_that_differ_in_blanks_only_are_the_same(tmp_path):
    table = tmp_path / "videos.csv"
    table.write_text("video_id ,source_dataset\na,x\na ,x\n")
    with pytest.raises(InputProblems, match="already used"):
        read_manifest(table)


@pytest.mark.parametrize("video_id", ["é" * 121, "視" * 81, "😀" * 61])
def test_an_id_that_is_too_long_for_a_file_system_is_named(tmp_path, video_id):
    rows = [{"video_id": video_id, "source_dataset": "x"}]
    with pytest.raises(InputProblems, match="bytes; at most 240"):
        read_manifest(write_lines(tmp_path / "v.jsonl", rows))
