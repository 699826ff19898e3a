"""The papers' published numbers, with table names and units, to show beside one's own."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["published"]


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
