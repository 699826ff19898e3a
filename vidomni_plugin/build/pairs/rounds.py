"""The order of work: rounds of videos, and within a round turns of one fact a video.

What is asked next depends on what came of all before, and not on which worker was faster: so the
same seed gives the same pairs with any number of workers.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from vidomni_plugin.build.pairs.allocation import choose, why_not
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import MEANINGS
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.store import Fact, Rejection, Store, given_text
from vidomni_plugin.endpoint.reply import Failed, FailureKind
from vidomni_plugin.video.failures import UnreadableVideo

__all__ = ["Ended", "Told", "Work", "make_pairs"]

TRIES = 2
"""How often a video is tried in one run before it is set aside."""
UNUSABLE_AFTER = 8
"""If so many videos, all that were opened, ended with a reply of no use, so would all others."""
DOWN_AFTER = 8
"""So many videos that failed in a row mean that the server is down."""
_Failure = Failed | UnreadableVideo
"""What says nothing about a video: the server failed, or the file cannot be had."""


class Work(Protocol):
    """The workflow of single videos, as ``graph.Workflow`` does it."""

    def open(self, video_id: str) -> None:
        """Find the facts of a video."""

    def make_pair(self, video_id: str, fact_id: str) -> None:
        """Take a fact to its end."""


class Told(Protocol):
    """Who is told how the run goes."""

    def round_begins(self, number: int, of: int) -> None:
        """A round of videos begins; the first is 1."""

    def step_done(self) -> None:
        """A video was opened, or a fact came to its end."""


@dataclass(slots=True)
class Ended:
    """How a run ended."""

    state: str = "sources_used_up"
    """target_reached, sources_used_up or stopped."""
    kind: str = ""
    """What stopped it: a ``FailureKind``, or no_use, server_down, no_files."""
    why: str = ""
    """Why it was stopped."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """Videos that the server failed for, or that could not be had; the next run asks again."""


class _Stop(Exception):
    """The run ends here, and the next one goes on."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


def make_pairs(
    work: Work,
    store: Store,
    settings: PairSettings,
    *,
    workers: int,
    stop: threading.Event,
    told: Told,
) -> Ended:
    """Work through the videos of a store until there are enough pairs, or no more videos.

    Args:
        work: What is done with a video.
        store: Its videos, facts and pairs; what is done is not done again.
        settings: Target, ceilings, round size, seed.
        workers: Videos under way at a time; it changes nothing in the result.
        stop: Set from outside to stop: what is under way comes to its next safe point.
        told: Told of every step.

    Raises:
        KeyboardInterrupt: After ``stop`` was set and all workers ended.
    """
    ended = Ended()
    rounds = list(_rounds(list(store.video_states()), settings.round_size))
    with ThreadPoolExecutor(workers, thread_name_prefix="pairs") as pool:
        coordinator = _Coordinator(work, store, settings, pool, stop, told, ended)
        try:
            # A fact that was under way at the end of the last run may be refused after all;
            # then rounds that were passed over have work again.
            while coordinator.all_rounds(rounds):
                pass
            coordinator.close_rest(rounds)
        except _Stop as stopped:
            ended.state, ended.kind, ended.why = "stopped", stopped.kind, str(stopped)
        except KeyboardInterrupt:
            stop.set()
            raise
    if ended.state != "stopped" and store.committed() >= settings.target:
        ended.state = "target_reached"
    return ended


def _rounds(video_ids: Sequence[str], size: int) -> Iterator[list[str]]:
    waiting = iter(video_ids)
    while taken := list(islice(waiting, size)):
        yield taken


