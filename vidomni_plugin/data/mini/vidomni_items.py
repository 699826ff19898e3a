"""Read the sample's captions from ``captions.txt`` into VidOmni records.

The file holds one caption a block. ``= clip source prompt`` opens it, and each line below is a
sentence: ``+`` Correct, ``-`` Incorrect, ``?`` Unknown. The wrong words of an Incorrect sentence
stand in brackets, followed by their error category: ``The circle is [blue](Object).``
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from vidomni_plugin.data.mini.clips import CLIPS

__all__ = ["vidomni_records"]

LABELS = {"+": 0, "-": 1, "?": None}

_WRONG = re.compile(r"\[(?P<text>[^]]+)\]\((?P<category>[^)]+)\)")


def _sentence(line: str) -> dict[str, Any]:
    mark, text = line.split(" ", maxsplit=1)
    return {
        "text": _WRONG.sub(r"\g<text>", text),
        "label": LABELS[mark],
        "errors": [match.groupdict() for match in _WRONG.finditer(text)],
    }


def vidomni_records(text: str) -> Iterator[dict[str, Any]]:
    r"""Yield one record a caption, in the order of the file.

    Args:
        text: The content of ``captions.txt``.

    Returns:
        Records in the shape of ``pairs.jsonl``.

    Example:
        >>> block = "= duet captioner-a 1\n- The red circle moves [down](Direction)."
        >>> next(vidomni_records(block))["sentences"][0]["errors"]
        [{'text': 'down', 'category': 'Direction'}]
    """
    for block in text.strip().split("\n\n"):
        head, *lines = block.splitlines()
        name, source, prompt = head.removeprefix("= ").split()
        clip = CLIPS[name]
        yield {
            "pair_id": f"{name}__{source}",
            "video_id": name,
            "complexity_type": clip.complexity_type,
            "duration_s": float(clip.scene.seconds),
            "has_audio": clip.audio_category is not None,
            "audio_category": clip.audio_category,
            "source_dataset": "other",
            "caption_source": source,
            "caption_prompt": int(prompt),
            "sentences": [_sentence(line) for line in lines],
        }
