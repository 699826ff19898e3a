"""Each check has a data set that is broken in its way only, and finds exactly that."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.data.checks.sets import Files, Row, sample
from tests.data.checks.synthetic import synthetic_vidhalloc, synthetic_vidomni
from vidomni_plugin.data.checks.registry import all_checks
from vidomni_plugin.data.checks.run import Options, examine
from vidomni_plugin.data.locate import Benchmark, DataRoot

QA, CAPTION = "Videoqa_set", "Video_caption_set"
BROKEN: dict[str, tuple[Benchmark, Callable[[Files], object]]] = {}
FULL_SIZE: dict[str, tuple[Benchmark, Callable[[Files], object]]] = {}


SAYS = {
    "no-file": "2000_Orign.jsonl: not a regular file",
    "no-pairs": "pairs.jsonl: there is no record in it",
    "record": "pairs.jsonl:1: complexity_type: Input should be 1, 2, 3, 4 or 5",
    "repeated-id": "pairs.jsonl:2: pair_id 'trio__captioner-a' is already used at pairs.jsonl:1",
    "missing-video": "pairs.jsonl:1: no video 'trio' in videos",
    "unusable-video": "2000_Orign.jsonl:17: videoqa/videoqa_0009.mp4: the file is cut off",
    "no-sound": "pairs.jsonl:1: videos/trio.mp4: the record says has_audio, the file has no",
    "file-format": "a byte-order mark; line ends of Windows (lines 1, 2, 3 and 21 more); blanks",
    "duration": "pairs.jsonl:1: 7 s are stated, videos/trio.mp4 has 5.0 s (1 more lines say so)",
    "sound-not-stated": "pairs.jsonl:4: videos/dots.mp4 has sound, has_audio is false",
    "hash-differs": "_inventory.jsonl:9: videoqa/videoqa_0009.mp4: the hash is ",
    "extra-file": "videos/trio (1).mp4: no record names it",
    "repeated-content": "pairs.jsonl:1: videos/trio has the content of videos/sign at pairs",
    "content-leak": "'videoqa_0009' (Test_set) has the content of 'videoqa_0007' (Eval_set) at",
    "spoiled-text": "pairs.jsonl:1, sentence 1: ... 'A caf\ufffd is on the l' ...",
    "off-schema": "2000_Orign.jsonl:1: schema_version is '2', not",
    "leaf-slot": "2000_Orign.jsonl:1: AttributeValue changes 'attribute_value', not 'count'",
    "not-a-sentence": "2000_Orign.jsonl:1: answer 'The circle is red' is no full sentence",
    "yes-no": "2000_Orign.jsonl:1: answer 'Yes, the circle is red.' begins with Yes",
    "same-polarity": "2000_Orign.jsonl:3: both answers say No",
    "polar-question": "2000_Orign.jsonl:3: 'Which shapes are in the video?' is no question for",
    "same-answers": "2000_Orign.jsonl:1: 'The circle is red.' and 'The circle is red!'",
    "several-changes": "2000_Orign.jsonl:1: 2 places: red -> green; slides -> bounces",
    "repeated-item": "2000_Orign.jsonl:2: 'pair_videoqa_0001_fact_02' is the item 'pair_videoqa",
    "video-in-two-tasks": "2000_Orign.jsonl:21: 'captioning_0001' has a video_captioning item, and",
    "absent-file": "Datasets/source_video_inventory.jsonl: there is no such file",
    "wrong-set": "'pair_videoqa_0009_fact_01' is a video_captioning item in a file of video_qa",
    "lost-item": "Videoqa_set.jsonl:1: 'pair_videoqa_0001_fact_01' (video 'videoqa_0001') stands",
    "in-two-sets": "Test_set.jsonl:1: 'pair_videoqa_0009_fact_01' also stands at Datasets/",
    "record-differs": "Test_set.jsonl:4: 'pair_videoqa_0009_fact_01' has another question than the",
    "moved-item": "Eval_set.jsonl:5: 'pair_videoqa_0009_fact_01' stands in Eval_set, its video",
    "split-leak": "Test_set.jsonl:1: 'pair_videoqa_0009_fact_02' of 'videoqa_0009' is in Test_set",
    "inventory-differs": "_inventory.jsonl:9: 3 items of 'videoqa_0009' are stated, there are 2: ",
    "sentence-repeats": "pairs.jsonl:9: sentence 2 repeats sentence 1 and is Correct",
    "one-sentence": "pairs.jsonl:1: 'trio__captioner-a' is one sentence of 17 words",
    "error-words": "pairs.jsonl:2: sentence 4: 'blue' (Object) is not in it",
    "unmarked": "pairs.jsonl:2: sentence 4: Incorrect, no errors",
    "nothing-scored": "pairs.jsonl:1: 'trio__captioner-a' has Unknown sentences only",
    "numbered-text": "pairs.jsonl:1: sentence 2 begins with 'Sentence 2:'",
    "video-metadata": "pairs.jsonl:2: 'trio': complexity_type is 3, and 1 at pairs.jsonl:1",
    "sound-category": "pairs.jsonl:1: has_audio is false, audio_category is 'Speech'",
    "repeated-caption": "pairs.jsonl:25: 'again' has the sentences of 'trio__captioner-a' at pairs",
    "source-twice": "pairs.jsonl:25: 'captioner-a' also captioned 'trio' at pairs.jsonl:1",
    "not-listed": "pairs.jsonl:1: videos.jsonl does not list 'trio'",
    "alike-ids": "pairs.jsonl:25: 'Trio' is nearly 'trio' at pairs.jsonl:1",
    "published-counts": "99 videos of type 1, published are 100",
    "captions-of-a-video": "'video_0002' has 6 captions; models without one: none",
    "items-of-a-video": "has 3 items, also at Datasets/2000_Orign/2000_Orign.jsonl:",
    "leaf-of-a-video": "has another TemporalRelation item at Datasets/2000_Orign/2000_Orign.jsonl:",
    "numbering": "there is no videoqa_0005",
}
"""What the first finding says of each, place and message; the data set's folder is left out."""


