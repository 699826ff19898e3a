"""Look at everything that a run needs, and say how to mend what is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from vidomni_plugin.data.load import (
    Loaded,
    inspect_captioning,
    inspect_vidhalloc,
    inspect_vidomni,
)
from vidomni_plugin.data.locate import (
    VARIABLE,
    Benchmark,
    home,
    listed_videos,
    locate,
    mini_root,
)
from vidomni_plugin.data.probe import media_digest
from vidomni_plugin.data.sound import sound_of
from vidomni_plugin.host import TESTED_VERSION, tasks_folder
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import VidOmniVideo
from vidomni_plugin.versions import host_version, package_version
from vidomni_plugin.video.settings import (
    READER_VARIABLE,
    cache_bytes,
    check_settings,
    wanted_reader,
)

__all__ = ["BROKEN", "Finding", "examine"]

State = Literal["ok", "note", "broken"]
BROKEN: State = "broken"
MARK = {"ok": "ok    ", "note": "note  ", "broken": "BROKEN"}
READ_SECONDS = 60
"""A decoder that has not read a built-in clip by then does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; ``mend`` says what to do unless it is fine."""

    state: State
    what: str
    seen: str
    mend: str = ""

    def line(self) -> str:
        """Return the finding as it is printed, one line and one for the way to mend it."""
        mend = f"\n       -> {self.mend}" if self.mend else ""
        return f"{MARK[self.state]} {self.what}: {self.seen}{mend}"


def examine() -> Iterator[Finding]:
    """Yield the findings one by one; nothing is downloaded."""
    yield _host_version()
    yield _filelock()
    yield from _tasks_visible()
    yield _home_writable()
    sample = _data("vidomni", inspect_vidomni(mini_root("vidomni")))
    yield Finding(sample.state, "built-in sample", sample.seen, sample.mend)
    yield from _benchmark_data()
    yield _decord()
    yield _torchcodec()
    yield _reader()
    yield _audio()
    yield _gpu()


def _host_version() -> Finding:
    found = host_version()
    if found == TESTED_VERSION:
        return Finding("ok", "lmms-eval", found)
    mend = f"pip install lmms-eval=={TESTED_VERSION}"
    seen = f"{found}, tested with {TESTED_VERSION}" if found else "not installed"
    return Finding("note" if found else "broken", "lmms-eval", seen, mend)


def _filelock() -> Finding:
    found = package_version("filelock") or "not installed"
    if find_spec("filelock") and find_spec("filelock._api"):
        return Finding("ok", "filelock", found)
    return Finding(
        "broken", "filelock", f"{found}, lmms-eval cannot start", "pip install 'filelock<4.3'"
    )


def _tasks_visible() -> Iterator[Finding]:
    """Load all model plugins as the host does: one that fails hides all that come after it."""
    for point in entry_points(group="lmms_eval.models"):
        try:
            point.load()
        except Exception as error:  # a foreign plugin may raise anything; it is reported
            seen = f"{point.value} fails: {error}; the host then loads no plugin at all"
            yield Finding("broken", f"plugin {point.name}", seen, "update or uninstall that plugin")
    try:
        import lmms_eval.models  # noqa: F401 - loads the entry points
        from lmms_eval.tasks import TaskManager
    except ImportError as error:
        yield Finding("broken", "tasks", f"lmms-eval cannot be imported: {error}", "see above")
        return
    names = TaskManager(include_defaults=False).all_tasks
    expected = sorted(path.stem for path in tasks_folder().glob("*/*.yaml"))
    if expected and set(expected) <= set(names):
        yield Finding("ok", "tasks", ", ".join(expected))
    else:
        lost = ", ".join(sorted(set(expected) - set(names))) or f"no file in {tasks_folder()}"
        yield Finding("broken", "tasks", f"not visible: {lost}", "install the package again")


def _home_writable() -> Finding:
    folder = home()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        mend = "set VIDOMNI_HOME to a folder that can be written"
        return Finding("broken", "cache folder", f"{folder}: {error.strerror}", mend)
    return Finding("ok", "cache folder", str(folder))


def _benchmark_data() -> Iterator[Finding]:
    inspectors: dict[Benchmark, Callable[[], Loaded]] = {  # type: ignore[type-arg]
        "vidomni": _vidomni,
        "vidhalloc": lambda: inspect_vidhalloc(locate("vidhalloc", may_download=False)),
    }
    findings: list[Finding] = []
    absent: list[Finding] = []
    for benchmark, inspect in inspectors.items():
        try:
            findings.append(_data(benchmark, inspect()))
        except InputProblems as none:
            named = bool(os.environ.get(VARIABLE[benchmark]))
            places = "; ".join(problem.place for problem in none.problems)
            seen, mend = f"no data ({places})", none.problems[0].hint
            missing = Finding("broken" if named else "note", benchmark, seen, mend)
            (findings if named else absent).append(missing)
    if len(absent) == len(inspectors):
        absent = [Finding("broken", f.what, f.seen, f.mend) for f in absent]
    yield from (*findings, *absent)


def _vidomni() -> Loaded:  # type: ignore[type-arg]
    """Look at the pairs; where there are none yet, at the list of videos to be captioned."""
    try:
        return inspect_vidomni(locate("vidomni", may_download=False))
    except InputProblems:
        if listed := listed_videos():
            return inspect_captioning(listed)
        raise


def _data(benchmark: str, loaded: Loaded) -> Finding:  # type: ignore[type-arg]
    problems = [*loaded.record_problems, *loaded.video_problems]
    videos = len({pair.video for pair in loaded.pairs})
    where = f"{loaded.root.path} ({loaded.root.origin})"
    seen = f"{len(loaded.pairs)} pairs, {videos} videos in {where}"
    if loaded.pairs and isinstance(loaded.pairs[0].record, VidOmniVideo):
        seen = f"no pairs yet, {videos} videos to be captioned in {where}"
    if not problems:
        return Finding("ok", benchmark, seen)
    seen += f"; {len(problems)} problems, first: {problems[0]}"
    mend = f"vidomni data check {benchmark}" if loaded.root.origin != "built-in sample" else ""
    return Finding("broken", benchmark, seen, mend or "install the package again")


def _clip() -> Path:
    return min((mini_root("vidomni").path / "videos").glob("*.mp4"))


def _reads(code: str) -> str:
    """Return "" if a child process runs ``code`` on a built-in clip, else the last error line."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, str(_clip())],
            capture_output=True,
            text=True,
            timeout=READ_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {READ_SECONDS} s"
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def _decord() -> Finding:
    error = _reads("import decord, sys; decord.VideoReader(sys.argv[1])[1].asnumpy()")
    if not error:
        return Finding("ok", "decord", f"{package_version('decord')} reads a clip")
    return Finding("broken", "decord", error, "pip install decord==0.6.0")


