"""Pages for the tests: one of the built-in sample's videos, one of the papers' full size."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.report.builders import vidhalloc_item, vidhalloc_run, vidomni_item, vidomni_run
from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni, usable
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.records import CATEGORY_OF_LEAF
from vidomni_plugin.report.runs import Run, TaskRun

__all__ = ["ATTACK", "full_size_runs", "hostile_runs", "sample_runs"]

ATTACK = (
    "</script><img src=x onerror=window.hacked=1><svg onload=window.hacked=1>"
    "\"'><script>window.hacked=1</script>{{7*7}}\u2028<!--"
)
"""Text that runs in a page which takes it for markup."""
WORDS = (
    *("a", "person", "walks", "slowly", "across", "the", "room", "and", "picks", "up", "red"),
    *("cup", "from", "table", "while", "two", "dogs", "sleep", "near", "window", "camera"),
    *("turns", "to", "left", "then", "car", "passes", "behind", "trees", "of", "it", "is"),
)
SIDES = ("factual", "counterfactual")
FULL = {"videos": 500, "captions": 5, "sentences": 26, "models": 3}


def as_run(*tasks: TaskRun) -> Run:
    """Return a run that holds these tasks."""
    return Run(tasks[0].run, Path(tasks[0].run), {task.task: task for task in tasks}, ())


def sample_runs() -> list[Run]:
    """Return two runs on the built-in sample; the second is right more often."""
    rng = random.Random(7)
    pairs = [entry.record for entry in usable(inspect_vidomni(mini_root("vidomni"))).pairs]
    judged = usable(inspect_vidhalloc(mini_root("vidhalloc"), "all")).pairs
    runs = []
    for name, skill in (("example-a", 0.6), ("example-b", 0.85)):
        items, said = [], {}
        for pair in pairs:
            gold = [sentence.label for sentence in pair.sentences]
            labels = [
                None if rng.random() < 0.04 else (g or 0) if rng.random() < skill else 1 - (g or 0)
                for g in gold
            ]
            fields = pair.model_dump(
                include={
                    "video_id", "complexity_type", "duration_s", "has_audio", "audio_category",
                    "source_dataset", "caption_source", "caption_prompt",
                }
            )  # fmt: skip
            fields["sentences"] = [sentence.text for sentence in pair.sentences]
            fields["errors"] = [[e.category for e in s.errors] for s in pair.sentences]
            fields["error_words"] = [[e.text for e in s.errors] for s in pair.sentences]
            items.append(vidomni_item(pair.pair_id, labels, gold, **fields))
            said[pair.pair_id] = "\n".join(
                ["{" + ", ".join(f'"sentence_{k}": {x}' for k, x in enumerate(labels, 1)) + "}"]
                + [f"Sentence {k}: seen in the video." for k in range(1, len(gold) + 1)]
            )
        captions = vidomni_run(name, {}, {}, items=items, responses=said, expected=len(items))
        answers, spoken = [], {}
        for entry in judged:
            item = entry.record
            for side, text in (
                ("factual", item.answer),
                ("counterfactual", item.counterfactual_answer),
            ):
                right, wrong = ("ACCEPT", "REJECT")[:: 1 if side == "factual" else -1]
                draw = rng.random()
                label = right if draw < skill else wrong if draw < 0.95 else None
                answers.append(
                    vidhalloc_item(
                        item.pair_id,
                        side,
                        label,
                        video_id=item.media.video_id,
                        category=CATEGORY_OF_LEAF[item.leaf_label.value],
                        task_type=item.task_type,
                        question=item.question,
                        candidate_answer=text,
                        duration_s=entry.facts.duration_s,
                    )
                )
                spoken[f"{item.pair_id}/{side}"] = label or "It is hard to say."
        verdicts = vidhalloc_run(name, {}, items=answers, responses=spoken, expected=len(answers))
        runs.append(as_run(captions, verdicts))
    return runs


def hostile_runs() -> list[Run]:
    """Return two runs whose every text is an attack on the page."""
    runs = []
    for k in (1, 2):
        name = f"{ATTACK}{k}"
        ids = {"video_id": ATTACK, "caption_source": ATTACK, "source_dataset": ATTACK}
        caption = vidomni_item(
            ATTACK, [1, None], [1, 0], **ids, sentences=[ATTACK, f"two {ATTACK}"],
            errors=[[ATTACK], []], error_words=[["src=x"], []], audio_category=ATTACK,
            reason=ATTACK,
        )  # fmt: skip
        answers = [
            vidhalloc_item(
                ATTACK, side, None, video_id=ATTACK, question=ATTACK, candidate_answer=ATTACK,
                task_type=ATTACK, reason=ATTACK,
            )
            for side in SIDES
        ]  # fmt: skip
        runs.append(
            as_run(
                vidomni_run(name, {}, {}, items=[caption], responses={ATTACK: ATTACK}),
                vidhalloc_run(
                    name,
                    {},
                    items=answers,
                    responses={
                        f"{ATTACK}/{side}": ATTACK for side in ("factual", "counterfactual")
                    },
                ),
            )
        )
    return runs


def full_size_runs() -> list[Run]:
    """Return three models on 2,500 captions of 26 sentences, with a reason for each sentence."""
    rng = random.Random(11)
    golds, texts = {}, {}
    for video in range(FULL["videos"]):
        for caption in range(FULL["captions"]):
            pair_id = f"video{video:03d}__captioner{caption}"
            golds[pair_id] = rng.choices((0, 1, None), (78, 20, 2), k=FULL["sentences"])
            texts[pair_id] = list(_sentences(rng, FULL["sentences"]))
    runs = []
    for name in [f"model-{k}" for k in range(FULL["models"])]:
        items, said = [], {}
        for k, (pair_id, gold) in enumerate(golds.items()):
            labels = rng.choices((0, 1, None), (80, 19, 1), k=len(gold))
            fields = {
                "sentences": texts[pair_id], "complexity_type": k % 5 + 1,
                "duration_s": (20.0, 600.0, 2400.0)[k % 3], "caption_source": pair_id[-10:],
            }  # fmt: skip
            items.append(vidomni_item(pair_id, labels, gold, **fields))
            reasons = _sentences(rng, len(gold))
            said[pair_id] = "\n".join(f"Sentence {n}: {why}" for n, why in enumerate(reasons, 1))
        runs.append(as_run(vidomni_run(name, {}, {}, items=items, responses=said)))
    return runs


def _sentences(rng: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield " ".join(rng.choices(WORDS, k=rng.randint(15, 28))).capitalize() + "."
