"""The documents that the host gets: whole videos a rank, those of a shard, and their text."""

from __future__ import annotations

from typing import Any

import pytest

from vidomni_plugin.data.documents import Documents, TaskDocs
from vidomni_plugin.host import DocumentRange
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.report.signature import _DATA

ROWS = [{"video": f"/data/videos/v{k // 2}.mp4", "n": k} for k in range(12)]


@pytest.fixture
def docs(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(ranks: int = 1, shard: str = "", chosen: DocumentRange | None = None):
        monkeypatch.setenv("WORLD_SIZE", str(ranks))
        monkeypatch.setenv("VIDOMNI_SHARD", shard)
        monkeypatch.setattr("vidomni_plugin.host.running_range", lambda: chosen)
        made = TaskDocs("t", {"video": "string", "n": "int32"}, lambda: Documents(ROWS, "abc"))
        return made, list(made()["n"])

    return make


WHOLE = DocumentRange(0, None)


@pytest.mark.parametrize(
    ("ranks", "shard", "chosen", "order", "said"),
    [
        pytest.param(1, "", WHOLE, list(range(12)), "t: 12 documents", id="one rank"),
        pytest.param(
            2,
            "",
            WHOLE,
            [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11],
            "t (whole videos to 2 ranks): 12 documents",
            id="two ranks",
        ),
        pytest.param(
            2,
            "",
            DocumentRange(2, 6),
            [0, 1, 2, 4, 3, 5, *range(6, 12)],
            "t (whole videos to 2 ranks, 2 to 6): 12 documents",
            id="only what the host takes",
        ),
        pytest.param(2, "", None, list(range(12)), "t: 12", id="outside of an evaluation"),
        pytest.param(
            2, "", DocumentRange(0, None, fraction=True), list(range(12)), "t: 12", id="a fraction"
        ),
        pytest.param(
            2, "", DocumentRange(0, None, kept=True), list(range(12)), "t: 12", id="kept requests"
        ),
        pytest.param(1, "2/3", WHOLE, [2, 3, 8, 9], "t (shard 2 of 3): 4 documents", id="a shard"),
        pytest.param(
            2,
            "2/3",
            WHOLE,
            [2, 8, 3, 9],
            "t (shard 2 of 3) (whole videos to 2 ranks): 4 documents",
            id="two ranks of a shard",
        ),
    ],
)
def test_order_and_text(ranks, shard, chosen, order, said, docs):
    made, got = docs(ranks, shard, chosen)
    assert got == order
    assert str(made).startswith(said)
    found = _DATA.search(str(made))  # reports read the hash of the data from it
    assert found
    assert found[1] == "abc"


@pytest.mark.parametrize("chosen", [DocumentRange(0, 4), DocumentRange(2, None)])
def test_a_shard_is_not_cut_again(chosen, docs):
    with pytest.raises(InputProblems, match="a shard cannot be cut by --limit or --offset"):
        docs(1, "1/2", chosen)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "-1/2", "a/b", "1/2/3", "\uff11/2"])
def test_what_is_no_shard(text, docs):
    with pytest.raises(InputProblems, match="is no shard"):
        docs(1, text, WHOLE)


def test_a_check_finds_an_empty_shard(docs):
    made, _ = docs(1, "", WHOLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIDOMNI_SHARD", "7/7")
        with pytest.raises(InputProblems, match="shard 7 of 7 has no video: there are 6"):
            made.check()
