"""Checks of both benchmarks on ids; that they are unique and safe, reading them makes sure of."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from vidomni_plugin.data.checks.registry import Found, check
from vidomni_plugin.data.checks.view import Data

__all__: list[str] = []


@check(
    "alike-ids",
    severity="report",
    meaning="two video ids that differ in letter case or in how accents are coded only",
    hint="rename one of them: some file systems take them for one file",
)
def alike_ids(data: Data) -> Iterator[Found]:
    """Ids are file names, and a data set is copied to other machines."""
    alike: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for claim in data.claims:
        folder, video_id = claim.video
        key = (folder, unicodedata.normalize("NFC", video_id).casefold())
        alike[key].setdefault(video_id, claim.place)
    for places in alike.values():
        (first, at), *others = places.items()
        for video_id, place in others:
            yield Found(place, f"{video_id!r} is nearly {first!r} at {at}")
