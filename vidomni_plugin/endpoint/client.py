"""Ask models: each call once, at a pace, within a budget, with every attempt on disk."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vidomni_plugin.endpoint.attempt import Outcome, attempt
from vidomni_plugin.endpoint.budget import Amount, Budget
from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.pacing import Pacer
from vidomni_plugin.endpoint.replies import Ended, Kept, Opened, Replies
from vidomni_plugin.endpoint.reply import Failed, FailureKind, Reply, Usage

if TYPE_CHECKING:
    import openai

__all__ = ["Client", "Totals"]

RETRIES = 4
TIMEOUT_S = 120.0
IMAGE_TOKENS = 4096
"""Most tokens of one picture: what large models spend on a picture of high resolution."""
EVERY_MODEL = "\n"
"""Stands for all models of the server where one failure ends all calls; no model is named so."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What was asked since the client was made."""

    calls: int = 0
    """Calls that came to an end, kept and failed ones too."""
    kept: int = 0
    """Calls whose reply was there already."""
    failed: int = 0
    attempts: int = 0
    """Requests that were sent."""
    input: int = 0
    cached: int = 0
    output: int = 0
    estimated: int = 0
    """Attempts that count with what was set aside, since the server did not count; their tokens
    are in none of the three numbers of tokens."""
    cost: float | None = None
    """In the currency of the prices, estimated attempts included; None without prices."""
    by_role: Mapping[str, Totals] = field(default_factory=dict)


