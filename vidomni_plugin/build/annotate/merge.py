"""From settled labels and marked words to ``pairs.jsonl``: new items of VidOmni."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from vidomni_plugin.build.annotate.labelling import VERDICTS
from vidomni_plugin.build.annotate.plans import Plan, PlannedPair
from vidomni_plugin.build.annotate.settle import Settled
from vidomni_plugin.build.annotate.votes import Label
from vidomni_plugin.data.releases import Entry, read_videos
from vidomni_plugin.data.videos import check_videos, find_videos
from vidomni_plugin.problems import InputProblems, Problem, field_errors
from vidomni_plugin.records import ErrorSpan, VidOmniPair, VidOmniVideo

__all__ = ["VideoInfo", "merge_pairs", "video_infos"]


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What a pair takes over from its video."""

    record: VidOmniVideo
    duration_s: float
    has_audio: bool


def video_infos(manifest: Path, wanted: Sequence[str]) -> dict[str, VideoInfo]:
    """Return what is known of each wanted video.

    Length and sound come from the manifest; where it has none, from the file in the folder
    ``videos`` beside it.

    Args:
        manifest: ``videos.jsonl``.
        wanted: Video ids.

    Raises:
        InputProblems: If the manifest cannot be read, lacks a video, or neither it nor a file
            says what a pair needs; names all of them.
    """
    release = read_videos(manifest)
    entries = {entry.record.video_id: entry for entry in release.entries}
    open_ids = [v for v in wanted if v in entries and not _whole(entries[v].record)]
    files = find_videos(manifest.parent / "videos", open_ids)
    facts = check_videos(files.values())
    problems = list(release.problems)
    infos: dict[str, VideoInfo] = {}
    for video_id in sorted(set(wanted)):
        entry = entries.get(video_id)
        if entry is None:
            hint = "give the manifest that the captions were made from"
            message = f"no line for video {video_id!r}"
            problems.append(Problem("unknown-video", str(manifest), message, hint))
            continue
        seen = facts[files[video_id]] if video_id in files else None
        known = seen is not None and not seen.error
        duration, sound = entry.record.duration_s, entry.record.has_audio
        if seen is not None and known:
            duration = seen.duration_s if duration is None else duration
            sound = seen.has_audio if sound is None else sound
        if lacking := _lacking(entry, duration, sound):
            problems.append(lacking)
        elif duration is not None and sound is not None:
            infos[video_id] = VideoInfo(entry.record, duration, sound)
    if problems:
        raise InputProblems(f"videos in {manifest}", problems)
    return infos


def _whole(record: VidOmniVideo) -> bool:
    return record.duration_s is not None and record.has_audio is not None


def _lacking(
    entry: Entry[VidOmniVideo], duration: float | None, sound: bool | None
) -> Problem | None:
    values = {
        "complexity_type": entry.record.complexity_type,
        "duration_s": duration,
        "has_audio": sound,
    }
    names = [name for name, value in values.items() if value is None]
    if not names:
        return None
    message = f"video {entry.record.video_id!r} has no {', '.join(names)}"
    hint = (
        "add complexity_type (1-5) by hand; duration_s and has_audio are read from the file "
        "where it lies in the folder videos beside the manifest"
    )
    return Problem("record", entry.place, message, hint)


def merge_pairs(
    plan: Plan,
    settled: Settled,
    errors: Mapping[tuple[str, int], Sequence[ErrorSpan]],
    infos: Mapping[str, VideoInfo],
) -> list[VidOmniPair]:
    """Return the records of ``pairs.jsonl``, in plan order.

    Raises:
        InputProblems: If a record would be none that the task can read.
    """
    pairs, problems = [], []
    for pair_id, labels in settled.labels.items():
        planned = plan.pairs[pair_id]
        try:
            pairs.append(_pair(planned, labels, errors, infos[planned.video_id]))
        except ValidationError as error:
            problems += [Problem("record", f"pair {pair_id}", s) for s in field_errors(error)]
    if problems:
        raise InputProblems("merged pairs", problems)
    return pairs


def _pair(
    planned: PlannedPair,
    labels: Sequence[Label],
    errors: Mapping[tuple[str, int], Sequence[ErrorSpan]],
    info: VideoInfo,
) -> VidOmniPair:
    return VidOmniPair.model_validate(
        {
            "pair_id": planned.pair_id,
            "video_id": planned.video_id,
            "complexity_type": info.record.complexity_type,
            "duration_s": info.duration_s,
            "has_audio": info.has_audio,
            "audio_category": info.record.audio_category,
            "source_dataset": info.record.source_dataset,
            "caption_source": planned.caption.caption_source,
            "caption_prompt": planned.caption.caption_prompt,
            "sentences": [
                {
                    "text": text,
                    "label": VERDICTS[label],
                    "errors": list(errors.get((planned.pair_id, number), ())),
                }
                for number, (text, label) in enumerate(
                    zip(planned.sentences, labels, strict=True), 1
                )
            ],
        }
    )
