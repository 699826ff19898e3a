"""What a downloader's error text means (pure: text in, reason out)."""

from __future__ import annotations

import re

from vidomni_plugin.data.fetch.reasons import Reason

__all__ = ["plain", "reason_of"]

DETAIL_LENGTH = 300
"""Longest error text that is kept."""
_RULES: tuple[tuple[str, Reason], ...] = (
    (r"no space left|errno 28\b|disk quota", Reason.NO_SPACE),
    (r"confirm you.?.?.?re not a bot", Reason.BOT_CHECK),
    (r"rate.?limited|http error 429|too many requests", Reason.RATE_LIMITED),
    (r"confirm your age|age.restricted|inappropriate for some users", Reason.AGE_RESTRICTED),
    (r"private video|video is private", Reason.PRIVATE),
    (
        r"members.only|available to this channel'?s members|join this channel|requires payment"
        r"|premium members|purchase",
        Reason.PAID,
    ),
    # Before "removed": a block by country is often told as a matter of copyright.
    (
        r"in your country|from your location|geo.?restrict|in your region|your geographic",
        Reason.GEO_BLOCKED,
    ),
    (
        r"has been removed|removed by the uploader|account.{0,40}(terminated|closed)"
        r"|no longer available|copyright (claim|grounds)|has been deleted|video was deleted",
        Reason.REMOVED,
    ),
    (r"premieres? in|will begin in|live event|live stream recording is not", Reason.NOT_YET),
    (r"requested format is not available|no video formats found", Reason.NO_FORMAT),
    (r"ffmpeg (is )?not (installed|found)|ffmpeg-location", Reason.NO_FFMPEG),
    (r"http error (404|410)|incomplete youtube id|video does ?n.?t exist", Reason.NOT_FOUND),
    (r"http error (401|403)", Reason.FORBIDDEN),
    (r"unsupported url|drm.protected|is not a valid url|no media found", Reason.UNSUPPORTED),
    (r"permission denied|read-only file system|unable to (open for writing|write)", Reason.FILE),
    (
        r"http error (408|5\d\d)|timed? ?out|connection|name or service not known|resolve"
        r"|unreachable|ssl|certificate|incompleteread|bytes read|more expected|remote end closed"
        r"|did not get any data|transporterror|proxy|giving up after",
        Reason.NETWORK,
    ),
    (r"video unavailable|not available|isn.?t available|is unavailable", Reason.UNAVAILABLE),
)
"""The first rule that fits decides. Texts of yt-dlp and of YouTube, in lower case."""


def reason_of(text: str) -> Reason:
    """Return the reason that an error text of yt-dlp stands for; unknown where none fits.

    Example:
        >>> reason_of("ERROR: [youtube] x: Private video. Sign in if you've been granted access")
        <Reason.PRIVATE: 'private'>
    """
    low = text.casefold()
    return next((reason for rule, reason in _RULES if re.search(rule, low)), Reason.UNKNOWN)


def plain(text: str) -> str:
    """Return an error text on one line: no colours, no advice on where to report it, not long.

    Example:
        >>> plain("ERROR: [generic] x: HTTP Error 404: Not Found; please report this issue on ...")
        'HTTP Error 404: Not Found'
    """
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"^(ERROR:\s*)+(\[[^\]]+\]\s*(\S+:\s)?)?", "", text.strip())
    text = re.split(r"[;.]?\s+please report this issue", text)[0]
    text = "".join(c if c.isprintable() else " " for c in text)
    text = " ".join(text.split())
    return text if len(text) <= DETAIL_LENGTH else text[: DETAIL_LENGTH - 4] + " ..."
