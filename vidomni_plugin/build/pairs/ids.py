"""Ids that follow from content: the same fact and pair have the same id in every run."""

from __future__ import annotations

import hashlib
import json
import re

from vidomni_plugin.build.pairs.contracts.facts import rule_of
from vidomni_plugin.build.pairs.contracts.roles import ProposedFact

__all__ = ["comes_first", "fact_id_of", "pair_id_of"]

_UNSAFE = re.compile(r"[^0-9A-Za-z_]+")


def fact_id_of(video_sha256: str, proposed: ProposedFact) -> str:
    """Return the id of a fact: a hash of video, leaf, fact and interval, this to 0.1 s."""
    fact = proposed.normalized_fact
    told = {
        "video": video_sha256,
        "leaf": rule_of(fact).leaf.value,
        "fact": fact.model_dump(mode="json"),
        "interval": [
            round(proposed.time_scope.start_sec, 1),
            round(proposed.time_scope.end_sec, 1),
        ],
    }
    content = json.dumps(told, sort_keys=True, ensure_ascii=False).encode()
    return f"fact_{hashlib.sha256(content).hexdigest()[:16]}"


def pair_id_of(video_id: str, fact_id: str) -> str:
    """Return the id of a pair, in the form of the public release.

    Example:
        >>> pair_id_of("street (2)", "fact_1a")
        'pair_street_2_fact_1a'
    """
    video, fact = (_UNSAFE.sub("_", part).strip("_") for part in (video_id, fact_id))
    return f"pair_{video}_{fact}"


def comes_first(fact_id: str, role: str, seed: int) -> bool:
    """Return whether the factual answer is the first that a blind reviewer sees.

    A bit of a hash: even over many pairs, and the same in every run.
    """
    return bool(hashlib.sha256(f"{fact_id}|{role}|{seed}".encode()).digest()[0] & 1)
