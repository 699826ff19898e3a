"""Placeholder while the parser is written."""
from __future__ import annotations
import json, re
from dataclasses import dataclass
@dataclass(frozen=True)
class SentenceLabels:
    labels: tuple[int | None, ...]
    status: str
    reason: str
@dataclass(frozen=True)
class Verdict:
    label: str | None
    reason: str
def parse_sentence_labels(text: str, n: int) -> SentenceLabels:
    if not text.strip():
        return SentenceLabels((None,) * n, "none", "empty")
    m = dict(re.findall(r'"sentence_(\d+)": ([01])', text))
    labels = tuple(int(m[str(k)]) if str(k) in m else None for k in range(1, n + 1))
    got = sum(x is not None for x in labels)
    return SentenceLabels(labels, "ok" if got == n else "partial" if got else "none", "" if got == n else "no_labels")
def parse_verdict(text: str) -> Verdict:
    t = text.strip().upper()
    if t in {"ACCEPT", "REJECT"}:
        return Verdict(t, "")
    return Verdict(None, "empty" if not t else "no_verdict")
