"""``vidomni build annotate`` from captions to pairs, and every reason why it stops."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tests.build.annotate.exported import (
    annotation,
    as_json,
    as_min,
    caption,
    spans,
    verdicts,
)
from tests.conftest import CLIP, write_lines
from vidomni_plugin.cli import app
from vidomni_plugin.data.releases import read_vidomni
from vidomni_plugin.problems import InputProblems

PEOPLE = [
    {"name": "ann", "email": "ann@lab.org", "trusted": True, "label_studio_id": 2},
    {"name": "ben", "email": "ben@lab.org", "label_studio_id": 3},
    {"name": "cai", "email": "cai@lab.org", "label_studio_id": 4},
]
CAPTIONS = [
    caption("clip__m", ["A red cube rolls.", "It stops.", "It may be a toy."]),
    caption("clip__n", ["A dot.", "A dot."], source="n"),
    caption("other__m", ["A line."]),
]
VIDEOS = [
    {"video_id": "clip", "source_dataset": "other", "complexity_type": 2},
    {
        "video_id": "other",
        "source_dataset": "other",
        "complexity_type": 1,
        "duration_s": 4.0,
        "has_audio": False,
    },
]


def run(*arguments: object) -> str:
    """Run the command; returns what it printed, raises what ``main`` would print."""
    done = CliRunner().invoke(app, ["build", "annotate", *map(str, arguments)])
    if isinstance(done.exception, InputProblems):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with captions, people, and data with two videos."""
    write_lines(tmp_path / "captions.jsonl", [one.model_dump() for one in CAPTIONS])
    people(tmp_path, PEOPLE)
    write_lines(tmp_path / "data" / "videos.jsonl", VIDEOS)
    (tmp_path / "data" / "videos").mkdir()
    for name in ("clip.mp4", "other.mp4"):
        (tmp_path / "data" / "videos" / name).write_bytes(CLIP.read_bytes())
    return tmp_path


def people(place: Path, listed: list[dict[str, object]]) -> None:
    text = yaml.safe_dump({"annotators": listed})
    (place / "annotators.yaml").write_text(text, encoding="utf-8")


def plan(place: Path, *options: object) -> str:
    files = (place / "captions.jsonl", "--annotators", place / "annotators.yaml")
    chosen = options or ("--per-pair", "3", "--pilot", "0")
    where = () if "--videos" in chosen else ("--root", place / "data")
    return run("plan", *files, "--out", place / "plan", *where, *chosen)


def tasks(folder: Path) -> dict[str, dict[str, object]]:
    listed = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    return {task["data"]["pair_id"]: task["data"] for task in listed}


LABELS = {
    "clip__m": {
        "ann": ["Incorrect", "Correct", "Unknown"],
        "ben": ["Incorrect", "Incorrect", "Unknown"],
        "cai": ["Incorrect", "Unknown", "Correct"],
    },
    "clip__n": {"ann": ["Correct", "Incorrect"], "ben": ["Correct", "Incorrect"]},
    "other__m": {"ann": ["Correct"], "ben": ["Correct"]},
}


def judge(place: Path, labels=LABELS, write=as_json) -> Path:
    data, number, made = tasks(place / "plan" / "stage1"), 0, []
    for pair_id, said in labels.items():
        one = []
        for name, words in said.items():
            number += 1
            one.append(annotation(number, name, verdicts(words)))
        made.append((data[pair_id], one))
    return write(place / "stage1.json", made)


def read(place: Path, *options: object) -> str:
    return run("read", place / "stage1.json", *_plan(place), "--out", place / "read", *options)


def _plan(place: Path) -> tuple[object, ...]:
    return ("--plan", place / "plan")


def votes(place: Path, *, decided: bool = True) -> tuple[object, ...]:
    given = ("--decisions", place / "read" / "adjudicate.csv") if decided else ()
    return (*_plan(place), "--votes", place / "read" / "votes.jsonl", *given)


def decide(place: Path, **words: str) -> None:
    """Fill in the column decision; ``clip__m_2="Correct"``."""
    path = place / "read" / "adjudicate.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["decision"] = words.get(f"{row['pair_id']}_{row['sentence']}", "")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def merge(place: Path, *options: object, out: str = "data", decided: bool = True) -> str:
    videos = ("--videos", place / "data" / "videos.jsonl", "--out", place / out)
    return run("merge", *votes(place, decided=decided), *videos, *options)


