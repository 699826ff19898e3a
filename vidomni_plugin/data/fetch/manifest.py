"""Read the manifest of VidOmni's videos: JSON lines, or CSV with the same columns."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vidomni_plugin.data.releases import Entry, Release, read_videos
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.records import VidOmniVideo

__all__ = ["read_manifest"]

NUMBERS = {
    "complexity_type": (re.compile(r"[0-9]{1,9}"), int),
    "duration_s": (re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?"), float),
}
"""How a number is written in a cell: Python would read 1_0 and digits of other scripts too."""
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""What spreadsheets write instead of commas in some languages and formats."""
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
    if wrong := _wrong_header(text.partition("\n")[0].rstrip("\r")):
        hint = "save it as CSV with commas and one column a field"
        release.problems.append(Problem("record", f"{path}:1", wrong, hint))
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
            video_id = _cells(row).get("video_id", "")
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


def _wrong_header(line: str) -> str:
    """Return what is wrong with the first line of a CSV file, or nothing."""
    try:
        names = [name.strip() for name in next(csv.reader([line], strict=True), [])]
    except (csv.Error, StopIteration):
        return ""  # reading the rows says so
    for separator, what in OTHER_SEPARATORS.items():
        if separator in line and "video_id" not in names:
            return f"columns are separated by {what}, or a line stands before their names"
    twice = sorted({name for name in names if name and names.count(name) > 1})
    return f"the column {', '.join(map(repr, twice))} stands twice" if twice else ""


def _cells(row: Mapping[str, str]) -> dict[str, str]:
    return {name.strip(): cell.strip() for name, cell in row.items() if cell.strip()}


def _read_row(row: dict[str, str], place: str, release: Release[VidOmniVideo]) -> None:
    given = _cells(row)
    fields: dict[str, Any] = dict(given)
    for name, (form, number) in NUMBERS.items():
        if form.fullmatch(given.get(name, "")):  # else the record's own check says what is wrong
            fields[name] = number(given[name])
    if "has_audio" in given:
        fields["has_audio"] = TRUTHS.get(given["has_audio"].casefold(), given["has_audio"])
    try:
        release.entries.append(Entry(place, VidOmniVideo.model_validate_json(json.dumps(fields))))
    except ValidationError as error:
        for text in field_errors(error):
            release.problems.append(Problem("record", place, text, "correct the record"))
