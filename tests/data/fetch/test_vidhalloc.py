"""VidHalLoc from a copy by hand, from the hub's cache, and what is verified."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vidomni_plugin.data.fetch import place
from vidomni_plugin.data.fetch.vidhalloc import _prefix, from_copy, lacks, verify
from vidomni_plugin.data.load import inspect_vidhalloc
from vidomni_plugin.data.locate import HUB_ID, locate, mini_root
from vidomni_plugin.problems import InputProblems

MINI = mini_root("vidhalloc").path
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MINI, tmp_path / "copy" / "VidHalLoc")).parent


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def cache(folder: Path, source: Path, ref: str = "main") -> Path:
    """Lay out a hub cache that holds one snapshot, as the hub's client does."""
    repo = folder / f"datasets--{HUB_ID['vidhalloc'].replace('/', '--')}"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / ref).write_text(COMMIT)
    (repo / "blobs").mkdir()
    for number, path in enumerate(p for p in sorted(source.rglob("*")) if p.is_file()):
        blob = repo / "blobs" / f"{number:040x}"
        shutil.copyfile(path, blob)
        link = repo / "snapshots" / COMMIT / path.relative_to(source)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(blob, link.parent))
    return folder


def fetch(*arguments: str, home: Path, **env: str) -> subprocess.CompletedProcess[str]:
    start = "from vidomni_plugin.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", start, "data", "fetch", "vidhalloc", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "VIDOMNI_HOME": str(home), "HF_HOME": str(home / "hf"), **env},
    )


def test_a_whole_layout_has_no_problem_and_is_counted():
    layout = verify(MINI)
    assert layout.problems == []
    records = (MINI / "Datasets/2000_Orign/2000_Orign.jsonl").read_text().splitlines()
    ids = {json.loads(line)["media"]["video_id"] for line in records}
    assert (layout.pairs, layout.videos) == (len(records), len(ids))


def test_all_that_is_missing_is_named(copy):
    root = copy / "VidHalLoc"
    (root / "videoqa" / "videoqa_0003.mp4").unlink()
    (root / "video caption" / "captioning_0001.mp4").unlink()
    (root / "Datasets" / "Videoqa_set" / "Test_set.jsonl").unlink()
    named = [str(problem) for problem in lacks(copy)]  # one folder deeper is found
    assert len(named) == 3
    for word in ("videoqa_0003", "captioning_0001", "Test_set.jsonl"):
        assert any(word in text for text in named)


def test_a_copy_is_linked_into_place_and_stays_as_it_is(copy, tmp_path):
    (copy / "VidHalLoc" / ".git").mkdir()
    (copy / "VidHalLoc" / ".git" / "config").write_text("x")
    before = tree(copy)
    layout = from_copy(copy, tmp_path / "home" / "vidhalloc")
    assert layout.problems == []
    assert tree(copy) == before
    target = tmp_path / "home" / "vidhalloc"
    assert tree(target).keys() == tree(MINI).keys()
    video = Path("videoqa") / "videoqa_0001.mp4"
    assert (target / video).samefile(copy / "VidHalLoc" / video)
    assert from_copy(copy, target).problems == []  # a second call finds it whole


def test_a_copy_with_linked_folders_and_on_another_file_system(copy, tmp_path, monkeypatch):
    def refuse(*paths: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    root = copy / "VidHalLoc"
    shutil.move(root / "videoqa", tmp_path / "big disk")
    (root / "videoqa").symlink_to(tmp_path / "big disk")
    monkeypatch.setattr(os, "link", refuse)
    assert from_copy(root, tmp_path / "target").problems == []
    assert tree(tmp_path / "target").keys() == tree(MINI).keys()


def test_no_room_for_copies_leaves_nothing(copy, tmp_path, monkeypatch):
    monkeypatch.setattr(place, "same_device", lambda source, folder: False)
    monkeypatch.setattr(place, "free_bytes", lambda folder: 1000)
    with pytest.raises(InputProblems, match=r"no space: .* needed, 1\.0 kB free"):
        from_copy(copy, tmp_path / "home" / "vidhalloc")
    assert [p.name for p in (tmp_path / "home").iterdir()] in ([], ["vidhalloc.lock"])


def test_a_copy_that_is_not_whole_is_refused(copy, tmp_path):
    (copy / "VidHalLoc" / "videoqa" / "videoqa_0003.mp4").unlink()
    done = fetch("--local", str(copy), home=tmp_path / "home")
    assert done.returncode == 1
    assert "videoqa_0003" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "home" / "vidhalloc").exists()
    with pytest.raises(InputProblems, match="no Datasets there"):
        from_copy(tmp_path, tmp_path / "x")


def test_other_data_in_the_target_stay(copy, tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "mine").write_text("x")
    with pytest.raises(InputProblems, match="something else is there"):
        from_copy(copy, target)
    assert os.listdir(target) == ["mine"]