def mark(place: Path) -> Path:
    """Two people mark the words of stage 2: they agree on one, differ on one category."""
    data = tasks(place / "stage2")
    ann = spans((0, 2, 5, "red", "Object"), (0, 11, 16, "rolls", "Action"))
    ben = spans((0, 1, 5, "red", "Object"), (0, 11, 15, "roll", "Order"))
    made = [(data["clip__m"], [annotation(1, "ann", ann), annotation(2, "ben", ben)])]
    return as_json(place / "stage2.json", made)


def all_of_it(place: Path) -> None:
    plan(place)
    judge(place)
    read(place)
    decide(place, clip__m_2="Correct")
    run("stage2", *votes(place), "--out", place / "stage2")
    mark(place)


def test_from_captions_to_pairs(place):
    all_of_it(place)
    shown = merge(place, "--stage2", place / "stage2.json")
    pairs = {entry.record.pair_id: entry.record for entry in read_vidomni(place / "data").entries}
    assert [s.label for s in pairs["clip__m"].sentences] == [1, 0, None]
    assert [(e.text, e.category) for e in pairs["clip__m"].sentences[0].errors] == [
        ("red", "Object"),
        ("rolls", "Action"),
        ("rolls", "Order"),
    ]
    assert [s.label for s in pairs["clip__n"].sentences] == [0, 1]
    # Taken from the file, because the manifest has neither.
    assert (pairs["clip__m"].duration_s, pairs["clip__m"].has_audio) == (5.0, False)
    assert (pairs["clip__n"].caption_source, pairs["clip__n"].caption_prompt) == ("n", 1)
    assert "6 sentences (Correct 3, Incorrect 2, Unknown 1): 5 by majority, 1 by decision" in shown
    record = json.loads((place / "data" / "merge.json").read_text(encoding="utf-8"))
    assert record["labels"] == {"Correct": 3, "Incorrect": 2, "Unknown": 1}
    assert record["category_disputes"] == 1
    assert len(record["files"]) == 5
    disputed = (place / "data" / "category_disputes.csv").read_text(encoding="utf-8")
    assert "rolls,Action: ann; Order: ben" in disputed


def test_everything_again_changes_nothing(place):
    all_of_it(place)
    read(place)  # the list now holds the decisions
    merge(place, "--stage2", place / "stage2.json")
    before = {
        path: path.read_bytes()
        for path in place.rglob("*")
        if path.is_file() and path.name != "videos.json"
    }
    plan(place)
    read(place)
    run("stage2", *votes(place), "--out", place / "stage2")
    merge(place, "--stage2", place / "stage2.json")
    assert {path: path.read_bytes() for path in before} == before


def test_the_plan_that_label_studio_gets(place):
    plan(place)
    stage1 = place / "plan" / "stage1"
    data = tasks(stage1)["clip__m"]
    assert data["video"] == "/data/local-files/?d=videos/clip.mp4"
    assert data["assigned"] == "|ann|ben|cai|"
    assert "caption_source" not in data  # who wrote it must not sway who judges it
    batch = json.loads((stage1 / "batches" / "batch-001.json").read_text(encoding="utf-8"))
    assert len(batch) == 3
    assert (stage1 / "config.xml").read_text(encoding="utf-8").startswith("<View")
    table = (place / "plan" / "assignment.csv").read_text(encoding="utf-8")
    assert 'clip__m,clip,m,3,batch-001,"ann, ben, cai"' in table


def test_addresses_are_quoted(place):
    write_lines(place / "captions.jsonl", [caption("a#1 b__m", ["One."]).model_dump()])
    write_lines(place / "data" / "videos.jsonl", [{**VIDEOS[0], "video_id": "a#1 b"}])
    manifest = ("--videos", place / "data" / "videos.jsonl")
    plan(place, *manifest, "--pilot", "0", "--video-url", "https://host/v/")
    data = tasks(place / "plan" / "stage1")["a#1 b__m"]
    assert data["video"] == "https://host/v/a%231%20b.mp4"


def test_pilot_first_then_the_rest(place):
    people(place, [{**person, "trusted": False} for person in PEOPLE])
    shown = plan(place, "--pilot", "1", "--per-pair", "2")
    assert "pilot only" in shown
    (pilot,) = tasks(place / "plan" / "stage1")
    people(place, PEOPLE)
    plan(place, "--pilot", "1", "--per-pair", "2")
    after = tasks(place / "plan" / "stage1")
    assert len(after) == 3
    assert after[pilot]["batch"] == "pilot"
    assert after[pilot]["assigned"] == "|ann|ben|cai|"
    assert all("|ann|" in str(data["assigned"]) for data in after.values())


