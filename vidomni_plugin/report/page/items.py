"""What the browser of items in the page knows: every item once, with the answers of all runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vidomni_plugin.data.statistics.videos import TYPE_NAMES
from vidomni_plugin.records import CATEGORY_OF_LEAF, ONTOLOGY
from vidomni_plugin.report.runs import Run, TaskRun
from vidomni_plugin.report.same_pair import CONTENT
from vidomni_plugin.vidhalloc.metrics import is_correct
from vidomni_plugin.vidomni.metrics import duration_group, metric_items
from vidomni_plugin.wording import counted

__all__ = ["browser_data", "video_key"]

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

    wanted: bool = True
    known: dict[str, int] = field(default_factory=dict)

    def number(self, text: str | None) -> int | None:
        """Return the place of a text in the list, or None where there is no answer."""
        if text is None or not self.wanted:
            return None
        left_out = len(text) - LONGEST_ANSWER
        if left_out > 0:
            more = counted(left_out, "more character is", "more characters are")
            text = f"{text[:LONGEST_ANSWER]}\n[{more} in the samples file]"
        return self.known.setdefault(text, len(self.known))


@dataclass(frozen=True, slots=True)
class _Version:
    """An item, and what its pair is: the content of each of its details by side."""

    content: dict[str, tuple[object, ...]]
    item: dict[str, Any]


def video_key(kind: str, detail: Detail) -> str:
    """Return what names the video of an item: benchmarks and tasks may number theirs alike.

    Example:
        >>> video_key("vidomni", {"video_id": "1"})
        'vidomni/1'
        >>> video_key("vidhalloc", {"video_id": "1", "task_type": "video_qa"})
        'vidhalloc/video_qa/1'
    """
    parts = (kind, detail.get("task_type"), detail["video_id"])
    return "/".join(str(part) for part in parts if part is not None)


def browser_data(
    runs: Iterable[Run],
    links: Mapping[str, str] | None = None,
    pictures: Mapping[str, Sequence[str]] | None = None,
    *,
    answers: bool = True,
) -> dict[str, Any]:
    """Return the data of the page's browser of items, ready for JSON.

    Items are joined by id and content (see ``same_pair``): two runs on different data give two
    items, never a mixed one. Answers that several runs share are stored once.

    Args:
        runs: All runs of the report; tasks of other benchmarks have no items to look at.
        links: URL of each video's file by ``video_key``.
        pictures: Data URIs of each video's poster frames by ``video_key``.
        answers: Whether the answers themselves are wanted.

    Returns:
        ``runs`` (what gave answers), ``items``, ``texts`` (the answers; null where they are not
        wanted) and ``videos``.
    """
    texts = _Texts(wanted=answers)
    tasks = [task for run in runs for task in run.tasks.values() if task.items]
    tasks = [task for task in tasks if task.kind in {"vidomni", "vidhalloc"}]
    items: list[dict[str, Any]] = []
    by_id: dict[tuple[str, str], list[_Version]] = {}
    for number, task, details in _pairs(tasks):
        versions = by_id.setdefault((task.kind, details[0]["pair_id"]), [])
        item = _item_of(versions, task.kind, details)
        for detail in details:
            if task.kind == "vidomni":
                item["answers"][number] = _labels(task, detail, texts)
            else:
                _add_answer(item, number, task, detail, texts)
    for (_, pair_id), versions in by_id.items():
        for k, version in enumerate(versions, 1):
            version.item["key"] = pair_id if k == 1 else f"{pair_id} (data {k})"
            items.append(version.item)
    items.sort(key=lambda item: (item["benchmark"] != "vidomni", item["video"], item["key"]))
    videos = {
        video: {"link": (links or {}).get(video), "posters": list((pictures or {}).get(video, ()))}
        for video in sorted({item["file"] for item in items})
    }
    return {
        "runs": [{"name": t.run, "task": t.task, "benchmark": t.kind} for t in tasks],
        "items": items,
        "texts": _by_item(items, list(texts.known)) if answers else None,
        "videos": videos,
    }


def _by_item(items: Iterable[Mapping[str, Any]], texts: Sequence[str]) -> list[str]:
    """Return the answers in the order of their items, whose numbers are changed to it.

    Models answer an item alike, often in its own words: side by side, such answers take up to a
    quarter less of the page.
    """
    places: dict[int, int] = {}
    for item in items:
        for answer in item["answers"].values():
            for one in answer if isinstance(answer, list) else [answer]:
                if one and one["text"] is not None:
                    one["text"] = places.setdefault(one["text"], len(places))
    return [texts[number] for number in places]


def _pairs(tasks: Sequence[TaskRun]) -> Iterator[tuple[int, TaskRun, list[Detail]]]:
    """Yield the details of each pair of each run with the run's number, halves of pairs last."""
    halves = []
    for number, task in enumerate(tasks):
        pairs: dict[str, list[Detail]] = {}
        for detail in task.items:
            pairs.setdefault(detail["pair_id"], []).append(detail)
        for details in pairs.values():
            if task.kind == "vidhalloc" and len(details) < len(SIDES):
                halves.append((number, task, details))
            else:
                yield number, task, details
    yield from halves


def _item_of(versions: list[_Version], kind: str, details: Sequence[Detail]) -> dict[str, Any]:
    """Return the item of the same content, a new one where there is none.

    Half a pair belongs to the first item that has its answer.
    """
    content = {detail.get("side", ""): CONTENT[kind]([detail]) for detail in details}
    for version in versions:
        if all(version.content.get(side) == given for side, given in content.items()):
            return version.item
    detail = details[0]
    item = {
        "benchmark": kind,
        "id": detail["pair_id"],
        "video": detail["video_id"],
        "file": video_key(kind, detail),
        **(_caption(detail) if kind == "vidomni" else _answers(details)),
        "answers": {},
    }
    versions.append(_Version(content, item))
    return item


def _caption(detail: Detail) -> dict[str, Any]:
    return {
        "facts": _caption_facts(detail),
        "sentences": list(detail["sentences"]),
        "gold": _signs(detail["gold"]),
        "errors": _errors(detail),
    }


def _labels(task: TaskRun, detail: Detail, texts: _Texts) -> dict[str, Any]:
    """Return what one run said of a caption."""
    scored = metric_items(detail)["f1"]
    return {
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


def _duration_facts(seconds: float | None) -> dict[str, Any]:
    return {} if seconds is None else {"duration": duration_group(seconds), "seconds": seconds}


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


def _answers(details: Sequence[Detail]) -> dict[str, Any]:
    """Return the question of a pair and the answers that there are."""
    first = details[0]
    category = first["category"]
    candidates = {detail["side"]: detail["candidate_answer"] for detail in details}
    return {
        "facts": {
            "category": [f"{category.upper()} {LEAF_OF_CATEGORY.get(category, '')}".strip()],
            "group": "OH, ontology" if category in ONTOLOGY else "DH, dynamic",
            "source": first["task_type"],
            **_duration_facts(first.get("duration_s")),
        },
        "question": first["question"],
        "candidates": [candidates.get(side) for side in SIDES],
    }


def _add_answer(
    item: dict[str, Any], number: int, task: TaskRun, detail: Detail, texts: _Texts
) -> None:
    """Add what one run said of one answer of a pair."""
    side = SIDES.index(detail["side"])
    item["answers"].setdefault(number, [None, None])[side] = {
        "verdict": detail["label"],
        "right": is_correct(detail["side"], detail["label"]),
        "reason": detail["reason"] or "",
        "text": texts.number(task.responses.get(f"{detail['pair_id']}/{detail['side']}")),
    }
