"""One line of the table that bench_speed.py prints: both sides measured in one run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity of ours against the host's."""

    quantity: str
    host: float
    """NaN where the host has nothing of the kind."""
    ours: float
    target: float
    """What ours must reach, in the same unit as ``ours``."""
    unit: str
    """Such as "decodes a video", "CPU time / host's"."""
    note: str = ""
    """Sizes, rounds, and whether the outputs were equal."""

    @property
    def held(self) -> bool:
        """Whether the target was reached."""
        return self.ours <= self.target
