"""Videos are found by the names that their data sets use, and never by a path from the manifest."""

from __future__ import annotations

import os
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.data.fetch.local import Catalog, expand
from vidomni_plugin.data.fetch.patterns import ANY, load_patterns
from vidomni_plugin.data.fetch.settings import read_cookies, read_rate, read_roots
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import VidOmniVideo

SOURCES = (
    *("Video-ACID", "SpatialVID", "Mannequin Challenge", "ActivityNet", "Assembly101"),
    *("Epic-Kitchens", "Ego4D", "UCF-Crime", "Sports-1M", "Video-MME", "XD-Violence"),
)
TUBE = "QOlSCBRmfWY"
UUID = "00d77a61-531a-58f4-acf7-da49c23af0ca"
RECORDING = "nusar-2021_action_both_9086-c14a_9086_user_id_2021-02-16_153910"


def video(dataset: str, **fields: object) -> VidOmniVideo:
    return VidOmniVideo(video_id="v", source_dataset=dataset, **fields)  # type: ignore[arg-type]


def lay(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")
    return root


def found(root: Path, wanted: VidOmniVideo, name: str | None = None) -> list[str]:
    patterns = load_patterns()
    catalog = Catalog({patterns.name(name or wanted.source_dataset): [root]}, patterns)
    return [path.relative_to(root).as_posix() for path in catalog.find(wanted)]


def test_every_source_of_the_paper_has_patterns():
    patterns = load_patterns()
    assert set(SOURCES) <= set(patterns.sources)
    for source in patterns.sources.values():
        assert source.id
        assert {pattern.basis for pattern in source.patterns}


@pytest.mark.parametrize(
    ("dataset", "fields", "path"),
    [
        ("ActivityNet", {"source_id": TUBE}, f"v1-3/train_val/v_{TUBE}.mp4"),
        ("activitynet 1.3", {"source_id": f"v_{TUBE}"}, f"v1-2/val/v_{TUBE}.mkv"),
        ("ActivityNet", {"youtube_id": TUBE}, f"videos/v_{TUBE}.webm"),
        ("SpatialVID", {"source_id": UUID}, f"videos/SpatialVID/videos/group_0001/{UUID}.mp4"),
        (
            "Assembly101",
            {"source_id": f"{RECORDING}/C10095_rgb"},
            f"recordings/{RECORDING}/C10095_rgb.mp4",
        ),
        ("EPIC-KITCHENS-100", {"source_id": "P01_01"}, "EPIC-KITCHENS/P01/videos/P01_01.MP4"),
        ("Epic Kitchens", {"source_id": "P01_01"}, "videos/train/P01/P01_01.MP4"),
        ("Ego4D", {"source_id": UUID}, f"v2/full_scale/{UUID}.mp4"),
        ("UCF-Crime", {"source_id": "Abuse001"}, "Anomaly-Videos-Part-1/Abuse/Abuse001_x264.mp4"),
        ("UCF_Crimes", {"source_id": "Abuse001_x264.mp4"}, "Abuse/Abuse001_x264.mp4"),
        ("Video-MME", {"source_id": TUBE}, f"data/{TUBE}.mp4"),
        ("VideoMME", {"youtube_id": TUBE}, f"{TUBE}.mp4"),
        (
            "XD-Violence",
            {"source_id": f"v={TUBE}__#00-00-00_00-00-45_label_B1-0-0"},
            f"1-1004/v={TUBE}__#00-00-00_00-00-45_label_B1-0-0.mp4",
        ),
        ("XD-Violence", {"youtube_id": TUBE}, f"test/v={TUBE}__#1_label_G-0-0.mp4"),
        ("Sports-1M", {"youtube_id": TUBE}, f"{TUBE}.flv"),
        ("Mannequin Challenge", {"youtube_id": TUBE}, f"train/{TUBE}.mp4"),
        ("Video-ACID", {"source_id": "M01_D01_V0001"}, "M01/V0001/M01_D01_V0001.mp4"),
        ("a new data set", {"source_id": "clip 7"}, "some/where/clip 7.mov"),
        ("a new data set", {}, "v.mp4"),
    ],
)
def test_found_as_the_data_set_calls_it(tmp_path, dataset, fields, path):
    others = ("x.mp4", "v_.mp4", "C10095_rgb.mp4", f"x{TUBE}.mp4", "P01/P01_011.MP4", "a.txt")
    lay(tmp_path, path, *(name for name in others if name != path))
    assert found(tmp_path, video(dataset, **fields)) == [path]


def test_the_first_pattern_that_fits_decides(tmp_path):
    lay(tmp_path, f"v1/video_540ss/{UUID}.mp4", f"v1/full_scale/{UUID}.mp4")
    assert found(tmp_path, video("Ego4D", source_id=UUID)) == [f"v1/full_scale/{UUID}.mp4"]


def test_all_files_that_fit_are_told(tmp_path):
    names = [f"v={TUBE}__#00-00-00_00-01-00_label_A.mp4", f"v={TUBE}__#00-01-00_00-02-00.mp4"]
    lay(tmp_path, *names)
    assert found(tmp_path, video("XD-Violence", youtube_id=TUBE)) == sorted(names)


@pytest.mark.parametrize(
    "source_id", ["../../secret", "/etc/secret", "*", "**/*", "secret.mp4/..", "[s]ecret", "secre?"]
)
def test_an_id_is_compared_and_never_followed(tmp_path, source_id):
    root = lay(tmp_path / "data", "inside.mp4")
    lay(tmp_path, "secret.mp4")
    assert found(root, video("ActivityNet", source_id=source_id)) == []


@given(
    st.text(string.ascii_letters + string.digits + ".*?[]{}()+^$|\\#=-_ é", min_size=1, max_size=20)
)
def test_an_id_stands_for_itself_only(text):
    wanted = expand("{id}_x264", video("UCF-Crime", source_id=f"a{text}b"))
    assert wanted is not None
    assert wanted.path.fullmatch(f"folder/a{text}b_x264")
    assert wanted.last == f"a{text}b_x264"
    assert not wanted.path.fullmatch(f"folder/a{text}b_x2644")
    assert not wanted.path.fullmatch(f"xa{text}b_x264")


def test_one_spelling_of_accents(tmp_path):
    lay(tmp_path, "cafe\u0301.mp4")
    assert found(tmp_path, video("other", source_id="caf\u00e9")) == ["cafe\u0301.mp4"]


def test_links_that_lead_in_a_circle_and_each_root_is_walked_once(tmp_path, monkeypatch):
    lay(tmp_path, "a/one.mp4")
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    walks = []
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda *a, **k: walks.append(a) or walk(*a, **k))
    catalog = Catalog({ANY: [tmp_path]}, load_patterns())
    assert catalog.find(video("other", source_id="one")) == [tmp_path / "a" / "one.mp4"]
    assert catalog.find(video("ActivityNet", source_id="none")) == []
    assert len(walks) == 1


