"""Write a checkpoint's card from its logs: ``python -m vidomni_plugin.models.seer.card FOLDER``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vidomni_plugin.models.seer.world import SKILLS

__all__ = ["card", "conditions", "training"]

LOG, EVALUATION, CARD = "log.jsonl", "evaluation.jsonl", "README.md"
"""What training writes, what ``evaluate --log`` is given, and the card."""

LOSSES = ("answer", "holds", "telling", "ground", "visual")
"""Losses that the card shows, of those in the log."""
LINES = 12
"""Rows of the training log in the card."""
USUAL = {"quality": 18, "frames": 8, "fps": 8.0, "control": "none"}
"""What a row of results does not mention."""

Row = Mapping[str, Any]

TEXT = """\
# Seer: a Qwen2.5-VL of 1.5 million parameters that judges drawn clips

For demos and end-to-end tests of the benchmarks VidOmni-Bench and VidHalLoc. It knows coloured circles, squares and triangles, and nothing
of the world. How it was made and why: `docs/seer.md` of the project; the code: `vidomni_plugin/models/seer`.

- **Input**: 8 frames (16 and 32 were trained in a few batches) of 112 x 112 pixels: `max_num_frames=8,min_pixels=3136,max_pixels=12544`;
  the judge prompt of VidHalLoc or the verification prompt of VidOmni (up to 12 sentences), words of its own vocabulary.
- **Output**: `ACCEPT` or `REJECT`; or the JSON dictionary of labels.
- **Training**: {training}. Random clips with sentences that are as often true as false.
- **Weights**: bfloat16. Licence: that of the project.

## Accuracy

Percent on fresh clips (other seeds than in training), coded as MP4 with x264, decoded with `qwen_vl_utils`, answered as text: the mean of the
true sentences accepted and the false ones rejected; 50 is chance. *plain* are the plainest clips and sentences of each skill, *all* all kinds.
8 frames at crf 18 of a video of 8 frames a second, unless a row says otherwise. Written by `python -m vidomni_plugin.models.seer.evaluate`.

{results}

{unreadable} of {questions} answers could not be read.

## Training log

Losses are running means; accuracies are in percent, of the hundred steps before, on the sentences of the batches (plainest clips first).

{log}

## Limits

Closed words and two prompts; no sound; sentences about causes are guesses; sizes, speeds and lengths are those of the generator. Not a measure
of anything but whether frames, prompts and answers go the right way.
"""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def conditions(rows: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """Return rows of results by condition, then by skill; a later one replaces an earlier.

    Example:
        >>> row = {"skill": "cut", "checkpoint": "half", "clips": "all", "quality": 30, "frames": 16}
        >>> list(conditions([row | {"fps": 8.0, "control": "reversed"}]))
        ['half: all, crf 30, 16 frames, reversed']
    """
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        words = {
            "quality": f"crf {row['quality']}",
            "frames": f"{row['frames']} frames",
            "fps": f"{row['fps']:g} frames a second",
            "control": row["control"],
        }
        name = ", ".join([row["clips"], *(w for k, w in words.items() if row[k] != USUAL[k])])
        if row["checkpoint"].endswith("half"):
            name = f"half: {name}"
        found.setdefault(name, {})[row["skill"]] = row
    return found


def training(rows: Sequence[Row]) -> str:
    """Return in words how long a run was and what fixed it, from its log.

    Raises:
        ValueError: If the log is not that of a whole run.
    """
    plans = [row for row in rows if "plan" in row]
    ends = [row for row in rows if "evaluation" in row]
    if not plans or not ends or ends[-1]["step"] != plans[-1]["plan"]["steps"]:
        raise ValueError("the log does not begin with a plan and end with its last step")
    plan, end = plans[-1]["plan"], ends[-1]
    taken = sum("resumed" in row for row in rows)
    whole = f"taken up {taken} times" if taken else "without a stop"
    return (
        f"one run from scratch, {whole}: seed {plan['seed']}, {plan['steps']} steps, of which "
        f"{plan['looks']} of the eye alone, in {end['seconds'] / 60:.0f} minutes on two CPU cores, "
        f"torch {plans[-1]['torch']}, AdamW and Muon; "
        "`half` is the same run in the middle of its second part"
    )


def card(log: Sequence[Row], results: Sequence[Row]) -> str:
    """Return the card's text.

    Args:
        log: Rows that training wrote.
        results: Rows that evaluation wrote.
    """
    found = conditions(results)
    steps = [row for row in log if "answer" in row]
    chosen = steps[:: max(1, len(steps) // LINES)]
    if steps and chosen[-1] is not steps[-1]:
        chosen = [*chosen, steps[-1]]
    return TEXT.format(
        training=training(log),
        results=_table(
            ["clips", "questions a skill", *SKILLS],
            (
                [name, str(min(row["questions"] for row in by_skill.values()))]
                + [_percent(by_skill[s]["accuracy"] if s in by_skill else None) for s in SKILLS]
                for name, by_skill in found.items()
            ),
        ),
        unreadable=sum(row["unreadable"] for rows in found.values() for row in rows.values()),
        questions=sum(row["questions"] for rows in found.values() for row in rows.values()),
        log=_table(
            ["step", "seconds", *LOSSES, *SKILLS],
            (
                [str(row["step"]), str(row["seconds"])]
                + [f"{row[name]:.3f}" for name in LOSSES]
                + [f"{100 * row[s]:.0f}" if s in row else "-" for s in SKILLS]
                for row in chosen
            ),
        ),
    )


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help=f"a checkpoint with {LOG} and {EVALUATION}")
    folder: Path = parser.parse_args(arguments).folder
    try:
        text = card(_rows(folder / LOG), _rows(folder / EVALUATION))
    except (OSError, ValueError) as error:
        raise SystemExit(f"seer: no card can be written for {folder}: {error}") from None
    (folder / CARD).write_text(text, encoding="utf-8")
    print(folder / CARD)


if __name__ == "__main__":
    main()
