"""Output folders of the host for models that never ran, over data of the papers' full size.

Files, names and fields are those of lmms-eval 0.7.3; every sample went through the task's own
hooks. Models differ in skill, some sentences and answers are harder for all of them, and one
answer in a hundred cannot be read. The seed decides everything.

``python tests/report/synthetic_logs.py OUT [MODELS]`` writes them to look at.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.data.checks.synthetic import synthetic_vidhalloc, synthetic_vidomni
from vidomni_plugin.data.load import LoadedPair
from vidomni_plugin.data.releases import read_vidhalloc, read_vidomni
from vidomni_plugin.data.videos import VideoFacts
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidhalloc import task as vidhalloc_task
from vidomni_plugin.vidomni import metrics as vidomni_metrics
from vidomni_plugin.vidomni import task as vidomni_task

__all__ = ["FAMILIES", "SIZES", "synthetic_logs"]

FAMILIES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta")
SIZES = ("2B", "8B", "32B")
TASKS = ("vidomni", "vidhalloc", "videomme")
VIDEOMME_VIDEOS = 900
UNREADABLE = 0.01
REASON = "sentence_{}: the video shows this at 0:{:02d}, in the middle of the picture, or not."
HOST_FIELDS = {"token_counts": [None], "doc_hash": hashlib.sha256(b"null").hexdigest()}
NO_ERROR = "N/A"


@dataclass(frozen=True)
class Model:
    """A model that answers by chance: how often it finds an error, and how often it invents one."""

    name: str
    hits: float
    false_alarms: float
    rng: random.Random


def synthetic_logs(
    folder: Path,
    models: int = 10,
    seed: int = 0,
    *,
    tasks: Sequence[str] = TASKS,
    limit: int | None = None,
) -> list[Path]:
    """Write one output folder a model below ``folder``, as ``--log_samples --output_path`` does.

    Args:
        folder: Gets ``data/`` with the annotation files, and ``<model>/`` for each run.
        models: How many; two sizes of each family follow each other.
        seed: Decides data, skills and answers.
        tasks: Of vidomni, vidomni_av, vidhalloc, vidhalloc_eval and videomme.
        limit: The host's ``--limit``: so many documents of each task, in order.

    Returns:
        The output folder of each run.
    """
    documents = {task: _documents(task, folder / "data", seed) for task in tasks}
    names = [f"{family}-{size}" for family in FAMILIES for size in SIZES[:2]]
    names += [f"{family}-{SIZES[2]}" for family in FAMILIES]
    hard = random.Random(seed)
    difficulty = [hard.uniform(-0.25, 0.25) for _ in range(997)]
    runs = []
    for number, name in enumerate(names[:models]):
        skill = (number + 0.5) / models
        model = Model(name, 0.35 + 0.4 * skill, 0.4 - 0.3 * skill, random.Random(seed + number))
        out = folder / name
        _write_run(out, model, number, documents, difficulty, limit)
        runs.append(out)
    return runs


@dataclass(frozen=True)
class Documents:
    """The documents of one task, and a hash of the data."""

    rows: list[dict[str, Any]]
    digest: str


def _documents(task: str, data: Path, seed: int) -> Documents:
    if task == "videomme":
        rows = [
            {"question_id": f"{video:03d}-{k}", "videoID": f"video{video:03d}", "answer": "ABCD"[k]}
            for video in range(VIDEOMME_VIDEOS)
            for k in range(3)
        ]
        return Documents(rows, "")
    if task.startswith("vidomni"):
        root = data / "vidomni"
        if not root.exists():
            synthetic_vidomni(root, seed)
        omni = read_vidomni(root)
        rows = [
            vidomni_task._row(LoadedPair(entry.record, *_video("videos", entry.record.video_id)), 0)
            for entry in omni.entries
        ]
        release_digest = omni.digest
    else:
        root = data / "vidhalloc"
        if not root.exists():
            synthetic_vidhalloc(root, seed)
        halloc = read_vidhalloc(root, "eval" if task == "vidhalloc_eval" else "all")
        rows = [
            row
            for entry in halloc.entries
            for row in vidhalloc_task._rows(
                LoadedPair(
                    entry.record, *_video(entry.record.task_type, entry.record.media.video_id)
                ),
                0,
            )
        ]
        release_digest = halloc.digest
    rows.sort(key=lambda row: (row["video"], row["pair_id"]))
    return Documents(rows, hashlib.sha256(release_digest.encode()).hexdigest()[:16])


def _video(folder: str, video_id: str) -> tuple[Path, VideoFacts]:
    digest = hashlib.sha256(video_id.encode()).hexdigest()[:16]
    return Path("/data", folder, f"{video_id}.mp4"), VideoFacts(digest, 60.0, 25.0, 1500, True, "")


def _write_run(
    out: Path,
    model: Model,
    number: int,
    documents: Mapping[str, Documents],
    difficulty: Sequence[float],
    limit: int | None,
) -> None:
    folder = out / f"example__{model.name}"
    folder.mkdir(parents=True)
    date = f"20261130_12{number:02d}00"
    results: dict[str, Any] = {}
    for task, docs in documents.items():
        kept = docs.rows[:limit]
        with (folder / f"{date}_samples_{task}.jsonl").open("w", encoding="utf-8") as file:
            scores = _Scores(task)
            for index, doc in enumerate(kept):
                sample = _sample(task, doc, model, difficulty)
                scores.add(sample)
                row = {"doc_id": index, **sample}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        results[task] = scores.results()
    text = json.dumps(_results_file(model, date, documents, results, limit), indent=2)
    (folder / f"{date}_results.json").write_text(text, encoding="utf-8")


def _sample(
    task: str, doc: Mapping[str, Any], model: Model, difficulty: Sequence[float]
) -> dict[str, Any]:
    if task == "videomme":
        right = model.rng.random() < model.hits
        answer = doc["answer"] if right else model.rng.choice("ABCD")
        item = {**doc, "pred_answer": answer, "score": float(answer == doc["answer"])}
        return {
            "target": doc["answer"],
            "filtered_resps": answer,
            **HOST_FIELDS,
            "videomme_perception_score": item,
            "input": "Select the best answer to the following multiple-choice question.",
        }
    hooks: Any = vidomni_task if task.startswith("vidomni") else vidhalloc_task
    answer = _answer(doc, model, difficulty)
    return {
        "target": hooks.doc_to_target(doc),
        "filtered_resps": answer,
        **HOST_FIELDS,
        **hooks.process_results(doc, [answer]),
        "input": hooks.doc_to_text(doc),
    }


def _answer(doc: Mapping[str, Any], model: Model, difficulty: Sequence[float]) -> str:
    start = int.from_bytes(hashlib.sha256(str(doc["answer_id"]).encode()).digest()[:4], "big")

    def flags(place: int, wrong: bool) -> bool:
        harder = difficulty[(start + place) % len(difficulty)]
        chance = model.hits - harder if wrong else model.false_alarms + harder
        return model.rng.random() < chance

    if model.rng.random() < UNREADABLE:
        return "I am not able to watch this video."
    if "gold" not in doc:
        return "REJECT" if flags(0, doc["side"] == "counterfactual") else "ACCEPT"
    labels = {f"sentence_{k}": int(flags(k, gold == 1)) for k, gold in enumerate(doc["gold"], 1)}
    reasons = (REASON.format(k, k % 60) for k in range(1, len(labels) + 1))
    return "\n".join([json.dumps(labels), "", *reasons])


class _Scores:
    """The metrics of one task, gathered sample by sample as the host does."""

    def __init__(self, task: str) -> None:
        self._task = task
        self._metrics: Any = vidomni_metrics if task.startswith("vidomni") else vidhalloc_metrics
        self._names: Sequence[str] = (
            ("videomme_perception_score",) if task == "videomme" else self._metrics.METRICS
        )
        self._items: dict[str, list[Any]] = {name: [] for name in self._names}

    def add(self, sample: Mapping[str, Any]) -> None:
        for name, items in self._items.items():
            items.append(sample[name])

    def results(self) -> dict[str, Any]:
        return {"alias": self._task, **dict(self._rows())}

    def _rows(self) -> Iterator[tuple[str, Any]]:
        for name, items in self._items.items():
            if self._task == "videomme":
                value = 100 * sum(item["score"] for item in items) / len(items)
            else:
                value = self._metrics.aggregate(name, items)
            yield f"{name},none", value
            for kind in ("stderr", "stderr_clt", "stderr_clustered"):
                yield f"{name}_{kind},none", NO_ERROR


def _results_file(
    model: Model,
    date: str,
    documents: Mapping[str, Documents],
    results: Mapping[str, Any],
    limit: int | None,
) -> dict[str, Any]:
    model_args = f"pretrained=example/{model.name},max_num_frames=32"
    host_limit = None if limit is None else float(limit)
    return {
        "results": results,
        "group_subtasks": {task: [] for task in documents},
        "configs": {task: _config(task, docs) for task, docs in documents.items()},
        "versions": {task: 0.0 if task == "videomme" else "1" for task in documents},
        "n-shot": dict.fromkeys(documents, 0),
        "n-samples": {
            task: {"original": len(docs.rows), "effective": len(docs.rows[:limit])}
            for task, docs in documents.items()
        },
        "config": {
            "model": "qwen3_vl",
            "model_args": model_args,
            "model_backend": "lmms_eval.models.chat.qwen3_vl.Qwen3_VL (chat)",
            "batch_size": 1,
            "device": None,
            "use_cache": None,
            "limit": host_limit,
            "offset": 0,
            "bootstrap_iters": 100000,
            "gen_kwargs": "",
            "random_seed": 0,
            "numpy_seed": 1234,
            "torch_seed": 1234,
            "fewshot_seed": 1234,
            "resolved_cli_args": {
                "model": "qwen3_vl",
                "tasks": ",".join(documents),
                "model_args": model_args,
                "limit": host_limit,
                "gen_kwargs": "",
                "force_simple": False,
            },
        },
        "git_hash": None,
        "lmms_eval_version": "0.7.3@unknown",
        "date": date,
        "task_hashes": {task: hashlib.sha256(task.encode()).hexdigest() for task in documents},
        "model_source": "qwen3_vl",
        "model_name": f"example/{model.name}",
        "model_name_sanitized": f"example__{model.name}",
        "system_instruction": None,
        "chat_template": None,
        "start_time": 100.0,
        "end_time": 3700.0,
        "total_evaluation_time_seconds": "3600.0",
    }


def _config(task: str, docs: Documents) -> dict[str, Any]:
    ours = task != "videomme"
    return {
        "task": task,
        "dataset_path": "json" if ours else "lmms-eval/Video-MME",
        "test_split": "test",
        **(
            {"process_docs": f"{task}: {len(docs.rows)} documents, data {docs.digest}"}
            if ours
            else {}
        ),
        "doc_to_visual": "<function doc_to_visual at 0x7f9777466200>",
        "output_type": "generate_until",
        "generation_kwargs": {
            "max_new_tokens": (4096 if task.startswith("vidomni") else 2048) if ours else 16,
            "temperature": 0.0,
            "do_sample": False,
            "until": ["\n\n"],
        },
        "repeats": 1,
        "cluster_key": "video_id" if ours else "videoID",
        "score_key": "score",
        "metadata": {"version": "1"} if ours else [{"version": 0.0}],
        "auto_strip_thinking": False,
    }


if __name__ == "__main__":
    written = synthetic_logs(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10)
    print(*written, sep="\n")
