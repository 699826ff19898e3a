"""What a reader does in the page, done by a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.report.builders import vidomni_item, vidomni_run
from tests.report.page.pages import ATTACK, as_run
from vidomni_plugin.report.page.page import build_page
from vidomni_plugin.report.settings import Settings

pytestmark = pytest.mark.browser
Show = Callable[..., Any]


def value(browser: Any, script: str) -> Any:
    return browser.execute_script(f"return {script}")


def choose(browser: Any, select: str, option: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(browser.find_element("id", select)).select_by_visible_text(option)


def choose_second_run(browser: Any) -> None:
    from selenium.webdriver.support.ui import Select

    Select(browser.find_element("id", "run-b")).select_by_index(1)


def count(browser: Any) -> int:
    return int(browser.find_element("id", "count").text.split()[0].replace(",", ""))


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def search(browser: Any, text: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    box = browser.find_element("id", "search")
    box.clear()
    box.send_keys(text)
    WebDriverWait(browser, 5).until(lambda driver: value(driver, "state.q") == text)


def errors(browser: Any) -> list[str]:
    return [line["message"] for line in browser.get_log("browser") if line["level"] == "SEVERE"]


def test_opens_with_the_summary_and_loads_nothing(show: Show, sample_page: Path) -> None:
    browser = show(sample_page)
    assert browser.find_element("id", "summary").is_displayed()
    assert not browser.find_element("id", "items").is_displayed()
    assert "23.5" in browser.find_element("id", "table-leaderboard").text
    picture = "document.querySelector('figure img')"
    browser.execute_script(f"{picture}.scrollIntoView()")
    assert value(browser, f"{picture}.decode().then(() => {picture}.naturalWidth)") == 40
    loaded = value(browser, "performance.getEntriesByType('resource').map((e) => e.name)")
    assert [name for name in loaded if not name.startswith(("file:", "data:"))] == []
    assert errors(browser) == []


def test_the_contents_lead_to_a_table_and_back_again(show: Show, sample_page: Path) -> None:
    browser = show(sample_page, "#view=summary&to=runs")
    browser.set_window_size(1400, 400)
    try:
        place = "document.getElementById('{}').getBoundingClientRect().top"
        browser = show(sample_page, "#view=summary&to=runs")
        assert value(browser, "scrollY") > 0
        assert 0 <= value(browser, place.format("runs")) < 250
        link = browser.find_element("css selector", ".contents a")
        for _ in range(2):  # the second time the address is the same already
            browser.execute_script("scrollTo(0, 1e6); arguments[0].click()", link)
            top = place.format("table-leaderboard")
            assert value(browser, f"new Promise((r) => setTimeout(() => r({top}), 200))") < 60
    finally:
        browser.set_window_size(1400, 900)


def test_filters(show: Show, sample_page: Path) -> None:
    browser = show(sample_page, "#view=items&benchmark=vidhalloc")
    every = count(browser)
    items = "data.items.filter((item) => item.benchmark === 'vidhalloc')"
    for name, test in {
        "wrong on factual": "a[0].verdict !== 'ACCEPT'",
        "wrong on counterfactual": "a[1].verdict !== 'REJECT'",
        "undecided": "a[0].verdict === null || a[1].verdict === null",
        "both right": "a[0].verdict === 'ACCEPT' && a[1].verdict === 'REJECT'",
    }.items():
        choose(browser, "show", name)
        run = "runNumber(state.a, 'vidhalloc')"
        fitting = f"{items}.filter((i) => {{const a = i.answers[{run}]; return {test}}}).length"
        assert 0 < count(browser) == value(browser, fitting) < every, name
    choose(browser, "show", "models disagree")
    said = "new Set(Object.values(i.answers).map((a) => a[0].verdict + a[1].verdict)).size > 1"
    assert 0 < count(browser) == value(browser, f"{items}.filter((i) => {said}).length") < every
    browser.find_element("id", "clear").click()
    choose(browser, "facet-category", "EEH EntityExistence")
    assert 0 < count(browser) < every
    choose(browser, "benchmark", "VidOmni")
    assert count(browser) == value(browser, "data.items.length") - every
    for facet in ("type", "source", "category"):
        whole, select = count(browser), f"document.getElementById('facet-{facet}')"
        choose(browser, f"facet-{facet}", value(browser, f"{select}.options[1].textContent"))
        assert 0 < count(browser) < whole
        choose(browser, f"facet-{facet}", "all")
    choose(browser, "show", "not answered")
    assert count(browser) == 0
    assert errors(browser) == []


def test_search_finds_words_of_answers_and_of_captions(show: Show, sample_page: Path) -> None:
    browser = show(sample_page, "#view=items&benchmark=vidhalloc")
    search(browser, "HARD to say")
    assert count(browser) > 0
    assert all(
        value(browser, "shown.map((i) => Object.values(i.answers).flat().some("
              "(a) => data.texts[a.text] === 'It is hard to say.'))")
    )  # fmt: skip
    search(browser, "no item has this")
    assert count(browser) == 0
    assert "No item" in browser.find_element("id", "detail").text
    choose(browser, "benchmark", "VidOmni")
    word = value(browser, "data.items.find((i) => i.benchmark === 'vidomni').sentences[0]")
    search(browser, word)
    assert 0 < count(browser) < 10


def test_side_by_side_shows_both_runs(show: Show, sample_page: Path) -> None:
    browser = show(sample_page, "#view=items&benchmark=vidomni")
    assert len(browser.find_elements("css selector", ".answers section")) == 1
    choose(browser, "run-b", "example-b · vidomni")
    assert len(browser.find_elements("css selector", ".answers section")) == 2
    heads = [h.text for h in browser.find_elements("css selector", ".sentences thead th")]
    assert heads == ["#", "Sentence", "Gold", "A: example-a", "B: example-b"]
    choose(browser, "show", "models disagree")
    item = "shown[0]"
    labels = value(browser, f"[{item}.answers, chosenRuns()]")
    gold = value(browser, f"{item}.gold")
    rows = browser.find_elements("css selector", ".sentences tbody tr")
    assert len(rows) == len(gold)
    letters = {"00": "C", "01": "F", "10": "M", "11": "H", "0-": "U", "1-": "U"}
    for k, row in enumerate(rows):
        chips = [c.text.split()[0] for c in row.find_elements("css selector", ".chip")]
        said = [labels[0][str(run)]["labels"][k] for run in labels[1]]
        assert chips == [letters.get(gold[k] + one, "?") for one in said]


def test_error_words_are_marked_with_their_category(show: Show, sample_page: Path) -> None:
    browser = show(sample_page, "#view=items&benchmark=vidomni")
    item = value(browser, "shown.find((i) => Object.values(i.errors).some((e) => e[0][1]))")
    browser = show(sample_page, f"#view=items&benchmark=vidomni&item={quote(item['key'])}")
    expected = sorted(words for rows in item["errors"].values() for _, words in rows)
    marks = browser.find_elements("css selector", ".sentences mark")
    assert sorted(mark.text for mark in marks) == expected
    categories = {category for rows in item["errors"].values() for category, _ in rows}
    assert {mark.get_attribute("title") for mark in marks} == categories


def test_a_linked_video_plays_from_disk(show: Show, sample_page: Path) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser = show(sample_page, "#view=items&benchmark=vidhalloc")
    WebDriverWait(browser, 15).until(
        lambda driver: value(driver, "document.querySelector('video').readyState") >= 1
    )
    assert value(browser, "document.querySelector('video').duration") > 1


def test_a_deep_link_holds_everything(show: Show, sample_page: Path) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser = show(sample_page, "#view=items&benchmark=vidhalloc")
    choose(browser, "run-b", "example-b · vidhalloc")
    choose(browser, "show", "models disagree")
    search(browser, "the")
    press(browser, "\ue00c", "j", "j")
    WebDriverWait(browser, 5).until(lambda d: value(d, "location.hash === hashFromState(state)"))
    address, item = value(browser, "location.hash"), value(browser, "state.item")
    assert value(browser, "list.selected") == 2
    before, left = browser.find_element("id", "detail").text, count(browser)
    browser = show(sample_page, address)
    assert value(browser, "state.item") == item
    assert (browser.find_element("id", "detail").text, count(browser)) == (before, left)
    assert browser.find_element("id", "search").get_attribute("value") == "the"
    WebDriverWait(browser, 5).until(lambda d: value(d, "location.hash") == address)


def test_an_address_that_cannot_be_honoured_is_told(show: Show, sample_page: Path) -> None:
    asked = (
        "#view=items&benchmark=vidomni&a=gone+%C2%B7+vidomni&item=nope__x&show=missed&to=table-no"
    )
    browser = show(sample_page, asked)
    told = browser.find_element("id", "missing")
    assert told.is_displayed()
    for name in ('run "gone · vidomni"', 'item "nope__x"', 'filter "missed"', '"table-no"'):
        assert name in told.text
    choose(browser, "run-b", "example-b · vidomni")
    assert not told.is_displayed()
    browser = show(sample_page, "#view=items&benchmark=vidomni&show=misses")
    assert not browser.find_element("id", "missing").is_displayed()


def test_sentences_without_a_label_and_captions_without_an_error_are_explained(
    show: Show, tmp_path: Path
) -> None:
    items = [
        vidomni_item("a__x", [None, None, None, 1, None], [1, 0, 0, 1, None]),
        vidomni_item("b__x", [0, 0], [0, 0]),
    ]
    page = tmp_path / "report.html"
    run = vidomni_run("m", {}, {}, items=items)
    page.write_text(build_page([as_run(run)], [], [], Settings()), encoding="utf-8")
    browser = show(page, "#view=items&item=a__x")
    scores = browser.find_element("class name", "scores").text
    assert "hits 1, misses 1, false alarms 0, correct 2" in scores
    assert "without a label 3 (1 in misses, 2 in correct)" in scores
    assert "no Incorrect sentence" not in scores
    press(browser, "j")
    scores = browser.find_element("class name", "scores").text
    assert scores.endswith("no Incorrect sentence: F1 is 0 whatever the answer")
    assert [chip.text for chip in browser.find_elements("css selector", ".row .chip")] == [
        "U 67",
        "∅",
    ]


@pytest.mark.parametrize("address", ["#item=nothing&a=x&b=y&show=z&benchmark=q&f.type=9", "#%%%"])
def test_an_address_of_another_report_does_no_harm(
    show: Show, sample_page: Path, address: str
) -> None:
    browser = show(sample_page, address + "&view=items")
    assert browser.find_element("id", "items").is_displayed()
    assert errors(browser) == []


def test_keyboard(show: Show, sample_page: Path) -> None:
    browser = show(sample_page, "#view=items&benchmark=vidhalloc")
    press(browser, "j", "j", "k")
    assert value(browser, "list.selected") == 1
    press(browser, "k", "k", "k")
    assert value(browser, "list.selected") == 0
    press(browser, "?")
    assert value(browser, "document.getElementById('help').open")
    press(browser, "j")
    assert value(browser, "list.selected") == 0
    press(browser, "\ue00c")
    assert not value(browser, "document.getElementById('help').open")
    press(browser, "/", "j")
    assert value(browser, "document.activeElement.id") == "search"
    assert browser.find_element("id", "search").get_attribute("value") == "j"
    assert value(browser, "list.selected") == 0
    press(browser, "\ue00c")
    assert value(browser, "document.activeElement.id") != "search"
    assert value(browser, "state.q") == "j"  # without the pause after which a search starts
    press(browser, "\ue00c")
    assert value(browser, "state.q") == ""
    browser.execute_script("document.getElementById('list').focus()")
    press(browser, "\ue010")  # End
    assert value(browser, "list.selected") == count(browser) - 1
    row = value(browser, "document.getElementById('list').getAttribute('aria-activedescendant')")
    assert browser.find_element("id", row).get_attribute("aria-selected") == "true"


@pytest.mark.parametrize("benchmark", ["vidomni", "vidhalloc"])
def test_text_from_data_is_only_text(show: Show, hostile_page: Path, benchmark: str) -> None:
    browser = show(hostile_page, f"#view=items&benchmark={benchmark}&q={quote('<img')}")
    assert count(browser) == 1
    choose_second_run(browser)
    press(browser, "j", "k")
    detail = browser.find_element("id", "detail")
    assert "<img src=x onerror=window.hacked=1>" in detail.text
    assert "{{7*7}}" in browser.find_element("tag name", "h1").text
    wide = "document.getElementById('detail').scrollWidth > document.body.clientWidth"
    assert not value(browser, wide)
    assert value(browser, "window.hacked === undefined")
    assert value(browser, "violations") == []
    assert value(browser, "document.scripts.length") == 1  # the data are read and gone
    assert value(browser, "document.querySelectorAll('img[src=x], [onerror], svg').length") == 0
    assert errors(browser) == []


def test_unseen_characters_of_data_are_spelled_out(show: Show, tmp_path: Path) -> None:
    bad = "a\x1b[2J\u202eb"
    fields = {"sentences": [f"One {bad}.", "Two\x07."], "caption_source": bad, "reason": bad}
    item = vidomni_item(bad, [1, None], [1, 0], **fields)
    run = vidomni_run(bad, {}, {}, items=[item], responses={bad: f"first\r\nsecond {bad}"})
    page = tmp_path / "report.html"
    page.write_text(build_page([as_run(run)], [], [], Settings()), encoding="utf-8")
    browser = show(page, "#view=items")
    text = value(browser, "document.body.textContent")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    assert browser.find_element("css selector", "td.text").text.startswith("One a\\x1b[2J\\u202eb.")
    assert browser.find_element("css selector", "pre").text == "first\nsecond a\\x1b[2J\\u202eb"


def test_names_that_differ_in_their_ends_only_can_be_told_apart(show: Show, tmp_path: Path) -> None:
    names = [f"a_runner_with_a_long_name (responses /some/long/folder/{k}.jsonl)" for k in "ab"]
    pairs = {f"a_pair_with_a_very_very_long_identifier_0001_fact_0{k}": [1] for k in (1, 2)}
    runs = [as_run(vidomni_run(name, pairs, pairs)) for name in names]
    page = tmp_path / "report.html"
    page.write_text(build_page(runs, [], [], Settings()), encoding="utf-8")
    browser = show(page, "#view=items")
    options = browser.find_elements("css selector", "#run-a option")
    assert [option.text[-18:] for option in options] == [f"{k}.jsonl) · vidomni" for k in "ab"]
    assert all(len(option.text) <= 40 for option in options)
    longest = "a_task_with_a_name_longer_than_all_of_these"
    runs = [as_run(vidomni_run(name, pairs, pairs, task=longest)) for name in names]
    page.write_text(build_page(runs, [], [], Settings()), encoding="utf-8")
    browser = show(page, "#view=items")
    shown = browser.find_elements("css selector", "#run-a option")
    assert len({option.text for option in shown}) == 2
    options = shown
    assert options[0].get_attribute("title") == f"{names[0]} · {longest}"
    ends = browser.find_elements("css selector", ".row .tail")
    assert [end.text for end in ends] == ["01_fact_01", "01_fact_02"]
    box = browser.find_element("css selector", ".row .name").rect
    for end in ends:
        assert end.rect["x"] + end.rect["width"] <= box["x"] + box["width"] + 1
    assert errors(browser) == []


def test_the_policy_stops_markup_that_were_to_come_in(show: Show, sample_page: Path) -> None:
    browser = show(sample_page)
    from selenium.common.exceptions import JavascriptException

    with pytest.raises(JavascriptException, match="TrustedHTML"):
        browser.execute_script("document.body.innerHTML = arguments[0]", ATTACK)
    browser.execute_script(
        "const s = document.createElement('img'); s.src = 'http://127.0.0.1:9/x.png';"
        "document.body.append(s)"
    )
    assert "img-src" in value(browser, "new Promise((r) => setTimeout(() => r(violations), 300))")


def test_a_full_size_page_stays_fluid(show: Show, full_page: Path) -> None:
    assert full_page.stat().st_size < 25_000_000
    browser = show(full_page, "#view=items")
    assert count(browser) == 2500
    seen = browser.execute_async_script("""
        const done = arguments[arguments.length - 1];
        const box = document.getElementById('list');
        const seen = {most: 0, slowest: 0, gaps: 0, steps: 0, last: false};
        let before = performance.now();
        (function next() {
          seen.slowest = Math.max(seen.slowest, performance.now() - before);
          before = performance.now();
          const rows = [...document.querySelectorAll('#list .row')];
          const there = new Set(rows.map((row) => Number(row.dataset.index)));
          seen.most = Math.max(seen.most, rows.length);
          const end = Math.min(2500, Math.floor((box.scrollTop + box.clientHeight) / ROW));
          for (let i = Math.floor(box.scrollTop / ROW); i < end; i += 1) seen.gaps += !there.has(i);
          seen.last = there.has(2499);
          if (seen.last) return done(seen);
          box.scrollTop += 3 * box.clientHeight;
          seen.steps += 1;
          requestAnimationFrame(() => requestAnimationFrame(next));  // the list draws in the first
        })();
    """)
    assert seen["gaps"] == 0
    assert seen["last"]
    assert seen["steps"] > 20
    assert seen["most"] < 200
    # A busy machine is slow; a list that draws every row takes seconds.
    assert seen["slowest"] < 1000
    assert value(browser, "document.querySelectorAll('*').length") < 1500
    search(browser, "captioner3 dogs")
    assert 0 < count(browser) <= 500
