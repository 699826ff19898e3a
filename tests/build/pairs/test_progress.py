"""What is seen of a run while it works; a look never ends it."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from tests.build.pairs.acting import reply
from tests.build.pairs.running import a_plan, go
from tests.endpoint.scripted import ScriptedServer, status
from vidomni_plugin.build.pairs.session import REPLIES, STORE
from vidomni_plugin.commands.pairs_progress import Shown


def test_it_shows_rounds_pairs_by_category_rejections_and_cost(videos, tmp_path):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200, color_system=None)
    shown = Shown(console, tmp_path / STORE, tmp_path / REPLIES, 8, "EUR")
    nth = iter(range(1000))

    def act(seen):
        return status(503) if next(nth) == 0 else reply(seen)

    with ScriptedServer(act) as server, shown:
        go(server, a_plan(videos, target=8), tmp_path, told=shown)
        shown._look()
        shown.view.refresh()
    seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    assert "pairs, round 1 of 3" in seen
    last = seen[seen.rindex("EEH") :]
    assert last.startswith("EEH 1 ECH 1 EQH 1 AVH 1 SRH 1 APH 1 TRH 1 CPH 1; 4 videos looked at")
    requests = len(server.seen)
    assert f"0 candidates rejected; {requests} requests (1 failed), " in last
    assert re.search(r"failed\), [0-9,]+ tokens, [0-9.]+ EUR", last)
    assert "8/8" in seen


@pytest.mark.parametrize("name", [STORE, REPLIES])
def test_files_that_cannot_be_read_do_not_end_the_run(tmp_path, name):
    (tmp_path / STORE).touch()
    (tmp_path / name).write_bytes(b"no database at all, whatever it is called")
    console = Console(file=io.StringIO(), force_terminal=True)
    with Shown(console, tmp_path / STORE, tmp_path / REPLIES, 8, "") as shown:
        shown.round_begins(1, 2)
        shown.step_done()
