"""The workflow of one video as a LangGraph graph, with its state in SQLite after every node.

    plan -> extract -> pick -> reflect -> generate -> verify -> monitor -> commit
                        ^ |        |          |          |         |         |
                        | +-> end  +----------+----------+---------+-> refuse
                        +------------------------------------------------+

The graph waits before ``pick``: which fact is worked on depends on all videos of a round.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langsmith import tracing_context

from vidomni_plugin.build.pairs.steps import State, Steps
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["Workflow", "open_workflow"]

_CANDIDATE = ("reflect", "generate", "verify", "monitor", "commit")
"""What a fact passes, in this order."""
_OLD_TRACING = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
"""Variables of the environment at which LangChain refuses to work."""


class Workflow:
    """The graphs of all videos of a run; threads work on different videos at once.

    Args:
        steps: The nodes.
        saver: Where the states are kept.
        run_id: Of the run; states of another one are passed over.
        place: The file of states, for a message.
    """

    def __init__(self, steps: Steps, saver: SqliteSaver, run_id: str, place: str) -> None:
        self._place = place
        self._store = steps.store
        self._saver = saver
        self._run_id = run_id
        graph = StateGraph(State)
        for name in ("plan", "extract", "pick", *_CANDIDATE, "refuse"):
            graph.add_node(name, getattr(steps, name))
        graph.add_edge(START, "plan")
        graph.add_conditional_edges("plan", _if_rows("extract"), ["extract", END])
        graph.add_conditional_edges("extract", _if_rows("pick"), ["pick", END])
        graph.add_conditional_edges("pick", _picked, ["reflect", END])
        for name, following in zip(_CANDIDATE, (*_CANDIDATE[1:], "pick"), strict=True):
            graph.add_conditional_edges(name, _unless_refused(following), [following, "refuse"])
        graph.add_edge("refuse", "pick")
        self._graph: Any = graph.compile(checkpointer=saver, interrupt_before=["pick"])

    def open(self, video_id: str) -> None:
        """Find the facts of a video, from where its state stands.

        Raises:
            endpoint.reply.Failed: If the server failed; the next call goes on from there.
        """
        values, following = self._state(video_id)
        if values and following in ("", START, "plan", "extract"):
            self._invoke(video_id, None)
        if self._store.video_state(video_id) == "waiting":
            # There is no state yet, or one that an older copy of the store knows nothing of.
            with self._using():
                self._saver.delete_thread(self._thread(video_id))
            self._invoke(video_id, {"video_id": video_id})

    def make_pair(self, video_id: str, fact_id: str) -> None:
        """Take a fact to its end, a pair or a rejection, from where its state stands.

        What the state lacks, since the program ended before it was written, is done again first;
        the replies for that are kept.

        Raises:
            endpoint.reply.Failed: As ``open``.
        """
        values, following = self._state(video_id)
        if not values:
            self._invoke(video_id, {"video_id": video_id})
        elif following != "pick" and values.get("candidate", {}).get("fact_id") != fact_id:
            self._invoke(video_id, None)
        values, following = self._state(video_id)
        if following == "pick" and values.get("pick") != fact_id:
            with self._using():
                self._graph.update_state(self._config(video_id), {"pick": fact_id})
        self._invoke(video_id, None)

    def _state(self, video_id: str) -> tuple[State, str]:
        """Return what is kept of a video, and its next node; empty where nothing, or none, is.

        A node that ended just before the program did has no next one: its state is not written,
        but what it gives is.
        """
        with self._using():
            state = self._graph.get_state(self._config(video_id))
        return state.values, state.next[0] if state.next else ""

    def _invoke(self, video_id: str, given: State | None) -> None:
        with self._using():
            self._graph.invoke(given, self._config(video_id), durability="sync")

    @contextmanager
    def _using(self) -> Iterator[None]:
        """Let no trace leave the machine, whatever the environment says.

        Raises:
            InputProblems: If the states can no longer be read or written.
        """
        with tracing_context(enabled=False):
            try:
                yield
            except sqlite3.IntegrityError:
                raise  # of the store: a fault of the program
            except sqlite3.Error as error:
                hint = "see that there is room and it can be written; the same command goes on"
                problem = Problem("unreadable", self._place, str(error), hint)
                raise InputProblems("the run cannot go on", [problem]) from None

    def _config(self, video_id: str) -> dict[str, Any]:
        return {"configurable": {"thread_id": self._thread(video_id)}}

    def _thread(self, video_id: str) -> str:
        return f"{self._run_id}:{video_id}"


@contextmanager
def _without_variables(names: Sequence[str]) -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def _if_rows(following: str) -> Any:  # noqa: ANN401 - a route of the graph
    return lambda state: following if state.get("rows") else END


def _picked(state: State) -> str:
    return "reflect" if state.get("pick") else END


def _unless_refused(following: str) -> Any:  # noqa: ANN401 - a route of the graph
    return lambda state: "refuse" if state.get("refused") else following


@contextmanager
def open_workflow(path: Path, steps: Steps, run_id: str) -> Iterator[Workflow]:
    """Open the states of a run, named by its id.

    Raises:
        InputProblems: If the file is none of states.
    """
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        saver = SqliteSaver(connection)
        try:
            saver.setup()
        except sqlite3.Error as error:
            hint = "move it away: the replies are kept, so that nothing is paid for twice"
            problem = Problem("unreadable", str(path), f"no file of states: {error}", hint)
            raise InputProblems("the run cannot be continued", [problem]) from None
        with _without_variables(_OLD_TRACING):
            yield Workflow(steps, saver, run_id, str(path))
    finally:
        connection.close()
