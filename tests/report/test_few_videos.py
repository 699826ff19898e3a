"""Intervals over a handful of videos are pointed out, and only these."""

from __future__ import annotations

import pytest

from vidomni_plugin.report.few_videos import FEW, with_note_on_few
from vidomni_plugin.tables import Column, Table, interval

COLUMNS = [Column("run"), Column("F1, %"), *interval(), Column("videos")]


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([("a", 1.0, 0.0, 2.0, FEW)], ""),
        ([("a", 1.0, None, None, 1)], ""),
        ([("a", 1.0, 0.0, 2.0, None)], ""),
        ([("a", 1.0, 0.0, 2.0, 2), ("b", 1.0, 0.0, 2.0, 80)], "1 row has an interval over fewer"),
        ([("a", 1.0, 0.0, 2.0, 2), ("b", 1.0, 0.0, 2.0, 9)], "2 rows have intervals over fewer"),
    ],
)
def test_rows_over_few_videos_are_counted(rows, note):
    made = with_note_on_few(Table("t", "t", COLUMNS, rows, ["N."]))
    assert made.notes[0] == "N."
    assert len(made.notes) == 1 + bool(note)
    assert note in made.notes[-1]


def test_a_table_without_intervals_stays_as_it_is():
    table = Table("t", "t", [Column("run"), Column("videos")], [("a", 1)])
    assert with_note_on_few(table) is table
