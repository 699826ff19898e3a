"""``vidomni build pool`` over 60 clips: the right rejections, the same sample, resumed work."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.testing import CliRunner

from tests.build.pool.clips import EXPECTED, LIMITS, copy_pool, scene, write
from tests.build.pool.test_draw import video
from vidomni_plugin.build.pool import contents
from vidomni_plugin.build.pool.lines import read_pool
from vidomni_plugin.build.pool.strata import strata
from vidomni_plugin.cli import app, main
from vidomni_plugin.problems import InputProblems

FILES = ("pool.jsonl", "rejected.jsonl", "sample.jsonl", "settings.json", "look/index.html")


def build(*arguments: object, fails: bool = False) -> str:
    done = CliRunner().invoke(app, ["build", "pool", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert (done.exit_code != 0) == fails, done.output
    return done.output


def options(clips: Path, out: Path, *more: object) -> list[object]:
    return ["--videos", clips / "a", "--videos", clips / "b", "--out", out, *LIMITS, *more]


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def built(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pool")
    build(*options(clips, out, "--sample", 12, "--look", 5, "--workers", 2))
    return out


def test_every_clip_has_the_reason_that_its_name_says(clips, built):
    found = {Path(line["path"]): line["reason"] for line in lines(built / "rejected.jsonl")}
    found |= dict.fromkeys((Path(v["path"]) for v in lines(built / "pool.jsonl")), None)
    expected = {p: EXPECTED.get(p.stem.split("_")[0]) for p in clips.glob("*/*")}
    assert len(expected) == 60
    assert found == expected


def test_a_copy_names_the_video_that_it_is_a_copy_of(built):
    for line in lines(built / "rejected.jsonl"):
        word, *_, number = Path(line["path"]).stem.split("_")
        if word in {"near", "exact"}:
            assert line["duplicate_of"].startswith(f"good_0{number}_")
        else:
            assert line["duplicate_of"] is None


def test_what_is_written_of_a_video(clips, built):
    videos = {v["video_id"]: v for v in lines(built / "pool.jsonl")}
    (video,) = (v for v in videos.values() if v["video_id"].startswith("good_03_"))
    digest = video["sha256"]
    facts = {"video_id": f"good_03_{digest[:12]}", "path": str(clips / "a" / "good_03.mp4")}
    facts |= {"source": "a", "duration_s": 2.0, "width": 96, "height": 64, "fps": 16.0}
    facts |= {"frames": 32, "has_audio": False, "parent": video["video_id"]}
    assert facts.items() <= video.items()
    assert read_pool(built / "pool.jsonl").problems == []


def test_fast_clips_have_most_motion_and_still_ones_least(built):
    thirds = {v["video_id"][:10]: v["motion_third"] for v in lines(built / "pool.jsonl")}
    assert thirds["good_fast_"] == "high"
    assert thirds["good_still"] == "low"


def test_the_sample_is_even_over_motion_source_and_task(built):
    strata = Counter(
        (v["motion_third"], v["source"], v["task"]) for v in lines(built / "sample.jsonl")
    )
    assert strata.total() == 12
    assert len(strata) == 12  # 3 thirds x 2 sources x 2 tasks


def test_tasks_are_even_in_every_source_and_third(built):
    cells = Counter(
        (v["source"], v["motion_third"], v["task"]) for v in lines(built / "pool.jsonl")
    )
    for source, third, _ in list(cells):
        both = [cells[source, third, task] for task in ("video_qa", "video_captioning")]
        assert abs(both[0] - both[1]) <= 1


def test_the_same_files_with_another_number_of_workers(clips, built, tmp_path):
    build(*options(clips, tmp_path, "--sample", 12, "--look", 5, "--workers", 1))
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (built / name).read_bytes(), name
    sheets = sorted(path.name for path in (built / "look").glob("*.jpg"))
    assert len(sheets) == 5
    for name in sheets:
        assert (tmp_path / "look" / name).read_bytes() == (built / "look" / name).read_bytes()


def test_another_seed_is_another_sample_and_decodes_nothing(clips, built, tmp_path, monkeypatch):
    (tmp_path / "measured.sqlite").write_bytes((built / "measured.sqlite").read_bytes())
    monkeypatch.setattr(contents, "measure_all", decodes_nothing)
    build(*options(clips, tmp_path, "--sample", 12, "--seed", 1))
    assert lines(tmp_path / "sample.jsonl") != lines(built / "sample.jsonl")
    assert not (tmp_path / "look").exists()
    # Thresholds do not decode again, either; what was drawn before is gone.
    build(*options(clips, tmp_path, "--frozen-level", 0, "--near-bits", -1))
    reasons = {line["reason"] for line in lines(tmp_path / "rejected.jsonl")}
    assert "exact_duplicate" in reasons
    assert not reasons & {"frozen", "near_duplicate"}
    assert not (tmp_path / "sample.jsonl").exists()


def decodes_nothing(paths: list[Path], *_: object) -> list[Any]:
    assert paths == []
    return []


def start(*arguments: object) -> subprocess.Popen[str]:
    code = "from vidomni_plugin.cli import main; main()"
    command = [sys.executable, "-c", code, "build", "pool", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def rows(out: Path) -> set[str]:
    try:
        with sqlite3.connect(out / "measured.sqlite") as database:
            return {key for (key,) in database.execute("SELECT key FROM measured")}
    except sqlite3.OperationalError:
        return set()


def wait_for_rows(process: subprocess.Popen[str], out: Path, count: int) -> None:
    end = time.monotonic() + 60
    while len(rows(out)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def slow(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clips, and a last one that takes so long that a run can be stopped meanwhile."""
    root = tmp_path_factory.mktemp("slow")
    copy_pool(clips, root, lambda path: path.stem.startswith("good_0"))
    write(root / "b" / "z_long.mp4", scene(900, seconds=30, scale=4), crf=30)
    return root


