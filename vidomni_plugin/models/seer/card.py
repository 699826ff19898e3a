"""Write a checkpoint's card from its logs: ``python -m vidomni_plugin.models.seer.card FOLDER``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from vidomni_plugin.models.seer.measure import FPS, QUALITY
from vidomni_plugin.models.seer.rows import Row, read
from vidomni_plugin.models.seer.shipped import WEIGHTS, digest
from vidomni_plugin.models.seer.train import EVERY, HALF, LOG
from vidomni_plugin.models.seer.traits import FRAMES
from vidomni_plugin.models.seer.world import SKILLS

__all__ = ["card", "checkpoints", "conditions", "training"]

EVALUATION, CARD = "evaluation.jsonl", "README.md"
"""What ``evaluate --log`` is given, and the card."""

LOSSES = ("answer", "holds", "telling", "ground", "visual")
"""Losses that the card shows, of those in the log."""
LINES = 12
"""Rows of the training log in the card, at most."""
USUAL = {"quality": QUALITY, "frames": FRAMES, "fps": float(FPS), "control": "none"}
"""What a row of results does not mention."""

FOLDER = (
    f"a checkpoint with {LOG} of a finished training, and {EVALUATION} from evaluate --log; "
    f"its {CARD} is replaced"
)

TEXT = """\
# Seer: a Qwen2.5-VL of 1.5 million parameters that judges drawn clips

For demos and end-to-end tests of the benchmarks VidOmni-Bench and VidHalLoc. It knows coloured
circles, squares and triangles, and nothing of the world. How it was made and why: `docs/seer.md` of
the project; the code: `vidomni_plugin/models/seer`.

- **Input**: 8 frames (16 and 32 were trained in a few batches) of 112 x 112 pixels:
  `max_num_frames=8,min_pixels=3136,max_pixels=12544`; the judge prompt of VidHalLoc or the
  verification prompt of VidOmni (up to 12 sentences), words of its own vocabulary.
- **Output**: `ACCEPT` or `REJECT`; or the JSON dictionary of labels.
- **Training**: {training}.
  Random clips with sentences that are as often true as false.
- **Weights**: bfloat16. Licence: that of the project.

## Accuracy

Percent on fresh clips (seed {seeds}; in training {seed}), coded as MP4 with x264, decoded
with `qwen_vl_utils`, answered as text: the mean of the true sentences accepted and the false ones
rejected; 50 is chance. *plain* are the plainest clips and sentences of each skill, *all* all kinds.
{frames} frames at crf {quality} of a video of {fps:g} frames a second, unless a row says otherwise.
Written by `python -m vidomni_plugin.models.seer.evaluate`.

{results}

{unreadable} of {questions} answers could not be read.

## Training log

Losses are running means; accuracies are in percent, of the {every} steps before, on the sentences
of the batches (plainest clips first).

{log}

## Limits

