"""What helps after ``vidomni build pairs`` was stopped, and where it sends what."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vidomni_plugin.endpoint.address import shown_url

if TYPE_CHECKING:
    from vidomni_plugin.commands.pairs_start import Start

__all__ = ["KEY", "has_key", "what_is_sent", "what_to_mend"]

KEY = "OPENAI_API_KEY"
GOES_ON = "the same command goes on, and pays for nothing twice"
ADDRESS = "see that a server answers at this address (--base-url)"


def what_to_mend(kind: str, start: Start) -> str:
    """Return what to do about a stop, and how it goes on."""
    if kind == "auth_failed":
        mend = f"set {KEY} to a key that this server takes, and see to its account's credit"
    elif kind == "not_found":
        mend = f"see the names of --model and --role-model; or {ADDRESS}, mostly it ends in /v1"
    elif kind == "budget_exhausted":
        option = "--budget" if start.limits.tokens is None else "--budget-tokens"
        mend = f"raise {option}{_set_aside(start)}"
    elif kind == "no_use":
        return (
            "mend the server, then the same command asks for these videos again, which is paid "
            "for again; or, in a new folder, take a --model that sees pictures and writes JSON, "
            "or more --max-tokens where replies are cut off"
        )
    elif kind == "bad_request":
        return (
            "what the server says of the request is to be mended there (a longer context, more "
            "pictures a request); or, in a new folder, --temperature -1, or lower --most-frames, "
            "--long-side or --max-tokens"
        )
    elif kind == "rate_limited":
        mend = "lower --rate or --workers"
    elif kind == "timeout":
        mend = "raise --timeout or lower --workers"
    elif kind == "server_down":
        mend = ADDRESS
    elif kind == "no_files":
        mend = "see that the videos can be read"
    else:
        return GOES_ON
    return f"{mend}; then {GOES_ON}"


def _set_aside(start: Start) -> str:
    """Return how less is set aside for a call, where that can be."""
    native = start.plan.settings.media.policy == "native_video_url_v1"
    unit = "second" if native else "frame"
    each = start.most_picture_tokens
    return (
        f", or lower --most-frame-tokens to what a {unit} takes at most with this model: "
        f"each call sets aside {each} tokens a {unit}"
    )


def what_is_sent(start: Start) -> str:
    """Return what a run would send, and where to."""
    media = start.plan.settings.media
    if media.policy == "native_video_url_v1":
        what = "whole video files with their sound"
    else:
        what = f"JPEG frames, {media.most_frames} a look and {media.long_side} pixels at most"
    is_set = "is set" if has_key() else "is not set"
    return f"would send: {what}, to {shown_url(start.url)}; the key {KEY} {is_set}"


def has_key() -> bool:
    """Return whether there is a key for the server."""
    return bool(os.environ.get(KEY, "").strip())
