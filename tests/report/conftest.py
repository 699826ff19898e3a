"""What the tests of reports and of comparisons share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import run_host
from tests.end_to_end.answers import gold, noise


@pytest.fixture(scope="session")
def replay_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return two output folders of the real host: right and random answers to the built-in data."""
    folder = tmp_path_factory.mktemp("replayed")
    found = {}
    for name, answers in (("right", gold()), ("random", noise())):
        file = folder / f"{name}.jsonl"
        rows = ({"id": pair, "response": text} for pair, text in answers.items())
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        run = run_host(
            *(folder / name, "--model", "vidomni_replay", "--model_args", f"responses={file}"),
            *("--tasks", "vidomni_mini,vidhalloc_mini"),
        )
        assert run.code == 0, run.output
        found[name] = folder / name
    return found
