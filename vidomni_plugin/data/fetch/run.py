"""Carry a plan out: look, link, download; one record a video, written as soon as it is known."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import shutil
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from vidomni_plugin import __version__
from vidomni_plugin.data.fetch.accept import Refusal, Seen, judge
from vidomni_plugin.data.fetch.download import Options, Refused, download, finished
from vidomni_plugin.data.fetch.journal import FILE, Fetched, How, Journal
from vidomni_plugin.data.fetch.look import look, one_of
from vidomni_plugin.data.fetch.place import (
    PART_PREFIX,
    SPARE_BYTES,
    free_bytes,
    link_or_copy,
    readable_size,
    same_device,
)
from vidomni_plugin.data.fetch.plan import Address, Step
from vidomni_plugin.data.fetch.reasons import Reason

__all__ = ["STAGING", "Fetch", "Watcher"]

STAGING = ".fetch"
"""Folder in the root where downloads grow; what is in it is taken up again by the next call."""
BATCH = 64
"""Files that are looked into together; a kill loses no more than their records."""
REFUSED_IN_A_ROW = 3
"""After so many refusals of a bot check or a rate limit YouTube is left in peace for this call."""
_STOPS = {Reason.BOT_CHECK, Reason.RATE_LIMITED}


class Watcher(Protocol):
    """Is told how far a fetch is."""

    def begin(self, what: str) -> None:
        """Say which video is worked on."""

    def bytes(self, done: int, total: int | None) -> None:
        """Say how much of its download is there."""

    def done(self) -> None:
        """One video is settled, in whichever way."""

    def paused(self) -> AbstractContextManager[None]:
        """Leave the terminal to others while the context lasts."""


@dataclass
class Fetch:
    """One fetch into one data set."""

    root: Path
    journal: Journal
    watcher: Watcher
    options: Options = field(default_factory=Options)
    sleep_s: float = 5.0
    """Seconds between two downloads, at least; at most twice as many."""
    retry: Collection[Reason] = ()
    """Reasons whose kept downloads are thrown away first."""
    _in_a_row: int = 0
    _asked: bool = False
    _full: bool = False

    def run(self, steps: Sequence[Step]) -> None:
        """Carry out all steps; what is cheap and needs no network comes first."""
        self._tidy()
        for step in steps:
            if step.action in {"keep", "give up"}:
                self.watcher.done()
            elif step.action == "nowhere":
                self._fail(step, Refusal(Reason.NO_SOURCE, "no local file, no address"), [])
        self._check([step for step in steps if step.action == "check"])
        notes = self._take_local([step for step in steps if step.action == "local"])
        for step in steps:
            if step.addresses and (step.action == "download" or step.video.video_id in notes):
                self._download(step, notes.get(step.video.video_id, []))
        self._tidy()

    def _tidy(self) -> None:
        """Remove what a killed call left and nobody can go on with."""
        unfinished = (self.root / "videos").glob(f"{PART_PREFIX}*")
        for part in (*unfinished, *self.root.glob(f".{FILE}.*.tmp")):
            part.unlink(missing_ok=True)  # copies, and journals that were being written anew
        for folder in (*(self.root / STAGING).glob("*"), self.root / STAGING):
            with suppress(OSError):  # what is not empty stays
                folder.rmdir()

    def _check(self, steps: list[Step]) -> None:
        for batch in _batches(steps):
            self.watcher.begin("looking at videos that are there")
            seen = self._look([step.file for step in batch if step.file])
            for step in batch:
                assert step.file is not None
                refusal = judge(step.video, seen[step.file])
                if refusal is not None:
                    self._fail(step, refusal, [str(step.file.relative_to(self.root))])
                    continue
                same = step.before and step.before.sha256 == seen[step.file].sha256
                how = step.before.how if step.before and same else None
                source = step.before.source if step.before and same else None
                self._present(step, step.file, seen[step.file], how or "found", source)

    def _take_local(self, steps: list[Step]) -> dict[str, list[str]]:
        """Link what fits; returns the notes on videos that are to be downloaded instead."""
        notes: dict[str, list[str]] = {}
        for batch in _batches(steps):
            self.watcher.begin("looking at local copies")
            chosen = {step.video.video_id: one_of(step) for step in batch}
            seen = self._look([file for file in chosen.values() if isinstance(file, Path)])
            for step in batch:
                file = chosen[step.video.video_id]
                refusal = file if isinstance(file, Refusal) else self._link(step, file, seen[file])
                if refusal is None:
                    continue
                place = str(file) if isinstance(file, Path) else "local copies"
                if step.addresses:
                    notes[step.video.video_id] = [f"{place}: {refusal.detail}"]
                else:
                    self._fail(step, refusal, [place], str(step.local[0]))
        return notes

    def _twin(self, address: Address) -> tuple[Path, Seen] | None:
        """Return a video of another id that came from the same address, if it is still there."""
        for record in self.journal.records.values():
            if record.source == address.url and record.file and record.sha256:
                file = self.root / "videos" / record.file
                seen = Seen(record.sha256, record.duration_s or 0.0, bool(record.has_audio))
                if file.is_file() and file.stat().st_mtime_ns == record.mtime_ns:
                    return file, seen
        return None

    def _link(
        self, step: Step, file: Path, seen: Seen, address: Address | None = None
    ) -> Refusal | None:
        """Link a file into ``videos/``; returns why it does not fit or cannot be linked."""
        if refusal := judge(step.video, seen):
            return refusal
        target = self._target(step, file)
        try:
            if not same_device(file, target.parent):
                needed, free = file.stat().st_size + SPARE_BYTES, free_bytes(self.root)
                if needed > free:
                    raise OSError(
                        errno.ENOSPC, f"{readable_size(needed)} needed, {readable_size(free)} free"
                    )
            link_or_copy(file, target)
        except OSError as error:
            return _of_disk(error)
        how, source = address or ("local", str(file))
        self._present(step, target, seen, how, source)
        return None

    def _download(self, step: Step, notes: list[str]) -> None:
        """Try the addresses of a video in turn; the last one's reason is the record's."""
        refusal: Refusal | None = None
        source: str | None = None
        for address in step.addresses:
            if self._full or (address.how == "youtube" and self._in_a_row >= REFUSED_IN_A_ROW):
                continue  # not asked: the record of an earlier fetch, or none, stays true
            refusal, source = self._try(step, address), address.url
            if refusal is None:
                return
            notes = [*notes, f"{address.url}: {refusal.detail}"]
            if refusal.reason is Reason.NO_SPACE:  # too large for what is free is not yet full
                self._full = free_bytes(self.root) <= SPARE_BYTES
            if address.how == "youtube":
                self._in_a_row = self._in_a_row + 1 if refusal.reason in _STOPS else 0
        if refusal is None:
            self.watcher.done()
        else:
            self._fail(step, Refusal(refusal.reason, "; ".join(notes)), [], source)

    def _try(self, step: Step, address: Address) -> Refusal | None:
        """Download, look, and move into ``videos/``; a file that does not fit stays in staging."""
        folder = self.root / STAGING / _key(address.url, self.options.max_height)
        if twin := self._twin(address):
            return self._link(step, *twin, address)
        try:
            if step.before and step.before.reason in self.retry:
                shutil.rmtree(folder, ignore_errors=True)
            if not finished(folder):
                self._wait()
            self.watcher.begin(step.video.video_id)
            file = download(
                address.url,
                folder,
                self.options,
                expected_s=step.video.duration_s,
                progress=self.watcher.bytes,
            )
            seen = self._look([file])[file]
            if refusal := judge(step.video, seen):
                return refusal
            target = self._target(step, file)
            target.parent.mkdir(exist_ok=True)
            os.replace(file, target)
        except Refused as refused:
            with suppress(OSError):  # nothing arrived: an empty folder is of no use
                folder.rmdir()
            return refused.refusal
        except OSError as error:
            return _of_disk(error)
        self._present(step, target, seen, address.how, address.url)
        shutil.rmtree(folder, ignore_errors=True)
        return None

    def _look(self, files: Sequence[Path]) -> dict[Path, Seen]:
        """Look at files; checks and hashes of many draw progress bars of their own."""
        with self.watcher.paused():
            return look(files)

    def _wait(self) -> None:
        if self._asked and self.sleep_s > 0:
            self.watcher.begin("waiting, so as not to press the server")
            time.sleep(random.uniform(self.sleep_s, 2 * self.sleep_s))
        self._asked = True

    def _target(self, step: Step, file: Path) -> Path:
        # video_id is safe as a file name (records.Id); the ending is one of SUFFIXES.
        return self.root / "videos" / (step.video.video_id + file.suffix.lower())

    def _present(self, step: Step, file: Path, seen: Seen, how: How, source: str | None) -> None:
        stat = file.stat()
        self._write(
            Fetched(
                video_id=step.video.video_id,
                status="present",
                file=file.name,
                bytes=stat.st_size,
                mtime_ns=stat.st_mtime_ns,
                sha256=seen.sha256,
                duration_s=round(seen.duration_s, 3),
                has_audio=seen.has_audio,
                how=how,
                source=source,
                at=datetime.now(timezone.utc),
                tool=self._tool(),
            )
        )

    def _fail(
        self, step: Step, refusal: Refusal, places: list[str], source: str | None = None
    ) -> None:
        self._write(
            Fetched(
                video_id=step.video.video_id,
                status="failed",
                reason=refusal.reason,
                detail=": ".join([*places, refusal.detail]),
                source=source,
                at=datetime.now(timezone.utc),
                tool=self._tool(),
            )
        )

    def _tool(self) -> str:
        return f"vidomni {__version__}" + (f", yt-dlp {version('yt-dlp')}" if self._asked else "")

    def _write(self, record: Fetched) -> None:
        self.journal.add(record)
        self.watcher.done()


def _of_disk(error: OSError) -> Refusal:
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    text = f"{error.filename or ''} {error.strerror or error}".strip()
    return Refusal(Reason.NO_SPACE if full else Reason.FILE, text)


def _key(url: str, max_height: int) -> str:
    """Name of a download's staging folder: another address or height never goes on with it."""
    return hashlib.sha256(json.dumps([url, max_height]).encode()).hexdigest()[:24]


def _batches(steps: list[Step]) -> Iterator[list[Step]]:
    for start in range(0, len(steps), BATCH):
        yield steps[start : start + BATCH]
