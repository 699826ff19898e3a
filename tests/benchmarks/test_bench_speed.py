"""The command that prints the table of speed: what is in it, and how it ends."""

from __future__ import annotations

import ast
import math

import pytest

from tests.benchmarks import bench_speed
from tests.benchmarks.speed.rows import Row

HELD = Row("decodes a video", 5.0, 1.0, 1.0, "decodes a video", "same answers")
MISSED = Row("time", 1.0, math.inf, 0.3, "CPU time / host's", "outputs DIFFER")
ALONE = Row("share", math.nan, 0.0432, 0.1, "share of a run")


@pytest.fixture
def printed(monkeypatch, capsys):
    """Return a function that runs the command with these rows, or failures, of each module."""

    def run(rows, *arguments):
        def measured(name):
            if name not in rows:
                raise RuntimeError(f"{name} ended with 1\nValueError: no video")
            return rows[name]

        monkeypatch.setattr(bench_speed, "measured", measured)
        monkeypatch.setattr(bench_speed, "modules", lambda: ["decode", "journal"])
        code = bench_speed.main(arguments)
        return code, *capsys.readouterr()

    return run


def test_each_module_of_the_folder_has_rows():
    names = bench_speed.modules()
    assert "rows" not in names
    assert {"decode", "journal", "prefill", "reader", "vision"} <= set(names)
    for name in names:
        tree = ast.parse((bench_speed.SPEED / f"{name}.py").read_text(encoding="utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert "rows" in functions, name


def test_all_held(printed):
    code, out, err = printed({"decode": [HELD], "journal": [ALONE]})
    assert code == 0
    first, _, head, *lines = out.splitlines()
    assert "torch " in first
    assert " cores" in first
    assert head.split("  ")[0] == "quantity"
    words = "decodes a video 5.00 1.00 1.00 yes decodes a video same answers"
    assert lines[0].split() == words.split()
    assert lines[1].split()[:5] == ["share", "-", "0.043", "0.10", "yes"]
    assert lines[-1] == "2 of 2 held"
    assert "1 of 2: decode" in err


def test_markdown_is_one_table(printed):
    _, out, _ = printed({"decode": [HELD], "journal": [ALONE]}, "--markdown")
    lines = [line for line in out.splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert {line.count("|") for line in lines} == {len(bench_speed.HEAD) + 1}


def test_a_missed_target_is_named_and_ends_with_1(printed):
    code, out, err = printed({"decode": [HELD, MISSED], "journal": [ALONE]})
    assert code == 1
    assert "2 of 3 held" in out
    assert " NO " in out
    assert err.splitlines()[-1] == "missed: time"


def test_a_module_that_fails_costs_its_rows_only(printed):
    code, out, err = printed({"journal": [ALONE]})
    assert code == 1
    assert "1 of 1 held" in out
    assert "ValueError: no video" in err
    assert err.splitlines()[-1] == "failed: decode"


def test_only_runs_what_is_named(printed):
    code, out, _ = printed({"journal": [ALONE]}, "--only", "journal")
    assert code == 0
    assert "1 of 1 held" in out


def test_a_module_that_cannot_be_measured_says_its_last_words():
    """In a process of its own, as the command starts it."""
    with pytest.raises(RuntimeError, match=r"(?s)no_such_module ended with 1.*ModuleNotFoundError"):
        bench_speed.measured("no_such_module")
