"""Tables for papers fit the page, and text from data stays text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.latex import as_latex
from vidomni_plugin.tables import Column, Table, beside_published, interval


def small(*rows, **more):
    columns = [Column("who"), *beside_published("rate, %"), *interval(), Column("n")]
    return Table("a_table", "A title (Table 5)", columns, rows, **more)


def body(text):
    """Return the rows between the rules."""
    lines = text.splitlines()
    starts = [k for k, line in enumerate(lines) if line == r"\midrule"]
    ends = [k for k, line in enumerate(lines) if line == r"\bottomrule"]
    return [line for a, b in zip(starts, ends, strict=True) for line in lines[a + 1 : b]]


def heads(text):
    line = text.splitlines()[text.splitlines().index(r"\toprule") + 1]
    stacked = re.findall(r"\\shortstack\[.\]\{(.*?)\}(?= &| \\\\$)", line)
    for inside in stacked:
        line = line.replace(inside, inside.replace(r" \\ ", " "))
    line = re.sub(r"\\shortstack\[.\]\{(.*?)\}(?= &| \\\\$)", r"\1", line)
    return line.removesuffix(r" \\").split(" & ")


def test_a_small_table_word_for_word():
    table = small(
        ("a", -12.25, 12.0, -20.0, 3.5, 1234),
        ("b", 1.0, None, None, None, 0),
        notes=["It needs --allow-different."],
    )
    assert as_latex(table).splitlines() == [
        r"% needs \usepackage{array,booktabs,graphicx}",
        r"\begin{table}",
        r"\centering",
        r"\caption{A title.}",
        r"\label{tab:a-table}",
        r"\setlength{\tabcolsep}{4pt}%",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"who & rate, \% & \shortstack[r]{published \\ rate, \%} & n \\",
        r"\midrule",
        r"a & $-$12.3 [$-$20.0, 3.5] & 12.0 & 1,234 \\",
        r"b & 1.0 & -- & 0 \\",
        r"\bottomrule",
        r"\end{tabular}}",
        r"\par\medskip{\footnotesize\raggedright In brackets: the interval. "
        r"It needs \texttt{-{}-allow-different}.\par}",
        r"\end{table}",
    ]


def test_columns_without_a_value_are_left_out_and_all_heads_differ():
    columns = [
        Column("run"),
        Column("empty"),
        *(c for title in ("P", "R") for c in (*beside_published(f"{title}, %"), *interval(title))),
        Column("A - B"),
    ]
    text = as_latex(
        Table("t", "t", columns, [["m", None, 1.0, 2.0, 0.0, 2.0, 3.0, 4.0, 3.0, 3.0, 0.5]])
    )
    given = heads(text)
    assert given == ["run", r"P, \%", r"published P, \%", r"R, \%", r"published R, \%", "A $-$ B"]


def test_a_wide_table_stands_sideways_and_a_long_one_in_parts():
    columns = [Column("run"), *(Column(f"score {k}") for k in range(20))]
    rows = [[f"run {k}", *[float(k)] * 20] for k in range(100)]
    text = as_latex(Table("wide", "Wide", columns, rows, ["A note."]))
    assert text.startswith(r"% needs \usepackage{array,booktabs,graphicx,rotating}")
    parts = text.count(r"\begin{sidewaystable}")
    assert parts == text.count(r"\end{sidewaystable}") > 2
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(set(labels)) == parts
    assert labels[0] == "tab:wide"
    assert f"(1 of {parts})" in text
    assert [row.split(" & ")[0] for row in body(text)] == [f"run {k}" for k in range(100)]
    assert text.count("A note.") == 1


@given(st.lists(st.integers(0, 2000), min_size=1, max_size=60))
def test_no_part_is_longer_than_a_page_and_no_row_is_lost(lengths):
    rows = [[f"{k}", "word " * (length // 5)] for k, length in enumerate(lengths)]
    text = as_latex(Table("t", "t", [Column("k"), Column("text")], rows))
    lines = body(text)
    assert [line.split(" & ")[0] for line in lines] == [str(k) for k in range(len(rows))]
    for part in text.split(r"\begin{table}")[1:]:
        of_part = body(part)
        assert len(of_part) == 1 or sum(max(1, len(line) / 60) for line in of_part) < 45


def test_long_text_is_wrapped_and_cut_and_long_names_may_break():
    name = "org/" + "a-very-long-name_of.a-model" * 3
    table = Table("t", "t", [Column("run"), Column("text")], [[name, "word " * 100]])
    text = as_latex(table)
    (row,) = body(text)
    assert r"/\allowbreak{}a-\allowbreak{}very" in row
    assert row.count("word") < 61
    assert row.endswith(r"... \\")
    assert r"p{" in text


@given(st.text())
def test_latex_has_no_bare_special_character(text):
    cells = body(as_latex(Table("t", "t", [Column("a"), Column("b")], [[text, 1]])))[0]
    cell = cells.removesuffix(r" & 1 \\").removeprefix("{}")
    bare = re.sub(r"\\(?:text[a-z]+\{\}|allowbreak\{\}|[&%$#_{}])", "", cell)
    bare = re.sub(r"\\texttt\{(.*?)\}", r"\1", bare.replace("{}", ""))
    assert not set(bare) & set("\\&%$#_{}~^<>|")


@given(st.text(st.sampled_from("-`'?!,<>a "), min_size=1))
def test_signs_are_not_joined_to_others(text):
    (row,) = body(as_latex(Table("t", "t", [Column("a"), Column("b")], [[text, 1]])))
    cell = row.removesuffix(r" & 1 \\")
    assert not re.search(r"--|``|''|\?`|!`|,,", cell)


@pytest.mark.parametrize("name", ["[2cm] x", "*x"])
def test_a_first_cell_is_no_argument_of_the_line_end_above(name):
    assert f"{{}}{name} \\\\" in body(as_latex(Table("t", "t", [Column("a")], [("b",), (name,)])))


def test_a_table_without_rows_is_one_too():
    assert as_latex(Table("t", "t", [Column("a"), Column("b")], [])).count(r"\begin{tabular}") == 1


def test_a_column_without_a_head():
    """The first column of the sentences' counts has none."""
    table = Table("a_table", "A title", [Column(""), Column("n")], [("a", 1)])
    assert body(as_latex(table)) == [r"a & 1 \\"]
