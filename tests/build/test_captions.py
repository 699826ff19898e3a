"""``vidomni build captions``: samples files in, captions with sentences out, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from tests.conftest import write_lines
from vidomni_plugin.build.captions import build, pair_id_of
from vidomni_plugin.cli import app
from vidomni_plugin.data.releases import read_captions
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import ID_BYTES, ID_LENGTH, Caption
from vidomni_plugin.vidomni.caption_task import IN_DETAIL, detail
from vidomni_plugin.vidomni.captioning import draw


def sample(video_id: str, text: str, source: str = "model-a", **changes: Any) -> dict[str, Any]:
    """Return a sample as the host writes it for a captioning task."""
    doc = dict.fromkeys(IN_DETAIL) | {
        "video_id": video_id,
        "caption_source": source,
        "caption_prompt": draw(0, video_id, source),
        "caption_seed": 0,
        "missing": 0,
    }
    item = detail(doc, text) | changes
    return {"doc_id": 0, "target": "", "filtered_resps": text, "words": item}


def command(*arguments: object) -> Result:
    """Run the command as its ``main`` does, where problems become a message and exit code 1."""
    result = CliRunner().invoke(app, ["build", "captions", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, InputProblems | SystemExit):
        raise result.exception
    return result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """One model's samples: good, looping, cut off, empty, and one that thinks."""
    return write_lines(
        tmp_path / "a_samples_vidomni_caption.jsonl",
        [
            sample("v2", "A dog runs. It barks at Dr. Lee.\n- a cat"),
            sample("v1", "The ball bounces. " * 8),
            sample("v3", "A man walks to the"),
            sample("v4", ""),
            sample("v5", "<think>Hm. A cat?</think>A dog sits."),
        ],
    )


def test_one_file(file, tmp_path):
    out = tmp_path / "captions.jsonl"
    done = command(file, "--out", out)
    assert done.exit_code == 0, done.output
    captions = {entry.record.video_id: entry.record for entry in read_captions(out).entries}
    assert list(captions) == ["v1", "v2", "v3", "v5"]
    first = captions["v2"]
    assert first.pair_id == "v2__model-a"
    assert first.caption_source == "model-a"
    assert first.caption_prompt == draw(0, "v2", "model-a")
    assert first.caption == "A dog runs. It barks at Dr. Lee.\n- a cat"
    assert [s.text for s in first.sentences] == ["A dog runs.", "It barks at Dr. Lee.", "- a cat"]
    assert [s.text for s in captions["v1"].sentences] == ["The ball bounces."] * 8
    assert captions["v5"].caption == "A dog sits."
    notes = [json.loads(line) for line in (tmp_path / "captions.notes.jsonl").open()]
    assert [(n["place"].rsplit(":")[-1], n["video_id"], n["reason"], n["kept"]) for n in notes] == [
        ("2", "v1", "looping", True),
        ("3", "v3", "cut_off", True),
        ("4", "v4", "empty", False),
    ]
    assert f"{file}:4: v4: the answer is empty [empty], left out" in done.output.replace("\n", "")
    row = next(line for line in done.output.splitlines() if "model-a " in line)
    # captions, left out, sentences, words, repeats, longest, noted, thinking
    assert row.split()[1:] == ["4", "1", "13", "42", "7", "24", "2", "1"]


@pytest.mark.parametrize("nested", [True, False])
def test_thinking_that_the_host_cut_off_is_known(nested, tmp_path):
    """The host keeps the raw answer as ``resps`` where it changed it."""
    raws = ["<think>Hm.</think>A dog sits.", "<think>Hm.</think>"]
    rows = [sample("v1", "A dog sits."), sample("v2", "")]
    for row, raw in zip(rows, raws, strict=True):
        row["resps"] = [[raw]] if nested else raw
    built = build([write_lines(tmp_path / "a.jsonl", rows)])
    assert [caption.caption for caption in built.captions] == ["A dog sits."]
    assert [(note.video_id, note.reason, note.kept) for note in built.notes] == [
        ("v2", "thinking_only", False)
    ]
    assert built.thought == {"model-a": 2}


def test_several_models_in_one_go(file, tmp_path):
    other = write_lines(tmp_path / "b.jsonl", [sample("v1", "A cat.", "org/Model B")])
    out = tmp_path / "captions.jsonl"
    assert command(file, other, "--out", out).exit_code == 0
    ids = [entry.record.pair_id for entry in read_captions(out).entries]
    assert ids == ["v1__model-a", "v1__org-Model-B", "v2__model-a", "v3__model-a", "v5__model-a"]


def test_another_name_for_the_source(file, tmp_path):
    out = tmp_path / "captions.jsonl"
    assert command(file, "--out", out, "--source", "captioner x").exit_code == 0
    records = [entry.record for entry in read_captions(out).entries]
    assert {r.caption_source for r in records} == {"captioner x"}
    assert records[0].pair_id == "v1__captioner-x"
    # The prompt that was used stays what it was.
    assert records[0].caption_prompt == draw(0, "v1", "model-a")


