"""Every two runs of a task: the numbers of ``compare``, corrected for all of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from tests.report.builders import vidhalloc_run, vidomni_run
from tests.report.test_leaderboard import random_halloc, random_omni
from vidomni_plugin.paired import holm
from vidomni_plugin.report.compare import compare
from vidomni_plugin.report.pairwise import MOST, pairwise_tables
from vidomni_plugin.report.settings import Settings

SETTINGS = Settings(draws=300)
RIGHT, WRONG = ("ACCEPT", "REJECT"), ("REJECT", "ACCEPT")


def rows(*runs, settings=SETTINGS):
    (table,) = pairwise_tables(runs, settings)
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, row, strict=True)) for row in table.rows]


@pytest.mark.parametrize("make", [random_omni, random_halloc])
def test_each_row_is_what_compare_says_and_holm_is_over_all_rows(make):
    runs = [make(name, seed) for seed, name in enumerate("abcd")]
    # One run lacks pairs, another has other content under an id: each two share other pairs.
    runs[2] = replace(runs[2], items=runs[2].items[:-4])
    changed = [{**runs[3].items[0], "video_id": "elsewhere"}, *runs[3].items[1:]]
    runs[3] = replace(runs[3], items=changed)
    found = rows(*runs)
    assert [(row["A"], row["B"]) for row in found] == list(combinations("abcd", 2))
    expected = [compare(a, b, SETTINGS) for a, b in combinations(runs, 2)]
    assert len({one.common for one in expected}) > 2
    for row, one in zip(found, expected, strict=True):
        main = one.rows[0]
        assert (row["score"], row["pairs"], row["videos"]) == (main.metric, main.n, main.videos)
        numbers = [row[name] for name in ("A, %", "B, %", "A - B", "low", "high", "p")]
        assert numbers == pytest.approx(
            [main.a, main.b, main.difference, main.low, main.high, main.p_value]
        )
    p_values = [one.rows[0].p_value for one in expected]
    assert [row["Holm p"] for row in found] == pytest.approx(holm(p_values))
    assert any(row["Holm p"] > row["p"] for row in found)


def test_better_needs_the_corrected_test_and_the_interval():
    """Seven pairs that only one run gets right, p = 2 / 128, are too few among 10 comparisons."""
    pairs = [f"v{k}__x" for k in range(9)]
    good = vidhalloc_run("good", dict.fromkeys(pairs, RIGHT))
    poor = vidhalloc_run("poor", {p: WRONG if k < 7 else RIGHT for k, p in enumerate(pairs)})
    (row,) = rows(poor, good)
    assert (row["better"], row["p"]) == ("B", pytest.approx(2 / 128))
    same = [vidhalloc_run(f"same {k}", dict.fromkeys(pairs, RIGHT)) for k in range(3)]
    many = rows(good, poor, *same)
    assert len(many) == 10
    first = next(row for row in many if (row["A"], row["B"]) == ("good", "poor"))
    assert first["Holm p"] == pytest.approx(10 * 2 / 128)
    assert {row["better"] for row in many} == {None}


def test_pairs_on_one_video_show_nothing():
    pairs = [f"v__{k}" for k in range(9)]
    runs = [vidhalloc_run(n, dict.fromkeys(pairs, v)) for n, v in (("a", RIGHT), ("b", WRONG))]
    (row,) = rows(*runs)
    assert row["p"] < 0.01
    assert (row["low"], row["better"], row["videos"]) == (None, None, 1)


def test_runs_without_a_common_pair_are_told_and_not_tested():
    a, b = (vidomni_run(n, {f"{n}__x": [1]}, {f"{n}__x": [1]}) for n in "ab")
    (row,) = rows(a, b)
    assert row["pairs"] == row["videos"] == 0
    assert {row[name] for name in ("A, %", "A - B", "low", "p", "Holm p", "better")} == {None}


def test_tasks_are_apart_and_too_many_runs_are_left_out():
    halloc = [random_halloc(f"h{k}", k) for k in range(2)]
    omni = [random_omni(f"o{k}", k, videos=2) for k in range(MOST + 1)]
    (table,) = pairwise_tables([*halloc, *omni], SETTINGS)
    assert [row[:3] for row in table.rows] == [["vidhalloc", "h0", "h1"]]
    assert table.notes[-1] == f"vidomni: {MOST + 1} runs, more than {MOST}: left out."
    assert len(rows(*omni[:-1])) == MOST * (MOST - 1) // 2
    assert pairwise_tables([halloc[0], omni[0]], SETTINGS) == []


def test_the_same_ids_on_other_videos_are_drawn_apart():
    """Two runs on one version of the data and two on another, where the pairs share videos."""
    first = [random_halloc(name, seed) for seed, name in enumerate("ab")]
    second = [
        replace(run, items=[{**i, "video_id": f"w{int(i['video_id'][1:]) % 3}"} for i in run.items])
        for run in (random_halloc(name, seed) for seed, name in enumerate("cd", 2))
    ]
    found = {(row["A"], row["B"]): row for row in rows(*first, *second)}
    for a, b in (first, second):
        row, main = found[a.run, b.run], compare(a, b, SETTINGS).rows[0]
        assert row["videos"] == main.videos
        assert (row["low"], row["high"]) == pytest.approx((main.low, main.high))
    assert found["a", "c"]["pairs"] == 0
