"""Recorded answers for the built-in sample."""

from __future__ import annotations

import json
import random

from vidomni_plugin.data.load import inspect_vidhalloc, inspect_vidomni
from vidomni_plugin.data.locate import mini_root


def gold() -> dict[str, str]:
    """Return the right answer to every request of both built-in tasks."""
    answers: dict[str, str] = {}
    for pair in inspect_vidomni(mini_root("vidomni")).pairs:
        labels = {f"sentence_{k}": s.label or 0 for k, s in enumerate(pair.record.sentences, 1)}
        answers[pair.record.pair_id] = json.dumps(labels) + "\nEvery label has its reason."
    for other in inspect_vidhalloc(mini_root("vidhalloc")).pairs:
        answers[f"{other.record.pair_id}/factual"] = "ACCEPT"
        answers[f"{other.record.pair_id}/counterfactual"] = "REJECT"
    return answers


def noise(seed: int = 1) -> dict[str, str]:
    """Return random answers to every request of both built-in tasks."""
    rng = random.Random(seed)
    answers = gold()
    for name, text in answers.items():
        if "/" in name:
            answers[name] = rng.choice(["ACCEPT", "REJECT", "The verdict is: reject.", "maybe"])
        else:
            labels = json.loads(text.splitlines()[0])
            answers[name] = json.dumps({key: rng.choice([0, 1]) for key in labels})
    return answers
