"""What many tests share: small data sets on disk, and the real host in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import pytest
from filelock._api import FileLockMeta

from tests.warm_host import is_warm, warm_run
from vidomni_plugin import host
from vidomni_plugin.data.locate import mini_root

# Models of tests are tiny: several threads would only wait for each other, and for other workers.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A shell that starts the tests in the background has Ctrl-C ignored, and children inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)

LOCK_CALL = FileLockMeta.__call__
"""How filelock itself makes a lock."""
CLIP = mini_root("vidomni").path / "videos" / "roll.mp4"


def _bind_encoders() -> None:
    """Encode a frame with each WebM encoder of PyAV.

    decord brings an older libvpx into the process. A function that was called before stays
    PyAV's own; one that was not would be decord's, which refuses its arguments.
    """
    for codec in ("libvpx", "libvpx-vp9"):
        encoder: Any = av.CodecContext.create(codec, "w")
        encoder.width = encoder.height = 64
        encoder.pix_fmt, encoder.time_base = "yuv420p", Fraction(1, 8)
        for frame in (av.VideoFrame(64, 64, "yuv420p"), None):
            encoder.encode(frame)


_bind_encoders()
HOST_SECONDS = 300
"""A run of the host that takes longer than this hangs."""


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache folder for all tests, so that the built-in clips are probed once."""
    return tmp_path_factory.mktemp("vidomni-home")


@pytest.fixture(autouse=True)
def _own_home(shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDOMNI_HOME", str(shared_home))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("VIDOMNI_DATA", "VIDHALLOC_DATA", "VIDOMNI_ALLOW_MISSING"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _hosts_own_evaluation() -> None:
    """Undo what a test of the command line left in the process.

    There, bad input ends the process; from Python it is an exception.
    """
    evaluator: Any = sys.modules.get("lmms_eval.evaluator")
    while evaluator and hasattr(evaluator.simple_evaluate, host._INSTALLED):
        evaluator.simple_evaluate = evaluator.simple_evaluate.__wrapped__


def separate_locks() -> None:
    """Let two locks of one path stand for two processes again.

    An evaluation of the host makes them one, which a process then takes as often as it likes.
    """
    FileLockMeta.__call__ = LOCK_CALL
    if evaluator := sys.modules.get("lmms_eval.evaluator"):
        evaluator._enable_reentrant_filelocks._patched = False


@pytest.fixture(autouse=True)
def _separate_locks() -> None:
    separate_locks()


def vidomni_record(**changes: Any) -> dict[str, Any]:
    """Return a valid line of ``pairs.jsonl``."""
    record: dict[str, Any] = {
        "pair_id": "clip__a",
        "video_id": "clip",
        "complexity_type": 2,
        "duration_s": 4.0,
        "has_audio": False,
        "audio_category": None,
        "source_dataset": "other",
        "caption_source": "captioner-a",
        "caption_prompt": 1,
        "sentences": [
            {"text": "A circle rolls.", "label": 0, "errors": []},
            {
                "text": "A cube flies.",
                "label": 1,
                "errors": [{"text": "cube", "category": "Object"}],
            },
            {"text": "It is afternoon.", "label": None, "errors": []},
        ],
    }
    return record | changes


def vidhalloc_record(
    pair_id: str = "pair_1", video_id: str = "v1", **changes: Any
) -> dict[str, Any]:
    """Return a valid line of a VidHalLoc file."""
    record: dict[str, Any] = {
        "schema_version": "videohalo_probe_pair_sample_fixed8_3.6.1",
        "pair_id": pair_id,
        "media": {
            "video_id": video_id,
            "canonical_media_uri": f"media://{video_id}/original",
            "registered_modalities": ["visual"],
            "evidence_policy_id": "gemini_native_original_video_v1",
        },
        "task_type": "video_qa",
        "question": "What rolls?",
        "answer": "A circle rolls.",
        "counterfactual_answer": "A cube rolls.",
        "leaf_label": "EntityCategory",
        "conflict_slot": "category",
    }
    return record | changes


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write JSON lines and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def vidomni_data(root: Path, records: list[dict[str, Any]]) -> Path:
    """Lay out a VidOmni data set whose videos are copies of one built-in clip."""
    write_lines(root / "pairs.jsonl", records)
    (root / "videos").mkdir(parents=True, exist_ok=True)
    for video_id in {str(record["video_id"]) for record in records}:
        (root / "videos" / f"{video_id}.mp4").write_bytes(CLIP.read_bytes())
    return root


def vidhalloc_data(root: Path, records: list[dict[str, Any]]) -> Path:
    """Lay out the full set of a VidHalLoc release; videos are copies of one built-in clip."""
    write_lines(root / "Datasets" / "2000_Orign" / "2000_Orign.jsonl", records)
    for record in records:
        folder = root / ("videoqa" if record["task_type"] == "video_qa" else "video caption")
        folder.mkdir(exist_ok=True)
        (folder / f"{record['media']['video_id']}.mp4").write_bytes(CLIP.read_bytes())
    return root


@dataclass(frozen=True)
class HostRun:
    """What one run of the host printed and left."""

    code: int
    output: str
    folder: Path

    def results(self) -> dict[str, Any]:
        """Return the results file; the run must have written exactly one."""
        (path,) = self.folder.rglob("*_results.json")
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return loaded

    def scores(self, task: str) -> dict[str, float]:
        """Return the metrics of a task, without standard errors."""
        rows = self.results()["results"][task]
        return {
            name.removesuffix(",none"): value
            for name, value in rows.items()
            if name.endswith(",none") and "_stderr" not in name
        }

    def samples_file(self, task: str) -> Path:
        """Return the samples file of a task."""
        (path,) = self.folder.rglob(f"*_samples_{task}.jsonl")
        return path

    def samples(self, task: str) -> list[dict[str, Any]]:
        """Return the samples of a task in file order."""
        lines = self.samples_file(task).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


def run_host(
    folder: Path, *arguments: str, launcher: tuple[str, ...] = (), ranks: int = 1, **env: str
) -> HostRun:
    """Run lmms-eval in a process of its own, offline, with ``--log_samples``.

    Without a launcher, and with no variables but ours, the process begins with the host imported.
    Only so it has several ranks; what a launcher starts is the launcher's.
    """
    arguments = (*arguments, "--log_samples", "--output_path", str(folder))
    if not launcher and is_warm(env):
        output = folder.parent / f"{folder.name}.printed"
        everything = {**os.environ, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", **env}
        output.write_bytes(b"")
        codes = warm_run(arguments, folder.parent, everything, output, HOST_SECONDS, ranks)
        code = next((code for code in codes if code), 0)
        return HostRun(code, output.read_text(encoding="utf-8", errors="replace"), folder)
    assert ranks == 1, "several ranks begin with the host imported"
    command = [sys.executable, *(launcher or ("-m", "lmms_eval")), *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=HOST_SECONDS,
        check=False,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", **env},
        cwd=folder.parent,
    )
    return HostRun(done.returncode, done.stdout + done.stderr, folder)
