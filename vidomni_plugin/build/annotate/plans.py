"""The plan of an annotation: which pair is judged by whom, with the settings that led to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.assign import Assigned
from vidomni_plugin.data.lines import write_jsonl, write_text
from vidomni_plugin.data.releases import read_records
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import Caption, Id
from vidomni_plugin.tables import Column, Table, as_csv

__all__ = [
    "Plan",
    "PlannedPair",
    "Settings",
    "assignment_table",
    "changed_pairs",
    "load_table",
    "planned",
    "read_plan",
    "write_plan",
]

FORMAT: Literal[1] = 1
"""Version of the plan's files."""
SETTINGS, PAIRS = "plan.json", "assignment.jsonl"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Settings(_Record):
    """What a plan was made with (``plan.json``)."""

    format: Literal[1] = FORMAT
    seed: int
    per_pair: Annotated[int, Field(ge=2)]
    batch_size: Annotated[int, Field(ge=1)]
    pilot: Annotated[int, Field(ge=0)]
    video_url: str
    captions: str
    """SHA-256 of the captions file."""
    annotators: Annotated[list[Annotator], Field(min_length=1)]


class PlannedPair(_Record):
    """One pair and who judges it (a line of ``assignment.jsonl``)."""

    caption: Caption
    duration_s: float | None = None
    """Length of the video in seconds, where the manifest has it."""
    video: str
    """Address of the video in Label Studio."""
    batch: Id
    """It becomes the name of a file."""
    annotators: Annotated[list[str], Field(min_length=1)]

    @property
    def pair_id(self) -> str:
        """The id of the pair."""
        return self.caption.pair_id

    @property
    def video_id(self) -> str:
        """The id of its video."""
        return self.caption.video_id

    @property
    def sentences(self) -> list[str]:
        """The sentences of its caption."""
        return [sentence.text for sentence in self.caption.sentences]


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan as it was read back."""

    settings: Settings
    pairs: Mapping[str, PlannedPair]
    """By pair id, in the order of the plan."""


def planned(
    assigned: Sequence[Assigned], videos: Mapping[str, str], durations: Mapping[str, float | None]
) -> list[PlannedPair]:
    """Return the pairs of a plan; ``videos`` and ``durations`` are by video id."""
    return [
        PlannedPair(
            caption=one.caption,
            duration_s=durations.get(one.caption.video_id),
            video=videos[one.caption.video_id],
            batch=one.batch,
            annotators=list(one.annotators),
        )
        for one in assigned
    ]


def assignment_table(pairs: Sequence[PlannedPair]) -> Table:
    """Return who judges what, a pair a row."""
    titles = ("pair", "video", "caption source", "sentences", "batch", "annotators")
    return Table(
        "assignment",
        "Assignment",
        [Column(title) for title in titles],
        [
            (p.pair_id, p.video_id, p.caption.caption_source, len(p.sentences), p.batch, _listed(p))
            for p in pairs
        ],
    )


def _listed(pair: PlannedPair) -> str:
    return ", ".join(pair.annotators)


def load_table(pairs: Sequence[PlannedPair], people: Sequence[Annotator]) -> Table:
    """Return how much each annotator has to judge."""
    rows = []
    for person in people:
        own = [pair for pair in pairs if person.name in pair.annotators]
        rows.append(
            (
                person.name,
                "yes" if person.trusted else "no",
                len({pair.video_id for pair in own}),
                len(own),
                sum(len(pair.sentences) for pair in own),
            )
        )
    titles = ("annotator", "trusted", "videos", "pairs", "sentences")
    return Table("load", "Load", [Column(title) for title in titles], rows)


def changed_pairs(old: Plan, new: Sequence[PlannedPair]) -> list[str]:
    """Return the pairs of an old plan that a new one drops or gives to other people."""
    now = {pair.pair_id: pair for pair in new}
    return [
        pair_id
        for pair_id, pair in old.pairs.items()
        if pair_id not in now
        or (pair.annotators, pair.batch, pair.sentences)
        != (now[pair_id].annotators, now[pair_id].batch, now[pair_id].sentences)
    ]


def write_plan(folder: Path, settings: Settings, pairs: Sequence[PlannedPair]) -> None:
    """Write the plan's own files: ``plan.json``, ``assignment.jsonl`` and two tables.

    ``plan.json`` comes last: a plan that was cut off is none.
    """
    write_jsonl(folder / PAIRS, pairs)
    write_text(folder / "assignment.csv", as_csv(assignment_table(pairs)))
    write_text(folder / "load.csv", as_csv(load_table(pairs, settings.annotators)))
    write_text(folder / SETTINGS, settings.model_dump_json(indent=2) + "\n")


def read_plan(folder: Path) -> Plan:
    """Read a plan back.

    Raises:
        InputProblems: If ``folder`` holds no whole plan.
    """
    title = f"plan in {folder}"
    hint = "--plan is the folder that `vidomni build annotate plan` wrote"
    try:
        text = (folder / SETTINGS).read_text(encoding="utf-8")
        settings = Settings.model_validate_json(text)
    except OSError as error:
        message = error.strerror or str(error)
        problem = Problem("no-file", str(folder / SETTINGS), message, hint)
        raise InputProblems(title, [problem]) from None
    except (ValidationError, UnicodeDecodeError) as error:
        first = str(error).splitlines()
        message = f"not the settings of a plan: {' '.join(first[1:3]) or first[0]}"[:200]
        raise InputProblems(
            title, [Problem("plan", str(folder / SETTINGS), message, hint)]
        ) from None
    release = read_records([folder / PAIRS], PlannedPair, "pair_id", hint=hint)
    if release.problems:
        raise InputProblems(title, release.problems)
    return Plan(settings, {entry.record.pair_id: entry.record for entry in release.entries})
