"""Error texts as yt-dlp gives them, and what each means."""

from __future__ import annotations

import pytest

from vidomni_plugin.data.fetch.reasons import PERMANENT, REASONS, Reason
from vidomni_plugin.data.fetch.refusals import DETAIL_LENGTH, plain, reason_of

YT = "ERROR: [youtube] abcdefghijk: "


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (YT + "Video unavailable. This video has been removed by the uploader", "removed"),
        (
            YT + "This video has been removed for violating YouTube's policy on hate speech",
            "removed",
        ),
        (
            YT + "Video unavailable. This video is no longer available because the YouTube account"
            " associated with this video has been terminated.",
            "removed",
        ),
        (
            YT + "Video unavailable. This video is no longer available due to a copyright claim by"
            " Some Films Ltd",
            "removed",
        ),
        (
            YT + "Private video. Sign in if you've been granted access to this video",
            "private",
        ),
        (YT + "This video is private", "private"),
        (
            YT + "Sign in to confirm your age. This video may be inappropriate for some users.",
            "age_restricted",
        ),
        (
            YT + "This video is age-restricted and only available on YouTube",
            "age_restricted",
        ),
        (
            YT + "Sign in to confirm you\u2019re not a bot. Use --cookies-from-browser or --cookies"
            " for the authentication.",
            "bot_check",
        ),
        (YT + "Sign in to confirm you're not a bot", "bot_check"),
        (
            YT + "Video unavailable. This content isn't available, try again later. The current"
            " session has been rate-limited by YouTube for up to an hour.",
            "rate_limited",
        ),
        (YT + "Unable to download webpage: HTTP Error 429: Too Many Requests", "rate_limited"),
        (
            YT + "The uploader has not made this video available in your country",
            "geo_blocked",
        ),
        (
            YT + "Video unavailable. This video contains content from SME, who has blocked it in"
            " your country on copyright grounds",
            "geo_blocked",
        ),
        (
            YT + "Join this channel to get access to members-only content like this video",
            "paid",
        ),
        (
            YT + "This video is available to this channel's members on level: Fan",
            "paid",
        ),
        (YT + "This video requires payment to watch.", "paid"),
        (YT + "Premieres in 3 hours", "not_yet"),
        (YT + "This live event will begin in 2 days.", "not_yet"),
        (YT + "Video unavailable", "unavailable"),
        (YT + "This video is not available", "unavailable"),
        (YT + "Requested format is not available. Use --list-formats", "no_format"),
        (
            "ERROR: You have requested merging of multiple formats but ffmpeg is not installed.",
            "no_ffmpeg",
        ),
        (
            "ERROR: [generic] Unable to download webpage: HTTP Error 404: Not Found (caused by ...",
            "not_found",
        ),
        ("ERROR: [generic] x: HTTP Error 410: Gone", "not_found"),
        ("ERROR: unable to download video data: HTTP Error 403: Forbidden", "forbidden"),
        ("ERROR: Unsupported URL: http://example.org/page", "unsupported"),
        (
            "ERROR: unable to write data: [Errno 28] No space left on device",
            "no_space",
        ),
        (
            "ERROR: unable to open for writing: [Errno 13] Permission denied: '/x/media.mp4.part'",
            "file",
        ),
        (
            "ERROR: Unable to download webpage: [Errno -2] Name or service not known",
            "network",
        ),
        (
            "ERROR: [generic] Unable to download webpage: HTTPConnection: Failed to establish a new"
            " connection: [Errno 111] Connection refused",
            "network",
        ),
        ("ERROR: The read operation timed out", "network"),
        ("ERROR: 800000 bytes read, 700000 more expected. Giving up after 5 retries", "network"),
        ("ERROR: Unable to download webpage: HTTP Error 503: Service Unavailable", "network"),
        ("ERROR: something quite new", "unknown"),
        ("", "unknown"),
    ],
)
def test_each_text_has_its_reason(text, reason):
    assert reason_of(text) is Reason(reason)


def test_every_reason_has_a_meaning_and_a_way_out():
    assert set(REASONS) == set(Reason)
    assert all(why.meaning and why.way_out for why in REASONS.values())
    assert set(REASONS) > PERMANENT


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (YT + "Private video. Sign in", "Private video. Sign in"),
        ("ERROR: \x1b[0;31mred\x1b[0m\n  and\ttwo lines", "red and two lines"),
        ("ERROR: a; please report this issue on  https://x.example , and so on", "a"),
    ],
)
def test_details_are_one_clean_line(text, short):
    assert plain(text) == short


def test_a_long_detail_is_cut():
    assert len(plain("x" * 5000)) == DETAIL_LENGTH
