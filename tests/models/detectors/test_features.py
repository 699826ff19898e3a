"""Frames of a video go through the model once: for a run, and with a folder for all runs."""

from __future__ import annotations

import numpy as np
import pytest
from videos import noise, write_video

from vidomni_plugin.models.detectors import features as module
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.emscore import EMScoreDetector
from vidomni_plugin.problems import InputProblems

TEXTS = ["a dog", "a cat", "a dog"]


@pytest.fixture
def video(tmp_path):
    return Shown(str(write_video(tmp_path / "video.mkv", noise(6))), "digest-of-the-video")


@pytest.fixture
def decoded(monkeypatch):
    """Return a list that holds the path of every video that is decoded."""
    paths = []
    frames = module.shown_frames

    def counting(path, count):
        paths.append(path)
        return frames(path, count)

    monkeypatch.setattr(module, "shown_frames", counting)
    return paths


def detector(tiny, **arguments):
    return EMScoreDetector(str(tiny), device="cpu", **arguments)


def scores(one, video):
    return [found.score for found in one.score_video(video, TEXTS)]


def test_once_a_video_and_once_a_text(tiny, video, decoded):
    one = detector(tiny)
    first = scores(one, video)
    assert first[0] == first[2] != first[1]
    assert (one.frames.encoded, one.texts, len(decoded)) == (6, 2, 1)
    assert scores(one, video) == first
    assert (one.frames.encoded, len(decoded)) == (6, 1)


def test_a_score_does_not_depend_on_what_else_is_asked(tiny, video):
    alone = [detector(tiny).score_video(video, [text])[0].score for text in TEXTS]
    assert alone == scores(detector(tiny), video)


def test_another_run_reads_them_from_the_folder(tiny, video, decoded, tmp_path):
    folder = tmp_path / "kept"
    first = scores(detector(tiny, features=folder), video)
    again = detector(tiny, features=folder)
    assert scores(again, video) == first
    assert (again.frames.encoded, len(decoded)) == (0, 1)
    assert [file.suffix for file in folder.iterdir()] == [".npy"]


@pytest.mark.parametrize(
    "change",
    [{"frames": 3}, {"dtype": "bfloat16"}, {"video": "another"}, {"weights": 1}, {"size": 1}],
    ids=lambda change: next(iter(change)),
)
def test_what_decides_features_has_a_file_of_its_own(change, tiny, video, decoded, tmp_path):
    folder = tmp_path / "kept"
    scores(detector(tiny, features=folder), video)
    other = changed(tiny, tmp_path / "other", change)
    if "video" in change:
        video = video._replace(digest=change["video"])
    settings = {k: v for k, v in change.items() if k in {"frames", "dtype"}}
    scores(detector(other, features=folder, **settings), video)
    assert len(decoded) == 2
    assert len(list(folder.iterdir())) == 2


def changed(tiny, folder, change):
    """Return a checkpoint with one weight of the vision tower or its preparation changed."""
    import json
    import shutil

    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny, folder)
    if "weights" in change:
        file = folder / "model.safetensors"
        weights = load_file(file)
        weights["vision_model.post_layernorm.bias"][0] += 1e-3
        save_file(weights, file, metadata={"format": "pt"})
    if "size" in change:
        file = folder / "preprocessor_config.json"
        settings = json.loads(file.read_text())
        file.write_text(json.dumps(settings | {"image_mean": [0.5, 0.5, 0.5]}))
    return folder


def test_frame_batch_changes_nothing(tiny, video, tmp_path):
    folder = tmp_path / "kept"
    found = [scores(detector(tiny, frame_batch=batch), video) for batch in (1, 4, 32)]
    np.testing.assert_allclose(found, [found[0]] * 3, atol=1e-6)
    scores(detector(tiny, features=folder, frame_batch=1), video)
    again = detector(tiny, features=folder, frame_batch=4)
    scores(again, video)
    assert again.frames.encoded == 0


@pytest.mark.parametrize("damage", ["cut", "empty", "text", "nan", "object"])
def test_a_damaged_file_is_made_anew(damage, tiny, video, tmp_path):
    folder = tmp_path / "kept"
    first = scores(detector(tiny, features=folder), video)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    if damage == "nan":
        np.save(file, np.full((6, 12), np.nan, np.float32))
    elif damage == "object":
        np.save(file, np.array([{}], dtype=object), allow_pickle=True)
    else:
        file.write_bytes({"cut": whole[:100], "empty": b"", "text": b"features"}[damage])
    again = detector(tiny, features=folder)
    assert scores(again, video) == first
    assert again.frames.encoded == 6
    assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written(tiny, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputProblems, match="no-folder"):
        detector(tiny, features=file / "kept")


def test_a_full_disk_costs_no_score(tiny, video, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_bytes", full)
    expected = scores(detector(tiny), video)
    assert scores(detector(tiny, features=tmp_path / "kept"), video) == expected
