"""Download one video with yt-dlp: resumed, limited in rate and height, in a staging folder."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin.data.fetch.accept import Refusal, duration_refusal
from vidomni_plugin.data.fetch.place import SPARE_BYTES, free_bytes, readable_size
from vidomni_plugin.data.fetch.reasons import Reason
from vidomni_plugin.data.fetch.refusals import plain, reason_of
from vidomni_plugin.data.locate import home
from vidomni_plugin.data.videos import SUFFIXES

__all__ = ["YOUTUBE", "Options", "Refused", "download", "finished", "has_deno", "has_ffmpeg"]

YOUTUBE = "https://www.youtube.com/watch?v={}"
RETRIES = 5
"""How often a connection that was cut is taken up again within one call."""
LONGEST_WAIT_S = 20.0
"""Before such a retry, in seconds; the first waits one."""
SOCKET_S = 30
"""A server that is silent for longer is taken for gone, in seconds."""
PAGE_ROUNDING_S = 1.0
"""Pages tell durations in whole seconds."""


class Refused(Exception):
    """The video was not got; ``refusal`` says why."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(f"{refusal.reason.value}: {refusal.detail}")


@dataclass(frozen=True, slots=True)
class Options:
    """How downloads behave."""

    max_height: int = 720
    """Lines of the picture at most."""
    rate: int | None = None
    """Bytes a second at most; None for no limit."""
    cookies: str | None = None
    """Content of a cookies file in Netscape format."""


def has_ffmpeg() -> bool:
    """Return whether streams of picture and sound can be merged."""
    return shutil.which("ffmpeg") is not None


def has_deno() -> bool:
    """Return whether yt-dlp has the JavaScript runtime that it uses by itself."""
    return shutil.which("deno") is not None


def finished(folder: Path) -> Path | None:
    """Return the whole download that lies in a staging folder, if there is one."""
    for suffix in SUFFIXES:
        if (path := folder / f"media{suffix}").is_file():
            return path
    return None