def test_faults_may_be_left_out(file, tmp_path):
    out = tmp_path / "captions.jsonl"
    done = command(file, "--out", out, "--leave-out", "looping", "--leave-out", "cut_off")
    assert done.exit_code == 0
    assert [e.record.video_id for e in read_captions(out).entries] == ["v2", "v5"]
    wrong = command(file, "--out", tmp_path / "b.jsonl", "--leave-out", "long")
    assert wrong.exit_code == 2


@pytest.mark.parametrize("twice", ["file", "line", "slug", "source"])
def test_a_pair_id_twice_is_a_problem(twice, file, tmp_path):
    other = tmp_path / "b.jsonl"
    arguments: list[object] = [file, other]
    if twice == "file":
        arguments = [file, file]
    elif twice == "line":
        write_lines(other, [sample("v9", "A."), sample("v9", "B.")])
    elif twice == "slug":
        write_lines(other, [sample("v9", "A.", "a/b"), sample("v9", "B.", "a-b")])
    else:
        write_lines(other, [sample("v1", "A cat.", "model-b")])
        arguments += ["--source", "x"]
    out = tmp_path / "captions.jsonl"
    done = command(*arguments, "--out", out)
    assert isinstance(done.exception, InputProblems)
    codes = {problem.code for problem in done.exception.problems}
    assert codes == {"repeated-id"}
    assert len(done.exception.problems) == (5 if twice == "file" else 1)
    assert not out.exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"half": ', "not whole JSON"),
        ("[1]", "not a JSON object"),
        ('{"id": "a", "response": "A dog."}', "no sample"),
        (
            json.dumps({"filtered_resps": "x", "f1": {"benchmark": "vidomni", "pair_id": "p"}}),
            "a sample of vidomni, not of a captioning task",
        ),
        (json.dumps(sample("v", "A.", caption_prompt=6)), "caption_prompt 6"),
        (json.dumps(sample("v", "A.", caption_prompt="1")), "caption_prompt '1'"),
        (json.dumps(sample("../v", "A.")), "cannot be in a file name"),
        (json.dumps(sample("../v", "")), "cannot be in a file name"),
        (json.dumps(sample("v", "A.", caption_source=None)), "not as written"),
        (json.dumps(sample("v", "A.", caption_prompt=[])), "[]"),
        (json.dumps(sample("v", "A.", caption_prompt=1.0)), "caption_prompt 1.0"),
        (json.dumps(sample("v", "A.", caption_source="m\ud800")), "surrogates not allowed"),
    ],
)
def test_bad_lines_are_all_named_and_nothing_is_written(line, message, tmp_path):
    file = tmp_path / "a.jsonl"
    good = json.dumps(sample("v0", "A dog."))
    file.write_text(f"{good}\n{line}\n{good.replace('v0', 'v1')}\n{line}\n", encoding="utf-8")
    done = command(file, "--out", tmp_path / "captions.jsonl")
    assert isinstance(done.exception, InputProblems)
    found = [p for p in done.exception.problems if message in p.message]
    assert [problem.place.rsplit(":")[-1] for problem in found] == ["2", "4"]
    assert not list(tmp_path.glob("captions*"))


def test_a_missing_field_is_named(tmp_path):
    row = sample("v", "A.")
    del row["words"]["caption_prompt"]
    with pytest.raises(InputProblems, match="field 'caption_prompt' is missing"):
        build([write_lines(tmp_path / "a.jsonl", [row])])


