"""Tables say the same in each form, and text from data stays text."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from vidomni_plugin.build.annotate.decisions import unguarded
from vidomni_plugin.tables import (
    Column,
    Table,
    as_csv,
    as_markdown,
    beside_published,
    interval,
    plain,
    rounded,
    telling,
    write_table,
)
from vidomni_plugin.tables import shown as cell_text
from vidomni_plugin.terminal import print_table

NASTY = [
    "a|b",
    "*bold* _it_ `code` ~~no~~",
    "[link](http://x.y)",
    "<script>alert(1)</script>",
    "&amp; &lt;",
    "back\\slash \\| end\\",
    "[red]rich[/red]",
    "# head",
    "$x_1^2$ 100% {a} ~ ^",
    "=1+1",
    "line\nbreak\x1b[31m\u202eevil",
]


def table(*cells, columns=None, **more):
    heads = columns or [Column("name"), *(Column(f"c{i}") for i in range(len(cells[0]) - 1))]
    return Table("t", "A title", heads, cells, **more)


def shown(table_, width=200):
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    print_table(table_, console)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (34.625, 2, "34.63"),
        (0.5, 0, "1"),
        (1.5, 0, "2"),
        (2.5, 0, "3"),
        (-2.5, 0, "-3"),
        (1.005, 2, "1.01"),
        (0.1 + 0.2, 1, "0.3"),
        (100 * 0.145, 0, "15"),
        (-0.0001, 2, "0.00"),
        (1e-30, 1, "0.0"),
        (1e15, 1, "1000000000000000.0"),
    ],
)
def test_halves_are_rounded_away_from_zero_as_in_the_papers(value, digits, text):
    assert rounded(value, digits) == text


@given(st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False)), max_size=3))
def test_significant_digits_tell_all_values_of_a_group_apart(groups):
    column = Column("t", significant=telling(groups, 4))
    for group in groups:
        assert len({float(cell_text(value, column)) for value in group}) == len(set(group))


def test_few_digits_suffice_where_they_do():
    assert telling([[0.1, 0.2], []], 4) == 4
    assert cell_text(0.1, Column("t", significant=4)) == "0.1"
    assert cell_text(0.00012345, Column("t", significant=4)) == "0.0001234"


@given(st.floats(-1e6, 1e6), st.integers(0, 3))
def test_rounding_is_never_off_by_more_than_half_a_digit(value, digits):
    off = abs(Decimal(rounded(value, digits)) - Decimal(value))
    assert off <= Decimal("0.5").scaleb(-digits) + Decimal("1e-8")


def test_a_small_table_word_for_word():
    columns = [Column("who"), *beside_published("rate, %"), Column("n")]
    small = table(("a", 12.25, 12.0, 1234), ("b", None, None, 0), columns=columns, notes=["N."])
    assert as_markdown(small) == (
        "**A title**\n\n"
        "| who | rate, % | published rate, % | n |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| a | 12.3 | 12.0 | 1,234 |\n"
        "| b | - | - | 0 |\n\n"
        "N.\n"
    )
    assert as_csv(small) == 'who,"rate, %","published rate, %",n\na,12.25,12.0,1234\nb,,,0\n'
    lines = [line.split() for line in shown(small).splitlines()]
    assert ["a", "12.3", "(12.0)", "1,234"] in lines
    assert ["b", "-", "(-)", "0"] in lines
    assert "In brackets: published." in shown(small)


@pytest.mark.parametrize("text", NASTY)
def test_text_of_data_is_text_in_markdown(text):
    html = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .render(as_markdown(table((text, 1))))
    )
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert len(cells) == 2
    assert "<" not in cells[0]
    plain_cell = cells[0]
    for mark, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        plain_cell = plain_cell.replace(mark, character)
    assert plain_cell == plain(text)


@pytest.mark.parametrize("text", NASTY)
def test_text_of_data_is_text_on_the_terminal(text):
    out = shown(table((text, 1)))
    assert plain(text) in out
    assert "\x1b" not in out


@pytest.mark.parametrize("text", ["a;=cmd()", ";+1", "x;-1;@y"])
def test_nor_does_a_spreadsheet_that_separates_with_semicolons(text):
    (cell,) = next(csv.reader([as_csv(table((text, 1))).splitlines()[1].split(",")[0]]))
    assert not re.search(r";[=+\-@]", cell)
    assert unguarded(cell) == text


@given(st.lists(st.text(st.characters(exclude_categories=("C", "Z"))), min_size=1, max_size=4))
@example([";=1", "';=1", ";'=1"])
def test_csv_gives_the_cells_back(texts):
    rows = [(text, 1.0, None) for text in texts]
    read = list(csv.reader(io.StringIO(as_csv(table(*rows)))))[1:]
    assert [unguarded(row[0]) for row in read] == [unguarded(text) for text in texts]
    assert all(row[1:] == ["1.0", ""] for row in read)


@pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@x"])
def test_a_spreadsheet_does_not_run_text_of_data(text):
    assert as_csv(table((text, -1.5))).splitlines()[1] == f"'{text},-1.5"


@pytest.mark.parametrize("width", [100, 70, 20])
def test_a_wide_table_keeps_its_numbers_whole(width):
    note = " ".join(["note"] * 40)
    wide = table(("a word", *[123456.75] * 6), ("other", *[2.0] * 6), notes=[note])
    out = shown(wide, width)
    assert out.count("123456.8") == 6
    assert out.count("note") == 40
    assert max(map(len, out.splitlines())) <= max(width, 80)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: table(("a", 1), ("b",)), "1 cells for 2 columns"),
        (lambda: Table("../up", "t", [Column("a")], []), "cannot be the name"),
        (lambda: Table("t", "t", [], []), "no column"),
        (lambda: Table("t", "t", [Column("p", published=True)], []), "stand beside"),
        (lambda: Table("t", "t", [*interval()], []), "stand beside"),
        (lambda: Table("t", "t", [Column("95 %"), Column("x"), Column("95 %")], []), "95 %"),
    ],
)
def test_a_table_that_cannot_be_shown_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_three_files_are_written(tmp_path):
    paths = write_table(table(("a", 1), label="mine"), tmp_path / "new")
    assert [path.name for path in paths] == ["t.md", "t.csv", "t.tex"]
    assert r"\label{tab:mine}" in paths[2].read_text(encoding="utf-8")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["t.csv", "t.md", "t.tex"]


def test_numbers_as_large_as_a_float_can_be_are_shown():
    assert rounded(1.7e308, 2).startswith("17")
    assert rounded(1e40, 1).endswith(".0")


def test_heads_of_columns_are_no_formulas_either():
    first = as_csv(Table("t", "t", [Column("=cmd|calc"), Column("@x")], [])).splitlines()[0]
    assert first == "'=cmd|calc,'@x"


WIDE = Table(
    "wide",
    "Wide",
    [Column("caption source"), *(Column(f"Certificate Coverage {k}, %") for k in range(5))],
    [["vidomni_replay", 1.0, 22.5, 100.0, None, 0.5], ["Qwen3-VL-32B-Instruct", *[12345.6] * 5]],
)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 84, 90, 100, 120, 200])
def test_no_column_is_lost_on_a_narrow_terminal(width):
    lines = shown(WIDE, width).splitlines()
    assert max(map(len, lines)) <= width
    text = "".join("".join(lines).split())
    assert text.count("12345.6") == 5
    assert "…" not in text
    assert "100.0" in text
    if width >= 40:
        assert any("vidomni_replay" in line for line in lines)
        assert any("Certificate" in line for line in lines)


def test_a_long_name_folds_and_does_not_make_a_list_of_the_table():
    table_ = table(("x" * 50, 1.0), ("y", 2.0))
    assert any(line.split() == ["y", "2.0"] for line in shown(table_, 30).splitlines())
