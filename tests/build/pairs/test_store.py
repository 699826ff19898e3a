"""What the file of a run keeps, and what it does not let happen."""

from __future__ import annotations

import sqlite3
import threading
from types import SimpleNamespace

import pytest

from tests.build.pairs.acting import facts_of, reply
from tests.build.pairs.running import a_plan, go
from tests.endpoint.scripted import ScriptedServer
from vidomni_plugin.build.pairs.allocation import Candidate
from vidomni_plugin.build.pairs.contracts.outcome import Reject
from vidomni_plugin.build.pairs.contracts.reasons import Reason
from vidomni_plugin.build.pairs.contracts.roles import ProposedFact
from vidomni_plugin.build.pairs.store import Rejection, Store, given_text
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.records import Leaf

EEH, ECH, EQH = Leaf.ENTITY_EXISTENCE, Leaf.ENTITY_CATEGORY, Leaf.ENTITY_QUANTITY
VIDEOS = [
    SimpleNamespace(video_id=name, sha256=name * 64, parent=name, task="video_qa")
    for name in ("b", "a")
]


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "pairs.sqlite")
    store.begin({"signature": "s"}, VIDEOS)
    yield store
    store.close()


def facts(video_id, *leaves):
    found = facts_of(video_id)
    return [
        (f"fact_{video_id}_{leaf.name}", leaf, ProposedFact.model_validate(found[leaf]))
        for leaf in leaves
    ]


def picks(*facts):
    return [Candidate("b", fact_id, leaf) for fact_id, leaf, _ in facts]


@pytest.fixture(scope="module")
def records(videos, tmp_path_factory):
    """Two committed pairs of one video."""
    out = tmp_path_factory.mktemp("records")
    with pytest.MonkeyPatch.context() as patch, ScriptedServer(reply) as server:
        patch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
        go(server, a_plan(videos[:1], target=2), out)
    store = Store(out / "pairs.sqlite")
    yield store, store.pairs()
    store.close()


def test_videos_keep_the_order_they_are_given(store):
    assert list(store.video_states().items()) == [("b", "waiting"), ("a", "waiting")]
    assert store.videos() == {"b": "b" * 64, "a": "a" * 64}
    store.set_state("a", "set_aside", "timeout: no answer")
    assert store.video_state("a") == "set_aside"
    assert store.notes() == {"a": "timeout: no answer"}


def test_what_was_found_is_kept_once(store):
    found = facts("b", EEH, ECH)
    dropped = [Rejection("b", "", Reason.FACT_SHAPE_INVALID, "x", '{"a": 1}')]
    for _ in range(2):
        store.opened("b", found, dropped)
    assert store.video_state("b") == "open"
    assert [one.fact_id for one in store.facts(["b"])] == [
        "fact_b_ENTITY_CATEGORY",
        "fact_b_ENTITY_EXISTENCE",
    ]
    assert store.facts(["b"])[0].proposed == found[1][2]
    assert store.rejections() == dropped


def test_picks_count_as_pairs_until_they_are_rejected(store):
    found = facts("b", EEH, ECH)
    store.opened("b", found, [])
    store.pick(picks(*found))
    assert store.had().by_leaf == {EEH: 1, ECH: 1}
    assert store.had(under_way=False).total == 0
    for _ in range(2):
        store.reject("b", found[0][0], Reject(Reason.REFUSED, "no"))
    assert store.had().by_leaf == {ECH: 1}
    store.pick(picks(found[0]))  # what was rejected is picked no more
    assert {one.fact_id: one.state for one in store.facts(["b"])}[found[0][0]] == "rejected"
    assert [one.reason for one in store.rejections()] == [Reason.REFUSED]


