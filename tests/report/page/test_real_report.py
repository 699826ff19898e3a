"""The page that ``vidomni report`` writes of runs of the real host, opened in a real browser."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.report.page.test_browser import Show, choose, count, errors, value
from vidomni_plugin.cli import app

pytestmark = [pytest.mark.browser, pytest.mark.host]


@pytest.fixture(scope="module")
def report(replay_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a report on two replay runs of the host, one of them all right."""
    out = tmp_path_factory.mktemp("real") / "report"
    given = [str(replay_runs[name]) for name in ("right", "random")]
    done = CliRunner().invoke(app, ["report", *given, "--out", str(out), "--draws", "100"])
    assert done.exit_code == 0, done.output
    return out


def test_the_summary_shows_every_table_and_figure(show: Show, browser: Any, report: Path) -> None:
    browser = show(report / "report.html")
    tables = {path.stem for path in (report / "tables").glob("*.csv")} | {"leaderboard"}
    shown = value(browser, "[...document.querySelectorAll('section[id^=table-]')].map((s) => s.id)")
    assert {name.removeprefix("table-") for name in shown} == tables
    figures = len(list((report / "figures").glob("*.svg")))
    assert value(browser, "document.querySelectorAll('figure img').length") == figures > 5
    browser.execute_script("document.querySelectorAll('img').forEach((i) => i.loading = 'eager')")
    widths = "Promise.all([...document.images].map((i) => i.decode().then(() => i.naturalWidth)))"
    assert min(value(browser, widths)) > 100
    with (report / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    overall = {float(row["score"]) for row in rows if row["metric"] == "overall"}
    assert max(overall) == 100
    assert "100.00" in browser.find_element("id", "table-leaderboard").text
    assert errors(browser) == []


@pytest.mark.parametrize(("benchmark", "pairs"), [("vidomni", 24), ("vidhalloc", 40)])
def test_the_items_are_those_of_the_runs(
    show: Show, browser: Any, report: Path, benchmark: str, pairs: int
) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser = show(report / "report.html", f"#view=items&benchmark={benchmark}")
    assert count(browser) == pairs
    runs = value(browser, "runsOf(state.benchmark).length")
    assert runs == 2
    right, other = (o.text for o in browser.find_elements("css selector", "#run-a option"))
    choose(browser, "run-a", right)
    choose(browser, "show", "all right" if benchmark == "vidomni" else "both right")
    every = count(browser)
    choose(browser, "run-a", other)
    assert {every, count(browser)} >= {pairs}  # one of the two runs is right throughout
    assert min(every, count(browser)) < pairs
    video = "document.querySelector('video')"
    assert value(browser, f"new URL({video}.src).protocol") == "file:"
    WebDriverWait(browser, 15).until(lambda driver: value(driver, f"{video}.readyState") >= 1)
    assert value(browser, f"{video}.duration") > 1
    assert errors(browser) == []
