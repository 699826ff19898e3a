"""Small captions whose statistics can be worked by hand."""

from __future__ import annotations

from tests.conftest import vidomni_record
from vidomni_plugin.records import VidOmniPair


def pair(pair_id, labels, errors=(), **changes):
    """Return a record: one sentence a label, with the error categories of each Incorrect one."""
    marks = iter(errors)
    sentences = []
    for number, value in enumerate(labels, 1):
        categories = next(marks, ()) if value == 1 else ()
        sentences.append(
            {
                "text": f"Sentence {number} has five words.",
                "label": value,
                "errors": [{"text": "five", "category": category} for category in categories],
            }
        )
    return vidomni_record(pair_id=pair_id, sentences=sentences, **changes)


def parsed(*records):
    """Return records as the package reads them."""
    return [VidOmniPair.model_validate(record) for record in records]
