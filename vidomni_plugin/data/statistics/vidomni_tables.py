"""VidOmni's tables: the data at hand beside what the paper published."""

from __future__ import annotations

from collections.abc import Sequence

from vidomni_plugin.data.statistics.captions import CATEGORIES, CaptionRow
from vidomni_plugin.data.statistics.measures import Measure
from vidomni_plugin.data.statistics.videos import DURATIONS, TYPE_NAMES
from vidomni_plugin.data.statistics.vidomni import Grouped, Row, VidOmniStatistics
from vidomni_plugin.published import captioner, published, rows
from vidomni_plugin.tables import Cell, Column, Table, beside_published

__all__ = ["vidomni_tables"]

_KNOWN = "Sentences labelled Unknown are left out."
_PER_CAPTION = (
    "The Incorrect rate is the mean over captions of a caption's share of Incorrect sentences."
)
_ALL = "all"
_PRINTED = "The paper shows this in a figure without printed numbers."


def vidomni_tables(found: VidOmniStatistics) -> list[Table]:
    """Return the tables in the order in which they are read."""
    return [
        _counts(found),
        _table1(found),
        _figure4(found),
        _figure5(found),
        _figure6(found),
        _figure7(found),
        _table2(found),
        _table10(found),
    ]


def _lines(rows_: Grouped[Row]) -> list[tuple[str, Row]]:
    """Return the rows with their names, the one over everything last."""
    return [*rows_.groups.items(), (_ALL, rows_.all)]


def _part(found: VidOmniStatistics) -> str:
    whole = published()["vidomni"]["counts"]["pairs"]
    if found.pairs == whole:
        return f"Published values are for the paper's {whole:,} captions."
    return (
        f"These data have {found.pairs:,} captions, published values are for the paper's {whole:,}."
    )


def _counts(found: VidOmniStatistics) -> Table:
    paper = published()["vidomni"]["counts"]
    sentences = sum(row["total_sentences"] for row in rows("vidomni", "table1_captions"))
    words = {row["benchmark"]: row["avg_words"] for row in _informativeness()}
    all_ = found.table1.all
    body: list[list[Cell]] = [
        ["videos", found.videos, paper["videos"]],
        ["videos with sound", found.videos_with_sound, paper["videos_with_audio"]],
        ["captions", found.pairs, paper["pairs"]],
        ["caption sources", len(found.table1.groups), paper["captioners"]],
        ["labelled sentences", all_.sentences, sentences],
        ["Unknown sentences", all_.unknown, None],
        [
            "labelled sentences a caption",
            all_.sentences_per_caption,
            paper["sentences_per_caption"],
        ],
        ["words a caption", found.table10.all.words.value, words["VidOmni-Bench"]],
    ]
    return Table(
        "counts",
        "VidOmni: what is in the data",
        [Column(""), Column("here"), Column("published", published=True)],
        body,
        [_part(found), "The published number of sentences is the sum over Table 1."],
    )


def _table1(found: VidOmniStatistics) -> Table:
    body: list[list[Cell]] = []
    for source, row in _lines(found.table1):
        paper = (captioner(source) if row is not found.table1.all else None) or {}
        body.append(
            [
                source,
                row.sentences,
                paper.get("total_sentences"),
                row.video_incorrect_rate.value,
                paper.get("video_incorrect_rate"),
                row.incorrect_per_caption.value,
                paper.get("incorrect_per_caption"),
                row.incorrect_per_caption.over,
            ]
        )
    return Table(
        "table1",
        "VidOmni Table 1: Incorrect sentences by caption source",
        [
            Column("caption source"),
            *beside_published("sentences"),
            *beside_published("Video Incorrect Rate, %"),
            *beside_published("Incorrect / Caption, %"),
            Column("n captions"),
        ],
        body,
        [
            _part(found),
            "Video Incorrect Rate: captions with an Incorrect sentence. Incorrect/Caption: mean "
            "share of Incorrect sentences. n: captions with a labelled sentence.",
            _KNOWN,
        ],
    )


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
    body.append(line(_ALL, *sums))
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
            *(row.share(category).value for _, row in _lines(found.figure5)),
        ]
        for category in CATEGORIES
    ]
    counts = [row for _, row in _lines(found.figure5)]
    body.append(["n marked", *(row.marked for row in counts)])
    body.append(["n Incorrect", *(row.incorrect for row in counts)])
    return Table(
        "figure5",
        "VidOmni Figure 5: error categories by caption source, % of marked Incorrect sentences",
        [Column("category"), *(Column(name) for name, _ in _lines(found.figure5))],
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
    for kind, row in _lines(found.figure7):
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


def _table2(found: VidOmniStatistics) -> Table:
    here = found.table2
    body: list[list[Cell]] = [
        ["these data", here.seen.value, here.hull.value, here.seen.over, here.sentences]
        if here
        else ["these data", None, None, None, None]
    ]
    body += [
        [f"{name} (published)", value, None, None, None]
        for name, value in published()["vidomni"]["table2_certificate_coverage"].items()
    ]
    notes = [
        "Certificate Coverage: seconds that must be seen to settle a sentence, in percent of the "
        "duration; mean over a video's sentences, then over videos. First to last: the span from "
        "the first to the last of these seconds.",
        "The paper annotates 30 videos of each benchmark.",
    ]
    if here is None:
        notes.append("No certificates were given (--certificates).")
    return Table(
        "table2",
        "VidOmni Table 2: Certificate Coverage",
        [
            Column("benchmark"),
            Column("Certificate Coverage, %"),
            Column("first to last, %"),
            Column("n videos"),
            Column("sentences"),
        ],
        body,
        notes,
    )


def _table10(found: VidOmniStatistics) -> Table:
    def value(measure: Measure | None) -> float | None:
        return measure.value if measure else None

    body: list[list[Cell]] = [
        [
            name,
            value(row.words),
            value(row.information_units),
            value(row.noun_chunks),
            value(row.verbs),
            row.words.over,
        ]
        for name, row in [
            ("these data", found.table10.all),
            *((f"these data, {name}", row) for name, row in found.table10.groups.items()),
        ]
    ]
    body += [
        [
            f"{row['benchmark']} (published)",
            row["avg_words"],
            row["info_count"],
            row["noun_chunks"],
            row["verbs"],
            None,
        ]
        for row in _informativeness()
    ]
    notes = [
        "Means over captions. Information units: words tagged NOUN, PROPN, VERB, ADJ, ADV, NUM "
        "or ADP; the paper does not define them.",
        "The judge's win rate is computed by `vidomni build judge`.",
    ]
    if found.spacy_model:
        notes.insert(0, f"Parsed with {found.spacy_model}.")
    else:
        notes.append("No spaCy model was named (--spacy-model).")
    return Table(
        "table10",
        "VidOmni Table 10: what a caption says",
        [
            Column("captions of"),
            Column("words"),
            Column("information units"),
            Column("noun chunks"),
            Column("verbs"),
            Column("n captions"),
        ],
        body,
        notes,
    )


def _informativeness() -> list[dict[str, float | str | None]]:
    return rows("vidomni", "table10_caption_informativeness")
