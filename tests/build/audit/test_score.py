"""From exports to figures: what is read, and everything that stops a score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.build.audit.exported import (
    LEAVES,
    PEOPLE,
    annotation,
    as_json,
    as_min,
    items,
)
from tests.label_studio.audit_story import Judgement
from vidomni_plugin.build.audit.files import Sample, SampleSettings, Team
from vidomni_plugin.build.audit.labels import INVALID
from vidomni_plugin.build.audit.projects import person_tasks
from vidomni_plugin.build.audit.score import Bootstrap, Scored, score
from vidomni_plugin.problems import InputProblems

ITEMS = items([leaf for leaf in LEAVES for _ in range(2)])
PRACTICE = items([LEAVES[0], LEAVES[4]], "calibration")
SETTINGS = SampleSettings(
    seed=1,
    per_category=2,
    calibration=2,
    allow_fewer=False,
    source_sha256="0" * 64,
    numpy="2",
)
SAMPLE = Sample(settings=SETTINGS, items=[*ITEMS, *PRACTICE])
TEAM = Team(workers=(PEOPLE[0], PEOPLE[1]), reference=PEOPLE[2], seed=1, video_url="/v/")
Tasks = dict[str, dict[str, Any]]


def tasks(name: str) -> Tasks:
    """Return the data of one person's tasks by item."""
    person = next(person for person in PEOPLE if person.name == name)
    videos = {item.item: "/v/x.mp4" for item in SAMPLE.items}
    made = person_tasks(SAMPLE, TEAM, person, videos)
    return {task["data"]["item"]: task["data"] for task in made}


