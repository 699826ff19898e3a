"""Checks of VidOmni's captions: sentences, their labels and their errors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vidomni_plugin.data.checks.answers import bare
from vidomni_plugin.data.checks.registry import Found, check
from vidomni_plugin.data.checks.view import VidOmniData
from vidomni_plugin.records import Sentence

__all__: list[str] = []

PROMPT_NUMBER = re.compile(r"\s*sentence[ _]\d+\s*[:.]", re.IGNORECASE)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _of_repeat(sentence: Sentence) -> str:
    """Return what is odd about a sentence that repeats an earlier one; nothing where it is fine."""
    if sentence.label != 1:
        return {0: "Correct", None: "Unknown"}[sentence.label]
    categories = [error.category for error in sentence.errors]
    if categories and "Frequency" not in categories:
        return f"Incorrect with {', '.join(categories)}"
    return ""


@check(
    "sentence-repeats",
    "vidomni",
    severity="report",
    meaning="a sentence that repeats an earlier one of its caption and is not Incorrect with "
    "Frequency (the paper: the first is judged on its own, each later repeat is Incorrect)",
    hint="label the repeat 1 with the category Frequency, unless the video does show it again",
)
def sentence_repeats(data: VidOmniData) -> Iterator[Found]:
    """A caption that goes on with one sentence while the video moves on is wrong.

    The same words are a repeat, whatever their letter case and punctuation.
    """
    for pair in data.pairs:
        first: dict[str, int] = {}
        for number, sentence in enumerate(pair.record.sentences, 1):
            words = bare(sentence.text) or _plain(sentence.text)
            before = first.setdefault(words, number)
            if before != number and (odd := _of_repeat(sentence)):
                message = f"sentence {number} repeats sentence {before} and is {odd}"
                yield Found(pair.place, message)


@check(
    "one-sentence",
    "vidomni",
    severity="report",
    meaning="a caption that is one sentence",
    hint="was it split into sentences? Dense captions have about 26",
)
def one_sentence(data: VidOmniData) -> Iterator[Found]:
    """One sentence with one label is no sentence-level verification."""
    for pair in data.pairs:
        if len(pair.record.sentences) == 1:
            words = len(pair.record.sentences[0].text.split())
            yield Found(pair.place, f"{pair.record.pair_id!r} is one sentence of {words} words")


@check(
    "error-words",
    "vidomni",
    meaning="words that are marked as an error and do not stand in their sentence",
    hint="mark words of the sentence, as they are written there",
)
def error_words(data: VidOmniData) -> Iterator[Found]:
    """A mark points into its sentence; letter case and spaces may differ."""
    for pair in data.pairs:
        for number, sentence in enumerate(pair.record.sentences, 1):
            for error in sentence.errors:
                if _plain(error.text) not in _plain(sentence.text):
                    message = f"sentence {number}: {error.text!r} ({error.category}) is not in it"
                    yield Found(pair.place, message)


@check(
    "unmarked",
    "vidomni",
    severity="report",
    meaning="an Incorrect sentence without errors in a data set where others have them",
    hint="mark the wrong words and their category; tables by category leave the sentence out",
)
def unmarked(data: VidOmniData) -> Iterator[Found]:
    """The second stage of annotation was done, but not for this sentence."""
    if not any(s.errors for pair in data.pairs for s in pair.record.sentences):
        return
    for pair in data.pairs:
        bare = [n for n, s in enumerate(pair.record.sentences, 1) if s.label == 1 and not s.errors]
        if bare:
            word = "sentences" if len(bare) > 1 else "sentence"
            yield Found(pair.place, f"{word} {', '.join(map(str, bare))}: Incorrect, no errors")


@check(
    "nothing-scored",
    "vidomni",
    severity="report",
    meaning="a caption whose sentences are all Unknown",
    hint="it is shown to models and scores nothing: annotate it or leave it out",
)
def nothing_scored(data: VidOmniData) -> Iterator[Found]:
    """Unknown sentences are left out of the scores."""
    for pair in data.pairs:
        if all(sentence.label is None for sentence in pair.record.sentences):
            yield Found(pair.place, f"{pair.record.pair_id!r} has Unknown sentences only")


@check(
    "numbered-text",
    "vidomni",
    severity="report",
    meaning="a sentence whose text begins with a number of its own, as `Sentence 3:`",
    hint="take the number out: the prompt numbers the sentences, and the two may not agree",
)
def numbered_text(data: VidOmniData) -> Iterator[Found]:
    """Sentences are numbered by their order, from 1, without gaps."""
    for pair in data.pairs:
        for number, sentence in enumerate(pair.record.sentences, 1):
            if found := PROMPT_NUMBER.match(sentence.text):
                yield Found(pair.place, f"sentence {number} begins with {found[0].strip()!r}")
