"""VidOmni's tables of a report, by hand, and full-size data in little time."""

from __future__ import annotations

import csv
import io
import time
from dataclasses import replace

import pytest
from scipy import stats

from tests.report.builders import signature, vidomni_item, vidomni_run
from vidomni_plugin.latex import as_latex
from vidomni_plugin.problems import Problem
from vidomni_plugin.report.runs import TaskRun
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidomni_analysis import analyse
from vidomni_plugin.report.vidomni_tables import tables
from vidomni_plugin.tables import as_csv, as_markdown

TRACKS = {"adaptation": 0.3, "comprehension": 0.4, "perception": 0.6}
FEW = Settings(draws=100)
GOLD = {"v1__a": [1, 0, 1], "v2__a": [1, 0], "v3__a": [0, 0], "v4__a": [1, None]}
LABELS = {"v1__a": [1, 0, 0], "v2__a": [1, 1], "v3__a": [0, None], "v4__a": [None, None]}


def run(name, labels=None, gold=None, fields=None, checkpoint=None, task="vidomni", **settings):
    sign = signature(checkpoint or name, **settings)
    return vidomni_run(name, labels or LABELS, gold or GOLD, fields, signature=sign, task=task)


def other(name, task, scores, expected=None):
    return TaskRun(name, task, "other", signature(name), [], scores, expected, (), {})


def cells(task_runs, name):
    """Return the rows of a table as mappings."""
    table = next(table for table in tables(task_runs, FEW) if table.name == name)
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, row, strict=True)) for row in table.rows]


def names(task_runs):
    return [table.name for table in tables(task_runs, FEW)]


def test_table3_by_hand():
    # P 100 50 0 0, R 50 100 0 0, F1 66.7 66.7 0 0 over four pairs.
    row = cells([run("m")], "vidomni_table3")[0]
    assert row["P, %"] == pytest.approx(150 / 4)
    assert row["R, %"] == pytest.approx(150 / 4)
    assert row["F1, %"] == pytest.approx(400 / 3 / 4)
    assert (row["pairs"], row["videos"], row["input"]) == (4, 4, "v")


def test_accuracies_of_the_host_stand_beside_in_percent():
    others = [
        other("m", "videomme", {"videomme_perception_score": 61.9}, 2700),
        other("m", "lvbench", {"lvbench_score": 0.474}),
        *(
            other("m", f"video_mmmu_{track}", {"mmmu_acc": accuracy}, 300)
            for track, accuracy in (
                ("adaptation", 0.3),
                ("comprehension", 0.4),
                ("perception", 0.6),
            )
        ),
        other("n", "videomme", {"videomme_perception_score": 1.0}),
        other("n", "video_mmmu_perception", {"mmmu_acc": 0.9}),
    ]
    m, n = cells([run("m"), run("n"), *others], "vidomni_table3")[:2]
    assert m["Video-MME, %"] == 61.9
    assert m["LVBench, %"] == pytest.approx(47.4)
    assert m["Video-MMMU, %"] == pytest.approx(130 / 3)
    assert [m[f"{name}, n"] for name in ("Video-MME", "Video-MMMU", "LVBench")] == [2700, 900, None]
    assert (n["Video-MME, %"], n["LVBench, %"]) == (1.0, None)
    assert n["Video-MMMU, %"] is None  # one track of three is not the whole


@pytest.mark.parametrize(
    "changes",
    [
        {"checkpoint": "m2"},
        {"frames": "8"},
        {"fps": "2"},
        {"pixels": "max_pixels=100"},
        {"model_args": {"pretrained": "m", "use_audio": "true"}},
        {"limit": "9 of 2700"},
    ],
    ids=str,
)
def test_accuracies_at_other_settings_do_not_stand_beside(changes):
    given = other("m", "videomme", {"videomme_perception_score": 61.9}, 2700)
    of_machine = {**given.signature.model_args, "batch_size": "4"}
    alike = replace(given, signature=replace(given.signature, model_args=of_machine))
    assert cells([run("m"), alike], "vidomni_table3")[0]["Video-MME, %"] == 61.9
    odd = replace(given, signature=replace(given.signature, **changes))
    assert cells([run("m"), odd], "vidomni_table3")[0]["Video-MME, %"] is None
    table3 = next(t for t in tables([run("m"), odd], FEW) if t.name == "vidomni_table3")
    assert any(note.startswith("m: without videomme") for note in table3.notes)
    short = replace(run("m"), problems=[Problem("cut-short", "p", "m")])
    assert cells([short, given], "vidomni_table3")[0]["Video-MME, %"] is None


