"""The list for people to decide: what it holds, spreadsheets, mistakes, and nothing is lost."""

from __future__ import annotations

import csv
import json

import pytest

from tests.build.annotate.exported import (
    PEOPLE,
    annotation,
    as_json,
    caption,
    plan_of,
    tasks_of,
    verdicts,
)
from vidomni_plugin.build.annotate.adjudicate import Choice, cases
from vidomni_plugin.build.annotate.decisions import read_decisions
from vidomni_plugin.build.annotate.reading import read_exports, write_reading
from vidomni_plugin.build.annotate.votes import Judgement, Vote, VotedPair, VotedSentence
from vidomni_plugin.problems import InputProblems

SENTENCES = ["=SUM(1) is shown.", "It  stops,\nthen goes.", "It is red.", "It may be a toy."]
PLAN = plan_of([caption("a__m", SENTENCES), caption("b__m", ["One."])])
TASKS = tasks_of(PLAN)
VOTES = {
    "ann": ["Correct", "Correct", "Incorrect", "Unknown"],
    "ben": ["Incorrect", "Correct", "Incorrect", "Unknown"],
    "cai": ["Unknown", "Incorrect", "Incorrect", "Unknown"],
}


def read(tmp_path, votes=VOTES, **options):
    made = [
        annotation(k, name, verdicts(labels, {0: f"memo of {name}; a, b\nc"}))
        for k, (name, labels) in enumerate(votes.items(), 1)
    ]
    path = as_json(tmp_path / "export.json", [(TASKS["a__m"], made)])
    earlier = tmp_path / "out" / "adjudicate.csv"
    defaults = {
        "earlier": earlier if earlier.exists() else None,
        "accept_unassigned": False,
        "choice": Choice(),
        "draws": 100,
    }
    reading = read_exports([path], PLAN, PEOPLE, **(defaults | options))
    write_reading(tmp_path / "out", reading)
    return reading


def rows(tmp_path):
    with (tmp_path / "out" / "adjudicate.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def decide(tmp_path, *, delimiter=",", encoding="utf-8", **decisions):
    """Fill in the column as a spreadsheet would save it: ``s1="Correct"``."""
    listed = rows(tmp_path)
    for row in listed:
        row["decision"] = decisions.get(f"s{row['sentence']}", row["decision"])
    path = tmp_path / "out" / "adjudicate.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, listed[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(listed)
    return path


def test_what_is_listed(tmp_path):
    reading = read(tmp_path)
    listed = rows(tmp_path)
    assert [(row["sentence"], row["reason"], row["decision"]) for row in listed] == [
        ("1", "dispute", ""),
        ("2", "low share", ""),
        ("4", "Unknown", ""),
    ]
    assert listed[0]["votes"] == "ann=Correct; ben=Incorrect; cai=Unknown"
    assert listed[0]["memos"].startswith("ann: memo of ann; a, b c; ben: ")
    # A spreadsheet would run the sentence as a formula.
    assert listed[0]["text"] == "'=SUM(1) is shown."
    assert [case.must_decide for case in reading.cases] == [True, False, False]
    assert reading.unfinished == {"b__m": "judged by nobody"}
    lines = (tmp_path / "out" / "adjudicate.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["text"] == SENTENCES[0]
    assert [case.number for case in read(tmp_path, choice=Choice(confident=0.6)).cases] == [1, 4]


def test_pairs_that_are_not_finished_wait(tmp_path):
    """Their votes may still change: nobody should decide them yet."""
    reading = read(tmp_path, {"ann": VOTES["ann"]})
    assert reading.unfinished["a__m"].startswith("judged by 1")
    assert reading.cases == []


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_decisions_come_back_from_any_spreadsheet(tmp_path, delimiter, encoding):
    read(tmp_path)
    path = decide(tmp_path, delimiter=delimiter, encoding=encoding, s1="Correct", s2=" incorrect ")
    found = read_decisions(path, PLAN)
    assert found.problems == []
    assert {key: d.label for key, d in found.by_sentence.items()} == {
        ("a__m", 1): "Correct",
        ("a__m", 2): "Incorrect",
    }
    assert found.undecided == 1


def test_decisions_are_kept_when_the_votes_are_the_same(tmp_path):
    read(tmp_path)
    decide(tmp_path, s1="Incorrect")
    reading = read(tmp_path)
    assert [case.decision for case in reading.cases] == ["Incorrect", None, None]
    assert rows(tmp_path)[0]["decision"] == "Incorrect"
    assert reading.outdated == []


def test_decisions_on_votes_that_changed_are_put_aside_and_not_lost(tmp_path):
    read(tmp_path)
    decide(tmp_path, s1="Incorrect", s2="Correct")
    changed = VOTES | {"cai": ["Correct", "Correct", "Incorrect", "Unknown"]}
    reading = read(tmp_path, changed)
    assert [case.number for case in reading.cases] == [1, 4]
    assert reading.cases[0].decision is None
    read(tmp_path, changed)
    lines = (tmp_path / "out" / "outdated.jsonl").read_text(encoding="utf-8").splitlines()
    assert [(json.loads(x)["number"], json.loads(x)["label"]) for x in lines] == [
        (1, "Incorrect"),
        (2, "Correct"),
    ]


def test_what_was_put_aside_stays_as_it_is(tmp_path):
    """Also what somebody else wrote into the file, text or not."""
    read(tmp_path)
    decide(tmp_path, s1="Incorrect")
    aside = tmp_path / "out" / "outdated.jsonl"
    aside.write_bytes(b"\xff not ours")
    read(tmp_path, VOTES | {"cai": ["Correct"] * 4})
    first, line = aside.read_bytes().splitlines()
    assert first == b"\xff not ours"
    assert json.loads(line)["label"] == "Incorrect"


def test_a_list_with_mistakes_is_not_overwritten(tmp_path):
    read(tmp_path)
    path = decide(tmp_path, s1="maybe")
    before = path.read_bytes()
    with pytest.raises(InputProblems, match="'maybe' is no label"):
        read(tmp_path)
    assert path.read_bytes() == before


HEAD = "pair_id,sentence,text,decision\n"


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        (HEAD + "a__m,1,,Correkt\n", 2, "'Correkt' is no label"),
        (HEAD + "a__m,1,,\nz__m,1,,Correct\n", 3, "pair 'z__m' is not in the plan"),
        (HEAD + "a__m,5,,Correct\n", 2, "'5' is no sentence of pair 'a__m'"),
        (HEAD + "a__m,0,,Correct\n", 2, "'0' is no sentence"),
        (HEAD + "a__m,\u0661,,Correct\n", 2, "is no sentence"),
        (HEAD + "a__m,3,It is blue.,Correct\n", 2, "has another text in the plan"),
        (HEAD + 'a__m,3,"It is\nred.",Correct\na__m,3,,Incorrect\n', 4, "Correct at "),
        ("pair_id,sentence\na__m,1\n", 1, "no column decision"),
        ("", 1, "no column pair_id, sentence, decision"),
    ],
)
def test_rows_that_cannot_be_used(tmp_path, text, place, expected):
    path = tmp_path / "list.csv"
    path.write_text(text, encoding="utf-8")
    (problem,) = read_decisions(path, PLAN).problems
    assert problem.place == f"{path}:{place}"
    assert expected in problem.message


