"""Whole fetches of VidOmni's videos: local copies, and a web server on this machine."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import pytest

from tests.conftest import CLIP, vidomni_data, vidomni_record, write_lines
from tests.data.fetch.file_server import PIECE, Site, padded, serving
from vidomni_plugin.data.fetch import download as downloading
from vidomni_plugin.data.fetch import place, run
from vidomni_plugin.data.fetch.download import Options
from vidomni_plugin.data.fetch.journal import Fetched, Journal, read_fetched
from vidomni_plugin.data.fetch.reasons import Reason
from vidomni_plugin.data.fetch.vidomni import Request, fetch_videos, show_plan
from vidomni_plugin.data.load import inspect_vidomni
from vidomni_plugin.data.locate import DataRoot, mini_root
from vidomni_plugin.data.probe import media_digest
from vidomni_plugin.data.sound import without_sound

CLIPS = mini_root("vidomni").path / "videos"
SECONDS = 5.0
"""Duration of the built-in clip that most tests use."""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def line(video_id: str, **fields: Any) -> dict[str, Any]:
    return {"video_id": video_id, "source_dataset": "other", **fields}


def request(root: Path, *roots: str, retry: tuple[Reason, ...] = (), **options: Any) -> Request:
    chosen = Options(**options)
    return Request(root, None, list(roots), None, None, chosen, 0.0, frozenset(retry))


def fetched(root: Path, rows: list[dict[str, Any]], *roots: str, **more: Any) -> dict[str, Fetched]:
    write_lines(root / "videos.jsonl", rows)
    whole = fetch_videos(request(root, *roots, **more))
    records = read_fetched(root)
    assert whole == all(records[row["video_id"]].status == "present" for row in rows)
    return records


def reasons(records: dict[str, Fetched]) -> dict[str, str | None]:
    return {
        name: record.reason.value if record.reason else None for name, record in records.items()
    }


def true_to(root: Path, record: Fetched) -> bool:
    """Whether a record says what the file is."""
    file = root / "videos" / str(record.file)
    stat = file.stat()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return (record.bytes, record.mtime_ns, record.sha256) == (
        stat.st_size,
        stat.st_mtime_ns,
        digest,
    )


# Local copies


def test_local_copies_are_linked_and_nothing_in_them_changes(tmp_path):
    root, copies = tmp_path / "root", tmp_path / "copies"
    (copies / "deep").mkdir(parents=True)
    shutil.copy(CLIP, copies / "deep" / "one.MP4")
    before = (copies / "deep" / "one.MP4").stat()
    records = fetched(root, [line("a", source_id="one", duration_s=SECONDS)], f"other={copies}")
    file = root / "videos" / "a.mp4"  # the ending is in lower case, as find_videos wants it
    assert file.samefile(copies / "deep" / "one.MP4")
    after = (copies / "deep" / "one.MP4").stat()
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)
    record = records["a"]
    assert true_to(root, record)
    assert (record.how, record.has_audio) == ("local", False)
    assert record.source == str(copies / "deep" / "one.MP4")
    assert record.duration_s == pytest.approx(SECONDS, abs=0.2)


def test_another_file_system_gets_a_copy(tmp_path, monkeypatch):
    def refuse(*paths: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    root, copies = tmp_path / "root", tmp_path / "copies"
    copies.mkdir()
    shutil.copy(CLIP, copies / "one.mp4")
    record = fetched(root, [line("a", source_id="one")], f"other={copies}")["a"]
    assert true_to(root, record)
    assert not (root / "videos" / "a.mp4").samefile(copies / "one.mp4")
    assert sorted(os.listdir(root / "videos")) == ["a.mp4"]


def test_a_copy_that_needs_more_than_the_free_space_is_not_begun(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "same_device", lambda source, folder: False)
    monkeypatch.setattr(run, "free_bytes", lambda folder: 10_000_000)
    copies = tmp_path / "copies"
    copies.mkdir()
    shutil.copy(CLIP, copies / "one.mp4")
    record = fetched(tmp_path / "root", [line("a", source_id="one")], str(copies))["a"]
    assert record.reason is Reason.NO_SPACE
    assert "10.0 MB free" in record.detail
    assert os.listdir(tmp_path / "root" / "videos") == []


def test_why_local_files_are_not_taken(tmp_path):
    copies = tmp_path / "copies"
    for folder, clip in (("x", "roll"), ("y", "roll"), ("x", "pan"), ("z", "pan")):
        (copies / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(CLIPS / f"{clip}.mp4", copies / folder / f"{clip}.mp4")
    shutil.copy(CLIPS / "zoom.mp4", copies / "z" / "pan.mp4")  # another video, the same name
    (copies / "cut.mp4").write_bytes(CLIP.read_bytes()[:3000])
    (copies / "link.mp4").symlink_to(tmp_path / "gone.mp4")
    pan = hashlib.sha256((CLIPS / "pan.mp4").read_bytes()).hexdigest()
    rows = [
        line("twice", source_id="roll"),
        line("two", source_id="pan"),
        line("named", source_id="pan", sha256=pan),
        line("other", source_id="roll", sha256="0" * 64),
        line("short", source_id="x/roll", duration_s=60.0),
        line("long", source_id="x/roll", duration_s=1.0),
        line("silent", source_id="x/roll", has_audio=True),
        line("cut", source_id="cut"),
        line("link", source_id="link"),
        line("none", source_id="none"),
    ]
    records = fetched(tmp_path / "root", rows, str(copies))
    assert reasons(records) == {
        "twice": None,  # two copies of one file are no choice
        "two": "ambiguous",
        "named": None,
        "other": "ambiguous",
        "short": "too_short",
        "long": "wrong_duration",
        "silent": "no_sound",
        "cut": "decoder",
        "link": "decoder",
        "none": "no_source",
    }
    for folder in ("x", "z"):
        assert str(copies / folder / "pan.mp4") in records["two"].detail
    assert sorted(os.listdir(tmp_path / "root" / "videos")) == ["named.mp4", "twice.mp4"]


def test_videos_that_are_there_are_checked_once_and_never_replaced(tmp_path, monkeypatch):
    root = tmp_path / "root"
    (root / "videos").mkdir(parents=True)
    shutil.copy(CLIP, root / "videos" / "good.mp4")
    (root / "videos" / "bad.mp4").write_bytes(b"not a video")
    rows = [line("good"), line("bad", url="http://127.0.0.1:9/bad.mp4")]
    records = fetched(root, rows)
    assert records["good"].how == "found"
    assert true_to(root, records["good"])
    assert records["bad"].reason is Reason.DECODER
    assert (root / "videos" / "bad.mp4").read_bytes() == b"not a video"
    looked: list[Path] = []
    look = run.look
    monkeypatch.setattr(run, "look", lambda files: looked.extend(files) or look(files))
    again = fetched(root, rows)
    assert [path.name for path in looked] == ["bad.mp4"]
    assert again["good"] == records["good"]
    (root / "videos" / "bad.mp4").unlink()
    shutil.copy(CLIPS / "pan.mp4", root / "videos" / "bad.mp4")  # the user has mended it
    assert reasons(fetched(root, rows)) == {"good": None, "bad": None}
    rows[0]["duration_s"] = 90.0  # the manifest has been corrected
    assert reasons(fetched(root, rows)) == {"good": "too_short", "bad": None}


# Downloads


def test_a_file_a_404_a_page_and_a_cut_connection(tmp_path, site, capsys):
    site.files = {
        "/whole.mp4": padded(CLIP.read_bytes(), 40 * PIECE),
        "/cut.mp4": padded(CLIP.read_bytes(), 41 * PIECE),
        "/page": b"<html><body>nothing to see</body></html>",
    }
    site.types["/page"] = "text/html"
    # The first request only looks at the head of the answer, so the cut must come soon enough
    # to be in the download and late enough not to be in that look.
    site.cut_after["/cut.mp4"] = 30 * PIECE
    site.pause_s = 0.003
    names = ("whole.mp4", "cut.mp4", "gone.mp4", "page")
    rows = [line(name, url=f"{site.url}/{name}") for name in names]
    records = fetched(tmp_path, rows)
    assert reasons(records) == {
        "whole.mp4": None,
        "cut.mp4": None,
        "gone.mp4": "not_found",
        "page": "unsupported",
    }
    for name in ("whole.mp4", "cut.mp4"):
        assert true_to(tmp_path, records[name])
        assert (records[name].how, records[name].source) == ("url", f"{site.url}/{name}")
        assert (tmp_path / "videos" / f"{name}.mp4").read_bytes() == site.files[f"/{name}"]
    assert "yt-dlp" in records["whole.mp4"].tool
    resumed = [start for path, start in site.asked if path == "/cut.mp4" and start]
    assert len(resumed) == 1  # gone on with, not begun anew
    assert "/cut.mp4" not in site.cut_after
    assert not (tmp_path / ".fetch").exists()
    shown = capsys.readouterr().out
    assert "all videos are there" not in shown
    assert "2 videos are missing" in shown
    assert "not at its address" in shown
    site.asked.clear()
    fetched(tmp_path, rows)
    assert {path for path, _ in site.asked} == {"/gone.mp4", "/page"}


def test_local_first_then_youtube_then_url(tmp_path, site, monkeypatch):
    monkeypatch.setattr(downloading, "YOUTUBE", f"{site.url}/watch/{{}}")
    site.files = {"/watch/aaaaaaaaaaa": CLIP.read_bytes(), "/url.mp4": CLIP.read_bytes()}
    copies = tmp_path / "copies"
    copies.mkdir()
    shutil.copy(CLIP, copies / "one.mp4")
    (copies / "bad.mp4").write_bytes(b"")
    address = f"{site.url}/url.mp4"
    rows = [
        line("local", source_id="one", youtube_id="aaaaaaaaaaa", url=address),
        line("tube", youtube_id="aaaaaaaaaaa", url=address),
        line("url", youtube_id="bbbbbbbbbbb", url=address),
        line("bad copy", source_id="bad", url=address),
        line("nothing", source_id="bad", youtube_id="bbbbbbbbbbb"),
    ]
    records = fetched(tmp_path / "root", rows, str(copies))
    assert {name: record.how for name, record in records.items()} == {
        "local": "local",
        "tube": "youtube",
        "url": "url",
        "bad copy": "url",
        "nothing": None,
    }
    detail = records["nothing"].detail  # every place has its word
    assert str(copies / "bad.mp4") in detail
    assert "/watch/bbbbbbbbbbb" in detail


def refusing(monkeypatch: pytest.MonkeyPatch, reason: Reason) -> list[str]:
    """Let every download end with one reason; returns the addresses that were asked."""
    asked: list[str] = []

    def refuse(url: str, *rest: object, **more: object) -> Path:
        asked.append(url)
        raise downloading.Refused(downloading.Refusal(reason, reason.value))

    monkeypatch.setattr(run, "download", refuse)
    return asked


def test_what_is_gone_for_good_is_not_asked_again(tmp_path, monkeypatch):
    rows = [line("a", youtube_id="aaaaaaaaaaa"), line("b", youtube_id="bbbbbbbbbbb")]
    asked = refusing(monkeypatch, Reason.REMOVED)
    assert set(reasons(fetched(tmp_path, rows)).values()) == {"removed"}
    assert len(asked) == 2
    first = fetched(tmp_path, rows)
    assert len(asked) == 2
    assert set(reasons(first).values()) == {"removed"}
    fetched(tmp_path, rows, retry=(Reason.PRIVATE,))
    assert len(asked) == 2
    fetched(tmp_path, rows, retry=(Reason.REMOVED,))
    assert len(asked) == 4
    rows[0]["youtube_id"] = "ccccccccccc"  # another upload
    fetched(tmp_path, rows)
    assert len(asked) == 5
    copies = tmp_path / "copies"
    copies.mkdir()
    shutil.copy(CLIP, copies / "a.mp4")  # a copy turns up
    assert reasons(fetched(tmp_path, rows, str(copies))) == {"a": None, "b": "removed"}
    assert len(asked) == 5


def test_youtube_is_left_in_peace_after_three_refusals(tmp_path, monkeypatch, capsys):
    rows = [line(f"v{n}", youtube_id=f"{n:011d}") for n in range(6)]
    rows.append(line("elsewhere", url="http://127.0.0.1:9/x.mp4"))
    write_lines(tmp_path / "videos.jsonl", rows)
    asked = refusing(monkeypatch, Reason.BOT_CHECK)
    assert not fetch_videos(request(tmp_path))
    assert len(asked) == 4
    assert asked[-1] == "http://127.0.0.1:9/x.mp4"
    assert "not tried" in capsys.readouterr().out
    assert set(read_fetched(tmp_path)) == {"v0", "v1", "v2", "elsewhere"}


def test_nothing_more_is_begun_on_a_full_disk(tmp_path, monkeypatch):
    rows = [line(f"v{n}", url=f"http://127.0.0.1:9/{n}") for n in range(3)]
    write_lines(tmp_path / "videos.jsonl", rows)
    asked = refusing(monkeypatch, Reason.NO_SPACE)
    monkeypatch.setattr(run, "free_bytes", lambda folder: place.SPARE_BYTES)
    assert not fetch_videos(request(tmp_path))
    assert len(asked) == 1


def test_one_video_that_is_too_large_does_not_keep_the_others_away(tmp_path, monkeypatch):
    rows = [line(f"v{n}", url=f"http://127.0.0.1:9/{n}") for n in range(3)]
    write_lines(tmp_path / "videos.jsonl", rows)
    asked = refusing(monkeypatch, Reason.NO_SPACE)
    assert not fetch_videos(request(tmp_path))
    assert len(asked) == 3


@pytest.mark.parametrize("known", [True, False])
def test_a_stream_that_does_not_end_stops_before_the_disk_is_full(
    tmp_path, site, monkeypatch, known
):
    site.files = {"/a.mp4": padded(CLIP.read_bytes(), 40 * PIECE)}
    site.pause_s = 0.02
    site.endless = not known
    monkeypatch.setattr(
        downloading,
        "free_bytes",
        lambda folder: place.SPARE_BYTES * (1 if not list(folder.glob("media*")) else 0),
    )
    record = fetched(tmp_path, [line("a", url=f"{site.url}/a.mp4")])["a"]
    assert record.reason is Reason.NO_SPACE
    assert "left free" in record.detail
    kept = [path.name for path in (tmp_path / ".fetch").rglob("media*")]
    assert bool(kept) == known  # without an end in sight it would fill the disk again


def test_the_space_is_looked_at_before_a_download(tmp_path, site, monkeypatch):
    site.files = {"/a.mp4": CLIP.read_bytes()}
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1_000_000))
    record = fetched(tmp_path, [line("a", url=f"{site.url}/a.mp4")])["a"]
    assert record.reason is Reason.NO_SPACE
    assert "1.0 MB free" in record.detail
    assert site.requests("/a.mp4") == 1  # only the look


def test_a_download_that_does_not_fit_is_kept_and_judged_again(tmp_path, site):
    site.files = {"/a.mp4": CLIP.read_bytes()}
    rows = [line("a", url=f"{site.url}/a.mp4", duration_s=60.0)]
    assert reasons(fetched(tmp_path, rows)) == {"a": "too_short"}
    asked = site.requests("/a.mp4")
    assert reasons(fetched(tmp_path, rows)) == {"a": "too_short"}
    assert site.requests("/a.mp4") == asked
    fetched(tmp_path, rows, retry=(Reason.TOO_SHORT,))
    assert site.requests("/a.mp4") == 2 * asked
    rows[0]["duration_s"] = SECONDS
    assert reasons(fetched(tmp_path, rows)) == {"a": None}
    assert site.requests("/a.mp4") == 2 * asked
    assert not (tmp_path / ".fetch").exists()


def test_two_ids_with_one_address_are_one_download(tmp_path, site):
    site.files = {"/a.mp4": CLIP.read_bytes()}
    address = f"{site.url}/a.mp4"
    records = fetched(tmp_path, [line("a", url=address), line("b", url=address)])
    assert site.requests("/a.mp4") == 2  # a look and a download
    assert (tmp_path / "videos" / "a.mp4").samefile(tmp_path / "videos" / "b.mp4")
    assert (records["b"].how, records["b"].source) == ("url", address)
    assert true_to(tmp_path, records["b"])
    rows = [line("a", url=address), line("c", url=address, duration_s=90.0)]
    assert fetched(tmp_path, rows)["c"].reason is Reason.TOO_SHORT
    assert site.requests("/a.mp4") == 2


def test_a_server_that_names_no_kind(tmp_path, site):
    site.files = {"/clip": CLIP.read_bytes()}
    site.types["/clip"] = "application/octet-stream"
    record = fetched(tmp_path, [line("a", url=f"{site.url}/clip")])["a"]
    assert (record.reason, record.file) == (None, "a.mp4")


def test_a_page_that_tells_another_duration_is_refused_before_the_download(tmp_path):
    info = {"duration": 600, "live_status": None}
    with pytest.raises(downloading.Refused) as caught:
        downloading._refuse_early(info, tmp_path, 60.0)
    assert caught.value.refusal.reason is Reason.WRONG_DURATION
    for other, reason in (
        ({"_type": "playlist"}, Reason.AMBIGUOUS),
        ({"live_status": "is_upcoming"}, Reason.NOT_YET),
        (None, Reason.UNSUPPORTED),
    ):
        with pytest.raises(downloading.Refused) as caught:
            downloading._refuse_early(other, tmp_path, None)
        assert caught.value.refusal.reason is reason
    downloading._refuse_early(info, tmp_path, 601.9)


@pytest.mark.parametrize(("ffmpeg", "first"), [(True, "bv*"), (False, "b[")])
def test_formats_are_capped_and_merged_only_with_ffmpeg(tmp_path, monkeypatch, ffmpeg, first):
    monkeypatch.setattr(downloading, "has_ffmpeg", lambda: ffmpeg)
    log = downloading._Log()
    chosen = downloading._parameters(tmp_path, Options(480), log, lambda done, total: None)
    assert chosen["format"].startswith(first)
    assert chosen["format"].count("[height<=?480]") == chosen["format"].count("height")
    refusal = downloading._refusal("ERROR: x: Requested format is not available", log)
    assert refusal.reason is (Reason.NO_FORMAT if ffmpeg else Reason.NO_FFMPEG)


DASH = """<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT8.0S"
 profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period duration="PT8.0S">
