"""The workflow of one video as a LangGraph graph, with its state in SQLite after every node.

    plan -> extract -> pick -> reflect -> generate -> verify -> monitor -> commit
                        ^ |        |          |          |         |         |
                        | +-> end  +----------+----------+---------+-> refuse
                        +------------------------------------------------+

The graph waits before ``pick``: which fact is worked on depends on all videos of a round.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
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


class Workflow:
    """The graphs of all videos of a run; threads work on different videos at once.

    Args:
        steps: The nodes.
        saver: Where the states are kept.
    """

    def __init__(self, steps: Steps, saver: SqliteSaver) -> None:
        self._steps = steps
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
        state = self._graph.get_state(self._config(video_id))
        if not state.values:
            self._invoke(video_id, {"video_id": video_id})
        elif state.next and state.next[0] in (START, "plan", "extract"):
            self._invoke(video_id, None)

    def make_pair(self, video_id: str, fact_id: str) -> None:
        """Take a fact to its end, a pair or a rejection, from where its state stands.

        Raises:
            endpoint.reply.Failed: As ``open``.
        """
        config = self._config(video_id)
        state = self._graph.get_state(config)
        if state.next == ("pick",) and state.values.get("pick") is None:
            self._graph.update_state(config, {"pick": fact_id})
        self._invoke(video_id, None)

    def _invoke(self, video_id: str, given: State | None) -> None:
        # No trace leaves the machine, whatever the environment says.
        with tracing_context(enabled=False):
            self._graph.invoke(given, self._config(video_id), durability="sync")

    def _config(self, video_id: str) -> dict[str, Any]:
        return {"configurable": {"thread_id": f"{self._steps.signature}:{video_id}"}}


def _if_rows(following: str) -> Any:  # noqa: ANN401 - a route of the graph
    return lambda state: following if state.get("rows") else END


def _picked(state: State) -> str:
    return "reflect" if state.get("pick") else END


def _unless_refused(following: str) -> Any:  # noqa: ANN401 - a route of the graph
    return lambda state: "refuse" if state.get("refused") else following


@contextmanager
def open_workflow(path: Path, steps: Steps) -> Iterator[Workflow]:
    """Open the states of a run.

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
        yield Workflow(steps, saver)
    finally:
        connection.close()