def broken(code: str, benchmark: Benchmark, full_size: bool = False):
    def add(change: Callable[[Files], object]) -> Callable[[Files], object]:
        (FULL_SIZE if full_size else BROKEN)[code] = (benchmark, change)
        return change

    return add


def of(video_id: str, /, **changes: object) -> Callable[[Row], None]:
    """Return a change of all lines of one video."""

    def change(row: Row) -> None:
        if row["video_id"] == video_id:
            row.update(changes)

    return change


def sentence(pair_id: str, number: int, /, **changes: object) -> Callable[[Row], None]:
    """Return a change of one sentence, counted from 1."""

    def change(row: Row) -> None:
        if row["pair_id"] == pair_id:
            row["sentences"][number - 1].update(changes)

    return change


@broken("no-file", "vidhalloc")
def _(files: Files):
    path = files.path("2000_Orign")
    path.unlink()
    path.mkdir()


@broken("no-pairs", "vidomni")
def _(files: Files):
    files.write("pairs", [])


@broken("record", "vidomni")
def _(files: Files):
    files.edit("pairs", of("trio", complexity_type=6))


@broken("repeated-id", "vidomni")
def _(files: Files):
    rows = files.read("pairs")
    rows[1]["pair_id"] = rows[0]["pair_id"]
    files.write("pairs", rows)


@broken("missing-video", "vidomni")
def _(files: Files):
    (files.root / "videos" / "trio.mp4").unlink()


@broken("unusable-video", "vidhalloc")
def _(files: Files):
    path = files.root / "videoqa" / "videoqa_0009.mp4"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[: len(content) // 2])


@broken("no-sound", "vidomni")
def _(files: Files):
    files.edit("pairs", of("trio", has_audio=True))


@broken("file-format", "vidomni")
def _(files: Files):
    path = files.path("pairs")
    lines = path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + lines + b"\n")


@broken("duration", "vidomni")
def _(files: Files):
    files.edit("pairs", of("trio", duration_s=7.0))


@broken("sound-not-stated", "vidomni")
def _(files: Files):
    files.edit("pairs", of("dots", has_audio=False, audio_category=None))


@broken("hash-differs", "vidhalloc")
def _(files: Files):
    files.edit("source_video_inventory", of("videoqa_0009", sha256="0" * 64))


