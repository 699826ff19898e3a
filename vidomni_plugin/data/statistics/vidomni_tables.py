"""VidOmni's tables: the data at hand beside what the paper published."""

from __future__ import annotations

from vidomni_plugin.data.statistics.measures import Measure
from vidomni_plugin.data.statistics.vidomni import VidOmniStatistics
from vidomni_plugin.data.statistics.vidomni_figure_tables import figure_tables
from vidomni_plugin.published import captioner, published, rows
from vidomni_plugin.tables import Cell, Column, Table, beside_published

__all__ = ["vidomni_tables"]

_KNOWN = "Sentences labelled Unknown are left out."


def vidomni_tables(found: VidOmniStatistics) -> list[Table]:
    """Return the tables in the order in which they are read."""
    return [
        _counts(found),
        _table1(found),
        *figure_tables(found),
        _table2(found),
        _table10(found),
    ]


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
    for source, row in found.table1.named():
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
            None,
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
            row["judge_win_rate"],
            None,
        ]
        for row in _informativeness()
    ]
    notes = [
        "Means over captions. Information units: words tagged NOUN, PROPN, VERB, ADJ, ADV, NUM "
        "or ADP; the paper does not define them.",
        "The judge's win rate is against VidOmni-Bench; `vidomni build judge` compares two sets "
        "of captions.",
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
            Column("judge's win rate, %"),
            Column("n captions"),
        ],
        body,
        notes,
    )


def _informativeness() -> list[dict[str, float | str | None]]:
    return rows("vidomni", "table10_caption_informativeness")
