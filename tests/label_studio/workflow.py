"""The whole way from captions to new items, through the command and a real Label Studio."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.label_studio import client, story
from tests.label_studio.client import Person
from tests.label_studio.server import Server
from vidomni_plugin.data.lines import write_jsonl
from vidomni_plugin.data.locate import mini_root

DECIDED = "Incorrect"
"""What the dispute of the story is settled to: what the sample says."""


@dataclass(frozen=True)
class Prepared:
    """The accounts, the plan and its tasks."""

    boss: Person
    people: dict[str, Person]
    folder: Path
    tasks: list[dict[str, Any]]

    def numbers(self) -> dict[str, int]:
        """Return the number of each annotator's account."""
        return {name: person.number for name, person in self.people.items()}


@dataclass(frozen=True)
class Stage:
    """One project, its tasks and their exports."""

    project: int
    tasks: list[dict[str, Any]]
    json: Path
    json_min: Path
    snapshot: Path


def vidomni(*arguments: str | Path) -> str:
    """Run the command; return what it printed. It must end with 0."""
    call = [sys.executable, "-c", "from vidomni_plugin.cli import main; main()"]
    done = subprocess.run(
        [*call, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def prepare(server: Server, folder: Path) -> Prepared:
    """Sign three annotators up and plan who judges which of four pairs."""
    boss = client.owner(server)
    people = {
        name: client.sign_up(server, boss, story.email(name), f"{name} has a long password")
        for name in story.PEOPLE
    }
    write_jsonl(folder / "captions.jsonl", story.captions())
    write_jsonl(folder / "data" / "videos.jsonl", story.videos())
    clips = folder / "data" / "videos"
    clips.mkdir()
    for video in story.videos():
        shutil.copy(mini_root("vidomni").path / "videos" / f"{video.video_id}.mp4", clips)
    listed = [
        {"name": name, "email": person.email, "label_studio_id": person.number}
        for name, person in people.items()
    ]
    listed[0]["trusted"] = True
    text = yaml.safe_dump({"annotators": listed}, sort_keys=False)
    (folder / "annotators.yaml").write_text(text, encoding="utf-8")
    plan = ("build", "annotate", "plan", folder / "captions.jsonl", "--root", folder / "data")
    people_file = ("--annotators", folder / "annotators.yaml", "--out", folder / "plan")
    vidomni(*plan, *people_file, "--pilot", "1", "--seed", "7")
    tasks = tasks_in(folder / "plan" / "stage1")
    return Prepared(boss, people, folder, tasks)


def tasks_in(folder: Path) -> list[dict[str, Any]]:
    """Return the tasks of a project that the command wrote."""
    tasks: list[dict[str, Any]] = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    return tasks


def new_project(boss: Person, folder: Path, videos: Path) -> int:
    """Make a project from the folder that the command wrote and give it the videos."""
    settings = json.loads((folder / "project.json").read_text(encoding="utf-8"))
    return client.new_project(boss, settings, videos)


def first_stage(prepared: Prepared) -> Stage:
    """Have the sentences judged, and export."""
    boss, folder = prepared.boss, prepared.folder
    project = new_project(boss, folder / "plan" / "stage1", served())
    numbers = client.load_tasks(boss, project, prepared.tasks)
    story.act1(prepared.people, numbers, prepared.tasks)
    return _exported(boss, project, prepared.tasks, folder / "exports", "stage1")


def second_stage(prepared: Prepared, first: Stage) -> Stage:
    """Read stage 1 back, settle the dispute, have the words marked, and export."""
    boss, folder = prepared.boss, prepared.folder
    plan = ("--plan", folder / "plan")
    vidomni("build", "annotate", "read", first.json_min, *plan, "--out", folder / "read")
    settle(folder / "read" / "adjudicate.csv")
    vidomni("build", "annotate", "stage2", *plan, *votes(folder), "--out", folder / "stage2")
    tasks = tasks_in(folder / "stage2")
    project = new_project(boss, folder / "stage2", served())
    numbers = client.load_tasks(boss, project, tasks)
    story.act2(prepared.people, numbers, tasks)
    return _exported(boss, project, tasks, folder / "exports", "stage2")


def votes(folder: Path) -> tuple[str | Path, ...]:
    """Return the options that name the votes and the decisions."""
    read = folder / "read"
    return ("--votes", read / "votes.jsonl", "--decisions", read / "adjudicate.csv")


def served() -> Path:
    """Return the folder of videos that the server may serve."""
    return mini_root("vidomni").path / "videos"


def settle(path: Path) -> None:
    """Fill in the decision of every dispute, as a person does in a spreadsheet."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows: list[dict[str, str]] = list(csv.DictReader(file))
    for row in rows:
        if "dispute" in row["reason"]:
            row["decision"] = DECIDED
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _exported(
    boss: Person,
    project: int,
    tasks: list[dict[str, Any]],
    folder: Path,
    name: str,
) -> Stage:
    folder.mkdir(exist_ok=True)
    got = {
        f"{name}.json": client.export(boss, project, "JSON"),
        f"{name}_min.json": client.export(boss, project, "JSON_MIN"),
        f"{name}_snapshot.json": client.snapshot(boss, project),
    }
    for file, value in got.items():
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        (folder / file).write_text(text, encoding="utf-8")
    return Stage(project, tasks, *(folder / file for file in got))
