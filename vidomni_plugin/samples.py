"""Read back what a run left: the host's samples files, and files of recorded responses."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from vidomni_plugin.data.lines import why_no_lines
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["DETAIL_METRICS", "Sample", "read_responses", "read_samples", "scan_samples"]

DETAIL_METRICS = ("f1", "overall", "words")
"""Metrics whose items carry the whole detail: of VidOmni, VidHalLoc and the captioning tasks."""
WRITTEN = "the host writes <output_path>/<model>/*_samples_<task>.jsonl, with --log_samples"
SHOWN_ALIKE = 5
"""So many lines that are no samples are named where a file holds nothing else."""
WITHOUT_DETAIL = "the host's --predict_only leaves out what a sample says of its item: run without"


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a samples file of one of our tasks."""

    place: str
    answer_id: str
    """The pair id, for VidHalLoc followed by "/factual" or "/counterfactual"; for the
    captioning tasks the video id followed by "/caption"."""
    response: str
    """What was scored: the answer after the host's filters."""
    detail: Mapping[str, Any]
    raw: str = ""
    """The answer before the host's filters, where they changed it (they cut thinking off)."""


def read_samples(path: Path) -> list[Sample]:
    """Return the samples of a host's ``*_samples_*.jsonl`` of one of our tasks.

    Raises:
        InputProblems: If the file cannot be read or a line is not whole; names every line.
    """
    samples, problems = scan_samples(path)
    _raise(path, samples, problems)
    return samples


def scan_samples(path: Path) -> tuple[list[Sample], list[Problem]]:
    """Return the samples that can be read, and what is wrong with the other lines."""
    samples: list[Sample] = []
    problems: list[Problem] = []
    for place, row in _json_lines(path, problems, WRITTEN):
        sample = _sample(place, row)
        if sample is None:
            message = "no sample of a VidOmni or VidHalLoc task"
            hint = WITHOUT_DETAIL if "bypass" in row else ""
            problems.append(Problem("sample", place, message, hint))
        else:
            samples.append(sample)
    if not samples and len(problems) > SHOWN_ALIKE:
        message = f"none of {len(problems)} lines can be used; the others are alike"
        problems[SHOWN_ALIKE:] = [Problem("sample", str(path), message, WRITTEN)]
    return samples, problems


def read_responses(path: Path) -> dict[str, str]:
    """Return recorded responses by answer id.

    Args:
        path: JSON lines ``{"id": ..., "response": ...}``, or a host's samples file.

    Raises:
        InputProblems: If the file cannot be read, a line is not whole, or an id has two
            different responses; names every line.
    """
    responses: dict[str, str] = {}
    problems: list[Problem] = []
    for place, row in _json_lines(path, problems):
        sample = _sample(place, row)
        if sample is not None:
            answer_id, response = sample.answer_id, sample.response
        elif isinstance(row.get("id"), str) and isinstance(row.get("response"), str):
            answer_id, response = row["id"], row["response"]
        else:
            message = 'neither {"id": text, "response": text} nor a sample of one of our tasks'
            problems.append(Problem("response", place, message))
            continue
        if responses.setdefault(answer_id, response) != response:
            problems.append(Problem("response", place, f"a second response for {answer_id!r}"))
    _raise(path, responses, problems)
    return responses


def _json_lines(
    path: Path, problems: list[Problem], hint: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        problems.append(Problem("no-file", str(path), error.strerror or str(error), hint))
        return
    if reason := _another_file(content):
        problems.append(Problem("json", str(path), reason, hint))
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            row = _value(line)
        except (ValueError, RecursionError) as error:
            hint = "the file was cut off or edited; write it again, or remove the line"
            problems.append(Problem("json", place, f"not whole JSON ({error})", hint))
            continue
        if isinstance(row, dict):
            yield place, row
        else:
            problems.append(Problem("json", place, "not a JSON object"))


def _value(line: bytes) -> object:
    """Return what ``json`` reads in a line.

    The other reader is twice as fast. What it refuses is broken, which ``json`` says in the words
    that users know, or is what ``json`` alone takes, such as half a character or UTF-16.

    Raises:
        ValueError: If the line is not whole JSON.
        RecursionError: If it goes too deep.
    """
    try:
        return from_json(line)
    except ValueError:
        return json.loads(line)


def _another_file(content: bytes) -> str:
    """Return what a file is that holds no samples, as a whole; empty where it may hold some."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "this is UTF-16, and the host writes UTF-8"
        return why_no_lines(content)
    if isinstance(whole, dict) and "results" in whole and "configs" in whole:
        return "this is the host's results file; give the *_samples_*.jsonl beside it"
    return why_no_lines(content)


def _sample(place: str, row: Mapping[str, Any]) -> Sample | None:
    details = [row[name] for name in DETAIL_METRICS if isinstance(row.get(name), dict)]
    detail = next((item for item in details if isinstance(item.get("benchmark"), str)), None)
    response = row.get("filtered_resps")
    if isinstance(response, list) and len(response) == 1:
        response = response[0]
    if detail is None or not isinstance(response, str):
        return None
    if detail["benchmark"] == "vidomni_caption":
        answer_id = f"{detail.get('video_id')}/caption"
    else:
        pair_id, side = detail.get("pair_id"), detail.get("side")
        answer_id = f"{pair_id}/{side}" if side else str(pair_id)
    raw = row.get("resps")
    while isinstance(raw, list) and len(raw) == 1:
        raw = raw[0]
    return Sample(place, answer_id, response, detail, raw if isinstance(raw, str) else "")


def _raise(path: Path, rows: object, problems: list[Problem]) -> None:
    if not rows and not problems:
        problems.append(Problem("empty", str(path), "the file holds nothing"))
    if problems:
        raise InputProblems(f"cannot use {path}", problems)
