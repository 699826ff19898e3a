"""What the package reads from an export, in the words of the story."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.label_studio import story
from vidomni_plugin.build.annotate.exports import (
    Stage1Annotation,
    Stage2Annotation,
    read_stage1,
    read_stage2,
)


def read_back1(path: Path, numbers: Mapping[str, int]) -> dict[tuple[str, str], story.Sent1]:
    """Return an export of stage 1 by pair and name; ``numbers``: accounts by name."""
    export = read_stage1([path])
    assert export.problems == []
    found = {
        (one.pair_id, _who(one, numbers)): story.Sent1(
            one.labels, one.memos, one.lead_time_s, one.skipped
        )
        for one in export.annotations
    }
    assert len(found) == len(export.annotations)
    return found


def read_back2(path: Path, numbers: Mapping[str, int]) -> dict[tuple[str, str], story.Sent2]:
    """Return an export of stage 2 by pair and name; ``numbers``: accounts by name."""
    export = read_stage2([path])
    assert export.problems == []
    found = {
        (one.pair_id, _who(one, numbers)): story.Sent2(
            frozenset((s.number, s.start, s.end, s.category) for s in one.spans), one.lead_time_s
        )
        for one in export.annotations
    }
    assert len(found) == len(export.annotations)
    return found


def _who(one: Stage1Annotation | Stage2Annotation, numbers: Mapping[str, int]) -> str:
    """Return whose account it is, whichever way the export names people."""
    for name, number in numbers.items():
        if one.account.email == story.email(name) or one.account.number == number:
            return name
    raise AssertionError(f"{one.account} is nobody's account")
