"""Shards of a run, and one result of them: the same scores as one run."""

from __future__ import annotations

import errno
import json
import shlex
import shutil
from pathlib import Path

import pytest

from tests.run.conftest import Command, Done, asked, replay, toy
from vidomni_plugin.models.runner.entries import read_journal
from vidomni_plugin.models.runner.journal import Journal

pytestmark = pytest.mark.host


@pytest.fixture(scope="module")
def parts(vidomni: Command, responses, tmp_path_factory) -> list[Done]:
    folder = tmp_path_factory.mktemp("parts") / "work"
    return [vidomni(folder, *replay(responses), "--shard", f"{k}/3") for k in (1, 2, 3)]


def test_each_shard_is_complete_and_has_whole_videos(parts):
    seen: list[set[str]] = []
    for number, part in enumerate(parts, 1):
        assert part.code == 0, part.err
        assert f"complete: shard {number} of 3 (all items); `vidomni merge` joins them" in part.out
        folder = part.folder / "runs" / "vidomni_replay" / f"shard-{number}-of-3"
        assert not (folder / "report").exists()
        answers = read_journal(folder / "journal").answers.values()
        seen.append({f"{answer.task} {answer.video}" for answer in answers})
        assert 104 / 3 - 8 <= len(answers) <= 104 / 3 + 8
    assert not seen[0] & seen[1] | seen[0] & seen[2] | seen[1] & seen[2]


def test_merged_shards_score_as_one_run(parts, vidomni, responses, tmp_path):
    one = vidomni(tmp_path / "one", *replay(responses), "--no-report")
    assert one.code == 0, one.err
    folder = parts[0].folder / "runs" / "vidomni_replay"
    command = ("merge", *map(str, sorted(folder.glob("shard-*"))), "--no-report")
    merged = vidomni(tmp_path / "m", *command)
    assert merged.code == 0, merged.err
    out = folder / "merged"
    assert merged.out.rstrip().endswith("vidomni merge: complete: all items")
    assert merged.scores(out) == one.scores()
    assert len(read_journal(out / "journal").answers) == 104
    texts = [
        sorted((a.item, a.text) for a in read_journal(place).answers.values())
        for place in (out / "journal", one.folder / "runs" / "vidomni_replay" / "journal")
    ]
    assert texts[0] == texts[1]
    again = vidomni(tmp_path / "m", *command)
    assert again.code == 0, again.err


def test_missing_answers_are_named_by_shard(parts, vidomni, tmp_path):
    folders = [tmp_path / f"shard{k}" for k in (1, 3)]
    for number, folder in zip((1, 3), folders, strict=True):
        source = parts[0].folder / "runs" / "vidomni_replay" / f"shard-{number}-of-3" / "journal"
        shutil.copytree(source, folder)
    lines = (folders[1] / "answers.rank0.jsonl").read_text().splitlines()
    gone = json.loads(lines[-1])["item"]
    (folders[1] / "answers.rank0.jsonl").write_text("\n".join(lines[:-1]) + "\n")
    done = vidomni(tmp_path / "m", "merge", *map(str, folders), "--out", "new", "--no-report")
    assert done.code == 1
    assert done.err.count("was not given") == 2  # in the list, and on the last line
    (second,) = [line for line in done.err.splitlines() if line.startswith("  shard 2 of 3: ")]
    assert "its journal was not given" in second
    (third,) = [line for line in done.err.splitlines() if line.startswith("  shard 3 of 3: ")]
    assert f"no answer to 1 request of 104: {gone}" in third
    assert done.last.startswith("vidomni merge: failed: shard 2 of 3: no answer to ")


def test_the_command_of_a_shard_that_is_missing_can_be_started(parts, vidomni, tmp_path):
    folder = parts[0].folder / "runs" / "vidomni_replay"
    given = [str(folder / f"shard-{k}-of-3") for k in (1, 3)]
    done = vidomni(tmp_path / "m", "merge", *given, "--out", "new", "--no-report")
    (hint,) = [line for line in done.err.splitlines() if "then merge: " in line]
    words = shlex.split(hint.split("then merge: ")[1])
    where = words.index("--output_path") + 1
    assert words[where] == str(folder / "shard-2-of-3")
    words[where] = str(tmp_path / "second")
    started = vidomni(tmp_path / "w", *words[1:], "--no-report")
    assert started.code == 0, started.err
    whole = vidomni(tmp_path / "m", "merge", *given, words[where], "--no-report", "--out", "all")
    assert whole.code == 0, whole.err


