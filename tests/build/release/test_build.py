"""A release as a whole: what is written, and that nothing is left of what fails."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import av
import pytest
from typer.testing import CliRunner

from tests.build.release.runs import FREE_BOX, pair, run_of, videos_of
from vidomni_plugin.build.release import package, placing
from vidomni_plugin.build.release.build import build_release
from vidomni_plugin.build.release.finding import in_folders
from vidomni_plugin.build.release.staging import staging_of
from vidomni_plugin.cli import app
from vidomni_plugin.data.checks.run import Options, examine
from vidomni_plugin.data.layout import FILES, FULL_SET, SPLITS, TASK_SETS
from vidomni_plugin.data.locate import DataRoot
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Leaf, VidHalLocPair

LEAVES = list(Leaf)
NUMBER = 20
"""Of videos; every second one is for captioning, every third one has one pair."""


def rows_of(videos, **changes):
    rows = []
    for k, path in enumerate(videos):
        task = "video_captioning" if k % 2 else "video_qa"
        for leaf in (LEAVES[k % 8], LEAVES[(k + 3) % 8])[: 1 + (k % 3 > 0)]:
            rows.append(pair(path, leaf, task, **changes.get(path.stem, {})))
    return rows


def build(run, videos, root, **given):
    def watch(what, number, of):
        pass

    settings = {"seed": 1, "bits": 10.0, "copy": False, "workers": 2, "stuck_s": 60.0}
    settings |= {"watch": watch} | given
    return build_release([run], lambda contents: in_folders(contents, [videos]), root, **settings)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return the folder of the videos and that of the run."""
    folder = tmp_path_factory.mktemp("source")
    videos = videos_of(folder / "videos", NUMBER)
    return folder / "videos", run_of(folder / "run", rows_of(videos))


@pytest.fixture(scope="module")
def made(source, tmp_path_factory):
    root = tmp_path_factory.mktemp("made") / "root"
    return build(source[1], source[0], root), root


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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


@pytest.mark.parametrize(
    ("kind", "parent"), [("near_identical", False), ("parent", True)], ids=["near", "parent"]
)
def test_a_leak_ends_it_before_anything_is_in_place(source, tmp_path, monkeypatch, kind, parent):
    """A fault that gives every video a recording of its own."""
    videos = sorted(source[0].glob("*.mp4"))
    shared = {path.stem: {"parent": "match"} for path in videos} if parent else {}
    run = run_of(tmp_path / "run", rows_of(videos, **shared))
    monkeypatch.setattr(placing, "_recordings", lambda parents, near: {v: v for v in parents})
    root = tmp_path / "out" / "root"
    with pytest.raises(InputProblems) as caught:
        build(run, source[0], root)
    assert {one.code for one in caught.value.problems} == {"leak"}
    assert any(one.message.startswith(kind) for one in caught.value.problems)
    assert list(root.parent.iterdir()) == []


def test_a_video_that_changes_meanwhile_ends_it(source, tmp_path, monkeypatch):
    videos = tmp_path / "videos"
    shutil.copytree(source[0], videos)
    real = package.link_or_copy

    def changed(path, target):
        if path.stem == "roll":
            with path.open("ab") as file:
                file.write(FREE_BOX)
        real(path, target)

    monkeypatch.setattr(package, "link_or_copy", changed)
    with pytest.raises(InputProblems) as caught:
        build(source[1], videos, tmp_path / "root")
    assert [(one.code, Path(one.place).name) for one in caught.value.problems] == [
        ("changed-video", "roll.mp4")
    ]
    assert not (tmp_path / "root").exists()


def test_too_little_space_is_said_before_a_video_is_copied(source, tmp_path, monkeypatch):
    monkeypatch.setattr(package, "free_bytes", lambda folder: 1000)
    root = tmp_path / "out" / "root"
    with pytest.raises(OSError, match=r"no space: .* needed, 1\.0 kB free"):
        build(source[1], source[0], root, copy=True)
    assert list(root.parent.iterdir()) == []


def test_a_broken_video_is_named(source, tmp_path):
    folder = tmp_path / "videos"
    folder.mkdir()
    broken = folder / "broken.mp4"
    broken.write_bytes((source[0] / "roll.mp4").read_bytes()[:2000])
    run = run_of(tmp_path / "run", [pair(broken, Leaf.ENTITY_CATEGORY)])
    with pytest.raises(InputProblems) as caught:
        build(run, folder, tmp_path / "root")
    assert [(one.code, one.place) for one in caught.value.problems] == [
        ("unusable-video", str(broken))
    ]


def test_ctrl_c_leaves_nothing(source, tmp_path):
    root = tmp_path / "out" / "root"

    def watch(what, number, of):
        if what == "packaging videos" and number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(source[1], source[0], root, watch=watch)
    assert list(root.parent.iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from vidomni_plugin.build.release import audit, build, package, staging

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

where, run, videos, root = sys.argv[1:]
if where == "videos":
    real, left = package.link_or_copy, [3]
    def link(source, target):
        left[0] -= 1
        die() if not left[0] else real(source, target)
    package.link_or_copy = link
elif where == "records":
    package.statistics = die
elif where == "audit":
    build.audit = die
else:
    staging.os.rename = die
from tests.build.release.test_build import build as make
make(Path(run), Path(videos), Path(root))
"""


@pytest.mark.parametrize("where", ["videos", "records", "audit", "rename"])
def test_killed_anywhere_there_is_no_release_and_the_next_call_makes_it(
    source, made, tmp_path, where
):
    root = tmp_path / "root"
    arguments = [where, str(source[1]), str(source[0]), str(root)]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not root.exists()
    assert staging_of(root).is_dir()
    build(source[1], source[0], root)
    assert [path.name for path in tmp_path.iterdir()] == ["root"]
    files = {path.relative_to(root) for path in root.rglob("*")}
    assert files == {path.relative_to(made[1]) for path in made[1].rglob("*")}


def test_the_command_says_what_it_made(source, tmp_path):
    root = tmp_path / "root"
    arguments = ["build", "release", "--pairs", str(source[1]), "--videos", str(source[0])]
    done = CliRunner().invoke(app, [*arguments, "--out", str(root)])
    assert done.exit_code == 0, done.output
    for files in TASK_SETS.values():
        counts = [len(lines(root / files.splits[name])) for name in SPLITS]
        assert any(line.split()[2:] == list(map(str, counts)) for line in done.output.splitlines())
    assert f"{NUMBER} videos of 16 recordings" in done.output
    again = CliRunner().invoke(app, [*arguments, "--out", str(root)])
    assert isinstance(again.exception, InputProblems)
    assert "it is there already" in str(again.exception)


@pytest.mark.parametrize("extra", [[], ["--videos", "a", "--pool", "b"]], ids=["none", "both"])
def test_videos_come_from_one_place(tmp_path, extra):
    arguments = ["build", "release", "--pairs", str(tmp_path), "--out", str(tmp_path / "root")]
    done = CliRunner().invoke(app, [*arguments, *extra])
    assert "name --videos or --pool, one of them" in str(done.exception)


def test_a_home_that_cannot_be_written_is_said(source, tmp_path, monkeypatch):
    (tmp_path / "home").touch()
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path / "home" / "deep"))
    with pytest.raises(InputProblems) as caught:
        build(source[1], source[0], tmp_path / "root")
    assert [one.code for one in caught.value.problems] == ["no-folder"]
