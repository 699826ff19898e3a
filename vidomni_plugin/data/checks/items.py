"""Checks of single VidHalLoc items: their fields, and the form of question and answers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from vidomni_plugin.data.checks.answers import (
    bare,
    is_polar_question,
    is_sentence,
    places_of_change,
    polar_form,
    polarity,
)
from vidomni_plugin.data.checks.registry import Found, check
from vidomni_plugin.data.checks.view import VidHalLocData
from vidomni_plugin.data.layout import (
    OWN_POLICIES,
    PAIR_SCHEMA,
    RELEASED_POLICY,
    RELEASED_SCHEMA,
    SLOT_OF_LEAF,
)
from vidomni_plugin.records import Leaf, VidHalLocPair

__all__: list[str] = []

POLICIES = {RELEASED_SCHEMA: (RELEASED_POLICY,), PAIR_SCHEMA: OWN_POLICIES}
"""What may stand as evidence policy, by schema."""
MODALITIES = {
    "visual",
    "speech_audio",
    "non_speech_audio",
    "on_screen_text",
    "camera_editing",
    "container_metadata",
}


def _sides(item: VidHalLocPair) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("answer", item.answer), ("counterfactual_answer", item.counterfactual_answer)


def _polar(item: VidHalLocPair) -> bool:
    return item.task_type == "video_qa" and item.leaf_label is Leaf.ENTITY_EXISTENCE


def _off_schema(item: VidHalLocPair) -> Iterator[str]:
    media = item.media
    policies = POLICIES.get(item.schema_version)
    if policies is None:
        yield f"schema_version is {item.schema_version!r}, not {' or '.join(map(repr, POLICIES))}"
    if media.canonical_media_uri != f"media://{media.video_id}/original":
        yield f"canonical_media_uri is {media.canonical_media_uri!r}, the video {media.video_id!r}"
    policies = policies or (RELEASED_POLICY,)
    if media.evidence_policy_id not in policies:
        allowed = " or ".join(map(repr, policies))
        yield f"evidence_policy_id is {media.evidence_policy_id!r}, not {allowed}"
    given = media.registered_modalities
    if not given or len(set(given)) < len(given) or not set(given) <= MODALITIES:
        yield f"registered_modalities are {given}"


@check(
    "off-schema",
    "vidhalloc",
    severity="report",
    meaning="a constant of the schema is another one: `schema_version` (of the release, or of "
    "`vidomni build release`), the media URI `media://<video_id>/original`, the evidence policy of "
    "this schema, the list of modalities",
    hint="data of your own may differ here; neither release does",
)
def off_schema(data: VidHalLocData) -> Iterator[Found]:
    """The schema has constants that reading does not insist on."""
    for entry in data.items:
        for message in _off_schema(entry.record):
            yield Found(entry.place, message)


@check(
    "leaf-slot",
    "vidhalloc",
    meaning="`conflict_slot` is not the one that belongs to `leaf_label`",
    hint="correct the leaf or the slot; scores are grouped by leaf",
)
def leaf_slot(data: VidHalLocData) -> Iterator[Found]:
    """Each leaf changes one kind of thing."""
    for entry in data.items:
        leaf, slot = entry.record.leaf_label, entry.record.conflict_slot
        right = SLOT_OF_LEAF[leaf.value]
        if slot != right:
            yield Found(entry.place, f"{leaf.value} changes {right!r}, not {slot!r}")


@check(
    "not-a-sentence",
    "vidhalloc",
    meaning="an answer that is no full sentence: one word only, or no `.`, `!` or `?` at its end",
    hint="write both answers as full sentences",
)
def not_a_sentence(data: VidHalLocData) -> Iterator[Found]:
    """Both answers are full sentences, so that their form does not tell which one is false."""
    for entry in data.items:
        for side, text in _sides(entry.record):
            if not is_sentence(text):
                yield Found(entry.place, f"{side} {text!r} is no full sentence")


@check(
    "yes-no",
    "vidhalloc",
    meaning="`Yes, ...` or `No, ...` where it does not belong, or neither where it does: both "
    "answers of an EntityExistence question begin so, and no others",
    hint="write `Yes, ` or `No, ` and a sentence for EntityExistence questions only",
)
def yes_no(data: VidHalLocData) -> Iterator[Found]:
    """Yes and No are the form of EntityExistence questions."""
    for entry in data.items:
        for side, text in _sides(entry.record):
            if not _polar(entry.record) and polarity(text):
                yield Found(entry.place, f"{side} {text!r} begins with {polarity(text)}")
            elif _polar(entry.record) and not polar_form(text) and is_sentence(text):
                message = f"{side} {text!r} is not `Yes, ` or `No, ` and a sentence"
                yield Found(entry.place, message)


@check(
    "same-polarity",
    "vidhalloc",
    meaning="both answers of an EntityExistence question say Yes, or both say No",
    hint="one answer says Yes, the other No",
)
def same_polarity(data: VidHalLocData) -> Iterator[Found]:
    """What one answer affirms the other denies."""
    for entry in data.items:
        item = entry.record
        said = polarity(item.answer)
        if _polar(item) and said and said == polarity(item.counterfactual_answer):
            yield Found(entry.place, f"both answers say {said}")


@check(
    "polar-question",
    "vidhalloc",
    meaning="an EntityExistence question that cannot be answered with Yes or No: it does not begin "
    "with is, are, was, were, does, do, did, can, could, has, have or had",
    hint="ask so that Yes or No is an answer",
)
def polar_question(data: VidHalLocData) -> Iterator[Found]:
    """The question of a Yes/No item asks for it."""
    for entry in data.items:
        if _polar(entry.record) and not is_polar_question(entry.record.question):
            yield Found(entry.place, f"{entry.record.question!r} is no question for Yes or No")


@check(
    "same-answers",
    "vidhalloc",
    meaning="the two answers differ in nothing but punctuation",
    hint="the counterfactual answer states something false",
)
def same_answers(data: VidHalLocData) -> Iterator[Found]:
    """Equal up to case and spaces is no record at all; this finds what is left."""
    for entry in data.items:
        item = entry.record
        if bare(item.answer) == bare(item.counterfactual_answer):
            yield Found(entry.place, f"{item.answer!r} and {item.counterfactual_answer!r}")


@check(
    "several-changes",
    "vidhalloc",
    severity="report",
    meaning="the counterfactual answer differs from the factual one in more than one place",
    hint="change one detail only; then a rejection says which detail was seen",
)
def several_changes(data: VidHalLocData) -> Iterator[Found]:
    """One detail is false. Yes/No and one more place are fine for Yes/No answers."""
    for entry in data.items:
        item = entry.record
        places = places_of_change(item.answer, item.counterfactual_answer)
        if len(places) > 1:
            yield Found(entry.place, f"{len(places)} places: {'; '.join(places)}")


@check(
    "repeated-item",
    "vidhalloc",
    meaning="two pair ids with the same video, question and answers",
    hint="remove one of them: it counts twice",
)
def repeated_item(data: VidHalLocData) -> Iterator[Found]:
    """An item counts once, whatever its id."""
    first: dict[tuple[str, ...], tuple[str, str]] = {}
    for entry in data.items:
        item = entry.record
        texts = (item.question, item.answer, item.counterfactual_answer)
        key = (item.task_type, item.media.video_id, *map(bare, texts))
        if key in first:
            pair_id, place = first[key]
            yield Found(entry.place, f"{item.pair_id!r} is the item {pair_id!r} at {place}")
        first.setdefault(key, (item.pair_id, entry.place))


@check(
    "video-in-two-tasks",
    "vidhalloc",
    meaning="one video id has question answering and captioning items",
    hint="a video belongs to one task; give the other its own id",
)
def video_in_two_tasks(data: VidHalLocData) -> Iterator[Found]:
    """Ids name videos across both folders."""
    first: dict[str, tuple[str, str]] = {}
    reported: set[str] = set()
    for entry in data.items:
        video_id, task = entry.record.media.video_id, entry.record.task_type
        other, place = first.setdefault(video_id, (task, entry.place))
        if task != other and video_id not in reported:
            reported.add(video_id)
            yield Found(
                entry.place, f"{video_id!r} has a {task} item, and a {other} one at {place}"
            )


@check(
    "items-of-a-video",
    "vidhalloc",
    of_release=True,
    meaning="more than two items of one video",
    hint="the release has at most two: fetch it again",
)
def items_of_a_video(data: VidHalLocData) -> Iterator[Found]:
    """At most two items a video."""
    of: dict[str, list[str]] = defaultdict(list)
    for entry in data.items:
        of[entry.record.media.video_id].append(entry.place)
    for video_id, places in of.items():
        if len(places) > 2:
            yield Found(places[2], f"{video_id!r} has {len(places)} items, also at {places[0]}")


@check(
    "leaf-of-a-video",
    "vidhalloc",
    of_release=True,
    meaning="two items of one video with the same leaf",
    hint="the release has at most one: fetch it again",
)
def leaf_of_a_video(data: VidHalLocData) -> Iterator[Found]:
    """At most one item a video and leaf."""
    first: dict[tuple[str, Leaf], str] = {}
    for entry in data.items:
        key = (entry.record.media.video_id, entry.record.leaf_label)
        if key in first:
            message = f"{key[0]!r} has another {key[1].value} item at {first[key]}"
            yield Found(entry.place, message)
        first.setdefault(key, entry.place)


@check(
    "numbering",
    "vidhalloc",
    of_release=True,
    meaning="a gap in the numbers of the video ids (`videoqa_0001`, `captioning_0001`, ...)",
    hint="a video and its items are lost: fetch the release again",
)
def numbering(data: VidHalLocData) -> Iterator[Found]:
    """The release counts its videos from 1, by task."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for claim in data.claims:
        if found := re.fullmatch(r"(.*?)(\d+)", claim.video.video_id):
            numbers[found[1]].add(int(found[2]))
    for prefix, present in sorted(numbers.items()):
        ordered = [0, *sorted(present)]
        for before, after in pairwise(ordered):
            gone = sorted({before + 1, after - 1})
            if before + 1 < after:
                names = " to ".join(f"{prefix}{number:04d}" for number in gone)
                yield Found(str(data.root.path), f"there is no {names}")