def test_other_settings_are_refused_with_the_difference(parts, vidomni, responses, tmp_path):
    command = (*replay(responses), "--gen_kwargs", "max_new_tokens=8", "--no-report")
    other = vidomni(tmp_path / "other", *command, "--shard", "2/3")
    assert other.code == 0, other.err
    first = parts[0].folder / "runs" / "vidomni_replay" / "shard-1-of-3"
    second = tmp_path / "other" / "runs" / "vidomni_replay" / "shard-2-of-3"
    done = vidomni(tmp_path / "m", "merge", str(first), str(second), "--out", "new")
    assert done.code == 1
    assert "gen_kwargs:  / max_new_tokens=8" in done.err
    assert not (tmp_path / "m" / "new").exists()


def test_failed_items_of_a_shard_end_the_merge_with_one(vidomni, tmp_path):
    log = tmp_path / "log"
    command = toy(log, answer="ACCEPT {n}", fault="raises", at=7)
    for number in (1, 2):
        vidomni(tmp_path / "work", *command, "--shard", f"{number}/2")
    folder = tmp_path / "work" / "runs" / "toy"
    done = vidomni(
        tmp_path / "work",
        "merge",
        str(folder / "shard-1-of-2"),
        str(folder / "shard-2-of-2"),
        "--no-report",
    )
    assert done.code == 1
    assert "vidhalloc_mini: 2 of 80 items failed" in done.last
    assert len(asked(log)) == 80


def shards(parts: list[Done], folder: Path, *numbers: int) -> list[str]:
    """Copy the journals of some shards; return their folders."""
    for number in numbers:
        source = parts[0].folder / "runs" / "vidomni_replay" / f"shard-{number}-of-3" / "journal"
        shutil.copytree(source, folder / f"shard{number}")
    return [str(folder / f"shard{number}") for number in numbers]


def test_what_a_run_adds_to_a_merged_journal_stays(parts, vidomni, responses, tmp_path):
    folders = shards(parts, tmp_path, 1, 3)
    command = ("merge", *folders, "--out", str(tmp_path / "out"), "--no-report")
    assert vidomni(tmp_path / "m", *command).code == 1
    journal = tmp_path / "out" / "journal"
    run = vidomni(tmp_path / "w", *replay(responses), "--journal", str(journal), "--no-report")
    assert run.code == 0, run.err
    (journal / "answers.rank1.jsonl").write_bytes((journal / "answers.rank0.jsonl").read_bytes())
    (journal / "answers.rank0.jsonl").unlink()  # as if another rank had given them
    again = vidomni(tmp_path / "m", *command)
    assert again.code == 0, again.err
    assert len(read_journal(journal).answers) == 104
    assert [path.name for path in journal.glob("answers.*")] == ["answers.rank0.jsonl"]


def test_a_journal_in_use_and_a_full_disk_leave_the_merged_answers(
    parts, vidomni, tmp_path, monkeypatch
):
    from vidomni_plugin.run import merging

    command = ("merge", *shards(parts, tmp_path, 1), "--out", str(tmp_path / "out"), "--no-report")
    vidomni(tmp_path / "m", *command)
    journal = tmp_path / "out" / "journal"
    kept = (journal / "answers.rank0.jsonl").read_bytes()
    assert kept
    (journal / "answers.rank1.jsonl").write_bytes(kept)
    held = Journal(journal, 0, {})
    try:
        done = vidomni(tmp_path / "m", *command)
    finally:
        held.close()
    assert done.code == 1
    assert "another run writes to this journal" in done.err

    def full(path: Path, content: bytes) -> None:
        if path.name.startswith("answers"):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(merging, "write_bytes", full)
    done = vidomni(tmp_path / "m", *command)
    assert done.code == 1
    assert "No space left on device" in done.err
    for rank in (0, 1):
        assert (journal / f"answers.rank{rank}.jsonl").read_bytes() == kept


def test_a_machine_with_other_versions_and_without_the_files_merges(
    parts, vidomni, tmp_path, monkeypatch
):
    from vidomni_plugin.models.runner import keys

    folders = shards(parts, tmp_path, 1, 2, 3)
    for folder in map(Path, folders):
        kept = json.loads((folder / "command.json").read_text())
        kept["arguments"]["model_args"] = "responses=/gone/responses.jsonl"
        (folder / "command.json").write_text(json.dumps(kept))
    monkeypatch.setattr(keys, "package_version", lambda package: "99")
    done = vidomni(tmp_path / "m", "merge", *folders, "--out", "out", "--no-report")
    assert done.code == 0, done.err
    assert done.scores(tmp_path / "m" / "out")["vidomni_mini"]["f1,none"] > 0


