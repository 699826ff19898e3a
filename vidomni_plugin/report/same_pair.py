"""Whether two runs saw the same pair: everything of its data that a score depends on.

An id is not enough: after a correction of the annotations, the same id means another pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vidomni_plugin.vidomni.metrics import duration_group

__all__ = ["CONTENT", "answers_content", "caption_content", "video_of"]

Item = Mapping[str, Any]
Content = tuple[object, ...]

OF_A_CAPTION = ("video_id", "sentences", "gold", "errors", "complexity_type")
OF_AN_ANSWER = ("side", "video_id", "category", "task_type", "question", "candidate_answer")


def video_of(answer: Item) -> tuple[str, str]:
    """Return task and id of an answer's video: both tasks of VidHalLoc may number videos alike."""
    return str(answer["task_type"]), str(answer["video_id"])


def caption_content(items: Iterable[Item]) -> Content:
    """Return what a pair of VidOmni is: video, sentences, gold labels, errors, type, duration.

    Of the duration only the group counts: a file that was encoded anew is a moment longer.

    Args:
        items: The one detail of the pair.

    Example:
        >>> detail = {"video_id": "v", "sentences": ["A cat."], "gold": [0], "errors": [[]]}
        >>> caption_content([detail | {"complexity_type": 1, "duration_s": 12.5}])
        ('v', ['A cat.'], [0], [[]], 1, 'short')
    """
    (item,) = items
    return (*(item[name] for name in OF_A_CAPTION), duration_group(item["duration_s"]))


def answers_content(items: Iterable[Item]) -> Content:
    """Return what a pair of VidHalLoc is: video, category, task, question and both answers.

    Args:
        items: Its details, the factual one first; of half a pair, what there is.
    """
    return tuple(item[name] for item in items for name in OF_AN_ANSWER)


CONTENT: Mapping[str, Callable[[Iterable[Item]], Content]] = {
    "vidomni": caption_content,
    "vidhalloc": answers_content,
}
"""By kind of run."""
