"""One metric of two runs, as comparisons have it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MetricRow"]


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric of both runs over the pairs that both have; scores in percent."""

    metric: str
    n: int
    videos: int
    a: float
    b: float
    low: float
    """End of the interval of A - B; NaN where ``reason`` says why."""
    high: float
    p_value: float
    adjusted: float
    """After Holm, over all metrics of the table."""
    reason: str

    @property
    def difference(self) -> float:
        """A - B, in points."""
        return self.a - self.b
