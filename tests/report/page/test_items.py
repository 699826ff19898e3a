"""What the browser of items is given: every item once, no two runs mixed up."""

from __future__ import annotations

from tests.report.builders import vidhalloc_item, vidhalloc_run, vidomni_item, vidomni_run
from tests.report.page.pages import as_run
from vidomni_plugin.report.page.items import LONGEST_ANSWER, browser_data

GOLD = {"v1__a": [1, 0, None]}


def test_a_caption_is_stored_once_with_the_labels_of_every_run() -> None:
    runs = [
        as_run(vidomni_run("one", {"v1__a": [1, 1, 0]}, GOLD)),
        as_run(vidomni_run("two", {"v1__a": [None, 0, 1]}, GOLD)),
    ]
    data = browser_data(runs, {"vidomni/v1": "../v1.mp4"})
    (item,) = data["items"]
    assert (item["key"], item["gold"]) == ("v1__a", "10-")
    assert {run: answer["labels"] for run, answer in item["answers"].items()} == {
        0: "110",
        1: "-01",
    }
    # tp, fp, fn, tn, unlabelled over the two sentences whose gold label is known
    assert item["answers"][0]["counts"] == [1, 1, 0, 0, 0]
    assert item["answers"][1]["counts"] == [0, 0, 1, 1, 1]
    assert data["texts"] == ["labels of v1__a"]
    assert item["file"] == "vidomni/v1"
    assert data["videos"] == {"vidomni/v1": {"link": "../v1.mp4", "posters": []}}


def test_runs_on_different_data_are_two_items() -> None:
    runs = [
        as_run(vidomni_run("one", {"v1__a": [1]}, {"v1__a": [1]})),
        as_run(vidomni_run("two", {"v1__a": [1]}, {"v1__a": [0]})),
    ]
    items = browser_data(runs)["items"]
    assert [(i["key"], i["gold"], list(i["answers"])) for i in items] == [
        ("v1__a", "1", [0]),
        ("v1__a (data 2)", "0", [1]),
    ]


def test_both_answers_of_a_pair_meet_and_an_answer_that_is_not_there_stays_open() -> None:
    whole = vidhalloc_run("one", {"v1__a": ("ACCEPT", None)})
    half = [vidhalloc_item("v1__a", "counterfactual", "REJECT")]
    cut_short = vidhalloc_run("two", {}, items=half)
    for runs in ([whole, cut_short], [cut_short, whole]):
        (item,) = browser_data([as_run(run) for run in runs])["items"]
        assert item["candidates"] == [
            "The factual answer of v1__a.",
            "The counterfactual answer of v1__a.",
        ]
        answers = [item["answers"][k] for k in (0, 1)]
        full, part = answers if runs[0] is whole else answers[::-1]
        assert [side["right"] for side in full] == [True, False]
        assert full[1]["verdict"] is None
        assert full[1]["reason"] == "no_verdict"
        assert part[0] is None
        assert part[1]["right"]


def test_half_pairs_of_two_runs_are_not_put_together() -> None:
    """Nobody knows whether they are of the same version of the pair."""
    halves = [
        vidhalloc_run("one", {}, items=[vidhalloc_item("v1__a", "factual", "ACCEPT")]),
        vidhalloc_run("two", {}, items=[vidhalloc_item("v1__a", "counterfactual", "REJECT")]),
    ]
    items = browser_data([as_run(run) for run in halves])["items"]
    assert [(item["key"], list(item["answers"])) for item in items] == [
        ("v1__a", [0]),
        ("v1__a (data 2)", [1]),
    ]


def test_error_words_stand_with_their_category_and_may_be_unknown() -> None:
    fields = {"errors": [["Object", "Order"], []], "error_words": [["red cup"], []]}
    items = [
        vidomni_item("v1__a", [1, 0], [1, 0], **fields),
        {k: v for k, v in vidomni_item("v1__b", [1], [1]).items() if k != "error_words"},
    ]
    first, second = browser_data([as_run(vidomni_run("one", {}, {}, items=items))])["items"]
    assert first["errors"] == {0: [["Object", "red cup"], ["Order", ""]]}
    assert second["errors"] == {0: [["Object", ""]]}
    assert first["facts"]["category"] == ["Object", "Order"]


def test_an_endless_answer_is_cut_and_says_so() -> None:
    responses = {"v1__a": "x" * (LONGEST_ANSWER + 5)}
    run = vidomni_run("one", {"v1__a": [1, 0, 0]}, GOLD, responses=responses)
    (text,) = browser_data([as_run(run)])["texts"]
    assert text.startswith("x" * LONGEST_ANSWER + "\n[5 more characters")


def test_an_answer_that_is_in_no_file_is_none_not_empty() -> None:
    run = vidomni_run("one", {"v1__a": [1, 0, 0]}, GOLD, responses={})
    (item,) = browser_data([as_run(run)])["items"]
    assert item["answers"][0]["text"] is None


def test_the_duration_of_a_video_is_a_facet_where_the_log_tells_it() -> None:
    fields = {"v1__a": {"duration_s": 2000.0}, "v2__a": {"duration_s": None}}
    verdicts = {pair: ("ACCEPT", "REJECT") for pair in fields}
    items = browser_data([as_run(vidhalloc_run("one", verdicts, fields))])["items"]
    assert [item["facts"].get("duration") for item in items] == ["long", None]
    assert items[0]["facts"]["seconds"] == 2000.0


def test_answers_stand_in_the_order_of_their_items_each_once() -> None:
    labels = {f"v{k}__a": [1, 0, 0] for k in (2, 1, 3)}
    gold = {pair: [1, 0, None] for pair in labels}
    said = [{pair: f"{name} on {pair}" for pair in labels} for name in "ab"]
    said[1]["v3__a"] = "a on v1__a"  # the same words on another pair
    runs = [
        as_run(vidomni_run(name, labels, gold, responses=of_run))
        for name, of_run in zip("ab", said, strict=True)
    ]
    data = browser_data(runs)
    expected = ["a on v1__a", "b on v1__a", "a on v2__a", "b on v2__a", "a on v3__a"]
    assert data["texts"] == expected
    for item in data["items"]:
        for number, answer in item["answers"].items():
            assert data["texts"][answer["text"]] == said[number][item["id"]]
