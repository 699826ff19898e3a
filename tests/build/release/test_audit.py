"""The audit finds what is in two splits."""

from __future__ import annotations

import itertools
import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build.release.runs import build, lines, pair, run_of, videos_of
from tests.conftest import write_lines
from vidomni_plugin.build.release.audit import KINDS, Held, audit, overlaps, refuse_overlaps
from vidomni_plugin.data.hashes import file_sha256
from vidomni_plugin.data.layout import FULL_SET, INVENTORY, SPLITS, TASK_SETS
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Leaf

HELD = st.lists(
    st.builds(Held, st.sampled_from(KINDS), st.sampled_from("abc"), st.sampled_from(SPLITS))
)


@given(HELD)
def test_every_value_in_two_splits_is_found_and_no_other(held):
    found = {
        (kind, *case["splits"], value)
        for kind, cases in overlaps(held).items()
        for case in cases
        for value in case["values"]
    }
    wanted = {
        (one.kind, *sorted((one.split, other.split), key=SPLITS.index), one.value)
        for one, other in itertools.product(held, held)
        if (one.kind, one.value) == (other.kind, other.value) and one.split != other.split
    }
    assert found == wanted


def test_every_kind_is_refused_with_its_names():
    held = [Held(kind, f"{kind}-x", split) for kind in KINDS for split in SPLITS[1:]]
    found = overlaps(held)
    near = [{"videos": ["videoqa_0001", "captioning_0001"], "splits": list(SPLITS[:2])}]
    audit = {"passed": False, "overlaps": found | {"near_identical": near}}
    with pytest.raises(InputProblems) as caught:
        refuse_overlaps(audit | {"all_source_videos_content_unique": True}, "no release")
    messages = [(one.place, one.message) for one in caught.value.problems]
    assert messages == [
        *(("Eval_set and Test_set", f"{kind} in both: {kind}-x") for kind in KINDS),
        ("Main_set and Eval_set", "near_identical in both: videoqa_0001, captioning_0001"),
    ]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Return a release of five videos of one task: three in Main_set, one in each other split."""
    folder = tmp_path_factory.mktemp("audited")
    videos = videos_of(folder / "videos", 5)
    run = run_of(folder / "run", [pair(path, list(Leaf)[k]) for k, path in enumerate(videos)])
    build(run, folder / "videos", folder / "root", bits=-1.0)
    return folder / "root"


EXTENDED = "Datasets/pairs_extended.jsonl"
MAIN, EVAL, TEST = TASK_SETS["video_qa"].splits.values()


def changed(name, value):
    """Return a fault: two videos of different splits have the same of something."""

    def change(root):
        rows = lines(root / INVENTORY)
        for row in rows:
            row[name] = value if row["split"] != "Test_set" else row[name]
        write_lines(root / INVENTORY, rows)

    return change


def moved(root):
    """A pair is in two splits, and so is its video."""
    write_lines(root / TEST, lines(root / TEST) + lines(root / MAIN)[:1])


def elsewhere(root):
    """The inventory says another split than the split's own file."""
    rows = lines(root / INVENTORY)
    for row in rows:
        row["split"] = "Main_set"
    write_lines(root / INVENTORY, rows)


def of_one_parent(root):
    rows = lines(root / EXTENDED)
    write_lines(root / EXTENDED, [row | {"parent": "tape"} for row in rows])


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        pytest.param(lambda root: None, set(), id="none"),
        pytest.param(changed("sha256", "0" * 64), {"content_sha256"}, id="content"),
        pytest.param(changed("recording", "r"), {"recording"}, id="recording"),
        pytest.param(moved, {"pair_id", "video_id"}, id="pair"),
        pytest.param(elsewhere, {"video_id"}, id="inventory"),
        pytest.param(of_one_parent, {"parent"}, id="parent"),
    ],
)
def test_files_that_were_written_wrongly_are_found(released, tmp_path, fault, found):
    root = tmp_path / "root"
    shutil.copytree(released / "Datasets", root / "Datasets")
    fault(root)
    result = audit(root, root / EXTENDED, [], "0" * 64)
    assert {kind for kind, cases in result["overlaps"].items() if cases} == found
    assert result["passed"] is (not found)
    written = [len(lines(root / name)) for name in (MAIN, EVAL, TEST)]
    assert list(result["split_counts"]["video_qa"].values()) == written


def test_one_content_twice_in_one_split_is_refused(released, tmp_path):
    root = tmp_path / "root"
    shutil.copytree(released / "Datasets", root / "Datasets")
    rows = lines(root / INVENTORY)
    main = [row for row in rows if row["split"] == "Main_set"]
    main[1]["sha256"] = main[0]["sha256"]
    write_lines(root / INVENTORY, rows)
    result = audit(root, root / EXTENDED, [], "0" * 64)
    assert (result["passed"], result["all_source_videos_content_unique"]) == (False, False)
    with pytest.raises(InputProblems, match="two videos have the same content"):
        refuse_overlaps(result, "no release")


def test_the_audit_of_a_release_is_that_of_its_files(released):
    kept = json.loads((released / "Datasets/split_integrity_audit.json").read_text("utf-8"))
    assert kept["split_counts"]["video_qa"] == {"Main_set": 3, "Eval_set": 1, "Test_set": 1}
    assert kept["packaged_original_sha256"] == file_sha256(released / FULL_SET)
    again = audit(released, released / EXTENDED, [], kept["source_dataset_sha256"])
    assert again == kept
