"""What each field of a VidHalLoc item may be; each row says why it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import vidhalloc_record, write_lines
from vidomni_plugin.data.checks.run import Options, examine
from vidomni_plugin.data.layout import FULL_SET, SLOT_OF_LEAF
from vidomni_plugin.data.locate import DataRoot
from vidomni_plugin.records import Leaf


def found(root: Path, rows: list[dict[str, Any]], code: str) -> list[str]:
    write_lines(root / FULL_SET, rows)
    options = Options(as_released=True, videos=False, only=frozenset({code}))
    findings = examine("vidhalloc", DataRoot(root, "test"), options).findings
    return [problem.message for problem in findings]


@pytest.mark.parametrize(
    ("media", "message"),
    [
        ({}, None),
        ({"registered_modalities": ["visual", "speech_audio", "container_metadata"]}, None),
        ({"registered_modalities": []}, "registered_modalities are []"),
        ({"registered_modalities": ["visual", "visual"]}, "are ['visual', 'visual']"),
        ({"registered_modalities": ["visual", "smell"]}, "are ['visual', 'smell']"),
        ({"canonical_media_uri": "media://v2/original"}, "is 'media://v2/original', the video"),
        ({"evidence_policy_id": "frames_v1"}, "evidence_policy_id is 'frames_v1'"),
    ],
)
def test_the_constants_of_the_schema(media, message, tmp_path):
    record = vidhalloc_record()
    said = found(tmp_path, [record | {"media": record["media"] | media}], "off-schema")
    assert len(said) == (message is not None)
    assert all(message in text for text in said)


def test_every_leaf_has_its_slot_and_no_other(tmp_path):
    for leaf in Leaf:
        for slot in SLOT_OF_LEAF.values():
            rows = [vidhalloc_record(leaf_label=leaf.value, conflict_slot=slot)]
            right = SLOT_OF_LEAF[leaf.value]
            said = [] if slot == right else [f"{leaf.value} changes {right!r}, not {slot!r}"]
            assert found(tmp_path, rows, "leaf-slot") == said
    assert len(set(SLOT_OF_LEAF.values())) == len(Leaf)


@pytest.mark.parametrize(
    ("numbers", "gaps"),
    [
        ((1, 2, 3), []),
        ((1, 3), ["there is no videoqa_0002"]),
        ((1, 5, 6), ["there is no videoqa_0002 to videoqa_0004"]),
        ((3,), ["there is no videoqa_0001 to videoqa_0002"]),
        ((2, 4), ["there is no videoqa_0001", "there is no videoqa_0003"]),
    ],
)
def test_gaps_in_the_numbers_of_videos(numbers, gaps, tmp_path):
    rows = [vidhalloc_record(f"p{n}", f"videoqa_{n:04d}") for n in numbers]
    assert found(tmp_path, rows, "numbering") == gaps


@pytest.mark.parametrize(
    ("leaf", "task", "answer", "other", "codes"),
    [
        ("EntityExistence", "video_qa", "Yes, it is red.", "No, it is red.", []),
        ("EntityExistence", "video_qa", "Yes, it is red.", "It is not red.", ["yes-no"]),
        ("EntityExistence", "video_qa", "Yes: it is red.", "No, it is red.", ["yes-no"]),
        ("EntityExistence", "video_qa", "Yes, it is red.", "Yes, it is blue.", ["same-polarity"]),
        ("EntityExistence", "video_captioning", "Yes, it is.", "It is not.", ["yes-no"]),
        ("EntityExistence", "video_captioning", "It is red.", "It is not red.", []),
        ("AttributeValue", "video_qa", "It is red.", "No, it is red.", ["yes-no"]),
        ("AttributeValue", "video_qa", "It is red.", "It is blue", ["not-a-sentence"]),
        ("AttributeValue", "video_qa", "Nobody is red.", "Somebody is red.", []),
    ],
)
def test_the_form_of_answers(leaf, task, answer, other, codes, tmp_path):
    row = vidhalloc_record(
        leaf_label=leaf, task_type=task, answer=answer, counterfactual_answer=other
    )
    said = [c for c in ("yes-no", "same-polarity", "not-a-sentence") if found(tmp_path, [row], c)]
    assert said == codes


OWN = {
    "registered_modalities": ["visual"],
    "evidence_policy_id": "frames_timestamped_v1",
}


@pytest.mark.parametrize(
    ("schema", "policy", "wrong"),
    [
        pytest.param("vidomni_pair_1.0", "frames_timestamped_v1", "", id="frames"),
        pytest.param("vidomni_pair_1.0", "native_video_url_v1", "", id="the file itself"),
        pytest.param(
            "vidomni_pair_1.0",
            "gemini_native_original_video_v1",
            "evidence_policy_id",
            id="ours was not made with the release's policy",
        ),
        pytest.param(
            "videohalo_probe_pair_sample_fixed8_3.6.1",
            "frames_timestamped_v1",
            "evidence_policy_id",
            id="the release was not made with ours",
        ),
        pytest.param("vidomni_pair_2", "frames_timestamped_v1", "schema_version", id="unknown"),
    ],
)
def test_each_schema_has_its_own_policies(tmp_path, schema, policy, wrong):
    record = vidhalloc_record(schema_version=schema)
    media = record["media"] | OWN | {"evidence_policy_id": policy}
    said = found(tmp_path, [record | {"media": media}], "off-schema")
    assert bool(said) == bool(wrong)
    assert not wrong or wrong in said[0]


@pytest.mark.parametrize(("schema", "compared"), [(None, True), ("vidomni_pair_1.0", False)])
def test_own_pairs_are_not_compared_with_the_published_design(tmp_path, schema, compared):
    """However many they are: 2,000 of them would be taken for the release."""
    changes = {"schema_version": schema} if schema else {}
    rows = [vidhalloc_record(f"pair_{k}", f"v{k}", **changes) for k in range(1900)]
    write_lines(tmp_path / FULL_SET, rows)
    result = examine("vidhalloc", DataRoot(tmp_path, "test"), Options(videos=False))
    counts = [one for one in result.findings if one.code == "published-counts"]
    assert bool(counts) is compared
