"""The command of a run as it is kept, and as it is told for a shard that is started again."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

import pytest

from vidomni_plugin.data.shard import Shard
from vidomni_plugin.run.arguments import read_host_arguments
from vidomni_plugin.run.kept import NOT_KEPT, command_line, keep_command, read_command
from vidomni_plugin.run.planned import RunPlan

GIVEN = ("--model", "toy", "--tasks", "vidhalloc")


def kept(journal: Path, *more: str, host: argparse.Namespace | None = None):
    host = host or read_host_arguments([*GIVEN, *more])
    journal.mkdir(parents=True, exist_ok=True)
    keep_command(RunPlan(host, host.model, {}, journal.parent, journal, Shard(1, 2)))
    return read_command(journal)


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--seed", "7"),
        ("--seed", "1,2,None,4"),
        ("--batch_size", "4", "--num_fewshot", "0", "--force_simple"),
        ("--model_args", 'a=1,b={"c": [1, 2]},d=x y', "--gen_kwargs", "temperature=0,top_p=1"),
    ],
    ids=str,
)
def test_the_command_of_a_shard_gives_the_kept_arguments(more, tmp_path):
    known = kept(tmp_path / "journal", *more)
    words = shlex.split(command_line(known, 2, tmp_path / "journal"))
    assert words[:4] == ["vidomni", "run", "--shard", "2/2"]
    again = vars(read_host_arguments(words[4:]))
    told = {name: value for name, value in again.items() if name not in NOT_KEPT}
    assert told == dict(known.given())


@pytest.mark.parametrize(
    ("place", "number", "where"),
    [
        ("out/journal", 1, ["--journal", "{}/out/journal", "--output_path", "{}/out"]),
        ("answers", 1, ["--journal", "{}/answers"]),
        ("out/journal", 2, []),
        ("shard-1-of-2/journal", 2, ["--output_path", "{}/shard-2-of-2"]),
    ],
)
def test_a_shard_goes_on_in_its_own_journal(place, number, where, tmp_path):
    journal = tmp_path / place
    words = shlex.split(command_line(kept(journal), number, journal))
    assert words[4 : words.index("--model")] == [word.format(tmp_path) for word in where]


@pytest.mark.parametrize(
    "given",
    [
        "api_key=s3 cret",
        'api_key="s3 cret"',
        'api_key="s3, cret"',
        'extra={"token":"s3}cret"}',
        "extra={'client': {'api_key': 's3 }cret'}}",
        'extra=\'{"api_key": "s3}cret"}\'',
        "base_url=https://u:s3cret@h/v1?token=s3cret",
    ],
)
def test_no_part_of_a_secret_is_kept(given, tmp_path):
    host = read_host_arguments([*GIVEN, "--model_args", f"fps=2,{given}"])
    known = kept(tmp_path / "journal", host=host)
    written = (tmp_path / "journal" / "command.json").read_text()
    assert "s3" not in written
    assert "cret" not in written
    assert json.loads(written)["arguments"]["model_args"].startswith("fps=2,")
    assert host.model_args == f"fps=2,{given}"
    line = command_line(known, 2, tmp_path / "journal")
    assert line.endswith(" (put the secret in place of (hidden))") is ("(hidden)" in written)