def test_a_root_of_another_data_set_is_not_searched(tmp_path):
    lay(tmp_path, "one.mp4")
    assert found(tmp_path, video("ActivityNet", source_id="one"), "Ego4D") == []


def test_own_patterns_take_the_place_of_shipped_ones(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text("UCF Crime:\n  patterns:\n    - {path: 'clips/{id}-cut'}\n")
    patterns = load_patterns(own)
    assert patterns.of("UCF-Crime") == ("clips/{id}-cut",)
    assert patterns.of("ActivityNet") == load_patterns().of("ActivityNet")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("UCF-Crime: {patterns: [{path: '/abs/{id}'}]}", "leading /"),
        ("UCF-Crime: {patterns: [{path: '../{id}'}]}", "no .."),
        ("UCF-Crime: {patterns: [{path: 'x/{name}'}]}", "holds one of"),
        ("UCF-Crime: {patterns: [{path: 'fixed'}]}", "holds one of"),
        ("UCF-Crime: {patterns: []}", "at least 1"),
        ("UCF-Crime: {paths: []}", "paths"),
        ("- a list", "dictionary"),
        ("{", "cannot be used"),
    ],
)
def test_own_patterns_that_are_wrong(tmp_path, text, words):
    own = tmp_path / "own.yaml"
    own.write_text(text)
    with pytest.raises(InputProblems, match=words):
        load_patterns(own)


def test_roots_and_their_file(tmp_path):
    for name in ("anet", "ego", "all"):
        (tmp_path / name).mkdir()
    file = tmp_path / "roots.yaml"
    file.write_text(f"Ego4D: ['{tmp_path / 'ego'}', '{tmp_path / 'anet'}']\n")
    given_roots = [f"activity net={tmp_path / 'anet'}", str(tmp_path / "all")]
    assert read_roots(given_roots, file, load_patterns(), []) == {
        "ActivityNet": [tmp_path / "anet"],
        "any": [tmp_path / "all"],
        "Ego4D": [tmp_path / "ego", tmp_path / "anet"],
    }


def test_roots_that_are_wrong_are_named_together(tmp_path):
    file = tmp_path / "roots.yaml"
    file.write_text("Ego4D: 7\n")
    with pytest.raises(InputProblems) as caught:
        read_roots([f"Nowhere={tmp_path}", "Ego4D=/not/there"], file, load_patterns(), [])
    assert len(caught.value.problems) == 3
    assert read_roots([f"Nowhere={tmp_path}"], None, load_patterns(), ["Nowhere"])


@pytest.mark.parametrize("text", ["", "fast", "-1", "4T", "1e6"])
def test_rates_that_are_none(text):
    with pytest.raises(ValueError, match="rate"):
        read_rate(text)


def test_cookies(tmp_path):
    file = tmp_path / "cookies.txt"
    row = "#HttpOnly_.youtube.com\tTRUE\t/\tTRUE\t0\tSID\tx"
    file.write_text(f"# Netscape HTTP Cookie File\n\n{row}\n")
    assert row in read_cookies(file)
    for bad in ("", "# only a comment\n", "SID=x; HSID=y\n"):
        file.write_text(bad)
        with pytest.raises(InputProblems, match="Netscape"):
            read_cookies(file)
    with pytest.raises(InputProblems):
        read_cookies(tmp_path / "gone")


@pytest.mark.parametrize("rate", ["0.4", "0.0001K", "9" * 400, "1e5"])
def test_a_rate_that_would_become_no_limit_or_overflow_is_refused(rate):
    with pytest.raises(ValueError, match="not a rate"):
        read_rate(rate)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[" * 3000, "deep"),
        ("a: &x [*x]", "anchors"),
        ("other: /tmp\nother: /var", "twice"),
        ("x: !!python/object/apply:os.system [echo]", "tags"),
        ("a: \x1b[2J", "YAML"),
    ],
)
def test_yaml_with_traps_is_named(tmp_path, content, words):
    file = tmp_path / "own.yaml"
    file.write_text(content)
    with pytest.raises(InputProblems, match=words):
        load_patterns(file)
    with pytest.raises(InputProblems, match=words):
        read_roots([], file, load_patterns(), [])


@pytest.mark.parametrize("given", ["", "other="])
def test_a_root_without_a_name_is_not_the_current_folder(given):
    with pytest.raises(InputProblems, match="'' is not a folder"):
        read_roots([given], None, load_patterns(), [])
