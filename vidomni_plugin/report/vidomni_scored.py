"""The pairs of a VidOmni run as arrays: counted once, then cut into strata as often as wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidomni_plugin.data.statistics.captions import CATEGORIES
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.same_pair import caption_content
from vidomni_plugin.vidomni.metrics import duration_group, prf

__all__ = ["Scored", "common_pairs", "either", "has_sound", "score_run", "select"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The pairs of one run, sorted by pair id; every array has one row a pair.

    Sentences of all pairs stand one behind the other in ``flagged`` and ``gold``; those of
    pair ``k`` start at ``starts[k]``.
    """

    run: TaskRun
    pair_ids: tuple[str, ...]
    videos: tuple[str, ...]
    items: tuple[Mapping[str, Any], ...]
    starts: Ints
    flagged: Flags
    """Label 1, by sentence."""
    labelled: Flags
    """Whether there is a label, by sentence."""
    gold: Ints
    """1 Incorrect, 0 Correct, -1 Unknown, by sentence."""
    carries: Flags
    """Whether an Incorrect sentence has an error category, shape ``(sentences, categories)``."""
    tp: Ints
    fp: Ints
    fn: Ints
    known: Ints
    """Sentences that are scored: those with a gold label."""
    unlabelled: Ints
    precision: Floats
    recall: Floats
    f1: Floats

    @property
    def flawed(self) -> Flags:
        """Pairs with an Incorrect sentence."""
        return self.tp + self.fn > 0

    def per_pair(self, by_sentence: NDArray[Any]) -> Ints:
        """Return the sums of a sentence array over each pair."""
        return np.add.reduceat(by_sentence.astype(np.int64), self.starts, axis=0)

    def where(self, field: str, value: object) -> Flags:
        """Return the pairs whose detail has this value in a field."""
        return np.array([item[field] == value for item in self.items], dtype=bool)

    def durations(self) -> NDArray[np.str_]:
        """Return the duration group of each pair."""
        return np.array([duration_group(item["duration_s"]) for item in self.items])


def has_sound(run: TaskRun) -> bool:
    """Return whether the model was given the sound, which is in the name: ``vidomni_av``."""
    return "av" in run.task.split("_")


def score_run(run: TaskRun) -> Scored:
    """Return the pairs of a run of VidOmni, counted and scored by ``vidomni.metrics``.

    Raises:
        ValueError: If the run has no pair, or a pair has not as many labels as sentences.
    """
    items = tuple(sorted(run.items, key=lambda item: str(item["pair_id"])))
    lengths = np.array([len(item["gold"]) for item in items], dtype=np.int64)
    if not len(items) or not lengths.all():
        raise ValueError(f"{run.run}: no pairs, or a pair without sentences")
    wrong = [i["pair_id"] for i in items if len(i["labels"]) != len(i["gold"])]
    if wrong:
        raise ValueError(f"{run.run}: {wrong[0]} has not one label a sentence")
    labels = [label for item in items for label in item["labels"]]
    gold = np.array([-1 if g is None else g for item in items for g in item["gold"]])
    number = {name: k for k, name in enumerate(CATEGORIES)}
    carries = np.zeros((len(gold), len(CATEGORIES)), dtype=bool)
    errors = (names for item in items for names in item["errors"])
    for at, names in enumerate(errors):
        for name in names:
            if name in number:  # others are counted in the table of categories
                carries[at, number[name]] = True
    return _counted(
        run,
        items,
        np.concatenate([[0], np.cumsum(lengths)[:-1]]),
        np.array([label == 1 for label in labels], dtype=bool),
        np.array([label is not None for label in labels], dtype=bool),
        gold,
        carries & (gold == 1)[:, None],
    )


def _counted(
    run: TaskRun,
    items: tuple[Mapping[str, Any], ...],
    starts: Ints,
    flagged: Flags,
    labelled: Flags,
    gold: Ints,
    carries: Flags,
) -> Scored:
    def count(sentences: Flags) -> Ints:
        return np.add.reduceat(sentences.astype(np.int64), starts)

    tp, fp = count(flagged & (gold == 1)), count(flagged & (gold == 0))
    fn = count(~flagged & (gold == 1))
    rows = list(zip(tp.tolist(), fp.tolist(), fn.tolist(), strict=True))
    known = {row: prf(*row) for row in set(rows)}  # most pairs share their counts with others
    scores = np.array([known[row] for row in rows], dtype=np.float64)
    return Scored(
        run,
        tuple(str(item["pair_id"]) for item in items),
        tuple(str(item["video_id"]) for item in items),
        items,
        starts,
        flagged,
        labelled,
        gold,
        carries,
        tp,
        fp,
        fn,
        count(gold >= 0),
        count(~labelled & (gold >= 0)),
        scores[:, 0],
        scores[:, 1],
        scores[:, 2],
    )


def select(scored: Scored, pairs: Sequence[int]) -> Scored | None:
    """Return some pairs of a run, by their rows; None where there are none."""
    if not len(pairs):
        return None
    lengths = np.diff(np.append(scored.starts, len(scored.gold)))[np.asarray(pairs)]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    # Sentence k of the selection is where its pair starts, plus its place in the pair.
    places = np.repeat(scored.starts[np.asarray(pairs)] - starts, lengths) + np.arange(
        lengths.sum()
    )
    return _counted(
        scored.run,
        tuple(scored.items[k] for k in pairs),
        starts,
        scored.flagged[places],
        scored.labelled[places],
        scored.gold[places],
        scored.carries[places],
    )


def common_pairs(a: Scored, b: Scored) -> tuple[Scored, Scored] | None:
    """Return the pairs that both runs scored, in the same order; None where there are none.

    A pair whose content differs is not the same pair: the two runs saw different versions of
    it, see ``same_pair``.
    """
    place = {pair_id: k for k, pair_id in enumerate(b.pair_ids)}
    rows = [
        (k, place[pair_id])
        for k, pair_id in enumerate(a.pair_ids)
        if pair_id in place and _same(a.items[k], b.items[place[pair_id]])
    ]
    if len(rows) == len(a.pair_ids) == len(b.pair_ids):
        return a, b
    left, right = select(a, [k for k, _ in rows]), select(b, [k for _, k in rows])
    return None if left is None or right is None else (left, right)


def _same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return a is b or caption_content([a]) == caption_content([b])


def either(a: Scored, b: Scored) -> Scored:
    """Return the ensemble of two runs on the same pairs: Incorrect if either says so.

    A sentence without a label in one run has the other's; without one in both it has none
    (the rule of Table 11, arXiv 2609.21521).

    Raises:
        ValueError: If the runs do not hold the same pairs; see ``common_pairs``.
    """
    if a.pair_ids != b.pair_ids or not np.array_equal(a.gold, b.gold):
        raise ValueError("an ensemble of different pairs")
    flagged, labelled = a.flagged | b.flagged, a.labelled | b.labelled
    return _counted(a.run, a.items, a.starts, flagged, labelled, a.gold, a.carries)
