"""Name the videos of a release, unite recordings, and give each video its split."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vidomni_plugin.build.pairs.contracts.pair import PairRecord, Task
from vidomni_plugin.build.pairs.ids import pair_id_of
from vidomni_plugin.build.pool.groups import groups
from vidomni_plugin.build.pool.measure import Measured
from vidomni_plugin.build.release.alike import Near, near_pairs
from vidomni_plugin.build.release.reading import Content
from vidomni_plugin.build.release.split import Cell, Recording, Split, split
from vidomni_plugin.data.layout import VIDEO_FOLDER
from vidomni_plugin.records import CATEGORY_OF_LEAF

__all__ = ["PREFIX", "Placed", "Video", "placed"]

PREFIX: dict[Task, str] = {"video_qa": "videoqa", "video_captioning": "captioning"}
"""Of the ids of a task's videos."""


@dataclass(frozen=True, slots=True)
class Video:
    """A video of the release."""

    video_id: str
    task: Task
    content: Content
    source: Path
    seen: Measured
    recording: str
    """Name of the recording, numbered; near-identical videos are of one."""
    split: str
    records: tuple[PairRecord, ...]
    """Its pairs with the ids of the release, in their order."""

    @property
    def packaged_path(self) -> str:
        """Where it lies below the root; the ending is in lower case, as runs look for it."""
        return f"{VIDEO_FOLDER[self.task]}/{self.video_id}{self.source.suffix.lower()}"


@dataclass(frozen=True, slots=True)
class Placed:
    """Every video in its split."""

    videos: tuple[Video, ...]
    """In the order of tasks and ids."""
    near: tuple[Near, ...]
    """Near-identical videos, by their ids."""
    split: Split


def placed(
    contents: Sequence[Content],
    files: Mapping[str, Path],
    seen: Mapping[str, Measured],
    *,
    bits: float,
    seed: int,
) -> Placed:
    """Return the videos with names, recordings and splits.

    Args:
        contents: In the order of their numbers.
        files: By SHA-256.
        seen: By SHA-256.
        bits: Up to which two videos are near-identical; below 0 for none.
        seed: Of the split.
    """
    names = _names(contents)
    ids = {sha256: video_id for video_id, sha256 in names.items()}
    near = near_pairs([(video_id, seen[sha256]) for video_id, sha256 in names.items()], bits)
    of_content = {one.sha256: one for one in contents}
    recordings = _recordings({video: of_content[sha].parents for video, sha in names.items()}, near)
    pairs: dict[str, Counter[Cell]] = defaultdict(Counter)
    for one in contents:
        pairs[recordings[ids[one.sha256]]].update(
            Cell(one.task, CATEGORY_OF_LEAF[record.leaf.value]) for record in one.records
        )
    videos = Counter(recordings.values())
    chosen = split([Recording(name, videos[name], pairs[name]) for name in pairs], seed)
    result = []
    for video_id, sha256 in names.items():
        content, recording = of_content[sha256], recordings[video_id]
        result.append(
            Video(
                video_id=video_id,
                task=content.task,
                content=content,
                source=files[sha256],
                seen=seen[sha256],
                recording=recording,
                split=chosen.of_parent[recording],
                records=_renamed(content.records, video_id),
            )
        )
    return Placed(tuple(result), tuple(near), chosen)


def _names(contents: Sequence[Content]) -> dict[str, str]:
    """Return the content of each id; question answering first, each task numbered from 1."""
    names: dict[str, str] = {}
    for task, prefix in PREFIX.items():
        of_task = [one for one in contents if one.task == task]
        names |= {f"{prefix}_{k:04d}": one.sha256 for k, one in enumerate(of_task, 1)}
    return names


def _recordings(parents: Mapping[str, frozenset[str]], near: Sequence[Near]) -> dict[str, str]:
    """Return the recording of each video: those that share a parent or look alike are one."""
    first: dict[str, str] = {}
    links = [(video, video) for video in parents]
    links += [(one.one, one.other) for one in near]
    for video, named in parents.items():
        links += [(first.setdefault(name, video), video) for name in sorted(named)]
    together = groups(links)
    numbers: dict[str, str] = {}
    for video in parents:
        numbers.setdefault(together[video], f"recording_{len(numbers) + 1:04d}")
    return {video: numbers[together[video]] for video in parents}


def _renamed(records: Sequence[PairRecord], video_id: str) -> tuple[PairRecord, ...]:
    renamed = []
    for record in records:
        media = record.public.media.model_copy(
            update={"video_id": video_id, "canonical_media_uri": f"media://{video_id}/original"}
        )
        pair_id = pair_id_of(video_id, record.fact_id)
        public = record.public.model_copy(update={"pair_id": pair_id, "media": media})
        renamed.append(record.model_copy(update={"public": public}))
    return tuple(sorted(renamed, key=lambda one: one.pair_id))
