"""Messages that name what was given, and what to do about it."""

from __future__ import annotations

import pytest
import tiny_clip

from vidomni_plugin.models.detectors.checkpoint import load_checkpoint
from vidomni_plugin.models.detectors.features import features_folder
from vidomni_plugin.models.detectors.text_only import TextOnly
from vidomni_plugin.models.detectors.video_chat import VideoChat
from vidomni_plugin.problems import InputProblems


def problem(make):
    with pytest.raises(InputProblems) as found:
        make()
    (only,) = found.value.problems
    return only


def test_features_that_are_a_file(tmp_path):
    path = tmp_path / "features"
    path.write_text("x")
    found = problem(lambda: features_folder("vidomni_emscore", str(path)))
    assert found.message == "a file, and features= names a folder"


def test_an_argument_that_would_do_nothing_names_those_that_do():
    found = problem(lambda: TextOnly(pretrained="m", frames=8))
    assert "frames" in found.message
    assert "known are pretrained, prompt, spaces" in found.hint


@pytest.mark.parametrize("content", [None, b"no zip file"])
def test_weights_that_cannot_be_read_say_nothing_of_architectures(content, tmp_path):
    import torch

    path = tmp_path / "weights.pth"
    if content is not None:
        path.write_bytes(content)
    found = problem(lambda: load_checkpoint("vidomni_pacs", path, torch.nn.Linear(1, 1)))
    assert "architecture" not in found.hint
    assert "weights=" in found.hint


def test_a_model_of_another_kind_is_one_line(tmp_path):
    folder = tiny_clip.build(tmp_path / "clip", 77, 1)
    found = problem(lambda: VideoChat(str(folder), "cpu"))
    assert "CLIPConfig" in found.message
    assert len(found.message) < 300
    assert "Model type should be" not in found.message
