"""Which annotation counts: one an annotator and pair, the last one, of who was asked."""

from __future__ import annotations

import pytest

from tests.build.annotate.exported import (
    PEOPLE,
    annotation,
    as_json,
    as_min,
    caption,
    plan_of,
    tasks_of,
    verdicts,
)
from vidomni_plugin.build.annotate.collect import collect_votes, unfinished
from vidomni_plugin.build.annotate.exports import read_stage1

PLAN = plan_of([caption("a__m", ["One.", "Two."]), caption("b__m", ["Three."])])
TASKS = tasks_of(PLAN)
YES, NO = verdicts(["Correct", "Correct"]), verdicts(["Incorrect", "Incorrect"])


def collect(tmp_path, *made, write=as_json, people=PEOPLE, plan=PLAN, pair="a__m", **options):
    path = write(tmp_path / f"{write.__name__}.json", [(TASKS[pair], made)])
    return collect_votes(plan, read_stage1([path]).annotations, people, **options)


def votes_of(collected, pair_id="a__m"):
    (pair,) = [pair for pair in collected.pairs if pair.pair_id == pair_id]
    return [{vote.annotator: vote.label for vote in s.votes} for s in pair.sentences]


@pytest.mark.parametrize("write", [as_json, as_min])
def test_votes_are_by_annotator(tmp_path, write):
    made = [annotation(1, "ann", YES), annotation(2, "ben", NO)]
    collected = collect(tmp_path, *made, write=write)
    assert (collected.problems, collected.notes) == ([], [])
    assert votes_of(collected) == [{"ann": "Correct", "ben": "Incorrect"}] * 2
    (pair,) = collected.pairs
    assert [(j.annotator, j.trusted, j.lead_time_s) for j in pair.judgements] == [
        ("ann", True, 10.0),
        ("ben", False, 20.0),
    ]


def test_the_later_of_two_annotations_counts_and_the_other_is_named(tmp_path):
    late = {"updated_at": "2026-11-30T09:00:00Z"}
    collected = collect(tmp_path, annotation(1, "ann", NO, **late), annotation(2, "ann", YES))
    assert votes_of(collected) == [{"ann": "Incorrect"}] * 2
    (note,) = collected.notes
    assert note.code == "replaced"
    assert "annotation 2" in note.place
    assert "annotation 1" in note.message


def test_an_annotation_without_labels_replaces_nothing(tmp_path):
    collected = collect(tmp_path, annotation(1, "ann", YES), annotation(2, "ann", []))
    assert votes_of(collected) == [{"ann": "Correct"}] * 2
    assert [note.code for note in collected.notes] == ["no-label"]


def test_a_skipped_task_is_no_vote(tmp_path):
    collected = collect(tmp_path, annotation(1, "ann", YES, was_cancelled=True))
    assert collected.pairs == []
    assert [note.code for note in collected.notes] == ["skipped"]


def test_a_sentence_without_a_label_has_no_vote(tmp_path):
    collected = collect(tmp_path, annotation(1, "ann", verdicts(["Correct", None])))
    assert votes_of(collected) == [{"ann": "Correct"}, {}]
    (note,) = collected.notes
    assert (note.code, "sentences 2 of pair 'a__m'" in note.message) == ("missing-label", True)


def test_the_same_export_in_both_formats_counts_once(tmp_path):
    entry = [(TASKS["a__m"], [annotation(1, "ann", YES), annotation(2, "ben", NO)])]
    paths = [as_json(tmp_path / "x.json", entry), as_min(tmp_path / "y.json", entry)]
    collected = collect_votes(PLAN, read_stage1(paths).annotations, PEOPLE)
    assert votes_of(collected) == [{"ann": "Correct", "ben": "Incorrect"}] * 2
    assert collected.problems == []
    assert [note.code for note in collected.notes] == ["same-annotation"] * 2


def test_two_versions_of_one_annotation_of_the_same_time_are_an_error(tmp_path):
    one = as_json(tmp_path / "x.json", [(TASKS["a__m"], [annotation(1, "ann", YES)])])
    two = as_json(tmp_path / "y.json", [(TASKS["a__m"], [annotation(1, "ann", NO)])])
    (problem,) = collect_votes(PLAN, read_stage1([one, two]).annotations, PEOPLE).problems
    assert problem.code == "two-annotations"


def test_numbers_are_learnt_from_an_export_with_addresses(tmp_path):
    nameless = tuple(person.model_copy(update={"label_studio_id": None}) for person in PEOPLE)
    named = as_json(tmp_path / "x.json", [(TASKS["a__m"], [annotation(1, "ann", YES)])])
    numbers = as_min(tmp_path / "y.json", [(TASKS["b__m"], [annotation(2, "ann", YES[:1])])])
    (problem,) = collect_votes(PLAN, read_stage1([numbers]).annotations, nameless).problems
    assert problem.code == "unknown-annotator"
    assert "account number 2" in problem.message
    collected = collect_votes(PLAN, read_stage1([named, numbers]).annotations, nameless)
    assert collected.problems == []
    assert votes_of(collected, "b__m") == [{"ann": "Correct"}]


def test_what_does_not_fit_the_plan(tmp_path):
    made = [annotation(1, "ann", YES)]
    other = plan_of([caption("a__m", ["One.", "2."])])
    (problem,) = collect(tmp_path, *made, plan=other).problems
    assert "sentence 2 is not the plan's" in problem.message
    fewer = plan_of([caption("a__m", ["One."])])
    (problem,) = collect(tmp_path, *made, plan=fewer).problems
    assert "has 2 sentences, the plan 1" in problem.message
    (problem,) = collect(tmp_path, *made, plan=plan_of([caption("z__m", ["One."])])).problems
    assert problem.code == "unknown-pair"


def test_people_who_were_not_asked(tmp_path):
    plan = plan_of([caption("a__m", ["One.", "Two."])], PEOPLE, per_pair=2)
    (stranger,) = {"ann", "ben", "cai"} - set(plan.pairs["a__m"].annotators)
    made = annotation(1, stranger, YES)
    (problem,) = collect(tmp_path, made, plan=plan).problems
    assert problem.code == "not-assigned"
    collected = collect(tmp_path, made, plan=plan, accept_unassigned=True)
    assert (collected.problems, len(collected.pairs)) == ([], 1)


def test_pairs_that_are_not_finished(tmp_path):
    collected = collect(tmp_path, annotation(1, "ben", YES), annotation(2, "cai", YES))
    assert unfinished(PLAN, collected.pairs) == {
        "a__m": "judged by no trusted annotator",
        "b__m": "judged by nobody",
    }
    collected = collect(tmp_path, annotation(1, "ann", YES))
    assert unfinished(PLAN, collected.pairs)["a__m"] == "judged by 1; at least 2 have to"
    collected = collect(tmp_path, annotation(1, "ann", YES), annotation(2, "cai", YES))
    assert "a__m" not in unfinished(PLAN, collected.pairs)
