"""What three annotators do with four pairs of the built-in sample, and what must be read back.

They agree with the sample's own labels but for what this page adds: a dispute, an Unknown, memos,
a skipped task, an annotation that is changed after it was submitted, a draft, categories that
differ, words marked across two sentences, and words behind an emoji.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.label_studio import client
from tests.label_studio.client import Person
from vidomni_plugin.build.annotate import labelling
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.data.releases import read_vidomni
from vidomni_plugin.records import (
    Caption,
    CaptionSentence,
    ErrorSpan,
    Sentence,
    VidOmniPair,
    VidOmniVideo,
)

PEOPLE = ("ann", "ben", "cem")
SECONDS = 20.25
"""What the first annotator of a pair took; the second a second more."""
PAIRS = ("bounce__captioner-b", "roll__captioner-c", "sign__captioner-c", "trio__captioner-b")
DISPUTED, CHANGED = "trio__captioner-b", "sign__captioner-c"
ACROSS = "bounce__captioner-b"
EMOJI = Sentence(
    text="After OPEN comes a 😀 that winks & 3 red squares.",
    label=1,
    errors=[
        ErrorSpan(text="a 😀 that winks", category="Illusion"),
        ErrorSpan(text="red", category="Object"),
    ],
)
"""Browsers count the emoji as two characters."""
OF_LABEL = {value: name for name, value in labelling.VERDICTS.items()}


@dataclass(frozen=True)
class Sent1:
    """What one person submitted on one pair in stage 1."""

    labels: tuple[str, ...]
    memos: tuple[str, ...]
    seconds: float
    skipped: bool = False


@dataclass(frozen=True)
class Sent2:
    """What one person marked in one pair: number of the sentence, start, end, category."""

    spans: frozenset[tuple[int, int, int, str]]
    seconds: float


def email(name: str) -> str:
    """Return the address of one of the three."""
    return f"{name}@example.org"


def gold() -> dict[str, VidOmniPair]:
    """Return the four pairs as the built-in sample labels them, one sentence added."""
    entries = read_vidomni(mini_root("vidomni").path).entries
    pairs = {e.record.pair_id: e.record for e in entries if e.record.pair_id in PAIRS}
    sign = pairs[CHANGED]
    pairs[CHANGED] = sign.model_copy(update={"sentences": [*sign.sentences, EMOJI]})
    return pairs


def captions() -> list[Caption]:
    """Return the captions of the four pairs, split into sentences."""
    made = []
    for pair in gold().values():
        text = " ".join(sentence.text for sentence in pair.sentences)
        sentences, at = [], 0
        for sentence in pair.sentences:
            end = at + len(sentence.text)
            sentences.append(CaptionSentence(text=sentence.text, start=at, end=end))
            at = end + 1
        made.append(
            Caption(
                pair_id=pair.pair_id,
                video_id=pair.video_id,
                caption_source=pair.caption_source,
                caption_prompt=pair.caption_prompt,
                caption=text,
                sentences=sentences,
            )
        )
    return made


def videos() -> list[VidOmniVideo]:
    """Return the videos of the four pairs."""
    return [
        VidOmniVideo(
            video_id=pair.video_id,
            source_dataset=pair.source_dataset,
            complexity_type=pair.complexity_type,
            duration_s=pair.duration_s,
            has_audio=pair.has_audio,
            audio_category=pair.audio_category,
        )
        for pair in gold().values()
    ]


def wanted1(tasks: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Sent1]:
    """Return what everybody submits last on the tasks of stage 1, by pair and name."""
    return {
        (task["data"]["pair_id"], name): _judgement(
            task["data"]["pair_id"], place, task["data"]["batch"] == "pilot"
        )
        for task in tasks
        for place, name in enumerate(labelling.assigned_to(task["data"]))
    }


def wanted2(tasks: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Sent2]:
    """Return what everybody marks on the tasks of stage 2, by pair and name."""
    return {
        (task["data"]["pair_id"], name): Sent2(
            frozenset(_marks(task["data"], place)[1]), SECONDS + place
        )
        for task in tasks
        for place, name in enumerate(labelling.assigned_to(task["data"]))
    }


def act1(
    people: Mapping[str, Person], numbers: Mapping[str, int], tasks: Sequence[Mapping[str, Any]]
) -> None:
    """Let everybody judge what is assigned to them.

    Args:
        people: The accounts by name.
        numbers: Number of each pair's task in Label Studio.
        tasks: The tasks as they were imported.
    """
    wanted = wanted1(tasks)
    for task in tasks:
        pair_id = task["data"]["pair_id"]
        for place, name in enumerate(labelling.assigned_to(task["data"])):
            _submit1(people[name], numbers[pair_id], pair_id, place, wanted[pair_id, name])


def _judgement(pair_id: str, place: int, pilot: bool) -> Sent1:
    sentences = gold()[pair_id].sentences
    labels = [OF_LABEL[sentence.label] for sentence in sentences]
    memos = [""] * len(labels)
    if pair_id == DISPUTED and place == 1:
        labels[2], memos[2] = (
            "Correct",
            "left as seen from the square? I'd say “left of” is right 🤔",
        )
    if "Unknown" in labels:
        memos[labels.index("Unknown")] = "nothing in the video says so"
    if pilot and place == 2:
        labels[0], labels[1] = "Unknown", "Unknown"
    return Sent1(tuple(labels), tuple(memos), SECONDS + place, skipped=pilot and place == 2)


def _submit1(person: Person, task: int, pair_id: str, place: int, wanted: Sent1) -> None:
    result = stage1_result(wanted.labels, wanted.memos)
    if pair_id == CHANGED and place == 0:
        first = stage1_result(["Correct"] * len(wanted.labels), [""] * len(wanted.labels))
        made = client.submit(person, task, first, 5)
        person.patch(f"/api/annotations/{made}/", {"result": result, "lead_time": wanted.seconds})
        # A draft of a further change, never submitted.
        draft = stage1_result(["Unknown"] * len(wanted.labels), [""] * len(wanted.labels))
        body = {"result": draft, "lead_time": 1}
        person.post(f"/api/tasks/{task}/annotations/{made}/drafts", body)
        return
    client.submit(person, task, result, wanted.seconds, was_cancelled=wanted.skipped)


def stage1_result(labels: Sequence[str], memos: Sequence[str]) -> list[dict[str, Any]]:
    """Return verdicts and memos as the browser sends them."""
    result = []
    for index, (label, memo) in enumerate(zip(labels, memos, strict=True)):
        common = {"to_name": labelling.sentence_name(index), "origin": "manual"}
        verdict = {"type": "choices", "from_name": labelling.verdict_name(index)}
        result.append({**common, **verdict, "value": {"choices": [label]}})
        if memo:
            written = {"type": "textarea", "from_name": labelling.memo_name(index)}
            result.append({**common, **written, "value": {"text": [memo]}})
    return result


def act2(
    people: Mapping[str, Person], numbers: Mapping[str, int], tasks: Sequence[Mapping[str, Any]]
) -> None:
    """Let everybody mark the wrong words of what is assigned to them; arguments as above."""
    for task in tasks:
        data = task["data"]
        for place, name in enumerate(labelling.assigned_to(data)):
            result, _ = _marks(data, place)
            client.submit(people[name], numbers[data["pair_id"]], result, SECONDS + place)


def _marks(
    data: Mapping[str, Any], place: int
) -> tuple[list[dict[str, Any]], set[tuple[int, int, int, str]]]:
    """Return what the browser sends and the spans in it."""
    by_number = dict(enumerate(gold()[data["pair_id"]].sentences, 1))
    result, spans = [], set()
    for paragraph, shown in enumerate(data["sentences"]):
        number, text = int(shown["number"]), shown["text"]
        for error in by_number[number].errors:
            category = error.category
            if category == "Location" and place == 1:
                category = "Relation"
            start = text.index(error.text)
            end = start + len(error.text)
            spans.add((number, start, end, category))
            at = (paragraph, browser_offset(text, start))
            result.append(mark(at, (paragraph, browser_offset(text, end)), error.text, category))
    if data["pair_id"] == ACROSS and place == 0:
        result.append(_across(data["sentences"], spans))
    return result, spans


def _across(
    shown: Sequence[Mapping[str, str]], spans: set[tuple[int, int, int, str]]
) -> dict[str, Any]:
    """Mark the last word of the first sentence shown and the first word of the second."""
    one, two = shown[0]["text"], shown[1]["text"]
    start, end = one.rindex(" ") + 1, two.index(" ")
    spans.add((int(shown[0]["number"]), start, len(one), "Order"))
    spans.add((int(shown[1]["number"]), 0, end, "Order"))
    text = f"{one[start:]}\n{two[:end]}"
    return mark((0, browser_offset(one, start)), (1, browser_offset(two, end)), text, "Order")


def browser_offset(text: str, offset: int) -> int:
    """Return how a browser counts an offset: in UTF-16 units."""
    return len(text[:offset].encode("utf-16-le")) // 2


def mark(start: tuple[int, int], end: tuple[int, int], text: str, category: str) -> dict[str, Any]:
    """Return one span as the browser sends it; ``start`` and ``end``: paragraph, offset."""
    value = {
        "start": str(start[0]),
        "end": str(end[0]),
        "startOffset": start[1],
        "endOffset": end[1],
        "text": text,
        "paragraphlabels": [category],
    }
    return {
        "from_name": labelling.ERROR,
        "to_name": labelling.SENTENCES,
        "type": "paragraphlabels",
        "origin": "manual",
        "value": value,
    }
