"""A headless Chromium; tests that need it are left out where there is none.

With ``VIDOMNI_NEED_BROWSER=1`` they fail instead: a machine that should have one has lost it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.report.page.pages import full_size_runs, hostile_runs, sample_runs
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.report.page.media import media_of
from vidomni_plugin.report.page.page import build_page
from vidomni_plugin.report.runs import Run
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.tables import Column, Table

NEEDED = "VIDOMNI_NEED_BROWSER"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="30" height="9"/>'
BAD_SVG = SVG + "<script>parent.hacked=1;top.hacked=1</script></svg>"
LISTEN = """
window.violations = [];
addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
"""
"""Runs before the page does: what the policy had to stop was tried."""


def chromium(profile: Path) -> Any:
    """Return a browser of 1400 x 900 pixels that keeps its files in ``profile``."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "window-size=1400,900"):
        options.add_argument(f"--{argument}")
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # The driver's own check for a newer version would ask the network.
    service = webdriver.ChromeService(DRIVER, env={**os.environ, "SE_OFFLINE": "true"})
    driver = webdriver.Chrome(options=options, service=service)
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
    return driver


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a browser, or skip; fail where one is needed."""
    if not (CHROMIUM and DRIVER and find_spec("selenium")):
        why = "no chromium, chromedriver or selenium"
        (pytest.fail if os.environ.get(NEEDED) == "1" else pytest.skip)(why)
    driver = chromium(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()


def _written(path: Path, runs: list[Run], text: str = "Leaderboard") -> Path:
    table = Table(
        "leaderboard",
        text,
        [Column(text), Column("n"), Column("F1", 1), Column("published F1", 1, published=True)],
        [[text, 3, 23.45, 22.1], ["model-b", 1200, None, None]],
        [text],
    )
    roots = {"vidomni": mini_root("vidomni").path, "vidhalloc": mini_root("vidhalloc").path}
    media = media_of(runs, roots, path.parent)
    html = build_page(runs, [table], [(text, BAD_SVG)], Settings(), media=media, title=text)
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def sample_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of two runs on the built-in sample, its videos linked."""
    return _written(tmp_path_factory.mktemp("sample") / "report.html", sample_runs())


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of runs whose every text is an attack."""
    runs = hostile_runs()
    return _written(tmp_path_factory.mktemp("hostile") / "report.html", runs, runs[0].name)


@pytest.fixture(scope="session")
def full_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of three models on 2,500 captions."""
    return _written(tmp_path_factory.mktemp("full") / "report.html", full_size_runs())


@pytest.fixture
def show(browser: Any) -> Callable[[Path, str], Any]:
    """Return a function that opens a page at an address and waits until its items are read."""
    from selenium.webdriver.support.ui import WebDriverWait

    def opened(page: Path, address: str = "") -> Any:
        browser.get("about:blank")  # the same page at another address would not be read again
        browser.get_log("browser")  # what an earlier page was stopped from doing
        browser.get(page.as_uri() + address)
        WebDriverWait(browser, 30).until(
            lambda driver: driver.execute_script("return document.body.dataset.ready") == "yes"
        )
        return browser

    return opened
