"""Bodies of error responses: how much of one is read, and for how long."""

from __future__ import annotations

import sys
import time
from typing import Any

__all__ = ["bounded_error", "http_library"]

MOST_BYTES = 64 * 2**10
"""Of an error, as sent; a page of HTML is shorter, and unpacked it is no more than 64 MiB."""
FIRST_ERROR = 300
"""Statuses from here on are no replies."""


def http_library() -> Any:  # noqa: ANN401
    """Return ``httpx`` or its successor, whichever the ``openai`` package is made with."""
    import openai

    client = openai.DefaultHttpxClient.__mro__[1]
    return sys.modules[client.__module__.partition(".")[0]]


def bounded_error(response: Any) -> None:  # noqa: ANN401
    """Read an error's body: the ``openai`` package would read it to an end that may never come.

    A body that is cut, too long or too slow counts as far as it came: the status says enough.

    Args:
        response: Of ``http_library``, as it calls its hooks: nothing of the body is read yet.
    """
    if response.status_code < FIRST_ERROR:
        return
    library = http_library()
    longest = response.request.extensions.get("timeout", {}).get("read")
    end = time.monotonic() + longest if longest is not None else float("inf")
    body = b""
    stream = response.stream
    try:
        for piece in stream:
            body += piece
            if len(body) > MOST_BYTES or time.monotonic() > end:
                break
    except library.TransportError:
        pass
    finally:
        stream.close()
    response.stream = library.ByteStream(body[:MOST_BYTES])