@broken("extra-file", "vidomni")
def _(files: Files):
    (files.root / "videos" / "trio (1).mp4").write_bytes(b"")


@broken("repeated-content", "vidomni")
def _(files: Files):
    files.swap_video("videos/sign.mp4", "videos/trio.mp4")


@broken("content-leak", "vidhalloc")
def _(files: Files):
    files.swap_video("videoqa/videoqa_0009.mp4", "videoqa/videoqa_0007.mp4")
    files.edit("source_video_inventory", of("videoqa_0009", sha256=None))


@broken("spoiled-text", "vidomni")
def _(files: Files):
    files.edit("pairs", sentence("trio__captioner-a", 1, text="A caf\ufffd is on the left."))


@broken("off-schema", "vidhalloc")
def _(files: Files):
    files.item("pair_videoqa_0001_fact_01", schema_version="2")


@broken("leaf-slot", "vidhalloc")
def _(files: Files):
    files.item("pair_videoqa_0001_fact_01", conflict_slot="count")


def answers(files: Files, one: str, other: str, pair_id: str = "pair_videoqa_0001_fact_01") -> None:
    files.item(pair_id, answer=one, counterfactual_answer=other)


@broken("not-a-sentence", "vidhalloc")
def _(files: Files):
    answers(files, "The circle is red", "The circle is green.")


@broken("yes-no", "vidhalloc")
def _(files: Files):
    answers(files, "Yes, the circle is red.", "Yes, the circle is green.")


@broken("same-polarity", "vidhalloc")
def _(files: Files):
    pair_id = "pair_videoqa_0002_fact_01"
    answers(files, "No, a square is not visible.", "No, a square is visible.", pair_id)


@broken("polar-question", "vidhalloc")
def _(files: Files):
    files.item("pair_videoqa_0002_fact_01", question="Which shapes are in the video?")


@broken("same-answers", "vidhalloc")
def _(files: Files):
    answers(files, "The circle is red.", "The circle is red!")


@broken("several-changes", "vidhalloc")
def _(files: Files):
    answers(files, "The red circle slides.", "The green circle bounces.")


@broken("repeated-item", "vidhalloc")
def _(files: Files):
    rows = {row["pair_id"]: row for row in files.read("2000_Orign")}
    same = rows["pair_videoqa_0001_fact_01"] | {"pair_id": "pair_videoqa_0001_fact_02"}
    files.item("pair_videoqa_0001_fact_02", **same)


@broken("video-in-two-tasks", "vidhalloc")
def _(files: Files):
    def rename(row: Row) -> None:
        media = row["media"]
        if media["video_id"] == "videoqa_0001":
            media["video_id"] = "captioning_0001"
            media["canonical_media_uri"] = "media://captioning_0001/original"

    files.each_item(rename)
    lines = files.read("source_video_inventory")
    files.write(
        "source_video_inventory", [line for line in lines if line["video_id"] != "videoqa_0001"]
    )
    folder = files.root / "videoqa"
    (folder / "videoqa_0001.mp4").rename(folder / "captioning_0001.mp4")


@broken("absent-file", "vidhalloc")
def _(files: Files):
    files.path("source_video_inventory").unlink()


@broken("wrong-set", "vidhalloc")
def _(files: Files):
    for number in (1, 2):
        files.item(f"pair_videoqa_0009_fact_0{number}", task_type="video_captioning")
    path = "video caption/videoqa_0009.mp4"
    changes = {"task_type": "video_captioning", "packaged_path": path}
    files.edit("source_video_inventory", of("videoqa_0009", **changes))
    (files.root / "videoqa" / "videoqa_0009.mp4").rename(files.root / path)


@broken("lost-item", "vidhalloc")
def _(files: Files):
    assert files.take(QA, "Main_set", {"pair_videoqa_0001_fact_01"})


@broken("in-two-sets", "vidhalloc")
def _(files: Files):
    rows = [row for row in files.read("2000_Orign") if row["pair_id"].endswith("0009_fact_01")]
    files.put(QA, "Eval_set", [row for row in rows if row["task_type"] == "video_qa"])


