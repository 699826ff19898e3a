"""A web server on this machine with ranges; slow or cutting connections where asked; it counts."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = 16_384


@dataclass
class Site:
    """What a server serves, how, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    """Wait between two pieces: a slow server."""
    cut_after: dict[str, int] = field(default_factory=dict)
    """Bytes of a download after which its connection is cut, once."""
    status: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Path and first byte of every request."""
    sent: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each piece of a file was sent, by path and number of the piece."""
    endless: bool = False
    """Do not tell how long a file is."""
    url: str = ""

    def requests(self, path: str) -> int:
        return sum(asked == path for asked, _ in self.asked)


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            content = site.files.get(self.path)
            found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            start = int(found[1]) if found else 0
            site.asked.append((self.path, start))
            status = site.status.get(self.path, 200 if content is not None else 404)
            if status != 200 or content is None:
                self.send_error(status)
                return
            self.send_response(206 if found else 200)
            self.send_header("Content-Type", site.types.get(self.path, "video/mp4"))
            if not site.endless:
                self.send_header("Content-Length", str(len(content) - start))
            if found:
                end = len(content) - 1
                self.send_header("Content-Range", f"bytes {start}-{end}/{len(content)}")
            self.end_headers()
            self._send(content, start)

        do_HEAD = do_GET  # noqa: N815

        def _send(self, content: bytes, start: int) -> None:
            cut = site.cut_after.get(self.path)
            for at in range(start, len(content), PIECE):
                if cut is not None and at - start >= cut:
                    del site.cut_after[self.path]
                    self.connection.close()
                    return
                try:
                    self.wfile.write(content[at : at + PIECE])
                except OSError:
                    return  # the client is gone
                site.sent[self.path, at // PIECE] += 1
                time.sleep(site.pause_s)

    return Handler


@contextmanager
def serving() -> Iterator[Site]:
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


def padded(video: bytes, size: int) -> bytes:
    """Return an MP4 file as a valid one of ``size`` bytes: a box that players pass over follows."""
    length = size - len(video)
    filler = bytes(n * 7 % 251 for n in range(1000)) * (length // 1000 + 1)
    return video + length.to_bytes(4, "big") + b"free" + filler[: length - 8]
