"""The worked example of docs/report.md writes answers that the host can replay."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.end_to_end.answers import gold

PAGE = Path(__file__).parents[2] / "docs" / "report.md"


def test_the_example_answers_every_request(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec"), {})
    answers = {}
    for name in ("right", "random"):
        lines = Path(f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        answers[name] = {row["id"]: row["response"] for row in map(json.loads, lines)}
    expected = {key: text.splitlines()[0] for key, text in gold().items()}
    assert answers["right"] == expected
    assert answers["random"].keys() == expected.keys()
    assert answers["random"] != expected