def test_a_plan_is_not_changed_under_annotations(place):
    plan(place)
    with pytest.raises(InputProblems, match="3 pairs of the plan there would be dropped"):
        plan(place, "--per-pair", "2", "--pilot", "0")
    write_lines(place / "captions.jsonl", [one.model_dump() for one in CAPTIONS[1:]])
    with pytest.raises(InputProblems, match="1 pairs of the plan there would be dropped"):
        plan(place)
    write_lines(place / "captions.jsonl", [one.model_dump() for one in CAPTIONS])
    plan(place, "--per-pair", "2", "--pilot", "1", "--batch-size", "1", "--overwrite")
    batches = place / "plan" / "stage1" / "batches"
    assert sorted(path.stem for path in batches.iterdir()) == ["batch-001", "batch-002", "pilot"]
    plan(place, "--per-pair", "2", "--pilot", "0", "--overwrite")
    assert [path.stem for path in batches.iterdir()] == ["batch-001"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--per-pair", "4", "--pilot", "0"), "4 people a pair, and there are 3"),
        (("--pilot", "3"), "a pilot of 3 videos, and the captions have 2"),
    ],
)
def test_numbers_that_cannot_be_met(place, options, expected):
    with pytest.raises(InputProblems, match=expected):
        plan(place, *options)


def test_nobody_is_trusted_and_there_is_no_pilot(place):
    people(place, [{**person, "trusted": False} for person in PEOPLE])
    with pytest.raises(InputProblems, match="nobody is trusted"):
        plan(place)


def test_videos_that_are_not_there_are_all_named(place):
    (place / "data" / "videos" / "clip.mp4").unlink()
    write_lines(place / "data" / "videos.jsonl", VIDEOS[:1])
    with pytest.raises(InputProblems) as caught:
        plan(place)
    message = str(caught.value)
    assert "captions.jsonl:1: video 'clip' has not a file" in message
    assert "captions.jsonl:3: video 'other' has not a line" in message


def test_a_dispute_is_never_settled_by_a_rule(place):
    plan(place)
    judge(place)
    shown = read(place)
    assert "1 sentences must be decided (1 are not yet)" in shown
    lines = place / "read" / "votes.jsonl"
    listed = [json.loads(line)["pair_id"] for line in lines.read_text("utf-8").splitlines()]
    number = listed.index("clip__m") + 1
    for decided in (True, False):
        with pytest.raises(InputProblems) as caught:
            merge(place, decided=decided)
        (problem,) = caught.value.problems
        assert problem.code == "undecided"
        assert problem.place == f"{lines}:{number}"
        assert "pair 'clip__m', sentence 2: dispute without a decision" in problem.message
        assert "ann Correct, ben Incorrect, cai Unknown" in problem.message
    with pytest.raises(InputProblems, match="dispute without a decision"):
        run("stage2", *votes(place), "--out", place / "stage2")
    assert not (place / "data" / "pairs.jsonl").exists()
    assert not (place / "stage2").exists()


def test_a_decision_stands_above_a_majority_and_is_counted(place):
    plan(place)
    judge(place)
    read(place)
    decide(place, clip__m_2="Unknown", clip__m_3="Correct")
    shown = merge(place)
    assert "4 by majority, 2 by decision (1 against a majority)" in shown
    labels = {e.record.pair_id: e.record for e in read_vidomni(place / "data").entries}
    assert [s.label for s in labels["clip__m"].sentences] == [1, None, 0]


def test_a_decision_on_other_votes_is_an_error(place):
    plan(place)
    judge(place)
    read(place)
    decide(place, clip__m_2="Correct")
    old = (place / "read" / "adjudicate.csv").read_bytes()
    labels = LABELS | {
        "clip__m": LABELS["clip__m"] | {"cai": ["Incorrect", "Incorrect", "Correct"]}
    }
    judge(place, labels)
    read(place)
    (place / "read" / "adjudicate.csv").write_bytes(old)
    with pytest.raises(InputProblems, match="the votes have changed since it was decided"):
        merge(place)


