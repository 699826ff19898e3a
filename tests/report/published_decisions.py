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
    """Return video, category and task of the 800 pairs of a full-size release, by pair id."""
    synthetic_vidhalloc(root)
    release = read_records([root / name for name in FILES["eval"]], VidHalLocPair, "pair_id")
    pairs = [entry.record for entry in release.entries]
    return {
        pair.pair_id: {
            "video_id": pair.media.video_id,
            "category": CATEGORY_OF_LEAF[pair.leaf_label.value],
            "task_type": pair.task_type,
        }
        for pair in pairs
    }


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
