"""The numbers behind VidOmni's Figures 4 to 7 as tables."""

from __future__ import annotations

from collections.abc import Sequence

from vidomni_plugin.data.statistics.captions import CATEGORIES, CaptionRow
from vidomni_plugin.data.statistics.videos import DURATIONS, TYPE_NAMES
from vidomni_plugin.data.statistics.vidomni import VidOmniStatistics
from vidomni_plugin.published import rows
from vidomni_plugin.tables import Cell, Column, Table, beside_published

__all__ = ["figure_tables"]

_KNOWN = "Sentences labelled Unknown are left out."
_PER_CAPTION = (
    "The Incorrect rate is the mean over captions of a caption's share of Incorrect sentences."
)
_PRINTED = "The paper shows this in a figure without printed numbers."


def figure_tables(found: VidOmniStatistics) -> list[Table]:
    """Return one table a figure, in order."""
    return [_figure4(found), _figure5(found), _figure6(found), _figure7(found)]


def _figure4(found: VidOmniStatistics) -> Table:
    paper = {row["complexity_type"]: row for row in rows("vidomni", "figure4_videos")}
    columns = [Column("type")]
    for name in (*DURATIONS, "all"):
        columns += beside_published(name)

    def line(name: str, here: Sequence[int], there: Sequence[int]) -> list[Cell]:
        cells: list[Cell] = [name]
        pairs = zip((*here, sum(here)), (*there, sum(there)), strict=True)
        return cells + [cell for pair in pairs for cell in pair]

    here = {kind: [counts[name] for name in DURATIONS] for kind, counts in found.figure4.items()}
    there = {kind: [paper[kind][name] for name in DURATIONS] for kind in here}
    body = [line(f"{kind} {TYPE_NAMES[kind]}", here[kind], there[kind]) for kind in here]
    sums = ([sum(column) for column in zip(*part.values(), strict=True)] for part in (here, there))
    body.append(line("all", *sums))
    return Table(
        "figure4",
        "VidOmni Figure 4: videos by type and duration",
        columns,
        body,
        [
            "short up to 180 s, long from 1,800 s, medium between. n: "
            f"{found.videos:,} videos here, 500 published."
        ],
    )


def _figure5(found: VidOmniStatistics) -> Table:
    body: list[list[Cell]] = [
        [
            category,
            *(row.share(category).value for _, row in found.figure5.named()),
        ]
        for category in CATEGORIES
    ]
    counts = [row for _, row in found.figure5.named()]
    body.append(["n marked", *(row.marked for row in counts)])
    body.append(["n Incorrect", *(row.incorrect for row in counts)])
    return Table(
        "figure5",
        "VidOmni Figure 5: error categories by caption source, % of marked Incorrect sentences",
        [Column("category"), *(Column(name) for name, _ in found.figure5.named())],
        body,
        [
            "Object to Illusion are static, Action to State Change temporal. "
            "A sentence with errors of several categories counts in each: columns may add up to "
            "more than 100. Incorrect sentences without a marked error are left out.",
            _PRINTED,
        ],
    )


def _figure6(found: VidOmniStatistics) -> Table:
    def line(part: str, name: str, row: CaptionRow) -> list[Cell]:
        rate = row.incorrect_per_caption
        return [part, name, rate.value, rate.over, row.sentences]

    body = [line("type 5", name, row) for name, row in found.figure6_durations.items()]
    body += [
        line("long", f"{kind} {TYPE_NAMES[kind]}", row) for kind, row in found.figure6_types.items()
    ]
    return Table(
        "figure6",
        "VidOmni Figure 6: Incorrect rate by duration (type 5) and by type (long videos)",
        [
            Column("videos"),
            Column("group"),
            Column("Incorrect rate, %"),
            Column("n captions"),
            Column("sentences"),
        ],
        body,
        [_PER_CAPTION, _KNOWN, _PRINTED],
    )


def _figure7(found: VidOmniStatistics) -> Table:
    body: list[list[Cell]] = []
    names = {str(kind): f"{kind} {name}" for kind, name in TYPE_NAMES.items()}
    for kind, row in found.figure7.named():
        cover = row.certificate_coverage
        body.append(
            [
                names.get(kind, kind),
                row.caption_words.value,
                row.caption_words.over,
                row.temporal_error_rate.value,
                row.temporal_error_rate.over,
                cover.value if cover else None,
                cover.over if cover else None,
            ]
        )
    return Table(
        "figure7",
        "VidOmni Figure 7: caption length, temporal errors and certificates by type",
        [
            Column("type"),
            Column("words a caption"),
            Column("n captions"),
            Column("temporal error rate, %"),
            Column("n captions with all errors marked"),
            Column("Certificate Coverage, %"),
            Column("n videos"),
        ],
        body,
        [
            "Words: the whole caption, Unknown sentences included. Temporal error rate: mean over "
            "captions of the share of labelled sentences with an Action, Order, Causality, "
            "Frequency or State Change error; captions with an unmarked Incorrect sentence are "
            "left out.",
            _PRINTED,
        ],
    )