class Client:
    """Asks one server; all threads of a process share one client.

    Args:
        server: Of ``vidomni_plugin.endpoint.address.make_client``.
        pacer: The pace of all requests.
        budget: What may be spent.
        replies: Where replies and attempts are kept.
        retries: How often a call is asked again that failed in a way that may pass.
        timeout_s: Seconds until a reply must be there.
        image_tokens: Most tokens of one picture, for what is set aside.
        stop: Once set, nothing new is asked, and waiting threads give up; replies under way are
            still kept.

    Raises:
        ValueError: If ``retries`` is negative.
    """

    def __init__(
        self,
        server: openai.OpenAI,
        pacer: Pacer,
        budget: Budget,
        replies: Replies,
        *,
        retries: int = RETRIES,
        timeout_s: float = TIMEOUT_S,
        image_tokens: int = IMAGE_TOKENS,
        stop: threading.Event | None = None,
    ) -> None:
        if retries < 0:
            raise ValueError(f"{retries} retries")
        self._server = server.with_options(max_retries=0)  # each attempt is to be on disk
        self._pacer = pacer
        self._budget = budget
        self._replies = replies
        self._retries = retries
        self._timeout_s = timeout_s
        self._image_tokens = image_tokens
        self._stop = stop or threading.Event()
        self._lock = threading.Lock()
        self._again: dict[str, str] = {}
        self._asked: dict[str, Future[Reply]] = {}
        self._broken: dict[str, Failed] = {}
        self._counts: dict[str, Counter[str]] = {}
        self._costs: dict[str, float] = {}
        self.structured_modes: dict[tuple[str, str], int] = {}
        """What ``vidomni_plugin.endpoint.structured`` has learned of each model and schema."""

    def ask_again(self, items: Mapping[str, str]) -> None:
        """Take no kept reply for some items that is as old as is said: each is asked anew.

        Args:
            items: The time up to which replies do not count, as ``replies.now_text`` gives it.
        """
        self._again = dict(items)

    def find(self, call: Call, item: str = "") -> Kept | None:
        """Return what is on disk of a call."""
        if until := self._again.get(item):
            self._replies.forget(call.key, until)
        return self._replies.find(call.key)

    def ask(self, call: Call, item: str = "") -> Reply:
        """Return the reply to a call; it is on disk by then.

        A reply that is there already comes back without a request. Threads that ask the same at
        once share one request.

        Args:
            call: What to ask.
            item: What it is asked for; only written down.

        Raises:
            Failed: If there is no usable reply.
            InputProblems: If the file of replies cannot be used.
        """
        key = call.key  # takes a while where there are pictures: not while others are locked out
        with self._lock:
            first = key not in self._asked
            future = self._asked.setdefault(key, Future())
        if not first:
            return self._share(call, future)
        try:
            reply = self._ask(call, item)
        except BaseException as error:
            self._count(call, calls=1, failed=1)
            shared = error if isinstance(error, Exception) else _stopped()
            self._forget(call)
            future.set_exception(shared)
            raise
        self._count(call, calls=1, kept=int(reply.kept))
        self._forget(call)
        future.set_result(reply)
        return reply

    def totals(self) -> Totals:
        """Return what was asked so far."""
        with self._lock:
            by_role = {role: self._total([role]) for role in sorted(self._counts)}
            return replace(self._total(sorted(self._counts)), by_role=by_role)

    def _total(self, roles: list[str]) -> Totals:
        counts: Counter[str] = Counter()
        for role in roles:
            counts.update(self._counts[role])
        cost = sum(self._costs.get(role, 0.0) for role in roles) if self._budget.prices else None
        return Totals(**counts, cost=cost)  # type: ignore[arg-type]

    def _share(self, call: Call, future: Future[Reply]) -> Reply:
        try:
            reply = replace(future.result(), kept=True)
        except Failed as failed:
            self._count(call, calls=1, failed=1)
            raise failed.again() from None
        self._count(call, calls=1, kept=1)
        return reply

    def _forget(self, call: Call) -> None:
        with self._lock:
            del self._asked[call.key]

    def _ask(self, call: Call, item: str) -> Reply:
        if kept := self.find(call, item):
            return _usable(kept)
        reserved = self._budget.upper_bound(call.most_usage(self._image_tokens))
        for number in range(1, self._retries + 2):
            self._check(call)
            if not self._replies.may_allow(reserved, self._budget):
                raise self._exhausted(reserved)  # before the turn of a request is spent on it
            if not self._pacer.wait(self._stop):
                raise _stopped()
            self._check(call)
            opened = self._replies.reserve(
                *(call, item, reserved, self._budget), check=lambda: self._check(call)
            )
            if opened is None:
                raise self._exhausted(reserved)
            outcome, kept = self._attempt(call, opened, number)
            if kept is not None:
                return _usable(kept)
            if outcome.hold_s is not None and outcome.retried:
                self._pacer.hold(outcome.hold_s)
            if number > self._retries or not outcome.retried:
                break
            if not self._pacer.back_off(number, self._stop):
                raise _stopped()
        raise self._failure(call, outcome, number)

    def _check(self, call: Call) -> None:
        """Raise if nothing more is to be asked."""
        if self._stop.is_set():
            raise _stopped()
        with self._lock:
            broken = self._broken.get(EVERY_MODEL) or self._broken.get(call.model)
        if broken:
            raise broken.again()

    def _exhausted(self, reserved: Amount) -> Failed:
        spent = self._replies.spent()
        budget, tokens, money = self._budget, "", ""
        if budget.most_tokens is not None:
            tokens = f"{spent.tokens} of {budget.most_tokens} tokens are spent or set aside"
            tokens += f" and the call may take {reserved.tokens}"
        if budget.most_cost is not None and budget.prices is not None:
            money = f"{spent.cost:.4f} of {budget.most_cost:.4f} {budget.prices.currency}"
            money += f" are spent or set aside and the call may cost {reserved.cost:.4f}"
        return Failed(FailureKind.BUDGET_EXHAUSTED, "; ".join(filter(None, (tokens, money))))

    def _attempt(self, call: Call, opened: Opened, number: int) -> tuple[Outcome, Kept | None]:
        """Send a request and write down what came of it."""
        start = time.monotonic()
        outcome = Outcome(None, "interrupted before the reply came")
        kept = None
        name = "interrupted"
        spent, estimated = opened.reserved, True
        try:
            outcome = attempt(self._server, call, self._timeout_s)
            name = str(outcome.kind or "ok")
            if outcome.usage is not None:
                spent, estimated = self._budget.spent(outcome.usage), False
            elif outcome.free:
                spent, estimated = Amount(), False
            if outcome.answered:
                seconds = time.monotonic() - start
                cost = spent.cost if self._budget.prices else None
                reply = Reply(
                    *(outcome.text, outcome.finish_reason, outcome.usage, seconds, number, cost),
                    kept=False,
                )
                kept = Kept(reply, outcome.kind, outcome.message)
        finally:
            ended = Ended(name, outcome.message, outcome.usage, spent, estimated)
            self._count_attempt(call, ended)
            kept = self._replies.close_attempt(opened, ended, call, kept)
        return outcome, kept

    def _failure(self, call: Call, outcome: Outcome, attempts: int) -> Failed:
        times = f" ({attempts} attempts)" if attempts > 1 else ""
        kind = outcome.kind or FailureKind.MALFORMED
        failed = Failed(kind, outcome.message + times, breaks=outcome.breaks)
        if outcome.breaks:
            with self._lock:
                model = EVERY_MODEL if outcome.breaks == "all" else call.model
                failed = self._broken.setdefault(model, failed)
        return failed.again()

    def _count_attempt(self, call: Call, ended: Ended) -> None:
        usage = ended.usage or Usage(0, 0, 0)
        tokens = {"input": usage.input, "cached": usage.cached, "output": usage.output}
        self._count(call, attempts=1, estimated=int(ended.estimated), **tokens)
        with self._lock:
            self._costs[call.role] = self._costs.get(call.role, 0.0) + ended.spent.cost

    def _count(self, call: Call, **counts: int) -> None:
        with self._lock:
            self._counts.setdefault(call.role, Counter()).update(counts)


def _usable(kept: Kept) -> Reply:
    if kept.failure:
        raise Failed(kept.failure, kept.message, kept.reply)
    return kept.reply


def _stopped() -> Failed:
    return Failed(FailureKind.STOPPED, "stopped before the reply came")