def test_files_that_are_not_there_come_together(tmp_path):
    with pytest.raises(InputProblems) as caught:
        build([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert [problem.code for problem in caught.value.problems] == ["no-file", "no-file"]


def test_no_caption_at_all(tmp_path):
    file = write_lines(tmp_path / "a.jsonl", [sample("v", " "), sample("w", "<think>x")])
    done = command(file, "--out", tmp_path / "captions.jsonl")
    assert isinstance(done.exception, InputProblems)
    assert done.exception.problems[0].code == "no-captions"
    assert "unfinished_thinking" in done.output


def test_a_file_is_never_replaced_unasked(file, tmp_path):
    out = tmp_path / "captions.jsonl"
    assert command(file, "--out", out).exit_code == 0
    before = out.read_bytes()
    done = command(file, "--out", out)
    assert isinstance(done.exception, InputProblems)
    assert done.exception.problems[0].code == "exists"
    assert command(file, "--out", out, "--force").exit_code == 0
    assert out.read_bytes() == before


def test_appending_is_repeatable_and_keeps_what_is_there(file, tmp_path):
    out = tmp_path / "captions.jsonl"
    assert command(file, "--out", out, "--append").exit_code == 0
    other = write_lines(tmp_path / "b.jsonl", [sample("v1", "A cat.", "b"), sample("v2", "", "b")])
    assert command(other, "--out", out, "--append").exit_code == 0
    whole = out.read_bytes()
    notes = (tmp_path / "captions.notes.jsonl").read_bytes()
    assert len(notes.splitlines()) == 4
    again = command(file, other, "--out", out, "--append")
    assert again.exit_code == 0
    assert "5 there before" in again.output
    assert out.read_bytes() == whole
    assert (tmp_path / "captions.notes.jsonl").read_bytes() == notes
    changed = write_lines(tmp_path / "c.jsonl", [sample("v1", "A cow.", "b")])
    done = command(changed, "--out", out, "--append")
    assert isinstance(done.exception, InputProblems)
    assert "there is another caption with the id 'v1__b'" in str(done.exception)
    assert out.read_bytes() == whole


def test_another_prompt_text_is_noted_and_not_numbered(tmp_path):
    row = sample("v", "A dog.", prompt="captioning_1@000000000000")
    built = build([write_lines(tmp_path / "a.jsonl", [row])])
    assert built.captions[0].caption_prompt is None
    assert [(note.reason, note.kept) for note in built.notes] == [("other_prompt", True)]


def test_half_characters_can_be_written(tmp_path):
    file = write_lines(tmp_path / "a.jsonl", [sample("v", "A \ud83d dog.")])
    out = tmp_path / "captions.jsonl"
    assert command(file, "--out", out).exit_code == 0
    assert read_captions(out).entries[0].record.caption == "A \ufffd dog."


def test_a_folder_that_cannot_be_written(file, tmp_path):
    (tmp_path / "here").write_text("a file")
    done = command(file, "--out", tmp_path / "here" / "captions.jsonl")
    assert isinstance(done.exception, InputProblems)
    assert done.exception.problems[0].code == "no-folder"


@pytest.mark.parametrize("name", ["captions.jsonl", "captions.notes.jsonl"])
def test_the_samples_are_never_replaced(name, tmp_path):
    """``--out`` by mistake on the answers of a long run."""
    file = write_lines(tmp_path / name, [sample("v", "A dog.")])
    before = file.read_bytes()
    done = command(file, "--out", tmp_path / "captions.jsonl", "--force")
    assert isinstance(done.exception, InputProblems)
    assert "is one of the samples" in str(done.exception)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def test_notes_that_are_no_text(file, tmp_path):
    (tmp_path / "captions.notes.jsonl").write_bytes(b"\xff\xfe\0")
    done = command(file, "--out", tmp_path / "captions.jsonl", "--append")
    assert isinstance(done.exception, InputProblems)
    assert done.exception.problems[0].code == "unreadable"
    assert not (tmp_path / "captions.jsonl").exists()


def test_a_name_that_is_no_text(file, tmp_path):
    done = command(file, "--out", tmp_path / "captions.jsonl", "--source", "m\udc80")
    assert done.exit_code == 2
    assert not (tmp_path / "captions.jsonl").exists()


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_pair_ids_are_safe(video_id, source):
    """Whatever a model calls itself, the id is one that a file can have."""
    kept = "".join(c for c in video_id if c.isalnum() or c in "._-")[:ID_LENGTH].encode()
    safe = kept[:ID_BYTES].decode(errors="ignore").strip(".") or "v"
    pair_id = pair_id_of(safe, source)
    assert pair_id == pair_id_of(safe, source)
    Caption(
        pair_id=pair_id,
        video_id=safe,
        caption_source="m",
        caption="A.",
        sentences=[{"text": "A.", "start": 0, "end": 2}],  # type: ignore[list-item]
    )


def test_long_ids_stay_apart():
    long = "v" * ID_LENGTH
    ids = {pair_id_of(long, source) for source in ("a", "b")} | {pair_id_of(long[:-1], "a")}
    assert len(ids) == 3
    assert {len(name) for name in ids} == {ID_LENGTH}


def test_ids_of_wide_characters_fit_file_systems_and_stay_apart():
    ids = {pair_id_of("\U0001d538" * 60, source) for source in ("a", "b", "\U0001d538" * 40)}
    assert len(ids) == 3
    assert all(len(name.encode()) <= ID_BYTES for name in ids)


def test_the_name_and_the_video_cannot_be_mixed_up():
    assert pair_id_of("a", "b__c") != pair_id_of("a__b", "c")
    assert pair_id_of("a", "走") != pair_id_of("a", "跑")
    assert pair_id_of("a", "///") != pair_id_of("a", "//")


def test_help_teaches():
    text = command("--help").output
    for part in ("--append", "--source", "--leave-out", "notes.jsonl", "Example"):
        assert part in text


@pytest.mark.parametrize("columns", ["80", "60"])
def test_the_table_keeps_names_and_numbers_whole(file, tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    done = command(file, "--out", tmp_path / "captions.jsonl", "--source", "vidomni_replay")
    assert done.exit_code == 0, done.output
    assert "vidomni_replay" in done.output
    assert "thinking" in done.output
    assert "…" not in done.output
