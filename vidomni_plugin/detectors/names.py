"""The names that the host knows our detectors by."""

from __future__ import annotations

__all__ = ["DETECTORS"]

DETECTORS = frozenset(
    f"vidomni_{name}"
    for name in (
        *("emscore", "pacs", "entailment", "vqascore"),
        *("fifa", "localization", "text_only", "constant"),
    )
)
"""As after ``--model``; ``host.manifests`` says which class each is."""
