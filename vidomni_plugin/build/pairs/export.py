"""What a run gives: the public pairs, the extended records, and why the rest was rejected."""

from __future__ import annotations

from pathlib import Path

from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS
from vidomni_plugin.build.pairs.store import Store
from vidomni_plugin.data.lines import write_jsonl

__all__ = ["EXTENDED", "PAIRS", "REJECTIONS", "export"]

PAIRS = "pairs.jsonl"
"""Nine fields a pair, as the public release has them."""
EXTENDED = "pairs_extended.jsonl"
"""One ``PairRecord`` a line."""
REJECTIONS = "rejections.jsonl"


def export(store: Store, out: Path) -> None:
    """Write the three files, each whole or not at all; the same pairs give the same bytes."""
    records = store.pairs()
    write_jsonl(out / PAIRS, [record.public for record in records])
    write_jsonl(out / EXTENDED, records)
    write_jsonl(
        out / REJECTIONS,
        [
            {
                "video_id": one.video_id,
                "fact_id": one.fact_id or None,
                "stage": MEANINGS[one.reason].stage,
                "reason": one.reason.value,
                "detail": one.detail,
                "given": one.given or None,
            }
            for one in store.rejections()
        ],
    )
