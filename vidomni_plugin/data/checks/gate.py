"""The checks that also stop a run: reading the records and the videos makes their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from vidomni_plugin.data.checks.registry import Found, Needs, check
from vidomni_plugin.data.checks.view import Data
from vidomni_plugin.data.load import ALLOW_MISSING

__all__: list[str] = []

WHOLE = "the data set is not whole: fetch this file again"
VIDEO = f"add or replace the video, or set {ALLOW_MISSING}=1 to score the other pairs"


def _problems_of(code: str) -> Callable[[Data], Iterable[Found]]:
    def find(data: Data) -> Iterable[Found]:
        return [Found(p.place, p.message, p.hint) for p in data.problems if p.code == code]

    return find


def _register(code: str, meaning: str, hint: str, needs: Needs = "records", fix: str = "") -> None:
    check(code, meaning=meaning, hint=hint, needs=needs, fix=fix, gate=True)(_problems_of(code))


_register("no-file", "a file that should be there cannot be opened", WHOLE)
_register("no-pairs", "no record in any of the annotation files that a task reads", WHOLE)
_register(
    "record",
    "a record that cannot be used, with the field and what is wrong with it: no JSON, a field too "
    "many or too few, an unknown label or category, an unsafe id, empty text, equal answers",
    "correct the record",
)
_register(
    "repeated-id",
    "an id that was used before, with the place of the first use",
    "give each record its own id",
    fix="drops lines that are equal to an earlier one, byte for byte",
)
_register("missing-video", "no file with this video id", VIDEO, "videos")
_register(
    "unusable-video",
    "empty, cut off, no video, one frame only; or the decoder hangs or crashes",
    VIDEO,
    "videos",
)
_register(
    "no-sound",
    "the record says that the video has sound, and the file has none",
    VIDEO,
    "videos",
    fix="sets `has_audio` to false",
)
