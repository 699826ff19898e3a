"""Read the manifest of VidOmni's videos: JSON lines, or CSV with the same columns."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vidomni_plugin.data.releases import Entry, Release, read_videos
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.records import VidOmniVideo

__all__ = ["read_manifest"]

NUMBERS = {"complexity_type": int, "duration_s": float}
TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_manifest(path: Path) -> list[VidOmniVideo]:
    """Return the videos of a manifest, in file order.

    Args:
        path: ``videos.jsonl``, or a file whose name ends in ``.csv``: a header line with the
            same field names, comma separated, an empty cell for "not known".

    Raises:
        InputProblems: If the file cannot be read or any line is not a video; all are named.
    """
    release = _read_csv(path) if path.suffix.lower() == ".csv" else read_videos(path)
    if release.problems:
        raise InputProblems(f"the manifest {path} cannot be used", release.problems)
    return [entry.record for entry in release.entries]


def _read_csv(path: Path) -> Release[VidOmniVideo]:
    release: Release[VidOmniVideo] = Release()
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        hint = "name the manifest with --videos; save a table as CSV in UTF-8"
        release.problems.append(Problem("no-file", str(path), str(reason), hint))
        return release
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    first: dict[str, str] = {}
    try:
        for row in reader:
            place = f"{path}:{reader.line_num}"
            if None in row or None in row.values():
                message = f"the header has {len(reader.fieldnames or [])} columns, this line not"
                release.problems.append(Problem("record", place, message, "correct the record"))
                continue
            _read_row(row, place, release)
            video_id = row.get("video_id") or ""
            if video_id and video_id in first:
                message = f"video_id {video_id!r} is already used at {first[video_id]}"
                hint = "give each record its own id"
                release.problems.append(Problem("repeated-id", place, message, hint))
            first.setdefault(video_id, place)
    except csv.Error as error:
        release.problems.append(
            Problem("record", f"{path}:{reader.line_num}", str(error), "correct the record")
        )
    if not release.entries and not release.problems:
        release.problems.append(Problem("no-pairs", str(path), "there is no record in it"))
    return release


def _read_row(row: dict[str, str], place: str, release: Release[VidOmniVideo]) -> None:
    given = {name.strip(): cell.strip() for name, cell in row.items() if cell.strip()}
    fields: dict[str, Any] = dict(given)
    for name, number in NUMBERS.items():
        with suppress(ValueError):  # the record's own check names the field and what is wrong
            fields |= {name: number(given[name])} if name in given else {}
    if "has_audio" in given:
        fields["has_audio"] = TRUTHS.get(given["has_audio"].casefold(), given["has_audio"])
    try:
        release.entries.append(Entry(place, VidOmniVideo.model_validate_json(json.dumps(fields))))
    except ValidationError as error:
        for text in field_errors(error):
            release.problems.append(Problem("record", place, text, "correct the record"))