def test_a_merge_reads_no_checkpoint(parts, vidomni, tmp_path, monkeypatch):
    from vidomni_plugin.models.runner import keys

    def read(name: str, value: object) -> object:
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr(keys, "content_of", read)
    folders = shards(parts, tmp_path, 1, 2, 3)
    done = vidomni(tmp_path / "m", "merge", *folders, "--out", "out", "--no-report")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"shard": [4, 3]}, "there is no shard 4 of 3", id="shard"),
        pytest.param({"shard": [1, 0]}, "there is no shard 1 of 0", id="no shards"),
        pytest.param({"arguments": {}}, "arguments.model", id="no arguments"),
        pytest.param({"arguments": {"model": "m", "tasks": ["t"]}}, "arguments.tasks", id="list"),
        pytest.param(
            {"arguments": {"model": "m", "tasks": "t", "limit": "x"}}, "arguments.limit", id="limit"
        ),
        pytest.param({"arguments": None}, "arguments", id="nothing"),
    ],
)
def test_a_damaged_command_is_said(changes, said, parts, vidomni, tmp_path):
    (folder,) = shards(parts, tmp_path, 1)
    path = Path(folder) / "command.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    done = vidomni(tmp_path / "m", "merge", folder, "--out", "out")
    assert done.code == 1
    assert said in done.err
    assert "[unreadable]" in done.err
    assert "Traceback" not in done.err


def test_a_command_of_an_older_host_has_its_defaults(parts, vidomni, tmp_path):
    folders = shards(parts, tmp_path, 1, 2, 3)
    for folder in map(Path, folders):
        kept = json.loads((folder / "command.json").read_text())
        few = {name: kept["arguments"][name] for name in ("model", "model_args", "tasks")}
        (folder / "command.json").write_text(json.dumps(kept | {"arguments": few}))
    done = vidomni(tmp_path / "m", "merge", *folders, "--out", "out", "--no-report")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("nowhere",), "command.json: No such file", id="no journal"),
        pytest.param(("{}", "--out", "{}"), "is one of the journals to merge", id="itself"),
    ],
)
def test_what_cannot_be_merged(arguments, said, parts, vidomni, tmp_path):
    place = parts[0].folder / "runs" / "vidomni_replay" / "shard-1-of-3"
    done = vidomni(tmp_path / "m", "merge", *(text.format(place) for text in arguments))
    assert done.code == 1
    assert said in done.err


def test_answers_of_a_run_are_never_replaced(parts, vidomni, responses, tmp_path):
    first = parts[0].folder / "runs" / "vidomni_replay" / "shard-1-of-3"
    taken = tmp_path / "taken"
    shutil.copytree(first, taken)
    done = vidomni(tmp_path / "m", "merge", str(first), "--out", str(taken))
    assert done.code == 1
    assert "holds answers that no merge has put there" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--limit", "4"), "a shard cannot be cut by --limit or --offset"),
        (("--limit", "0.5"), "a shard cannot be cut by --limit or --offset"),
        (("--cache_requests", "true"), "nor use --cache_requests"),
    ],
)
def test_a_shard_is_not_cut_again(arguments, said, vidomni, responses, tmp_path):
    command = replay(responses, "vidhalloc_mini")
    done = vidomni(tmp_path / "w", *command, "--shard", "1/2", *arguments)
    assert done.code == 1
    assert said in done.last


def test_more_shards_than_videos(vidomni, responses, tmp_path):
    command = replay(responses, "vidomni_mini")
    done = vidomni(tmp_path / "w", *command, "--shard", "900/900")
    assert done.code == 1
    assert "shard 900 of 900 has no video" in done.last


def test_tasks_of_the_host_have_no_shards(vidomni, responses, tmp_path):
    command = replay(responses, "vidhalloc_mini,mmmu_val")
    done = vidomni(tmp_path / "w", *command, "--shard", "1/2")
    assert done.code == 1
    assert "mmmu_val cannot be cut into shards" in done.last
    assert not Path(tmp_path / "w" / "runs" / "x").exists()
