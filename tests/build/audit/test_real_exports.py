"""Exports of a real Label Studio; ``python -m tests.label_studio.make_audit_exports`` made them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.label_studio.audit_story import PEOPLE, judgements
from vidomni_plugin.build.annotate.annotators import read_annotators
from vidomni_plugin.build.audit.exports import read_exports
from vidomni_plugin.build.audit.files import read_sample, read_team
from vidomni_plugin.build.audit.labels import CODES, INVALID
from vidomni_plugin.build.audit.projects import FOLDERS, addresses, person_tasks
from vidomni_plugin.build.audit.score import Bootstrap, score
from vidomni_plugin.data.locate import mini_root

EXPORTS = Path(__file__).parent / "exports"
SAMPLE = read_sample(EXPORTS / "audit")
TEAM = read_team(EXPORTS / "audit")


def exports(kind: str) -> list[Path]:
    return [EXPORTS / f"{place}{kind}.json" for place in FOLDERS]


@pytest.mark.parametrize("kind", ["", "_min"])
def test_what_was_submitted_is_read(kind):
    found = read_exports(exports(kind))
    assert (found.problems, found.notes) == ([], [])
    said = judgements(SAMPLE.items)
    got = {(one.task.item, one.task.person): one for one in found.said}
    assert {key: (one.label, one.failed, one.memo) for key, one in got.items()} == {
        key: (one.label, one.failed, one.memo) for key, one in said.items()
    }
    assert len(found.said) == len(said)


@pytest.mark.parametrize("kind", ["", "_min"])
def test_the_figures(kind):
    assert TEAM is not None
    people = read_annotators(EXPORTS / "annotators.yaml")
    found = score(exports(kind), SAMPLE, TEAM, people, bootstrap=Bootstrap(draws=100))
    figures = found.record["figures"]
    whole = figures["all"]
    assert (whole["items"], whole["correct"], whole["identical"]) == (8, 5, 5)
    wrong = [code for code in CODES if not figures[code]["correct"]]
    assert wrong == ["AVH", "TRH", "CPH"]
    assert [code for code in CODES if not figures[code]["identical"]] == ["EEH", "ECH", "TRH"]
    # Worker 1 said it of one item, worker 2 of that one and another: 7/8 alike, by chance 44/64.
    assert figures[INVALID]["kappa"]["value"] == pytest.approx((7 / 8 - 44 / 64) / (1 - 44 / 64))
    assert found.record["looked_at"] == 6


def test_both_formats_together_count_once():
    assert TEAM is not None
    both = [*exports(""), *exports("_min")]
    found = score(both, SAMPLE, TEAM, TEAM.people, bootstrap=Bootstrap(draws=100))
    assert found.record["items"] == 8
    assert {note.code for note in found.notes} == {"same-annotation"}


def test_the_tasks_are_those_that_are_made_today():
    assert TEAM is not None
    videos = addresses(SAMPLE.items, mini_root("vidhalloc").path, TEAM.video_url)
    for place, person in zip(FOLDERS, TEAM.people, strict=True):
        assert person.name == PEOPLE[place]
        loaded = json.loads((EXPORTS / f"{place}.json").read_text(encoding="utf-8"))
        exported = [task["data"] for task in sorted(loaded, key=lambda task: task["id"])]
        assert exported == [t["data"] for t in person_tasks(SAMPLE, TEAM, person, videos)]
