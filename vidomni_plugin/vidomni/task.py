"""The hooks that the YAML files of the VidOmni tasks name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from loguru import logger

from vidomni_plugin import __version__
from vidomni_plugin.data.documents import Documents, TaskDocs
from vidomni_plugin.data.load import LoadedPair, inspect_vidomni, usable
from vidomni_plugin.data.locate import DataRoot, locate, mini_root
from vidomni_plugin.data.sound import readable, sound_of, without_sound
from vidomni_plugin.records import VidOmniPair
from vidomni_plugin.versions import host_version
from vidomni_plugin.video.install import install
from vidomni_plugin.video.settings import check_settings
from vidomni_plugin.vidomni import metrics
from vidomni_plugin.vidomni.prompt import prompt_id, verification_prompt

Doc = Mapping[str, Any]

COLUMNS: dict[str, str | list[Any]] = {
    **dict.fromkeys(("answer_id", "pair_id", "video_id", "video", "media_digest"), "string"),
    "complexity_type": "int32",
    "duration_s": "float64",
    "has_audio": "bool",
    "file_has_audio": "bool",
    "audio_category": "string",
    "source_dataset": "string",
    "caption_source": "string",
    "caption_prompt": "int32",
    "sentences": ["string"],
    "gold": ["int32"],
    "errors": [["string"]],
    "error_words": [["string"]],
    "missing": "int32",
}
IN_DETAIL = [name for name in COLUMNS if name not in {"answer_id", "video"}]
"""What a scored pair takes over from its document."""


def _row(pair: LoadedPair[VidOmniPair], missing: int) -> dict[str, Any]:
    record = pair.record
    same = record.model_dump(include=set(COLUMNS), exclude={"sentences"})
    return same | {
        "answer_id": record.pair_id,
        "video": str(pair.video),
        "media_digest": pair.facts.digest,
        "file_has_audio": pair.facts.has_audio,
        "sentences": [sentence.text for sentence in record.sentences],
        "gold": [sentence.label for sentence in record.sentences],
        "errors": [[error.category for error in s.errors] for s in record.sentences],
        "error_words": [[error.text for error in s.errors] for s in record.sentences],
        "missing": missing,
    }


def _documents(root: Callable[[], DataRoot]) -> Documents:
    check_settings()
    loaded = usable(inspect_vidomni(root()))
    logger.info(
        f"VidOmni: {len(loaded.pairs)} pairs from {loaded.root.path} ({loaded.root.origin})"
    )
    return Documents([_row(pair, loaded.missing) for pair in loaded.pairs], loaded.digest)


ALL_DOCS = TaskDocs("vidomni", COLUMNS, partial(_documents, partial(locate, "vidomni")))
AV_DOCS = TaskDocs("vidomni_av", COLUMNS, partial(_documents, partial(locate, "vidomni")))
MINI_DOCS = TaskDocs("vidomni_mini", COLUMNS, partial(_documents, partial(mini_root, "vidomni")))


def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Mapping[str, Any]) -> list[str]:
    """Return the media of one request, as the YAML's ``sound`` says for the runner.

    ``original``: the file, for runners that see frames only. ``removed``: a copy without
    sound. ``file``: the file, for runners that listen to it. ``block``: the file and its
    sound as a WAV file, for runners that take sound as a block of its own.
    """
    install()  # by now the runner has imported what it reads videos with
    sound, video = lmms_eval_specific_kwargs["sound"], Path(doc["video"])
    if sound not in {"original", "removed", "file", "block"}:
        raise ValueError(f"sound: {sound!r} in the task's YAML")
    if sound == "removed" and doc["file_has_audio"]:
        return [str(without_sound(video, doc["media_digest"]))]
    shown = str(readable(video, doc["media_digest"]))
    if sound == "block" and doc["file_has_audio"]:
        return [shown, str(sound_of(video, doc["media_digest"]))]
    return [shown]


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: object = None) -> str:
    """Return the verification prompt with the caption."""
    return verification_prompt(doc["sentences"])


def doc_to_target(doc: Doc) -> str:
    """Return the gold labels as the dictionary that a model is asked for."""
    return json.dumps({f"sentence_{k}": label for k, label in enumerate(doc["gold"], 1)})


def detail(doc: Doc, response: str) -> dict[str, Any]:
    """Return one pair with the labels read from ``response`` and all that reports need."""
    # Its patterns take a tenth of a second to compile, and loading a task does not need them.
    from vidomni_plugin.labels import parse_sentence_labels

    parsed = parse_sentence_labels(response, len(doc["gold"]))
    return {
        "benchmark": "vidomni",
        "plugin": __version__,
        "host": host_version(),
        "prompt": prompt_id(),
        **{name: doc[name] for name in IN_DETAIL if name != "error_words"},
        # Samples of early versions do not have them, and are scored again with this function.
        "error_words": doc.get("error_words") or [[] for _ in doc["gold"]],
        "labels": list(parsed.labels),
        "status": parsed.status,
        "reason": parsed.reason,
    }


def process_results(doc: Doc, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Score one pair; an answer that cannot be read is an item with the reason, never an error."""
    return metrics.metric_items(detail(doc, results[0] if results else ""))


def unlabelled(items: Sequence[Mapping[str, Any]]) -> float:
    """Return the share of scored sentences without a label, and log why in one line."""
    bad = Counter(item["reason"] or item["status"] for item in items if item["status"] != "ok")
    if bad:
        reasons = ", ".join(f"{reason} {count}" for reason, count in bad.most_common())
        logger.warning(
            f"VidOmni: {bad.total()} of {len(items)} answers do not label every sentence: {reasons}"
        )
    return metrics.aggregate("unlabelled", items)


mean_score = partial(metrics.aggregate, "f1")
micro_f1 = partial(metrics.aggregate, "micro_f1")
failed = partial(metrics.aggregate, "failed")
missing = partial(metrics.aggregate, "missing")