def annotated(
    name: str, changes: Mapping[int, Judgement | None] | None = None
) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return everything one person judged: the original label but for ``changes`` by item."""
    own, made = tasks(name), []
    for k, item in enumerate(SAMPLE.items):
        said = (changes or {}).get(k, Judgement(item.label))
        made.append((own[item.item], [annotation(k + 1, name, said)] if said else []))
    return made


def scored(folder: Path, write: Any = as_json, **by: Any) -> Scored:
    """Score exports of all three; ``ann=`` and so on replace what was judged."""
    paths = [
        write(folder / f"{name}.json", by.get(name) or annotated(name))
        for name in ("cem", "ann", "ben")
    ]
    return run(paths)


def run(paths: list[Path], **more: Any) -> Scored:
    return score(paths, SAMPLE, TEAM, PEOPLE, bootstrap=Bootstrap(draws=100), **more)


def told(paths: list[Path], **more: Any) -> list[str]:
    with pytest.raises(InputProblems) as raised:
        run(paths, **more)
    return [str(problem) for problem in raised.value.problems]


def three(folder: Path, **by: Any) -> list[Path]:
    scored_paths = [folder / f"{name}.json" for name in ("cem", "ann", "ben")]
    for path in scored_paths:
        as_json(path, by.get(path.stem) or annotated(path.stem))
    return scored_paths


SWAPPED = {0: Judgement(LEAVES[1]), 5: Judgement(INVALID, ("supported",), "no such thing")}


@pytest.mark.parametrize("write", [as_json, as_min])
def test_figures_of_an_audit(tmp_path, write):
    found = scored(
        tmp_path,
        write,
        cem=annotated("cem", {5: Judgement(INVALID, ("supported",))}),
        ann=annotated("ann", SWAPPED),
    )
    whole = found.record["figures"]["all"]
    assert (whole["items"], whole["correct"], whole["identical"]) == (16, 15, 14)
    assert found.record["figures"]["EQH"]["correct"] == 1
    rows = {row[0]: row for row in found.audit.rows}
    assert list(rows["all"][1:5]) == [16, 15, 93.75, 98.75]  # the last one is the paper's
    assert list(rows[INVALID][:3]) == [INVALID, None, None]
    labels = {row[0]: list(row[1:]) for row in found.tables[1].rows}
    assert labels["EEH"] == [2, 2, 1, 2]
    assert labels[INVALID] == [0, 1, 1, 0]
    reasons = {look.judged.item.item: look.reasons for look in found.looks}
    assert reasons == {
        ITEMS[0].item: ("workers differ",),
        ITEMS[5].item: ("reference differs from the original", "workers differ", INVALID),
    }
    record = found.looks[1].record()
    assert record["worker_1"]["failed_checks"] == ["supported"]
    assert record["worker_1"]["memo"] == "no such thing"
    assert record["worker_1"]["place"].endswith("ann.json: task 6, annotation 6")


def test_a_label_that_does_not_fit_its_checks_counts_and_is_listed(tmp_path):
    odd = {3: Judgement(ITEMS[3].label, ("only_target",)), 4: Judgement(INVALID)}
    found = scored(tmp_path, ben=annotated("ben", odd))
    reasons = {look.judged.item.item: look.reasons for look in found.looks}
    assert reasons[ITEMS[3].item] == ("label and checks do not fit",)
    assert reasons[ITEMS[4].item][-1] == "label and checks do not fit"
    assert found.record["figures"]["all"]["identical"] == 15
    checks = {row[1]: list(row[2:]) for row in found.tables[2].rows}
    assert checks["ben"] == [16, 1, 0, 0, 1, 2]


def test_calibration_is_shown_apart(tmp_path):
    found = scored(tmp_path, ann=annotated("ann", {16: Judgement(LEAVES[7])}))
    assert found.record["figures"]["all"]["identical"] == 16
    rows = {tuple(row[:2]): list(row[2:5]) for row in found.tables[3].rows}
    assert rows["original", "worker 1"] == [2, 1, 50.0]
    assert rows["worker 1", "worker 2"] == [2, 1, 50.0]
    assert rows["reference", "worker 2"] == [2, 2, 100.0]


def test_nobody_needs_to_have_judged_the_calibration(tmp_path):
    found = scored(tmp_path, ann=annotated("ann", {16: None, 17: None}))
    assert list(found.tables[3].rows[1]) == ["original", "worker 1", 0, 0, None, None]


def test_every_item_that_is_missing_is_named(tmp_path):
    paths = three(tmp_path, ann=annotated("ann", {2: None}), cem=annotated("cem", {2: None}))
    assert told(paths) == [f"item {ITEMS[2].item}: not judged by cem, ann [not-judged]"]
    found = run(paths, leave_out_unfinished=True)
    assert found.record["left_out"] == [ITEMS[2].item]
    assert found.record["figures"]["ECH"]["items"] == 1
    assert "left out: 1" in " ".join(found.audit.notes)
    assert [note.code for note in found.notes] == ["not-judged"]


def test_a_category_that_nobody_finished_is_no_number(tmp_path):
    paths = three(tmp_path, ann=annotated("ann", {2: None, 3: None}))
    (problem,) = told(paths, leave_out_unfinished=True)
    assert "ECH: no item that all judged [too-few]" in problem


def test_an_export_that_is_lacking_is_missing_items(tmp_path):
    problems = told(three(tmp_path)[:2])
    assert len(problems) == 16
    assert all("not judged by ben" in problem for problem in problems)


def test_an_item_judged_twice_is_named_and_none_is_chosen(tmp_path):
    made = annotated("ann")
    again = annotation(99, "ann", Judgement(LEAVES[3]), updated_at="2027-01-01T00:00:00Z")
    made[4][1].append(again)
    (problem,) = told(three(tmp_path, ann=made))
    assert problem == (
        f"{tmp_path}/ann.json: task 5, annotation 99: ann on {ITEMS[4].item!r}: judged at "
        f"{tmp_path}/ann.json: task 5, annotation 5 already [judged-twice]"
    )


def test_the_same_annotation_in_two_exports_counts_once(tmp_path):
    paths = three(tmp_path)
    more = as_min(tmp_path / "ann_min.json", annotated("ann"))
    found = run([*paths, more])
    assert found.record["figures"]["all"]["identical"] == 16
    assert {note.code for note in found.notes} == {"same-annotation"}


def test_an_annotation_that_changed_between_two_exports(tmp_path):
    later = as_json(tmp_path / "later.json", annotated("ann", {0: Judgement(LEAVES[5])}))
    (problem,) = told([*three(tmp_path), later])
    assert "was changed since, or before" in problem
    assert "[two-annotations]" in problem


def changed(name: str, k: int, **data: Any) -> Any:
    made = annotated(name)
    made[k][0].update(data)
    return made


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"item": "item-of-another"}, "unknown-item"),
        ({"answer_b": "edited"}, "changed-item"),
        ({"question": "edited"}, "changed-item"),
        ({"batch": "calibration"}, "changed-item"),
        ({"person": "eve"}, "unknown-annotator"),
    ],
)
def test_a_task_that_is_not_of_the_sample(tmp_path, change, code):
    problems = told(three(tmp_path, ben=changed("ben", 6, **change)))
    assert problems[0].startswith(f"{tmp_path}/ben.json: task 7, annotation 7: ")
    assert f"[{code}]" in problems[0]
    if code == "unknown-item":  # which of the sample's it should have been is not known
        assert "not judged by ben" in problems[1]
    else:
        assert len(problems) == 1


def test_who_is_unknown_or_labels_in_another_project(tmp_path):
    made = annotated("ann")
    made[0][1][0]["completed_by"] = 77
    made[1][1][0]["completed_by"] = {"id": 3, "email": "ben@lab.org"}
    problems = told(three(tmp_path, ann=made))
    assert "account number 77 is no annotator [unknown-annotator]" in problems[0]
    assert "ben judged item" in problems[1]
    assert "in the project of ann [not-assigned]" in problems[1]


def result(name: str, *words: str) -> dict[str, Any]:
    value = {"choices": list(words)}
    return {"from_name": name, "to_name": "question", "type": "choices", "value": value}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "label: no answer"),
        ([result("label", "Entity")], "label: 'Entity' is not one of"),
        ([result("label", LEAVES[0], LEAVES[1])], "is not one of"),
        ([result("label", LEAVES[0])], "supported: no answer"),
        ([result("verdict_0", "Correct")], "'verdict_0' is no control of an audit"),
        ([result("label", "\x1b[31mred")], "is not one of"),
    ],
)
def test_an_annotation_that_cannot_be_used(tmp_path, parts, message):
    made = annotated("cem")
    made[3][1][0]["result"] = parts
    with pytest.raises(InputProblems) as raised:
        run(three(tmp_path, cem=made))
    text = str(raised.value)
    assert f"{tmp_path}/cem.json: task 4, annotation 4: " in text
    assert message in text
    assert "\x1b" not in text


def test_skipped_tasks_and_drafts_are_no_annotations(tmp_path):
    made = annotated("ben")
    made[2][1][0]["was_cancelled"] = True
    paths = three(tmp_path, ben=made)
    loaded = json.loads(paths[2].read_text())
    loaded[5]["drafts"] = [{"id": 4, "user": "ben@lab.org"}]
    paths[2].write_text(json.dumps(loaded))
    assert told(paths) == [f"item {ITEMS[2].item}: not judged by ben [not-judged]"]
    notes = {note.code: str(note) for note in run(paths, leave_out_unfinished=True).notes}
    assert "account number 3 skipped 'item-audit-002'" in notes["skipped"]
    assert "on 'item-audit-005': not submitted" in notes["draft"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "no annotation in it"),
        ("{", "not whole JSON"),
        ("{}", "not a list of tasks"),
        ('[{"data": {}, "annotations": []}]', "data.item: Field required"),
        ('[{"id": 1}]', "item: Field required"),
        ("[1]", "entry 1"),
    ],
)
def test_files_that_are_no_exports(tmp_path, content, message):
    bad = tmp_path / "bad.json"
    bad.write_text(content)
    problems = told([*three(tmp_path), bad])
    assert any(message in problem and "bad.json" in problem for problem in problems)


@pytest.mark.parametrize("leave_out_unfinished", [False, True])
@pytest.mark.parametrize("content", [None, "[", "[]"])
def test_an_export_that_cannot_be_read_is_the_only_fault(tmp_path, content, leave_out_unfinished):
    paths = three(tmp_path, ann=annotated("ann", {2: None}))
    if content is None:
        paths[2].unlink()
    else:
        paths[2].write_text(content)
    fault, *more = told(paths, leave_out_unfinished=leave_out_unfinished)
    assert fault.startswith(f"{tmp_path}/ben.json")
    # What was read and lacks something by itself is told at the same time.
    lacking = f"item {ITEMS[2].item}: not judged by ann, ben [not-judged]"
    assert more == ([] if leave_out_unfinished else [lacking])


def test_an_annotation_that_cannot_be_used_is_the_only_fault(tmp_path):
    made = annotated("cem")
    made[3][1][0]["result"] = []
    problems = told(three(tmp_path, cem=made))
    assert problems
    assert all("cem.json: task 4, annotation 4: " in problem for problem in problems)


def test_an_export_of_another_kind_of_project_is_told(tmp_path):
    other = Path(__file__).parents[1] / "annotate" / "exports" / "stage1.json"
    problems = told([*three(tmp_path), other])
    assert any("data.item: Field required [export]" in problem for problem in problems)


def test_a_person_sees_nothing_of_the_label_and_has_an_own_order():
    orders = {name: list(tasks(name)) for name in ("ann", "ben", "cem")}
    assert len({tuple(order) for order in orders.values()}) == 3
    assert {frozenset(order) for order in orders.values()} == {
        frozenset(item.item for item in SAMPLE.items)
    }
    for order in orders.values():  # the calibration comes first
        assert {name.split("-")[1] for name in order[:2]} == {"calibration"}
    shown = json.dumps(tasks("ann"))
    assert not any(leaf in shown for leaf in LEAVES)
    assert "pair_v" not in shown
    assert tasks("ann")[ITEMS[0].item].keys() == {
        *("item", "batch", "person", "video", "question", "answer_a", "answer_b")
    }
