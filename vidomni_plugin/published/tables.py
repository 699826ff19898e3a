"""The papers' published tables as tables to print, each with its source under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vidomni_plugin.published import published
from vidomni_plugin.tables import Cell, Column, Table

__all__ = ["BENCHMARKS", "published_tables"]

BENCHMARKS = ("vidomni", "vidhalloc")
MOST_DIGITS = 6
"""Numbers with more decimals, such as thresholds, stand as they were printed."""

TITLES: dict[str, dict[str, str]] = {
    "vidomni": {
        "table1_captions": "Table 1: captions and their errors by caption source",
        "table2_certificate_coverage": "Table 2: Certificate Coverage of benchmarks (percent)",
        "table3": "Table 3: sentence verification beside accuracy on other benchmarks",
        "figure4_videos": "Figure 4: videos by type and duration",
        "table8_eval_configs": "Table 8: evaluation settings",
        "table9_fps": "Table 9: F1 by frame rate and type",
        "table10_caption_informativeness": "Table 10: how much captions tell",
        "table11_ensemble": "Table 11: F1 of a caption source as verifier, alone and with another",
        "table12_youtube": "Table 12: F1 on all videos and without those from YouTube",
        "table13_audio": "Table 13: gain in F1 by sound",
        "figure11_recall_gain_pp": "Figure 11: gain in recall by a larger model (points)",
        "figure12_verifier_by_source_f1": "Figure 12: F1 by verifier and caption source",
        "agreement": "agreement of annotators",
        "counts": "size of the benchmark",
    },
    "vidhalloc": {
        "table3_audit": "Table 3: audit of the items",
        "table4_counts": "Table 4: items by category",
        "table5": "Table 5: accuracy of fifteen methods",
        "table8_thresholds": "Table 8: thresholds and accuracy on the calibration split",
        "table9_detectors": "Table 9: score-based methods",
        "table10_detectors_by_group": "Table 10: score-based methods by group",
        "table11_overall_by_category": "Table 11: items with both answers right by category",
        "table12_macro": "Table 12: gap between ontology and dynamic hallucination",
        "table13_within_video": "Table 13: the gap within videos",
        "table14_delta_oh_dh": "Table 14: the gap by method (points)",
        "table15_outcomes": "Table 15: outcome states (percent)",
        "splits": "items by task and split",
    },
}
"""Tables by benchmark and name, in the order in which they are listed."""
HEADS = {
    "auroc": "AUROC x 100",
    "auroc_x100": "AUROC x 100",
    "delta": "OH - DH",
    "dh": "DH",
    "f1": "F1",
    "f1_gain_pp": "F1 gain (points)",
    "fleiss_kappa": "Fleiss' kappa",
    "fps": "frames per second",
    "gain_pp": "gain (points)",
    "human_aud": "human AUD",
    "lvbench": "LVBench",
    "oh": "OH",
    "self_f1": "self F1",
    "ensemble_f1": "ensemble F1",
    "video_mme": "Video-MME",
    "video_mmmu": "Video-MMMU",
    "videohalo_aud": "VideoHALO AUD",
    "videohalo_per_hour": "VideoHALO per hour",
}
"""Heads of columns whose names in the data are not words."""
ABOUT = ("units", "rule", "test", "model")
"""What the data say about a table, shown under it beside their notes."""
FROM_THE_CODE = {"splits"}
"""Tables of the public construction code, which the paper does not print."""


def published_tables() -> dict[str, dict[str, Table]]:
    """Return the published tables by benchmark and name.

    Numbers have the digits that the papers print; intervals are two columns. A missing value is
    one that the paper does not give.

    Raises:
        ValueError: If the data hold a table without a title here, or the other way round.

    Example:
        >>> table = published_tables()["vidhalloc"]["table15_outcomes"]
        >>> [column.title for column in table.columns][:3]
        ['method', 'both correct', 'factual only']
        >>> table.rows[0]
        ('PAC-S', 7.25, 40.5, 49.63, 2.63)
    """
    return {benchmark: _of_benchmark(benchmark) for benchmark in BENCHMARKS}


def _of_benchmark(benchmark: str) -> dict[str, Table]:
    found = published()[benchmark]
    titles = TITLES[benchmark]
    if odd := sorted((found.keys() - {"source"}) ^ titles.keys()):
        raise ValueError(f"{benchmark}: {odd[0]} is in the data or in TITLES only")
    return {name: _table(benchmark, name, found[name], found["source"]) for name in titles}


def _table(benchmark: str, name: str, found: Mapping[str, Any], source: str) -> Table:
    names, rows, notes = LAYOUTS.get(name, _as_rows)(found)
    heads: list[str] = []
    columns: list[list[Cell]] = []
    for k, head in enumerate(names):
        values = [row[k] for row in rows]
        if any(isinstance(value, list) for value in values):
            what = _head(head.replace("_ci95", "").replace("_ci", "").removesuffix("ci95"))
            heads += [f"{what} 95 % {end}".strip() for end in ("low", "high")]
            columns += [[value[end] for value in values] for end in (0, 1)]
        else:
            heads.append(_head(head))
            columns.append([_cell(value) for value in values])
    digits = [max(map(_decimals, column), default=0) for column in columns]
    cells = [
        [str(v) if isinstance(v, float) and d > MOST_DIGITS else v for v in column]
        for column, d in zip(columns, digits, strict=True)
    ]
    paper, _, arxiv = source.partition(", ")
    where = f"Published in {arxiv}."
    if name in FROM_THE_CODE:
        where = f"From the authors' public code; {arxiv} does not print it."
    return Table(
        name=f"{benchmark}_{name}",
        title=f"{paper}, {TITLES[benchmark][name]}",
        columns=[Column(head, d) for head, d in zip(heads, digits, strict=True)],
        rows=list(zip(*cells, strict=True)),
        notes=[where, *notes],
    )


def _head(name: str) -> str:
    return HEADS.get(name, name.replace("_", " "))


def _cell(value: Cell) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def _decimals(value: Cell) -> int:
    return len(str(value).partition(".")[2]) if isinstance(value, float) else 0


Layout = tuple[Sequence[str], Sequence[Sequence[Any]], Sequence[str]]
"""Names of the columns, rows, and notes."""


def _as_rows(found: Mapping[str, Any]) -> Layout:
    about = [f"{key.capitalize()}: {found[key]}." for key in ABOUT if key in found]
    return found["columns"], found["rows"], [*about, *_note(found)]


def _note(found: Mapping[str, Any]) -> list[str]:
    note = found.get("note", "")
    return [f"{note[0].upper()}{note[1:]}."] if note else []


def _coverage(found: Mapping[str, Any]) -> Layout:
    return ["benchmark", "coverage"], [list(pair) for pair in found.items()], []


def _measures(found: Mapping[str, Any]) -> Layout:
    """One row a measure; lists of words are joined."""
    rows = [
        [_head(name), ", ".join(value) if isinstance(value, list) else str(value)]
        for name, value in found.items()
    ]
    return ["measure", "value"], rows, []


def _by_source(found: Mapping[str, Any]) -> Layout:
    rows = [[verifier, *values] for verifier, values in found["rows"].items()]
    return ["verifier", *found["sources"]], rows, _note(found)


def _by_category(found: Mapping[str, Any]) -> Layout:
    rows = [[method, *values] for method, values in found["rows"].items()]
    over = f"Of {found['n_per_category']} items in each category."
    return ["method", *found["categories"]], rows, [over]


def _category_counts(found: Mapping[str, Any]) -> Layout:
    measures = ("questions", "avg_question_words", "avg_video_seconds")
    split = found["qa_captioning_split"]
    rows = [
        [category, *(found[measure][k] for measure in measures), *split.get(category, (None, None))]
        for k, category in enumerate(found["categories"])
    ]
    totals = ", ".join(f"{_head(name)} {n:,}" for name, n in found["totals"].items())
    names = ["category", "items", "words a question", "seconds a video", "QA", "captioning"]
    return names, rows, [f"In all: {totals}."]


def _audit(found: Mapping[str, Any]) -> Layout:
    measures = ("sample_accuracy", "worker_agreement", "cohen_kappa")
    rows = [[category, *values] for category, values in found["by_category"].items()]
    rows.append(["all", *(found[measure] for measure in measures)])
    names = ["category", "sample accuracy", "worker agreement", "Cohen's kappa"]
    speed = ", ".join(f"{_head(name)} {value}" for name, value in found["efficiency"].items())
    ends = ", ".join(
        f"{name} {low} to {high}"
        for name, (low, high) in zip(names[1:], (found[f"{m}_ci"] for m in measures), strict=True)
    )
    return names, rows, [f"95 % intervals over all categories: {ends}.", f"Efficiency: {speed}."]


LAYOUTS = {
    "table2_certificate_coverage": _coverage,
    "figure12_verifier_by_source_f1": _by_source,
    "agreement": _measures,
    "counts": _measures,
    "table3_audit": _audit,
    "table4_counts": _category_counts,
    "table11_overall_by_category": _by_category,
}
"""Tables that the data do not hold as columns and rows."""