def test_a_list_that_is_no_text(tmp_path):
    path = tmp_path / "list.csv"
    path.write_bytes(b"pair_id;sentence;decision\n\xff\xfe")
    (problem,) = read_decisions(path, PLAN).problems
    assert "CSV UTF-8" in problem.message
    (problem,) = read_decisions(tmp_path / "none.csv", PLAN).problems
    assert "No such file" in problem.message


def test_rows_may_be_added_and_columns_left_out(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("decision,sentence,pair_id\nUnknown,1,b__m\n\n,,\n", encoding="utf-8")
    found = read_decisions(path, PLAN)
    assert found.problems == []
    assert found.by_sentence["b__m", 1].label == "Unknown"


def test_same_decision_twice_is_no_mistake(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(HEAD + "a__m,1,,Correct\na__m,1,,correct\n", encoding="utf-8")
    assert read_decisions(path, PLAN).problems == []


def test_a_sentence_that_was_decided_without_need_stays(tmp_path):
    read(tmp_path)
    path = tmp_path / "out" / "adjudicate.csv"
    with path.open("a", encoding="utf-8") as file:
        file.write("a__m,3,,,,,,,,Correct,seen twice\n")
    reading = read(tmp_path)
    assert [(c.number, c.reasons, c.decision, c.comment) for c in reading.cases if c.decision] == [
        (3, ("decided",), "Correct", "seen twice")
    ]
    assert reading.outdated == []
    assert [case.number for case in read(tmp_path).cases] == [1, 2, 3, 4]


def test_an_audit_draws_clear_sentences_and_counts_what_was_wrong(tmp_path):
    reading = read(tmp_path, choice=Choice(audit=5))
    assert [c.number for c in reading.cases if c.reasons == ("audit",)] == [3]
    assert reading.audit.rows == [("batch-001", 1, 0, 0, None)]
    decide(tmp_path, s3="Unknown")
    reading = read(tmp_path, choice=Choice(audit=5))
    assert reading.audit.rows == [("batch-001", 1, 1, 1, 1.0)]
    assert (tmp_path / "out" / "audit.csv").exists()


def test_the_draw_of_an_audit_depends_on_the_seed_and_hardly_on_what_is_missing():
    many = plan_of([caption(f"v{k}__m", ["One.", "Two."]) for k in range(60)])
    voted = [
        VotedPair(
            pair_id=data["pair_id"],
            video_id=data["video_id"],
            caption_source="m",
            batch=data["batch"],
            judgements=[
                Judgement(annotator=name, trusted=True, place="x") for name in ("ann", "ben")
            ],
            sentences=[
                VotedSentence(
                    text=sentence["text"],
                    votes=[Vote(annotator=n, label="Correct") for n in ("ann", "ben")],
                )
                for sentence in data["sentences"]
            ],
        )
        for data in tasks_of(many).values()
    ]

    def drawn(pairs, seed):
        return {(c.pair_id, c.number) for c in cases(many, pairs, Choice(audit=10, seed=seed))}

    assert len(drawn(voted, 1)) == 10
    assert drawn(voted, 1) == drawn(voted[::-1], 1) != drawn(voted, 2)
    assert len(drawn(voted, 1) & drawn(voted[:55], 1)) >= 7


FORMULAS = ["=1+1", "@SUM(A1)", "-2+3", "\uff1d1+1", "a;=HYPERLINK(1)", "a;'=b", "'quoted'"]
"""Texts that a spreadsheet must not run, whatever separates its cells."""


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_no_cell_is_a_formula_and_the_list_comes_back(tmp_path, delimiter):
    plan = plan_of([caption("a__m", FORMULAS)])
    made = [
        annotation(k, name, verdicts([label] * len(FORMULAS), {0: "=memo", 1: "x;@y"}))
        for k, (name, label) in enumerate({"ann": "Correct", "ben": "Incorrect"}.items(), 1)
    ]
    path = as_json(tmp_path / "export.json", [(tasks_of(plan)["a__m"], made)])
    options = {"accept_unassigned": False, "choice": Choice(), "draws": 100}
    out = tmp_path / "out"
    write_reading(out, read_exports([path], plan, PEOPLE, earlier=None, **options))
    text = (out / "adjudicate.csv").read_text(encoding="utf-8")
    for split in (",", ";"):
        cells = [cell for row in csv.reader(text.splitlines(), delimiter=split) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\uff1d"))]
    listed = list(csv.DictReader(text.splitlines()))
    for row in listed:
        row["decision"], row["comment"] = "Unknown", "=why;-not"
    with (out / "adjudicate.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, listed[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(listed)
    again = read_exports([path], plan, PEOPLE, earlier=out / "adjudicate.csv", **options)
    assert [case.decision for case in again.cases] == ["Unknown"] * len(FORMULAS)
    assert {case.comment for case in again.cases} == {"=why;-not"}
    assert not again.outdated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("decision,pair_id,sentence\nCorrect\n", "pair '' is not in the plan"),
        ("decision,pair_id,sentence,decision\nCorrect,a__m,1,Unknown\n", "'decision' stands twice"),
        (f"pair_id,sentence,decision\na__m,{'9' * 5000},Correct\n", "is no sentence"),
        ('pair_id,sentence,decision\n"a__m,1,Correct\na__m,2,Correct\n', ":3: no CSV"),
        (f"pair_id,sentence,text,decision\na__m,1,{'x' * 200_000},Correct\n", "another text"),
    ],
)
def test_broken_lists_are_named(tmp_path, text, expected):
    path = tmp_path / "list.csv"
    path.write_text(text, encoding="utf-8")
    found = read_decisions(path, PLAN)
    assert not found.by_sentence
    assert expected in str(found.problems[0])


def test_comments_without_a_decision_are_kept(tmp_path):
    read(tmp_path)
    listed = rows(tmp_path)
    listed[0]["comment"] = "ask ann"
    with (tmp_path / "out" / "adjudicate.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, listed[0].keys())
        writer.writeheader()
        writer.writerows(listed)
    read(tmp_path)
    assert rows(tmp_path)[0]["comment"] == "ask ann"
    assert rows(tmp_path)[0]["decision"] == ""


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), -1.0])
def test_times_and_memos_that_no_file_can_hold(tmp_path, seconds):
    made = [
        annotation(k, name, verdicts(["Correct"] * 4, {0: "a\ud800"}), lead_time=seconds)
        for k, name in enumerate(("ann", "ben"), 1)
    ]
    path = as_json(tmp_path / "export.json", [(TASKS["a__m"], made)])
    reading = read_exports(
        [path], PLAN, PEOPLE, earlier=None, accept_unassigned=False, choice=Choice(), draws=100
    )
    write_reading(tmp_path / "out", reading)
    assert [j.lead_time_s for j in reading.pairs[0].judgements] == [None, None]
    assert reading.pairs[0].sentences[0].votes[0].memo == "a\\ud800"


@pytest.mark.parametrize("voters", [["ann", "ann"], ["ann", "eve"], ["ann", "ben", "ben"]])
def test_nobody_votes_twice_and_nobody_else_votes(voters):
    vote = [Vote(annotator=name, label="Correct") for name in voters]
    with pytest.raises(ValueError, match="not one each"):
        VotedPair(
            pair_id="a__m",
            video_id="a",
            caption_source="m",
            batch="pilot",
            judgements=[Judgement(annotator=n, trusted=True, place="x") for n in ("ann", "ben")],
            sentences=[VotedSentence(text="One.", votes=vote)],
        )


def test_decisions_that_are_saved_meanwhile_are_not_overwritten(tmp_path):
    reading = read(tmp_path)
    decide(tmp_path, s1="Correct")
    path = tmp_path / "out" / "adjudicate.csv"
    saved = path.read_bytes()
    with pytest.raises(InputProblems, match="saved while this ran"):
        write_reading(tmp_path / "out", reading)
    assert path.read_bytes() == saved
    assert read(tmp_path).cases[0].decision == "Correct"
