"""Look into files: what they are, and which of several copies is meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vidomni_plugin.data.fetch.accept import Refusal, Seen
from vidomni_plugin.data.fetch.plan import Step
from vidomni_plugin.data.fetch.reasons import Reason
from vidomni_plugin.data.hashes import sha256_of
from vidomni_plugin.data.videos import check_videos

__all__ = ["look", "one_of"]

SHOWN_FILES = 5
"""How many of the files that fit one video a reason names."""


def look(files: Sequence[Path]) -> dict[Path, Seen]:
    """Return what files are: whole hash, duration, sound; read and decoded in parallel."""
    facts = check_videos(files)
    hashes = sha256_of(facts)
    return {
        file: Seen(hashes.get(file, ""), fact.duration_s, fact.has_audio, fact.error)
        for file, fact in facts.items()
    }


def one_of(step: Step) -> Path | Refusal:
    """Return the local file that is meant; several different ones are not chosen from."""
    if len(step.local) == 1:
        return step.local[0]
    hashes = sha256_of(step.local)
    if step.video.sha256:
        fitting = [path for path in step.local if hashes.get(path) == step.video.sha256]
    else:  # copies of one file are no choice
        fitting = list(step.local) if len({hashes.get(path) for path in step.local}) == 1 else []
    if fitting:
        return fitting[0]
    more = ", ..." if len(step.local) > SHOWN_FILES else ""
    names = ", ".join(map(str, step.local[:SHOWN_FILES])) + more
    return Refusal(Reason.AMBIGUOUS, f"{len(step.local)} different files fit: {names}")