def test_a_copy_in_its_own_place_is_only_verified(copy):
    assert from_copy(copy, copy).problems == []


def test_an_offline_machine_with_the_snapshot_in_its_cache(tmp_path):
    home = tmp_path / "home"
    store = cache(home / "hf" / "hub", MINI)
    done = fetch(home=home, HF_HUB_OFFLINE="1")
    assert done.returncode == 0, done.stderr
    target = home / "vidhalloc"
    assert tree(target).keys() == tree(MINI).keys()
    assert not any(path.is_symlink() for path in target.rglob("*"))
    shutil.rmtree(store)  # a cache is emptied now and then; the data stay
    assert verify(target).problems == []
    again = fetch(home=home, HF_HUB_OFFLINE="1")
    assert again.returncode == 0, again.stderr
    assert "vidomni data check vidhalloc" in again.stdout


def test_a_run_offline_finds_the_snapshot_too(tmp_path):
    home = tmp_path / "home"
    cache(home / "hf" / "hub", MINI)
    code = (
        "from vidomni_plugin.data.locate import locate\n"
        "from vidomni_plugin.data.fetch.vidhalloc import verify\n"
        "root = locate('vidhalloc'); print(root.origin, len(verify(root.path).problems))"
    )
    env = {"VIDOMNI_HOME": str(home), "HF_HOME": str(home / "hf"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )
    assert done.stdout.strip().endswith(" 0"), done.stderr
    assert "hub data set" in done.stdout


def test_a_snapshot_that_holds_a_part_is_not_taken(copy, tmp_path):
    home = tmp_path / "home"
    shutil.rmtree(copy / "VidHalLoc" / "videoqa")
    cache(home / "hf" / "hub", copy / "VidHalLoc")
    done = fetch(home=home, HF_HUB_OFFLINE="1")
    assert done.returncode == 1
    assert "is not whole" in done.stderr
    assert "--local" in done.stderr
    assert not (home / "vidhalloc").exists()


def test_another_revision_is_not_in_the_cache(tmp_path):
    home = tmp_path / "home"
    cache(home / "hf" / "hub", MINI, ref="v2")
    assert fetch(home=home, HF_HUB_OFFLINE="1").returncode == 1
    done = fetch("--revision", "v2", "--out", str(tmp_path / "out"), home=home, HF_HUB_OFFLINE="1")
    assert done.returncode == 0, done.stderr
    assert f"VIDHALLOC_DATA={tmp_path / 'out'}" in done.stdout


def test_no_network_and_no_cache_is_said_with_the_way_out(tmp_path):
    done = fetch(home=tmp_path, HF_HUB_OFFLINE="1")
    assert done.returncode == 1
    assert "HF_HUB_OFFLINE is set" in done.stderr
    assert "--local" in done.stderr


def test_options_of_the_other_benchmark(tmp_path):
    done = fetch("--roots", "x=y", home=tmp_path)
    assert done.returncode == 2
    assert "--roots does not belong to vidhalloc" in done.stderr


def test_a_hint_names_the_command(monkeypatch, tmp_path):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    for benchmark in ("vidomni", "vidhalloc"):
        with pytest.raises(InputProblems, match=f"vidomni data fetch {benchmark}"):
            locate(benchmark, may_download=False)


@pytest.mark.parametrize(
    ("names", "inside"),
    [
        (["Datasets/x.jsonl", "videoqa/a.mp4"], ""),
        (["README.md", "VidHalLoc/Datasets/x.jsonl"], "VidHalLoc"),
        (["a.txt"], ""),
        (["Datasets"], ""),
    ],
)
def test_where_the_hub_has_the_data_set(names, inside):
    assert _prefix(names) == inside


def test_a_linked_copy_passes_the_checks_of_a_run(copy, tmp_path, monkeypatch):
    from_copy(copy, tmp_path / "vidhalloc")
    monkeypatch.setenv("VIDHALLOC_DATA", str(tmp_path / "vidhalloc"))
    loaded = inspect_vidhalloc(locate("vidhalloc"))
    assert loaded.record_problems == []
    assert loaded.video_problems == []


def test_links_in_a_circle_are_followed_once(copy, tmp_path):
    for name in ("one", "two", "three"):
        (copy / "VidHalLoc" / name).symlink_to(".")
    layout = from_copy(copy, tmp_path / "vidhalloc")
    assert layout.problems == []
    assert not list((tmp_path / "vidhalloc").rglob("one/*"))


def test_a_target_below_a_file_is_named(copy, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputProblems, match="no-folder"):
        from_copy(copy, tmp_path / "file" / "vidhalloc")


def test_the_next_command_can_be_copied_whatever_the_folder_is_called(copy, tmp_path):
    out = tmp_path / "it's a $folder"
    done = fetch("--local", str(copy), "--out", str(out), home=tmp_path / "home")
    assert f"VIDHALLOC_DATA={shlex.quote(str(out))}" in done.stdout
    assert f"--root {shlex.quote(str(out))}" in done.stdout
