"""Where a server is, and the key for it: both are checked before anything is sent."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vidomni_plugin.endpoint.bodies import bounded_error, http_library
from vidomni_plugin.problems import printable, refuse_start

if TYPE_CHECKING:
    import openai

__all__ = ["NO_KEY", "OFFICIAL_URL", "make_client", "secret_of", "short", "shown_url"]

OFFICIAL_URL = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent where there is no key: servers of one's own ask for none, and the client insists on one."""
SHOWN_TEXT = 200
"""Longest message of a server that is kept."""


def make_client(
    base_url: str,
    *,
    timeout_s: float,
    retries: int = 0,
    key_name: str = "OPENAI_API_KEY",
    asked: str = "the endpoint",
    option: str = "--base-url",
) -> openai.OpenAI:
    """Return a client of the ``openai`` package for a server.

    Args:
        base_url: Like ``http://localhost:8000/v1``.
        timeout_s: Seconds that a server may be silent.
        retries: How often the package itself asks again. Zero for
            ``vidomni_plugin.endpoint.client``, which retries by itself and records each attempt.
        key_name: Environment variable that holds the key.
        asked: Who is asked, for messages.
        option: Where the user wrote the address, for messages.

    Raises:
        InputProblems: If the address is none, the key cannot be sent, or the official endpoint
            is to be asked and there is no key.
    """
    title = f"{asked} cannot be asked"
    hint = "it is like http://localhost:8000/v1"
    if fault := _no_address(base_url):
        refuse_start(title, option, f"{shown_url(base_url)!r}: {fault}", hint)
    key = os.environ.get(key_name, "").strip()  # a key from a file ends with a line end
    if not (key.isascii() and key.isprintable()):
        message = "it holds a character that no key has"
        refuse_start(title, key_name, message, "copy it again; it is not shown here")
    if not key and base_url == OFFICIAL_URL:
        message = f"set it, or name a server of your own with {option}"
        refuse_start(title, key_name, "it is not set", message)
    import openai  # half a second: only who asks pays for it

    library = http_library()
    try:
        library.URL(base_url)
    except library.InvalidURL as error:
        refuse_start(title, option, f"{shown_url(base_url)[:200]!r}: {error}", hint)
    return openai.OpenAI(
        api_key=key or NO_KEY,
        base_url=base_url,
        max_retries=retries,
        timeout=timeout_s,
        http_client=openai.DefaultHttpxClient(event_hooks={"response": [bounded_error]}),
    )


def secret_of(client: openai.OpenAI) -> str:
    """Return the key of a client; empty where it has none."""
    return client.api_key if client.api_key != NO_KEY else ""


def shown_url(url: str) -> str:
    """Return an address as it may be shown: without user, password and parameters.

    Example:
        >>> shown_url("http://me:secret@host:8000/v1?key=secret")
        'http://host:8000/v1'
    """
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    scheme, mark, rest = bare.rpartition("://")
    place, slash, path = rest.partition("/")
    return scheme + mark + place.rpartition("@")[2] + slash + path


def short(text: str, secret: str) -> str:
    r"""Return a server's message on one line; a key that it repeats is taken out.

    Example:
        >>> short("no such key:\n sk-1", "sk-1")
        'no such key: ***'
    """
    if secret:
        text = text.replace(secret, "***")
    line = printable(" ".join(text.split()))
    return line if len(line) <= SHOWN_TEXT else line[:SHOWN_TEXT] + " ..."


def _no_address(url: str) -> str:
    """Return why an address cannot be asked; empty for one that can."""
    if not url.isprintable() or " " in url:
        return "there are blanks or control characters in it"
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return "no address of a server"
        parts.port  # noqa: B018 - raises for what is no port
        parts.hostname.encode("idna")
    except ValueError as error:
        return str(error)
    return ""
