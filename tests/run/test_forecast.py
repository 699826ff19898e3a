"""``vidomni run --dry-run``: what it counts, and that frames and tokens are those of the reader."""

from __future__ import annotations

import re

import pytest

from tests.conftest import CLIP
from tests.run.conftest import Command, asked, replay, toy
from vidomni_plugin.data.videos import check_videos
from vidomni_plugin.run.estimate import (
    Sampling,
    frames_of,
    refused,
    sampling_of,
    video_tokens,
)


@pytest.mark.host
def test_a_dry_run_counts_and_asks_nothing(vidomni: Command, responses, tmp_path):
    log = tmp_path / "log"
    first = vidomni(tmp_path / "w", *toy(log, answer="ACCEPT {n}"), "--limit", "6")
    assert first.code == 0, first.err
    done = vidomni(tmp_path / "w", *toy(log, answer="ACCEPT {n}"), "--dry-run")
    assert done.code == 0, done.err
    assert re.search(r"vidhalloc_mini *│ *80 │ *6 │", done.out)
    assert "vidomni run: 74 requests to ask" in done.out
    assert "unknown: it is not known how this model makes tokens of frames" in done.out
    assert len(asked(log)) == 6


@pytest.mark.host
def test_frames_and_tokens_of_a_known_family(vidomni, tmp_path):
    given = "pretrained=/no/such/model,max_num_frames=8"
    command = ("run", "--model", "qwen2_5_vl", "--model_args", given, "--tasks", "vidomni_mini")
    done = vidomni(tmp_path / "w", *command, "--dry-run")
    assert done.code == 0, done.err
    (row,) = [line for line in done.out.splitlines() if "vidomni_mini" in line and "│" in line]
    requests, answered, videos, frames, tokens = (
        int(cell.replace(",", "")) for cell in row.replace("│", " ").split()[1:]
    )
    assert (requests, answered, frames) == (24, 0, 8 * videos)
    assert tokens > 24 * 8 / 2 * 100
    assert "--calibrate 5 measures how long it takes" in done.out


@pytest.mark.host
def test_a_calibration_keeps_its_answers(vidomni, tmp_path):
    log = tmp_path / "log"
    command = toy(log, answer="ACCEPT {n}", seconds=0.05)
    done = vidomni(tmp_path / "w", *command, "--dry-run", "--calibrate", "2")
    assert done.code == 0, done.err
    number = len(asked(log))
    assert 4 <= number < 20
    match = re.search(r"(\d+) requests to ask, about (\d+) seconds in one process", done.out)
    assert match
    assert int(match[1]) == 80 - number
    assert int(match[2]) >= 0.05 * (80 - number)
    again = vidomni(tmp_path / "w", *command, "--dry-run")
    assert f"vidomni run: {80 - number} requests to ask" in again.out


@pytest.mark.host
def test_a_calibration_whose_requests_all_fail(vidomni, tmp_path):
    command = toy(tmp_path / "log", fault="raises")
    done = vidomni(tmp_path / "w", *command, "--dry-run", "--calibrate", "1")
    assert done.code == 1
    assert re.search(r"each of \d+ requests failed: RuntimeError: CUDA out of memory", done.last)
    assert "in one process" not in done.out + done.err


@pytest.mark.host
def test_a_calibration_without_the_guard_goes_on(vidomni, tmp_path):
    """More useless answers than the guard looks at: with it the calibration ends."""
    more = ("--dry-run", "--calibrate", "9")
    stopped = vidomni(tmp_path / "w", *toy(tmp_path / "log", answer=" "), *more)
    assert stopped.code == 1
    assert "answers are all empty" in stopped.last
    done = vidomni(tmp_path / "v", *toy(tmp_path / "log", answer=" ", guard="false"), *more)
    assert done.code == 0, done.err
    assert "in one process" in done.out


@pytest.mark.host
def test_a_calibration_says_what_failed(vidomni, tmp_path):
    command = toy(tmp_path / "log", fault="raises", at=1, answer="verdict {n}: ACCEPT")
    done = vidomni(tmp_path / "w", *command, "--dry-run", "--calibrate", "2")
    assert done.code == 0, done.err
    assert re.search(r"in one process .*; 1 failed: RuntimeError: CUDA out of mem", done.out)


