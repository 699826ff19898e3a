"""Frames of a video go through the model once: for a run, and with a folder for all runs."""

from __future__ import annotations

import numpy as np
import pytest
from videos import noise, write_video

from vidomni_plugin.models.detectors import clip_model
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
    assert [file.suffix for file in folder.iterdir()] == [".npz"]


@pytest.mark.parametrize(
    "change",
    [
        *({"frames": 3}, {"dtype": "bfloat16"}, {"video": "another"}, {"weights": 1}, {"size": 1}),
        *({"heads": 4}, {"package": "torch"}, {"package": "av"}),
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_decides_features_has_a_file_of_its_own(
    change, tiny, video, decoded, tmp_path, monkeypatch
):
    folder = tmp_path / "kept"
    scores(detector(tiny, features=folder), video)
    other = changed(tiny, tmp_path / "other", change)
    for place in (module, clip_model):
        newer = {change.get("package"): "999"}
        known = place.package_version
        monkeypatch.setattr(place, "package_version", lambda n, k=known, m=newer: m.get(n, k(n)))
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
    if "heads" in change:  # the same weights, cut into other heads
        file = folder / "config.json"
        settings = json.loads(file.read_text())
        settings["vision_config"]["num_attention_heads"] = change["heads"]
        file.write_text(json.dumps(settings))
    return folder


def test_where_a_checkpoint_lies_decides_nothing(tiny, video, decoded, tmp_path):
    import shutil

    scores(detector(tiny, features=tmp_path / "kept"), video)
    moved = shutil.copytree(tiny, tmp_path / "moved")
    scores(detector(moved, features=tmp_path / "kept"), video)
    assert len(decoded) == 1


def test_features_that_are_no_numbers_are_not_kept(tiny, video, tmp_path, monkeypatch):
    one = detector(tiny, features=tmp_path / "kept")
    pictures = clip_model.ClipModel.pictures
    monkeypatch.setattr(clip_model.ClipModel, "pictures", lambda *of: pictures(*of) * np.nan)
    assert np.isnan(scores(one, video)).all()
    assert list((tmp_path / "kept").iterdir()) == []


def test_frame_batch_changes_nothing(tiny, video, tmp_path):
    folder = tmp_path / "kept"
    found = [scores(detector(tiny, frame_batch=batch), video) for batch in (1, 4, 32)]
    np.testing.assert_allclose(found, [found[0]] * 3, atol=1e-6)
    scores(detector(tiny, features=folder, frame_batch=1), video)
    again = detector(tiny, features=folder, frame_batch=4)
    scores(again, video)
    assert again.frames.encoded == 0


@pytest.mark.parametrize(
    "damage", ["cut", "empty", "text", "nan", "object", "one bit", "a folder", "another array"]
)
def test_a_damaged_file_is_made_anew(damage, tiny, video, tmp_path):
    folder = tmp_path / "kept"
    first = scores(detector(tiny, features=folder), video)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    if damage == "nan":
        np.savez(file, features=np.full((6, 12), np.nan, np.float32))
    elif damage == "object":
        np.savez(file, features=np.array([{}], dtype=object), allow_pickle=True)
    elif damage == "another array":
        np.savez(file, frames=np.ones((6, 12), np.float32))
    elif damage == "one bit":
        bits = bytearray(whole)
        bits[whole.index(b"}") + 100] ^= 1  # in the numbers, behind the head of the array
        file.write_bytes(bits)
    elif damage == "a folder":
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes({"cut": whole[:100], "empty": b"", "text": b"features"}[damage])
    again = detector(tiny, features=folder)
    assert scores(again, video) == first
    assert again.frames.encoded == 6
    if damage == "a folder":  # it stays, and the run goes on
        return
    third = detector(tiny, features=folder)
    assert scores(third, video) == first
    assert third.frames.encoded == 0


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
