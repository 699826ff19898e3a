"""What the browser of items in the page knows: every item once, with the answers of all runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vidomni_plugin.data.statistics.videos import TYPE_NAMES
from vidomni_plugin.records import CATEGORY_OF_LEAF, ONTOLOGY
from vidomni_plugin.report.runs import Run, TaskRun
from vidomni_plugin.vidhalloc.metrics import is_correct
from vidomni_plugin.vidomni.metrics import duration_group, metric_items
from vidomni_plugin.wording import counted

__all__ = ["browser_data"]

LONGEST_ANSWER = 20_000
"""Characters of an answer that the page keeps; a model that repeats itself fills megabytes."""
LEAF_OF_CATEGORY = {category: leaf for leaf, category in CATEGORY_OF_LEAF.items()}
LABEL_SIGNS = {0: "0", 1: "1", None: "-"}
"""How a label is written in the string of a caption's labels, one sign a sentence."""
SIDES = ("factual", "counterfactual")
Detail = Mapping[str, Any]


@dataclass(slots=True)
class _Texts:
    """Every answer once: models often give the same one word."""

    known: dict[str, int] = field(default_factory=dict)

    def number(self, text: str | None) -> int | None:
        """Return the place of a text in the list, or None where there is no answer."""
        if text is None:
            return None
        left_out = len(text) - LONGEST_ANSWER
        if left_out > 0:
            more = counted(left_out, "more character is", "more characters are")
            text = f"{text[:LONGEST_ANSWER]}\n[{more} in the samples file]"
        return self.known.setdefault(text, len(self.known))


def browser_data(
    runs: Iterable[Run],
    links: Mapping[str, str] | None = None,
    pictures: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the data of the page's browser of items, ready for JSON.

    Items are joined by id and content: two runs on different data give two items, never a
    mixed one. Answers that several runs share are stored once.

    Args:
        runs: All runs of the report; tasks of other benchmarks have no items to look at.
        links: URL of each video's file by video id.
        pictures: Data URIs of each video's poster frames by video id.

    Returns:
        ``runs`` (what gave answers), ``items``, ``texts`` (the answers) and ``videos``.
    """
    texts = _Texts()
    tasks = [task for run in runs for task in run.tasks.values() if task.items]
    tasks = [task for task in tasks if task.kind in {"vidomni", "vidhalloc"}]
    items: list[dict[str, Any]] = []
    by_id: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number, task in enumerate(tasks):
        add = _add_caption if task.kind == "vidomni" else _add_answer
        for detail in task.items:
            add(by_id.setdefault((task.kind, detail["pair_id"]), []), number, task, detail, texts)
    for (_, pair_id), versions in by_id.items():
        for k, item in enumerate(versions, 1):
            item["key"] = pair_id if k == 1 else f"{pair_id} (data {k})"
            items.append(item)
    items.sort(key=lambda item: (item["benchmark"] != "vidomni", item["video"], item["key"]))
    videos = {
        video: {"link": (links or {}).get(video), "posters": list((pictures or {}).get(video, ()))}
        for video in sorted({item["video"] for item in items})
    }
    return {
        "runs": [{"name": t.run, "task": t.task, "benchmark": t.kind} for t in tasks],
        "items": items,
        "texts": list(texts.known),
        "videos": videos,
    }


def _add_caption(
    versions: list[dict[str, Any]], number: int, task: TaskRun, detail: Detail, texts: _Texts
) -> None:
    """Add one scored pair of VidOmni to the item of the same content."""
    gold = _signs(detail["gold"])
    sentences = list(detail["sentences"])
    item = next((i for i in versions if i["gold"] == gold and i["sentences"] == sentences), None)
    if item is None:
        item = {
            "benchmark": "vidomni",
            "id": detail["pair_id"],
            "video": detail["video_id"],
            "facts": _caption_facts(detail),
            "sentences": sentences,
            "gold": gold,
            "errors": _errors(detail),
            "answers": {},
        }
        versions.append(item)
    scored = metric_items(detail)["f1"]
    item["answers"][number] = {
        "labels": _signs(detail["labels"]),
        "f1": scored["score"],
        "counts": [scored[name] for name in ("tp", "fp", "fn", "tn", "unlabelled")],
        "reason": detail["reason"] or "",
        "text": texts.number(task.responses.get(detail["pair_id"])),
    }


def _caption_facts(detail: Detail) -> dict[str, Any]:
    kind = detail["complexity_type"]
    categories = sorted({name for errors in detail["errors"] for name in errors})
    return {
        "type": f"{kind} {TYPE_NAMES.get(kind, '')}".strip(),
        "duration": duration_group(detail["duration_s"]),
        "seconds": detail["duration_s"],
        "source": detail.get("caption_source"),
        "dataset": detail.get("source_dataset"),
        "sound": detail.get("audio_category") or ("with sound" if detail["has_audio"] else "none"),
        "category": categories,
    }


def _errors(detail: Detail) -> dict[int, list[list[str]]]:
    """Return [category, words] of each error by sentence index; words may be unknown ("")."""
    words: Sequence[Sequence[Any]] = detail.get("error_words") or ()
    marked: dict[int, list[list[str]]] = {}
    for k, categories in enumerate(detail["errors"]):
        texts = words[k] if k < len(words) else ()
        rows = [
            [category, str(texts[n] or "") if n < len(texts) else ""]
            for n, category in enumerate(categories)
        ]
        if rows:
            marked[k] = rows
    return marked


def _signs(labels: Iterable[int | None]) -> str:
    return "".join(LABEL_SIGNS[label] for label in labels)


def _add_answer(
    versions: list[dict[str, Any]], number: int, task: TaskRun, detail: Detail, texts: _Texts
) -> None:
    """Add one judged answer of VidHalLoc to the item of its pair."""
    side = SIDES.index(detail["side"])
    candidate = detail["candidate_answer"]
    item = next(
        (
            i
            for i in versions
            if i["question"] == detail["question"] and i["candidates"][side] in {None, candidate}
        ),
        None,
    )
    if item is None:
        category = detail["category"]
        group = "OH, ontology" if category in ONTOLOGY else "DH, dynamic"
        item = {
            "benchmark": "vidhalloc",
            "id": detail["pair_id"],
            "video": detail["video_id"],
            "facts": {
                "category": [f"{category.upper()} {LEAF_OF_CATEGORY.get(category, '')}".strip()],
                "group": group,
                "source": detail["task_type"],
            },
            "question": detail["question"],
            "candidates": [None, None],
            "answers": {},
        }
        versions.append(item)
    item["candidates"][side] = candidate
    item["answers"].setdefault(number, [None, None])[side] = {
        "verdict": detail["label"],
        "right": is_correct(detail["side"], detail["label"]),
        "reason": detail["reason"] or "",
        "text": texts.number(task.responses.get(f"{detail['pair_id']}/{detail['side']}")),
    }
