"""Annotation files of the papers' full size, without videos, for tests and benchmarks.

Counts are exact: 2,000 VidHalLoc items (250 a leaf, 1,020 and 980 a task, 612/204/204 and
588/196/196 a split, 910 videos with two items and 180 with one; the Eval and Test sets together
have 100 a leaf and 436 videos), and 2,500 VidOmni pairs on 500 videos (Figure 4's durations by
type, 433 videos with sound, Table 1's 64,843 labelled sentences by caption source, and 500
Unknown sentences beside them). Texts are made from a few phrases; the seed decides which.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vidomni_plugin.data.lines import write_jsonl
from vidomni_plugin.published import published

__all__ = ["synthetic_vidhalloc", "synthetic_vidomni"]

SLOTS = {
    "EntityExistence": "existence",
    "EntityCategory": "category",
    "EntityQuantity": "count",
    "AttributeValue": "attribute_value",
    "StaticRelation": "relation_predicate",
    "ActionPredicate": "predicate",
    "TemporalRelation": "order",
    "CameraPredicate": "camera_predicate",
}
SPLITS = ("Main_set", "Eval_set", "Test_set")
LEAVES_OF: dict[str, tuple[tuple[int, ...], ...]] = {
    "video_qa": (
        (87, 75, 72, 72, 73, 73, 73, 87),
        (29, 25, 24, 24, 24, 24, 24, 30),
        (29, 25, 25, 24, 24, 24, 24, 29),
    ),
    "video_captioning": (
        (63, 75, 78, 78, 77, 77, 77, 63),
        (21, 25, 25, 26, 26, 26, 26, 21),
        (21, 25, 26, 26, 26, 26, 26, 20),
    ),
}
"""Items a leaf (in the order of ``SLOTS``) of each split."""
SINGLES = {"video_qa": (56, 18, 18), "video_captioning": (52, 18, 18)}
"""Videos with one item in each split; the others have two."""
PREFIX = {"video_qa": "videoqa", "video_captioning": "captioning"}
SET_FOLDER = {"video_qa": "Videoqa_set", "video_captioning": "Video_caption_set"}
VIDEO_FOLDER = {"video_qa": "videoqa", "video_captioning": "video caption"}

THINGS = ("dog", "cup", "bicycle", "lamp", "chair", "drummer", "boat", "ladder", "kite", "bus")
COLORS = ("red", "green", "blue", "yellow", "black", "white", "orange", "gray")
PLACES = ("door", "window", "table", "fence", "wall", "stairs", "bench", "road")
ACTIONS = ("turns around", "stands still", "moves forward", "falls over", "swings", "rolls away")
SPANS = {"short": (4.0, 180.0), "medium": (240.0, 1799.0), "long": (1800.0, 5400.0)}
SOURCES = {
    1: ("Video-ACID", "SpatialVID", "Mannequin Challenge"),
    2: ("ActivityNet",),
    3: ("Assembly101", "Epic-Kitchens", "Ego4D"),
    4: ("UCF-Crime", "Sports-1M"),
    5: ("Video-MME", "XD-Violence"),
}
WITH_SOUND = 433
UNKNOWN = 500
AUDIO = ("Speech", "Sound Effect", "Background")
DETAILS = (
    "while the light in the background slowly changes from one shade to another",
    "and the camera keeps the whole scene in view without any visible cut",
    "as several people in the distance go on with what they were doing before",
    "with small shadows on the ground that follow each of the movements",
)


def synthetic_vidhalloc(root: Path, seed: int = 0) -> Path:
    """Write a full-size VidHalLoc release without videos below ``root``; returns ``root``."""
    rng = random.Random(seed)
    records: list[dict[str, Any]] = []
    inventory: list[dict[str, Any]] = []
    for task, prefix in PREFIX.items():
        videos = [
            (split, leaves)
            for split, counts, singles in zip(SPLITS, LEAVES_OF[task], SINGLES[task], strict=True)
            for leaves in _grouped(counts, singles)
        ]
        rng.shuffle(videos)
        by_split: dict[str, list[dict[str, Any]]] = {split: [] for split in SPLITS}
        for number, (split, leaves) in enumerate(videos, 1):
            video_id = f"{prefix}_{number:04d}"
            rows = [_item(task, video_id, leaf, k, rng) for k, leaf in enumerate(leaves, 1)]
            by_split[split] += rows
            inventory.append(_inventory_line(task, video_id, split, leaves, rng))
        mine = [row for rows in by_split.values() for row in rows]
        mine.sort(key=lambda row: str(row["pair_id"]))
        records += mine
        folder = root / "Datasets" / SET_FOLDER[task]
        write_jsonl(folder / f"{SET_FOLDER[task]}.jsonl", mine)
        for split, rows in by_split.items():
            write_jsonl(folder / f"{split}.jsonl", rows)
    write_jsonl(root / "Datasets" / "2000_Orign" / "2000_Orign.jsonl", records)
    write_jsonl(root / "Datasets" / "source_video_inventory.jsonl", inventory)
    return root


def _grouped(counts: tuple[int, ...], singles: int) -> Iterator[tuple[str, ...]]:
    """Deal the items of a split to videos: one each first, then two of different leaves."""
    left = dict(zip(SLOTS, counts, strict=True))
    for _ in range(singles):
        leaf = max(left, key=lambda name: left[name])
        left[leaf] -= 1
        yield (leaf,)
    rest = [leaf for leaf, count in left.items() for _ in range(count)]
    half = len(rest) // 2
    yield from zip(rest[:half], rest[half:], strict=True)


def _inventory_line(
    task: str, video_id: str, split: str, leaves: tuple[str, ...], rng: random.Random
) -> dict[str, Any]:
    return {
        "video_id": video_id,
        "task_type": task,
        "split": split,
        "packaged_path": f"{VIDEO_FOLDER[task]}/{video_id}.mp4",
        "sha256": hashlib.sha256(video_id.encode()).hexdigest(),
        "sample_count": len(leaves),
        "leaf_labels": ";".join(leaves),
        "duration_seconds": round(rng.uniform(5, 98), 2),
    }


def _item(task: str, video_id: str, leaf: str, number: int, rng: random.Random) -> dict[str, Any]:
    question, answer, counterfactual = _texts(leaf, rng)
    if task == "video_captioning":
        question = "State one directly observable fact from the video in one complete sentence."
        if leaf == "EntityExistence":
            answer = answer.removeprefix("Yes, ").capitalize()
            counterfactual = counterfactual.removeprefix("No, ").capitalize()
    return {
        "schema_version": "videohalo_probe_pair_sample_fixed8_3.6.1",
        "pair_id": f"pair_{video_id}_fact_{number:02d}",
        "media": {
            "video_id": video_id,
            "canonical_media_uri": f"media://{video_id}/original",
            "registered_modalities": ["visual"],
            "evidence_policy_id": "gemini_native_original_video_v1",
        },
        "task_type": task,
        "question": question,
        "answer": answer,
        "counterfactual_answer": counterfactual,
        "leaf_label": leaf,
        "conflict_slot": SLOTS[leaf],
    }


def _texts(leaf: str, rng: random.Random) -> tuple[str, str, str]:
    """Return a question, its factual and its counterfactual answer, one place apart."""
    thing, other = rng.sample(THINGS, 2)
    color, wrong = rng.sample(COLORS, 2)
    place = rng.choice(PLACES)
    act, false_act = rng.sample(ACTIONS, 2)
    at = f"near the {place}"
    if leaf == "EntityExistence":
        said = f"a {color} {thing} is"
        return (
            f"Is a {color} {thing} visible {at}?",
            f"Yes, {said} visible {at}.",
            f"No, {said} not visible {at}.",
        )
    if leaf == "TemporalRelation":
        said = f"The {thing} {act} %s the {other} {false_act}."
        asked = f"Which occurs first: what the {thing} does or what the {other} does?"
        return asked, said % "before", said % "after"
    question, frame, right, false = {
        "EntityCategory": ("What is", f"The thing {at} is a %s.", thing, other),
        "EntityQuantity": ("How many things are", f"There are %s things {at}.", "two", "five"),
        "AttributeValue": (f"What color has the {thing}", f"The {thing} {at} is %s.", color, wrong),
        "StaticRelation": (f"Where is the {thing}", f"The {thing} is %s it {at}.", "over", "under"),
        "ActionPredicate": (f"What does the {thing} do", f"The {thing} {at} %s.", act, false_act),
        "CameraPredicate": ("How is the camera moved", f"The camera %s {at}.", "pans", "zooms in"),
    }[leaf]
    return f"{question} {at}?", frame % right, frame % false


def synthetic_vidomni(root: Path, seed: int = 0) -> Path:
    """Write ``pairs.jsonl`` of a full-size VidOmni below ``root``; returns ``root``."""
    rng = random.Random(seed)
    videos = _videos(rng)
    pairs: list[dict[str, Any]] = []
    for source, _, sentences, flawed, share in published()["vidomni"]["table1_captions"]["rows"]:
        lengths = _lengths(len(videos), sentences, rng)
        wrong_pairs = set(rng.sample(range(len(videos)), round(len(videos) * flawed / 100)))
        for number, (video, length) in enumerate(zip(videos, lengths, strict=True)):
            # Table 1's mean share is over all captions, those without an error among them.
            wrong = max(1, round(length * share / flawed)) if number in wrong_pairs else 0
            pairs.append(_pair(video, source, length, wrong, rng))
    for pair in rng.sample(pairs, UNKNOWN):
        pair["sentences"].append({"text": "It seems to be spring.", "label": None, "errors": []})
    pairs.sort(key=lambda pair: str(pair["pair_id"]))
    write_jsonl(root / "pairs.jsonl", pairs)
    return root


def _videos(rng: random.Random) -> list[dict[str, Any]]:
    videos: list[dict[str, Any]] = []
    for kind, *counts in published()["vidomni"]["figure4_videos"]["rows"]:
        for (low, high), count in zip(SPANS.values(), counts, strict=True):
            videos += [
                {
                    "video_id": f"video_{len(videos) + k:04d}",
                    "complexity_type": kind,
                    "duration_s": round(rng.uniform(low, high), 1),
                    "has_audio": False,
                    "audio_category": None,
                    "source_dataset": rng.choice(SOURCES[kind]),
                }
                for k in range(1, count + 1)
            ]
    for video in rng.sample(videos, WITH_SOUND):
        video |= {"has_audio": True, "audio_category": rng.choice(AUDIO)}
    return videos


def _lengths(count: int, total: int, rng: random.Random) -> list[int]:
    """Return the sentences of each caption: at least three, ``total`` in all."""
    mean = total / count
    lengths = [max(3, round(mean * rng.uniform(0.4, 1.6))) for _ in range(count)]
    while missing := total - sum(lengths):
        chosen = rng.randrange(count)
        step = 1 if missing > 0 else -1
        if lengths[chosen] + step >= 3:
            lengths[chosen] += step
    return lengths


def _pair(
    video: dict[str, Any], source: str, length: int, wrong: int, rng: random.Random
) -> dict[str, Any]:
    incorrect = set(rng.sample(range(length), wrong))
    return {
        "pair_id": f"{video['video_id']}__{source.replace(' ', '-')}",
        **video,
        "caption_source": source,
        "caption_prompt": rng.randint(1, 5),
        "sentences": [_sentence(k, k in incorrect, rng) for k in range(length)],
    }


def _sentence(number: int, incorrect: bool, rng: random.Random) -> dict[str, Any]:
    thing, act, place = rng.choice(THINGS), rng.choice(ACTIONS), rng.choice(PLACES)
    detail = rng.choice(DETAILS)
    text = f"In part {number + 1}, a {rng.choice(COLORS)} {thing} {act} near the {place}, {detail}."
    words = {"Object": thing, "Action": act, "Location": f"near the {place}", "Illusion": detail}
    categories = rng.sample(sorted(words), rng.choice((1, 1, 1, 2))) if incorrect else []
    errors = [{"text": words[category], "category": category} for category in categories]
    return {"text": text, "label": int(incorrect), "errors": errors}