@dataclass(slots=True)
class _Coordinator:
    work: Work
    store: Store
    settings: PairSettings
    pool: ThreadPoolExecutor
    stop: threading.Event
    told: Told
    ended: Ended
    in_a_row: dict[str, str] = field(default_factory=dict)
    """Videos that failed since the last one that did not, and how."""
    of_no_use: dict[str, Reject] = field(default_factory=dict)
    """Videos of which no reply could be used, while none of the run could."""

    def all_rounds(self, rounds: Sequence[Sequence[str]]) -> bool:
        """Go through the rounds; returns whether there was anything to do."""
        worked = False
        for number, video_ids in enumerate(rounds, 1):
            if self.store.committed() >= self.settings.target:
                break
            if self._has_work(video_ids):
                self.told.round_begins(number, len(rounds))
                self._round(video_ids)
                worked = True
        return worked

    def _has_work(self, video_ids: Sequence[str]) -> bool:
        if any(one.state == "picked" for one in self._facts(video_ids)):
            return True
        had, states = self.store.had(), self.store.video_states()
        if had.total >= self.settings.target:
            return False
        left = [one for one in video_ids if one not in self.ended.set_aside]
        if any(states[one] in ("waiting", "set_aside") for one in left):
            return True
        is_open = {one for one in left if states[one] == "open"}
        waiting = [one for one in self._facts(sorted(is_open)) if one.state == "waiting"]
        return bool(is_open - self._stay(waiting)) or any(
            why_not(one.candidate, had, self.settings) is None for one in waiting
        )

    def _round(self, video_ids: Sequence[str]) -> None:
        """Take all videos of a round to their end; again does only what is missing."""
        self._open(video_ids)
        while True:
            facts = self._facts(video_ids)
            picked = [one for one in facts if one.state == "picked"]
            if not picked:
                waiting = [one.candidate for one in facts if one.state == "waiting"]
                chosen = choose(waiting, self.store.had(), self.settings)
                if not chosen:
                    break
                self.store.pick(chosen)
                ids = {one.fact_id for one in chosen}
                picked = [one for one in facts if one.fact_id in ids]
            self._make_pairs({one.video_id: one.fact_id for one in picked})
        self._close(video_ids)

    def _open(self, video_ids: Sequence[str]) -> None:
        states = self.store.video_states()
        to_open = [
            one
            for one in video_ids
            if states[one] in ("waiting", "set_aside") and one not in self.ended.set_aside
        ]
        self._all(to_open, self.work.open)
        self._put_back()
        states = self.store.video_states()
        for video_id in to_open:
            if states[video_id] == "set_aside" and video_id not in self.ended.set_aside:
                self.store.set_state(video_id, "open")  # it had been set aside after this step

    def _put_back(self) -> None:
        """Set aside the videos so far if no reply was of use; end the run if they are many."""
        found = self.store.of_no_use()
        self.of_no_use.update(found)
        for video_id, reject in (self.store.put_back() if found else {}).items():
            self.ended.set_aside[video_id] = f"{reject.reason.value}: {reject.detail}"
        if len(self.of_no_use) >= UNUSABLE_AFTER:
            reasons = Counter(reject.reason for reject in self.of_no_use.values())
            reason, count = reasons.most_common(1)[0]
            why = f"{count} of {len(self.of_no_use)}: {reason.value}, {MEANINGS[reason].text}"
            raise _Stop("no_use", f"no reply about the first videos can be used: {why}")

    def _make_pairs(self, fact_of: Mapping[str, str]) -> None:
        self._all(sorted(fact_of), lambda one: self.work.make_pair(one, fact_of[one]))

    def _facts(self, video_ids: Sequence[str]) -> list[Fact]:
        return self.store.facts(one for one in video_ids if one not in self.ended.set_aside)

    def close_rest(self, rounds: Sequence[Sequence[str]]) -> None:
        """Close what waited for a place that others took after all."""
        if self.store.committed() >= self.settings.target:
            for video_ids in rounds:
                self._close(video_ids)

    def _close(self, video_ids: Sequence[str]) -> None:
        """Give up the facts that a cap keeps out.

        A place that a video holds which was set aside may become free: what waits for it stays.
        """
        waiting = [one for one in self._facts(video_ids) if one.state == "waiting"]
        stay = self._stay(waiting) | set(self.ended.set_aside)
        had = self.store.had(under_way=False)
        self.store.leave(
            Rejection(one.video_id, one.fact_id, reason, "", _fact_alone(one))
            for one in waiting
            if one.video_id not in stay and (reason := why_not(one.candidate, had, self.settings))
        )
        states = self.store.video_states()
        for video_id in video_ids:
            if states[video_id] == "open" and video_id not in stay:
                self.store.set_state(video_id, "closed")

    def _stay(self, waiting: Sequence[Fact]) -> set[str]:
        """Return the videos of which some fact would be chosen if nothing were under way."""
        had = self.store.had(under_way=False)
        free = (one for one in waiting if why_not(one.candidate, had, self.settings) is None)
        return {one.video_id for one in free}

    def _all(self, video_ids: Sequence[str], do: Callable[[str], None]) -> None:
        """Do something with every video, once more where it could not be done."""
        waiting = list(video_ids)
        for attempt in range(1, TRIES + 1):
            failed = self._once(waiting, do)
            if not failed:
                return
            if attempt == TRIES:
                for video_id, failure in failed.items():
                    self._set_aside(video_id, str(failure))
            waiting = list(failed)

    def _once(self, video_ids: Sequence[str], do: Callable[[str], None]) -> dict[str, _Failure]:
        failed: dict[str, _Failure] = {}
        first: Failed | None = None
        futures = {self.pool.submit(self._guarded, do, one): one for one in video_ids}
        try:
            for future in as_completed(futures):
                failure = future.result()
                if failure is None:
                    self.in_a_row.clear()
                    self.told.step_done()
                elif isinstance(failure, Failed) and _ends_all(failure):
                    # The others end as stopped: what stopped them is to be told.
                    if first is None or first.kind is FailureKind.STOPPED:
                        first = failure
                    self.stop.set()  # nothing new is begun
                else:
                    failed[futures[future]] = failure
                    self._failed(futures[future], failure)
        except BaseException:
            self.stop.set()
            raise
        finally:
            for future in futures:
                future.cancel()
        if first is not None or self.stop.is_set():
            told = first is not None and first.kind is not FailureKind.STOPPED
            kind = first.kind if told and first else FailureKind.STOPPED
            raise _Stop(kind.value, str(first) if told else "it was asked to stop")
        return {one: failed[one] for one in video_ids if one in failed}

    def _guarded(self, do: Callable[[str], None], video_id: str) -> _Failure | None:
        if self.stop.is_set():
            return Failed(FailureKind.STOPPED, "the run was stopped")
        try:
            do(video_id)
        except (Failed, UnreadableVideo) as failure:
            return failure
        return None

    def _set_aside(self, video_id: str, note: str) -> None:
        self.store.set_state(video_id, "set_aside", note)
        self.ended.set_aside[video_id] = note

    def _failed(self, video_id: str, failure: _Failure) -> None:
        """Count a video that failed; end the run where so many in a row did."""
        self.in_a_row[video_id] = str(failure)
        if len(self.in_a_row) >= DOWN_AFTER:
            for one, note in self.in_a_row.items():
                self._set_aside(one, note)
            many = f"{len(self.in_a_row)} videos failed in a row"
            raise _Stop(_kind_of(failure), f"{many}, the last with {failure}")


def _fact_alone(fact: Fact) -> str:
    return given_text({"fact": fact.proposed.natural_language_fact})


def _kind_of(failure: _Failure) -> str:
    """Return what so many failures in a row mean."""
    if isinstance(failure, UnreadableVideo):
        return "no_files"
    told = (
        FailureKind.AUTH_FAILED,
        FailureKind.BAD_REQUEST,
        FailureKind.RATE_LIMITED,
        FailureKind.TIMEOUT,
    )
    return failure.kind.value if failure.kind in told else "server_down"


def _ends_all(failure: Failed) -> bool:
    """Return whether every later call would fail as well."""
    kinds = (FailureKind.BUDGET_EXHAUSTED, FailureKind.STOPPED)
    return bool(failure.breaks) or failure.kind in kinds
