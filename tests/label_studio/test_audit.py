"""A real Label Studio: the three projects of an audit, their exports, and what is read back.

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

from tests.label_studio import audit_story
from tests.label_studio.audit_story import PEOPLE
from tests.label_studio.client import Person
from tests.label_studio.server import Server, running
from tests.label_studio.workflow import tasks_in, vidomni
from vidomni_plugin.build.audit.exports import read_exports
from vidomni_plugin.build.audit.files import read_sample
from vidomni_plugin.build.audit.projects import FOLDERS, config
from vidomni_plugin.data.locate import mini_root

pytestmark = [
    pytest.mark.label_studio,
    pytest.mark.skipif(
        not os.environ.get("VIDOMNI_LABEL_STUDIO"),
        reason="VIDOMNI_LABEL_STUDIO names no label-studio; `make test-label-studio` does",
    ),
]
VIDEOS = mini_root("vidhalloc").path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("label-studio"), VIDEOS.parent) as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audit")


@pytest.fixture(scope="module")
def people(server: Server, folder: Path) -> tuple[Person, dict[str, Person]]:
    return audit_story.prepare(server, folder)


@pytest.fixture(scope="module")
def made(people: tuple[Person, dict[str, Person]], folder: Path) -> dict[str, int]:
    return audit_story.label(*people, folder)


def test_our_config_is_valid(people):
    boss, _ = people
    answer = boss.http.post("/api/projects/validate/", json={"label_config": config()})
    assert (answer.status_code, answer.text) == (204, "")


@pytest.mark.parametrize("kind", ["", "_min"])
def test_it_is_read_back_as_it_was_submitted(made, folder, kind):
    said = audit_story.judgements(read_sample(folder / "audit").items)
    for place in FOLDERS:
        found = read_exports([folder / "exports" / f"{place}{kind}.json"])
        assert found.problems == []
        got = {(one.task.item, one.task.person): one for one in found.said}
        assert got.keys() == {key for key in said if key[1] == PEOPLE[place]}
        for key, one in got.items():
            wanted = said[key]
            assert (one.label, one.failed, one.memo) == (wanted.label, wanted.failed, wanted.memo)


def test_tasks_are_offered_in_the_persons_own_order(server, people, made, folder):
    boss, _ = people
    for place, project in made.items():
        got = boss.get("/api/tasks/", project=project, fields="all", ordering="id")["tasks"]
        wanted = [task["data"]["item"] for task in tasks_in(folder / "audit" / place)]
        assert [task["data"]["item"] for task in sorted(got, key=lambda t: t["id"])] == wanted
        assert boss.get(f"/api/projects/{project}/")["sampling"] == "Sequential sampling"


def test_videos_of_both_tasks_are_served(people, made, folder):
    _, accounts = people
    addresses = {task["data"]["video"] for task in tasks_in(folder / "audit" / "worker-1")}
    assert {address.split("/")[-2] for address in addresses} == {"videoqa", "video%20caption"}
    for address in addresses:
        part = accounts["ann"].http.get(address, headers={"Range": "bytes=0-99"})
        assert part.status_code == httpx.codes.PARTIAL_CONTENT


def test_the_score_of_the_exports(made, folder):
    exports = [folder / "exports" / f"{place}.json" for place in FOLDERS]
    vidomni("build", "audit", "score", *exports, "--audit", folder / "audit", "--out", folder / "s")
    whole = json.loads((folder / "s" / "audit.json").read_text(encoding="utf-8"))["figures"]["all"]
    assert (whole["items"], whole["correct"], whole["identical"]) == (8, 5, 5)


@pytest.mark.skipif(not shutil.which("curl"), reason="the page calls curl")
def test_the_commands_of_the_page_make_the_projects(server, people, folder):
    boss, _ = people
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    script = page.split("<!-- run by tests/label_studio")[1].split("```sh\n")[1].split("```")[0]
    before = {one["id"] for one in boss.get("/api/projects/")["results"]}
    env = {
        **os.environ,
        "LS": server.url,
        "TOKEN": server.token,
        "VIDEOS": str(VIDEOS),
        "PYTHON": sys.executable,
        "NO_PROXY": "127.0.0.1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    new = [one for one in boss.get("/api/projects/")["results"] if one["id"] not in before]
    assert sorted(one["title"] for one in new) == ["Audit: ann", "Audit: ben", "Audit: cem"]
    assert {one["task_number"] for one in new} == {10}
