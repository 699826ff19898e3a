"""The questions to the judge: each comparison in both orders, each known by its content."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal

from vidomni_plugin.build.judge.captions import CaptionText
from vidomni_plugin.build.judge.prompt import judge_prompt, prompt_hash

__all__ = ["ORDERS", "Order", "Question", "Settings", "questions"]

Order = Literal["ab", "ba"]
ORDERS: tuple[Order, Order] = ("ab", "ba")
"""Both orders are asked, since a judge may prefer a place."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an answer depends on beside the captions and the prompt."""

    model: str
    base_url: str
    temperature: float
    seed: int
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Question:
    """One request to the judge."""

    key: str
    """SHA-256 of prompt, captions in their order, model, endpoint and settings."""
    video_id: str
    order: Order
    prompt: str


def questions(
    pair: tuple[CaptionText, CaptionText], settings: Settings
) -> tuple[Question, Question]:
    """Return the two questions on a pair of captions: A first, then B first.

    The key holds contents only, no ids: the same two texts are never asked about twice.
    """
    a, b = pair
    made = []
    for order in ORDERS:
        first, second = (a, b) if order == "ab" else (b, a)
        content = [prompt_hash(), first.text, second.text, asdict(settings)]
        key = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        made.append(Question(key, a.video_id, order, judge_prompt(first.text, second.text)))
    return made[0], made[1]
