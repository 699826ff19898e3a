"""Scores of VidHalLoc: the only place where they are computed (arXiv 2609.09895, section 4).

A method decides on each answer of a pair alone. Factual: share of pairs whose factual answer
is accepted. Counterfactual: share whose counterfactual answer is rejected. Overall: share
with both. An answer without a verdict is neither, so wrong on its side. All scores are
percents over whole pairs; a pair with one answer only is counted as incomplete. A request that
failed gave no verdict; ``overall_answered`` alone leaves its pair out. A detector without a
threshold decides nothing: its run has no accuracy, see ``has_scores_only``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from vidomni_plugin.records import CATEGORY_OF_LEAF, DYNAMIC, ONTOLOGY, Side
from vidomni_plugin.scores import EMPTY, LARGEST_SCORE, REQUEST_FAILED, Score, percent

__all__ = [
    "METRICS",
    "Outcomes",
    "WholePairs",
    "aggregate",
    "has_scores_only",
    "is_correct",
    "metric_items",
    "outcomes",
    "score",
    "summary",
    "usable_score",
    "whole_pairs",
]

Item = Mapping[str, Any]

GROUPS: dict[str, tuple[str, ...]] = {
    "overall": (*ONTOLOGY, *DYNAMIC),
    "overall_ontology": ONTOLOGY,
    "overall_dynamic": DYNAMIC,
    **{f"overall_{category}": (category,) for category in CATEGORY_OF_LEAF.values()},
}
"""Overall accuracies: name -> the categories that count."""
METRICS: tuple[str, ...] = (
    "factual",
    "counterfactual",
    *GROUPS,
    "overall_answered",
    "auroc",
    "ranking",
    "ties",
    "undecided",
    "failed",
    "incomplete",
    "missing",
)
"""Every metric of the task, in the order of the docs."""
OF_SCORES = ("auroc", "ranking", "ties")
"""Metrics of the scores that detectors give: they need no threshold."""


class Outcomes(NamedTuple):
    """Whole pairs by outcome state (Table 15)."""

    both: int
    factual_only: int
    counterfactual_only: int
    neither: int


def is_correct(side: Side, label: str | None) -> bool:
    """Return whether a verdict is right: ACCEPT the factual answer, REJECT the other.

    Example:
        >>> is_correct("factual", "ACCEPT"), is_correct("counterfactual", None)
        (True, False)
    """
    return label == ("ACCEPT" if side == "factual" else "REJECT")


def has_scores_only(answers: Sequence[Item]) -> bool:
    """Return whether answers of VidHalLoc are scores that no threshold made verdicts of.

    Answers whose request failed, or that have no score, may be among them. Accuracies of such a
    run would all be of wrong answers, though nothing was decided.

    Example:
        >>> has_scores_only([{"label": None, "reason": "no_threshold"}])
        True
    """
    without = all("label" in answer and answer["label"] is None for answer in answers)
    return without and any(answer["reason"] == "no_threshold" for answer in answers)


def usable_score(value: object) -> float | None:
    """Return a detector's score as a number, or None for anything else that a file may hold.

    Example:
        >>> usable_score(1), usable_score("1"), usable_score(float("nan")), usable_score(10**400)
        (1.0, None, None, None)
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    # Differences of larger ones have no value, and no axis can show them; NaN is never smaller.
    return float(value) if abs(value) <= LARGEST_SCORE else None


def metric_items(detail: Item) -> dict[str, dict[str, Any]]:
    """Return what the host stores of one answer under each metric.

    ``overall`` carries the whole detail. The host takes its standard errors from ``score``:
    it is there for ``factual``, ``counterfactual`` and ``undecided``, which are means over
    answers, and not for Overall accuracies, which are shares of pairs. Nor is it there for an
    answer that no threshold decided: 0 with an error of 0 would look measured.

    Args:
        detail: One judged answer; see ``vidomni_plugin.vidhalloc.task.detail``.
    """
    correct = is_correct(detail["side"], detail["label"])
    base = {key: detail[key] for key in ("pair_id", "video_id", "side", "category")}
    base["correct"] = correct
    if detail["label"] is None:
        base.update(label=None, reason=detail["reason"])
    items: dict[str, dict[str, Any]] = {name: dict(base) for name in METRICS}
    if detail["reason"] != "no_threshold":
        items[detail["side"]]["score"] = 100.0 * correct
    items["overall"] = {**detail, "correct": correct}
    items["undecided"].update(
        score=100.0 * (detail["label"] is None),
        label=detail["label"],
        reason=detail["reason"],
        detector_status=detail.get("detector_status"),
    )
    for name in ("overall_answered", "failed"):
        items[name]["failed"] = detail["reason"] == REQUEST_FAILED
    items["missing"]["missing"] = detail["missing"]
    for name in OF_SCORES:
        items[name]["detector_score"] = usable_score(detail.get("detector_score"))
    return items


