"""Ask a judge behind an OpenAI-compatible endpoint, several questions at a time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import openai

from vidomni_plugin.build.judge.journal import Journal, Reply
from vidomni_plugin.build.judge.prompt import prompt_hash
from vidomni_plugin.build.judge.questions import Question, Settings
from vidomni_plugin.endpoint import address
from vidomni_plugin.endpoint.address import OFFICIAL_URL, secret_of, short, shown_url
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["OFFICIAL_URL", "Asked", "ask_all", "make_client", "shown_url", "still_asking"]

GIVE_UP_AFTER = 20
"""So many failed calls in a row, each retried, mean that the endpoint is down."""
WORKER = "judge"
"""How the names of the threads begin that ask."""


@dataclass(slots=True)
class Asked:
    """What came of a round of questions."""

    replies: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Why a call failed, by the question's key; it is asked again by the next run."""
    stopped: str = ""
    """Why not all questions were asked; empty where they were."""


def make_client(base_url: str, *, retries: int, timeout_s: float) -> openai.OpenAI:
    """Return a client that retries 429, 5xx, timeouts and lost connections, waiting ever longer.

    Raises:
        InputProblems: If the address is none, the key cannot be sent, or the official endpoint
            is to be asked and there is no key.
    """
    return address.make_client(base_url, timeout_s=timeout_s, retries=retries, asked="the judge")


def still_asking() -> bool:
    """Return whether a question is under way."""
    return any(thread.name.startswith(f"{WORKER}_") for thread in threading.enumerate())


def ask_all(
    client: openai.OpenAI,
    questions: Sequence[Question],
    settings: Settings,
    journal: Journal,
    *,
    concurrency: int,
    advance: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda text: None,
) -> Asked:
    """Ask what the journal does not hold yet; each reply is written to it at once.

    Args:
        client: Where to ask.
        questions: Each key once.
        settings: What is sent with each.
        journal: Gets the replies.
        concurrency: Questions under way at a time.
        advance: Called after each question.
        say: Told that an interruption waits for what is under way.

    Returns:
        What failed, and why it was stopped early. After an interruption nothing new is asked,
        the replies under way are waited for and kept, and KeyboardInterrupt is raised.

    Raises:
        InputProblems: If the endpoint refuses the key or does not know the model: every other
            question would end the same way. A question that is forbidden (403) fails by itself:
            so some endpoints refuse a text.
    """
    asked = Asked()
    waiting = iter(questions)
    in_a_row = 0
    under_way: dict[Future[str], Question] = {}
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix=WORKER)
    try:
        while True:
            while len(under_way) < concurrency and not asked.stopped:
                question = next(waiting, None)
                if question is None:
                    break
                under_way[pool.submit(_ask, client, question, settings, journal)] = question
            if not under_way:
                break
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                failure = future.result()
                question = under_way.pop(future)
                in_a_row = in_a_row + 1 if failure else 0
                if failure:
                    asked.failed[question.key] = failure
                else:
                    asked.replies += 1
                advance()
            if in_a_row >= GIVE_UP_AFTER and not asked.stopped:
                asked.stopped = f"{in_a_row} calls in a row failed: {failure}"
    except KeyboardInterrupt:
        waited = f"waiting for {len(under_way)} replies that are under way"
        say(f"stopping: {waited}; once more ends it now")
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    for question in waiting:
        asked.failed[question.key] = f"not asked, since {asked.stopped}"
    return asked


def _ask(client: openai.OpenAI, question: Question, settings: Settings, journal: Journal) -> str:
    """Ask one question and keep the reply; returns why there is none."""
    secret = secret_of(client)
    try:
        response = client.chat.completions.with_raw_response.create(
            model=settings.model,
            messages=[{"role": "user", "content": question.prompt}],
            temperature=settings.temperature,
            seed=settings.seed,
            max_tokens=settings.max_tokens,
        )
        body = response.http_response.content
    except (openai.AuthenticationError, openai.NotFoundError) as no:
        message = f"the endpoint says {no.status_code}: {short(no.message, secret)}"
        hint = "check OPENAI_API_KEY, --model and --base-url"
        problem = Problem("usage", shown_url(settings.base_url), message, hint)
        raise InputProblems("the judge cannot be asked", [problem]) from None
    except openai.APIStatusError as error:
        return f"status {error.status_code}: {short(error.message, secret)}"
    except openai.APITimeoutError:
        return "no answer in time"
    except openai.APIConnectionError as error:
        return f"no connection: {short(str(error.__cause__ or error), secret)}"
    content = _content(body)
    if content is None:
        return f"not a chat completion: {short(body.decode('utf-8', 'replace'), secret)}"
    text, finish = content
    journal.add(
        Reply(
            key=question.key,
            video_id=question.video_id,
            order=question.order,
            model=settings.model,
            prompt=prompt_hash(),
            text=text,
            finish_reason=finish,
        )
    )
    return ""


def _content(body: bytes) -> tuple[str, str] | None:
    """Return text and finish reason of a response, None if it is no chat completion."""
    try:
        choice: Any = json.loads(body)["choices"][0]
        text = choice["message"].get("content")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    if text is not None and not isinstance(text, str):
        return None
    return text or "", str(choice.get("finish_reason") or "")
