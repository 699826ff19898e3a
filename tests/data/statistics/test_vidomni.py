"""A VidOmni data set as a whole: groups, published counts on full size, and contradictions."""

from __future__ import annotations

import pytest

from tests.conftest import write_lines
from tests.data.statistics.samples import pair
from vidomni_plugin.data.statistics.vidomni import vidomni_statistics
from vidomni_plugin.data.statistics.vidomni_tables import vidomni_tables
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.published import captioner, published, rows


def data(root, *records):
    write_lines(root / "pairs.jsonl", list(records))
    return root


def test_groups_by_hand(tmp_path):
    """The 180 s and 1,800 s borders; a video with two captions counts once in Figure 4."""
    root = data(
        tmp_path,
        pair("a", [1, 0], [("Order",)], video_id="v1", complexity_type=5, duration_s=180.0),
        pair("b", [0], video_id="v1", complexity_type=5, duration_s=180.0, caption_source="all"),
        pair("c", [1], [("Object",)], video_id="v2", complexity_type=5, duration_s=1800.0),
        pair("d", [1, 1, 0, 0], video_id="v3", complexity_type=2, duration_s=5000.0),
        pair("e", [0], video_id="v4", complexity_type=2, duration_s=1799.9, has_audio=True),
    )
    found = vidomni_statistics(root)
    assert (found.videos, found.videos_with_sound, found.pairs) == (4, 1, 5)
    assert found.figure4[5] == {"short": 1, "medium": 0, "long": 1}
    assert found.figure4[2] == {"short": 0, "medium": 1, "long": 1}
    durations = {k: row.incorrect_per_caption.value for k, row in found.figure6_durations.items()}
    assert durations == {"short": 25.0, "medium": None, "long": 100.0}
    types = {kind: row.incorrect_per_caption.value for kind, row in found.figure6_types.items()}
    assert types == {1: None, 2: 50.0, 3: None, 4: None, 5: 100.0}
    assert found.figure7.groups["5"].temporal_error_rate.value == pytest.approx(50 / 3)
    assert found.figure7.groups["2"].temporal_error_rate.over == 1  # "d" has unmarked errors
    # A source may be called anything, "all" too.
    assert list(found.table1.groups) == ["all", "captioner-a"]
    assert (found.table1.groups["all"].pairs, found.table1.all.pairs) == (1, 5)
    assert found.table2 is None
    assert found.figure7.all.certificate_coverage is None
    assert found.table10.all.words.value == pytest.approx(9.0)
    assert found.table10.all.verbs is None


@pytest.mark.parametrize(
    "change", [{"duration_s": 5.0}, {"complexity_type": 3}, {"has_audio": True}]
)
def test_pairs_that_contradict_each_other_are_named(change, tmp_path):
    root = data(tmp_path, pair("a", [0]), pair("b", [0], **change), pair("c", [0]))
    with pytest.raises(InputProblems) as caught:
        vidomni_statistics(root)
    (problem,) = caught.value.problems
    assert problem.code == "video-metadata"
    assert problem.place.endswith("pairs.jsonl:2")
    assert problem.message.endswith("pairs.jsonl:1")


def test_durations_that_differ_by_rounding_are_one_video(tmp_path):
    found = vidomni_statistics(data(tmp_path, pair("a", [0]), pair("b", [0], duration_s=4.04)))
    assert found.videos == 1


def test_a_full_size_data_set_has_the_published_counts(full_vidomni):
    found = vidomni_statistics(full_vidomni)
    counts = published()["vidomni"]["counts"]
    assert found.videos == counts["videos"]
    assert found.pairs == counts["pairs"]
    assert found.videos_with_sound == counts["videos_with_audio"]
    assert {kind: list(row.values()) for kind, row in found.figure4.items()} == {
        kind: numbers for kind, *numbers in published()["vidomni"]["figure4_videos"]["rows"]
    }
    assert len(found.table1.groups) == counts["captioners"]
    for source, row in found.table1.groups.items():
        paper = captioner(source)
        assert row.sentences == paper["total_sentences"]
        # Whole captions and sentences were drawn to meet the published percents.
        assert row.video_incorrect_rate.value == pytest.approx(
            paper["video_incorrect_rate"], abs=0.15
        )
        assert row.incorrect_per_caption.value == pytest.approx(
            paper["incorrect_per_caption"], abs=0.5
        )


@pytest.mark.parametrize(
    ("source", "published_as"),
    [
        ("KeyeVL 1.5", "KeyeVL 1.5"),
        ("Kwai-Keye/Keye-VL-1_5-8B", "KeyeVL 1.5"),
        ("OpenGVLab/InternVL3_5-38B", "InternVL 3.5"),
        ("InternVL3_5-8B", None),
        ("qwen3-vl-32b-instruct", "Qwen3-VL"),
        ("Qwen3-VL-32B-Thinking", None),
        ("video-SALMONN-2_plus_72B", "video-SALMONN 2+"),
        ("video-SALMONN 2", None),
        ("Gemini 3 Flash", "Gemini 3 Flash"),
        ("gemini-3-flash-lite", None),
        ("/", None),
    ],
)
def test_only_the_papers_own_captioners_get_published_values(source, published_as):
    row = captioner(source)
    assert (row and row["caption_source"]) == published_as


def test_rows_of_a_published_table_carry_their_columns():
    splits = {row["task_type"]: row for row in rows("vidhalloc", "splits")}
    assert sum(splits["video_qa"][name] for name in ("Main_set", "Eval_set", "Test_set")) == 1020


def test_table_10_shows_the_papers_rows_under_their_columns(tmp_path):
    tables = {t.name: t for t in vidomni_tables(vidomni_statistics(data(tmp_path, pair("a", [0]))))}
    table = tables["table10"]
    (argus,) = [row for row in table.rows if row[0] == "ARGUS (published)"]
    assert dict(zip([column.title for column in table.columns], argus, strict=True)) == {
        "captions of": "ARGUS (published)",
        "words": 477.5,
        "information units": 336.4,
        "noun chunks": 134.3,
        "verbs": 63.1,
        "judge's win rate, %": 4.0,
        "n captions": None,
    }


def test_a_model_that_is_called_all_is_told_from_the_total(tmp_path):
    found = vidomni_statistics(data(tmp_path, pair("a", [0, 1], caption_source="all")))
    for table in vidomni_tables(found):
        names = [row[0] for row in table.rows]
        assert len(names) == len(set(names)) or table.name == "figure6"
    assert [name for name, _ in found.table1.named()] == ["all", "all together"]
