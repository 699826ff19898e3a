"""Which settings of a joined journal are those of the command."""

from __future__ import annotations

from typing import Any

import pytest

from vidomni_plugin.run.joined import Parts, _told


def run(**changes: Any) -> dict[str, Any]:
    settings = {
        "inner": "m",
        "kind": "chat",
        "arguments": {"fps": 1, "pretrained": "checkpoint 1f"},
    }
    return settings | {"labels_only": False, "versions": {"torch": "2.6"}} | changes


HERE = run(arguments={"fps": 1, "pretrained": "/gone"}, versions={"torch": "2.7"})
OLD, NEW = run(versions={"torch": "2.5"}), run()
FASTER = run(arguments={"fps": 2, "pretrained": "checkpoint 1f"})
BARE = run(arguments={"fps": 1})


@pytest.mark.parametrize(
    ("parts", "chosen"),
    [
        pytest.param([[NEW], [NEW]], NEW, id="of another machine"),
        pytest.param([[OLD, NEW], [OLD]], OLD, id="those that all journals share"),
        pytest.param([[OLD, NEW], [OLD, NEW]], NEW, id="of several the last"),
        pytest.param([[NEW, FASTER], [NEW, FASTER]], NEW, id="never those of another command"),
        pytest.param([[FASTER]], HERE, id="none of this command"),
        pytest.param([[BARE]], HERE, id="an argument less"),
        pytest.param([[HERE, NEW], [HERE, NEW]], HERE, id="of this machine rather than another"),
        pytest.param([[NEW | {"environment": {"VIDOMNI_READER": "pyav"}}]], None, id="reader"),
        pytest.param([[NEW | {"more": 1}]], HERE, id="a setting more"),
        pytest.param([], HERE, id="nothing"),
    ],
)
def test_the_settings_are_those_of_the_command(parts, chosen):
    runs = [settings for part in parts for settings in part]
    assert _told(runs, HERE, Parts(parts, 0, frozenset())) == (chosen or runs[0])


def test_a_hidden_secret_makes_no_other_command():
    given = run(arguments={"extra_body": "b3a1"})
    kept = run(arguments={"extra_body": '{"api_key": "(hidden)"}'})
    assert _told([given], kept, Parts([[given]], 0, frozenset())) == given
