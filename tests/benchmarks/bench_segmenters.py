"""How many captions of the table each segmenter splits right, alone and within our lines.

``python tests/benchmarks/bench_segmenters.py`` measures the segmenters that are installed
(sentencex, pysbd, spacy, syntok, blingfire) and ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

CASES = Path(__file__).parent.parent / "cases" / "caption_sentences.txt"
Segmenter = Callable[[str], list[str]]


def cases() -> list[tuple[str, str, list[str]]]:
    """Return name, caption and sentences of each case."""
    found = []
    for block in CASES.read_text(encoding="utf-8").split("\n==== ")[1:]:
        name, _, body = block.partition("\n")
        marked = body.removesuffix("\n")
        pieces = [piece.strip() for piece in marked.split("‖")]
        found.append((name, marked.replace("‖", ""), [piece for piece in pieces if piece]))
    return found


def segmenters() -> dict[str, Segmenter]:
    """Return the segmenters that are installed."""
    found: dict[str, Segmenter] = {}
    if find_spec("sentencex"):
        import sentencex

        found["sentencex"] = lambda text: list(sentencex.segment("en", text))
    if find_spec("pysbd"):
        import pysbd

        plain = pysbd.Segmenter(language="en", clean=False)
        found["pysbd"] = plain.segment
    if find_spec("spacy"):
        import spacy

        pipe = spacy.blank("en")
        pipe.add_pipe("sentencizer")
        found["spacy sentencizer"] = lambda text: [s.text for s in pipe(text).sents]
    if find_spec("syntok"):
        from syntok import segmenter

        def syntok(text: str) -> list[str]:
            return [
                text[s[0].offset : s[-1].offset + len(s[-1].value)]
                for paragraph in segmenter.analyze(text)
                for s in paragraph
            ]

        found["syntok"] = syntok
    if find_spec("blingfire"):
        import blingfire

        found["blingfire"] = lambda text: blingfire.text_to_sentences(text).split("\n")
    if find_spec("vidomni_plugin"):
        from vidomni_plugin.build.segment import split_sentences

        found["ours"] = lambda text: [s.text for s in split_sentences(text)]
    return found


def right(segment: Segmenter, caption: str, sentences: list[str]) -> bool:
    """Return whether a segmenter finds the sentences, white space aside."""
    got = [" ".join(piece.split()) for piece in segment(caption)]
    return [g for g in got if g] == [" ".join(s.split()) for s in sentences]


def main() -> None:
    """Print the table."""
    from vidomni_plugin.build.segment.lines import blocks

    table = cases()
    long = " ".join(caption for _, caption, _ in table * 12)[:100_000]
    for name, segment in segmenters().items():

        def in_lines(text: str, segment: Segmenter = segment) -> list[str]:
            return [piece for start, end in blocks(text) for piece in segment(text[start:end])]

        alone = sum(right(segment, caption, sentences) for _, caption, sentences in table)
        lines = sum(right(in_lines, caption, sentences) for _, caption, sentences in table)
        start = time.perf_counter()
        segment(long)
        seconds = time.perf_counter() - start
        print(
            f"{name:20}{alone:4}, in our lines {lines:4} of {len(table)}; 100 kB {seconds:5.2f} s"
        )


if __name__ == "__main__":
    main()