<AdaptationSet mimeType="video/mp4" contentType="video">
<Representation id="low" codecs="avc1.4d401f" width="320" height="240" bandwidth="100000">
<BaseURL>low.mp4</BaseURL></Representation>
<Representation id="high" codecs="avc1.4d401f" width="1920" height="1080" bandwidth="900000">
<BaseURL>high.mp4</BaseURL></Representation></AdaptationSet>
<AdaptationSet mimeType="audio/mp4" contentType="audio">
<Representation id="sound" codecs="mp4a.40.2" bandwidth="64000">
<BaseURL>sound.m4a</BaseURL></Representation></AdaptationSet></Period></MPD>"""
"""Picture and sound apart, as YouTube has all but its smallest formats."""


def apart(site: Site) -> list[dict[str, Any]]:
    clip = CLIPS / "talk.mp4"
    sound = io.BytesIO()
    with av.open(str(clip)) as source, av.open(sound, "w", "mp4") as target:
        stream = target.add_stream_from_template(source.streams.audio[0])
        for packet in source.demux(source.streams.audio[0]):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    site.files = {
        "/x.mpd": DASH.encode(),
        "/low.mp4": without_sound(clip, media_digest(clip)).read_bytes(),
        "/sound.m4a": sound.getvalue(),
    }
    site.types |= {"/x.mpd": "application/dash+xml", "/sound.m4a": "audio/mp4"}
    return [line("a", url=f"{site.url}/x.mpd", has_audio=True)]


def test_picture_and_sound_apart_need_ffmpeg(tmp_path, site, monkeypatch):
    monkeypatch.setattr(downloading, "has_ffmpeg", lambda: False)
    record = fetched(tmp_path, apart(site))["a"]
    assert record.reason is Reason.NO_FFMPEG
    assert {path for path, _ in site.asked} == {"/x.mpd"}


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="there is no ffmpeg on the PATH")
def test_picture_and_sound_are_merged_at_the_height_asked_for(tmp_path, site):
    record = fetched(tmp_path, apart(site))["a"]
    assert (record.reason, record.file, record.has_audio) == (None, "a.mp4", True)
    assert site.requests("/high.mp4") == 0
    assert fetched(tmp_path / "x", apart(site), max_height=100)["a"].reason is Reason.NO_FORMAT


def test_cookies_are_sent_and_the_file_is_not_written(tmp_path, site, monkeypatch):
    seen: list[dict[str, Any]] = []
    parameters = downloading._parameters
    monkeypatch.setattr(
        downloading, "_parameters", lambda *a: seen.append(parameters(*a)) or seen[-1]
    )
    site.files = {"/a.mp4": CLIP.read_bytes()}
    row = "127.0.0.1\tFALSE\t/\tFALSE\t0\tkey\tsecret\n"
    cookies = "# Netscape HTTP Cookie File\n" + row
    records = fetched(tmp_path, [line("a", url=f"{site.url}/a.mp4")], cookies=cookies)
    assert records["a"].reason is None
    assert not isinstance(seen[0]["cookiefile"], str)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"secret" in path.read_bytes() for path in written)


# The command, killed and interrupted


def command(root: Path, home: Path, *more: str) -> list[str]:
    start = "from vidomni_plugin.cli import main; main()"
    return [
        *(sys.executable, "-c", start, "data", "fetch", "vidomni", "--root", str(root)),
        *("--sleep", "0", "--rate", "0", *more),
    ]


def begun(root: Path, home: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "VIDOMNI_HOME": str(home)}
    return subprocess.Popen(
        command(root, home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def part(root: Path) -> int:
    """Bytes of the unfinished download."""
    return sum(path.stat().st_size for path in root.glob(".fetch/*/*.part"))


def test_killed_twice_it_ends_with_the_right_files_and_fetches_nothing_twice(tmp_path, site):
    root, home = tmp_path / "root", tmp_path / "home"
    pieces = 120
    site.files = {
        "/one.mp4": padded(CLIP.read_bytes(), 20 * PIECE),
        "/two.mp4": padded((CLIPS / "pan.mp4").read_bytes(), pieces * PIECE),
    }
    site.pause_s = 0.01
    rows = [line(name, url=f"{site.url}/{name}.mp4") for name in ("one", "two")]
    write_lines(root / "videos.jsonl", rows)
    there = []
    for share in (0.25, 0.6):
        process = begun(root, home)
        goal = share * pieces * PIECE
        wait_for(lambda goal=goal: "one" in read_fetched(root) and part(root) > goal, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        there.append(part(root))
        assert [p.name for p in (root / "videos").iterdir()] == ["one.mp4"]  # never a part
    process = begun(root, home)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    for name in ("one", "two"):
        file = root / "videos" / f"{name}.mp4"
        assert file.read_bytes() == site.files[f"/{name}.mp4"]
        assert true_to(root, read_fetched(root)[name])
    assert not (root / ".fetch").exists()
    # Each later call went on where the killed one had stopped, to the byte.
    assert [start for path, start in site.asked if path == "/two.mp4" and start] == there
    # The first video was asked for in the first call only: a look, then the download.
    assert site.requests("/one.mp4") == 2
    # Beyond the head, which each call looks at, every piece was sent once; where a kill came,
    # what was on its way was lost.
    again = [n for (path, n), times in site.sent.items() if path == "/two.mp4" and times > 1]
    late = [n for n in again if n > 15 and all(abs(n - at / PIECE) > 8 for at in there)]
    assert late == []
    process = begun(root, home)
    asked = len(site.asked)
    assert process.wait(60) == 0
    assert len(site.asked) == asked
    process.communicate()


def test_ctrl_c_says_that_all_is_kept(tmp_path, site):
    root = tmp_path / "root"
    site.files = {"/a.mp4": padded(CLIP.read_bytes(), 200 * PIECE)}
    site.pause_s = 0.02
    write_lines(root / "videos.jsonl", [line("a", url=f"{site.url}/a.mp4")])
    process = begun(root, tmp_path / "home")
    wait_for(lambda: part(root) > 5 * PIECE, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, out + err
    assert "all that was fetched is kept" in err
    assert "Traceback" not in err
    assert "not tried" in out
    assert part(root) > 5 * PIECE
    with Journal(root) as journal:  # the lock went with the process
        assert journal.records == {}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--revision", "main"), "--revision does not belong to vidomni"),
        (("--rate", "fast"), "is not a rate"),
        (("--retry", "gone"), "--retry takes: removed"),
        (("--cookies", "gone.txt"), "no-file"),
        (("--roots", "Nowhere=/tmp"), "no data set is called"),
        (("--patterns", "gone.yaml"), "no-file"),
        (("--videos", "gone.csv"), "no-file"),
    ],
)
def test_wrong_options_are_told_and_nothing_is_begun(tmp_path, more, words):
    write_lines(tmp_path / "videos.jsonl", [line("a")])
    done = subprocess.run(
        command(tmp_path, tmp_path, *more), capture_output=True, text=True, check=False
    )
    assert done.returncode in {1, 2}
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "videos").exists()


def test_a_dry_run_shows_the_plan_and_does_nothing(tmp_path, capsys, monkeypatch):
    copies = tmp_path / "copies"
    copies.mkdir()
    shutil.copy(CLIP, copies / "one.mp4")
    rows = [
        line("a", source_id="one"),
        line("b", youtube_id="bbbbbbbbbbb", url="https://example.org/b.mp4"),
        line("c"),
    ]
    root = tmp_path / "root"
    write_lines(root / "videos.jsonl", rows)
    show_plan(request(root, str(copies)))
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        f"a: local  {copies / 'one.mp4'}",
        "b: download  https://www.youtube.com/watch?v=bbbbbbbbbbb, then https://example.org/b.mp4",
        "c: nowhere",
        "local 1, download 1, nowhere 1",
    ]
    assert os.listdir(root) == ["videos.jsonl"]


def test_a_manifest_from_elsewhere_is_kept_in_the_root(tmp_path):
    table = tmp_path / "list.csv"
    table.write_text("video_id,source_dataset,source_id\nv,other,roll\n")
    wanted = replace(request(tmp_path / "root", str(CLIPS)), manifest=table)
    assert fetch_videos(wanted)
    kept = (tmp_path / "root" / "videos.jsonl").read_text()
    assert json.loads(kept)["source_id"] == "roll"


def test_a_manifest_that_was_corrected_elsewhere_is_pointed_out(tmp_path, capsys):
    table = tmp_path / "list.csv"
    wanted = replace(request(tmp_path / "root", str(CLIPS)), manifest=table)
    for duration, told in (("5", False), ("5", False), ("5.5", True)):
        table.write_text(f"video_id,source_dataset,source_id,duration_s\nv,other,roll,{duration}\n")
        fetch_videos(wanted)
        assert ("stays as it is" in capsys.readouterr().err) == told
    assert json.loads((tmp_path / "root" / "videos.jsonl").read_text())["duration_s"] == 5.0


def test_nothing_in_a_plan_moves_the_cursor(tmp_path, capsys):
    write_lines(tmp_path / "videos.jsonl", [line("a", url="http://127.0.0.1:9/\x1b[2J")])
    show_plan(request(tmp_path))
    assert r"\x1b[2J" in capsys.readouterr().out


def test_a_run_tells_what_the_fetch_said(tmp_path, monkeypatch):
    root = vidomni_data(tmp_path, [vidomni_record(pair_id="p", video_id="v")])
    (root / "videos" / "v.mp4").unlink()
    (problem,) = inspect_vidomni(DataRoot(root, "test")).video_problems
    assert "fetch said" not in str(problem)
    refusing(monkeypatch, Reason.REMOVED)
    record = fetched(root, [line("v", youtube_id="aaaaaaaaaaa")])["v"]
    (problem,) = inspect_vidomni(DataRoot(root, "test")).video_problems
    assert "fetch said: removed from YouTube" in problem.message
    assert record.at.date().isoformat() in problem.message


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    write_lines(tmp_path / "v.jsonl", [line("a")])
    wanted = replace(request(tmp_path / "file"), manifest=tmp_path / "v.jsonl")
    with pytest.raises(ValueError, match="the fetch stopped"):
        fetch_videos(wanted)


def test_what_a_killed_call_left_is_tidied(tmp_path):
    """Killed between the move into ``videos/`` and its record, and in the middle of a copy."""
    root = tmp_path / "root"
    (root / ".fetch" / "empty").mkdir(parents=True)
    (root / "videos").mkdir()
    (root / "videos" / ".copy.abc").write_bytes(b"half")
    (root / ".fetched.jsonl.x.tmp").write_bytes(b"half")
    shutil.copy(CLIP, root / "videos" / "a.mp4")
    record = fetched(root, [line("a", url="http://127.0.0.1:9/a.mp4")])["a"]
    assert true_to(root, record)
    assert os.listdir(root / "videos") == ["a.mp4"]
    names = {".fetch.lock", "fetched.jsonl", "videos", "videos.jsonl"}
    assert {path.name for path in root.iterdir()} == names


def test_sizes_are_readable():
    assert place.readable_size(1_500_000_000_000) == "1.5 TB"
