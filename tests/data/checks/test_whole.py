"""Whole data sets give nothing; what is lost or moved is named with its id and both places."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CLIP, vidhalloc_record, vidomni_record, write_lines
from tests.data.checks.sets import Files, sample
from tests.data.checks.synthetic import synthetic_vidhalloc, synthetic_vidomni
from vidomni_plugin.data.checks.numbers import counts_of
from vidomni_plugin.data.checks.reading import read_vidhalloc_data, read_vidomni_data
from vidomni_plugin.data.checks.run import Options, Result, examine
from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni
from vidomni_plugin.data.locate import Benchmark, DataRoot, mini_root
from vidomni_plugin.problems import Problem
from vidomni_plugin.published import published


def found(benchmark: Benchmark, root: Path, options: Options | None = None) -> Result:
    return examine(benchmark, DataRoot(root, "test"), options or Options())


@pytest.mark.parametrize("benchmark", ["vidomni", "vidhalloc"])
def test_the_built_in_samples_give_nothing(benchmark):
    result = examine(benchmark, mini_root(benchmark), Options())
    assert result.findings == ()
    assert not result.as_released
    assert result.usable == result.pairs
    inspect = {"vidomni": inspect_vidomni, "vidhalloc": inspect_vidhalloc}[benchmark]
    assert result.digest == inspect(mini_root(benchmark)).digest  # what a run logs


def small_release(root: Path) -> Path:
    """Lay out a small set of one's own: six items of one video, one clip for both tasks."""
    slots = {
        "EntityCategory": "category",
        "AttributeValue": "attribute_value",
        "StaticRelation": "relation_predicate",
        "ActionPredicate": "predicate",
        "TemporalRelation": "order",
        "CameraPredicate": "camera_predicate",
    }
    answers = {
        "EntityCategory": ("The rider is on a bicycle.", "The rider is on a horse."),
        "AttributeValue": ("The fence is dark green.", "The fence is bright yellow."),
        "StaticRelation": ("A bicycle is in front of a wall.", "A bicycle is behind a wall."),
        "ActionPredicate": ("The man talks.", "The man sleeps."),
        "TemporalRelation": ("The car stops before it turns.", "The car stops after it turns."),
        "CameraPredicate": ("The video cuts from a car to a man.", "The camera tilts up to a man."),
    }
    rows: list[dict[str, Any]] = [
        vidhalloc_record(
            f"pair_videoqa_9001_fact_{k:02d}",
            "videoqa_9001",
            leaf_label=leaf,
            conflict_slot=slots[leaf],
            answer=answer,
            counterfactual_answer=false,
        )
        for k, (leaf, (answer, false)) in enumerate(answers.items(), 1)
    ]
    caption = vidhalloc_record(
        "pair_captioning_9002_fact_01",
        "captioning_9002",
        task_type="video_captioning",
        answer="The circle is red.",
        counterfactual_answer="The circle is blue.",
        leaf_label="AttributeValue",
        conflict_slot="attribute_value",
    )
    data = root / "Datasets"
    write_lines(data / "2000_Orign" / "2000_Orign.jsonl", [*rows, caption])
    for folder, mine in (("Videoqa_set", rows), ("Video_caption_set", [caption])):
        for name in (folder, "Main_set", "Eval_set", "Test_set"):
            write_lines(
                data / folder / f"{name}.jsonl", mine if name in {folder, "Main_set"} else []
            )
    inventory = [
        {"video_id": video_id, "task_type": task, "split": "Main_set", "sample_count": count}
        for video_id, task, count in (
            ("videoqa_9001", "video_qa", 6),
            ("captioning_9002", "video_captioning", 1),
        )
    ]
    write_lines(data / "source_video_inventory.jsonl", inventory)
    for path in ("videoqa/videoqa_9001.mp4", "video caption/captioning_9002.mp4"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_bytes(CLIP.read_bytes())
    return root


def test_a_small_set_of_ones_own_gives_nothing_until_it_claims_to_be_the_release(tmp_path):
    root = small_release(tmp_path)
    result = found("vidhalloc", root)
    assert result.findings == ()
    assert {"numbering", "items-of-a-video"} <= result.left_out.keys()
    claims = found("vidhalloc", root, Options(as_released=True))
    assert {problem.code for problem in claims.findings} == {
        "published-counts",
        "items-of-a-video",
        "numbering",
        "repeated-content",
    }


@pytest.fixture(scope="module")
def vidhalloc_of_full_size(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic_vidhalloc(tmp_path_factory.mktemp("vidhalloc"))


def test_counts_of_a_full_size_vidhalloc_are_the_published_ones(vidhalloc_of_full_size):
    data = read_vidhalloc_data(DataRoot(vidhalloc_of_full_size, "test"), videos=False)
    counts = {what: (number, stated) for what, number, stated in counts_of(data)}
    assert all(number == stated for number, stated in counts.values())
    assert counts["items"] == (2000, 2000)
    assert counts["videos"] == (1090, 1090)
    assert counts["items of video_qa"][0] == 1020
    assert counts["items of video_captioning"][0] == 980
    assert {counts[f"items of {leaf}"][0] for leaf in ("EEH", "CPH")} == {250}
    splits = [counts[f"Datasets/Videoqa_set/{name}_set.jsonl"][0] for name in ("Main", "Eval")]
    assert splits == [612, 204]
    result = found("vidhalloc", vidhalloc_of_full_size, Options(videos=False))
    assert (result.findings, result.as_released) == ((), True)


def test_counts_of_a_full_size_vidomni_are_the_published_ones(tmp_path):
    synthetic_vidomni(tmp_path)
    data = read_vidomni_data(DataRoot(tmp_path, "test"), videos=False)
    counts = {what: number for what, number, _ in counts_of(data)}
    assert (counts["pairs"], counts["videos"], counts["videos with sound"]) == (2500, 500, 433)
    assert counts["labelled sentences"] == 64_843
    assert {counts[f"videos of type {kind}"] for kind in range(1, 6)} == {100}
    rows = published()["vidomni"]["figure4_videos"]["rows"]
    assert [counts[f"long videos of type {kind}"] for kind, *_ in rows] == [34, 34, 28, 30, 40]
    result = found("vidomni", tmp_path, Options(videos=False))
    assert (result.findings, result.as_released) == ((), True)


MEASURED = """
import re, sys
from pathlib import Path
from vidomni_plugin.cli import app
try:
    app(sys.argv[1:])
finally:
    # Not ru_maxrss, which counts what the process that started this one had.
    peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
    print(int(peak[1]) // 1024, file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("benchmark", ["vidomni", "vidhalloc"])
def test_a_check_of_full_size_takes_seconds_and_little_memory(benchmark, tmp_path):
    make = {"vidomni": synthetic_vidomni, "vidhalloc": synthetic_vidhalloc}[benchmark]
    arguments = ["data", "check", benchmark, "--root", str(make(tmp_path)), "--no-videos"]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert time.perf_counter() - start < 10  # measured: about 1 s
    assert int(done.stderr.split()[-1]) < 500  # MB; measured: 131


def of_code(result: Result, code: str) -> list[Problem]:
    return [problem for problem in result.findings if problem.code == code]


def line_of(path: Path, pair_id: str) -> str:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if f'"{pair_id}"' in line:
            return f"{path}:{number}"
    raise AssertionError(pair_id)


def test_an_item_removed_from_a_split_is_named_with_both_places(tmp_path):
    files = Files(synthetic_vidhalloc(tmp_path))
    chosen = files.read("Videoqa_set")[100]
    pair_id, folder = chosen["pair_id"], tmp_path / "Datasets" / "Videoqa_set"
    (split,) = (
        s for s in ("Main", "Eval", "Test") if files.take("Videoqa_set", f"{s}_set", {pair_id})
    )
    result = found("vidhalloc", tmp_path, Options(videos=False))
    (lost,) = of_code(result, "lost-item")
    assert lost.place == line_of(folder / "Videoqa_set.jsonl", pair_id)
    assert repr(pair_id) in lost.message
    assert str(folder / f"{split}_set.jsonl") in lost.message
    counts = [problem.message for problem in of_code(result, "published-counts")]
    assert any(f"{split}_set.jsonl" in message for message in counts)
    assert {problem.code for problem in result.findings} == {"lost-item", "published-counts"}


def test_an_item_removed_from_the_full_set_is_named(tmp_path):
    files = sample("vidhalloc", tmp_path)
    rows = files.read("2000_Orign")
    files.write("2000_Orign", rows[1:])
    (lost,) = found("vidhalloc", tmp_path).findings
    assert lost.code == "lost-item"
    assert repr(rows[0]["pair_id"]) in lost.message
    assert "2000_Orign.jsonl" in lost.message
    assert "Videoqa_set.jsonl:1" in lost.place


def test_an_item_removed_everywhere_is_found_by_the_inventory(tmp_path):
    files = sample("vidhalloc", tmp_path)
    pair_id = "pair_videoqa_0009_fact_01"
    for path in files.sets():
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(x for x in lines if f'"{pair_id}"' not in x), encoding="utf-8")
    (lost,) = found("vidhalloc", tmp_path).findings
    assert lost.code == "inventory-differs"
    assert "2 items of 'videoqa_0009' are stated, there are 1" in lost.message


def test_an_item_moved_to_another_split_is_named_with_both_places(tmp_path):
    files = Files(synthetic_vidhalloc(tmp_path))
    folder = tmp_path / "Datasets" / "Videoqa_set"
    two = next(
        row["pair_id"] for row in files.read("Videoqa_set") if row["pair_id"].endswith("_fact_02")
    )
    video_id = two.removeprefix("pair_").removesuffix("_fact_02")
    for split in ("Main_set", "Eval_set", "Test_set"):
        if rows := files.take("Videoqa_set", split, {two}):
            target = "Eval_set" if split == "Main_set" else "Main_set"
            files.put("Videoqa_set", target, rows)
            break
    result = found("vidhalloc", tmp_path, Options(videos=False))
    (moved,) = of_code(result, "moved-item")
    assert moved.place == line_of(folder / f"{target}.jsonl", two)
    for part in (two, target, split, "source_video_inventory.jsonl:"):
        assert part in moved.message
    (leak,) = of_code(result, "split-leak")
    sibling = two.replace("_02", "_01")
    assert line_of(folder / f"{split}.jsonl", sibling) in f"{leak.place} {leak.message}"
    assert repr(video_id) in leak.message


@pytest.mark.parametrize("word", ["main", "Main", "MAIN_SET", "Main_set", "main set"])
def test_the_inventory_may_name_a_split_in_its_own_way(word, tmp_path):
    files = sample("vidhalloc", tmp_path)
    files.edit(
        "source_video_inventory",
        lambda row: row.update(split=row["split"].replace("Main_set", word)),
    )
    assert found("vidhalloc", tmp_path).findings == ()


def test_paths_of_the_inventory_may_be_those_of_another_machine(tmp_path):
    files = sample("vidhalloc", tmp_path)

    def elsewhere(row: dict[str, Any]) -> None:
        row["packaged_path"] = "D:\\data\\" + row["packaged_path"].replace("/", "\\")

    files.edit("source_video_inventory", elsewhere)
    assert found("vidhalloc", tmp_path).findings == ()


def test_a_line_that_cannot_be_read_hides_no_item(tmp_path):
    """Its item is not lost, its video no extra file, and the counts are not compared."""
    sample("vidhalloc", tmp_path)
    path = tmp_path / "Datasets" / "Videoqa_set" / "Main_set.jsonl"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([lines[0][:100], *lines[1:]]) + "\n", encoding="utf-8")
    result = found("vidhalloc", tmp_path)
    assert [(p.code, p.place) for p in result.findings] == [("record", f"{path}:1")]


@pytest.mark.parametrize(
    ("stated", "leaks"),
    [
        pytest.param(None, [("0009", "Test_set", "0007", "Eval_set")], id="in no split"),
        pytest.param(
            "Main_set",
            [("0007", "Eval_set", "0001", "Main_set"), ("0009", "Test_set", "0001", "Main_set")],
            id="in that of the inventory",
        ),
    ],
)
def test_three_videos_of_one_content_of_which_one_has_no_items_in_a_split(stated, leaks, tmp_path):
    files = sample("vidhalloc", tmp_path)
    same = {"videoqa_0001", "videoqa_0007", "videoqa_0009"}
    for name in same:  # captioning_0001 has the plain clip
        path = tmp_path / "videoqa" / f"{name}.mp4"
        path.unlink()
        path.write_bytes(CLIP.read_bytes() + b"\x00\x00\x00\x0cfreesame")
    ids = {row["pair_id"] for row in files.read("Videoqa_set") if "_0001_" in row["pair_id"]}
    assert files.take("Videoqa_set", "Main_set", ids)

    def restate(row: dict[str, Any]) -> None:
        if row["video_id"] in same:
            row["sha256"] = None
        if row["video_id"] == "videoqa_0001":
            row["split"] = stated

    files.edit("source_video_inventory", restate)
    options = Options(only=frozenset({"content-leak"}))
    findings = found("vidhalloc", tmp_path, options).findings
    assert [(problem.place, problem.message) for problem in findings] == [
        (
            line_of(files.path("2000_Orign"), f"pair_videoqa_{one}_fact_01"),
            f"'videoqa_{one}' ({split}) has the content of 'videoqa_{other}' ({its}) at "
            + line_of(files.path("2000_Orign"), f"pair_videoqa_{other}_fact_01"),
        )
        for one, split, other, its in leaks
    ]


def test_one_fault_of_a_video_is_one_finding_for_all_its_captions(tmp_path):
    files = sample("vidomni", tmp_path)
    files.edit("pairs", lambda row: row.update(duration_s=row["duration_s"] + 3))
    result = found("vidomni", tmp_path)
    assert len(of_code(result, "duration")) == 14  # of 16: 3 s are within 2 % of two of them
    assert any("1 more lines say so" in problem.message for problem in result.findings)


def test_nine_tenths_of_the_pairs_claim_to_be_the_release(tmp_path):
    rows = [vidomni_record(pair_id=f"p{k}", video_id=f"v{k}") for k in range(2250)]
    write_lines(tmp_path / "pairs.jsonl", rows)
    assert found("vidomni", tmp_path, Options(videos=False)).as_released
    write_lines(tmp_path / "pairs.jsonl", rows[:2249])
    assert not found("vidomni", tmp_path, Options(videos=False)).as_released


def taken_out(files: Files) -> Iterator[tuple[str, Path, str]]:
    """Yield every item of every file, with the file and the text of its line."""
    for path in list(files.sets()):
        for line in path.read_text("utf-8").splitlines(keepends=True):
            yield json.loads(line)["pair_id"], path, line


def test_every_item_that_is_removed_from_any_file_is_named(tmp_path):
    files = sample("vidhalloc", tmp_path)
    options = Options(videos=False, only=frozenset({"lost-item", "in-two-sets"}))
    tried = 0
    for pair_id, path, line in taken_out(files):
        before = path.read_text("utf-8")
        path.write_text(before.replace(line, ""), encoding="utf-8")
        named = found("vidhalloc", tmp_path, options).findings
        path.write_text(before, encoding="utf-8")
        assert named, (pair_id, path)
        for problem in named:
            assert repr(pair_id) in problem.message
            assert str(path) in problem.message  # where it is missing; the place is where it is
            assert line_of(Path(problem.place.rpartition(":")[0]), pair_id) == problem.place
        tried += 1
    assert tried == 3 * 40


def test_every_item_that_is_moved_to_any_other_split_is_named(tmp_path):
    files = sample("vidhalloc", tmp_path)
    options = Options(videos=False, only=frozenset({"moved-item", "lost-item"}))
    splits = ("Main_set", "Eval_set", "Test_set")
    tried = 0
    for pair_id, path, line in taken_out(files):
        if path.stem not in splits:
            continue
        for other in {*splits} - {path.stem}:
            target = path.with_name(f"{other}.jsonl")
            before, there = path.read_text("utf-8"), target.read_text("utf-8")
            path.write_text(before.replace(line, ""), encoding="utf-8")
            target.write_text(there + line, encoding="utf-8")
            (moved,) = found("vidhalloc", tmp_path, options).findings
            assert moved.place == line_of(target, pair_id)
            assert f"{pair_id!r} stands in {other}" in moved.message
            assert f"belongs to {path.stem}" in moved.message
            path.write_text(before, encoding="utf-8")
            target.write_text(there, encoding="utf-8")
            tried += 1
    assert tried == 2 * 40
