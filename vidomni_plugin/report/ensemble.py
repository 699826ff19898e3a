"""Two runs of VidOmni as one verifier: a sentence is Incorrect if either says so (Table 11)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.report.runs import Run, TaskRun
from vidomni_plugin.report.same_pair import caption_content
from vidomni_plugin.vidomni import metrics
from vidomni_plugin.vidomni.task import detail
from vidomni_plugin.wording import counted

__all__ = ["Merged", "joint_labels", "merge", "only_vidomni", "results_of"]

Label = int | None
OF_THE_RUN = ("prompt", "host")
"""What an item tells of the run that made its answer."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The samples of an ensemble, and what could not be joined."""

    samples: Sequence[Mapping[str, Any]]
    """One line a pair as the host writes them, sorted by pair id."""
    only_a: int
    only_b: int
    different: int
    """Pairs in both runs whose video, sentences, labels or errors differ."""


def joint_labels(a: Sequence[Label], b: Sequence[Label]) -> list[Label]:
    """Return 1 where either label is 1, else 0 where either is 0, else None.

    Example:
        >>> joint_labels([1, 0, None, None, 0], [0, 0, 1, None, None])
        [1, 0, 1, None, 0]
    """
    return [
        max((label for label in both if label is not None), default=None)
        for both in zip(a, b, strict=True)
    ]


def only_vidomni(runs: Sequence[Run], place: str) -> TaskRun:
    """Return the one run of VidOmni at a place.

    Raises:
        InputProblems: If there is none with a usable pair, or more than one.
    """
    found = [
        task for run in runs for task in run.tasks.values() if task.kind == "vidomni" and task.items
    ]
    if len(found) == 1:
        return found[0]
    hint = "name the *_samples_vidomni.jsonl that is meant"
    reason = (
        f"{len(found)} runs of VidOmni: {', '.join(f'{t.run} ({t.task})' for t in found)}"
        if found
        else "no run of VidOmni with a usable pair"
    )
    problems = [problem for run in runs for problem in run.problems]
    problems += [
        problem for run in runs for task in run.tasks.values() for problem in task.problems
    ]
    problems = problems if not found else []
    raise InputProblems("no ensemble", [Problem("sample", place, reason, hint), *problems])


def merge(a: TaskRun, b: TaskRun) -> Merged:
    """Return the ensemble of two runs on the pairs that both scored, joined by pair id.

    The answer of a pair is the dictionary of its joint labels, without the sentences that
    neither run labelled: what reads a model's answers reads it alike.

    Raises:
        InputProblems: If no pair is in both runs.
    """
    left = {str(item["pair_id"]): item for item in a.items}
    right = {str(item["pair_id"]): item for item in b.items}
    both = sorted(left.keys() & right.keys())
    same = [
        pair_id
        for pair_id in both
        if caption_content([left[pair_id]]) == caption_content([right[pair_id]])
    ]
    if not same:
        ids = counted(len(both), "pair id is", "pair ids are")
        message = f"{ids} in both runs, none with the same sentences and labels"
        hint = "an ensemble needs two runs on the same data"
        raise InputProblems("no ensemble", [Problem("sample", f"{a.run}, {b.run}", message, hint)])
    samples = [
        _sample(number, left[pair_id], right[pair_id]) for number, pair_id in enumerate(same)
    ]
    return Merged(samples, len(left) - len(both), len(right) - len(both), len(both) - len(same))


def results_of(a: TaskRun, b: TaskRun, merged: Merged, task: str) -> dict[str, Any]:
    """Return a results file as the host writes them, so that reports know what an ensemble is.

    It holds the settings in which both runs agree; the model is both of them.

    Args:
        a: The first run, as tables call it.
        b: The second.
        merged: Their ensemble.
        task: Name of the task in the name of the samples file.
    """
    one, two = a.signature, b.signature

    def shared(name: str) -> object:
        value = getattr(one, name)
        return value if value == getattr(two, name) else None

    arguments = {"model": f"{a.run} + {b.run}", "max_num_frames": shared("frames")}
    arguments["fps"] = shared("fps")
    count = len(merged.samples)
    scores = metrics.summary([sample["f1"] for sample in merged.samples])
    config: dict[str, Any] = {"task": task, "generation_kwargs": shared("generation") or {}}
    if data := shared("data"):
        config["process_docs"] = f"{task}: {count} documents, data {data}"
    return {
        "results": {task: {f"{name},none": score.value for name, score in scores.items()}},
        "configs": {task: config},
        "versions": {task: shared("task_version")},
        "config": {
            "model": "ensemble",
            "model_args": {name: value for name, value in arguments.items() if value},
            "limit": count if one.limit or two.limit else None,
        },
    }


def _sample(number: int, a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    labels = joint_labels(a["labels"], b["labels"])
    given = {f"sentence_{k}": label for k, label in enumerate(labels, 1) if label is not None}
    response = json.dumps(given) if given else ""
    whole = {**a, "missing": max(a["missing"], b["missing"])}
    # What only one of the two runs had is no setting of both.
    shared = {name: a.get(name, "") for name in OF_THE_RUN if a.get(name) == b.get(name)}
    of_run = dict.fromkeys(OF_THE_RUN, "") | shared
    items = metrics.metric_items(detail(whole, response) | of_run)
    target = {f"sentence_{k}": label for k, label in enumerate(a["gold"], 1)}
    return {
        "doc_id": number,
        "target": json.dumps(target),
        "filtered_resps": [response],
        "resps": [[response]],
        **items,
    }
