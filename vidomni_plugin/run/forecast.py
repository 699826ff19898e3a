"""``--dry-run``: what a run will ask, told by the host itself, and how long it will take."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from vidomni_plugin.data.shard import VARIABLE
from vidomni_plugin.problems import InputProblems, printable
from vidomni_plugin.run.arguments import TITLE, refuse
from vidomni_plugin.run.checks import check_run
from vidomni_plugin.run.estimate import (
    Sampling,
    formula,
    frames_of,
    refused,
    sampling_of,
    text_tokens,
    video_tokens,
)
from vidomni_plugin.run.host_command import Failed, call_host, task_manager
from vidomni_plugin.run.planned import RunPlan, wrapped
from vidomni_plugin.run.run import stop
from vidomni_plugin.wording import counted

if TYPE_CHECKING:
    from vidomni_plugin.models.runner.model import RunnerSimple
    from vidomni_plugin.models.runner.plan import Question

__all__ = ["Forecast", "forecast", "spread"]


class Size(NamedTuple):
    """What a video file holds; height and width in pixels."""

    frames: int
    fps: float
    height: int
    width: int


class Forecast(BaseException):
    """Ends the host's run when all is known that was asked for; no error."""

    def __init__(self, work: Work) -> None:
        self.work = work


@dataclass(slots=True)
class Work:
    """What a run asks."""

    questions: Sequence[Question]
    open: set[str] = field(default_factory=set)
    """Keys that have no answer yet."""
    asked: int = 0
    """Requests that were asked to measure the time."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """How many of them failed for each reason."""
    seconds: float = 0.0
    """What those with an answer took."""


def spread(videos: Sequence[list[Question]], wanted: int) -> list[list[Question]]:
    """Return some videos, evenly over all of them: short and long ones, of every task.

    Example:
        >>> spread([["a"], ["b"], ["c"], ["d"], ["e"]], 2)
        [['b'], ['d']]
    """
    step = len(videos) / wanted if wanted < len(videos) else 1
    return [videos[int((k + 0.5) * step)] for k in range(min(wanted, len(videos)))]


def forecast(plan: RunPlan, calibrate: int) -> None:
    """Print what a run will do.

    Args:
        plan: The run.
        calibrate: Videos to ask about, to measure the time; 0 loads no model.

    Raises:
        SystemExit: With 1 if the run cannot start, or the host does not get that far.
    """
    work: Work | None = None
    try:
        if plan.journal is None:
            refuse("--dry-run", "needs the runner, which --plain leaves out", "leave --plain out")
        if int(os.environ.get("WORLD_SIZE") or 1) > 1:
            refuse("--dry-run", "is for one process", "start it without torchrun or accelerate")
        if plan.shard is not None:
            os.environ[VARIABLE] = f"{plan.shard.number}/{plan.shard.of}"
        told = wrapped(plan) if calibrate else wrapped(plan, answers_only="true")
        manager = task_manager(told)
        check_run(plan, manager, loads=bool(calibrate))
        call_host(told, manager, lambda _, simple: _model(simple=simple, calibrate=calibrate))
    except Forecast as known:
        work = known.work
    except (InputProblems, Failed, KeyboardInterrupt) as error:
        stop(error, plan.journal)
    if work is None:
        stop(Failed("no task asks for generated text"), None)
    _show(plan, work)
    if (failed := sum(work.failed.values())) and failed == work.asked:
        reason = max(work.failed, key=lambda known: work.failed[known])
        stop(Failed(f"each of {counted(failed, 'request')} failed: {reason}"), None)
    typer.echo(printable(f"{TITLE}: {_time(work)}"))


def _model(*, simple: bool, calibrate: int) -> type[RunnerSimple]:
    """Return a runner that looks at the requests in place of asking them."""
    from vidomni_plugin.models.runner.asking import Asking, useless
    from vidomni_plugin.models.runner.entries import read_journal
    from vidomni_plugin.models.runner.guard import Guard
    from vidomni_plugin.models.runner.model import RunnerChat, RunnerSimple
    from vidomni_plugin.models.runner.plan import questions_of, videos_of

    class Looking(RunnerSimple if simple else RunnerChat):  # type: ignore[misc]
        """Says what there is to ask, and may ask a part of it."""

        def generate_until(self, requests: Sequence[Any]) -> Any:  # noqa: ANN401
            """Raise ``Forecast``."""
            if self._journal is not None:
                return super().generate_until(requests)
            questions, _ = questions_of(requests, self.task_dict, self._settings_key)
            known = read_journal(self.arguments.journal).answers
            raise Forecast(Work(questions, {q.key for q in questions} - known.keys()))

        def _ask_missing(self, questions: Sequence[Question], journal: Any) -> None:  # noqa: ANN401
            known = journal.contents.answers
            missing = videos_of(questions, lambda question: question.key in known)
            chosen = spread(missing, calibrate)
            start = time.monotonic()
            guard = Guard(
                useless,
                first=sum(map(len, missing)) == len(questions),
                failed_before=journal.contents.failures,
                on=self.arguments.guard,
            )
            Asking(self.inner_model, journal, self.arguments, guard, shown=True).ask(chosen)
            seconds = time.monotonic() - start
            answers, failures = journal.contents.answers, journal.contents.failures
            left = {q.key for q in questions} - answers.keys()
            asked = [question.key for video in chosen for question in video]
            lost = [failures[key] for key in asked if key not in answers]
            failed = Counter(answer.failure or "" for answer in lost)
            seconds = max(0.0, seconds - sum(answer.seconds or 0.0 for answer in lost))
            raise Forecast(Work(questions, left, len(asked), failed, seconds))

    return Looking


def _show(plan: RunPlan, work: Work) -> None:
    from rich.console import Console
    from rich.table import Table

    from vidomni_plugin.terminal import print_whole

    sizes = _sizes({path for question in work.questions for path in question.video})
    sampling = sampling_of(plan.inner, plan.given)
    view = Table()
    for column in ("task", "requests", "answered", "videos", "frames", "tokens"):
        view.add_column(column, justify="left" if column == "task" else "right")
    tasks = Counter(question.task for question in work.questions)
    for task in tasks:
        mine = [question for question in work.questions if question.task == task]
        done = sum(question.key not in work.open for question in mine)
        videos = {path for question in mine for path in question.video}
        shown = {
            path: frames_of(sampling, sizes[path].frames, sizes[path].fps)
            for path in videos
            if path in sizes
        }
        frames = _sum(shown.get(path) for path in sorted(videos))
        view.add_row(
            *(printable(task), f"{len(mine):,}", f"{done:,}", f"{len(videos):,}", _number(frames)),
            _number(_sum(_tokens(question, plan, sizes) for question in mine)),
        )
    print_whole(view, Console())
    typer.echo(f"frames: of each video once, as {plan.inner} is told to take them")
    short = sum(refused(sampling, size.frames) for size in sizes.values())
    if short:
        typer.echo(
            f"{counted(short, 'video')} will fail: the host asks for {sampling.max_frames} frames "
            "of every video, and these have fewer; give fps, or a smaller even max_num_frames"
        )
    typer.echo(f"tokens: input of all requests together; {formula(sampling.family)}")


def _frames(path: str, sampling: Sampling, sizes: Mapping[str, Size]) -> int | None:
    size = sizes.get(path)
    return frames_of(sampling, size.frames, size.fps) if size else None


def _tokens(question: Question, plan: RunPlan, sizes: Mapping[str, Size]) -> int | None:
    sampling = sampling_of(plan.inner, plan.given)
    total = text_tokens(len(str(question.request.args[0])))
    for path in question.video:
        shown = _frames(path, sampling, sizes)
        if shown is None:
            return None
        tokens = video_tokens(sampling, shown, sizes[path].height, sizes[path].width)
        if tokens is None:
            return None
        total += tokens
    return total


def _sizes(paths: Iterable[str]) -> dict[str, Size]:
    """Return the sizes of the files that are videos."""
    import av

    from vidomni_plugin.data.videos import SUFFIXES, check_videos

    found = {path: Path(path) for path in paths if path.lower().endswith(SUFFIXES)}
    facts = check_videos(path for path in found.values() if path.is_file())
    sizes = {}
    for name, path in found.items():
        seen = facts.get(path)
        if seen is None or seen.error:
            continue
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            sizes[name] = Size(seen.frames, seen.fps, stream.height, stream.width)
    return sizes


def _sum(numbers: Iterable[int | None]) -> int | None:
    every = list(numbers)
    return None if None in every else sum(number or 0 for number in every)


def _number(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _time(work: Work) -> str:
    """Return what is left, and how long it takes where that was measured."""
    if not work.open:
        return "nothing to ask: every answer is in the journal"
    text = f"{counted(len(work.open), 'request')} to ask"
    if not work.asked:
        return f"{text}; --calibrate 5 measures how long it takes"
    failed = sum(work.failed.values())
    answered = work.asked - failed
    text += f", about {_duration(work.seconds / answered * len(work.open))} in one process"
    text += f" ({counted(answered, 'request')} took {work.seconds:.0f} s, warm-up included"
    if not failed:
        return f"{text})"
    reason = max(work.failed, key=lambda known: work.failed[known])
    return f"{text}; {failed} failed: {reason})"


def _duration(seconds: float) -> str:
    """Return a time in the unit that people would say it in.

    Example:
        >>> _duration(7.2), _duration(600), _duration(6 * 3600)
        ('8 seconds', '10 minutes', '6.0 hours')
    """
    if seconds < 100:
        return counted(math.ceil(seconds), "second")
    minutes = round(seconds / 60)
    return counted(minutes, "minute") if minutes < 100 else f"{seconds / 3600:.1f} hours"