def test_unfinished_pairs_are_named_or_left_out(place):
    plan(place)
    judge(place, {"clip__n": LABELS["clip__n"], "other__m": {"ben": ["Correct"]}})
    read(place)
    with pytest.raises(InputProblems) as caught:
        merge(place)
    assert sorted(map(str, caught.value.problems)) == [
        "pair clip__m: judged by nobody [unfinished]",
        "pair other__m: judged by 1; at least 2 have to [unfinished]",
    ]
    assert "2 pairs left out" in merge(place, "--leave-out-unfinished")
    (entry,) = read_vidomni(place / "data").entries
    assert entry.record.pair_id == "clip__n"


def test_other_pairs_are_not_overwritten(place):
    all_of_it(place)
    (place / "data" / "pairs.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputProblems, match="there already, with other content"):
        merge(place)
    assert (place / "data" / "pairs.jsonl").read_text(encoding="utf-8") == "{}\n"
    merge(place, "--overwrite")
    assert len(read_vidomni(place / "data").entries) == 3


def test_another_root_gets_the_manifest_and_is_told_about_the_videos(place):
    all_of_it(place)
    shown = merge(place, out="new")
    assert f"Put the videos into {place / 'new' / 'videos'}" in shown.replace("\n", "")
    assert (place / "new" / "videos.jsonl").read_bytes() == (
        place / "data" / "videos.jsonl"
    ).read_bytes()


def test_what_the_manifest_lacks_is_named(place):
    all_of_it(place)
    videos = [{k: v for k, v in VIDEOS[0].items() if k != "complexity_type"}]
    write_lines(place / "data" / "videos.jsonl", videos)
    (place / "data" / "videos" / "clip.mp4").unlink()
    with pytest.raises(InputProblems) as caught:
        merge(place)
    message = str(caught.value)
    assert "video 'clip' has no complexity_type, duration_s, has_audio" in message
    assert "no line for video 'other'" in message


def test_marks_in_a_sentence_that_is_not_incorrect(place):
    all_of_it(place)
    decide(place, clip__m_2="Incorrect")
    with pytest.raises(InputProblems, match="pair 'clip__m' has 1 sentences, the plan 2"):
        merge(place, "--stage2", place / "stage2.json")


def test_json_min_needs_numbers_that_may_come_later(place):
    people(place, [{k: v for k, v in p.items() if k != "label_studio_id"} for p in PEOPLE])
    plan(place)
    judge(place, write=as_min)
    with pytest.raises(InputProblems, match="account number 2 is no annotator"):
        read(place)
    people(place, PEOPLE)
    assert "3 of 3 pairs have votes" in read(place, "--annotators", place / "annotators.yaml")


def test_votes_of_another_plan(place):
    plan(place)
    judge(place)
    read(place)
    write_lines(place / "captions.jsonl", [caption("clip__m", ["One."]).model_dump()])
    plan(place, "--pilot", "0", "--overwrite")
    with pytest.raises(InputProblems) as caught:
        merge(place)
    codes = {problem.code for problem in caught.value.problems}
    assert codes == {"changed-sentences", "unknown-pair"}


def test_a_folder_that_is_no_plan(place):
    with pytest.raises(InputProblems, match="--plan is the folder"):
        run("read", place / "x.json", "--plan", place, "--out", place / "read")
    (place / "plan.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputProblems, match="not the settings of a plan"):
        run("read", place / "x.json", "--plan", place, "--out", place / "read")


def test_neither_root_nor_videos(place):
    files = (place / "captions.jsonl", "--annotators", place / "annotators.yaml")
    done = CliRunner().invoke(
        app, ["build", "annotate", "plan", *map(str, files), "--out", str(place / "plan")]
    )
    assert done.exit_code == 2
    assert "--root or --videos" in done.output


def test_text_from_data_is_no_markup(place):
    """Names of models and people reach the terminal as they are."""
    write_lines(
        place / "captions.jsonl", [caption("[red]x__m", ["One."], "clip", "[b]m").model_dump()]
    )
    people(place, [{**PEOPLE[0], "name": "[bold]ann"}, {**PEOPLE[1]}])
    assert "[bold]ann" in plan(place, "--pilot", "0")
    data = tasks(place / "plan" / "stage1")["[red]x__m"]
    items = verdicts(["Correct"])
    path = place / "stage1.json"
    as_json(path, [(data, [annotation(1, "ann", items), annotation(2, "ben", items)])])
    shown = read(place)
    assert "[bold]ann" in shown
    assert "[b]m" in shown


def test_work_that_was_cut_off_leaves_the_old_files(place, monkeypatch):
    """The list with decisions is replaced in one step, after all else was computed."""
    plan(place)
    judge(place)
    read(place)
    decide(place, clip__m_2="Correct")
    before = (place / "read" / "adjudicate.csv").read_bytes()

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("vidomni_plugin.build.annotate.reading.as_csv", interrupted)
    files = (place / "stage1.json", *_plan(place), "--out", place / "read")
    CliRunner().invoke(app, ["build", "annotate", "read", *map(str, files)])
    assert (place / "read" / "adjudicate.csv").read_bytes() == before
    monkeypatch.undo()
    read(place)
    assert "0 are not yet" in read(place)


def test_every_dispute_is_named_however_many_there_are(place):
    many = caption("clip__m", [f"Dot {k}." for k in range(60)])
    write_lines(place / "captions.jsonl", [many.model_dump()])
    plan(place, "--pilot", "0")
    data = tasks(place / "plan" / "stage1")["clip__m"]
    one, other = str(data["assigned"]).strip("|").split("|")
    made = [
        annotation(1, one, verdicts(["Correct"] * 60)),
        annotation(2, other, verdicts(["Incorrect"] * 60)),
    ]
    as_json(place / "stage1.json", [(data, made)])
    read(place)
    with pytest.raises(InputProblems) as caught:
        merge(place)
    message = str(caught.value)
    assert all(f"sentence {k}: dispute" in message for k in range(1, 61))


def test_a_folder_that_cannot_be_written(place):
    all_of_it(place)
    blocked = place / "file"
    blocked.write_text("")
    files = ("--annotators", place / "annotators.yaml", "--pilot", "0")
    where = (place / "captions.jsonl", "--root", place / "data", *files)
    merged = ("--videos", place / "data" / "videos.jsonl")
    for command in (
        ("plan", *where),
        ("read", place / "stage1.json", *_plan(place)),
        ("stage2", *votes(place)),
        ("merge", *votes(place), *merged),
    ):
        with pytest.raises(InputProblems, match="name a folder that can be written"):
            run(*command, "--out", blocked / "deeper")


def test_no_number_is_cut_off_on_a_narrow_terminal(place, monkeypatch):
    plan(place)
    judge(place)
    monkeypatch.setenv("COLUMNS", "40")
    lines = [line.split() for line in read(place, "--draws", 100).splitlines()]
    assert ["of", "all"] in lines
    assert lines[lines.index(["of", "all"]) + 6][:2] == ["kappa", "high"]
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.split() for line in read(place, "--draws", 100).splitlines()]
    (every,) = [line for line in lines if line[:2] == ["all", "all"]]
    assert len(every) == len(("of", "name", "sentences", "observed", "kappa", "low", "high"))


def test_read_says_what_is_next(place):
    plan(place)
    judge(place)
    assert "Next: fill in the column decision" in read(place, "--draws", 100)
    settled = {"other__m": LABELS["other__m"]}
    assert "Next: have the unfinished pairs judged" in _read_only(place, settled)
    agreed = {pair_id: dict.fromkeys(said, said["ann"]) for pair_id, said in LABELS.items()}
    assert "Next: vidomni build annotate stage2" in _read_only(place, agreed)


def _read_only(place: Path, labels: dict[str, dict[str, list[str]]]) -> str:
    for old in (place / "read").glob("*"):
        old.unlink()
    judge(place, labels)
    return read(place, "--draws", 100)


def test_the_plan_warns_of_what_merge_will_need(place):
    assert "warning" not in plan(place)
    write_lines(
        place / "data" / "videos.jsonl",
        [{k: v for k, v in VIDEOS[0].items() if k != "complexity_type"}, VIDEOS[1]],
    )
    said = plan(place, "--per-pair", "3", "--pilot", "0", "--overwrite")
    assert "warning: 1 video has no complexity_type" in said
    assert "'clip'" in said
    (place / "data" / "videos.jsonl").unlink()
    said = plan(place, "--per-pair", "3", "--pilot", "0", "--overwrite")
    assert "warning: there is no videos.jsonl" in said


def test_votes_that_are_not_there_say_who_writes_them(place):
    plan(place)
    with pytest.raises(InputProblems, match="`vidomni build annotate read` writes it"):
        run("stage2", *_plan(place), "--votes", place / "nope.jsonl", "--out", place / "stage2")
