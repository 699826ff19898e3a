"""Which requests are still to be asked, and in which order."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os.path import basename

from lmms_eval.api.instance import Instance

from vidomni_plugin.data.sound import named_only
from vidomni_plugin.host import running_seeds
from vidomni_plugin.models.requests import Asked, TaskDict, asked, by_video
from vidomni_plugin.models.runner.keys import answer_key
from vidomni_plugin.models.runner.outcomes import reason_of

__all__ = ["Question", "fresh", "questions_of", "videos_of"]

PADDING = "__padding_only__"
"""The host's mark on a copy that only fills up a rank; nobody reads its answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request of the host with what the runner needs to know of it."""

    place: int
    """In the list that the host gave."""
    request: Instance
    key: str
    task: str
    item: str
    video: tuple[str, ...]
    sentences: int | None = None
    """How many sentences are to be labelled, where it is a question of VidOmni."""
    verdict: bool = False
    """Whether it is a question of VidHalLoc."""
    failure: str | None = None
    """Why it cannot even be asked: its media or its text could not be made."""

    @property
    def files(self) -> str:
        """Names of its videos, for people."""
        return " ".join(map(basename, self.video))


def questions_of(
    requests: Sequence[Instance], task_dict: TaskDict, settings: str
) -> tuple[list[Question], list[int]]:
    """Return the questions of a call, and the places of the requests that only fill up a rank.

    Args:
        requests: As the host gives them; the same one several times for ``--repeats``.
        task_dict: The host's documents.
        settings: Hash of the settings that all answers depend on.
    """
    questions: list[Question] = []
    padding: list[int] = []
    seen: Counter[tuple[str, str, str, str]] = Counter()
    seeds = running_seeds()
    for place, request in enumerate(requests):
        if (request.metadata or {}).get(PADDING):
            padding.append(place)
            continue
        known, failure = _look(request, task_dict)
        same = _same(known)
        try:
            key = answer_key(settings, known, seen[same], seeds)
        # A medium may be such that it is known only when it is read that it cannot be.
        except (Exception, SystemExit) as error:
            known, failure = _failed(request, task_dict, error)
            same = _same(known)
            key = answer_key(settings, known, seen[same], seeds)
        seen[same] += 1
        questions.append(_question(place, request, key, known, failure))
    return questions, padding


def _same(known: Asked) -> tuple[str, str, str, str]:
    return known.task, known.item, known.text, repr(sorted(known.generation.items()))


def _look(request: Instance, task_dict: TaskDict) -> tuple[Asked, str | None]:
    """Return what a request asks, or why its media cannot be had.

    Copies of videos that a task needs, such as those without sound, are made when they are shown.
    """
    try:
        with named_only():
            return asked(request, task_dict), None
    # A document's function may raise anything, and those of some tasks end the whole process.
    except (Exception, SystemExit) as error:
        return _failed(request, task_dict, error)


def _failed(
    request: Instance, task_dict: TaskDict, error: Exception | SystemExit
) -> tuple[Asked, str]:
    """Return what stands for a request whose media cannot be had, and why."""
    text, *_, doc_id, task, split = request.args
    doc = task_dict[task][split][doc_id]
    item = str(doc.get("answer_id") or f"{task}:{doc_id}")
    reason = reason_of(error)
    generation = next((part for part in request.args if isinstance(part, Mapping)), {})
    return Asked(task, split, doc_id, item, f"{text}\n{reason}", generation, (), doc), reason


def _question(
    place: int, request: Instance, key: str, known: Asked, failure: str | None
) -> Question:
    return Question(
        place,
        request,
        key,
        known.task,
        known.item,
        known.video,
        sentences=known.sentences,
        verdict=known.verdict,
        failure=failure,
    )


def videos_of(
    questions: Sequence[Question], answered: Callable[[Question], bool]
) -> list[list[Question]]:
    """Return the questions that have no answer yet, those of one video together."""
    missing = [question for question in questions if not answered(question)]
    return [[missing[place] for place in group] for group in by_video(missing)]


def fresh(question: Question) -> Instance:
    """Return a copy that a model may change: some take settings out of it, or add to it."""
    given = question.request
    parts = [_copied(part) if isinstance(part, dict) else part for part in given.args]
    request = Instance(given.request_type, tuple(parts), given.idx, given.metadata)
    request.doc = given.doc
    return request


def _copied(settings: dict[str, object]) -> dict[str, object]:
    flat = not any(isinstance(value, (dict, list)) for value in settings.values())
    return settings.copy() if flat else copy.deepcopy(settings)
