"""Which pairs a threshold is chosen on, and which it is evaluated on: no video is in both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from vidomni_plugin.data.layout import FILES, TASK_SETS
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.wording import counted

__all__ = ["NAMES", "Listed", "Video", "check_apart", "listed", "read_pairs", "release_files"]

NAMES = ("main", "eval")
"""Splits of the release by name: Main_set, and Eval_set with Test_set (the paper's 800 items)."""
ANOTHER_RUN = (
    "is it a run of `vidhalloc_eval`, which has no pair of `main`? `vidhalloc` has all; --root is "
    "the folder of the data that was run"
)
SHOWN = 5
"""Pairs of one video that a message names."""


class Video(NamedTuple):
    """A video; both tasks of VidHalLoc may number theirs alike."""

    task_type: str
    video_id: str

    def __str__(self) -> str:
        return f"{self.task_type}/{self.video_id}"


class Listed(NamedTuple):
    """A pair that a list names."""

    place: str
    video: Video | None
    """None where the list says no more than the id."""


def release_files(root: Path, name: str) -> list[Path]:
    """Return the files of a split of the release, one a task.

    Args:
        root: Folder of VidHalLoc.
        name: One of ``NAMES``.
    """
    if name == "eval":
        return [root / file for file in FILES["eval"]]
    return [root / task.splits["Main_set"] for task in TASK_SETS.values()]


def read_pairs(paths: Iterable[Path]) -> dict[str, Listed]:
    """Return the pairs that some files name, by id.

    Args:
        paths: Files with one pair id a line, or one record of VidHalLoc a line (JSON).

    Raises:
        InputProblems: If a file cannot be read, holds no pair, a line is neither, or a pair is
            on two videos; names all.
    """
    found: dict[str, Listed] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            if path.exists() and not path.is_file():
                raise OSError(None, "a folder or a device")
            text = path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            problems.append(Problem("no-file", str(path), error.strerror or str(error)))
            continue
        except UnicodeDecodeError:
            problems.append(Problem("unreadable", str(path), "no text in UTF-8"))
            continue
        except ValueError as error:  # a name with a zero byte
            problems.append(Problem("no-file", str(path), str(error)))
            continue
        if not text.strip():
            problems.append(Problem("empty", str(path), "no pair in it"))
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            place = f"{path}:{number}"
            try:
                pair_id, video = _named(line.strip())
            except ValueError as error:
                problems.append(Problem("split", place, str(error)))
                continue
            first = found.setdefault(pair_id, Listed(place, video))
            if first.video is None:
                found[pair_id] = Listed(first.place, video)
            elif video not in (None, first.video):
                message = f"{pair_id!r} is on {video} here, and on {first.video} at {first.place}"
                problems.append(Problem("split", place, message, "these are different data"))
    if problems:
        raise InputProblems("the split cannot be read", problems)
    return found


def _named(line: str) -> tuple[str, Video | None]:
    if not line.startswith(("{", "[", '"')):
        return line, None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("neither a pair id nor a whole record") from None
    media = row.get("media") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(row.get("pair_id"), str):
        raise ValueError("a record without a pair_id")
    if not isinstance(media, dict) or not isinstance(media.get("video_id"), str):
        return row["pair_id"], None
    return row["pair_id"], Video(str(row.get("task_type")), media["video_id"])


def listed(
    names: Mapping[str, Listed], known: Mapping[str, Video], *, all_known: bool
) -> dict[str, Video]:
    """Return the videos of listed pairs, by pair id, sorted.

    Args:
        names: What a list names.
        known: Videos of the pairs that were run.
        all_known: Whether every listed pair must have been run.

    Raises:
        InputProblems: If a pair was not run, where it must have been or its video is not known,
            or the list gives it another video than the run; names all.
    """
    found: dict[str, Video] = {}
    problems: list[Problem] = []
    if all_known and len(names) > 1 and not names.keys() & known.keys():
        message = (
            f"none of its {len(names)} pairs is in the samples, which have {len(known)} others"
        )
        problem = Problem("split", next(iter(names.values())).place, message, ANOTHER_RUN)
        raise InputProblems("the split does not fit the samples", [problem])
    for pair_id, one in names.items():
        video = known.get(pair_id)
        if video is None and (all_known or one.video is None):
            hint = "give the samples of a run that has all of them, or a list of those it has"
            message = f"{pair_id!r} is not in the samples"
            problems.append(Problem("split", one.place, message, hint))
        elif video and one.video and video != one.video:
            message = f"{pair_id!r} is on {one.video} here, and on {video} in the samples"
            problems.append(Problem("split", one.place, message, "these are different data"))
        elif found_video := video or one.video:
            found[pair_id] = found_video
    if problems:
        raise InputProblems("the split does not fit the samples", problems)
    return dict(sorted(found.items()))


def check_apart(
    calibration: Mapping[str, Video],
    evaluation: Mapping[str, Video],
    contents: Mapping[str, str] | None = None,
) -> None:
    """Raise InputProblems where a video is on both sides; names every such video.

    Args:
        calibration: The video of each pair that a threshold is chosen on.
        evaluation: That of each pair that it is judged on.
        contents: Digest of the video's content by pair, where it is known: a copy under another
            name is the same video.

    Example:
        >>> check_apart({"a": Video("video_qa", "v1")}, {"b": Video("video_qa", "v2")})
    """
    ours, theirs = _by_video(calibration), _by_video(evaluation)
    problems = [
        Problem(
            "split",
            str(video),
            f"{_some(ours[video])} to calibrate and {_some(theirs[video])} to evaluate share it",
            "move all pairs of a video to one side: a threshold that was chosen on a video is "
            "not judged on it",
        )
        for video in sorted(ours.keys() & theirs.keys())
    ]
    problems += _copies(calibration, evaluation, contents or {})
    if problems:
        title = f"calibration and evaluation share {counted(len(problems), 'video')}"
        raise InputProblems(title, problems)


def _copies(
    calibration: Mapping[str, Video], evaluation: Mapping[str, Video], contents: Mapping[str, str]
) -> list[Problem]:
    """Return the videos of one side whose content is on the other side under another name."""
    ours = {
        contents[pair_id]: video for pair_id, video in calibration.items() if pair_id in contents
    }
    found = {
        (ours[contents[pair_id]], video)
        for pair_id, video in evaluation.items()
        if contents.get(pair_id) in ours and video not in set(calibration.values())
    }
    hint = "leave one of them out, with all its pairs"
    return [
        Problem("split", str(one), f"the same content is to evaluate as {other}", hint)
        for one, other in sorted(found)
    ]


def _by_video(pairs: Mapping[str, Video]) -> dict[Video, list[str]]:
    found: dict[Video, list[str]] = {}
    for pair_id, video in pairs.items():
        found.setdefault(video, []).append(pair_id)
    return found


def _some(pair_ids: Sequence[str]) -> str:
    more = f" and {len(pair_ids) - SHOWN} more" if len(pair_ids) > SHOWN else ""
    return ", ".join(pair_ids[:SHOWN]) + more
