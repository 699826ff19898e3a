"""Why a video is not there: a closed list of reasons, each with its way out."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = ["PERMANENT", "REASONS", "Reason", "Why"]


class Reason(str, Enum):
    """Short stable name of why a fetch did not get a video."""

    REMOVED = "removed"
    PRIVATE = "private"
    PAID = "paid"
    AGE_RESTRICTED = "age_restricted"
    GEO_BLOCKED = "geo_blocked"
    NOT_YET = "not_yet"
    UNAVAILABLE = "unavailable"
    BOT_CHECK = "bot_check"
    RATE_LIMITED = "rate_limited"
    NO_FORMAT = "no_format"
    NO_FFMPEG = "no_ffmpeg"
    NO_SOURCE = "no_source"
    NOT_FOUND = "not_found"
    FORBIDDEN = "forbidden"
    UNSUPPORTED = "unsupported"
    AMBIGUOUS = "ambiguous"
    TOO_SHORT = "too_short"
    WRONG_DURATION = "wrong_duration"
    SHA256_DIFFERS = "sha256_differs"
    NO_SOUND = "no_sound"
    DECODER = "decoder"
    NO_SPACE = "no_space"
    FILE = "file"
    NETWORK = "network"
    UNKNOWN = "unknown"


class Why(NamedTuple):
    """What a reason means, in words that follow "the video is ...", and the way out."""

    meaning: str
    way_out: str


REASONS: dict[Reason, Why] = {
    Reason.REMOVED: Why(
        "removed from YouTube (by its owner, by YouTube, or with the account)",
        "find a copy in the source data set and name its folder with `--roots`; not asked again "
        "without `--retry removed`",
    ),
    Reason.PRIVATE: Why("private on YouTube", "as for removed; `--retry private` asks again"),
    Reason.PAID: Why(
        "for members or buyers only", "`--cookies` of an account that may see it, or a copy"
    ),
    Reason.AGE_RESTRICTED: Why(
        "shown to signed-in adults only", "`--cookies` of a signed-in account"
    ),
    Reason.GEO_BLOCKED: Why("not shown in this country", "fetch from another country, or a copy"),
    Reason.NOT_YET: Why("announced or live, not finished", "fetch again later"),
    Reason.UNAVAILABLE: Why(
        "not available; YouTube says no more than that", "fetch again later, or a copy"
    ),
    Reason.BOT_CHECK: Why(
        "refused until somebody proves to be human",
        "wait some hours, a longer `--sleep`, `--cookies`; after three in a row YouTube is not "
        "asked any more in that call",
    ),
    Reason.RATE_LIMITED: Why("refused after too many requests", "as for bot_check"),
    Reason.NO_FORMAT: Why(
        "not offered at or below the height asked for", "a larger `--max-height`; update yt-dlp"
    ),
    Reason.NO_FFMPEG: Why(
        "offered as picture and sound apart only, and there is no ffmpeg to merge them",
        "install ffmpeg",
    ),
    Reason.NO_SOURCE: Why(
        "neither under the roots nor named by a YouTube id or url",
        "name the folder of its data set with `--roots`, correct `source_id`, or put the file "
        "into `videos/`",
    ),
    Reason.NOT_FOUND: Why("not at its address (404, 410)", "correct `url` or `youtube_id`"),
    Reason.FORBIDDEN: Why("refused by its server (401, 403)", "`--cookies`; update yt-dlp"),
    Reason.UNSUPPORTED: Why("not to be had from a page of this kind", "a direct url, or a copy"),
    Reason.AMBIGUOUS: Why(
        "one of several files or videos that fit",
        "put the right one into `videos/`, or give its `sha256` in the manifest",
    ),
    Reason.TOO_SHORT: Why(
        "shorter than the manifest says",
        "correct `duration_s`, or find the whole file; a download is kept and judged again, "
        "`--retry too_short` gets it anew",
    ),
    Reason.WRONG_DURATION: Why(
        "longer than the manifest says",
        "the source may be the uncut video: cut it into `videos/` yourself; else as for too_short",
    ),
    Reason.SHA256_DIFFERS: Why(
        "another file than the manifest says",
        "find the right file; take `sha256` out of the manifest where another encoding is fine",
    ),
    Reason.NO_SOUND: Why("without the sound that the manifest says it has", "find the whole file"),
    Reason.DECODER: Why(
        "not decodable: empty, cut off, or no video",
        "delete the file in `videos/`, or `--retry decoder` where it was downloaded",
    ),
    Reason.NO_SPACE: Why("too large for the free space", "make room and fetch again"),
    Reason.FILE: Why("a file that cannot be read or written", "mend the permissions"),
    Reason.NETWORK: Why(
        "lost to the network: no connection, cut off, server error", "fetch again: it is resumed"
    ),
    Reason.UNKNOWN: Why(
        "lost to an error that is not in this list",
        "read `detail` in `fetched.jsonl`; update yt-dlp",
    ),
}
"""Meaning and way out of every reason; ``docs/get_data.md`` shows this table."""

PERMANENT = frozenset({Reason.REMOVED, Reason.PRIVATE, Reason.PAID})
"""What does not change by itself: YouTube is not asked again unless ``--retry`` says so."""
