"""An import is written whole or not at all, and nothing that is there is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import CLIP
from tests.data.importing.test_shapes import EACH, FIELDS, FLAT, OBJECTS
from vidomni_plugin.data.importing.plan import Plan, plan_import
from vidomni_plugin.data.importing.writing import write_import
from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni
from vidomni_plugin.data.locate import DataRoot
from vidomni_plugin.problems import InputProblems

PAIR: dict[str, Any] = {"fields": FIELDS, "sentences": EACH}
HALLOC: dict[str, Any] = {
    "fields": {
        "pair_id": "id",
        "video_id": "v",
        "task_type": {"path": "k", "words": {"qa": "video_qa", "cap": "video_captioning"}},
        "question": "q",
        "answer": "a",
        "counterfactual_answer": "c",
        "leaf_label": "leaf",
        "registered_modalities": {"value": ["visual"]},
        "evidence_policy_id": {"value": "none"},
    }
}
WITH_SPLIT = {
    "fields": HALLOC["fields"]
    | {
        "split": {
            "path": "s",
            "words": {"m": "Main_set", "e": "Eval_set", "t": "Test_set"},
        }
    }
}


def item(number: int, **changes: str) -> dict[str, str]:
    return {
        "id": f"p{number}",
        "v": f"v{number}",
        "k": "qa",
        "q": "What rolls?",
        "a": "A ball rolls.",
        "c": "A cube rolls.",
        "leaf": "EntityCategory",
        "s": "m",
    } | changes


def plan(
    folder: Path,
    rows: list[dict[str, Any]],
    mapping: dict[str, Any] = PAIR,
    to: Any = "vidomni",
    **options: Any,
) -> Plan:
    folder.mkdir(exist_ok=True)
    (folder / "d.json").write_text(json.dumps(rows))
    (folder / "map.yaml").write_text(yaml.safe_dump(mapping, sort_keys=False))
    return plan_import([folder / "d.json"], folder / "map.yaml", to, **options)


def pair(number: int, **changes: Any) -> dict[str, Any]:
    return {**FLAT, "vid": f"v{number}", "sents": OBJECTS} | changes


def clips(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(CLIP.read_bytes())
    return folder


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_what_was_written_is_a_data_set_with_videos(tmp_path):
    videos = clips(tmp_path / "clips", "v1.mp4", "v2.mp4", "other.mp4")
    data = [pair(1), pair(1, model="m-2"), pair(2)]
    for row in data:
        row["sound"] = False
    out = tmp_path / "deep" / "out"
    written = write_import(plan(tmp_path / "in", data, videos=videos), out)
    assert written.files == {"videos.jsonl": 2, "pairs.jsonl": 3}
    assert (written.links, written.linked_before) == (2, 0)
    loaded = inspect_vidomni(DataRoot(out, "test"))
    assert (len(loaded.pairs), loaded.record_problems, loaded.video_problems) == (3, [], [])
    assert sorted(os.listdir(out)) == ["pairs.jsonl", "videos", "videos.jsonl"]
    assert (out / "videos/v1.mp4").resolve() == videos / "v1.mp4"
    assert (videos / "v1.mp4").is_file()


def test_duration_and_sound_from_the_file(tmp_path):
    videos = clips(tmp_path / "clips", "v1.mp4")
    (videos / "v2.mp4").write_text("no video")
    mapping = PAIR | {
        "fields": FIELDS | {"duration_s": {"from": "file"}, "has_audio": {"from": "file"}}
    }
    made = plan(tmp_path / "in", [pair(1), pair(2), pair(3)], mapping, videos=videos)
    (placed,) = made.records
    assert placed.pair.duration_s == placed.video.duration_s == pytest.approx(5)
    assert (placed.pair.has_audio, placed.video.has_audio) == (False, False)
    assert [(note.place[-2:], note.field) for note in made.unmapped] == [
        ("/1", "duration_s"),
        ("/2", "duration_s"),
    ]
    with pytest.raises(InputProblems, match="--videos"):
        plan(tmp_path / "in", [pair(1)], mapping)
    in_place = plan(tmp_path / "in", [pair(1)], mapping, present=videos)
    assert (len(in_place.records), in_place.files) == (1, {})


def test_names_of_video_files_stay_in_their_folder(tmp_path):
    videos = clips(tmp_path / "clips", "One.MP4", "notes.txt")
    clips(tmp_path / "clips" / "sub", "two.mkv")
    clips(tmp_path / "secret", "three.mp4")
    (videos / "link.mp4").symlink_to(tmp_path / "secret" / "three.mp4")
    mapping = PAIR | {"fields": FIELDS | {"file": "f"}}
    names = ["One.MP4", "sub/two.mkv", "../secret/three.mp4", "link.mp4", "notes.txt", "x\0.mp4"]
    rows = [pair(k, f=name) for k, name in enumerate(names, 1)]
    rows.append(pair(7, f=str(tmp_path / "secret" / "three.mp4")))
    made = plan(tmp_path / "in", rows, mapping, videos=videos)
    assert sorted(made.files) == ["v1", "v2"]
    assert "5 of 7 videos are not there" in made.warnings[0]
    write_import(made, tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out/videos")) == ["v1.mp4", "v2.mkv"]


def test_nothing_there_is_replaced_without_being_told(tmp_path):
    out = tmp_path / "out"
    write_import(plan(tmp_path / "in", [pair(1)]), out)
    before = tree(out)
    other = plan(tmp_path / "in", [pair(2)])
    with pytest.raises(InputProblems) as caught:
        write_import(other, out)
    assert {problem.code for problem in caught.value.problems} == {"exists"}
    assert tree(out) == before
    write_import(other, out, force=True)
    assert [json.loads(line)["video_id"] for line in tree(out)["pairs.jsonl"].splitlines()] == [
        "v2"
    ]


def test_append_adds_what_is_new_and_refuses_what_differs(tmp_path):
    out = tmp_path / "out"
    write_import(plan(tmp_path / "in", [pair(1)]), out)
    written = write_import(plan(tmp_path / "in", [pair(1), pair(2)]), out, append=True)
    assert (written.files, written.already) == ({"videos.jsonl": 2, "pairs.jsonl": 2}, 1)
    before = tree(out)
    with pytest.raises(InputProblems, match="with other content"):
        write_import(plan(tmp_path / "in", [pair(1, sents=OBJECTS[:1])]), out, append=True)
    with pytest.raises(InputProblems, match="another duration_s"):
        write_import(plan(tmp_path / "in", [pair(1, model="new", s=5)]), out, append=True)
    assert tree(out) == before
    (out / "pairs.jsonl").write_text("{}\n")
    with pytest.raises(InputProblems, match="cannot be added to"):
        write_import(plan(tmp_path / "in", [pair(3)]), out, append=True)


def test_append_to_videos_that_were_listed_before(tmp_path):
    """The list of videos for `data fetch` gets the facts that come with the pairs."""
    out = tmp_path / "out"
    mapping = {
        "record": "video",
        "fields": {"video_id": "vid", "source_dataset": "from", "youtube_id": "yt"},
    }
    write_import(plan(tmp_path / "in", [pair(1, yt="abcdefghijk")], mapping), out)
    with pytest.raises(InputProblems, match="already"):
        write_import(plan(tmp_path / "in", [pair(1)]), out)
    write_import(plan(tmp_path / "in", [pair(1)]), out, append=True)
    (line,) = tree(out)["videos.jsonl"].splitlines()
    video = json.loads(line)
    assert (video["youtube_id"], video["duration_s"]) == ("abcdefghijk", 62.5)


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("what", ["replace", "symlink", "fsync"])
def test_a_write_that_fails_leaves_everything_as_it_was(what, there, tmp_path, monkeypatch):
    out = tmp_path / "out"
    if there:
        write_import(plan(tmp_path / "in", [pair(1)]), out)
    before = tree(out) if there else None
    videos = clips(tmp_path / "clips", "v1.mp4", "v2.mp4")
    made = plan(tmp_path / "in", [pair(1), pair(2)], videos=videos)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, what, full)
    with pytest.raises(OSError, match="No space"):
        write_import(made, out, force=True)
    assert (tree(out) if out.exists() else None) == before
    if there:
        assert sorted(p for p in os.listdir(out) if p.startswith(".")) == []


def test_a_video_that_is_there_is_left_alone(tmp_path):
    out = tmp_path / "out"
    (out / "videos").mkdir(parents=True)
    (out / "videos" / "v1.mkv").write_bytes(b"mine")
    videos = clips(tmp_path / "clips", "v1.mp4")
    written = write_import(plan(tmp_path / "in", [pair(1)], videos=videos), out)
    assert (written.links, written.linked_before) == (0, 1)
    assert os.listdir(out / "videos") == ["v1.mkv"]


def test_vidhalloc_with_splits_is_the_layout_of_the_release(tmp_path):
    rows = [
        item(1, s="m"),
        item(2, s="e"),
        item(3, s="t", k="cap"),
        item(4, s="e", k="cap"),
    ]
    videos = clips(tmp_path / "clips", *(f"v{k}.mp4" for k in range(1, 5)))
    out = tmp_path / "out"
    made = plan(tmp_path / "in", rows, WITH_SPLIT, "vidhalloc", videos=videos)
    write_import(made, out)
    counts = {}
    for selection in ("all", "eval", "qa", "caption"):
        loaded = inspect_vidhalloc(DataRoot(out, "test"), selection)
        assert (loaded.record_problems, loaded.video_problems) == ([], [])
        counts[selection] = [pair.record.pair_id for pair in loaded.pairs]
    assert {k: sorted(v) for k, v in counts.items()} == {
        "all": ["p1", "p2", "p3", "p4"],
        "eval": ["p2", "p3", "p4"],
        "qa": ["p1", "p2"],
        "caption": ["p3", "p4"],
    }
    assert (out / "video caption" / "v3.mp4").is_symlink()
    more = plan(tmp_path / "in", [item(5, s="t"), item(1)], WITH_SPLIT, "vidhalloc")
    assert write_import(more, out, append=True).already == 1
    assert (out / "Datasets/Videoqa_set/Test_set.jsonl").read_text().count("\n") == 1
    assert (out / "Datasets/2000_Orign/2000_Orign.jsonl").read_text().count("\n") == 5
    with pytest.raises(InputProblems, match="has splits, the new records have none"):
        write_import(plan(tmp_path / "in", [item(6)], HALLOC, "vidhalloc"), out, append=True)


def test_vidhalloc_without_splits_has_no_split_files(tmp_path):
    """Where the data name no split, none is made up; a replaced set keeps no old ones."""
    out = tmp_path / "out"
    write_import(plan(tmp_path / "in", [item(1)], WITH_SPLIT, "vidhalloc"), out)
    write_import(plan(tmp_path / "in", [item(2)], HALLOC, "vidhalloc"), out, force=True)
    assert sorted(path.name for path in out.rglob("*.jsonl")) == [
        "2000_Orign.jsonl",
        "Video_caption_set.jsonl",
        "Videoqa_set.jsonl",
    ]
    loaded = inspect_vidhalloc(DataRoot(out, "test"))
    assert (loaded.record_problems, loaded.missing) == ([], 1)


def test_vidhalloc_faults_are_named(tmp_path):
    rows = [
        item(1),
        item(2, c="A ball rolls."),
        item(3, leaf="Entity"),
        item(4, k="quiz"),
        item(1),
        item(5, v="a/b"),
        item(6, s="dev"),
    ]
    made = plan(tmp_path / "in", rows, WITH_SPLIT, "vidhalloc")
    assert [placed.pair.pair_id for placed in made.records] == ["p1"]
    assert [(note.place.rsplit("/", 1)[1], note.field) for note in made.unmapped] == [
        ("k", "task_type"),
        ("s", "split"),
        ("1", ""),
        ("2", "leaf_label"),
        ("4", "pair_id"),
        ("5", "media.video_id"),
    ]
