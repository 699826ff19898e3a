"""The papers' published numbers, with table names and units, to show beside one's own."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["captioner", "published", "rows", "same_model", "verifier"]


@cache
def published() -> dict[str, Any]:
    """Return the published tables of both papers, by benchmark and table.

    Source: arXiv 2609.21521v1 (VidOmni-Bench) and arXiv 2609.09895v1 (VidHalLoc).

    Example:
        >>> published()["vidomni"]["counts"]["pairs"]
        2500
    """
    text = (files("vidomni_plugin") / "published" / "numbers.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def rows(benchmark: str, table: str) -> list[dict[str, Any]]:
    """Return a published table that has columns and rows as one mapping a row.

    Example:
        >>> rows("vidomni", "figure4_videos")[0]
        {'complexity_type': 1, 'short': 31, 'medium': 35, 'long': 34}
    """
    found = published()[benchmark][table]
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def captioner(source: str) -> dict[str, Any] | None:
    """Return the row of VidOmni's Table 1 for a caption source, or None if it is not in it.

    Names match but for case, punctuation, an owner before a slash and "-Instruct"; where a
    name has a size, it must be the paper's. A near miss is another model and has no row.

    Example:
        >>> captioner("Qwen/Qwen3-VL-32B-Instruct")["total_sentences"]
        11868
        >>> captioner("Qwen3-VL-8B-Instruct") is None
        True
    """
    wanted = _model(source)
    for row in rows("vidomni", "table1_captions"):
        name = row["caption_source"]
        if wanted in {_folded(name), _folded(name + (row["params"] or ""))}:
            return row
    return None


def verifier(checkpoint: str, *, sound: bool = False) -> dict[str, Any] | None:
    """Return the row of VidOmni's Table 3 for a checkpoint, or None if it is not in it.

    Names match as in ``captioner``, with their size.

    Example:
        >>> verifier("OpenGVLab/InternVL3_5-8B")["f1"]
        14.7
        >>> verifier("Qwen3-VL-32B-Instruct", sound=True) is None
        True
    """
    wanted = _model(checkpoint)
    for row in rows("vidomni", "table3"):
        if _folded(row["model"]) == wanted and row["modality"] == ("v,a" if sound else "v"):
            return row
    return None


def same_model(checkpoint: str, source: str) -> bool:
    """Return whether a caption source is the model that verifies.

    The paper's caption sources may be named without their size.

    Example:
        >>> same_model("Qwen/Qwen3-VL-32B-Instruct", "Qwen3-VL")
        True
        >>> same_model("Qwen/Qwen3-VL-8B-Instruct", "Qwen3-VL")
        False
    """
    row = captioner(source)
    if row is not None and row == captioner(checkpoint):
        return True
    return _model(checkpoint) == _model(source)


def _model(name: str) -> str:
    return _folded(name.rsplit("/", 1)[-1]).removesuffix("instruct")


def _folded(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold().replace("+", "plus")))
