"""One request over HTTP, and what came of it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vidomni_plugin.endpoint.address import secret_of, short
from vidomni_plugin.endpoint.bodies import http_library
from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.failures import of_status
from vidomni_plugin.endpoint.pacing import retry_after_s
from vidomni_plugin.endpoint.reply import Breaks, FailureKind, Usage

if TYPE_CHECKING:
    import openai

__all__ = ["Outcome", "attempt"]

MOST_BYTES = 64 * 2**20
"""A longer response is not read to its end."""
LEAST_SECRET = 16
"""A shorter key is none that opens anything, but a word such as "dummy" for a server of one's
own: taken out of a reply, it would change what the model said."""
STILL_WORKING = (408, 504, 524)
"""A gateway waited in vain; the server behind it may have answered, and be paid for it."""
GIVEN_UP = ("error", "abort", "aborted", "cancelled", "canceled")
"""Finish reasons of servers that broke off by themselves: what there is of a text is no reply."""
MOST_COUNT = 10**12
"""A server that counts more tokens than that cannot count."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request."""

    kind: FailureKind | None
    """None for a reply."""
    message: str = ""
    """Why it failed: one printable line without the key."""
    text: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    answered: bool = False
    """Whether the model gave a reply, which may be cut off or a refusal."""
    free: bool = False
    """Whether nothing was spent for sure: the server did not take the request."""
    retried: bool = False
    """Whether asking again can help."""
    breaks: Breaks = ""
    hold_s: float | None = None
    """For how long the server wants to be left alone."""


class _TooMuch(Exception):
    """The server sends too much, or for too long."""


def attempt(client: openai.OpenAI, call: Call, timeout_s: float) -> Outcome:
    """Ask once.

    Args:
        client: Of ``make_client``; it must not retry by itself.
        call: What to ask.
        timeout_s: Seconds until the whole reply must be there; a connection that falls silent
            in the middle of it is given up after the same time once more.
    """
    import openai

    secret = secret_of(client)
    try:
        body = _body(client, call, timeout_s)
    except UnicodeEncodeError:
        message = "the text holds half a character (a lone surrogate)"
        return Outcome(FailureKind.BAD_REQUEST, message, free=True)
    except openai.APIStatusError as error:
        return _of_status_error(error, secret)
    except (openai.APITimeoutError, TimeoutError):
        return Outcome(FailureKind.TIMEOUT, "no answer in time", retried=True)
    except openai.APIConnectionError as error:
        cause = error.__cause__ or error
        message = f"no connection: {short(str(cause) or type(cause).__name__, secret)}"
        free = type(cause).__name__ in ("ConnectError", "ConnectTimeout")
        return Outcome(FailureKind.NO_CONNECTION, message, free=free, retried=True)
    except ValueError as error:
        message = f"it sends on to what is no address: {short(str(error), secret)}"
        return Outcome(FailureKind.NO_CONNECTION, message, retried=True)
    except ConnectionError as error:
        message = f"the connection was lost: {short(str(error), secret)}"
        return Outcome(FailureKind.NO_CONNECTION, message, retried=True)
    except (_TooMuch, openai.OpenAIError) as error:
        return Outcome(FailureKind.MALFORMED, short(str(error), secret), retried=True)
    outcome = _read(body, secret)
    if len(secret) < LEAST_SECRET:
        return outcome
    text, finish = (said.replace(secret, "***") for said in (outcome.text, outcome.finish_reason))
    return replace(outcome, text=text, finish_reason=finish)


def _body(client: openai.OpenAI, call: Call, timeout_s: float) -> bytes:
    """Return the body of the response.

    The time limits of the HTTP library begin anew with each piece that comes, and some servers
    send blanks while they work: no piece is taken after ``timeout_s``, and none is waited for
    longer than that.
    """
    end = time.monotonic() + timeout_s
    pieces: list[bytes] = []
    size = 0
    library = http_library()
    try:
        with client.chat.completions.with_streaming_response.create(
            model=call.model,
            messages=[dict(message) for message in call.messages],  # type: ignore[misc]
            extra_body=call.body(),
            timeout=timeout_s,
        ) as response:
            for piece in response.iter_bytes():
                pieces.append(piece)
                size += len(piece)
                if size > MOST_BYTES:
                    raise _TooMuch(f"the response is longer than {MOST_BYTES} bytes")
                if time.monotonic() > end:
                    raise TimeoutError
    except library.TimeoutException:
        raise TimeoutError from None
    except (library.TransportError, library.StreamError) as error:
        raise ConnectionError(str(error) or type(error).__name__) from None
    except library.DecodingError as error:
        raise _TooMuch(f"the response cannot be unpacked: {error}") from None
    return b"".join(pieces)


