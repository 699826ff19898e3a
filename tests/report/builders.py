"""Runs made of a few labels or verdicts, as ``read_runs`` gives them, without a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vidomni_plugin import __version__
from vidomni_plugin.records import CATEGORY_OF_LEAF
from vidomni_plugin.report.runs import Signature, TaskRun
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidomni import metrics as vidomni_metrics

METRICS = {"vidomni": vidomni_metrics, "vidhalloc": vidhalloc_metrics}
CATEGORIES = tuple(CATEGORY_OF_LEAF.values())


def signature(checkpoint: str = "model-a", **changes: Any) -> Signature:
    """Return the signature of a usual run; ``changes`` replace its fields."""
    fields: dict[str, Any] = {
        "model": "qwen3_vl",
        "model_args": {"max_num_frames": "32", "pretrained": checkpoint},
        "checkpoint": checkpoint,
        "frames": "32",
        "fps": None,
        "pixels": None,
        "prompt": "verification@000000000000",
        "data": "0123456789abcdef",
        "task_version": "1",
        "host": "0.7.3",
        "plugin": __version__,
        "generation": {"do_sample": "false", "max_new_tokens": "8192", "temperature": "0"},
        "limit": None,
    }
    return Signature(**(fields | changes))


def vidomni_item(
    pair_id: str,
    labels: Sequence[int | None],
    gold: Sequence[int | None],
    **fields: Any,
) -> dict[str, Any]:
    """Return one scored pair as the samples hold it under ``f1``; ``fields`` replace others."""
    silent = sum(label is None for label in labels)
    status = "ok" if not silent else "none" if silent == len(labels) else "partial"
    detail: dict[str, Any] = {
        "benchmark": "vidomni",
        "plugin": __version__,
        "prompt": "verification@000000000000",
        "pair_id": pair_id,
        "video_id": pair_id.split("__")[0],
        "media_digest": "",
        "complexity_type": 1,
        "duration_s": 12.0,
        "has_audio": False,
        "file_has_audio": False,
        "audio_category": None,
        "source_dataset": "other",
        "caption_source": "captioner-a",
        "caption_prompt": 1,
        "sentences": [f"Sentence {k} of {pair_id}." for k in range(1, len(gold) + 1)],
        "gold": list(gold),
        "errors": [["Object"] if truth == 1 else [] for truth in gold],
        "error_words": [["of"] if truth == 1 else [] for truth in gold],
        "missing": 0,
        "labels": list(labels),
        "status": status,
        "reason": {"ok": "", "partial": "missing_sentences", "none": "no_labels"}[status],
    }
    return vidomni_metrics.metric_items(detail | fields)["f1"]


def vidhalloc_item(pair_id: str, side: str, label: str | None, **fields: Any) -> dict[str, Any]:
    """Return one judged answer as the samples hold it under ``overall``."""
    detail: dict[str, Any] = {
        "benchmark": "vidhalloc",
        "plugin": __version__,
        "prompt": "judge@000000000000",
        "pair_id": pair_id,
        "video_id": pair_id.split("__")[0],
        "media_digest": "",
        "side": side,
        "category": "eeh",
        "task_type": "video_qa",
        "question": f"What is in {pair_id}?",
        "candidate_answer": f"The {side} answer of {pair_id}.",
        "duration_s": 12.0,
        "missing": 0,
        "label": label,
        "reason": "" if label else "no_verdict",
    }
    return vidhalloc_metrics.metric_items(detail | fields)["overall"]


def vidomni_run(
    name: str,
    labels: Mapping[str, Sequence[int | None]],
    gold: Mapping[str, Sequence[int | None]],
    fields: Mapping[str, Mapping[str, Any]] | None = None,
    **changes: Any,
) -> TaskRun:
    """Return a run of ``vidomni`` from labels and gold by pair id.

    The video of ``v1__x`` is ``v1``. ``fields`` replaces fields of an item by pair id (type,
    duration, caption source, errors ...), ``changes`` fields of the run (``task``,
    ``signature``, ``problems`` ...).
    """
    items = [
        vidomni_item(pair_id, given, gold[pair_id], **(fields or {}).get(pair_id, {}))
        for pair_id, given in labels.items()
    ]
    scores = {key: value.value for key, value in vidomni_metrics.summary(items).items()}
    responses = {str(item["pair_id"]): f"labels of {item['pair_id']}" for item in items}
    return _task_run(name, "vidomni", items, scores, responses, changes)


def vidhalloc_run(
    name: str,
    verdicts: Mapping[str, tuple[str | None, str | None]],
    fields: Mapping[str, Mapping[str, Any]] | None = None,
    **changes: Any,
) -> TaskRun:
    """Return a run of ``vidhalloc`` from (factual, counterfactual) verdicts by pair id.

    Categories take turns over the pairs in their order; the video of ``v1__x`` is ``v1``.
    """
    items = []
    for k, (pair_id, pair) in enumerate(verdicts.items()):
        given = {"category": CATEGORIES[k % len(CATEGORIES)], **(fields or {}).get(pair_id, {})}
        for side, label in zip(("factual", "counterfactual"), pair, strict=True):
            items.append(vidhalloc_item(pair_id, side, label, **given))
    scores = {key: value.value for key, value in vidhalloc_metrics.summary(items).items()}
    responses = {f"{item['pair_id']}/{item['side']}": item["label"] or "" for item in items}
    changes = {"signature": signature(prompt="judge@000000000000")} | changes
    return _task_run(name, "vidhalloc", items, scores, responses, changes)


def _task_run(
    name: str,
    kind: str,
    items: Sequence[Mapping[str, Any]],
    scores: Mapping[str, float],
    responses: Mapping[str, str],
    changes: Mapping[str, Any],
) -> TaskRun:
    fields: dict[str, Any] = {
        "run": name,
        "task": kind,
        "kind": kind,
        "signature": signature(name),
        "items": items,
        "scores": scores,
        "expected": len(items),
        "problems": (),
        "responses": responses,
    }
    return TaskRun(**(fields | changes))


def write_run(folder: Path, *runs: TaskRun, date: str = "20261130_120000", **config: Any) -> Path:
    """Write tasks of one run as the host does, and return the results file.

    ``config`` replaces entries of the host's ``config``; the model and its arguments are those
    of the first task's signature.
    """
    first = runs[0].signature
    arguments = ",".join(f"{name}={value}" for name, value in first.model_args.items())
    results: dict[str, Any] = {
        "results": {
            run.task: {"alias": run.task}
            | {f"{name},none": value for name, value in run.scores.items()}
            | {f"{name}_stderr,none": "N/A" for name in run.scores}
            for run in runs
        },
        "configs": {
            run.task: {
                "task": run.task,
                "process_docs": f"{run.task}: {run.expected} documents, data {run.signature.data}",
                "generation_kwargs": {"max_new_tokens": 8192, "temperature": 0.0},
            }
            for run in runs
        },
        "versions": {run.task: run.signature.task_version for run in runs},
        "n-samples": {
            run.task: {"original": run.expected, "effective": run.expected} for run in runs
        },
        "config": {"model": first.model, "model_args": arguments, "limit": None, "offset": 0}
        | config,
        "lmms_eval_version": "unknown@unknown",
    }
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        if run.kind in METRICS:
            text = "".join(sample_line(k, run, item) for k, item in enumerate(run.items))
            path = folder / f"{date}_samples_{run.task}.jsonl"
            path.write_text(text, encoding="utf-8")
    path = folder / f"{date}_results.json"
    path.write_text(json.dumps(results, indent=2), encoding="utf-8")
    return path


def sample_line(number: int, run: TaskRun, item: Mapping[str, Any]) -> str:
    """Return one item of a run as a line of the host's samples file."""
    answer_id = f"{item['pair_id']}/{item['side']}" if "side" in item else item["pair_id"]
    row = {"doc_id": number, "target": "", "filtered_resps": run.responses[answer_id]}
    return json.dumps(row | METRICS[run.kind].metric_items(item)) + "\n"