def test_published_values_are_marked_and_those_of_the_same_model():
    rows = cells([run("r", checkpoint="Qwen/Qwen3-VL-8B-Instruct"), run("x")], "vidomni_table3")
    assert rows[0]["published F1, %"] == 14.7
    assert rows[1]["published F1, %"] is None
    paper = [row for row in rows if row["source"] == "published"]
    assert len(paper) == len(rows) - 2 == 16
    assert {row["pairs"] for row in paper} == {None}


def test_the_convention_and_its_ceiling_are_stated():
    row = cells([run("m")], "vidomni_convention")[0]
    assert (row["pairs"], row["flawed pairs"]) == (4, 3)
    assert row["ceiling, %"] == 75.0
    assert row["F1 of flawed pairs, %"] == pytest.approx(400 / 9)


def test_an_empty_stratum_is_a_dash_and_never_0():
    fields = {key: {"complexity_type": 2, "duration_s": 10.0} for key in GOLD}
    table = next(t for t in tables([run("m", fields=fields)], FEW) if t.name == "vidomni_types")
    by_type = {row[2]: row[3:] for row in table.rows}
    assert by_type["1 Static World"] == [None, None, None, 0, 0]
    assert by_type["2 Body Motion"][0] == pytest.approx(400 / 3 / 4)
    assert "| m | vidomni | 1 Static World | - | - | - | 0 | 0 |" in as_markdown(table)


def test_unlabelled_sentences_and_their_reasons_are_counted():
    row = cells([run("m")], "vidomni_unlabelled")[0]
    assert (row["scored sentences"], row["unlabelled"]) == (8, 2)
    assert row["unlabelled, %"] == 25.0
    assert row["answers not all labelled"] == 2
    assert row["reasons (answers)"] == "missing_sentences 1, no_labels 1"


def test_a_run_without_a_usable_pair_is_shown_as_such():
    empty = vidomni_run("empty", {}, {}, expected=4)
    assert names([empty]) == ["vidomni_unlabelled"]
    rows = cells([run("m"), empty], "vidomni_unlabelled")
    assert [row["pairs"] for row in rows] == [4, 0]
    assert rows[1]["unlabelled, %"] is None


def test_no_run_of_vidomni_has_no_table():
    assert tables([other("m", "videomme", {})], FEW) == []


def test_runs_on_different_pairs_are_told_apart_and_compared_on_common_ones():
    part = {key: LABELS[key] for key in ("v1__a", "v2__a")}
    both = [run("whole"), run("part", part)]
    rows = cells(both, "vidomni_common")
    assert [(row["pairs"], row["pairs of the run"]) for row in rows] == [(2, 4), (2, 2)]
    assert rows[0]["F1, %"] == rows[1]["F1, %"] == pytest.approx(200 / 3)
    table3 = next(t for t in tables(both, FEW) if t.name == "vidomni_table3")
    assert any("2 of them in all" in note for note in table3.notes)
    assert "vidomni_common" not in names([run("a"), run("b")])


def test_runs_on_other_gold_under_the_same_ids_are_told_apart():
    corrected = [vidomni_item("v1__a", LABELS["v1__a"], [0, 0, 0]), *run("b").items[1:]]
    both = [run("a"), replace(run("b"), items=corrected)]
    assert both[0].items[0]["pair_id"] == "v1__a"
    rows = cells(both, "vidomni_common")
    assert [(row["pairs"], row["pairs of the run"]) for row in rows] == [(3, 4), (3, 4)]
    table3 = next(t for t in tables(both, FEW) if t.name == "vidomni_table3")
    assert any("3 of them in all" in note for note in table3.notes)


def test_common_pairs_are_those_of_a_task_and_not_of_runs_cut_short():
    part = {key: LABELS[key] for key in ("v1__a", "v2__a")}
    short = replace(run("short", part), problems=[Problem("cut-short", "p", "m")])
    heard = run("heard", {"v1__a": LABELS["v1__a"]}, task="vidomni_av")
    few = run("few", {key: LABELS[key] for key in ("v1__a", "v2__a", "v3__a")})
    rows = cells([run("whole"), few, short, heard], "vidomni_common")
    assert [(row["run"], row["pairs"]) for row in rows] == [("whole", 3), ("few", 3)]
    assert "vidomni_common" not in names([run("whole"), short, heard])
    table3 = next(t for t in tables([run("whole"), short], FEW) if t.name == "vidomni_table3")
    assert any("short: over some of the documents only" in note for note in table3.notes)


def test_runs_without_a_common_pair_have_nothing_to_compare():
    a, b = {"v1__a": [1, 0, 0]}, {"v2__a": [1, 1]}
    rows = cells([run("a", a), run("b", b)], "vidomni_common")
    assert [(row["F1, %"], row["pairs"]) for row in rows] == [(None, 0), (None, 0)]


def test_marks_of_no_category_are_told():
    fields = {"v1__a": {"errors": [["Vibe"], [], ["Order"]]}}
    table = next(t for t in tables([run("m", fields=fields)], FEW) if t.name == "vidomni_figure8")
    assert any(note.startswith("1 mark is of no category") for note in table.notes)


