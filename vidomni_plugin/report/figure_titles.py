"""What the page calls each figure; the title is also what a screen reader says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["figure_title"]

TITLES = {
    "vidomni_table3": "VidOmni: mean F1 of each run, with intervals and its ceiling",
    "vidomni_precision_recall": "VidOmni: precision against recall",
    "vidomni_strata": "VidOmni: F1 by complexity type and by duration",
    "vidomni_figure10": "VidOmni: F1 by complexity type and duration (Figures 10 and 16)",
    "vidomni_figure8": "VidOmni: recall by error category (Figure 8)",
    "vidomni_figure11": "VidOmni: recall gained by size (Figure 11)",
    "vidomni_figure12": "VidOmni: F1 by verifier and caption source (Figure 12)",
    "vidomni_table9": "VidOmni: F1 by frame rate (Table 9)",
    "vidomni_table13": "VidOmni: F1 gained by sound, by audio category (Table 13)",
    "vidhalloc_accuracy": "VidHalLoc: accuracies with intervals (Table 5)",
    "vidhalloc_outcomes": "VidHalLoc: outcome states of pairs (Table 15)",
    "vidhalloc_radar": "VidHalLoc: Overall by category and task (Figure 3)",
    "vidhalloc_bars": "VidHalLoc: Overall by category and task, with intervals (Figure 3)",
    "vidhalloc_gap": "VidHalLoc: ontology against dynamic hallucination (Tables 12 to 14)",
    "vidhalloc_thresholds": "VidHalLoc: accuracies by threshold of the score",
}
_PART = re.compile(r"(?P<name>.+?)_(?P<part>\d+)")
"""A figure that is split has ``_2``, ``_3`` ... behind its name."""


def figure_title(name: str, tables: Mapping[str, str]) -> str:
    """Return the title of a figure; of one that is not known, that of the table of its name.

    Args:
        name: File name without its ending.
        tables: Titles of the report's tables by name.

    Example:
        >>> figure_title("vidomni_figure8_2", {})
        'VidOmni: recall by error category (Figure 8), part 2'
        >>> figure_title("vidomni_new", {"vidomni_new": "A new table"})
        'A new table'
    """
    split = _PART.fullmatch(name)
    base = split["name"] if split else name
    title = TITLES.get(base) or tables.get(base) or base.replace("_", " ")
    return f"{title}, part {split['part']}" if split else title
