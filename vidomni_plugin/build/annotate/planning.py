"""Make a plan from captions, videos and annotators; everything is checked before it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.assign import assign
from vidomni_plugin.build.annotate.plans import PlannedPair, Settings, planned
from vidomni_plugin.data.releases import Entry, read_captions, read_videos
from vidomni_plugin.data.videos import find_videos
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import Caption

__all__ = ["LOCAL_FILES", "Choices", "Planned", "make_plan"]

LOCAL_FILES = "/data/local-files/?d=videos/"
"""Where Label Studio serves a folder of its own machine; see docs/annotate.md."""
NAMED = 20
"""So many videos are named in a warning."""
SUFFIX = ".mp4"
"""Ending of a video's address where no file is at hand to tell it."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose; see the options of ``vidomni build annotate plan``."""

    seed: int
    per_pair: int
    batch_size: int
    pilot: int
    video_url: str


@dataclass(frozen=True, slots=True)
class Planned:
    """The pairs of a plan and the settings that led to it."""

    settings: Settings
    pairs: list[PlannedPair]
    warnings: list[str]
    """What ``merge`` will ask for once all is judged, and is not there yet."""


def make_plan(
    captions: Path,
    people: Sequence[Annotator],
    choices: Choices,
    *,
    manifest: Path | None,
    folder: Path | None,
) -> Planned:
    """Return the plan of an annotation.

    Args:
        captions: ``captions.jsonl``.
        people: The annotators; without a trusted one only the pilot is planned.
        choices: Seed, numbers and the prefix of the videos' addresses.
        manifest: ``videos.jsonl``; every caption's video must be in it. None for no check.
        folder: Folder with the videos' files; every caption's video must be in it. None
            where they are not at hand: their addresses then end in ``.mp4``.

    Raises:
        InputProblems: If a file is bad, a video unknown, or the numbers cannot be met.
    """
    release = read_captions(captions)
    problems = list(release.problems)
    problems += _impossible(release.entries, people, choices)
    durations: dict[str, float | None] = {}
    typed: set[str] = set()
    if manifest is not None:
        videos = read_videos(manifest)
        problems += videos.problems
        durations = {entry.record.video_id: entry.record.duration_s for entry in videos.entries}
        typed = {e.record.video_id for e in videos.entries if e.record.complexity_type is not None}
        hint = "--videos and the captions belong together"
        problems += _without(release.entries, durations, f"a line of {manifest}", hint)
    wanted = sorted({entry.record.video_id for entry in release.entries})
    names = {video_id: video_id + SUFFIX for video_id in wanted}
    if folder is not None:
        files = find_videos(folder, wanted)
        names |= {video_id: path.name for video_id, path in files.items()}
        hint = "put the videos there, e.g. with `vidomni data fetch`"
        problems += _without(release.entries, files, f"a file in {folder}", hint)
    if problems:
        raise InputProblems("plan of an annotation", problems)
    assigned = assign(
        [entry.record for entry in release.entries],
        people,
        seed=choices.seed,
        per_pair=choices.per_pair,
        batch_size=choices.batch_size,
        pilot=choices.pilot,
    )
    addresses = {video_id: choices.video_url + quote(name) for video_id, name in names.items()}
    settings = Settings(
        seed=choices.seed,
        per_pair=choices.per_pair,
        batch_size=choices.batch_size,
        pilot=choices.pilot,
        video_url=choices.video_url,
        captions=release.digest,
        annotators=list(people),
    )
    untyped = [video_id for video_id in wanted if video_id not in typed]
    return Planned(settings, planned(assigned, addresses, durations), _warnings(manifest, untyped))


def _warnings(manifest: Path | None, untyped: Sequence[str]) -> list[str]:
    """Return what to say of videos of which the last step needs more than is known."""
    if manifest is None:
        return ["there is no videos.jsonl; `merge` needs one, with complexity_type of each video"]
    if not untyped:
        return []
    names = ", ".join(map(repr, untyped[:NAMED]))
    more = f" and {len(untyped) - NAMED} more" if len(untyped) > NAMED else ""
    count = "1 video has" if len(untyped) == 1 else f"{len(untyped)} videos have"
    return [f"{count} no complexity_type in {manifest}, which `merge` needs: {names}{more}"]


def _without(
    entries: Sequence[Entry[Caption]], known: Mapping[str, object], what: str, hint: str
) -> list[Problem]:
    """Return a problem for the first caption of each video that is not known."""
    first: dict[str, str] = {}
    for entry in entries:
        first.setdefault(entry.record.video_id, entry.place)
    return [
        Problem("unknown-video", place, f"video {video_id!r} has not {what}", hint)
        for video_id, place in first.items()
        if video_id not in known
    ]


def _impossible(
    entries: Sequence[Entry[Caption]], people: Sequence[Annotator], choices: Choices
) -> list[Problem]:
    """Return why the numbers cannot be met."""
    problems = []
    if choices.per_pair > len(people):
        message = f"{choices.per_pair} people a pair, and there are {len(people)} annotators"
        hint = "each pair needs at least two annotators, one of them trusted"
        problems.append(Problem("plan", "--per-pair", message, hint))
    if not choices.pilot and not any(person.trusted for person in people):
        message = "nobody is trusted, and there is no pilot to find out whom to trust"
        hint = "plan a pilot, or set trusted: true for who passed an earlier one"
        problems.append(Problem("plan", "--pilot", message, hint))
    videos = len({entry.record.video_id for entry in entries})
    if entries and choices.pilot > videos:
        message = f"a pilot of {choices.pilot} videos, and the captions have {videos}"
        hint = "choose a smaller pilot; --pilot 0 makes none"
        problems.append(Problem("plan", "--pilot", message, hint))
    return problems
