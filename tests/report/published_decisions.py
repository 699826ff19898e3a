"""Decisions of the paper's fifteen methods that give its published counts.

Table 5 fixes how many of the 800 pairs a method has right on each answer and on both; the gaps
of Table 14 fix how these divide into ontology and dynamic hallucination; Table 11 fixes the
right pairs of the four detectors by category. What is left open (which pairs) is drawn with a
seed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from tests.data.checks.synthetic import synthetic_vidhalloc
from tests.report.builders import vidhalloc_run
from vidomni_plugin.data.layout import FILES
from vidomni_plugin.data.releases import read_records
from vidomni_plugin.published import published, rows
from vidomni_plugin.records import CATEGORY_OF_LEAF, DYNAMIC, ONTOLOGY, VidHalLocPair
from vidomni_plugin.report.runs import TaskRun

SEED = 20260909
PAIRS = 800
GROUPS = (ONTOLOGY, DYNAMIC)
METHODS = tuple(str(row["method"]) for row in rows("vidhalloc", "table5"))
DETECTORS = tuple(published()["vidhalloc"]["table11_overall_by_category"]["rows"])
VERDICTS = {
    "both": ("ACCEPT", "REJECT"),
    "factual_only": ("ACCEPT", "ACCEPT"),
    "counterfactual_only": ("REJECT", "REJECT"),
    "neither": ("REJECT", "ACCEPT"),
}


def evaluation_fields(root: Path) -> dict[str, dict[str, str]]:
    """Return video, category and task of the 800 pairs of a full-size release, by pair id.

    The pairs are spread over 436 videos, 198 of which have one OH and one DH pair (Table 13).
    """
    synthetic_vidhalloc(root)
    release = read_records([root / name for name in FILES["eval"]], VidHalLocPair, "pair_id")
    pairs = [entry.record for entry in release.entries]
    fields = {
        pair.pair_id: {
            "video_id": pair.media.video_id,
            "category": CATEGORY_OF_LEAF[pair.leaf_label.value],
            "task_type": pair.task_type,
        }
        for pair in pairs
    }
    _exchange_videos(fields)
    return fields


def _exchange_videos(fields: dict[str, dict[str, str]]) -> None:
    """Exchange videos of pairs of one task until as many hold an OH and a DH pair as published."""
    wanted = next(
        row["videos"]
        for row in rows("vidhalloc", "table13_within_video")
        if row["subset"] == "within_video"
    )
    on: dict[str, list[str]] = {}
    for pair in sorted(fields):
        on.setdefault(fields[pair]["video_id"], []).append(pair)

    def group(pair: str) -> bool:
        return fields[pair]["category"] in ONTOLOGY

    mixed = [sorted(two, key=group) for two in on.values() if len({*map(group, two)}) == 2]
    single = [one[0] for one in on.values() if len(one) == 1 and group(one[0])]
    surplus = len(mixed) - wanted

    def exchange(left: str, right: str) -> None:
        a, b = fields[left], fields[right]
        a["video_id"], b["video_id"] = b["video_id"], a["video_id"]

    def unlike(left: str, right: str) -> bool:
        a, b = fields[left], fields[right]
        return a["task_type"] == b["task_type"] and a["category"] != b["category"]

    if surplus % 2:  # its DH pair for the OH pair of a video with that one alone
        dynamic, ontology = mixed.pop()
        exchange(dynamic, next(other for other in single if unlike(ontology, other)))
        surplus -= 1
    while surplus > 0:  # one video gets both OH pairs, another both DH pairs
        dynamic, ontology = mixed.pop()
        other = next(m for m in mixed if unlike(ontology, m[1]) and unlike(dynamic, m[0]))
        mixed.remove(other)
        exchange(dynamic, other[1])
        surplus -= 2


def published_run(method: str, fields: Mapping[str, Mapping[str, str]]) -> TaskRun:
    """Return a run of the evaluation set with decisions that give a method's published counts."""
    rng = random.Random(f"{SEED} {method}")
    verdicts: dict[str, tuple[str | None, str | None]] = {}
    for categories, counts in zip(GROUPS, group_counts(method), strict=True):
        inside = [pair for pair, known in fields.items() if known["category"] in categories]
        rng.shuffle(inside)
        if method in DETECTORS:
            right = _right_pairs(method, inside, fields)
        else:
            right = inside[: counts["both"]]
        others = sorted(set(inside) - set(right))
        rng.shuffle(others)
        states = [state for state in list(VERDICTS)[1:] for _ in range(counts[state])]
        assert len(right) == counts["both"], method
        verdicts |= dict.fromkeys(right, VERDICTS["both"])
        verdicts |= {p: VERDICTS[state] for p, state in zip(others, states, strict=True)}
    return vidhalloc_run(method, verdicts, fields, task="vidhalloc_eval")


def group_counts(method: str) -> list[dict[str, int]]:
    """Return the outcome states of a method's OH and DH pairs."""
    overall = next(row for row in rows("vidhalloc", "table5") if row["method"] == method)
    gaps = next(row for row in rows("vidhalloc", "table14_delta_oh_dh") if row["method"] == method)
    divided = {
        measure: _divided(round(overall[measure] * PAIRS / 100), gaps[measure])
        for measure in ("factual", "counterfactual", "overall")
    }
    counts = []
    for k, categories in enumerate(GROUPS):
        size = PAIRS * len(categories) // 8
        factual, counterfactual, both = (found[k] for found in divided.values())
        counts.append(
            {
                "both": both,
                "factual_only": factual - both,
                "counterfactual_only": counterfactual - both,
                "neither": size - factual - counterfactual + both,
            }
        )
    return counts


def _divided(hits: int, gap: float) -> tuple[int, int]:
    """Divide hits into those on 500 OH and on 300 DH pairs, by the gap of their shares."""
    ontology = min(range(hits + 1), key=lambda oh: abs(oh / 5 - (hits - oh) / 3 - gap))
    return ontology, hits - ontology


def _right_pairs(
    method: str, inside: list[str], fields: Mapping[str, Mapping[str, str]]
) -> list[str]:
    paper = published()["vidhalloc"]["table11_overall_by_category"]
    right = []
    for category, hits in zip(paper["categories"], paper["rows"][method], strict=True):
        of_category = [p for p in inside if fields[p]["category"] == category.lower()]
        right += of_category[: hits if of_category else 0]
    return right