def test_comparisons_without_their_runs_have_no_table():
    assert not {"vidomni_figure11", "vidomni_table9", "vidomni_table11", "vidomni_table13"} & set(
        names([run("m")])
    )


def test_table13_has_the_papers_t_test():
    gold = {f"v{k}__a": [1, 1, 0] for k in range(6)}
    silent = {key: [1, 0, 0] for key in gold}
    heard = {key: [1, int(k < 4), int(k > 3)] for k, key in enumerate(gold)}
    fields = {key: {"audio_category": "Speech"} for key in gold}
    args = {"checkpoint": "Gemini-3-Flash", "fields": fields}
    runs = [
        run("g", silent, gold, **args),
        run("g", heard, gold, task="vidomni_av", **args),
    ]
    speech, effects, _ = cells(runs, "vidomni_table13")
    gains = [100 - 200 / 3] * 4 + [50 - 200 / 3] * 2
    expected = stats.ttest_1samp(gains, 0.0)
    assert speech["t"] == pytest.approx(expected.statistic)
    assert speech["p"] == pytest.approx(expected.pvalue)
    assert speech["gain, points"] == pytest.approx(sum(gains) / 6)
    assert (speech["published gain, points"], speech["published mark"]) == (3.3, "***")
    assert speech["run with sound"] == "g (v,a)"
    assert (effects["t"], effects["gain, points"], effects["pairs"]) == (None, None, 0)


def test_table9_stands_beside_the_papers_sweep():
    runs = [
        run(f"at {fps}", checkpoint="Qwen3-VL-32B", fps=fps, model_args={"fps": fps})
        for fps in ("2", "10")
    ]
    rows = cells(runs, "vidomni_table9")
    first = [row for row in rows if row["complexity type"].startswith("1")]
    assert [row["published F1, %"] for row in first] == [15.19, 18.38]
    assert [row["frames a second"] for row in first] == [2.0, 10.0]


def test_table12_of_the_paper_is_beside_runs_with_the_same_input():
    fields = {"v1__a": {"source_dataset": "YouTube"}}
    silent = run("g", fields=fields, checkpoint="Gemini-3-Flash")
    heard = run("g", fields=fields, checkpoint="Gemini-3-Flash", task="vidomni_av")
    rows = cells([silent, heard], "vidomni_table12")
    assert [row["published F1, %"] for row in rows] == [None, None, 41.69, 42.46]


def test_there_is_no_table12_without_a_pair_from_youtube():
    assert "vidomni_table12" not in names([run("m")])
    assert "vidomni_table12" in names([run("m", fields={"v1__a": {"source_dataset": "YouTube"}})])


def test_table11_and_figure12_of_the_paper_are_found():
    fields = {key: {"caption_source": "Qwen3-VL"} for key in GOLD}
    a = run("q", checkpoint="Qwen/Qwen3-VL-32B-Instruct", fields=fields)
    b = run("i", checkpoint="OpenGVLab/InternVL3_5-38B", fields=fields)
    (row,) = cells([a, b], "vidomni_table11")
    assert (row["published F1 together, %"], row["published gain, points"]) == (26.2, 20.9)
    by_source = cells([a, b], "vidomni_figure12")
    assert [(r["self or cross"], r["published F1, %"]) for r in by_source] == [
        ("self", 12.2),
        ("cross", 20.8),
    ]


PAPERS = {
    "vidomni_table3": [("Qwen/Qwen3-VL-8B-Instruct", "vidomni", {})],
    "vidomni_figure12": [("OpenGVLab/InternVL3_5-38B", "vidomni", {})],
    "vidomni_table12": [("Qwen/Qwen3-VL-32B-Instruct", "vidomni", {})],
    "vidomni_figure11": [
        ("Qwen/Qwen3-VL-2B-Instruct", "vidomni", {}),
        ("Qwen/Qwen3-VL-32B-Instruct", "vidomni", {}),
    ],
    "vidomni_table9": [
        ("Qwen/Qwen3-VL-32B-Instruct", "vidomni", {"fps": "1"}),
        ("Qwen/Qwen3-VL-32B-Instruct", "vidomni", {"fps": "2"}),
    ],
    "vidomni_table11": [
        ("Qwen/Qwen3-VL-32B-Instruct", "vidomni", {}),
        ("OpenGVLab/InternVL3_5-38B", "vidomni", {}),
    ],
    "vidomni_table13": [
        ("gemini-3-flash", "vidomni", {}),
        ("gemini-3-flash", "vidomni_av", {}),
    ],
}
"""Runs of models of the paper, with which its numbers stand in each table."""


