"""The documents that lmms-eval evaluates, built from checked data by a task's ``process_docs``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from vidomni_plugin.data.deal import deal
from vidomni_plugin.data.shard import chosen_shard, in_shard

if TYPE_CHECKING:
    from datasets import Dataset

    from vidomni_plugin.host import DocumentRange

__all__ = ["Documents", "TaskDocs"]


class Documents(NamedTuple):
    """One task's documents in order, and a hash of all that they were made from."""

    rows: list[dict[str, Any]]
    digest: str


class Share(NamedTuple):
    """The documents of this run in the order of its ranks, and words for what was done."""

    rows: list[dict[str, Any]]
    said: str


class TaskDocs:
    """The ``process_docs`` of one task.

    As text it is the task's data with their hash. The host keeps that text with the results
    and takes it into the key of ``--use_cache``, so that changed data, a replaced video or
    another order of the documents never get the answers of the old ones.

    Several ranks get whole videos each (``deal``), and a shard has only its videos
    (``VIDOMNI_SHARD``).

    Args:
        name: The task.
        columns: Type of each field of a document.
        documents: Reads and checks the data, before the host has a model.
        finish: Adds to the documents what only the running host knows.
    """

    def __init__(
        self,
        name: str,
        columns: Mapping[str, str | list[Any]],
        documents: Callable[[], Documents],
        finish: Callable[[Documents], Documents] | None = None,
    ) -> None:
        self.name = name
        self._columns = columns
        self._documents = documents
        self._finish = finish
        self._checked: Documents | None = None
        self._text = f"{name}: not loaded"

    @property
    def has_verdicts(self) -> bool:
        """Whether each document is one answer to be accepted or rejected: those of VidHalLoc."""
        return {"answer_id", "side"} <= self._columns.keys()

    def check(self) -> None:
        """Read and check everything as a run would; the run that follows does not do it again.

        Raises:
            InputProblems: If data or videos are missing or bad; names all of them. Also if the
                shard that is asked for has none of them.
        """
        shard = chosen_shard()
        self._checked = self._checked or self._documents()
        if shard is not None:
            in_shard(self._checked.rows, shard, None)

    def asked(self, chosen: DocumentRange | None) -> list[dict[str, Any]]:
        """Return the documents that a run asks about, before the host loads the task.

        Args:
            chosen: Which of them; None for all.

        Raises:
            InputProblems: As ``check``.
        """
        self.check()
        rows, _ = _share(self._checked.rows if self._checked else [], chosen)
        return rows[chosen.start : chosen.stop] if chosen and not chosen.fraction else rows

    def __call__(self, dataset: object = None) -> Dataset:
        """Return the task's documents; the host's own ``dataset`` is only a place holder.

        Raises:
            InputProblems: If data or videos are missing or bad; names all of them.
        """
        from datasets import Dataset, Features, Value

        from vidomni_plugin.host import running_range

        def feature(kind: str | list[Any]) -> Any:  # noqa: ANN401
            return [feature(kind[0])] if isinstance(kind, list) else Value(kind)

        documents = self._checked or self._documents()
        self._checked = None
        if self._finish is not None:
            documents = self._finish(documents)
        rows, said = _share(documents.rows, running_range())
        self._text = f"{self.name}{said}: {len(rows)} documents, data {documents.digest}"
        # Explicit types: inferred ones break on columns whose first rows are empty or null.
        features = Features({name: feature(kind) for name, kind in self._columns.items()})
        return Dataset.from_list(rows, features=features)

    def __str__(self) -> str:
        return self._text


def _share(rows: list[dict[str, Any]], chosen: DocumentRange | None) -> Share:
    said = ""
    if shard := chosen_shard():
        rows = in_shard(rows, shard, chosen)
        said = f" (shard {shard})"
    ranks = int(os.environ.get("WORLD_SIZE") or 1)
    # Requests that the host kept name documents by their place; a fraction's end is not known yet.
    if ranks < 2 or chosen is None or chosen.kept or chosen.fraction:
        return Share(rows, said)
    order = deal([row["video"] for row in rows], ranks, chosen.start, chosen.stop)
    if order == list(range(len(rows))):
        return Share(rows, said)
    # The host's cache of answers names documents by their place: another order is another task.
    cut = "" if chosen == (0, None, False, False) else f", {chosen.start} to {chosen.stop or 'end'}"
    rows = [rows[index] for index in order]
    return Share(rows, f"{said} (whole videos to {ranks} ranks{cut})")
