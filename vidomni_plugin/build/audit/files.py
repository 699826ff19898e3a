"""The files of an audit: its sample, and the people who label it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.audit.labels import CODES, code_of
from vidomni_plugin.data.lines import write_jsonl, write_text
from vidomni_plugin.data.locate import holding, locate
from vidomni_plugin.data.releases import read_records, read_vidhalloc
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import Id, VidHalLocPair
from vidomni_plugin.tables import Column, Table

__all__ = [
    "AuditItem",
    "Batch",
    "Sample",
    "SampleSettings",
    "Source",
    "Team",
    "has_other_sample",
    "read_sample",
    "read_source",
    "read_team",
    "sample_table",
    "write_sample",
    "write_team",
]

ITEMS, SETTINGS, TEAM = "sample.jsonl", "sample.json", "team.json"
Batch = Literal["audit", "calibration"]
_Kind = TypeVar("_Kind", bound=BaseModel)


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class AuditItem(_Record):
    """One item of an audit (a line of ``sample.jsonl``)."""

    item: Id
    """How people see it called."""
    batch: Batch
    pair: VidHalLocPair

    @property
    def label(self) -> str:
        """The original label: hidden from everybody who labels."""
        return self.pair.leaf_label.value


class SampleSettings(_Record):
    """What a sample was drawn with (``sample.json``)."""

    format: Literal[1] = 1
    seed: int
    generator: Literal["PCG64"] = "PCG64"
    per_category: Annotated[int, Field(ge=1)]
    calibration: Annotated[int, Field(ge=0)]
    allow_fewer: bool
    source_sha256: str
    """Of the files that the pairs were read from."""
    numpy: str
    """Its version: another one may draw otherwise, which is why the sample itself is kept."""


class Team(_Record):
    """Who labels an audit (``team.json``)."""

    format: Literal[1] = 1
    workers: tuple[Annotator, Annotator]
    reference: Annotator
    """The author whose labels count as right."""
    seed: int
    """Of the order in which each of them sees the items."""
    video_url: str

    @property
    def people(self) -> tuple[Annotator, Annotator, Annotator]:
        """The reference, then both workers."""
        return (self.reference, *self.workers)

    def same_work(self, other: Team) -> bool:
        """Return whether the same people get the same tasks in the same order."""
        names = [[person.name for person in team.people] for team in (self, other)]
        return names[0] == names[1] and self.seed == other.seed


class Sample(_Record):
    """A sample as it was read back."""

    settings: SampleSettings
    items: list[AuditItem]

    def of(self, batch: Batch) -> list[AuditItem]:
        """Return the items of a batch, in the sample's order."""
        return [item for item in self.items if item.batch == batch]


class Source(_Record):
    """The pairs that a sample is drawn from."""

    pairs: list[VidHalLocPair]
    digest: str
    place: str


def read_source(path: Path) -> Source:
    """Read all pairs of a release, or of one file of pairs.

    Args:
        path: A VidHalLoc folder (the public release or one of ``vidomni build release``), a
            file of pairs in the public format, a folder with ``pairs.jsonl``, or ``mini`` for
            the built-in sample.

    Raises:
        InputProblems: With everything that is wrong with them.
    """
    listed = path / "pairs.jsonl" if path.is_dir() else path
    if root := holding(path, "vidhalloc"):
        place, release = root, read_vidhalloc(root)
    elif listed.is_file() or listed.suffix == path.suffix == ".jsonl":
        place, release = listed, read_records([listed], VidHalLocPair, "pair_id", hint=_SOURCE)
    else:
        place = locate("vidhalloc", path, may_download=False).path
        release = read_vidhalloc(place)
    if release.problems:
        raise InputProblems(f"pairs in {place}", release.problems)
    pairs = [entry.record for entry in release.entries]
    return Source(pairs=pairs, digest=release.digest, place=str(place))


_SOURCE = "name a folder of VidHalLoc, or a file of pairs such as `vidomni build pairs` writes"


def sample_table(items: Sequence[AuditItem]) -> Table:
    """Return how many items, of which task, and how many videos each category has."""
    rows: list[list[str | int]] = []
    for batch in ("audit", "calibration"):
        own = [item for item in items if item.batch == batch]
        groups = [(code, [i for i in own if code_of(i.label) == code]) for code in CODES]
        for code, group in [*groups, ("all", own)] if own else []:
            tasks = Counter(item.pair.task_type for item in group)
            videos = len({item.pair.media.video_id for item in group})
            counts = (tasks["video_qa"], tasks["video_captioning"], videos)
            rows.append([batch, code, len(group), *counts])
    titles = ("batch", "category", "items", "QA", "captioning", "videos")
    return Table("sample", "Items of the audit", [Column(title) for title in titles], rows)


def write_sample(folder: Path, settings: SampleSettings, items: Sequence[AuditItem]) -> None:
    """Write a sample; its settings come last: one that was cut off is none."""
    write_jsonl(folder / ITEMS, items)
    write_text(folder / SETTINGS, settings.model_dump_json(indent=2) + "\n")


def has_other_sample(folder: Path, items: Sequence[AuditItem]) -> bool:
    """Return whether a folder holds a sample of other items, or one that cannot be read."""
    if not (folder / ITEMS).exists():
        return False
    try:
        return read_sample(folder).items != list(items)
    except InputProblems:
        return True


def read_sample(folder: Path) -> Sample:
    """Read a sample back.

    Raises:
        InputProblems: If ``folder`` holds no whole sample.
    """
    hint = "name the folder that `vidomni build audit sample` wrote"
    settings = _read(folder / SETTINGS, SampleSettings, hint)
    release = read_records([folder / ITEMS], AuditItem, "item", hint=hint)
    if release.problems:
        raise InputProblems(f"sample in {folder}", release.problems)
    return Sample(settings=settings, items=[entry.record for entry in release.entries])


def write_team(folder: Path, team: Team) -> None:
    """Write who labels."""
    write_text(folder / TEAM, team.model_dump_json(indent=2) + "\n")


def read_team(folder: Path) -> Team | None:
    """Return who labels an audit; None where no projects were made yet.

    Raises:
        InputProblems: If the file is there and cannot be used.
    """
    if not (folder / TEAM).exists():
        return None
    return _read(folder / TEAM, Team, "make the projects anew: `vidomni build audit projects`")


def _read(path: Path, model: type[_Kind], hint: str) -> _Kind:
    try:
        return model.model_validate_json(path.read_bytes())
    except OSError as error:
        problem = Problem("no-file", str(path), error.strerror or str(error), hint)
    except ValidationError as error:
        message = f"not what an audit writes: {' '.join(str(error).splitlines()[1:3])}"[:200]
        problem = Problem("plan", str(path), message, hint)
    raise InputProblems(f"audit in {path.parent}", [problem])
