"""``vidomni published``: every number of the papers is there, as printed, in every form."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter

import pytest
import typer
from typer.testing import CliRunner

from vidomni_plugin.commands.published import published as command
from vidomni_plugin.latex import as_latex
from vidomni_plugin.published import published, rows
from vidomni_plugin.published.tables import BENCHMARKS, published_tables
from vidomni_plugin.tables import as_csv, as_markdown, shown

APP = typer.Typer()
APP.command()(command)
EVERY = [(b, name) for b, tables in published_tables().items() for name in tables]


def run(*arguments, code=0):
    done = CliRunner().invoke(APP, [*arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert done.exit_code == code, done.output
    return done.output


def leaves(found):
    """Return every number and text in the data, but for the names of columns."""
    if isinstance(found, dict):
        return [leaf for key, value in found.items() if key != "columns" for leaf in leaves(value)]
    if isinstance(found, list):
        return [leaf for value in found for leaf in leaves(value)]
    return [found]


@pytest.mark.parametrize(("benchmark", "name"), EVERY)
def test_no_number_is_lost(benchmark, name):
    table = published_tables()[benchmark][name]
    notes = " ".join(table.notes).replace(",", "")
    printed = Counter(cell for row in csv.reader(io.StringIO(as_csv(table))) for cell in row)
    printed += Counter(re.findall(r"\d+(?:\.\d+)?", notes))
    data = leaves(published()[benchmark][name])
    numbers = [leaf for leaf in data if type(leaf) in (int, float)]
    assert Counter(map(str, numbers)) - printed == Counter()
    texts = [leaf for leaf in data if isinstance(leaf, str)]
    whole = as_csv(table).replace('"', "").replace(",", "") + notes
    lost = [text for text in texts if text.replace(",", "").lower() not in whole.lower()]
    assert lost == []
    assert published()[benchmark]["source"].split(", ")[1] in table.notes[0]
    assert table.notes[0].startswith("Published in ") == (name != "splits")
    assert table.title.startswith(published()[benchmark]["source"].split(", ")[0])
    lines = as_latex(table).splitlines()
    ends = sum(line.endswith(r" \\") for line in lines)
    assert ends == len(table.rows) + lines.count(r"\toprule")
    assert as_markdown(table).count("\n| ") == len(table.rows) + 2


def test_numbers_are_shown_with_the_digits_of_the_paper():
    table = published_tables()["vidhalloc"]["table5"]
    first = [shown(c, k) for c, k in zip(table.rows[0], table.columns, strict=True)]
    assert first == [
        "Gemini-3-Flash",
        "Commercial VLM",
        "-",
        "-",
        "1fps",
        "98.25",
        "84.63",
        "83.63",
    ]
    thresholds = published_tables()["vidhalloc"]["table8_thresholds"]
    values = {row[0]: shown(row[1], thresholds.columns[1]) for row in thresholds.rows}
    assert values["EMScore"] == "0.2649626136"  # a run with this threshold must be possible


def test_an_interval_is_two_columns():
    table = published_tables()["vidhalloc"]["table9_detectors"]
    titles = [column.title for column in table.columns]
    assert titles[:4] == ["method", "overall", "overall 95 % low", "overall 95 % high"]
    assert table.rows[0][:4] == ("EMScore", 6.5, 4.89, 8.24)
    within = published_tables()["vidhalloc"]["table13_within_video"]
    assert [column.title for column in within.columns][-3:] == ["OH - DH", "95 % low", "95 % high"]


def test_the_list_names_every_table():
    everything = list(csv.DictReader(io.StringIO(run("--csv"))))
    assert [(row["benchmark"], row["table"]) for row in everything] == EVERY
    only = list(csv.DictReader(io.StringIO(run("vidomni", "--csv"))))
    assert {row["benchmark"] for row in only} == {"vidomni"}
    shown_list = run()
    for _, name in EVERY:
        assert name in shown_list


@pytest.mark.parametrize(("benchmark", "name"), EVERY)
def test_every_listed_table_is_printed(benchmark, name):
    table = published_tables()[benchmark][name]
    output = run(benchmark, name)
    assert table.title.split(": ")[-1] in output
    assert "arXiv:2609." in output
    assert run(benchmark, name, "--markdown") == as_markdown(table)


def test_one_table_as_csv_and_as_json():
    found = list(csv.DictReader(io.StringIO(run("vidomni", "table3", "--csv"))))
    assert len(found) == len(rows("vidomni", "table3")) == 16
    for row, expected in zip(found, rows("vidomni", "table3"), strict=True):
        assert row["model"] == expected["model"]
        assert float(row["F1"]) == expected["f1"]
        assert float(row["Video-MME"]) == expected["video_mme"]
    one = json.loads(run("vidhalloc", "table15", "--json"))
    assert one["source"] == "VidHalLoc, arXiv:2609.09895v1"
    assert (one["benchmark"], one["table"]) == ("vidhalloc", "table15_outcomes")
    assert one["published"] == published()["vidhalloc"]["table15_outcomes"]
    assert json.loads(run("--json")) == {name: published()[name] for name in BENCHMARKS}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["vidmoni"], "neither vidomni nor vidhalloc"),
        (["vidomni", "table99"], "no table 'table99'; there are table1_captions"),
        (["vidomni", "table3", "--csv", "--json"], "exclude each other"),
    ],
)
def test_what_there_is_not_is_said_and_is_no_traceback(arguments, message):
    output = " ".join(run(*arguments, code=2).replace("│", " ").split())
    assert message in output
    assert "Traceback" not in output
