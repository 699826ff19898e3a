"""The hooks that the YAML files of the captioning tasks name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from loguru import logger

from vidomni_plugin.data.documents import Documents, TaskDocs
from vidomni_plugin.data.load import LoadedPair, inspect_captioning, usable
from vidomni_plugin.data.locate import DataRoot, listed_videos, locate, mini_root
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidOmniVideo
from vidomni_plugin.video.settings import check_settings
from vidomni_plugin.vidomni import caption_metrics
from vidomni_plugin.vidomni.caption_reading import count_words, read_caption
from vidomni_plugin.vidomni.captioning import (
    DEFAULT_SEED,
    caption_prompt,
    caption_source,
    draw,
    prompt_id,
)

Doc = Mapping[str, Any]

SEED = "VIDOMNI_CAPTION_SEED"
"""Variable with the seed of the draw of the prompts."""
SOURCE = "VIDOMNI_CAPTION_SOURCE"
"""Variable with the name of the captioning model, where the host's arguments do not tell it."""
UNKNOWN_SOURCE = "unknown"
"""The name of a model that the host was not started with (tasks loaded by hand)."""

COLUMNS: dict[str, str | list[Any]] = {
    **dict.fromkeys(("answer_id", "video_id", "video", "media_digest"), "string"),
    "complexity_type": "int32",
    "duration_s": "float64",
    "has_audio": "bool",
    "file_has_audio": "bool",
    "audio_category": "string",
    "source_dataset": "string",
    "caption_source": "string",
    "caption_prompt": "int32",
    "caption_seed": "int64",
    "missing": "int32",
}
IN_DETAIL = [name for name in COLUMNS if name not in {"answer_id", "video"}]
"""What a caption takes over from its document."""


def captioning_root() -> DataRoot:
    """Find the videos: a folder with ``videos.jsonl``, else one with ``pairs.jsonl``.

    Raises:
        InputProblems: If there is neither; says where was looked.
    """
    if listed := listed_videos():
        return listed
    try:
        return locate("vidomni")
    except InputProblems as none:
        hint = (
            "set VIDOMNI_DATA to a folder that holds videos.jsonl or pairs.jsonl, and videos/ "
            "(`vidomni data fetch vidomni --videos LIST` or `vidomni data import` makes one); "
            "to try the set-up without data, run the task vidomni_caption_mini"
        )
        looked = [
            Problem("no-data", p.place, f"{p.message}, and no videos.jsonl", hint)
            for p in none.problems
        ]
        raise InputProblems("no videos for vidomni_caption", looked) from None


def _row(video: LoadedPair[VidOmniVideo], missing: int) -> dict[str, Any]:
    record, facts = video.record, video.facts
    return record.model_dump(include=set(COLUMNS)) | {
        "answer_id": f"{record.video_id}/caption",
        "video": str(video.video),
        "media_digest": facts.digest,
        "duration_s": facts.duration_s if record.duration_s is None else record.duration_s,
        "file_has_audio": facts.has_audio,
        "missing": missing,
    }


def _documents(root: Callable[[], DataRoot]) -> Documents:
    check_settings()
    _seed()  # a bad one is told before the videos are looked at
    _named_source()
    loaded = usable(inspect_captioning(root()))
    logger.info(
        f"VidOmni captions: {len(loaded.pairs)} videos from {loaded.root.path} "
        f"({loaded.root.origin})"
    )
    return Documents([_row(video, loaded.missing) for video in loaded.pairs], loaded.digest)


def _with_prompts(documents: Documents) -> Documents:
    """Draw the prompts, once the host has started with its model."""
    source, seed = _source(), _seed()
    logger.info(f"VidOmni captions: caption source {source!r}, prompts drawn with seed {seed}")
    drawn = (
        {"caption_prompt": draw(seed, row["video_id"], source)} | row for row in documents.rows
    )
    rows = [row | {"caption_source": source, "caption_seed": seed} for row in drawn]
    return Documents(rows, documents.digest)


def _seed() -> int:
    given = os.environ.get(SEED, "").strip()
    try:
        seed = int(given) if given else DEFAULT_SEED
    except ValueError:
        seed = -1
    if not 0 <= seed < 2**63:
        message = f"{given!r} is no whole number from 0 to {2**63 - 1}"
        raise InputProblems("vidomni_caption", [Problem("usage", SEED, message, f"{SEED}=1")])
    return seed


def _named_source() -> str:
    given = os.environ.get(SOURCE, "").strip()
    if not given.isprintable():
        message = f"{given!r} holds what is no text"
        raise InputProblems("vidomni_caption", [Problem("usage", SOURCE, message, "another name")])
    return given


def _source() -> str:
    from vidomni_plugin.host import running_model

    given, running = _named_source(), running_model()
    return given or (caption_source(*running) if running else UNKNOWN_SOURCE)


def _docs(name: str, root: Callable[[], DataRoot]) -> TaskDocs:
    return TaskDocs(name, COLUMNS, partial(_documents, root), _with_prompts)


ALL_DOCS = _docs("vidomni_caption", captioning_root)
AV_DOCS = _docs("vidomni_caption_av", captioning_root)
MINI_DOCS = _docs("vidomni_caption_mini", partial(mini_root, "vidomni"))


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: object = None) -> str:
    """Return the captioning prompt that was drawn for this video and model."""
    return caption_prompt(doc["caption_prompt"])


def doc_to_target(doc: Doc) -> str:
    """Return nothing: a generated caption has no gold answer."""
    return ""


def detail(doc: Doc, response: str) -> dict[str, Any]:
    """Return one caption's counts and all that is known of how it was made.

    The caption itself is the sample's ``filtered_resps``.
    """
    from vidomni_plugin.build.segment import split_sentences

    read = read_caption(response)
    return {
        "benchmark": "vidomni_caption",
        "prompt": prompt_id(doc["caption_prompt"]),
        **{name: doc[name] for name in IN_DETAIL},
        "words": count_words(read.caption),
        "sentences": len(split_sentences(read.caption)),
        "thought": read.thought,
        "faults": list(read.faults),
        "reason": ", ".join(read.faults),
    }


def process_results(doc: Doc, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Count one caption; one that is empty is an item with the reason, never an error."""
    return caption_metrics.metric_items(detail(doc, results[0] if results else ""))


def words(items: Sequence[Mapping[str, Any]]) -> float:
    """Return the mean number of words of a caption, and log what is wrong in one line."""
    faults = Counter(fault for item in items for fault in item["faults"])
    if faults:
        counts = ", ".join(f"{fault} {count}" for fault, count in faults.most_common())
        logger.warning(f"VidOmni captions: of {len(items)} answers: {counts}")
    return caption_metrics.aggregate("words", items)


sentences = partial(caption_metrics.aggregate, "sentences")
empty = partial(caption_metrics.aggregate, "empty")
suspect = partial(caption_metrics.aggregate, "suspect")
missing = partial(caption_metrics.aggregate, "missing")