@broken("record-differs", "vidhalloc")
def _(files: Files):
    (row,) = files.take(QA, "Test_set", {"pair_videoqa_0009_fact_01"})
    files.put(QA, "Test_set", [row | {"question": "What is carried?"}])


@broken("moved-item", "vidhalloc")
def _(files: Files):
    both = {"pair_videoqa_0009_fact_01", "pair_videoqa_0009_fact_02"}
    files.put(QA, "Eval_set", files.take(QA, "Test_set", both))


@broken("split-leak", "vidhalloc")
def _(files: Files):
    files.put(QA, "Eval_set", files.take(QA, "Test_set", {"pair_videoqa_0009_fact_01"}))
    files.edit("source_video_inventory", of("videoqa_0009", split=None))


@broken("inventory-differs", "vidhalloc")
def _(files: Files):
    files.edit("source_video_inventory", of("videoqa_0009", sample_count=3))


@broken("sentence-repeats", "vidomni")
def _(files: Files):
    files.edit("pairs", sentence("bounce__captioner-b", 2, label=0, errors=[]))


@broken("one-sentence", "vidomni")
def _(files: Files):
    rows = files.read("pairs")
    rows[0]["sentences"] = rows[0]["sentences"][:1]
    files.write("pairs", rows)


@broken("error-words", "vidomni")
def _(files: Files):
    errors = [{"text": "blue", "category": "Object"}]
    files.edit("pairs", sentence("trio__captioner-b", 4, errors=errors))


@broken("unmarked", "vidomni")
def _(files: Files):
    files.edit("pairs", sentence("trio__captioner-b", 4, errors=[]))


@broken("nothing-scored", "vidomni")
def _(files: Files):
    for number in (1, 2, 3, 4):
        files.edit("pairs", sentence("trio__captioner-a", number, label=None))


@broken("numbered-text", "vidomni")
def _(files: Files):
    files.edit("pairs", sentence("trio__captioner-a", 2, text="Sentence 2: A circle is red."))


@broken("video-metadata", "vidomni")
def _(files: Files):
    rows = files.read("pairs")
    rows[1]["complexity_type"] = 3
    files.write("pairs", rows)


@broken("sound-category", "vidomni")
def _(files: Files):
    files.edit("pairs", of("trio", audio_category="Speech"))


@broken("repeated-caption", "vidomni")
def _(files: Files):
    rows = files.read("pairs")
    files.write("pairs", [*rows, rows[0] | {"pair_id": "again", "caption_source": "other"}])


@broken("source-twice", "vidomni")
def _(files: Files):
    rows = files.read("pairs")
    again = {"pair_id": "again", "sentences": rows[0]["sentences"][1:]}
    files.write("pairs", [*rows, rows[0] | again])


@broken("not-listed", "vidomni")
def _(files: Files):
    videos = {row["video_id"]: row for row in files.read("pairs") if row["video_id"] != "trio"}
    names = ("video_id", "source_dataset", "complexity_type", "duration_s", "has_audio")
    files.write("videos", [{name: row[name] for name in names} for row in videos.values()])


@broken("alike-ids", "vidomni")
def _(files: Files):
    rows = files.read("pairs")
    again = rows[0] | {"pair_id": "again", "video_id": "Trio"}
    files.write("pairs", [*rows, again])
    files.edit("pairs", of("Trio", caption_source="other"))
    clip = (files.root / "videos" / "sign.mp4").read_bytes()
    box = b"\x00\x00\x00\x0cfreeTrio"  # players pass over it; the content is another
    (files.root / "videos" / "Trio.mp4").write_bytes(clip + box)


@broken("published-counts", "vidomni", full_size=True)
def _(files: Files):
    files.edit("pairs", of("video_0001", complexity_type=2))


@broken("captions-of-a-video", "vidomni", full_size=True)
def _(files: Files):
    rows = files.read("pairs")
    one, other = rows[0], next(row for row in rows if row["video_id"] != rows[0]["video_id"])
    same = ("duration_s", "has_audio", "audio_category", "source_dataset", "complexity_type")
    one |= {name: other[name] for name in (*same, "video_id")}
    files.write("pairs", rows)