class WholePairs(NamedTuple):
    """Answers joined by pair."""

    whole: list[tuple[Item, Item]]
    """The factual and the counterfactual answer of each pair that has both."""
    incomplete: int
    """Pairs with one answer only."""


def whole_pairs(rows: Iterable[Item]) -> WholePairs:
    """Join answers into (factual, counterfactual) pairs, in the order in which pairs first come."""
    sides: dict[str, dict[str, Item]] = {}
    for row in rows:
        sides.setdefault(row["pair_id"], {})[row["side"]] = row
    whole = [(pair["factual"], pair["counterfactual"]) for pair in sides.values() if len(pair) == 2]
    return WholePairs(whole, len(sides) - len(whole))


def outcomes(rows: Iterable[Item]) -> Outcomes:
    """Count whole pairs by outcome state; rows need pair_id, side and correct."""
    whole, _ = whole_pairs(rows)
    states = [(factual["correct"], counterfactual["correct"]) for factual, counterfactual in whole]
    return Outcomes(
        both=states.count((True, True)),
        factual_only=states.count((True, False)),
        counterfactual_only=states.count((False, True)),
        neither=states.count((False, False)),
    )


def score(name: str, items: Iterable[Item]) -> Score:
    """Return one metric over answers; the order of the items does not matter.

    Args:
        name: One of ``METRICS``.
        items: What ``metric_items`` gave under that name, one an answer.

    Returns:
        A percent in [0, 100]: higher is better, for ``undecided`` and ``ties`` lower. For
        ``failed`` the number of answers whose request failed, for ``incomplete`` the number of
        pairs with one answer only, for ``missing`` the number of pairs left out because their
        video is not there. ``auroc``, ``ranking`` and ``ties`` are over the pairs whose answers
        both have a detector's score. ``EMPTY`` (-1) over no pair, and for every accuracy of a
        detector's answers that no threshold decided.
    """
    rows = list(items)
    whole, incomplete = whole_pairs(rows)
    if name == "missing":
        lost = max((row["missing"] for row in rows), default=0)
        return Score(float(lost), len(whole) + incomplete + lost, "pairs")
    if name == "failed":
        return Score(float(sum(row["failed"] for row in rows)), len(rows), "answers")
    if name == "incomplete":
        return Score(float(incomplete), len(whole) + incomplete, "pairs")
    if name == "undecided":
        silent = sum(row["label"] is None for row in rows)
        return Score(percent(silent, len(rows), when_empty=EMPTY), len(rows), "answers")
    if name in OF_SCORES:
        return _of_scores(name, whole)
    if has_scores_only(rows):
        return Score(EMPTY, 0, "pairs")
    if name.startswith("overall"):
        if name == "overall_answered":
            whole = [pair for pair in whole if not any(answer["failed"] for answer in pair)]
        else:
            whole = [pair for pair in whole if pair[0]["category"] in GROUPS[name]]
        hits = sum(factual["correct"] and other["correct"] for factual, other in whole)
    else:
        side = ("factual", "counterfactual").index(name)
        hits = sum(pair[side]["correct"] for pair in whole)
    return Score(percent(hits, len(whole), when_empty=EMPTY), len(whole), "pairs")


def _of_scores(name: str, whole: Iterable[tuple[Item, Item]]) -> Score:
    both = [[answer["detector_score"] for answer in pair] for pair in whole]
    scored = [(factual, other) for factual, other in both if None not in (factual, other)]
    if not scored:
        return Score(EMPTY, 0, "pairs")
    # It takes a moment to import, and most runs have no scores.
    from vidomni_plugin.separation import separation

    found = separation([factual for factual, _ in scored], [other for _, other in scored])
    return Score(getattr(found, name), found.n, "pairs")


def aggregate(name: str, items: Iterable[Item]) -> float:
    """Return the value of ``score``, which is what the host wants."""
    return score(name, items).value


def summary(details: Iterable[Item]) -> dict[str, Score]:
    """Return every metric over judged answers, as one run of the host reports them."""
    per_answer = [metric_items(detail) for detail in details]
    return {name: score(name, (items[name] for items in per_answer)) for name in METRICS}
