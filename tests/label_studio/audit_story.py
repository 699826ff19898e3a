"""An audit of the built-in sample: what three people say, and what must be read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.label_studio import client
from tests.label_studio.client import Person
from tests.label_studio.server import Server
from tests.label_studio.story import email
from tests.label_studio.workflow import tasks_in, vidomni
from vidomni_plugin.build.audit.files import AuditItem, read_sample
from vidomni_plugin.build.audit.labels import CHECKS, INVALID, LABELS
from vidomni_plugin.build.audit.projects import FOLDERS
from vidomni_plugin.data.locate import mini_root

PEOPLE = {"reference": "cem", "worker-1": "ann", "worker-2": "ben"}
"""Who labels, by folder of the project."""
MEMO = "the thing 🤔 at 0:02, “left” & right?"
MINI = ("--per-category", "1", "--calibration", "2")


@dataclass(frozen=True)
class Judgement:
    """What one person submits for one item."""

    label: str
    failed: tuple[str, ...] = ()
    memo: str = ""

    def result(self) -> list[dict[str, Any]]:
        """Return it as the browser sends it."""
        common = {"to_name": "question", "origin": "manual"}
        said = {name: "No" if name in self.failed else "Yes" for name in CHECKS}
        result: list[dict[str, Any]] = [
            {**common, "type": "choices", "from_name": name, "value": {"choices": [value]}}
            for name, value in {**said, "label": self.label}.items()
        ]
        if self.memo:
            written = {"type": "textarea", "from_name": "memo", "value": {"text": [self.memo]}}
            result.append({**common, **written})
        return result


def judgements(items: list[AuditItem]) -> dict[tuple[str, str], Judgement]:
    """Return what each says of each item, by item and name: the original but for six items."""
    audit = [item for item in items if item.batch == "audit"]
    said = {(item.item, name): Judgement(item.label) for item in items for name in PEOPLE.values()}

    def put(index: int, who: str, label: str, *failed: str, memo: str = "") -> None:
        for name in who.split():
            said[audit[index].item, name] = Judgement(label, failed, memo)

    put(0, "ann", LABELS[2], memo=MEMO)  # a worker alone
    put(1, "ben", INVALID, "supported", "only_target")
    put(2, "ann", audit[2].label, "only_target")  # a leaf in spite of a No
    put(3, "cem", LABELS[0])  # the reference alone sees another category
    put(6, "cem ann", LABELS[7])
    put(7, "cem ann ben", INVALID, "contradicted", memo="B is right as well")
    return said


def prepare(server: Server, folder: Path) -> tuple[Person, dict[str, Person]]:
    """Sign three people up, draw the sample and write the projects; return the accounts."""
    boss = client.owner(server)
    people = {
        name: client.sign_up(server, boss, email(name), f"{name} has a long password")
        for name in PEOPLE.values()
    }
    listed = [
        {"name": name, "email": person.email, "label_studio_id": person.number}
        for name, person in sorted(people.items())
    ]
    text = yaml.safe_dump({"annotators": listed}, sort_keys=False)
    (folder / "annotators.yaml").write_text(text, encoding="utf-8")
    vidomni("build", "audit", "sample", "mini", "--out", folder / "audit", *MINI)
    vidomni(
        *("build", "audit", "projects", "--audit", folder / "audit"),
        *("--annotators", folder / "annotators.yaml", "--worker", "ann", "--worker", "ben"),
        *("--reference", "cem", "--videos", mini_root("vidhalloc").path),
    )
    return boss, people


def label(boss: Person, people: Mapping[str, Person], folder: Path) -> dict[str, int]:
    """Have everybody judge all items of their own project, and export; return the projects.

    One annotation is changed after it was submitted.
    """
    said = judgements(read_sample(folder / "audit").items)
    made = {}
    (folder / "exports").mkdir(exist_ok=True)
    for place in FOLDERS:
        tasks = tasks_in(folder / "audit" / place)
        settings = json.loads((folder / "audit" / place / "project.json").read_text("utf-8"))
        made[place] = project = client.new_project(boss, settings, mini_root("vidhalloc").path)
        got = boss.post(f"/api/projects/{project}/import", tasks, return_task_ids="true")
        numbers = dict(zip([t["data"]["item"] for t in tasks], got["task_ids"], strict=True))
        name = PEOPLE[place]
        for k, (item, number) in enumerate(numbers.items()):
            result = said[item, name].result()
            first = Judgement(INVALID, ("supported",)).result() if k == 0 else result
            annotation = client.submit(people[name], number, first, 20.5)
            if k == 0:
                people[name].patch(f"/api/annotations/{annotation}/", {"result": result})
        for kind, value in {
            "": client.export(boss, project, "JSON"),
            "_min": client.export(boss, project, "JSON_MIN"),
        }.items():
            text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
            (folder / "exports" / f"{place}{kind}.json").write_text(text, encoding="utf-8")
    return made
