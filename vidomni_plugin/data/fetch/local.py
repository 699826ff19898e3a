"""Find videos in local copies of their source data sets; each root is walked once."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from vidomni_plugin.data.fetch.patterns import ANY, Patterns
from vidomni_plugin.data.videos import SUFFIXES
from vidomni_plugin.records import VidOmniVideo

__all__ = ["Catalog", "Wanted", "expand"]


class Wanted(NamedTuple):
    """What the path of a file must look like, without its ending."""

    path: re.Pattern[str]
    last: str | None
    """The last name of the path, where no ``*`` stands in it."""


def expand(pattern: str, video: VidOmniVideo) -> Wanted | None:
    """Return what the end of a path must look like for this video.

    The manifest's text is only compared with paths that are there; it never opens one.

    Returns:
        None where the pattern needs a field that the manifest does not give.
    """
    given = {"id": _stem(video.source_id), "youtube": video.youtube_id, "video": video.video_id}
    rule, text = r"(?:.*/)?", ""
    for part in re.split(r"(\{\w+\}|\*)", pattern):
        value: str | None = part
        if part.startswith("{"):
            value = (given[part[1:-1]] or "").strip("/")
            if not value:
                return None
        literal = _same(value or "")
        rule += "[^/]*" if part == "*" else re.escape(literal)
        text += literal
    known = "*" not in pattern.rsplit("/", 1)[-1]
    return Wanted(re.compile(rule, re.DOTALL), text.rsplit("/", 1)[-1] if known else None)


@dataclass
class Catalog:
    """The video files under the roots that a user named, and which of them fit a video."""

    roots: Mapping[str, Sequence[Path]]
    """Folders by name of the data set in the patterns; ``any`` holds videos of all."""
    patterns: Patterns
    unread: list[str] = field(default_factory=list)
    """Folders that could not be entered, with the reason."""
    _index: dict[Path, dict[str, list[str]]] = field(default_factory=dict)

    def find(self, video: VidOmniVideo) -> list[Path]:
        """Return the files that fit the first pattern that fits any, in order of their paths."""
        name = self.patterns.name(video.source_dataset)
        roots = [*self.roots.get(name, ()), *self.roots.get(ANY, ())]
        for pattern in self.patterns.of(video.source_dataset):
            wanted = expand(pattern, video)
            if wanted is None:
                continue
            found = {path for root in roots for path in self._matching(root, wanted)}
            if found:
                return sorted(found)
        return []

    def _matching(self, root: Path, wanted: Wanted) -> list[Path]:
        index = self._indexed(root)
        if wanted.last is None:
            candidates = [path for paths in index.values() for path in paths]
        else:
            candidates = index.get(wanted.last, [])
        return [root / path for path in candidates if wanted.path.fullmatch(_same(_without(path)))]

    def _indexed(self, root: Path) -> dict[str, list[str]]:
        if root not in self._index:
            index: dict[str, list[str]] = {}
            for path in self._walk(root):
                index.setdefault(_same(_without(path)).rsplit("/", 1)[-1], []).append(path)
            self._index[root] = index
        return self._index[root]

    def _walk(self, root: Path) -> list[str]:
        """Return the video files under a folder, relative and with forward slashes."""
        entered: set[tuple[int, int]] = set()
        found: list[str] = []

        def refuse(error: OSError) -> None:
            self.unread.append(f"{error.filename}: {error.strerror}")

        for folder, below, names in os.walk(root, followlinks=True, onerror=refuse):
            stat = os.stat(folder)
            if (stat.st_dev, stat.st_ino) in entered:  # links may lead in a circle
                below.clear()
                continue
            entered.add((stat.st_dev, stat.st_ino))
            below.sort()
            inside = os.path.relpath(folder, root).replace(os.sep, "/")
            prefix = "" if inside == "." else f"{inside}/"
            found += [f"{prefix}{n}" for n in names if n.lower().endswith(SUFFIXES)]
        return found


def _same(text: str) -> str:
    """One spelling of letters with accents: file systems differ."""
    return unicodedata.normalize("NFC", text)


def _stem(source_id: str | None) -> str | None:
    if source_id is None:
        return None
    ending = next((s for s in SUFFIXES if source_id.lower().endswith(s)), "")
    return source_id[: len(source_id) - len(ending)]


def _without(path: str) -> str:
    return path[: path.rindex(".")]