def download(
    url: str,
    folder: Path,
    options: Options,
    *,
    expected_s: float | None = None,
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> Path:
    """Download a video into a staging folder, or go on with what lies there.

    Args:
        url: Page or file, http or https.
        folder: Belongs to this url alone; partial files stay in it for the next call.
        options: Rate, height, cookies.
        expected_s: Duration by the manifest, in seconds; a page that tells another one is
            refused before anything is downloaded.
        progress: Called with the bytes that are there and, where known, all of them.

    Returns:
        The whole file, with an ending of ``SUFFIXES``.

    Raises:
        Refused: With the reason; nothing that was downloaded is lost.
    """
    if whole := finished(folder):
        return whole
    from yt_dlp import YoutubeDL
    from yt_dlp.utils import YoutubeDLError

    folder.mkdir(parents=True, exist_ok=True)
    log = _Log()
    try:
        with YoutubeDL(_parameters(folder, options, log, progress)) as downloader:
            info = downloader.extract_info(url, download=False)
            _refuse_early(info, folder, expected_s)
            downloader.process_ie_result(info, download=True)
    except Refused:
        raise
    except _DiskFull as full:
        if not full.known:  # a stream without an end would fill the disk again next time
            shutil.rmtree(folder, ignore_errors=True)
        detail = f"less than {readable_size(SPARE_BYTES)} would be left free"
        raise Refused(Refusal(Reason.NO_SPACE, detail)) from full
    except (YoutubeDLError, OSError) as error:
        raise Refused(_refusal(str(error), log)) from error
    except Exception as error:  # an extractor may raise anything when its site has changed
        raise Refused(Refusal(Reason.UNKNOWN, plain(repr(error)))) from error
    whole = finished(folder) or _renamed(folder)
    if whole is None:
        raise Refused(_refusal(log.last or "yt-dlp left no video file", log))
    return whole


class _DiskFull(Exception):
    """The room that must stay free is used up; ``known`` tells whether the end was in sight."""

    def __init__(self, *, known: bool) -> None:
        self.known = known
        super().__init__()


class _Log:
    """Takes what yt-dlp says; the last warning often tells more than the error."""

    def __init__(self) -> None:
        self.last = ""

    def debug(self, message: str) -> None:
        pass

    info = debug

    def warning(self, message: str) -> None:
        self.last = message

    error = warning


def _parameters(
    folder: Path, options: Options, log: _Log, progress: Callable[[int, int | None], None]
) -> dict[str, Any]:
    def hook(state: dict[str, Any]) -> None:
        if state.get("status") == "downloading" and free_bytes(folder) < SPARE_BYTES:
            known = state.get("total_bytes") or state.get("total_bytes_estimate")
            raise _DiskFull(known=bool(known))
        total = state.get("total_bytes") or state.get("total_bytes_estimate")
        progress(int(state.get("downloaded_bytes") or 0), int(total) if total else None)

    height = f"[height<=?{options.max_height}]"  # "?": a plain file does not tell its height
    single = f"b{height}[ext=mp4]/b{height}"
    parameters: dict[str, Any] = {
        "paths": {"home": str(folder)},
        "outtmpl": {"default": "media.%(ext)s"},
        "format": f"bv*{height}+ba/{single}" if has_ffmpeg() else single,
        # Every runner's decoder reads H.264 with AAC in MP4; newer codecs not everywhere.
        "format_sort": [f"res:{options.max_height}", "vcodec:h264", "acodec:aac", "ext:mp4:m4a"],
        "merge_output_format": "mp4",
        "noplaylist": True,
        "playlist_items": "1",
        "continuedl": True,
        "overwrites": False,
        "retries": RETRIES,
        "fragment_retries": RETRIES,
        "skip_unavailable_fragments": False,  # a video with a hole is not the video
        "retry_sleep_functions": {
            kind: lambda n: min(2.0**n, LONGEST_WAIT_S) for kind in ("http", "fragment")
        },
        "socket_timeout": SOCKET_S,
        "ratelimit": options.rate,
        "updatetime": False,
        "cachedir": str(home() / "yt-dlp"),
        "quiet": True,
        "noprogress": True,
        "color": "never",
        "logger": log,
        "progress_hooks": [hook],
    }
    if options.cookies is not None:
        # A stream: given a file name, yt-dlp would write the user's file anew.
        parameters["cookiefile"] = io.StringIO(options.cookies)
    return parameters


def _refuse_early(info: dict[str, Any] | None, folder: Path, expected_s: float | None) -> None:
    """Raise Refused where the page alone tells that the download would be in vain."""
    if not info:
        raise Refused(Refusal(Reason.UNSUPPORTED, "yt-dlp found nothing at this address"))
    if info.get("_type") in {"playlist", "multi_video"}:
        raise Refused(Refusal(Reason.AMBIGUOUS, "the page holds several videos"))
    if info.get("live_status") in {"is_live", "is_upcoming", "post_live"}:
        raise Refused(Refusal(Reason.NOT_YET, f"live status {info['live_status']}"))
    if info.get("duration") and (
        refusal := duration_refusal(expected_s, float(info["duration"]), rounding=PAGE_ROUNDING_S)
    ):
        raise Refused(refusal)
    streams = info.get("requested_formats") or [info]
    sizes = [s.get("filesize") or s.get("filesize_approx") or 0 for s in streams]
    there = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    # Merging writes a second copy of all streams.
    needed = int(sum(sizes)) * (2 if len(streams) > 1 else 1) - there + SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if needed > free:
        detail = f"{readable_size(needed)} needed, {readable_size(free)} free in {folder}"
        raise Refused(Refusal(Reason.NO_SPACE, detail))


def _refusal(text: str, log: _Log) -> Refusal:
    reason = reason_of(text)
    if reason is Reason.UNKNOWN and log.last:
        reason = reason_of(log.last)
    if reason is Reason.NO_FORMAT and not has_ffmpeg():
        reason = Reason.NO_FFMPEG
    detail = plain(text)
    if reason in {Reason.NO_FORMAT, Reason.NO_FFMPEG, Reason.UNKNOWN} and log.last not in text:
        detail += f" (before: {plain(log.last)})"  # why formats were not seen, for instance
    return Refusal(reason, detail)


def _renamed(folder: Path) -> Path | None:
    """Give a file whose server did not name its kind the ending of its container."""
    for path in sorted(folder.glob("media.*")):
        if path.suffix in {".part", ".ytdl", ".temp"} or not path.is_file():
            continue
        with path.open("rb") as file:
            head = file.read(12)
        ending = ".mp4" if head[4:8] == b"ftyp" else ".mkv" if head[:4] == b"\x1aE\xdf\xa3" else ""
        if ending and not path.stem.startswith("media.f"):
            return path.rename(folder / f"media{ending}")
    return None
