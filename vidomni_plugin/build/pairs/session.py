"""One run in its folder: what is opened, checked and closed around the rounds."""

from __future__ import annotations

import json
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from vidomni_plugin.build.pairs.asking import ModelRoles
from vidomni_plugin.build.pairs.export import export
from vidomni_plugin.build.pairs.graph import open_workflow
from vidomni_plugin.build.pairs.media import Looks
from vidomni_plugin.build.pairs.policy.policy import Policy
from vidomni_plugin.build.pairs.rounds import Ended, Told, make_pairs
from vidomni_plugin.build.pairs.settings import PairSettings, signature
from vidomni_plugin.build.pairs.steps import Steps
from vidomni_plugin.build.pairs.store import Store
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.replies import now_text
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.wording import counted

__all__ = ["LAST", "REPLIES", "STORE", "Plan", "ask_to_stop", "is_at_work", "run"]

STORE = "pairs.sqlite"
STATES = "checkpoints.sqlite"
REPLIES = "replies.sqlite"
LOCK = "run.lock"
LAST = "last_end"
"""Of the store: how the last start ended; an empty object while it works, or if it was killed."""
AT_WORK = "{}"
STOP = "stop"
"""A file of this name stops a run."""
SHOWN = 5
"""So many videos are named that are unlike those of before."""
LOOK_S = 0.5
"""How often a run looks for it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to make, of what."""

    settings: PairSettings
    policy: Policy
    videos: Sequence[VideoFile]

    @property
    def signature(self) -> str:
        """Hash of all of it."""
        return signature(self.settings, self.policy.digest, self.videos)


def run(
    plan: Plan, out: Path, client: Client, told: Told, *, workers: int, stop: threading.Event
) -> Ended:
    """Make pairs in a folder, or go on with them, and write what there is at the end.

    Args:
        plan: What to make.
        out: Folder of the run.
        client: The server; its replies may be kept in the folder or elsewhere.
        told: Told of every step.
        workers: Videos under way at a time.
        stop: Set from outside to stop.

    Raises:
        InputProblems: If another run works in the folder, or the folder holds another one.
    """
    out.mkdir(parents=True, exist_ok=True)
    with _alone(out), _stoppable(out, stop):
        store = Store(out / STORE)
        try:
            _begin(store, plan, out)
            if store.setting(LAST) != AT_WORK:
                store.keep(LAST, AT_WORK)
            if store.of_no_use():
                store.put_back()
            client.ask_again(store.put_back_at())
            steps = Steps(
                roles=ModelRoles(client, plan.policy, plan.settings, Looks(plan.settings.media)),
                store=store,
                settings=plan.settings,
                policy=plan.policy,
                signature=plan.signature,
                videos={video.video_id: video for video in plan.videos},
            )
            try:
                run_id = store.setting("run_id") or ""
                with _states_kept(out / STATES), open_workflow(out / STATES, steps, run_id) as work:
                    ended = make_pairs(
                        work, store, plan.settings, workers=workers, stop=stop, told=told
                    )
                    store.keep(LAST, _told(ended))
                    return ended
            finally:
                export(store, out)
        finally:
            store.close()


def _told(ended: Ended) -> str:
    """Return how a start ended, for the status."""
    told = {"state": ended.state, "kind": ended.kind, "why": ended.why, "at": now_text()}
    return json.dumps(told, ensure_ascii=False)


def is_at_work(out: Path) -> bool:
    """Return whether a run works in a folder now."""
    if not (out / LOCK).is_file():
        return False
    try:
        with FileLock(out / LOCK).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a folder that can only be read: nobody works in it either
        return False


def ask_to_stop(out: Path) -> None:
    """Ask the run of a folder to stop; what is under way comes to its next safe point.

    Raises:
        InputProblems: If no run works in the folder.
    """
    if is_at_work(out):
        (out / STOP).touch()
        return
    hint = "`--status` says how far it came"
    raise InputProblems("nothing to stop", [Problem("usage", str(out), "no run is at work", hint)])


def _begin(store: Store, plan: Plan, out: Path) -> None:
    kept = store.setting("signature")
    if kept is None:
        settings = {
            "signature": plan.signature,
            "settings": plan.settings.model_dump_json(),
            "policy": plan.policy.digest,
            "run_id": uuid.uuid4().hex,
            LAST: AT_WORK,
        }
        store.begin(settings, plan.videos)
        return
    if kept == plan.signature:
        return
    was = json.loads(store.setting("settings") or "{}")
    now = plan.settings.model_dump(mode="json")
    unlike = list(_unlike_settings(was, now))
    if store.setting("policy") != plan.policy.digest:
        unlike.append("other questions, or another version's instructions")
    unlike += _unlike_videos(store.videos(), plan.videos)
    message = "; ".join(unlike) or "it was begun by another version"
    hint = (
        f"go on with the same settings and videos, or take a new folder; with "
        f"--replies {out / REPLIES} it pays for nothing that was asked here"
    )
    problem = Problem("other-settings", str(out), message, hint)
    raise InputProblems("the folder holds another run", [problem])


def _unlike_settings(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield the settings that differ, by their parts; parts that differ alike are one."""

    def shown(value: object) -> str:
        return "none" if value is None else repr(value)

    for name in now:
        there, asked = was.get(name), now[name]
        if there == asked:
            continue
        if not (isinstance(there, dict) and isinstance(asked, dict)):
            yield f"{name}: {shown(there)} there, {shown(asked)} asked"
            continue
        parts: dict[str, list[str]] = {}
        for part in sorted(there.keys() | asked.keys()):
            if there.get(part) != asked.get(part):
                change = f"{shown(there.get(part))} there, {shown(asked.get(part))} asked"
                parts.setdefault(change, []).append(part)
        for change, names in parts.items():
            of = "" if len(names) == len(asked) > 1 else f" of {', '.join(names)}"
            yield f"{name}{of}: {change}"


def _unlike_videos(was: Mapping[str, str], videos: Sequence[VideoFile]) -> Iterator[str]:
    """Yield how the videos are unlike those that a run was begun with."""
    now = {video.video_id: video.sha256 for video in videos}
    found = {
        "new": now.keys() - was.keys(),
        "gone": was.keys() - now.keys(),
        "changed": {one for one in was.keys() & now.keys() if was[one] != now[one]},
    }
    for name, ids in found.items():
        if ids:
            shown = ", ".join(sorted(ids)[:SHOWN]) + (", ..." if len(ids) > SHOWN else "")
            yield f"{counted(len(ids), 'video')} {name}: {shown}"


@contextmanager
def _states_kept(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a full disk and the like into a problem."""
    try:
        yield
    except sqlite3.OperationalError as error:
        hint = "see that there is room and it can be written; the same command goes on"
        problem = Problem("unreadable", str(path), str(error), hint)
        raise InputProblems("the run cannot go on", [problem]) from None


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    lock = FileLock(out / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        hint = "wait for its end, or stop it with --stop"
        problem = Problem("usage", str(out), "another run is at work there", hint)
        raise InputProblems("the run cannot start", [problem]) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _stoppable(out: Path, stop: threading.Event) -> Iterator[None]:
    """Set ``stop`` once a file asks for it."""
    (out / STOP).unlink(missing_ok=True)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(LOOK_S):
            if (out / STOP).exists():
                stop.set()
                return

    thread = threading.Thread(target=watch, name="pairs-stop", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        (out / STOP).unlink(missing_ok=True)