@pytest.mark.host
def test_a_dry_run_of_a_run_that_is_complete(vidomni, responses, tmp_path):
    command = (*replay(responses, "vidhalloc_mini"), "--no-report", "--limit", "4")
    assert vidomni(tmp_path / "w", *command).code == 0
    for more in ((), ("--calibrate", "5")):
        done = vidomni(tmp_path / "w", *command, "--dry-run", *more)
        assert done.code == 0, done.err
        assert done.out.rstrip().endswith("nothing to ask: every answer is in the journal")


@pytest.mark.host
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--plain",), "needs the runner"),
        (("--model_args", "journal=x,responses=y"), "journal= is an argument of the runner"),
        (("--tasks", "vidhaloc"), "no task 'vidhaloc'"),
    ],
)
def test_a_dry_run_that_cannot_start(arguments, said, vidomni, responses, tmp_path):
    command = (*replay(responses, "vidhalloc_mini"), "--dry-run", *arguments)
    done = vidomni(tmp_path / "w", *command)
    assert done.code == 1
    assert said in done.last


@pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen3_vl"])
@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"max_num_frames": 6}, id="few frames"),
        pytest.param({"fps": 2.0, "max_num_frames": 64}, id="by rate"),
        pytest.param({"max_num_frames": 8, "min_pixels": 4 * 28 * 28}, id="small"),
        pytest.param(
            {"max_num_frames": 4, "min_pixels": 4 * 28 * 28, "max_pixels": 20 * 28 * 28}, id="least"
        ),
    ],
)
def test_tokens_are_those_of_the_library(family, given):
    """The library decodes and resizes the clip; its frames are counted in patches."""
    from qwen_vl_utils.vision_process import fetch_video

    sampling = sampling_of(family, given)
    facts = check_videos([CLIP])[CLIP]
    frames = frames_of(sampling, facts.frames, facts.fps)
    told = {"min_pixels": sampling.min_pixels, "max_pixels": sampling.max_pixels}
    if "fps" in given:
        told["fps"] = given["fps"]
        if family == "qwen3_vl":
            told["max_frames"] = given["max_num_frames"]
    else:
        told["nframes"] = frames
    patch = 14 if family == "qwen2_5_vl" else 16
    video = fetch_video({"video": str(CLIP), **told}, image_patch_size=patch)
    assert video.shape[0] == frames
    height, width = _size()
    tokens = video.shape[0] // 2 * (video.shape[2] // (2 * patch)) * (video.shape[3] // (2 * patch))
    assert video_tokens(sampling, frames, height, width) == tokens


def _size() -> tuple[int, int]:
    import av

    with av.open(str(CLIP)) as container:
        return container.streams.video[0].height, container.streams.video[0].width


@pytest.mark.parametrize(
    ("sampling", "frames", "expected"),
    [
        pytest.param(Sampling(None, None, None), 100, None, id="nothing is said"),
        pytest.param(Sampling(None, 9, None), 100, 8, id="an even number"),
        pytest.param(Sampling(None, 9, None), 1, 2, id="never fewer than two"),
        pytest.param(Sampling("qwen2_5_vl", 32, 1.0), 90 * 60 * 25, 768, id="the reader's limit"),
        pytest.param(Sampling("qwen3_vl", 32, 1.0), 90 * 60 * 25, 32, id="the runner's limit"),
        pytest.param(Sampling(None, None, 1.0), 250, 10, id="by rate alone"),
    ],
)
def test_frames(sampling, frames, expected):
    assert frames_of(sampling, frames, 25.0) == expected


@pytest.mark.parametrize("wanted", [1, 2, 5, 7, 40, 41, 200])
def test_frames_that_qwen3_vl_asks_for_are_rounded_and_refused_by_the_library(wanted):
    """The library itself says what becomes of a number of frames that nobody looked at."""
    from qwen_vl_utils.vision_process import smart_nframes

    sampling = sampling_of("qwen3_vl", {"max_num_frames": wanted})
    try:
        taken = smart_nframes({"nframes": wanted}, total_frames=40, video_fps=10.0)
    except ValueError:
        assert refused(sampling, 40)
    else:
        assert not refused(sampling, 40)
        assert frames_of(sampling, 40, 10.0) == taken