def _of_status_error(error: openai.APIStatusError, secret: str) -> Outcome:
    body: Mapping[str, Any] = error.body if isinstance(error.body, dict) else {}
    code = str(body.get("code") or body.get("type") or "")
    words = _words(error)
    verdict = of_status(error.status_code, code, words)
    return Outcome(
        verdict.kind,
        f"status {error.status_code}: {short(words, secret)}",
        free=error.status_code not in STILL_WORKING,
        retried=verdict.retried,
        breaks=verdict.breaks,
        hold_s=retry_after_s(error.response.headers),
    )


def _words(error: openai.APIStatusError) -> str:
    """Return what the server says; those that do not keep to OpenAI's form say it in their own."""
    body: object = error.body
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail") or body
    if isinstance(body, list):  # FastAPI's faults also repeat what was asked, which decides nothing
        body = "; ".join(str(one.get("msg")) for one in body if isinstance(one, dict)) or body
    if isinstance(body, str) and body:
        return body
    return json.dumps(body, ensure_ascii=False) if body else "no more is said"


def _read(body: bytes, secret: str) -> Outcome:
    """Return what a response with status 200 says."""
    try:
        said: Any = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    usage = _usage(said.get("usage")) if isinstance(said, dict) else None
    try:
        choice = said["choices"][0]
        message = choice["message"]
        text = _text(message.get("content"))
        refusal = message.get("refusal")
        finish = short(str(choice.get("finish_reason") or ""), "")
    except (LookupError, TypeError, AttributeError):
        return _no_completion(said, body, usage, secret)
    if finish.lower() in GIVEN_UP:
        message = f"the server broke off: {finish}"
        return Outcome(FailureKind.SERVER_ERROR, message, usage=usage, retried=True)
    if refusal or finish == "content_filter":
        words = refusal if isinstance(refusal, str) else text
        message = f"the model refuses: {short(words, secret)}" if words else "the model refuses"
        return Outcome(FailureKind.REFUSED, message, text or words, finish, usage, answered=True)
    if finish == "length":
        message = "the reply was cut off at max_tokens"
        return Outcome(FailureKind.TRUNCATED, message, text, finish, usage, answered=True)
    return Outcome(None, "", text, finish, usage, answered=True)


def _no_completion(said: object, body: bytes, usage: Usage | None, secret: str) -> Outcome:
    """Return what a response is that is no chat completion: gateways send errors with a 200."""
    error = said.get("error") if isinstance(said, dict) else None
    if isinstance(error, dict) and type(status := error.get("code")) is int and status >= 400:
        verdict = of_status(status, str(error.get("type") or ""), str(error.get("message")))
        message = f"status {status}: {short(str(error.get('message')), secret)}"
        retried, breaks = verdict.retried, verdict.breaks
        return Outcome(verdict.kind, message, usage=usage, retried=retried, breaks=breaks)
    if secret:
        body = body.replace(secret.encode(), b"***")  # before a part of it is cut off
    message = f"not a chat completion: {short(body[:2000].decode('utf-8', 'replace'), secret)}"
    return Outcome(FailureKind.MALFORMED, message, usage=usage, retried=True)


def _text(content: object) -> str:
    """Return the text of a message, which is a string, nothing, or parts.

    Raises:
        TypeError: If it is something else.
    """
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content)
    if not isinstance(content, str):
        raise TypeError
    return content.encode("utf-8", "replace").decode("utf-8")  # JSON allows half a character


def _usage(said: object) -> Usage | None:
    """Return the server's counts; None where there are none that can be believed."""
    if not isinstance(said, dict):
        return None
    asked, answered = _count(said.get("prompt_tokens")), _count(said.get("completion_tokens"))
    if asked is None or answered is None:
        return None
    details = said.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    # Some servers leave the thinking out of the tokens of the reply, but not out of the total.
    output = max(answered, (_count(said.get("total_tokens")) or 0) - asked)
    return Usage(asked, min(cached or 0, asked), output)


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_COUNT else None