def published_cells(name, runs, problems=()):
    fields = {key: {"caption_source": "Qwen3-VL", "audio_category": "Speech"} for key in GOLD}
    fields["v1__a"]["source_dataset"] = "YouTube"
    made = [
        run(f"r{k}", fields=fields, checkpoint=checkpoint, task=task, **settings)
        for k, (checkpoint, task, settings) in enumerate(runs)
    ]
    made = [replace(each, problems=problems) for each in made]
    table = next(table for table in tables(made, FEW) if table.name == name)
    assert any("over all documents only" in note for note in table.notes)
    at = [k for k, column in enumerate(table.columns) if column.published]
    assert at
    of_runs = [row for row in table.rows if "published" not in row]
    return [row[k] for row in of_runs for k in at if row[k] is not None]


@pytest.mark.parametrize("name", PAPERS)
def test_published_values_stand_beside_whole_runs_of_the_paper_s_data_only(name):
    runs = PAPERS[name]
    assert published_cells(name, runs)
    limited = [(checkpoint, task, more | {"limit": "4 of 2500"}) for checkpoint, task, more in runs]
    assert published_cells(name, limited) == []
    short = [Problem("cut-short", "p", "m")]
    assert published_cells(name, runs, problems=short) == []
    # The data of vidomni_mini is another, and two runs of a comparison must both be the paper's.
    checkpoint, task, more = runs[0]
    mini = [(checkpoint, f"{task}_mini", more), *runs[1:]]
    if name == "vidomni_table9":
        mini = [(checkpoint, f"{task}_mini", more) for checkpoint, task, more in runs]
    if name != "vidomni_figure11":  # sizes are compared within a task only
        assert published_cells(name, mini) == []


def test_other_settings_of_two_compared_runs_are_told():
    small = run("small", checkpoint="M-2B", frames="8", limit="4 of 8")
    large = run("large", checkpoint="M-8B", frames="32")
    told = "small against large: settings differ too, frames 8 against 32, limit 4 of 8 against"
    table = next(t for t in tables([small, large], FEW) if t.name == "vidomni_figure11")
    assert any(note.startswith(f"{told} none.") for note in table.notes)
    alike = run("large", checkpoint="M-8B", frames="8", limit="4 of 8")
    table = next(t for t in tables([small, alike], FEW) if t.name == "vidomni_figure11")
    assert not any("settings differ" in note for note in table.notes)
    fields = {key: {"audio_category": "Speech"} for key in GOLD}
    silent = run("m", fields=fields, fps="1")
    heard = run("m", fields=fields, fps="2", task="vidomni_av")
    table = next(t for t in tables([silent, heard], FEW) if t.name == "vidomni_table13")
    assert "m (v,a) against m (v): settings differ too, fps 2 against 1." in table.notes


def test_an_unknown_source_is_not_taken_for_another_than_youtube():
    """Early versions of the task did not log the source of a video."""
    known = {"source_dataset": "YouTube-8M"}
    for fields, n in (
        ({"v1__a": known}, 3),
        ({"v1__a": known, "v2__a": {"source_dataset": ""}}, 0),
    ):
        full, without = cells([run("m", fields=fields)], "vidomni_table12")
        assert (full["pairs"], without["pairs"]) == (4, n)
        assert (without["F1, %"] is None) == (n == 0)


def test_names_of_runs_stay_apart():
    runs = [run("m"), run("m", task="vidomni_av"), run("n"), run("n", task="vidomni_mini")]
    found = [row.name for row in analyse(runs, FEW).rows]
    assert found == ["m (v)", "m (v,a)", "n (vidomni)", "n (vidomni_mini)"]


def test_text_from_data_cannot_leave_its_cell():
    fields = {key: {"caption_source": "a|b\n=1+1 $x$"} for key in GOLD}
    for table in tables([run("=<b>|m", fields=fields)], FEW):
        cells = [cell for row in csv.reader(io.StringIO(as_csv(table))) for cell in row]
        assert len(cells) == len(table.columns) * (len(table.rows) + 1)
        assert [cell for cell in cells if cell.startswith("=")] == []
        assert as_markdown(table).count("\n| ") == len(table.rows) + 2
        assert "$x$" not in as_latex(table).replace(r"\$x\$", "")


def test_ten_models_at_full_size_take_a_few_seconds():
    gold = {f"v{k % 500}__{k}": [int((k + s) % 3 == 0) for s in range(26)] for k in range(2500)}
    first = run("m0", gold, gold)
    turned = [
        [{**item, "labels": [*item["labels"][k:], *item["labels"][:k]]} for item in first.items]
        for k in range(1, 10)
    ]
    runs = [replace(first, run=f"m{k}", items=items) for k, items in enumerate(turned, 1)]
    start = time.process_time()
    tables([first, *runs], Settings())
    assert time.process_time() - start < 15  # two to four seconds where nothing else runs
