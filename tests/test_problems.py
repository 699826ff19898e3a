"""Messages about inputs: what a reader sees of them, whatever the data hold."""

from __future__ import annotations

import pytest

from vidomni_plugin.problems import MOST, SHOWN, InputProblems, Problem

EVIL = "a\x1b[2J\r\nok: nothing is wrong\x9b31m\u202e\ud800"
"""Clears the screen, forges a line, colours, turns the direction of writing, is no character."""


def problems(count: int) -> list[Problem]:
    return [Problem("record", f"pairs.jsonl:{k}", "no label", "give it one") for k in range(count)]


@pytest.mark.parametrize("where", ["title", "place", "message", "hint"])
def test_nothing_in_a_message_is_obeyed_by_a_terminal(where: str) -> None:
    texts = {"title": "t", "place": "p", "message": "m", "hint": "h"} | {where: EVIL}
    problem = Problem("record", texts["place"], texts["message"], texts["hint"])
    shown = str(InputProblems(texts["title"], [problem]))
    lines = shown.split("\n")
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert "\\x1b[2J\\r\\nok: nothing is wrong" in shown
    shown.encode()


def test_texts_in_any_script_are_left_as_they_are() -> None:
    problem = Problem("record", "über/视频.jsonl:1", "“čaj” 🤔", "σημείωση")
    assert str(InputProblems("données", [problem])) == (
        "données: 1 problem\n  über/视频.jsonl:1: “čaj” 🤔 [record]\n-> σημείωση"
    )


def test_all_problems_are_listed_where_no_command_lists_them() -> None:
    lines = str(InputProblems("annotators", problems(SHOWN + 60))).splitlines()
    assert lines[-2] == f"  pairs.jsonl:{SHOWN + 59}: no label [record]"
    assert lines[-1] == "-> give it one"


def test_a_short_message_names_the_command_that_lists_the_rest() -> None:
    error = InputProblems("data", problems(SHOWN + 60), listed_by="vidomni data check")
    lines = str(error).splitlines()
    assert lines[SHOWN + 1] == "  ... and 60 more; `vidomni data check` lists all"
    assert len(error.problems) == SHOWN + 60


def test_a_wrong_file_does_not_fill_the_screen_for_ever() -> None:
    lines = str(InputProblems("captions", problems(MOST + 5))).splitlines()
    assert lines[MOST + 1] == "  ... and 5 more; listed once these are corrected"
