"""Take the pictures of docs/label_studio.md in headless Chromium.

Needs Debian's chromium, chromium-driver and pngquant, and `pip install selenium`:

    VIDOMNI_LABEL_STUDIO=.venv-label-studio/bin/label-studio \
        .venv/bin/python -m tests.label_studio.screenshots
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.label_studio import client, story, workflow
from tests.label_studio.client import Person
from tests.label_studio.server import Server, running
from tests.label_studio.workflow import Prepared
from vidomni_plugin.build.annotate import labelling
from vidomni_plugin.data.locate import mini_root

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
WIDTH, HEIGHT = 1440, 960
SECONDS = 60
SETTLED = 3
"""Seconds after which a page has drawn its video."""
SELECT = """
const words = document.createTreeWalker(document.querySelector('.read'), NodeFilter.SHOW_TEXT);
let node;
while ((node = words.nextNode())) {
  const at = node.data.indexOf(arguments[0]);
  if (at < 0) continue;
  const range = document.createRange();
  range.setStart(node, at);
  range.setEnd(node, at + arguments[0].length);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  node.parentElement.dispatchEvent(new MouseEvent('mouseup', {bubbles: true}));
  return true;
}
return false;
"""
"""Marks the first occurrence of some words, as a hand with a mouse does."""


def main() -> None:
    """Run the story up to the pages that the docs show, and photograph them."""
    with tempfile.TemporaryDirectory() as place:
        server_folder, folder = Path(place) / "server", Path(place) / "workflow"
        server_folder.mkdir()
        folder.mkdir()
        with running(server_folder, mini_root("vidomni").path) as server:
            prepared = workflow.prepare(server, folder)
            browser = _browser()
            try:
                _pictures(browser, server, prepared)
            finally:
                browser.quit()


def _pictures(browser: Any, server: Server, prepared: Prepared) -> None:
    boss, folder = prepared.boss, prepared.folder
    _log_in(browser, server, prepared.people["ann"])
    project = workflow.new_project(boss, folder / "plan" / "stage1", workflow.served())
    client.load_tasks(boss, project, prepared.tasks)
    _open(browser, server, boss, project)
    _judge(browser)
    _take(browser, "stage1")
    first = workflow.first_stage(prepared)
    tabs = [
        boss.post("/api/dm/views/", labelling.assigned_tab(first.project, name))["id"]
        for name in story.PEOPLE
    ]
    browser.get(f"{server.url}/projects/{first.project}/data?tab={tabs[1]}")
    _wait(browser, "[class*=annotators], [class*=userpic]")
    _take(browser, "tasks")
    workflow.second_stage(prepared, first)
    again = workflow.new_project(boss, folder / "stage2", workflow.served())
    client.load_tasks(boss, again, workflow.tasks_in(folder / "stage2"))
    _open(browser, server, boss, again)
    _mark(browser)
    _take(browser, "stage2")


def _open(browser: Any, server: Server, boss: Person, project: int) -> None:
    """Open the disputed pair as "Label Tasks As Displayed" does."""
    tab = labelling.assigned_tab(project, "ann")
    pair = {"filter": "filter:tasks:data.pair_id", "operator": "equal", "type": "String"}
    tab["data"]["filters"]["items"].append({**pair, "value": story.DISPUTED})
    made = boss.post("/api/dm/views/", tab)["id"]
    browser.execute_script("localStorage.setItem('dm:labelstream:mode', 'filtered')")
    browser.get(f"{server.url}/projects/{project}/data?tab={made}&labeling=1")
    _wait(browser, "video")
    time.sleep(SETTLED)


def _judge(browser: Any) -> None:
    """Judge the first sentences and write a memo, as the picture shows."""
    radios = browser.find_elements("css selector", ".sentence input[type=radio]")
    for sentence, choice in enumerate((0, 1, 1)):
        browser.execute_script("arguments[0].click()", radios[3 * sentence + choice])
    memo = browser.find_elements("css selector", "[name^=memo]")[1]
    memo.send_keys("it is on the left, all the time")


def _mark(browser: Any) -> None:
    """Mark the words of three errors."""
    from selenium.webdriver.common.action_chains import ActionChains

    for key, words in (("3", "farthest to the right"), ("2", "to the left of"), ("1", "green")):
        ActionChains(browser).send_keys(key).perform()
        time.sleep(0.5)
        assert browser.execute_script(SELECT, words), words
        time.sleep(0.7)


def _browser() -> Any:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        f"--window-size={WIDTH},{HEIGHT}",
    ):
        options.add_argument(argument)
    return webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))


def _log_in(browser: Any, server: Server, person: Person) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(f"{server.url}/user/login/")
    browser.find_element("name", "email").send_keys(person.email)
    field = browser.find_element("name", "password")
    field.send_keys(person.password)
    field.submit()
    WebDriverWait(browser, SECONDS).until(lambda b: "login" not in b.current_url)


def _wait(browser: Any, selector: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    def there(page: Any) -> bool:
        return bool(page.find_elements("css selector", selector))

    WebDriverWait(browser, SECONDS).until(there)


def _take(browser: Any, name: str) -> None:
    time.sleep(SETTLED)
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"label_studio_{name}.png"
    browser.save_screenshot(str(path))
    subprocess.run(["pngquant", "--force", "--output", str(path), "64", str(path)], check=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
