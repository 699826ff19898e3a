"""The labelling configs, the tasks and the names in exports."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.annotate import labelling
from vidomni_plugin.build.annotate.plans import read_plan
from vidomni_plugin.records import Caption, CaptionSentence

CAPTION = Caption(
    pair_id="clip__a",
    video_id="clip",
    caption_source="a",
    caption="A dog runs. It is blue. It barks.",
    sentences=[
        CaptionSentence(text="A dog runs.", start=0, end=11),
        CaptionSentence(text="It is blue.", start=12, end=23),
        CaptionSentence(text="It barks.", start=24, end=33),
    ],
)


def values(config: str, tag: str) -> list[str]:
    return [element.get("value", "") for element in ElementTree.fromstring(config).iter(tag)]


def test_a_sentence_has_the_three_verdicts_and_they_are_required():
    config = labelling.stage1_config()
    assert values(config, "Choice") == list(labelling.VERDICTS)
    (choices,) = ElementTree.fromstring(config).iter("Choices")
    assert (choices.get("required"), choices.get("choice")) == ("true", "single-radio")


def test_the_ten_categories_each_have_a_key_and_a_definition():
    config = labelling.stage2_config()
    assert tuple(values(config, "Label")) == labelling.CATEGORIES
    keys = [label.get("hotkey") for label in ElementTree.fromstring(config).iter("Label")]
    assert sorted(keys) == sorted("0123456789")
    for view in ElementTree.fromstring(config).iter("View"):
        if view.get("className") == "category":
            label, definition = view
            assert label.tag == "Label"
            assert len(definition.get("value")) > 10


@pytest.mark.parametrize("stage", [1, 2])
def test_what_the_config_shows_is_in_the_task(stage):
    task = labelling.stage1_task(CAPTION, "http://v/clip.mp4", ["ann", "bob"], "pilot")
    if stage == 2:
        task = labelling.stage2_task(CAPTION, [1], "http://v/clip.mp4", ["ann", "bob"], "pilot")
    made = labelling.project(stage, "title", 3)
    assert made["maximum_annotations"] == 3  # Label Studio closes a task at this number
    config = made["label_config"]
    shown = {name.partition("[")[0] for name in re.findall(r'"\$([^"]+)"', config)}
    assert shown <= task["data"].keys()


def test_names_in_the_config_are_those_of_the_functions():
    config = labelling.stage1_config().replace("{{idx}}", "7")
    names = {e.get("name") for e in ElementTree.fromstring(config).iter() if e.get("name")}
    assert names == {
        "video",
        labelling.verdict_name(7),
        labelling.memo_name(7),
        labelling.sentence_name(7),
    }
    root = ElementTree.fromstring(labelling.stage2_config())
    (control,) = root.iter("ParagraphLabels")
    assert (control.get("name"), control.get("toName")) == (labelling.ERROR, labelling.SENTENCES)


def test_stage_2_shows_incorrect_sentences_under_their_number_in_the_caption():
    data = labelling.stage2_task(CAPTION, [1, 2], "v", ["ann"], "b")["data"]
    assert [s["number"] for s in data["sentences"]] == ["2", "3"]
    assert [s["text"] for s in data["sentences"]] == ["It is blue.", "It barks."]
    assert data["caption"] == CAPTION.caption


def test_the_task_does_not_tell_who_wrote_the_caption():
    task = labelling.stage1_task(CAPTION, "v", ["ann"], "b")
    assert "caption_source" not in task["data"]


def test_an_annotator_is_found_among_names_that_contain_theirs():
    task = labelling.stage1_task(CAPTION, "v", ["joann", "bob"], "b")
    (condition,) = labelling.assigned_tab(1, "ann")["data"]["filters"]["items"]
    assert condition["value"] not in task["data"]["assigned"]
    assert labelling.assigned_to(task["data"]) == ("joann", "bob")


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("verdict_0", 0),
        ("memo_119", 119),
        ("sentence_7", 7),
        ("verdict_01", None),
        ("verdict_-1", None),
        ("verdict_", None),
        ("verdict_1x", None),
        ("verdict_٣", None),
        ("verdict_1000000", None),
        ("error", None),
    ],
)
def test_sentence_of_a_name(name, index):
    assert labelling.sentence_of(name) == index


@given(st.text(max_size=20), st.integers(0, 20))
def test_browser_offsets_name_the_same_place(text, at):
    at = min(at, len(text))
    units = sum(2 if ord(character) > 0xFFFF else 1 for character in text[:at])
    assert labelling.in_python(text, units) == at


@pytest.mark.parametrize("offset", [2, -1, 5])
def test_an_offset_within_a_character_or_outside_the_text_is_an_error(offset):
    with pytest.raises(ValueError, match=r"offset|utf-16"):
        labelling.in_python("a😀b", offset)


@pytest.mark.parametrize("arguments", [[], ["1"], ["x", "ann"], ["1", ""], ["1", "a", "b", "c"]])
def test_other_arguments_end_with_the_usage(arguments):
    with pytest.raises(SystemExit, match="PROJECT NAME"):
        labelling.main(arguments)


def test_a_tab_is_for_an_annotator_of_the_plan(capsys):
    plan = Path(__file__).parent / "exports" / "plan"
    (known, *_) = read_plan(plan).settings.annotators
    labelling.main(["1", known.name, str(plan)])
    assert f"|{known.name}|" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=f"'nobody' is no annotator of .*{known.name}"):
        labelling.main(["1", "nobody", str(plan)])
    with pytest.raises(SystemExit, match="no-file"):
        labelling.main(["1", known.name, "/nowhere"])