def test_a_pair_is_committed_once(records):
    store, pairs = records
    assert store.commit(pairs[0]) is None
    assert store.committed() == 2
    other = pairs[0].model_copy(update={"fact_id": "fact_other"})
    refused = store.commit(other)
    assert refused is not None
    assert refused.reason is Reason.DUPLICATE_PAIR_ID


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param("third", "at most two pairs", id="a third pair of a video"),
        pytest.param("leaf", "UNIQUE constraint failed", id="a leaf twice"),
        pytest.param("fact", "FOREIGN KEY", id="a fact that nobody knows"),
    ],
)
def test_caps_hold_in_the_file_itself(records, changes, message):
    store, pairs = records
    one = pairs[0]
    db = store._db
    left = db.execute("SELECT fact_id, leaf FROM facts WHERE state = 'left'").fetchone()
    video_id = one.public.media.video_id
    db.execute("BEGIN")
    try:
        if changes != "third":
            db.execute("DELETE FROM pairs WHERE fact_id = ?", [pairs[1].fact_id])
        row = {
            "third": ("p", left[0], video_id, left[1]),
            "leaf": ("p", left[0], video_id, one.leaf.value),
            "fact": ("p", "fact_unknown", video_id, left[1]),
        }[changes]
        with pytest.raises(sqlite3.IntegrityError, match=message):
            db.execute("INSERT INTO pairs VALUES (?, ?, ?, ?, '{}')", row)
    finally:
        db.execute("ROLLBACK")


@pytest.mark.parametrize(
    "query",
    [
        "UPDATE videos SET state = 'lost'",
        "UPDATE facts SET state = 'maybe'",
        "UPDATE facts SET leaf = 'EntityColour'",
        "INSERT INTO rejections VALUES ((SELECT video_id FROM videos), '', 'no_reason', '', '')",
    ],
)
def test_words_that_mean_nothing_are_refused(records, query):
    store, _ = records
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        store._db.execute(query)


def test_replies_of_no_use_are_told_once_all_were(store):
    assert store.of_no_use() == {}
    for name in ("a", "b"):
        store.reject(name, "", Reject(Reason.INVALID_JSON, name))
        store.set_state(name, "closed")
    ended = {name: Reject(Reason.INVALID_JSON, name) for name in ("a", "b")}
    assert store.of_no_use() == ended
    assert store.put_back() == ended
    assert store.of_no_use() == store.put_back() == {}
    assert {store.video_state(name) for name in ("a", "b")} == {"waiting"}
    assert store.put_back_at().keys() == {"a", "b"}
    store.opened("b", facts("b", EQH), [])
    assert store.put_back_at().keys() == {"a"}


def test_a_refused_video_is_not_put_back(store):
    store.reject("a", "", Reject(Reason.REFUSED))
    store.reject("b", "", Reject(Reason.TRUNCATED))
    assert store.of_no_use().keys() == {"a", "b"}
    assert store.put_back().keys() == {"b"}
    assert store.of_no_use().keys() == {"a"}


def test_a_plan_that_was_understood_is_of_use(store):
    store.reject("a", "", Reject(Reason.INVALID_JSON))
    store.reject("b", "", Reject(Reason.NO_CONSTRUCTIBLE_LEAF))
    assert store.of_no_use() == store.put_back() == {}


def test_threads_use_one_store(store):
    found = facts("b", *Leaf)
    store.opened("b", found, [])
    threads = [
        threading.Thread(target=store.reject, args=("b", fact_id, Reject(Reason.REFUSED)))
        for fact_id, _, _ in found
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.rejections()) == 8


def test_a_file_that_can_no_longer_be_written_is_a_problem_with_a_name(store, tmp_path):
    with sqlite3.connect(tmp_path / "pairs.sqlite") as other:
        other.execute("DROP TABLE rejections")
    other.close()
    with pytest.raises(InputProblems, match=r"pairs\.sqlite"):
        store.reject("b", "", Reject(Reason.REFUSED))
    assert store.video_state("b") == "waiting"


def test_what_was_given_is_one_short_line():
    assert given_text({"b": "ä", "a": [1]}) == '{"a": [1], "b": "ä"}'
    assert len(given_text("x" * 9000)) == 2000
    assert "\n" not in given_text("a\nb")
