"""Label Studio's HTTP API, as far as a person who labels or runs a project uses it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.label_studio.server import OWNER, Server

SECONDS = 60
"""No request takes longer."""


@dataclass(frozen=True)
class Person:
    """One account and its connection."""

    email: str
    number: int
    password: str
    http: httpx.Client

    def get(self, path: str, **query: Any) -> Any:
        """Return what a GET answers."""
        return _answer(self.http.get(path, params=query))

    def post(self, path: str, body: Any, **query: Any) -> Any:
        """Return what a POST answers."""
        return _answer(self.http.post(path, json=body, params=query))

    def patch(self, path: str, body: Any) -> Any:
        """Return what a PATCH answers."""
        return _answer(self.http.patch(path, json=body))


def _answer(response: httpx.Response) -> Any:
    if response.is_error:
        raise RuntimeError(f"{response.request.url}: {response.status_code} {response.text[:500]}")
    return response.json()


def owner(server: Server) -> Person:
    """Return the first account, which runs the projects."""
    http = _client(server, server.token)
    return Person(OWNER, _answer(http.get("/api/current-user/whoami"))["id"], server.password, http)


def sign_up(server: Server, boss: Person, email: str, password: str) -> Person:
    """Make an account with the invitation link, as an annotator does."""
    link = boss.get("/api/invite")["invite_url"]
    with httpx.Client(
        base_url=server.url, follow_redirects=True, timeout=SECONDS, trust_env=False
    ) as browser:
        page = browser.get(link).text
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert found, "the page behind the invitation has no form"
        form = {"csrfmiddlewaretoken": found.group(1), "email": email, "password": password}
        browser.post(link, data=form, headers={"Referer": server.url}).raise_for_status()
        token = _answer(browser.get("/api/current-user/token"))["token"]
    http = _client(server, token)
    return Person(email, _answer(http.get("/api/current-user/whoami"))["id"], password, http)


def _client(server: Server, token: str) -> httpx.Client:
    headers = {"Authorization": f"Token {token}"}
    return httpx.Client(base_url=server.url, headers=headers, timeout=SECONDS, trust_env=False)


def new_project(boss: Person, settings: Mapping[str, Any], videos: Path) -> int:
    """Make a project and let it serve the folder of videos; return its number."""
    number: int = boss.post("/api/projects/", settings)["id"]
    storage = {"project": number, "title": "videos", "path": str(videos), "use_blob_urls": True}
    boss.post("/api/storages/localfiles", storage)
    return number


def load_tasks(boss: Person, project: int, tasks: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Import tasks; return the number of each pair's task."""
    got = boss.post(f"/api/projects/{project}/import", tasks, return_task_ids="true")
    assert got["task_count"] == len(tasks)
    pairs = [task["data"]["pair_id"] for task in tasks]
    return dict(zip(pairs, got["task_ids"], strict=True))


def submit(person: Person, task: int, result: Sequence[Any], seconds: float, **more: Any) -> int:
    """Submit an annotation; return its number."""
    body = {"result": result, "lead_time": seconds, **more}
    made: int = person.post(f"/api/tasks/{task}/annotations/", body)["id"]
    return made


def export(boss: Person, project: int, kind: str) -> list[dict[str, Any]]:
    """Return an export as the button Export gives it; ``kind`` is JSON or JSON_MIN."""
    got: list[dict[str, Any]] = boss.get(f"/api/projects/{project}/export", exportType=kind)
    return got


def snapshot(boss: Person, project: int) -> list[dict[str, Any]]:
    """Return an export snapshot in JSON, which names people by address."""
    made = boss.post(f"/api/projects/{project}/exports/", {"title": "all"})["id"]
    got: list[dict[str, Any]] = boss.get(
        f"/api/projects/{project}/exports/{made}/download", exportType="JSON"
    )
    return got
