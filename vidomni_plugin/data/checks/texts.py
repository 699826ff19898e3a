"""Checks of both benchmarks on texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vidomni_plugin.data.checks.registry import Found, check
from vidomni_plugin.data.checks.view import Data, VidHalLocData, VidOmniData

__all__: list[str] = []

SPOILED = re.compile(
    "[\\ufffd\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]"  # replaced, or for machines only
    "|\\u00e2\\u20ac.|\\u00c3[\\u0080-\\u00bf]"  # UTF-8 that was read as Windows-1252 or Latin-1
    "|&(?:amp|lt|gt|quot|nbsp|#\\d+);"
)
AROUND = 12
"""Characters that a message shows on both sides."""


def _texts(data: Data) -> Iterator[tuple[str, str]]:
    if isinstance(data, VidOmniData):
        for pair in data.pairs:
            for number, sentence in enumerate(pair.record.sentences, 1):
                yield f"{pair.place}, sentence {number}", sentence.text
    if isinstance(data, VidHalLocData):
        for item in data.items:
            record = item.record
            for text in (record.question, record.answer, record.counterfactual_answer):
                yield item.place, text


@check(
    "spoiled-text",
    severity="report",
    meaning="text that was decoded wrongly on its way: replaced characters, UTF-8 read as "
    "something else, HTML entities, control characters",
    hint="make the file again from its source, in UTF-8",
)
def spoiled_text(data: Data) -> Iterator[Found]:
    """Models see the text as it is."""
    for place, text in _texts(data):
        if found := SPOILED.search(text):
            around = text[max(0, found.start() - AROUND) : found.end() + AROUND]
            yield Found(place, f"... {around!r} ...")