Closed words and two prompts; no sound; sentences about causes are guesses; sizes, speeds and
lengths are those of the generator. Not a measure of anything but whether frames, prompts and
answers go the right way.
"""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def checkpoints(folder: Path) -> dict[str, str]:
    """Return the names of a checkpoint and of the one beneath it, by their weights."""
    parts = {"": folder, HALF: folder / HALF}
    there = {name: part for name, part in parts.items() if (part / WEIGHTS).is_file()}
    return {digest(part): name for name, part in there.items()}


def conditions(rows: Iterable[Row], names: Mapping[str, str]) -> dict[str, dict[str, Row]]:
    """Return rows of results by condition, those of one checkpoint together, then by skill.

    Of two rows of the same, the later one is kept.

    Args:
        rows: Of an evaluation; those of other weights are left out.
        names: Of checkpoints by their weights, see ``checkpoints``.

    Example:
        >>> row = {"skill": "cut", "weights": "1f", "clips": "all", "quality": 30, "frames": 16}
        >>> list(conditions([row | {"fps": 8.0, "control": "reversed"}], {"1f": "half"}))
        ['half: all, crf 30, 16 frames, reversed']
    """
    found: dict[str, dict[str, Row]] = {}
    known = [row for row in rows if row.get("weights") in names]
    order = list(names)
    for row in sorted(known, key=lambda row: order.index(row["weights"])):
        which = names[row["weights"]]
        words = {
            "quality": f"crf {row['quality']}",
            "frames": f"{row['frames']} frames",
            "fps": f"{row['fps']:g} frames a second",
            "control": row["control"],
        }
        name = ", ".join([row["clips"], *(w for k, w in words.items() if row[k] != USUAL[k])])
        found.setdefault(f"{which}: {name}" if which else name, {})[row["skill"]] = row
    return found


def _run(log: Sequence[Row]) -> Sequence[Row]:
    """Return the rows of the last run in a log; one that was begun anew has its own plan.

    Raises:
        ValueError: If it was not trained to its end.
    """
    begun = [number for number, row in enumerate(log) if "plan" in row]
    run = log[begun[-1] :] if begun else []
    if not run or not any(
        "evaluation" in row and row["step"] == run[0]["plan"]["steps"] for row in run
    ):
        raise ValueError(f"{LOG} does not begin with a plan and end with its last step")
    return run


def training(log: Sequence[Row]) -> str:
    """Return in words how long a run was and what fixed it, from its log.

    Raises:
        ValueError: If the log is not that of a whole run.
    """
    run = _run(log)
    plan, end = run[0]["plan"], [row for row in run if "evaluation" in row][-1]
    resumed = [row for row in run if "resumed" in row]
    whole = f"taken up {len(resumed)} times" if resumed else "without a stop"
    threads = sorted({row["threads"] for row in (run[0], *resumed)})
    return (
        f"one run from scratch, {whole}: seed {plan['seed']}, {plan['steps']} steps\n"
        f"  of {plan['clips']} clips, of which {plan['looks']} of the eye alone, in "
        f"{end['seconds'] / 60:.0f} minutes with\n"
        f"  `--threads {' and '.join(map(str, threads))}` and torch {run[0]['torch']}, "
        "AdamW and Muon; "
        f"`{HALF}` is the same run in the middle of its second stage"
    )


def _few(rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows as far from each other as each can be, with the first and the last."""
    if len(rows) <= LINES:
        return rows
    return [rows[round(n * (len(rows) - 1) / (LINES - 1))] for n in range(LINES)]


def card(log: Sequence[Row], results: Sequence[Row], names: Mapping[str, str]) -> str:
    """Return the card's text.

    Args:
        log: Rows that training wrote.
        results: Rows that evaluation wrote.
        names: Of checkpoints by their weights, see ``checkpoints``.

    Raises:
        ValueError: If the log is not of a whole run, or no row is of these weights.
    """
    run, found = _run(log), conditions(results, names)
    if not found:
        raise ValueError(f"{EVALUATION} has no row of these weights; measure them with evaluate")
    shown = [row for by_skill in found.values() for row in by_skill.values()]
    return TEXT.format(
        training=training(log),
        seeds=", ".join(map(str, sorted({row["seed"] for row in shown}))),
        seed=run[0]["plan"]["seed"],
        every=EVERY,
        **USUAL,
        results=_table(
            ["clips", "questions a skill", *SKILLS],
            (
                [name, str(min(row["questions"] for row in by_skill.values()))]
                + [_percent(by_skill[s]["accuracy"] if s in by_skill else None) for s in SKILLS]
                for name, by_skill in found.items()
            ),
        ),
        unreadable=sum(row["unreadable"] for row in shown),
        questions=sum(row["questions"] for row in shown),
        log=_table(
            ["step", "seconds", *LOSSES, *SKILLS],
            (
                [str(row["step"]), str(row["seconds"])]
                + [f"{row[name]:.3f}" for name in LOSSES]
                + ["-" if row.get(s) is None else f"{100 * row[s]:.0f}" for s in SKILLS]
                for row in _few([row for row in run if "answer" in row])
            ),
        ),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m vidomni_plugin.models.seer.card",
        description="Write a checkpoint's card from its logs.",
    )
    parser.add_argument("folder", type=Path, help=FOLDER)
    folder: Path = parser.parse_args(arguments).folder
    if not (folder / WEIGHTS).is_file():
        parser.error(f"{folder} is no checkpoint: it has no {WEIGHTS}")
    try:
        names, results = checkpoints(folder), read(folder / EVALUATION)
        text = card(read(folder / LOG), results, names)
        (folder / CARD).write_text(text, encoding="utf-8")
    except (OSError, TypeError, ValueError) as error:
        raise SystemExit(f"seer: no card can be written for {folder}: {error}") from None
    except KeyError as error:
        raise SystemExit(
            f"seer: no card can be written for {folder}: a row of {LOG} or {EVALUATION} has no "
            f"{error}: train or evaluate with this version"
        ) from None
    if others := sum(row.get("weights") not in names for row in results):
        print(
            f"seer: {others} rows of {EVALUATION} are of other weights: left out", file=sys.stderr
        )
    print(folder / CARD)


if __name__ == "__main__":
    main()
