"""From files and a mapping to checked records: what an import will write, and what not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from vidomni_plugin.data.importing.mapping import VidHalLocMapping, VidOmniMapping
from vidomni_plugin.data.importing.mapping_file import load_mapping
from vidomni_plugin.data.importing.reading import FROM_FILE, Reader, Unmapped, shown
from vidomni_plugin.data.importing.sources import read_sources
from vidomni_plugin.data.importing.videos import fill_from_files, find_files
from vidomni_plugin.data.importing.vidhalloc import map_vidhalloc
from vidomni_plugin.data.importing.vidomni import Mapped, Outcome, map_vidomni
from vidomni_plugin.data.locate import Benchmark
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidHalLocPair, VidOmniPair, VidOmniVideo

__all__ = ["Placed", "Plan", "merged", "plan_import"]

Record = TypeVar("Record", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Placed:
    """A checked record, where it came from, and the split it belongs to."""

    place: str
    pair: VidOmniPair | VidHalLocPair | None
    video: VidOmniVideo | None
    split: str | None = None


@dataclass(slots=True)
class Plan:
    """What an import will write."""

    benchmark: Benchmark
    records: list[Placed] = field(default_factory=list)
    splits: bool = False
    """Whether the records name their split."""
    unmapped: list[Unmapped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)
    """Video files by video id."""


def plan_import(
    files: Sequence[Path],
    mapping_file: Path,
    benchmark: Benchmark,
    *,
    format_: str | None = None,
    videos: Path | None = None,
    present: Path | None = None,
) -> Plan:
    """Map files to records and check each; writes nothing.

    Args:
        files: JSON, JSON lines, CSV or Parquet.
        mapping_file: Says how.
        benchmark: What the records become.
        format_: Format of the files, where their endings do not say it.
        videos: Folder with the video files.
        present: Folder with videos of an earlier import or fetch, asked where ``videos`` is None.

    Raises:
        InputProblems: If mapping or files cannot be used at all.
    """
    if videos is not None and not videos.is_dir():
        raise InputProblems(
            "no videos", [Problem("no-data", str(videos), "there is no such folder")]
        )
    reader = Reader()
    if benchmark == "vidomni":
        mapping = load_mapping(mapping_file, VidOmniMapping)
        nodes, lost = read_sources(list(files), mapping, mapping_file.parent, format_)
        outcome = map_vidomni(nodes, mapping, reader)
        if mapping.record == "sentence":
            outcome = Outcome(outcome.mapped, outcome.unmapped, outcome.orphans + lost)
            lost = []
        splits = False
    else:
        how = load_mapping(mapping_file, VidHalLocMapping)
        nodes, lost = read_sources(list(files), how, mapping_file.parent, format_)
        outcome = map_vidhalloc(nodes, how, reader)
        splits = how.fields.split is not None
    plan = Plan(benchmark, splits=splits, unmapped=lost + outcome.unmapped)
    _refuse_what_is_not_safe(reader, plan, outcome, mapping_file)
    mapped = _with_files(outcome.mapped, plan, videos, present)
    _check_all(mapped, plan)
    return plan


def _refuse_what_is_not_safe(
    reader: Reader, plan: Plan, outcome: Outcome, mapping_file: Path
) -> None:
    problems = []
    for message, required in reader.never_found():
        if required:
            hint = "correct the path in the mapping"
            problems.append(Problem("mapping", str(mapping_file), message, hint))
        else:
            plan.warnings.append(message)
    if problems:
        raise InputProblems("the mapping does not fit the data", problems)
    if outcome.orphans:
        hint = "correct these rows: without them any pair may lack a sentence"
        raise InputProblems(
            "rows whose pair is not known",
            [
                Problem("unmapped", note.place, _said(note.field, note.reason), hint)
                for note in outcome.orphans
            ],
        )


def _said(name: str, reason: str) -> str:
    return f"{name}: {reason}" if name else reason


def _with_files(
    mapped: list[Mapped], plan: Plan, videos: Path | None, present: Path | None
) -> list[Mapped]:
    """Find the video files and take from them what the mapping says."""
    folder = videos or present
    wanted: dict[str, str | None] = {}
    for one in mapped:
        video_id = _video_id(one)
        if _safe(video_id):
            wanted.setdefault(video_id, one.file if videos else None)
    needs_files = any(value is FROM_FILE for one in mapped for value in one.video.values())
    if folder is None:
        if needs_files:
            message = "the mapping takes values from the video files"
            hint = "name their folder with --videos"
            raise InputProblems("no videos", [Problem("no-data", "--videos", message, hint)])
        return mapped
    found, lost = find_files(folder, wanted)
    if videos is not None:
        plan.files = found
        if lost:
            some = "; ".join(shown(reason) for reason in list(lost.values())[:3])
            plan.warnings.append(f"{len(lost)} of {len(wanted)} videos are not there: {some}")
    whole, unmapped = fill_from_files(mapped, found, lost)
    plan.unmapped += unmapped
    return whole


def _video_id(one: Mapped) -> str:
    media = one.fields.get("media")
    return str(media["video_id"] if media else one.video.get("video_id"))


def _safe(video_id: str) -> bool:
    try:
        VidOmniVideo(video_id=video_id, source_dataset="-")
    except ValidationError:
        return False
    return True


def _check_all(mapped: list[Mapped], plan: Plan) -> None:
    """Make records; ids that repeat and videos that contradict each other are not mapped."""
    first: dict[str, str] = {}
    known: dict[str, tuple[str, VidOmniVideo]] = {}
    for one in mapped:
        notes: list[Unmapped] = []
        pair: VidOmniPair | VidHalLocPair | None = None
        video: VidOmniVideo | None = None
        if plan.benchmark == "vidhalloc":
            pair = _checked(VidHalLocPair, one.fields, one.place, notes)
        else:
            if one.fields:
                pair = _checked(VidOmniPair, one.fields, one.place, notes)
            if not notes:
                video = _checked(VidOmniVideo, one.video, one.place, notes)
        if pair is not None and pair.pair_id in first:
            reason = f"{pair.pair_id!r} is already at {first[pair.pair_id]}"
            notes.append(Unmapped(one.place, "pair_id", reason))
        if video is not None and not notes:
            place, before = known.get(video.video_id, (one.place, video))
            both = merged(before, video)
            if isinstance(both, str):
                notes.append(Unmapped(one.place, both, f"another value than at {place}"))
            else:
                known[video.video_id] = (place, both)
        if notes:
            plan.unmapped += notes
            continue
        if pair is not None:
            first[pair.pair_id] = one.place
        plan.records.append(Placed(one.place, pair, video, one.split))


def _checked(
    model: type[Record], fields: dict[str, Any], place: str, notes: list[Unmapped]
) -> Record | None:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            where = ".".join(str(part) for part in detail["loc"])
            message = str(detail["msg"]).removeprefix("Value error, ")
            notes.append(Unmapped(place, where, shown(message)))
        return None


def merged(before: VidOmniVideo, after: VidOmniVideo) -> VidOmniVideo | str:
    """Return what both lines on one video say together, or the field in which they differ."""
    together = before.model_dump()
    for name, value in after.model_dump().items():
        if together[name] is None:
            together[name] = value
        elif value is not None and value != together[name]:
            return name
    return VidOmniVideo.model_validate(together)