def _torchcodec() -> Finding:
    if find_spec("torchcodec") is None:
        return Finding("ok", "torchcodec", "not installed, decord is used")
    error = _reads(
        "import sys; from torchcodec.decoders import VideoDecoder as V; V(sys.argv[1])[0]"
    )
    if not error:
        return Finding("ok", "torchcodec", f"{package_version('torchcodec')} reads a clip")
    mend = "install FFmpeg's libraries, or set FORCE_QWENVL_VIDEO_READER=decord"
    forced = os.environ.get("FORCE_QWENVL_VIDEO_READER") == "decord"
    state: State = "ok" if forced else "note"
    seen = f"does not work ({error}); our tasks read with decord, others would fail"
    return Finding(state, "torchcodec", seen, "" if forced else mend)


def _reader() -> Finding:
    try:
        check_settings()
    except InputProblems as wrong:
        (problem,) = wrong.problems
        return Finding("broken", "video reader", problem.message, problem.hint)
    kept = f"{cache_bytes() / 1e9:.1f} GB of decoded video are kept"
    if wanted := wanted_reader():
        return Finding("ok", "video reader", f"{wanted} ({READER_VARIABLE}); {kept}")
    return Finding("ok", "video reader", f"the host's choice; {kept}")


def _audio() -> Finding:
    for clip in sorted((mini_root("vidomni").path / "videos").glob("*.mp4")):
        try:
            sound = sound_of(clip, media_digest(clip))
        except ValueError:
            continue  # this clip has no sound
        except OSError as error:
            return Finding("broken", "audio", str(error), "pip install --force-reinstall av")
        return Finding(
            "ok", "audio", f"PyAV reads the sound of a clip ({sound.stat().st_size} bytes)"
        )
    return Finding("broken", "audio", "no built-in clip has sound", "install the package again")


def _gpu() -> Finding:
    try:
        import torch
    except ImportError as error:
        return Finding("broken", "torch", str(error), "pip install torch torchvision")
    if not torch.cuda.is_available():
        mend = "fine for tests and API models; local models need a GPU and its driver"
        return Finding("note", "GPU", f"none seen by torch {torch.__version__}", mend)
    names = [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
    return Finding("ok", "GPU", ", ".join(names))
