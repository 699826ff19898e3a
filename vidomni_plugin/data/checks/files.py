"""Checks of both benchmarks on files: how lines are written, and what the videos really are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from vidomni_plugin.data.checks.registry import ANY_FILE, Found, check
from vidomni_plugin.data.checks.view import Data, VidOmniData
from vidomni_plugin.data.durations import duration_differs
from vidomni_plugin.data.load import VideoKey
from vidomni_plugin.data.videos import SUFFIXES

__all__: list[str] = []

SHOWN_LINES = 3
"""How many line numbers a message names."""


def _lines(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:SHOWN_LINES]))
    more = f" and {len(numbers) - SHOWN_LINES} more" if len(numbers) > SHOWN_LINES else ""
    return f"line{'s' if len(numbers) > 1 else ''} {shown}{more}"


@check(
    "file-format",
    severity="report",
    meaning="a byte-order mark, line ends of Windows, empty lines, or blanks at the end of lines",
    hint="reading passes over them, other tools may not",
    fix="writes the file anew without them",
)
def file_format(data: Data) -> Iterator[Found]:
    """Annotation files are UTF-8, one record a line, and nothing else."""
    for name, faults in data.faults.items():
        said = ["a byte-order mark"] if faults.bom else []
        said += [f"line ends of Windows ({_lines(faults.crlf)})"] if faults.crlf else []
        said += [f"blanks ({_lines(faults.blanks)})"] if faults.blanks else []
        if said:
            yield Found(str(data.root.path / name), "; ".join(said))


@check(
    "duration",
    needs="videos",
    meaning="the file is shorter or longer than stated, by more than a second and 2 %",
    hint="correct the duration, or put the right video there",
    fix="takes the duration from the file",
)
def duration(data: Data) -> Iterator[Found]:
    """A stated duration decides short, medium and long; a wrong one moves a pair."""
    stated: dict[tuple[VideoKey, float], list[str]] = defaultdict(list)
    for claim in data.claims:
        path = data.videos.files.get(claim.video)
        if path is None or claim.duration_s is None:
            continue
        if duration_differs(claim.duration_s, data.videos.facts[path].duration_s):
            stated[claim.video, claim.duration_s].append(claim.place)
    for (video, seconds), places in stated.items():
        path = data.videos.files[video]
        real = data.videos.facts[path].duration_s
        more = f" ({len(places) - 1} more lines say so)" if len(places) > 1 else ""
        yield Found(places[0], f"{seconds:g} s are stated, {path} has {real:.1f} s{more}")


@check(
    "sound-not-stated",
    "vidomni",
    severity="report",
    needs="videos",
    meaning="the file has sound, and the record says that it has none",
    hint="correct `has_audio`; a sound track that is silent may stay as it is",
    fix="sets `has_audio` to true",
)
def sound_not_stated(data: VidOmniData) -> Iterator[Found]:
    """The other direction of ``no-sound``."""
    seen: set[VideoKey] = set()
    for claim in data.claims:
        path = data.videos.files.get(claim.video)
        if path is None or claim.has_audio is not False or claim.video in seen:
            continue
        if data.videos.facts[path].has_audio:
            seen.add(claim.video)
            yield Found(claim.place, f"{path} has sound, has_audio is false")


@check(
    "hash-differs",
    needs="videos",
    hashes=True,
    meaning="the file's SHA-256 is not the one that is stated in `source_video_inventory.jsonl`, "
    "`videos.jsonl` or `fetched.jsonl`: it was cut, re-encoded or exchanged",
    hint="fetch the video again",
)
def hash_differs(data: Data) -> Iterator[Found]:
    """Annotations are of one file; another cut of the video may show something else."""
    for claim in data.claims:
        path = data.videos.files.get(claim.video)
        real = data.videos.hashes.get(path) if path else None
        if real and claim.sha256 and real != claim.sha256:
            message = f"{path}: the hash is {real[:12]}..., {claim.sha256[:12]}... is stated"
            yield Found(claim.place, message)


@check(
    "extra-file",
    severity="report",
    needs="videos",
    meaning="something in a folder of videos that no record names; also a second file of one video",
    hint="remove it, or add its records",
    whole=(ANY_FILE,),  # a line that cannot be read may name it
)
def extra_file(data: Data) -> Iterator[Found]:
    """What is there and not used is often a wrong name."""
    for path in data.videos.others:
        message = "no record names it, or another file of this id goes before it"
        if path.suffix != path.suffix.lower() and path.suffix.lower() in SUFFIXES:
            message = f"the ending of a video is written in lower case: {path.suffix.lower()}"
        yield Found(str(path), message)
