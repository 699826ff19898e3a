"""The captions that are compared: two files, joined by video."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.data.releases import read_captions, read_records
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import VidOmniPair

__all__ = ["CaptionText", "Joined", "join", "read_texts"]


@dataclass(frozen=True, slots=True)
class CaptionText:
    """One caption to be compared."""

    pair_id: str
    video_id: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Joined:
    """Captions of common videos, each of A with each of B."""

    pairs: list[tuple[CaptionText, CaptionText]]
    videos: int
    """Videos that both files have."""
    only_a: int
    """Videos that only the first file has; they are not compared."""
    only_b: int

    @property
    def identical(self) -> int:
        """Return how many pairs hold the same text twice: there is nothing to choose."""
        return sum(a.text == b.text for a, b in self.pairs)


def read_texts(path: Path) -> list[CaptionText]:
    """Return the captions of a ``captions.jsonl``, or of a ``pairs.jsonl`` (sentences joined).

    Raises:
        InputProblems: If the file cannot be read; names every bad line.
    """
    if _has_captions(path):
        captions = read_captions(path)
        problems = captions.problems
        texts = [
            CaptionText(c.pair_id, c.video_id, c.caption_source, c.caption)
            for c in (entry.record for entry in captions.entries)
        ]
    else:
        pairs = read_records([path], VidOmniPair, "pair_id")
        problems = pairs.problems
        texts = [
            CaptionText(
                p.pair_id, p.video_id, p.caption_source, " ".join(s.text for s in p.sentences)
            )
            for p in (entry.record for entry in pairs.entries)
        ]
    if problems:
        raise InputProblems(f"captions in {path}", problems)
    return texts


def _has_captions(path: Path) -> bool:
    """Return whether the first line of a file is a caption; a bad line is one, to be named."""
    try:
        with path.open("rb") as file:
            line = next((line for line in file if line.strip()), b"")
        first = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (OSError, ValueError, RecursionError):
        return True
    return not (isinstance(first, dict) and "complexity_type" in first)


def join(a: list[CaptionText], b: list[CaptionText]) -> Joined:
    """Pair every caption of A with every caption of B on the same video, in a fixed order."""
    of_a, of_b = _by_video(a), _by_video(b)
    common = sorted(of_a.keys() & of_b.keys())
    pairs = [(x, y) for video in common for x in of_a[video] for y in of_b[video]]
    return Joined(pairs, len(common), len(of_a) - len(common), len(of_b) - len(common))


def _by_video(captions: list[CaptionText]) -> dict[str, list[CaptionText]]:
    by_video: dict[str, list[CaptionText]] = {}
    for caption in sorted(captions, key=lambda c: (c.video_id, c.source, c.pair_id)):
        by_video.setdefault(caption.video_id, []).append(caption)
    return by_video
