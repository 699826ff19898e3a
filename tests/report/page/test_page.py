"""The file itself: safe, whole, the same each time, and nothing to load."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.report.builders import signature, vidhalloc_run, vidomni_run
from tests.report.page.pages import ATTACK, as_run, hostile_runs, sample_runs
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.problems import Problem
from vidomni_plugin.report import vidhalloc_tables, vidomni_tables
from vidomni_plugin.report.page.items import browser_data, video_key
from vidomni_plugin.report.page.media import link_to, media_of, poster_frames
from vidomni_plugin.report.page.page import build_page
from vidomni_plugin.report.runs import Run
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.tables import Column, Table


class Tags(HTMLParser):
    """Collects every tag with its attributes, and the text of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open = ""
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open = tag

    def handle_endtag(self, tag: str) -> None:
        self.open = ""

    def handle_data(self, data: str) -> None:
        if self.open in self.inside:
            self.inside[self.open].append(data)


def page(runs: list[Run], **options: object) -> str:
    return build_page(runs, [], [], Settings(), **options)  # type: ignore[arg-type]


def data_of(html: str) -> Any:
    packed = re.search(r'id="data">([^<]+)<', html)
    assert packed
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def test_the_policy_allows_exactly_the_scripts_and_styles_that_are_there() -> None:
    tags = Tags(page(sample_runs()))
    policy = next(a["content"] for tag, a in tags.tags if a.get("http-equiv")) or ""
    for kind, text in (("script", tags.inside["script"][-1]), ("style", tags.inside["style"][0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_text_from_data_makes_no_tag_and_no_attribute() -> None:
    table = Table("t", ATTACK, [Column(ATTACK)], [[ATTACK]], [ATTACK])
    runs = hostile_runs()
    runs[0] = Run(runs[0].name, Path("x"), runs[0].tasks, [Problem(ATTACK, ATTACK, ATTACK, ATTACK)])
    quiet = Table("t", "x", [Column("x")], [["x" * len(ATTACK)]], ["x"])
    clean = [as_run(vidomni_run(name, {"v": [1]}, {"v": [1]})) for name in "ab"]
    clean[0] = Run("a", Path("a"), clean[0].tasks, [Problem("x", "x", "x", "x")])
    attacked = Tags(build_page(runs, [table], [(ATTACK, "<svg/>")], Settings(), title=ATTACK)).tags
    usual = Tags(build_page(clean, [quiet], [("x", "<svg/>")], Settings(), title="x")).tags
    assert {tag for tag, _ in attacked} == {tag for tag, _ in usual}
    assert {name for _, a in attacked for name in a} == {name for _, a in usual for name in a}
    assert [tag for tag, _ in attacked].count("script") == 2


def test_the_same_runs_give_the_same_page() -> None:
    assert page(sample_runs()) == page(sample_runs())


def test_the_page_refers_to_nothing_outside() -> None:
    html = page(sample_runs())
    assert not re.search(r"https?://", re.sub(r"xmlns=\S+", "", html))
    for _, attributes in Tags(html).tags:
        for name in ("src", "href"):
            assert (attributes.get(name) or "#").startswith(("#", "data:"))


def test_a_broken_character_does_not_keep_the_page_from_being_written() -> None:
    run = vidomni_run("cut \ud83d", {"v": [1]}, {"v": [1]}, responses={"v": "half \ud83d"})
    html = page([as_run(run)])
    html.encode("utf-8")
    assert data_of(html)["texts"] == ["half ?"]


def test_control_characters_are_seen_and_not_obeyed() -> None:
    bad = "a\x1b[31m\u202eb"
    run = vidomni_run(bad, {"v": [1]}, {"v": [1]}, signature=signature(bad, model=bad, data=bad))
    problem = Problem("sample", bad, bad, f"hint {bad}")
    run = replace(run, task=bad, problems=[problem])
    html = page([Run(bad, Path("a"), {bad: run}, [])], problems=[problem])
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", html)
    assert html.count("a\\x1b[31m\\u202eb") >= 6
    assert "hint a\\x1b[31m" in html


def test_a_run_of_captions_is_said_to_have_no_score() -> None:
    scored = vidomni_run("a", {"v": [1]}, {"v": [1]})
    captions = replace(scored, task="vidomni_caption", kind="captioning", items=(), responses={})
    assert "no score of whether a caption is true" not in page([as_run(scored)])
    html = page([as_run(scored, captions)])
    assert "vidomni_caption: captions have no gold labels" in html
    assert [run["task"] for run in data_of(html)["runs"]] == ["vidomni"]
    table = Table("t", "x", [Column("x")], [["x"]])
    html = build_page([as_run(captions)], [table], [], Settings())
    assert "Contents: x, 0 tables, 0 figures" in html
    assert data_of(html)["items"] == []


def test_a_page_without_answers_keeps_labels_and_reasons() -> None:
    whole, small = (data_of(page(sample_runs(), answers=answers)) for answers in (True, False))
    assert whole["texts"]
    assert small["texts"] is None
    for item in (item for data in (whole, small) for item in data["items"]):
        for answer in item["answers"].values():
            for one in answer if isinstance(answer, list) else [answer]:
                one["text"] = None
    assert small["items"] == whole["items"]


def test_what_is_wrong_stands_above_the_numbers() -> None:
    problem = Problem("sample", "a.jsonl:3", "no sample <of> a task", "run again")
    run = Run("a", Path("a"), {}, [problem, problem])
    html = unescape(page([run]))
    assert html.count(str(problem)) == 1
    assert "run again" in html


def test_videos_are_linked_from_where_the_page_lies(tmp_path: Path) -> None:
    runs = sample_runs()
    roots = {"vidomni": mini_root("vidomni").path, "vidhalloc": mini_root("vidhalloc").path}
    media = media_of(runs, roots, tmp_path / "deep" / "er")
    tasks = runs[0].tasks.values()
    wanted = {video_key(task.kind, item) for task in tasks for item in task.items}
    assert set(media.links) == wanted
    for link in media.links.values():
        assert (tmp_path / "deep" / "er" / unquote(link)).resolve().is_file()
    assert media.posters == {}
    assert media_of(runs, {}, tmp_path).links == {}


def test_videos_with_the_same_id_are_told_apart(tmp_path: Path) -> None:
    """Both benchmarks, and both tasks of VidHalLoc, may number their videos from 1."""
    files = {
        "vidomni/1": tmp_path / "omni" / "videos" / "1.mp4",
        "vidhalloc/video_qa/1": tmp_path / "halloc" / "videoqa" / "1.mp4",
        "vidhalloc/video_captioning/1": tmp_path / "halloc" / "video caption" / "1.mp4",
    }
    for path in files.values():
        path.parent.mkdir(parents=True)
        path.touch()
    verdict = {"1__a": ("ACCEPT", "REJECT"), "1__b": ("ACCEPT", "REJECT")}
    of_tasks = {"1__a": {"task_type": "video_qa"}, "1__b": {"task_type": "video_captioning"}}
    runs = [
        as_run(vidomni_run("m", {"1__a": [1]}, {"1__a": [1]})),
        as_run(vidhalloc_run("m", verdict, of_tasks)),
    ]
    roots = {"vidomni": tmp_path / "omni", "vidhalloc": tmp_path / "halloc"}
    links = media_of(runs, roots, tmp_path / "out").links
    assert {key: (tmp_path / "out" / unquote(link)).resolve() for key, link in links.items()} == {
        key: path.resolve() for key, path in files.items()
    }
    data = browser_data(runs, links)
    shown = {item["file"]: data["videos"][item["file"]]["link"] for item in data["items"]}
    assert shown == links


@pytest.mark.parametrize("benchmark", ["vidomni", "vidhalloc"])
def test_published_rows_of_both_benchmarks_are_marked_and_no_run(benchmark: str) -> None:
    """A run may be called "published" and is no paper's row for that."""
    run = as_run(
        vidomni_run("published", {"1__a": [1]}, {"1__a": [1]})
        if benchmark == "vidomni"
        else vidhalloc_run("published", {"1__a": ("ACCEPT", "REJECT")})
    )
    made = {"vidomni": vidomni_tables.tables, "vidhalloc": vidhalloc_tables.tables}[benchmark]
    name = {"vidomni": "vidomni_table3", "vidhalloc": "vidhalloc_accuracy"}[benchmark]
    table = next(t for t in made(run.tasks.values(), Settings(draws=50)) if t.name == name)
    place = [column.title for column in table.columns].index("source")
    html = build_page([run], [table], [], Settings(draws=50))
    marked = re.findall(r'<tr class="published"><th scope="row"[^>]*>([^<]*)<', html)
    assert marked == [escape(r[0]) for r in table.rows if r[place] == "published"]
    assert len(marked) > 10
    assert "published" not in marked


def test_a_name_is_never_taken_for_a_scheme(tmp_path: Path) -> None:
    link = link_to(tmp_path / "javascript:alert(1).mp4", tmp_path)
    assert link == "./javascript%3Aalert%281%29.mp4"


def test_posters_are_small_pictures_and_a_broken_video_has_none(tmp_path: Path) -> None:
    video = next((mini_root("vidomni").path / "videos").glob("*.mp4"))
    pictures = poster_frames(video)
    assert pictures
    assert all(p[:3] == b"\xff\xd8\xff" and len(p) < 12_000 for p in pictures)
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(video.read_bytes()[:300])
    assert poster_frames(broken) == []
