"""One Label Studio project a person: the same items, each in an order of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.audit.draw import generator
from vidomni_plugin.build.audit.files import AuditItem, Sample, Team
from vidomni_plugin.build.audit.labels import INVALID
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.data.layout import VIDEO_FOLDER
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["FOLDERS", "addresses", "choose_team", "config", "person_tasks", "project"]

FOLDERS = ("reference", "worker-1", "worker-2")
"""Where the projects are written, in the order of ``Team.people``: names are no file names."""
_INVALID = (
    "The item fails a check: the video does not support A, does not contradict B, or the answers "
    "differ in more than one thing."
)
_KEYS = "123456789"
"""Keys of the labels; those of the checks are letters."""


def config() -> str:
    """Return the labelling config: video, question, both answers, three checks and one label."""
    definitions = {
        leaf.value: f"{texts['definition']} {texts['boundary']}"
        for leaf, texts in load_policy().categorical.items()
    }
    rows = []
    labels = definitions | {INVALID: _INVALID}
    for key, (label, text) in zip(_KEYS, labels.items(), strict=True):
        choice = f"<Choice value={quoteattr(label)} hotkey={quoteattr(key)}/>"
        rows.append(
            f'      <View className="leaf">{choice}<Header value={quoteattr(text)}/></View>'
        )
    template = files(__package__).joinpath("config.xml").read_text(encoding="utf-8")
    return template.replace("{labels}", "\n".join(rows))


def project(person: str) -> dict[str, Any]:
    """Return what ``POST /api/projects/`` needs for one person's project."""
    return {
        "title": f"Audit: {person}"[:50],
        "label_config": config(),
        "maximum_annotations": 1,
        # In the order of the import, which is the person's own.
        "sampling": "Sequential sampling",
        "show_skip_button": False,
        "show_collab_predictions": False,
    }


def choose_team(
    people: Sequence[Annotator],
    workers: Sequence[str],
    reference: str,
    *,
    place: str,
    seed: int,
    video_url: str,
) -> Team:
    """Return who labels, from the names that were given.

    Raises:
        InputProblems: If a name is not in the file, or somebody has two parts.
    """
    known = {person.name: person for person in people}
    names = [*workers, reference]
    problems = [
        Problem("usage", place, f"{name!r} is nobody there: {', '.join(known)}")
        for name in dict.fromkeys(names)
        if name not in known
    ]
    if len(workers) != 2:
        problems.append(Problem("usage", "--worker", f"{len(workers)} are named, it takes two"))
    if len(set(names)) < len(names):
        message = "both workers and the reference must be three people"
        problems.append(Problem("usage", "--worker, --reference", message))
    if problems:
        raise InputProblems("people of the audit", problems)
    first, second = (known[name] for name in workers)
    return Team(workers=(first, second), reference=known[reference], seed=seed, video_url=video_url)


def addresses(items: Sequence[AuditItem], folder: Path, prefix: str) -> dict[str, str]:
    """Return the address of every item's video, by item.

    Args:
        items: The items.
        folder: A VidHalLoc folder, or one with ``<video_id>.mp4`` (or another ending) in it.
        prefix: What stands before a file's path below ``folder``.

    Raises:
        InputProblems: With every video that is not there.
    """
    found: dict[tuple[str, str], str] = {}
    for task, below in VIDEO_FOLDER.items():
        wanted = {item.pair.media.video_id for item in items if item.pair.task_type == task}
        for place in ("", below):  # a folder of the task goes before
            for video_id, path in find_videos(folder / place, wanted).items():
                found[task, video_id] = prefix + quote(path.relative_to(folder).as_posix())
    keys = {item.item: (item.pair.task_type, item.pair.media.video_id) for item in items}
    hint = "name the release's own folder, or one that holds a file <video_id>.mp4 for each video"
    problems = [
        Problem("unknown-video", str(folder), f"no file of video {video_id!r} ({task})", hint)
        for task, video_id in sorted(set(keys.values()) - found.keys())
    ]
    if problems:
        raise InputProblems("videos of the audit", problems)
    return {item: found[key] for item, key in keys.items()}


def person_tasks(
    sample: Sample, team: Team, person: Annotator, videos: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the tasks of one person, calibration first, each batch in the person's own order.

    What a task shows says nothing of the original label, nor of anybody else's work.
    """
    random = generator(team.seed, team.people.index(person))
    tasks = []
    for batch in ("calibration", "audit"):
        own = sorted(sample.of(batch), key=lambda item: item.item)
        for k in random.permutation(len(own)).tolist():
            item = own[k]
            data = {
                "item": item.item,
                "batch": batch,
                "person": person.name,
                "video": videos[item.item],
                "question": item.pair.question,
                "answer_a": item.pair.answer,
                "answer_b": item.pair.counterfactual_answer,
            }
            tasks.append({"data": data})
    return tasks
