"""Figures that other processes write: the same files, whatever happens to those processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.report.builders import signature, vidhalloc_run, vidomni_run
from vidomni_plugin.figures import bars, drawing
from vidomni_plugin.report import draw, vidhalloc_figures, vidomni_figures
from vidomni_plugin.report.draw import drawn, helpers
from vidomni_plugin.report.settings import Settings

SECONDS = 30
"""So long a process may take to end on a busy machine."""


def one(text: str):
    with drawing(3.4, 2.0) as (figure, (axes,)):
        bars(axes, ["a"], [1.0], [text])
        return figure


FIGURES = [(name, lambda name=name: one(name)) for name in ("first", "second", "third")]


def files_of(figures, folder: Path, beside: int, say=lambda what: None) -> dict[str, bytes]:
    folder.mkdir()
    with drawn(figures, folder, beside, say) as wait:
        paths = wait()
    assert sorted(paths) == sorted(folder.iterdir())
    assert [path.stem for path in paths[::2]] == [name for name, _ in figures]
    return {path.name: path.read_bytes() for path in paths}


def all_figures():
    """Every kind of figure that a report may hold."""
    gold = {"v1__x": [1, 0], "v2__x": [1, 1]}
    fields = {key: {"audio_category": "Speech", "caption_source": "M-2B"} for key in gold}
    runs = [
        vidomni_run(name, gold, gold, fields, signature=signature(of, fps=fps), task=task)
        for name, of, fps, task in (
            ("a", "M-2B", "2", "vidomni"),
            ("a", "M-2B", "2", "vidomni_av"),
            ("b", "M-2B", "4", "vidomni"),
            ("c", "M-8B", "2", "vidomni"),
        )
    ]
    halloc = vidhalloc_run("a", {f"v{k}__x": ("ACCEPT", "REJECT") for k in range(4)})
    scored = [{**item, "score": k / 7} for k, item in enumerate(halloc.items)]
    runs.append(replace(halloc, items=scored))
    few = Settings(draws=50)
    return [*vidomni_figures.figures(runs, few), *vidhalloc_figures.figures(runs, few)]


def test_other_processes_write_the_same_bytes(tmp_path):
    figures = all_figures()
    assert len(figures) >= 15
    here = files_of(figures, tmp_path / "here", 0)
    assert files_of(figures, tmp_path / "beside", 2) == here


def test_each_figure_is_told_when_it_is_drawn_and_when_its_files_are_waited_for(tmp_path):
    told: list[str] = []
    files_of(FIGURES, tmp_path / "f", 0, told.append)
    assert told == [
        *(f"figure {k} of 3" for k in (1, 2, 3)),
        *(f"figure {k} of 3: its files" for k in (1, 2, 3)),
    ]


@pytest.mark.parametrize(
    ("cores", "expected"), [({0}, 0), ({0, 1}, 2), (set(range(64)), 2)], ids=str
)
def test_a_single_core_gets_no_process_beside(monkeypatch, cores, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: cores, raising=False)
    assert helpers() == expected


def die(*_):
    os._exit(9)


def test_what_a_process_that_was_killed_left_is_written_here(tmp_path, monkeypatch):
    expected = files_of(FIGURES, tmp_path / "here", 0)
    real = draw.ProcessPoolExecutor.submit
    monkeypatch.setattr(
        draw.ProcessPoolExecutor, "submit", lambda self, _, *rest: real(self, die, *rest)
    )
    assert files_of(FIGURES, tmp_path / "killed", 2) == expected


@pytest.mark.parametrize("error", [OSError("no more processes"), BrokenExecutor("gone")])
def test_processes_that_cannot_start_are_not_needed(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(draw.ProcessPoolExecutor, "submit", fail)
    assert len(files_of(FIGURES, tmp_path / "f", 2)) == 6


def test_a_system_without_semaphores_draws_here(tmp_path, monkeypatch):
    def fail(*_):
        raise ImportError("This platform lacks a functioning sem_open implementation")

    monkeypatch.setattr(draw, "ProcessPoolExecutor", fail)
    assert len(files_of(FIGURES, tmp_path / "f", 2)) == 6


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        drawn(FIGURES, tmp_path / "file", 2, lambda what: None) as wait,
        pytest.raises(OSError, match="file"),
    ):
        wait()


WAITING = """
import sys, time
from pathlib import Path
from tests.report.test_draw import FIGURES
from vidomni_plugin.report.draw import drawn
with drawn(FIGURES, Path(sys.argv[1]), 2, lambda what: None) as wait:
    wait()
    print("drawn", flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGKILL], ids=str)
def test_no_process_outlives_the_one_that_started_it(tmp_path, signal_):
    command = [sys.executable, "-c", WAITING, str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout.readline() == "drawn\n"
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= 2
        if signal_ == signal.SIGINT:
            os.killpg(process.pid, signal_)  # as a terminal does: to all of them
        else:
            process.send_signal(signal_)
        said = process.stderr.read()
    _, alive = psutil.wait_procs(children, timeout=SECONDS)
    assert alive == []
    # One Ctrl-C, one traceback: of the process that was asked to stop.
    assert said.count("KeyboardInterrupt") == (signal_ == signal.SIGINT)


STARTING = """
import sys
from pathlib import Path
from tests.report.test_draw import FIGURES
from vidomni_plugin.report.draw import drawn
def say(what):
    print(what, flush=True)
with drawn(FIGURES * 20, Path(sys.argv[1]), 2, say) as wait:
    wait()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_while_processes_start_is_said_once(tmp_path):
    command = [sys.executable, "-c", STARTING, str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        for _ in range(3):
            process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=SECONDS)
    assert said.count("KeyboardInterrupt") == 1
    assert process.returncode != 0
