"""Checks of VidOmni's lines on one video: they must agree, and be complete."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from vidomni_plugin.data.checks.registry import ANY_FILE, Found, check
from vidomni_plugin.data.checks.view import VidOmniData
from vidomni_plugin.data.durations import same_when_rounded
from vidomni_plugin.data.releases import Entry
from vidomni_plugin.published import published
from vidomni_plugin.records import VidOmniPair, VidOmniVideo

__all__: list[str] = []

OF_A_VIDEO = ("complexity_type", "duration_s", "has_audio", "audio_category", "source_dataset")
"""Fields that are the video's and not the caption's."""


def _same(name: str, one: object, other: object) -> bool:
    if name == "duration_s" and isinstance(one, float) and isinstance(other, float):
        return same_when_rounded(one, other)
    return one == other


@check(
    "video-metadata",
    "vidomni",
    meaning="two lines say different things of one video: type, duration, sound, kind of sound or "
    "source",
    hint="correct the lines: a video has one type, one duration and one source",
)
def video_metadata(data: VidOmniData) -> Iterator[Found]:
    """Scores are grouped by these fields; a video must not be in two groups."""
    first: dict[tuple[str, str], tuple[object, str]] = {}
    lines: list[Entry[VidOmniPair] | Entry[VidOmniVideo]] = [*data.pairs, *(data.manifest or ())]
    for entry in lines:
        for name in OF_A_VIDEO:
            value = getattr(entry.record, name)
            if value is None and isinstance(entry.record, VidOmniVideo):
                continue  # a manifest may leave out what nobody knew then
            key = (entry.record.video_id, name)
            other, place = first.setdefault(key, (value, entry.place))
            if not _same(name, value, other):
                message = f"{key[0]!r}: {name} is {value!r}, and {other!r} at {place}"
                yield Found(entry.place, message)


@check(
    "sound-category",
    "vidomni",
    severity="report",
    meaning="a kind of sound for a video that has none",
    hint="correct `has_audio` or `audio_category`",
)
def sound_category(data: VidOmniData) -> Iterator[Found]:
    """Table 13 groups by the kind of sound."""
    for pair in data.pairs:
        if pair.record.audio_category and not pair.record.has_audio:
            kind = pair.record.audio_category
            yield Found(pair.place, f"has_audio is false, audio_category is {kind!r}")


@check(
    "repeated-caption",
    "vidomni",
    meaning="two pairs with the same video and the same sentences",
    hint="remove one of them: it counts twice",
)
def repeated_caption(data: VidOmniData) -> Iterator[Found]:
    """A caption of a video counts once, whatever its id."""
    first: dict[tuple[str, ...], tuple[str, str]] = {}
    for pair in data.pairs:
        key = (pair.record.video_id, *(sentence.text for sentence in pair.record.sentences))
        pair_id, place = first.setdefault(key, (pair.record.pair_id, pair.place))
        if place != pair.place:
            message = f"{pair.record.pair_id!r} has the sentences of {pair_id!r} at {place}"
            yield Found(pair.place, message)


@check(
    "source-twice",
    "vidomni",
    severity="report",
    meaning="two different captions of one video by one model",
    hint="fine if it was meant: tables by caption source then count the video twice",
)
def source_twice(data: VidOmniData) -> Iterator[Found]:
    """In the paper each model captions a video once; see captions-of-a-video for the release."""
    if data.as_released:
        return
    first: dict[tuple[str, str], tuple[list[str], str]] = {}
    for pair in data.pairs:
        key = (pair.record.video_id, pair.record.caption_source)
        texts = [sentence.text for sentence in pair.record.sentences]
        other, place = first.setdefault(key, (texts, pair.place))
        if place != pair.place and other != texts:
            yield Found(pair.place, f"{key[1]!r} also captioned {key[0]!r} at {place}")


@check(
    "not-listed",
    "vidomni",
    severity="report",
    meaning="a video with pairs that `videos.jsonl` does not list",
    hint="add its line: `vidomni data fetch` gets the videos of that file only",
    whole=("videos.jsonl",),
)
def not_listed(data: VidOmniData) -> Iterator[Found]:
    """Where there is a list of videos, it is to be complete."""
    if data.manifest is None:
        return
    listed = {entry.record.video_id for entry in data.manifest}
    for pair in data.pairs:
        if pair.record.video_id not in listed:
            listed.add(pair.record.video_id)
            yield Found(pair.place, f"videos.jsonl does not list {pair.record.video_id!r}")


@check(
    "captions-of-a-video",
    "vidomni",
    of_release=True,
    meaning="a video that has not exactly one caption of each of the five models",
    hint="pairs are lost or were added: get the annotations again",
    whole=(ANY_FILE,),
)
def captions_of_a_video(data: VidOmniData) -> Iterator[Found]:
    """Five models caption each video."""
    captioners = published()["vidomni"]["counts"]["captioners"]
    pairs = Counter(pair.record.video_id for pair in data.pairs)
    sources: dict[str, dict[str, str]] = defaultdict(dict)
    for pair in data.pairs:
        sources[pair.record.video_id].setdefault(pair.record.caption_source, pair.place)
    every = {source for of in sources.values() for source in of}
    for video_id, of in sources.items():
        if (len(of), pairs[video_id]) != (captioners, captioners):
            lost = ", ".join(sorted(map(repr, every - of.keys()))) or "none"
            message = f"{video_id!r} has {pairs[video_id]} captions; models without one: {lost}"
            yield Found(next(iter(of.values())), message)
