"""A mapping is checked as a whole: each wrong entry is named with its line."""

from __future__ import annotations

import pytest

from vidomni_plugin.data.importing.mapping import VidHalLocMapping, VidOmniMapping
from vidomni_plugin.data.importing.mapping_file import load_mapping
from vidomni_plugin.problems import InputProblems

GOOD = """\
fields:
  video_id: v
  complexity_type: t
  duration_s: d
  has_audio: a
  source_dataset: s
  caption_source: m
sentences:
  each: x[*]
  text: t
  label: {path: l, words: {ok: 0, bad: 1}}
"""


def problems(tmp_path, text, model=VidOmniMapping):
    file = tmp_path / "map.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputProblems) as caught:
        load_mapping(file, model)
    return [
        (problem.place.removeprefix(str(file)), problem.message)
        for problem in caught.value.problems
    ]


def test_a_good_one(tmp_path):
    (tmp_path / "map.yaml").write_text(GOOD)
    mapping = load_mapping(tmp_path / "map.yaml", VidOmniMapping)
    assert mapping.fields.video_id.path.text == "v"
    assert mapping.sentences.label.words == {"ok": 0, "bad": 1}


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("  video_id: v", "  vidoe_id: v"), 2, "did you mean video_id?"),
        (("  video_id: v\n", ""), 1, "fields.video_id: it is needed"),
        (("each: x[*]", "eahc: x[*]"), 9, "did you mean each?"),
        (("sentences:", "sentense:"), 8, "did you mean sentences?"),
        (("bad: 1", "bad: 2"), 11, "label: 2 is not one of 0, 1, null"),
        (("bad: 1", "bad: true"), 11, "label: True is not one of 0, 1, null"),
        (("bad: 1", "OK: 1"), 11, "the word 'ok' has two meanings"),
        (("d\n", "{path: d, unit: hours}\n"), 4, "Input should be 'seconds'"),
        (("d\n", "{path: d, from: file}\n"), 4, "needs exactly one of path, value, join"),
        (("d\n", "{form: file}\n"), 4, "did you mean from?"),
        (("video_id: v", "video_id: {from: file}"), 2, "only duration_s and has_audio"),
        (("video_id: v", "video_id: v..w"), 2, "is no path"),
        (("video_id: v", "video_id: [0]"), 2, "fields.video_id"),
        (("video_id: v", "video_id: v\n  video_id: w"), 3, "'video_id' stands here twice"),
        (("t\n  label", "t\n  labels"), 8, "sentences: each needs text and label"),
        (("each: x[*]", "split: x"), 8, "text and errors belong to each"),
        (("each: x[*]", "each: x[*]\n  split: y"), 8, "exactly one of each, split and texts"),
        (("  caption_source: m\n", ""), 1, "a pair needs caption_source"),
        (("fields:", "record: sentence\nfields:"), 9, "one row a sentence needs"),
        (("fields:", "record: video\nfields:"), 1, "record: video has no sentences"),
        (("fields:", "record: clip\nfields:"), 1, "Input should be 'pair'"),
        (("fields:", "lookup: {key: {file: a, key: b, by: c}}\nfields:"), 1, "cannot be called"),
        (("fields:", "lookup: {m: {file: a, kye: b, by: c}}\nfields:"), 1, "did you mean key?"),
        (("fields:", "fields: {"), 3, "it is not YAML"),
        (("label: {path: l", "label: {value: 0"), 11, "words belong to a path"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, change, line, message):
    assert change[0] in GOOD
    found = problems(tmp_path, GOOD.replace(*change))
    assert any(message in said for _, said in found), found
    assert any(place in {f":{line}", ""} for place, said in found if message in said), found


def test_all_wrong_entries_are_named_at_once(tmp_path):
    text = GOOD.replace("video_id", "vid").replace("each", "eech").replace("duration_s", "length")
    assert len(problems(tmp_path, text)) >= 4


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "fields", b"\xff\xfe", "a: !!python/none x"])
def test_what_is_no_mapping(tmp_path, text):
    assert problems(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputProblems, match="No such file"):
        load_mapping(tmp_path / "none.yaml", VidOmniMapping)


def test_yes_and_no_are_words_and_not_truth_values(tmp_path):
    text = GOOD.replace("has_audio: a", "has_audio: {path: a, words: {yes: true, NO: false}}")
    (tmp_path / "map.yaml").write_text(text)
    mapping = load_mapping(tmp_path / "map.yaml", VidOmniMapping)
    assert mapping.fields.has_audio.words == {"yes": True, "no": False}


def test_vidhalloc_words_are_held_to_the_release(tmp_path):
    text = "fields: {split: {path: s, words: {a: Main_set, b: Validation}}, video_id: v}\n"
    said = " ".join(message for _, message in problems(tmp_path, text, VidHalLocMapping))
    assert "fields.pair_id: it is needed" in said
    text = (
        "fields: {pair_id: i, video_id: v, task_type: t, question: q, answer: a, "
        "counterfactual_answer: c, leaf_label: l, registered_modalities: m, "
        "evidence_policy_id: e, split: {path: s, words: {b: Validation}}}\n"
    )
    ((_, message),) = problems(tmp_path, text, VidHalLocMapping)
    assert "split: 'Validation' is not one of Main_set, Eval_set, Test_set" in message


def hints(file, text, model):
    file.write_text(text)
    with pytest.raises(InputProblems) as caught:
        load_mapping(file, model)
    return {problem.hint for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("text", "model", "said"),
    [
        ("fields: {video_id: v}\n", VidOmniMapping, "--example --to vidomni"),
        ("fields: {video_id: v}\n", VidHalLocMapping, "--example --to vidhalloc"),
        ("fields: [", VidHalLocMapping, "--example --to vidhalloc"),
        ("fields: {video_id: v, leaf_label: l}\n", VidOmniMapping, "add --to vidhalloc"),
        (GOOD, VidHalLocMapping, "add --to vidomni"),
        ("[]\n", VidOmniMapping, "--example --to vidomni"),
    ],
)
def test_the_hint_is_for_the_benchmark_that_the_mapping_is_for(tmp_path, text, model, said):
    (hint,) = hints(tmp_path / "map.yaml", text, model)
    assert said in hint
