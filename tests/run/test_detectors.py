"""Detectors under ``vidomni run``: tasks that they refuse are told before anything is loaded."""

from __future__ import annotations

import pytest

CONSTANT = ("run", "--model", "vidomni_constant", "--model_args", "label=ACCEPT")


@pytest.mark.parametrize("more", [("--dry-run",), ()])
@pytest.mark.parametrize("model", ["vidomni_constant", "vidomni_emscore"])
def test_tasks_that_a_detector_does_not_judge_are_all_told(model, more, vidomni, tmp_path):
    tasks = "vidhalloc_mini,vidomni_mini,mme"
    given = "label=ACCEPT" if model == "vidomni_constant" else "pretrained=openai/clip"
    command = ("run", "--model", model, "--model_args", given, "--tasks", tasks)
    done = vidomni(tmp_path / "w", *command, *more)
    assert done.code == 1
    assert "judges answers of VidHalLoc, and not vidomni_mini" in done.err
    assert "judges answers of VidHalLoc, and not mme" in done.err
    assert "not vidhalloc_mini" not in done.err
    assert "use vidhalloc, vidhalloc_eval" in done.err


def test_a_detectors_own_task_is_no_fault(vidomni, tmp_path):
    command = (*CONSTANT, "--tasks", "vidhalloc_mini", "--dry-run")
    done = vidomni(tmp_path / "w", *command)
    assert done.code == 0, done.err
    assert "80" in done.out