def stopped_and_resumed(slow: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = rows(out)
    assert 10 <= len(kept) < 11
    decoded: list[Path] = []
    real = contents.measure_all

    def counted(paths: list[Path], *rest: Any) -> Any:
        decoded.extend(paths)
        return real(paths, *rest)

    monkeypatch.setattr(contents, "measure_all", counted)
    build(*options(slow, out))
    assert [path.name for path in decoded] == ["z_long.mp4"]
    assert kept < rows(out)
    assert len(lines(out / "pool.jsonl")) == 11


def test_killed_and_run_again_loses_the_video_under_way_only(slow, tmp_path, monkeypatch):
    out = tmp_path / "pool"
    process = start(*options(slow, out, "--workers", 1))
    wait_for_rows(process, out, 10)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []  # they notice that nobody waits for them
    stopped_and_resumed(slow, out, monkeypatch)


def test_ctrl_c_ends_it_at_once_and_loses_nothing(slow, tmp_path):
    out = tmp_path / "pool"
    process = start(*options(slow, out, "--workers", 1))
    wait_for_rows(process, out, 10)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "the same command goes on where it was" in errors
    assert "Traceback" not in errors
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert 10 <= len(rows(out)) < 11


def test_a_pool_without_a_video_is_an_error_that_says_why(clips, tmp_path):
    wanted = {"good_00", "good_01", "black_0", "short_0"}
    root = copy_pool(clips, tmp_path / "v", lambda path: path.stem in wanted)
    given = ("--videos", root, "--out", tmp_path / "pool")
    said = build(*given, *LIMITS, "--look", 1)
    assert "Videos of the pool" in said
    assert (tmp_path / "pool" / "look" / "index.html").is_file()
    with pytest.raises(InputProblems) as raised:
        build(*given, "--min-side", 1000, "--min-seconds", 1.5)
    (problem,) = raised.value.problems
    assert problem.message == "none of 4 files stays: 3 too_small, 1 too_short"
    assert len(lines(tmp_path / "pool" / "rejected.jsonl")) == 4
    assert lines(tmp_path / "pool" / "pool.jsonl") == []
    assert not (tmp_path / "pool" / "look").exists()  # which showed videos of the earlier pool


def test_the_strata_of_a_pool_are_counted():
    videos = [video(1, "low", "b"), video(2, "high", "a"), video(3, "high", "a")]
    videos += [video(4, "middle", "a", "video_captioning")]
    table = strata(videos)
    assert [column.title for column in table.columns] == [
        *("source", "task", "low motion", "middle motion", "high motion", "videos"),
    ]
    assert [list(row) for row in table.rows] == [
        ["a", "video_qa", 0, 0, 2, 2],
        ["a", "video_captioning", 0, 1, 0, 1],
        ["b", "video_qa", 1, 0, 0, 1],
        ["all", "", 1, 1, 2, 4],
    ]


def test_odd_files_are_named_and_do_not_stop_the_run(clips, tmp_path):
    root = copy_pool(clips, tmp_path / "v", lambda path: path.name == "good_00.mp4")
    (root / "a" / "notes.mp4").write_text("no video at all\n" * 50)
    (root / "a" / "nowhere.mp4").symlink_to("gone.mp4")
    (root / "a" / "circle").symlink_to(root)
    (root / "a" / "linked.mp4").symlink_to(root / "a" / "good_00.mp4")
    os.mkfifo(root / "a" / "pipe.mp4")
    Path(os.fsdecode(os.fsencode(root / "a") + b"/odd\xff.mp4")).write_bytes(b"x")
    (root / "a" / "readme.txt").write_text("not looked at")
    output = build("--videos", root, "--out", tmp_path / "pool", *LIMITS)
    found = {
        line["path"].rsplit("/", 1)[1]: line["reason"]
        for line in lines(tmp_path / "pool" / "rejected.jsonl")
    }
    assert found == {
        "notes.mp4": "undecodable",
        "nowhere.mp4": "broken_link",
        "linked.mp4": "exact_duplicate",
        "pipe.mp4": "not_a_file",
        "odd\\xff.mp4": "bad_name",
    }
    assert "good_00" in (tmp_path / "pool" / "pool.jsonl").read_text()
    assert all(name.split(".")[0] in output for name in found)


def test_a_folder_whose_name_is_no_text_is_written_as_it_can_be(clips, tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff"))
    copy_pool(clips, odd, lambda path: path.name == "good_00.mp4")
    (tmp_path / "link").symlink_to(odd)
    out = Path(os.fsdecode(os.fsencode(tmp_path) + b"/pool\xff"))
    with pytest.raises(InputProblems, match="none of 1 file stays: 1 bad_name"):
        build("--videos", odd, "--videos", tmp_path / "link", "--out", out, *LIMITS)
    (rejected,) = lines(out / "rejected.jsonl")  # both are one folder; the first name counts
    assert (rejected["reason"], rejected["path"][-21:]) == ("bad_name", "odd\\xff/a/good_00.mp4")
    build("--videos", tmp_path / "link", "--out", out, *LIMITS)
    (video,) = lines(out / "pool.jsonl")
    assert video["source"] == "odd\\xff"
    settings = json.loads((out / "settings.json").read_text(encoding="utf-8"))
    assert settings["videos"] == [str(tmp_path / "link")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--videos", "nowhere"], "there is no such folder"),
        (["--videos", "."], "there is no video"),
        (["--videos", ".", "--allocation", "best"], "is not one of 'equal', 'proportional'"),
        (["--videos", ".", "--max-seconds", "1"], "less than --min-seconds"),
        (["--videos", ".", "--near-bits", "nan"], "'--near-bits': nan is no number"),
        (["--videos", ".", "--min-seconds", "inf"], "'--min-seconds': inf is no number"),
        (["--videos", ".", "--max-seconds", "inf"], "'--max-seconds': inf is no number"),
        (["--videos", ".", "--frozen-level", "inf"], "'--frozen-level': inf is no number"),
        (["--videos", ".", "--black-share", "nan"], "'--black-share'"),
        (["--videos", ".", "--stuck-seconds", "inf"], "'--stuck-seconds': inf is no number"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["vidomni", "build", "pool", "--out", "pool", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in {1, 2}
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert not (tmp_path / "pool").exists()


def test_a_file_of_measurements_that_is_none_is_named(clips, tmp_path, monkeypatch, capsys):
    (tmp_path / "measured.sqlite").write_text("no database, but long enough to be looked at")
    arguments = ["vidomni", "build", "pool", *map(str, options(clips, tmp_path))]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit):
        main()
    assert "measured.sqlite: file is not a database [unreadable]" in capsys.readouterr().err
