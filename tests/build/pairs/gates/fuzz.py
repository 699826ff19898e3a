"""Replies gone wrong: good ones of a role, changed at random by a seed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

Json = Any
JUNK: tuple[Json, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2.5, -0.0, 1e308, -1e308, 5e-324, 10**18, -(10**40)),
    *(
        float("nan"),
        float("inf"),
        "",
        " ",
        "\t",
        "\n",
        "\u0000",
        "\u200b",
        "\u202e",
        "\ud83d\ude00",
    ),
    *("null", "true", "NaN", "3", "three", "-3", "yes", "No, it is not.", "Yes, it is so."),
    *(
        "e\u0301",
        "\u00e9",
        "\uff34\uff25\uff38\uff34",
        "\u0661",
        "\u2167",
        "caf\u00e9 \u4e2d\u6587",
        "\u0130",
    ),
    *("'s", "-", "''", "the", "a", "is is is", "not", "the the", "%s{0}{x}", "<think>", "```"),
    *("x" * 5000, "word " * 400, "before", "after", "left", "right of", "zoom_in", "cut"),
    *("no_camera_change", "EntityExistence", "entity_existence", "causal_relation", "existence"),
    *("supported", "contradicted", "insufficient", "constructible", "visible_text"),
    *([], {}, [[]], [None], {"": ""}, {"fact_kind": "entity_existence"}),
    *({"start_sec": 1, "end_sec": 1}, {"start_sec": 19, "end_sec": 20.3}),
    *({"start_sec": 3, "end_sec": 2}, {"start_sec": 1, "end_sec": 2}, {"start_sec": -1}),
)
SUFFIX = ("", ".", " ", "\n", "!", "?", ")", "\u3002", "'", "\u2028", "s", "ing", " not", " two")
PREFIX = ("", "the ", "Yes, ", "No, ", "yes ", " ", "\ufeff", "not ", "a ", "is ", "very ", "two ")


def replies(good: Sequence[Json], seed: int, count: int) -> Iterator[tuple[int, str]]:
    """Yield so many replies: which good one it was, and the text that a server sends."""
    draw = random.Random(seed)
    for _ in range(count):
        at = draw.randrange(len(good))
        reply = copy.deepcopy(good[at])
        for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
            reply = _changed(reply, draw.choice(good), draw)
        yield at, _written(reply, draw)


def _changed(reply: Json, other: Json, draw: random.Random) -> Json:
    """Return a reply with one thing wrong, or still right."""
    places = _places(reply)
    if not places:
        return draw.choice(JUNK)
    parent, key = draw.choice(places)
    value = parent[key]
    kind = draw.randrange(14)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, dict):
        parent[draw.choice(("reason", "", "fact_kind", "start_sec", key + " ", "slot"))] = value
    elif kind == 2:
        parent[key] = copy.deepcopy(draw.choice(JUNK))
    elif kind == 3:
        parent[key] = _nested(value, draw)
    elif kind == 4:
        taken = [p[k] for p, k in _places(other) if k == key or draw.random() < 0.05]
        parent[key] = copy.deepcopy(draw.choice(taken or [value]))
    elif kind == 5:
        parent_, key_ = draw.choice(places)
        if not (_holds(parent[key], parent_) or _holds(parent_[key_], parent)):
            parent[key], parent_[key_] = parent_[key_], parent[key]
    elif isinstance(value, list):
        _rows(value, draw)
    else:
        parent[key] = _touched(value, draw)
    return reply


def _places(value: Json) -> list[tuple[Any, Any]]:
    """Return container and key of everything in a reply."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        at = waiting.pop()
        keys = at if isinstance(at, dict) else range(len(at)) if isinstance(at, list) else ()
        found.extend((at, key) for key in keys)
        waiting.extend(at[key] for key in keys)
    return found


def _holds(value: Json, container: Json) -> bool:
    return value is container or any(parent is container for parent, _ in _places(value))


def _nested(value: Json, draw: random.Random) -> Json:
    for _ in range(draw.choice((1, 2, 60))):
        value = [value] if draw.random() < 0.5 else {"facts": value}
    return value


def _rows(rows: list[Json], draw: random.Random) -> None:
    kind = draw.randrange(4)
    if kind == 0:
        draw.shuffle(rows)
    elif kind == 1 and rows:
        rows.append(copy.deepcopy(draw.choice(rows)))
    elif kind == 2 and rows:
        rows.extend(copy.deepcopy(rows[:1]) * draw.choice((1, 100)))
    else:
        rows.clear()


def _touched(value: Json, draw: random.Random) -> Json:
    """Return a text or number that is nearly the same."""
    if isinstance(value, bool) or value is None:
        return draw.choice((not value, str(value).lower(), int(bool(value))))
    if isinstance(value, (int, float)):
        return draw.choice((value + 1, -value, value * 1000, value + 0.5, str(value), [value]))
    if not isinstance(value, str):
        return value
    words = value.split(" ")
    kind = draw.randrange(7)
    if kind == 0:
        return draw.choice(PREFIX) + value
    if kind == 1:
        return value + draw.choice(SUFFIX)
    if kind == 2:
        return draw.choice((value.upper(), value.title(), value.swapcase(), value[::-1]))
    if kind == 3:
        draw.shuffle(words)
    elif kind == 4:
        del words[draw.randrange(len(words))]
    elif kind == 5:
        words.insert(draw.randrange(len(words) + 1), draw.choice(("not", "red", "two", "\u00a0")))
    else:
        at = draw.randrange(len(value) + 1)
        return value[:at] + draw.choice(("\n", "\u0301", "_", "-", "e", "'")) + value[at:]
    return " ".join(words)


def _written(reply: Json, draw: random.Random) -> str:
    text = json.dumps(reply, ensure_ascii=draw.random() < 0.5)
    kind = draw.randrange(60)
    if kind == 0:
        return text[: draw.randrange(len(text) + 1)]
    if kind == 1:
        return f"<think>{text}</think> Here it is:\n```json\n{text}\n```"
    if kind == 2:
        return text.replace(":", ": 1,", 1)
    if kind == 3:
        return "[" * 3000 + text
    if kind == 4:
        return text.replace("{", '{"facts": ' + "[" * 900 + "]" * 900 + ", ", 1)
    return text
