"""``vidomni data check``: what it prints, its exit codes, its JSON, and what ``--fix`` changes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.data.checks.sets import Files, sample
from vidomni_plugin.cli import app
from vidomni_plugin.data.checks.registry import all_checks
from vidomni_plugin.data.locate import mini_root


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["data", "check", *map(str, arguments)])


def found(result: Result) -> list[str]:
    (row,) = json.loads(result.stdout)["benchmarks"]
    return [finding["code"] for finding in row["findings"]]


def with_many_reports(root: Path) -> Files:
    files = sample("vidomni", root)
    rows = files.read("pairs")
    for row in rows:
        row["sentences"][0]["text"] += " &amp;"
        row["sentences"][0].update(label=0, errors=[])
    files.write("pairs", rows)
    return files


def test_reports_do_not_fail_unless_asked_to(tmp_path):
    with_many_reports(tmp_path)
    done = check("vidomni", "--root", tmp_path)
    assert done.exit_code == 0
    assert "24 problems (0 errors, 24 reports)" in done.stdout
    assert "report [spoiled-text] 24x" in done.stdout
    assert check("vidomni", "--root", tmp_path, "--strict").exit_code == 1


def test_many_findings_are_shown_in_part_and_whole_as_json(tmp_path):
    with_many_reports(tmp_path)
    text = check("vidomni", "--root", tmp_path).stdout
    assert text.count("&amp;") == 10
    assert "... and 14 more; --json shows all" in text
    assert text.count("-> make the file again") == 1
    assert found(check("vidomni", "--root", tmp_path, "--json")) == ["spoiled-text"] * 24


def test_places_are_shown_below_the_root(tmp_path):
    files = sample("vidomni", tmp_path)
    files.write("pairs", files.read("pairs")[:2] * 2)
    text = check("vidomni", "--root", tmp_path, "--no-videos").stdout
    assert "    pairs.jsonl:3: pair_id 'trio__captioner-a' is already used at pairs.jsonl:1" in text


def test_json_has_every_field_and_nothing_else(tmp_path):
    with_many_reports(tmp_path)
    output = json.loads(check("vidomni", "--root", tmp_path, "--json").stdout)
    assert output["format"] == 1
    assert output["ok"] is True
    (row,) = output["benchmarks"]
    assert row.keys() == {
        *("benchmark", "root", "origin", "pairs", "usable", "videos", "data", "as_released"),
        *("errors", "reports", "findings", "checked", "left_out", "fixed"),
    }
    assert (row["benchmark"], row["pairs"], row["videos"]) == ("vidomni", 24, 16)
    assert row["findings"][0].keys() == {"code", "severity", "place", "message", "hint"}
    assert row["left_out"].keys() == {"published-counts", "captions-of-a-video"}
    known = {code for code, c in all_checks().items() if "vidomni" in c.benchmarks}
    assert {*row["checked"], *row["left_out"]} == known


def test_no_data_is_json_too(monkeypatch, tmp_path):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    done = check("--json")
    assert done.exit_code == 1
    output = json.loads(done.stdout)
    assert not output["ok"]
    assert [row["findings"][0]["code"] for row in output["benchmarks"]] == ["no-data", "no-data"]


def test_a_benchmark_that_nobody_has_does_not_fail_the_other(monkeypatch, tmp_path):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    monkeypatch.setenv("VIDOMNI_DATA", str(mini_root("vidomni").path))
    done = check()
    assert done.exit_code == 0
    assert "vidhalloc: no data, not checked" in done.stderr
    monkeypatch.setenv("VIDHALLOC_DATA", str(tmp_path / "nowhere"))
    assert check().exit_code == 1


def test_only_and_skip_choose_checks(tmp_path):
    files = with_many_reports(tmp_path)
    files.edit("pairs", lambda row: row.update(duration_s=row["duration_s"] + 100))
    root = ("vidomni", "--root", tmp_path, "--json")
    assert set(found(check(*root))) == {"spoiled-text", "duration"}
    assert set(found(check(*root, "--only", "duration"))) == {"duration"}
    assert set(found(check(*root, "--skip", "duration, spoiled-text"))) == set()
    refused = check(*root, "--only", "durations")
    assert refused.exit_code == 2
    assert "durations" in refused.stderr


def test_without_videos_none_is_opened(tmp_path, monkeypatch):
    from vidomni_plugin.data import videos

    monkeypatch.setattr(videos, "_Worker", None)
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path / "home"))
    files = sample("vidomni", tmp_path / "data")
    (files.root / "videos" / "trio.mp4").unlink()
    done = check("vidomni", "--root", files.root, "--no-videos")
    assert done.exit_code == 0
    assert "videos not looked at" in done.stdout


def test_a_list_of_videos_is_checked_before_there_are_pairs(tmp_path):
    files = sample("vidomni", tmp_path)
    rows = {row["video_id"]: row for row in files.read("pairs")}
    names = ("video_id", "source_dataset", "duration_s", "has_audio")
    files.write("videos", [{name: row[name] for name in names} for row in rows.values()])
    files.path("pairs").unlink()
    done = check("vidomni", "--root", tmp_path)
    assert done.exit_code == 0
    assert "0 pairs on 16 videos, 16 usable; 0 problems" in done.stdout
    (tmp_path / "videos" / "trio.mp4").unlink()
    files.edit("videos", lambda row: row.update(duration_s=3600.0))
    done = check("vidomni", "--root", tmp_path, "--json")
    assert done.exit_code == 1
    assert sorted(set(found(done))) == ["duration", "missing-video"]


@pytest.mark.parametrize(
    "arguments", [("vidomnix",), ("--root", "."), ("vidomni", "--only", "?")], ids=str
)
def test_wrong_arguments_are_refused(arguments):
    assert check(*arguments).exit_code == 2


def test_the_list_names_every_check():
    lines = check("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(all_checks())


def test_text_from_the_data_is_not_markup(tmp_path):
    files = sample("vidomni", tmp_path)
    rows = files.read("pairs")
    rows[0]["pair_id"] = "[bold]x"
    rows[0]["sentences"] = rows[0]["sentences"][:1]
    files.write("pairs", rows)
    assert "'[bold]x' is one sentence" in check("vidomni", "--root", tmp_path).stdout


def test_json_cannot_hold_half_a_character_unescaped(tmp_path):
    """A record with a lone surrogate is no record; its message must still be printable."""
    files = sample("vidomni", tmp_path)
    path = files.path("pairs")
    path.write_text(path.read_text("utf-8").replace("trio__captioner-a", "tri\\ud800", 1), "utf-8")
    done = check("vidomni", "--root", tmp_path, "--json")
    assert done.exit_code == 1
    assert "record" in found(done)


def test_names_of_files_cannot_break_the_output(tmp_path):
    files = sample("vidomni", tmp_path)
    (files.root / "videos" / "a\x1b[2Jb\udcff.mp4").write_bytes(b"")
    done = check("vidomni", "--root", tmp_path)
    assert r"videos/a\x1b[2Jb\udcff.mp4" in done.stdout
    (row,) = json.loads(check("vidomni", "--root", tmp_path, "--json").stdout)["benchmarks"]
    assert row["findings"][0]["place"].endswith("videos/a\x1b[2Jb\udcff.mp4")


# --fix


def mess(root: Path) -> Files:
    """Spoil all that can be mended, and one thing that cannot."""
    files = sample("vidomni", root)
    rows: list[dict[str, Any]] = files.read("pairs")
    for row in rows:
        if row["video_id"] == "trio":
            row.update(duration_s=9.0)
        if row["video_id"] == "dots":
            row.update(has_audio=False, audio_category=None)
        if row["video_id"] == "sign":
            row.update(has_audio=True)
    rows[3]["sentences"][0]["text"] = "Sentence 1: Caf\u00e9."
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    text = "\ufeff" + "\r\n".join([*lines, lines[2], "", lines[0] + "  "]) + "\n"
    files.path("pairs").write_bytes(text.encode())
    return files


def test_fix_mends_what_is_safe_and_keeps_the_old_file(tmp_path):
    files = mess(tmp_path)
    path = files.path("pairs")
    before = path.read_bytes()
    done = check("vidomni", "--root", tmp_path, "--fix")
    assert done.exit_code == 0, done.stdout
    assert (tmp_path / "pairs.jsonl.bak").read_bytes() == before
    for part in (
        "byte-order mark removed 1x",
        "equal lines dropped 2x",
        "duration_s taken from the video 2x",
        "'trio': duration_s 9.0 -> 5.0",
        "'sign': has_audio True -> False",
        "'dots': has_audio False -> True",
        "the old file is pairs.jsonl.bak",
        "report [numbered-text] 1x",
    ):
        assert part in done.stdout
    content = path.read_bytes()
    assert not content.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in content
    assert "Caf\u00e9" in content.decode()
    good = Files(mini_root("vidomni").path).read("pairs")
    now = files.read("pairs")
    now[3]["sentences"][0]["text"] = good[3]["sentences"][0]["text"]
    for row in good:  # a kind of sound is for people to judge
        if row["video_id"] == "dots":
            row["audio_category"] = None
    assert now == good


def test_fix_changes_nothing_that_needs_no_mending(tmp_path):
    files = sample("vidhalloc", tmp_path)
    files.item("pair_videoqa_0001_fact_01", conflict_slot="count")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    done = check("vidhalloc", "--root", tmp_path, "--fix")
    assert done.exit_code == 1
    assert "nothing that --fix can mend" in done.stdout
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl*")} == before


def test_fix_takes_only_what_was_chosen(tmp_path):
    files = mess(tmp_path)
    check("vidomni", "--root", tmp_path, "--fix", "--only", "duration")
    content = files.path("pairs").read_bytes()
    assert b"\r\n" in content
    assert b'"duration_s":9.0' not in content
    assert b'"video_id":"sign","complexity_type":1,"duration_s":5.0,"has_audio":true' in content


def test_fix_takes_durations_of_the_inventory_from_the_videos(tmp_path):
    files = sample("vidhalloc", tmp_path)
    files.edit("source_video_inventory", lambda row: row.update(duration_seconds=50.0))
    done = check("vidhalloc", "--root", tmp_path, "--fix", "--json")
    assert done.exit_code == 0
    (row,) = json.loads(done.stdout)["benchmarks"]
    (fixed,) = row["fixed"]
    assert fixed["changes"] == {"duration_seconds taken from the video": 20}
    assert len(fixed["details"]) == 20
    good = Files(mini_root("vidhalloc").path).read("source_video_inventory")
    durations = {line["video_id"]: line["duration_seconds"] for line in good}
    for line in files.read("source_video_inventory"):
        assert abs(line["duration_seconds"] - durations[line["video_id"]]) < 0.1


def test_a_file_that_cannot_be_written_says_so_and_the_command_fails(tmp_path, monkeypatch):
    from vidomni_plugin.data.checks import fix

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    files = mess(tmp_path)
    before = files.path("pairs").read_bytes()
    monkeypatch.setattr(fix, "write_bytes", full)
    done = check("vidomni", "--root", tmp_path, "--fix")
    assert done.exit_code == 1
    assert "pairs.jsonl: not changed, No space left on device" in done.stdout
    assert files.path("pairs").read_bytes() == before


def test_an_older_copy_is_never_lost(tmp_path):
    files = mess(tmp_path)
    kept = tmp_path / "pairs.jsonl.bak"
    kept.write_text("the first one", encoding="utf-8")
    old = files.path("pairs").read_bytes()
    check("vidomni", "--root", tmp_path, "--fix")
    assert kept.read_text(encoding="utf-8") == "the first one"
    assert (tmp_path / "pairs.jsonl.bak2").read_bytes() == old


def test_a_linked_file_is_replaced_and_its_target_left_alone(tmp_path):
    """In a cache of the hub the files are links to blobs that others use too."""
    files = mess(tmp_path / "data")
    path = files.path("pairs")
    blob = tmp_path / "blob"
    path.rename(blob)
    path.symlink_to(blob)
    before = blob.read_bytes()
    assert check("vidomni", "--root", tmp_path / "data", "--fix").exit_code == 0
    assert blob.read_bytes() == before
    assert not path.is_symlink()


@pytest.mark.parametrize(
    "options",
    [
        ("--only", "leaf-slot"),
        ("--only", "duration", "--skip", "duration"),
        ("--only", "duration", "--no-videos"),
    ],
)
def test_options_that_leave_no_check_are_refused(options):
    done = check("vidomni", "--root", mini_root("vidomni").path, *options)
    assert done.exit_code == 2
    assert "no check of" in done.stderr


def test_unknown_codes_are_shown_without_their_control_characters():
    done = check("vidomni", "--root", mini_root("vidomni").path, "--skip", "x\x1b[2Jy")
    assert done.exit_code == 2
    assert "\x1b[2J" not in done.stderr


def test_a_folder_whose_name_is_too_long_has_no_data():
    done = check("vidomni", "--root", "x" * 5000)
    assert not isinstance(done.exception, OSError)
    assert done.exit_code == 1


def test_long_texts_are_not_shown_whole_and_do_not_hang(tmp_path):
    files = sample("vidhalloc", tmp_path / "halloc")
    files.edit(
        "2000_Orign", lambda row: row.update(answer="a b " * 20_000, conflict_slot="y" * 90_000)
    )
    done = check("vidhalloc", "--root", tmp_path / "halloc", "--no-videos")
    assert "leaf-slot" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 4000


def test_the_root_is_left_out_of_paths_and_not_of_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = sample("vidomni", tmp_path / "d")
    files.edit("pairs", lambda row: row["sentences"][0].update(text="red and/or blue &amp;"))
    text = check("vidomni", "--root", "d", "--no-videos", "--only", "spoiled-text").stdout
    assert "    pairs.jsonl:1, sentence 1: ..." in text
    assert "and/or blue" in text


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path):
    files = sample("vidomni", tmp_path)
    (tmp_path / "videos.jsonl").unlink(missing_ok=True)
    os.mkfifo(tmp_path / "videos.jsonl")
    assert "no-file" in found(check("vidomni", "--root", tmp_path, "--json", "--no-videos"))
    assert files


def test_fix_passes_over_lines_that_no_reader_can_take(tmp_path):
    files = sample("vidomni", tmp_path)
    files.edit("pairs", lambda row: row.update(duration_s=row["duration_s"] + 100))
    path = tmp_path / "pairs.jsonl"
    odd = [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"video_id": "roll", "duration_s": 1' + b"0" * 400 + b"}",
        b'{"video_id": "roll", "duration_s": true}',
        '{"video_id": "roll", "duration_s": 99.0, "x": "é\\ud800"}'.encode(),
    ]
    path.write_bytes(path.read_bytes() + b"\n".join(odd) + b"\n")
    check("vidomni", "--root", tmp_path, "--fix")
    lines = path.read_bytes().splitlines()[-4:]
    assert lines[:3] == odd[:3]
    assert json.loads(lines[3])["x"] == "é\ud800"
    assert json.loads(lines[3])["duration_s"] < 20


def test_two_fixes_at_once_keep_the_old_file(tmp_path, monkeypatch):
    """The second begins before the first has written, and finds its name taken."""
    from vidomni_plugin.data.checks import fix as fixing

    files = sample("vidomni", tmp_path)
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    old = path.read_bytes()
    write, nested = fixing.write_bytes, []

    def slow(target: Path, content: bytes) -> None:
        if not nested:
            nested.append(True)
            list(fixing.fix("vidomni", tmp_path, {"file-format"}))
        write(target, content)

    monkeypatch.setattr(fixing, "write_bytes", slow)
    list(fixing.fix("vidomni", tmp_path, {"file-format"}))
    assert (tmp_path / "pairs.jsonl.bak").read_bytes() == old
    assert (tmp_path / "pairs.jsonl.bak2").read_bytes() == old
    assert b"\r" not in path.read_bytes()
    assert files


def test_checks_that_wait_for_bad_lines_are_named(tmp_path):
    files = sample("vidomni", tmp_path)
    (tmp_path / "videos" / "stray.mp4").write_bytes(b"-")
    assert "stray.mp4" in check("vidomni", "--root", tmp_path).stdout
    assert "not checked yet" not in check("vidomni", "--root", tmp_path).stdout
    rows = files.read("pairs")
    files.write("pairs", [rows[0] | {"complexity_type": 9}, *rows[1:]])
    done = check("vidomni", "--root", tmp_path)
    assert done.stdout.splitlines()[-1] == (
        "not checked yet: extra-file (pairs.jsonl cannot be read as a whole)"
    )
    (row,) = json.loads(check("vidomni", "--root", tmp_path, "--json").stdout)["benchmarks"]
    assert row["left_out"]["extra-file"] == "pairs.jsonl cannot be read as a whole"
    assert "extra-file" not in row["checked"]


def test_the_built_in_sample_is_not_written():
    """It lies in the installed package."""
    done = check("vidomni", "--root", mini_root("vidomni").path, "--fix")
    assert done.exit_code == 2
    assert "part of the package" in done.stderr
