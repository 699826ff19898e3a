"""Sentences of captions: a table made by hand, and what holds for every text."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.build.segment import split_sentences
from vidomni_plugin.records import Caption

CASES = Path(__file__).parent.parent / "cases" / "caption_sentences.txt"
SECONDS = 3.0
"""Processor seconds for 100 kB; measured 0.2 at most, the rest is for busy machines."""


def cases() -> dict[str, tuple[str, list[str]]]:
    """Return caption and sentences of each case; the file says how it is written."""
    found: dict[str, tuple[str, list[str]]] = {}
    for block in CASES.read_bytes().decode("utf-8").split("\n==== ")[1:]:
        name, _, body = block.partition("\n")
        assert name not in found
        marked = body.removesuffix("\n")
        sentences = [piece.strip() for piece in marked.split("‖")]
        found[name] = marked.replace("‖", ""), [piece for piece in sentences if piece]
    return found


TABLE = cases()


@pytest.mark.parametrize("name", TABLE)
def test_table_made_by_hand(name):
    caption, sentences = TABLE[name]
    assert [sentence.text for sentence in split_sentences(caption)] == sentences


def test_the_table_is_as_large_as_the_docs_say():
    page = (CASES.parent.parent.parent / "docs" / "make_captions.md").read_text(encoding="utf-8")
    assert f"{len(TABLE)} captions" in page


def test_examples_of_the_docs():
    page = (CASES.parent.parent.parent / "docs" / "make_captions.md").read_text(encoding="utf-8")
    table = page.split("| | rule |", 1)[1].split("### Measured")[0]
    rows = [line.split("|")[-2] for line in table.splitlines() if line.startswith("| ")]
    examples = [span for row in rows for span in re.findall(r"`(.*?)`", row)]
    assert len(examples) > 15
    for example in examples:
        caption = example.replace("⏎ / ", "\n").replace(" / ", " ").replace("⏎", "\n")
        expected = [piece.replace("⏎", "\n").strip() for piece in example.split(" / ")]
        assert [sentence.text for sentence in split_sentences(caption)] == expected


def assert_gives_back(caption: str) -> None:
    """The sentences and the white space between them are the caption."""
    sentences = split_sentences(caption)
    at = 0
    joined = ""
    for sentence in sentences:
        gap = caption[at : sentence.start]
        assert gap.strip() == ""
        assert sentence.text == caption[sentence.start : sentence.end] == sentence.text.strip()
        assert sentence.text
        joined += gap + sentence.text
        at = sentence.end
    assert caption[at:].strip() == ""
    assert joined + caption[at:] == caption
    worded = [any(map(str.isalnum, sentence.text)) for sentence in sentences]
    assert all(worded) or len(sentences) == 1
    assert bool(sentences) == bool(caption.strip())


@pytest.mark.parametrize("name", TABLE)
def test_joining_the_sentences_gives_back_the_caption(name):
    assert_gives_back(TABLE[name][0])


@pytest.mark.parametrize("name", TABLE)
def test_a_sentence_is_not_split_again(name):
    """Each sentence alone is one sentence, save for pairs of quotes that then enclose all."""
    for sentence in split_sentences(TABLE[name][0]):
        again = [part.text for part in split_sentences(sentence.text)]
        assert again == [sentence.text] or sentence.text[0] in "\"'“「("


PIECES = [
    *("A dog runs", "e.g.", "Dr.", "0.5 m.", "No. 7", "U.S.", "It", "the", "1.", "-", "*", "**"),
    *(". ", ".", "...", "!", "?", "。", "」", "「", '"', "'", "(", ")", "[0:12]", "…", "|", "`"),
    *(
        "\n",
        "\n\n",
        "\r\n",
        "\u2028",
        " ",
        "\t",
        "# ",
        "```",
        "🎉",
        "\u200b",
        "ß",
        "走",
        "i",
        "<br>",
    ),
]


@given(st.text())
def test_any_text_is_given_back(text):
    assert_gives_back(text)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_mix_of_hard_pieces_is_given_back(text):
    assert_gives_back(text)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=20).map("".join))
def test_sentences_make_a_valid_record(text):
    sentences = split_sentences(text)
    if sentences:
        Caption(pair_id="a", video_id="a", caption_source="m", caption=text, sentences=sentences)


@given(st.lists(st.sampled_from(["The dog runs.", "A cat sits.", "It rains!"]), min_size=1))
def test_plain_sentences_are_found_whatever_their_number(sentences):
    assert [s.text for s in split_sentences(" ".join(sentences))] == sentences
    assert [s.text for s in split_sentences("\n".join(sentences))] == sentences


def test_lone_surrogates_are_no_error():
    first, *_ = split_sentences("A \ud83d dog. It \ud800. Runs")
    assert (first.start, first.end) == (0, 8)


@pytest.mark.parametrize(
    "text",
    [
        "A dog runs. " * 8_400,
        "A dog runs.\n" * 8_400,
        "a. " * 33_000,
        "." * 100_000,
        ". " * 50_000,
        "(" * 100_000,
        '"' * 100_000,
        "'a " * 33_000,
        "! ? " * 25_000,
        "x" * 100_000,
        "x." * 50_000,
        "。" * 100_000,
        "「走。」" * 20_000,
        "🎉 " * 50_000,
        "A. " + "🎉" * 90 + "x " + "A.🎉x" * 20_000,
        "A." + '"*' * 50_000,
        "** " * 33_000,
        "- \n" * 33_000,
        "1. " * 33_000,
        " " * 100_000 + ".",
        "A." + " " * 100_000 + "B.",
        "[0:12] " * 14_000,
        "A dog (no. 5" * 8_000,
        "|" * 100_000,
        "\n".join(caption for caption, _ in TABLE.values()) * 12,
    ],
    ids=range(25),
)
def test_100_kb_are_quick(text):
    start = time.process_time()
    split_sentences(text)
    assert time.process_time() - start < SECONDS
