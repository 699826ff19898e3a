"""A real Label Studio: our projects, three annotators, both exports, and what is read back.

Runs where VIDOMNI_LABEL_STUDIO names a label-studio executable; `make test-label-studio`
installs one and runs this.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import run_host
from tests.label_studio import story, workflow
from tests.label_studio.reading import read_back1, read_back2
from tests.label_studio.server import Server, running
from tests.label_studio.workflow import Prepared, Stage
from vidomni_plugin.build.annotate import labelling
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.data.releases import read_vidomni

pytestmark = [
    pytest.mark.label_studio,
    pytest.mark.skipif(
        not os.environ.get("VIDOMNI_LABEL_STUDIO"),
        reason="VIDOMNI_LABEL_STUDIO names no label-studio; `make test-label-studio` does",
    ),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("label-studio"), mini_root("vidomni").path) as started:
        yield started


@pytest.fixture(scope="module")
def prepared(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return workflow.prepare(server, tmp_path_factory.mktemp("workflow"))


@pytest.fixture(scope="module")
def first(prepared: Prepared) -> Stage:
    return workflow.first_stage(prepared)


@pytest.fixture(scope="module")
def second(prepared: Prepared, first: Stage) -> Stage:
    return workflow.second_stage(prepared, first)


@pytest.mark.parametrize("stage", [1, 2])
def test_our_configs_are_valid(prepared, stage):
    config = labelling.project(stage, "any", 2)["label_config"]
    answer = prepared.boss.http.post("/api/projects/validate/", json={"label_config": config})
    assert (answer.status_code, answer.text) == (204, "")


def test_a_broken_config_is_refused(prepared):
    config = labelling.stage1_config().replace('toName="sentence_{{idx}}"', 'toName="nothing"')
    answer = prepared.boss.http.post("/api/projects/validate/", json={"label_config": config})
    assert answer.status_code == httpx.codes.BAD_REQUEST


def test_every_pair_is_a_task_with_its_sentences(prepared, first):
    got = prepared.boss.get("/api/tasks/", project=first.project, fields="all")["tasks"]
    shown = {t["data"]["pair_id"]: [s["text"] for s in t["data"]["sentences"]] for t in got}
    assert shown == {
        pair_id: [sentence.text for sentence in pair.sentences]
        for pair_id, pair in story.gold().items()
    }


def test_videos_are_served_to_who_is_logged_in_and_can_be_sought_in(server, prepared, first):
    video = prepared.tasks[0]["data"]["video"]
    file = workflow.served() / video.rpartition("/")[2]
    part = prepared.people["cem"].http.get(video, headers={"Range": "bytes=100-199"})
    assert part.status_code == httpx.codes.PARTIAL_CONTENT
    assert part.content == file.read_bytes()[100:200]
    stranger = httpx.get(server.url + video, trust_env=False)
    assert stranger.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}


@pytest.mark.parametrize("name", story.PEOPLE)
def test_an_annotators_tab_holds_their_tasks_and_no_others(prepared, first, name):
    tab = prepared.boss.post("/api/dm/views/", labelling.assigned_tab(first.project, name))
    got = prepared.people[name].get("/api/tasks/", view=tab["id"], fields="all")["tasks"]
    theirs = [t for t in prepared.tasks if name in labelling.assigned_to(t["data"])]
    assert {t["data"]["pair_id"] for t in got} == {t["data"]["pair_id"] for t in theirs}
    assert theirs


def test_label_tasks_as_displayed_stays_within_the_tab(prepared, first):
    cem, project = prepared.people["cem"], first.project
    filters = labelling.assigned_tab(project, "cem")["data"]["filters"]
    # Everything of cem's is done; other people's pairs are open still.
    following = {"id": "next_task", "project": project}
    offered = cem.post("/api/dm/actions/", {}, **following)["data"]
    assert "cem" not in labelling.assigned_to(offered)
    done = cem.http.post("/api/dm/actions/", json={"filters": filters}, params=following)
    assert done.status_code == httpx.codes.NOT_FOUND


@pytest.mark.skipif(not shutil.which("curl"), reason="the page calls curl")
def test_the_commands_of_the_page_make_the_project(server, prepared):
    page = (Path(__file__).parents[2] / "docs" / "label_studio.md").read_text(encoding="utf-8")
    script = page.split("<!-- run by tests/label_studio")[1].split("```sh\n")[1].split("```")[0]
    before = {one["id"] for one in prepared.boss.get("/api/projects/")["results"]}
    env = {
        **os.environ,
        "LS": server.url,
        "TOKEN": server.token,
        "VIDEOS": str(workflow.served()),
        "PYTHON": sys.executable,
        "NO_PROXY": "127.0.0.1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=prepared.folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = [p for p in prepared.boss.get("/api/projects/")["results"] if p["id"] not in before]
    assert (made["task_number"], made["maximum_annotations"]) == (len(story.PAIRS), 3)
    tabs = prepared.boss.get("/api/dm/views/", project=made["id"])
    assert [tab["data"]["title"] for tab in tabs] == list(story.PEOPLE)
    assert prepared.boss.get("/api/storages/localfiles", project=made["id"])


@pytest.mark.parametrize("way", ["json", "json_min", "snapshot"])
def test_stage_1_is_read_back_as_it_was_submitted(prepared, first, way):
    got = read_back1(getattr(first, way), prepared.numbers())
    # JSON-MIN leaves skipped tasks out.
    wanted = story.wanted1(first.tasks)
    assert got == {k: v for k, v in wanted.items() if way != "json_min" or not v.skipped}


@pytest.mark.parametrize("way", ["json", "json_min", "snapshot"])
def test_stage_2_is_read_back_as_it_was_submitted(prepared, second, way):
    got = read_back2(getattr(second, way), prepared.numbers())
    assert got == story.wanted2(second.tasks)


@pytest.mark.host
def test_the_new_items_are_scored_by_the_host(prepared, second, tmp_path):
    folder = prepared.folder
    data = folder / "data"
    workflow.vidomni(
        *("build", "annotate", "merge", "--plan", folder / "plan", *workflow.votes(folder)),
        *("--stage2", second.json, "--videos", data / "videos.jsonl", "--out", data),
    )
    pairs = {entry.record.pair_id: entry.record for entry in read_vidomni(data).entries}
    labels = {k: [s.label for s in pair.sentences] for k, pair in pairs.items()}
    assert labels == {k: [s.label for s in pair.sentences] for k, pair in story.gold().items()}
    for pair_id, pair in story.gold().items():
        for made, sentence in zip(pairs[pair_id].sentences, pair.sentences, strict=True):
            marked = [(error.text, error.category) for error in made.errors]
            assert {(e.text, e.category) for e in sentence.errors} <= set(marked)
    responses = tmp_path / "responses.jsonl"
    lines = [
        {"id": k, "response": json.dumps({f"sentence_{n}": v or 0 for n, v in enumerate(own, 1)})}
        for k, own in labels.items()
    ]
    responses.write_text("".join(json.dumps(a) + "\n" for a in lines), encoding="utf-8")
    run = run_host(
        tmp_path / "out",
        *("--model", "vidomni_replay", "--model_args", f"responses={responses}"),
        *("--tasks", "vidomni"),
        VIDOMNI_DATA=str(data),
    )
    assert run.code == 0, run.output
    scores = run.scores("vidomni")
    assert scores["micro_f1"] == pytest.approx(100.0)
    assert scores["unlabelled"] == 0.0
