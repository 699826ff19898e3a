"""Bad data are all named at once, with file and line; good data give sorted, complete pairs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import (
    CLIP,
    vidhalloc_data,
    vidhalloc_record,
    vidomni_data,
    vidomni_record,
    write_lines,
)
from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni, usable
from vidomni_plugin.data.locate import DataRoot, locate, mini_root
from vidomni_plugin.problems import InputProblems


def loaded(root: Path):
    return inspect_vidomni(DataRoot(root, "test"))


def without(record, *names):
    return {key: value for key, value in record.items() if key not in names}


def deeper(record, **media):
    return record | {"media": record["media"] | media}


BAD_VIDOMNI = {
    "missing field": (
        without(vidomni_record(), "caption_source"),
        "caption_source: Field required",
    ),
    "unknown field": (vidomni_record(extra=1), "extra: Extra inputs are not permitted"),
    "no sentences": (vidomni_record(sentences=[]), "sentences: List should have at least 1 item"),
    "empty sentence": (vidomni_record(sentences=[{"text": " ", "label": 0}]), "text is empty"),
    "label as text": (
        vidomni_record(sentences=[{"text": "A.", "label": "1"}]),
        "sentences.0.label: Input should be 0 or 1",
    ),
    "unknown category": (
        vidomni_record(
            sentences=[{"text": "A.", "label": 1, "errors": [{"text": "A", "category": "Mood"}]}]
        ),
        "errors.0.category: Input should be 'Object'",
    ),
    "error in a correct sentence": (
        vidomni_record(
            sentences=[{"text": "A.", "label": 0, "errors": [{"text": "A", "category": "Object"}]}]
        ),
        "errors are marked in a sentence whose label is 0",
    ),
    "unknown type": (vidomni_record(complexity_type=6), "complexity_type: Input should be 1, 2"),
    "path in the pair id": (vidomni_record(pair_id="../a"), "which cannot be in a file name"),
    "path in the video id": (vidomni_record(video_id="../a"), "which cannot be in a file name"),
    "backslash": (vidomni_record(video_id="..\\a"), "which cannot be in a file name"),
    "parent folder": (vidomni_record(video_id=".."), "cannot be a file name"),
    "control character": (vidomni_record(video_id="a\u0000b"), "which cannot be in a file name"),
    "negative duration": (vidomni_record(duration_s=-1.0), "duration_s: Input should be greater"),
}
BAD_VIDHALLOC = {
    "missing field": (without(vidhalloc_record(), "question"), "question: Field required"),
    "unknown leaf": (vidhalloc_record(leaf_label="Mood"), "leaf_label: Input should be"),
    "equal answers": (
        vidhalloc_record(counterfactual_answer="a  CIRCLE rolls."),
        "both answers are 'A circle rolls.'",
    ),
    "empty answer": (vidhalloc_record(answer=""), "answer: text is empty"),
    "unknown task": (vidhalloc_record(task_type="video_quiz"), "task_type: Input should be"),
    "path in the video id": (
        deeper(vidhalloc_record(), video_id="../../etc/passwd"),
        "which cannot be in a file name",
    ),
    "path in the pair id": (vidhalloc_record("a/../b"), "which cannot be in a file name"),
}


@pytest.mark.parametrize("case", BAD_VIDOMNI)
def test_bad_vidomni_records_are_named_with_their_line(case, tmp_path):
    record, message = BAD_VIDOMNI[case]
    vidomni_data(tmp_path, [vidomni_record()])
    write_lines(tmp_path / "pairs.jsonl", [vidomni_record(), record])
    problems = loaded(tmp_path).record_problems
    assert [problem.place for problem in problems] == [f"{tmp_path / 'pairs.jsonl'}:2"]
    assert message in problems[0].message


@pytest.mark.parametrize("case", BAD_VIDHALLOC)
def test_bad_vidhalloc_records_are_named_with_their_line(case, tmp_path):
    record, message = BAD_VIDHALLOC[case]
    root = vidhalloc_data(tmp_path, [vidhalloc_record("first")])
    file = write_lines(
        root / "Datasets/2000_Orign/2000_Orign.jsonl", [vidhalloc_record("first"), record]
    )
    problems = inspect_vidhalloc(DataRoot(root, "test")).record_problems
    assert [problem.place for problem in problems] == [f"{file}:2"]
    assert message in problems[0].message


def test_repeated_ids_name_both_places(tmp_path):
    vidomni_data(tmp_path, [vidomni_record(), vidomni_record(pair_id="b"), vidomni_record()])
    (problem,) = loaded(tmp_path).record_problems
    assert problem.place.endswith("pairs.jsonl:3")
    assert problem.message.endswith("pairs.jsonl:1")
    assert "'clip__a'" in problem.message


def test_lines_that_are_not_json_are_named(tmp_path):
    vidomni_data(tmp_path, [vidomni_record()])
    file = tmp_path / "pairs.jsonl"
    whole = json.dumps(vidomni_record(pair_id="b")).encode()
    file.write_bytes(file.read_bytes() + whole[:50] + b"\n" + b"\xff\xfe{}\n")
    places = [problem.place for problem in loaded(tmp_path).record_problems]
    assert places == [f"{file}:2", f"{file}:3"]


def test_a_byte_order_mark_blank_lines_and_unusual_line_separators_are_fine(tmp_path):
    sentences = [{"text": "One\u2028line.", "label": 0}]
    vidomni_data(tmp_path, [vidomni_record()])
    line = json.dumps(vidomni_record(sentences=sentences), ensure_ascii=False).encode()
    (tmp_path / "pairs.jsonl").write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\n  \n")
    found = loaded(tmp_path)
    assert found.record_problems == []
    assert found.pairs[0].record.sentences[0].text == "One\u2028line."


def spoil(path: Path, how: str) -> None:
    content = CLIP.read_bytes()
    if how == "gone":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut off":
        path.write_bytes(content[: len(content) * 6 // 10])
    elif how == "text":
        path.write_text("This is not a video.\n" * 50, encoding="utf-8")
    elif how == "one frame":
        one_frame(path)
    elif how == "sound only":
        sound_only(path)


def one_frame(path: Path) -> None:
    import av
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=1)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), dtype=np.uint8), format="rgb24")
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)


def sound_only(path: Path) -> None:
    import av
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000, layout="mono")
        frame = av.AudioFrame.from_ndarray(
            np.zeros((1, 1024), dtype=np.float32), format="fltp", layout="mono"
        )
        frame.sample_rate = 16000
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)


REASONS = {
    "gone": "no video 'v1'",
    "empty": "the file is empty",
    "cut off": "v1.mp4: ",
    "text": "Invalid data found",
    "one frame": "1 frame in the file",
    "sound only": "no video stream",
}


@pytest.mark.parametrize("how", REASONS)
def test_unusable_videos_are_named(how, tmp_path, monkeypatch):
    records = [vidomni_record(pair_id=f"p{k}", video_id=f"v{k}") for k in range(3)]
    root = vidomni_data(tmp_path / "data", records)
    spoil(root / "videos" / "v1.mp4", how)
    found = loaded(root)
    (problem,) = found.video_problems
    assert problem.place.endswith("pairs.jsonl:2")
    assert REASONS[how] in problem.message
    assert (found.missing, len(found.pairs)) == (1, 2)
    with pytest.raises(InputProblems, match="VIDOMNI_ALLOW_MISSING"):
        usable(found)
    monkeypatch.setenv("VIDOMNI_ALLOW_MISSING", "1")
    assert usable(found) is found


def test_bad_records_are_never_allowed_to_be_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("VIDOMNI_ALLOW_MISSING", "1")
    root = vidomni_data(tmp_path, [vidomni_record()])
    write_lines(root / "pairs.jsonl", [vidomni_record(), vidomni_record(pair_id="b", extra=1)])
    with pytest.raises(InputProblems, match="Extra inputs"):
        usable(loaded(root))


def test_no_video_at_all_is_an_error_even_when_missing_is_allowed(tmp_path, monkeypatch):
    monkeypatch.setenv("VIDOMNI_ALLOW_MISSING", "1")
    root = vidomni_data(tmp_path, [vidomni_record()])
    shutil.rmtree(root / "videos")
    with pytest.raises(InputProblems, match="no video 'clip'"):
        usable(loaded(root))


def test_a_file_without_pairs_is_an_error(tmp_path):
    (tmp_path / "pairs.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(InputProblems, match="there is no record in it"):
        usable(loaded(tmp_path))


def test_pairs_of_one_video_are_neighbours_and_a_replaced_video_changes_the_digest(tmp_path):
    records = [vidomni_record(pair_id=f"p{k}", video_id=f"v{k % 2}") for k in (3, 0, 2, 1)]
    root = vidomni_data(tmp_path, records)
    found = loaded(root)
    assert [pair.record.pair_id for pair in found.pairs] == ["p0", "p2", "p1", "p3"]
    other = next(path for path in sorted(CLIP.parent.glob("*.mp4")) if path != CLIP)
    (root / "videos" / "v1.mp4").write_bytes(other.read_bytes())
    assert loaded(root).digest != found.digest


def test_a_root_that_is_named_is_never_replaced_by_another(tmp_path, monkeypatch, shared_home):
    """Root by argument, by variable, by default: the first that is set wins and is named."""
    by_flag = vidomni_data(tmp_path / "flag", [vidomni_record()])
    by_variable = vidomni_data(tmp_path / "variable", [vidomni_record()])
    home = tmp_path / "home"
    monkeypatch.setenv("VIDOMNI_HOME", str(home))
    vidomni_data(home / "vidomni", [vidomni_record()])
    assert locate("vidomni") == (home / "vidomni", "default folder")
    monkeypatch.setenv("VIDOMNI_DATA", str(by_variable))
    assert locate("vidomni") == (by_variable, "VIDOMNI_DATA")
    assert locate("vidomni", by_flag) == (by_flag, "--root")
    monkeypatch.setenv("VIDOMNI_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputProblems, match=r"VIDOMNI_DATA = .*nowhere"):
        locate("vidomni")


def test_data_one_folder_deeper_are_found(tmp_path):
    vidhalloc_data(tmp_path / "snapshot", [vidhalloc_record()])
    assert locate("vidhalloc", tmp_path).path == tmp_path / "snapshot"


def test_without_data_every_place_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path))
    with pytest.raises(InputProblems) as caught:
        locate("vidhalloc")
    text = str(caught.value)
    for part in ("VIDHALLOC_DATA: not set", str(tmp_path / "vidhalloc"), "wesfggfd/VidHalLoc"):
        assert part in text
    assert "vidhalloc_mini" in text


def test_an_empty_split_is_fine_beside_a_full_one(tmp_path):
    root = vidhalloc_data(tmp_path, [vidhalloc_record()])
    for part in ("Videoqa_set", "Video_caption_set"):
        write_lines(root / "Datasets" / part / "Eval_set.jsonl", [])
        write_lines(root / "Datasets" / part / "Test_set.jsonl", [])
    assert [
        problem.code
        for problem in inspect_vidhalloc(DataRoot(root, "test"), "eval").record_problems
    ] == ["no-pairs"]
    write_lines(root / "Datasets/Videoqa_set/Eval_set.jsonl", [vidhalloc_record()])
    found = inspect_vidhalloc(DataRoot(root, "test"), "eval")
    assert (len(found.pairs), found.record_problems) == (1, [])


def test_eval_reads_the_two_evaluation_sets(tmp_path):
    root = vidhalloc_data(tmp_path, [vidhalloc_record()])
    for k, name in enumerate(
        f"{part}/{split}"
        for part in ("Videoqa_set", "Video_caption_set")
        for split in ("Main_set", "Eval_set", "Test_set")
    ):
        write_lines(root / "Datasets" / f"{name}.jsonl", [vidhalloc_record(f"pair_{k}")])
    found = inspect_vidhalloc(DataRoot(root, "test"), "eval")
    assert [pair.record.pair_id for pair in found.pairs] == ["pair_1", "pair_2", "pair_4", "pair_5"]
    lost = inspect_vidhalloc(DataRoot(root, "test"), "qa").record_problems
    assert [problem.code for problem in lost] == ["no-file"]


def test_mini_as_root_is_the_built_in_sample_unless_there_is_such_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for benchmark in ("vidomni", "vidhalloc"):
        assert locate(benchmark, Path("mini")) == mini_root(benchmark)
    (tmp_path / "mini").mkdir()
    with pytest.raises(InputProblems, match="--root = mini"):
        locate("vidomni", Path("mini"))


def test_no_data_says_every_way_to_get_some(tmp_path):
    for benchmark in ("vidomni", "vidhalloc"):
        with pytest.raises(InputProblems) as caught:
            locate(benchmark, tmp_path)
        for way in (f"data fetch {benchmark}", "data import", "--root mini", f"{benchmark}_mini"):
            assert way in str(caught.value)