def two_videos(files: Files) -> tuple[list[Row], list[Row]]:
    """Return the items of two videos of one split: leaves a and b, and leaves a and c."""
    by_video: dict[str, list[Row]] = {}
    for row in files.read("2000_Orign"):
        if row["task_type"] == "video_qa":
            by_video.setdefault(row["media"]["video_id"], []).append(row)
    main = {row["media"]["video_id"] for row in main_rows(files)}
    pairs = [rows for video_id, rows in by_video.items() if len(rows) == 2 and video_id in main]
    for one in pairs:
        for other in pairs:
            leaves = [row["leaf_label"] for row in (*one, *other)]
            if "EntityExistence" not in leaves and len(set(leaves)) == 3:
                shared = {row["leaf_label"] for row in one} & {row["leaf_label"] for row in other}
                one.sort(key=lambda row: row["leaf_label"] not in shared)
                other.sort(key=lambda row: row["leaf_label"] not in shared)
                return one, other
    raise AssertionError("the synthetic set has no such videos")


def main_rows(files: Files) -> list[Row]:
    path = files.root / "Datasets" / QA / "Main_set.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def restate_inventory(files: Files) -> None:
    """Make the inventory fit the items again."""
    leaves: dict[str, list[str]] = {}
    for row in files.read("2000_Orign"):
        leaves.setdefault(row["media"]["video_id"], []).append(row["leaf_label"])

    def fit(line: Row) -> None:
        of_video = leaves[line["video_id"]]
        line.update(sample_count=len(of_video), leaf_labels=";".join(of_video))

    files.edit("source_video_inventory", fit)


def to_video(row: Row, video_id: str) -> Row:
    uri = f"media://{video_id}/original"
    return row["media"] | {"video_id": video_id, "canonical_media_uri": uri}


@broken("items-of-a-video", "vidhalloc", full_size=True)
def _(files: Files):
    one, other = two_videos(files)
    moved = next(row for row in one if row["leaf_label"] != other[0]["leaf_label"])
    files.item(moved["pair_id"], media=to_video(moved, other[0]["media"]["video_id"]))
    restate_inventory(files)


@broken("leaf-of-a-video", "vidhalloc", full_size=True)
def _(files: Files):
    """Exchange b of the first video for a of the second."""
    (a, b), (other_a, _c) = two_videos(files)
    assert a["leaf_label"] == other_a["leaf_label"]
    files.item(b["pair_id"], media=other_a["media"])
    files.item(other_a["pair_id"], media=b["media"])
    restate_inventory(files)


@broken("numbering", "vidhalloc", full_size=True)
def _(files: Files):
    def rename(row: Row) -> None:
        if row["media"]["video_id"] == "videoqa_0005":
            row["media"] = to_video(row, "videoqa_9005")

    files.each_item(rename)
    new = {"video_id": "videoqa_9005", "packaged_path": "videoqa/videoqa_9005.mp4"}
    files.edit("source_video_inventory", of("videoqa_0005", **new))


def only(code: str, benchmark: Benchmark, root: Path, options: Options | None = None) -> str:
    """Return the first finding as text; there are no findings of other codes."""
    findings = examine(benchmark, DataRoot(root, "test"), options or Options()).findings
    assert {problem.code for problem in findings} == {code}
    return f"{findings[0].place}: {findings[0].message}".replace(f"{root}/", "")


@pytest.mark.parametrize("code", BROKEN)
def test_a_sample_broken_in_one_way_gives_exactly_its_code(code, tmp_path):
    benchmark, change = BROKEN[code]
    files = sample(benchmark, tmp_path)
    change(files)
    assert SAYS[code] in only(code, benchmark, tmp_path)


@pytest.mark.parametrize("code", FULL_SIZE)
def test_a_release_broken_in_one_way_gives_exactly_its_code(code, tmp_path):
    benchmark, change = FULL_SIZE[code]
    make = synthetic_vidomni if benchmark == "vidomni" else synthetic_vidhalloc
    change(Files(make(tmp_path)))
    assert SAYS[code] in only(code, benchmark, tmp_path, Options(videos=False))


def test_every_check_has_a_broken_data_set():
    assert BROKEN.keys() | FULL_SIZE.keys() == all_checks().keys()
    assert not BROKEN.keys() & FULL_SIZE.keys()
