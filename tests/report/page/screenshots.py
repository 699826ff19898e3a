"""Take the pictures of docs/report.md in headless Chromium, of made-up runs on the built-in sample.

Needs Debian's chromium, chromium-driver and pngquant:

    .venv/bin/python -m tests.report.page.screenshots
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.report.page.conftest import chromium
from tests.report.page.pages import sample_runs
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.figures import save_figure
from vidomni_plugin.report.figure_titles import figure_title
from vidomni_plugin.report.leaderboard import leaderboard
from vidomni_plugin.report.page.media import media_of
from vidomni_plugin.report.page.page import build_page
from vidomni_plugin.report.settings import Settings
from vidomni_plugin.report.vidhalloc_figures import figures as vidhalloc_figures
from vidomni_plugin.report.vidhalloc_tables import tables as vidhalloc_tables
from vidomni_plugin.report.vidomni_figures import figures as vidomni_figures
from vidomni_plugin.report.vidomni_tables import tables as vidomni_tables

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"
VIEWS: dict[str, dict[str, str]] = {
    "summary": {"view": "summary"},
    "vidomni": {
        "view": "items", "benchmark": "vidomni", "b": "example-b · vidomni", "show": "disagree",
        "item": "crowd__captioner-b",
    },
    "vidhalloc": {
        "view": "items", "benchmark": "vidhalloc", "b": "example-b · vidhalloc",
        "show": "wrong-counterfactual",
    },
    "dark": {"view": "items", "benchmark": "vidomni", "q": "circle", "item": "grasp__captioner-a"},
}  # fmt: skip
"""Address of each picture's view."""
FIGURE = "vidomni_figure8"
"""The figure that is shown by itself."""
DRAWN = """
const done = arguments[0];
const video = document.querySelector('video');
if (!video || video.readyState > 1) setTimeout(done, 2500);
else video.addEventListener('loadeddata', () => setTimeout(done, 2500));
"""


def main() -> None:
    """Build the page, open each view, and write its picture."""
    with tempfile.TemporaryDirectory() as place:
        page = _page(Path(place))
        browser = chromium(Path(place) / "browser")
        try:
            shutil.copy(page.parent / f"{FIGURE}.png", PICTURES / "report_figure.png")
            _smaller(PICTURES / "report_figure.png")
            for name, address in VIEWS.items():
                theme = "dark" if name == "dark" else "light"
                _take(browser, page, name, address, theme)
        finally:
            browser.quit()


def _page(folder: Path) -> Path:
    runs, settings = sample_runs(), Settings()
    tasks = [task for run in runs for task in run.tasks.values()]
    tables = [*vidomni_tables(tasks, settings), *vidhalloc_tables(tasks, settings)]
    for name, draw in [*vidomni_figures(tasks, settings), *vidhalloc_figures(tasks, settings)]:
        save_figure(draw(), folder, name)
    titles = {table.name: table.title for table in tables}
    drawn = [
        (figure_title(path.stem, titles), path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.svg"), key=lambda path: path.stat().st_mtime_ns)
    ]
    roots = {"vidomni": mini_root("vidomni").path, "vidhalloc": mini_root("vidhalloc").path}
    media = media_of(runs, roots, folder, posters=True)
    page = folder / "report.html"
    best = leaderboard(runs, settings)
    html = build_page(runs, [best, *tables], drawn, settings, media=media)
    page.write_text(html, encoding="utf-8")
    return page


def _take(browser: Any, page: Path, name: str, address: dict[str, str], theme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}#{urlencode(address)}")
    browser.execute_async_script(DRAWN)
    path = PICTURES / f"report_{name}.png"
    browser.save_screenshot(str(path))
    _smaller(path)


def _smaller(path: Path) -> None:
    command = ["pngquant", "--force", "--skip-if-larger", "--strip", "--output", path, "64", path]
    # 98 and 99 are its codes for "would not be smaller": the picture stays as it is.
    if subprocess.run(command, check=False).returncode not in {0, 98, 99}:
        raise SystemExit(f"pngquant failed on {path}")


if __name__ == "__main__":
    main()
