"""A threshold that would be judged on videos that it was chosen on."""

from __future__ import annotations

import pytest

from tests.vidhalloc.test_thresholds import calibration
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.vidhalloc.overlap import calibrated_on, overlap_policy


def doc(video_id, task_type="video_qa", digest="d0"):
    return {"task_type": task_type, "video_id": video_id, "media_digest": digest}


@pytest.fixture
def known(tmp_path):
    file = tmp_path / "threshold.json"
    file.write_text(calibration(media_digests=("d1", "d2")).model_dump_json())  # of v and w
    return calibrated_on(str(file))


@pytest.mark.parametrize(
    ("one", "seen"),
    [
        pytest.param(doc("v"), True, id="the same video"),
        pytest.param(doc("v", digest="d9"), True, id="the same video, encoded again"),
        pytest.param(doc("z", digest="d2"), True, id="a copy under another name"),
        pytest.param(doc("z", "video_captioning", "d1"), True, id="a copy in the other task"),
        pytest.param(doc("v", "video_captioning"), False, id="the other task's v"),
        pytest.param(doc("z"), False, id="another video"),
        pytest.param(doc("z", digest=None), False, id="content not known"),
    ],
)
def test_which_videos_it_saw(known, one, seen):
    assert known.saw(one) is seen
    assert (known.shared([one]) is not None) is seen


def test_the_message_counts_videos_and_names_some(known):
    docs = [doc(f"c{n}", digest="d1") for n in range(7)] + [doc("v"), doc("v"), doc("x"), doc("y")]
    with pytest.raises(InputProblems, match="threshold-overlap") as raised:
        known.refuse("vidomni_emscore", docs)
    (problem,) = raised.value.problems
    assert problem.place.endswith("threshold.json")
    assert problem.message.startswith(
        "chosen on 8 of the 10 videos to be judged: video_qa/c0 (the "
    )
    assert problem.message.endswith("and 3 more")
    assert "c4" in problem.message
    assert "c5" not in problem.message
    assert "threshold_overlap=allow" in problem.hint
    known.refuse("vidomni_emscore", [doc("x"), doc("y")])


@pytest.mark.parametrize("setting", ["", None, 0.5, "0.5", "paper-fifa"])
def test_of_other_thresholds_nothing_is_known(setting):
    assert calibrated_on(setting) is None


def test_a_calibration_of_before_content_was_kept_is_known_by_its_names(tmp_path):
    file = tmp_path / "threshold.json"
    file.write_text(calibration().model_dump_json(exclude={"media_digests"}))
    found = calibrated_on(file)
    assert found.saw(doc("v"))
    assert not found.saw(doc("z", digest="d1"))


def test_the_setting():
    assert [overlap_policy(given) for given in ("allow", "refuse", "", None)] == [
        *("allow", "refuse"),
        *("refuse", "refuse"),
    ]
    with pytest.raises(ValueError, match="threshold_overlap=yes is not known"):
        overlap_policy("yes")
