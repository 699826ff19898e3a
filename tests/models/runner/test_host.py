"""The runner in the real host: the same results as without it, in one process and in two."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from lmms_eval.models import MODEL_REGISTRY_V2
from lmms_eval.models.registry_v2 import ModelManifest

from tests.conftest import run_host
from vidomni_plugin.data import sound
from vidomni_plugin.host import running_model
from vidomni_plugin.models.runner.entries import read_journal
from vidomni_plugin.models.runner.model import RunnerChat
from vidomni_plugin.problems import InputProblems

BOTH = ["vidomni_mini", "vidhalloc_mini"]
ROOT = Path(__file__).parents[3]


def evaluate(model, model_args="", tasks=BOTH, **options):
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    manager = TaskManager(include_defaults=False, model_name=model)
    options = {"bootstrap_iters": 0, **options}
    return simple_evaluate(
        model=model, model_args=model_args, tasks=tasks, task_manager=manager, **options
    )


def logged(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("force_simple", [False, True])
def test_results_are_those_of_the_model_alone(force_simple, tmp_path):
    alone = evaluate("toy", "fault=mixed", force_simple=force_simple)
    log = tmp_path / "log"
    arguments = f"inner=toy,journal={tmp_path / 'journal'},fault=mixed,log={log}"
    first = evaluate("vidomni_runner", arguments, force_simple=force_simple)
    assert len(logged(log)) == 104
    again = evaluate("vidomni_runner", arguments, force_simple=force_simple)
    assert len(logged(log)) == 104
    for found in (first, again):
        assert found["results"] == alone["results"]
        for task in BOTH:
            kept = [sample["filtered_resps"] for sample in found["samples"][task]]
            assert kept == [sample["filtered_resps"] for sample in alone["samples"][task]]
    kind = "simple" if force_simple else "chat"
    assert first["config"]["model_backend"].endswith(f"({kind})")


def test_a_model_with_one_kind_only_is_used_as_what_it_is(tmp_path):
    arguments = f"inner=toy_simple,journal={tmp_path},fault=mixed"
    assert evaluate("vidomni_runner", arguments)["config"]["model_backend"].endswith("(simple)")


def test_copies_without_sound_are_made_one_by_one_and_for_who_is_asked_only(tmp_path, monkeypatch):
    monkeypatch.setattr(sound, "home", lambda: tmp_path / "home")
    given = {"inner": "toy", "journal": str(tmp_path / "journal"), "fault": "interrupted"}
    given |= {"at": 1, "answer": "{{1: 0}}"}

    def start(**more):
        text = ",".join(f"{name}={value}" for name, value in {**given, **more}.items())
        return evaluate("vidomni_runner", text, tasks=["vidomni_mini"])

    def copies():
        return len(list((tmp_path / "home").rglob("*.*")))

    # As the command line ends, where another test has used it in this process.
    with pytest.raises((InputProblems, SystemExit), match="no answer to 24 of 24 requests"):
        start(answers_only=True)
    assert copies() == 0
    with pytest.raises(KeyboardInterrupt):
        start()
    assert copies() <= 1
    start(fault="")
    assert copies() > 1
    again = start(fault="", answers_only=True)  # the copies are there now: the same requests
    assert again["samples"]["vidomni_mini"]


@pytest.mark.parametrize("given_as", ["name", "object"])
def test_what_a_model_gets_of_the_sound_is_decided_for_the_model_inside(
    given_as, tmp_path, monkeypatch
):
    """``moviechat`` is known to be deaf and gets the file; a toy may hear, and gets a copy."""
    toy = ModelManifest("moviechat", chat_class_path="tests.models.runner.toys.Toy")
    monkeypatch.setitem(MODEL_REGISTRY_V2._manifests, "moviechat", toy)
    media = {}
    for name in ("toy", "moviechat"):
        log, arguments = tmp_path / name, {"inner": name, "journal": str(tmp_path / "journal")}
        given = arguments | {"fault": "mixed", "log": str(log)}
        if given_as == "object":
            evaluate(RunnerChat(**given), tasks=["vidomni_mini"])
        else:
            text = ",".join(f"{argument}={value}" for argument, value in given.items())
            evaluate("vidomni_runner", text, tasks=["vidomni_mini"])
        media[name] = {line["item"]: line["media"] for line in logged(log)}
        evaluate(name, f"fault=mixed,log={log}", tasks=["vidomni_mini"])
        assert media[name] == {line["item"]: line["media"] for line in logged(log)[24:]}
    with_sound = [item for item in media["toy"] if media["toy"][item] != media["moviechat"][item]]
    assert with_sound
    assert all("/silent/" in media["toy"][item][0] for item in with_sound)


def test_the_caption_task_names_the_model_inside():
    def calling(model, model_args):
        code = "def simple_evaluate(model, model_args):\n    return running_model()"
        space = {"__name__": "lmms_eval.evaluator", "running_model": running_model}
        exec(code, space)
        return space["simple_evaluate"](model, model_args)

    text = "inner=qwen3_vl,journal=j,pretrained=a/b"
    assert calling("vidomni_runner", text) == ("qwen3_vl", text)
    assert calling("vidomni_runner", {"inner": "toy"})[0] == "toy"
    assert calling("vidomni_runner", "no arguments")[0] == "vidomni_runner"
    assert calling("qwen3_vl", text) == ("qwen3_vl", text)


def test_repeats_are_asked_once_each(tmp_path):
    log = tmp_path / "log"
    arguments = f"inner=toy,journal={tmp_path / 'journal'},fault=mixed,log={log}"
    for _ in range(2):
        evaluate("vidomni_runner", arguments, tasks=["vidhalloc_mini"], repeats=2, limit=6)
    asked = Counter(line["item"] for line in logged(log))
    assert (len(asked), set(asked.values())) == (6, {2})


def test_runs_of_other_seeds_share_no_sampled_answer(tmp_path):
    """The host seeds every run alike, and ``--seed`` is how to see how much answers vary."""
    log = tmp_path / "log"
    arguments = f"inner=toy,journal={tmp_path / 'journal'},fault=mixed,log={log}"

    def asked(seed, gen_kwargs):
        before = len(logged(log)) if log.exists() else 0
        options = {"gen_kwargs": gen_kwargs, "limit": 4, "torch_random_seed": seed}
        evaluate("vidomni_runner", arguments, tasks=["vidhalloc_mini"], **options)
        return len(logged(log)) - before

    sampled, greedy = "temperature=0.7,do_sample=True", "temperature=0"
    assert [asked(seed, sampled) for seed in (1, 2, 1, 2)] == [4, 4, 0, 0]
    assert [asked(seed, greedy) for seed in (1, 2)] == [4, 0]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder that makes the toys known to the host, as an installed plugin does."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "toys-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 0.1.0\n")
    entry = "[lmms_eval.models]\ntoys = tests.models.runner.toys:manifests\n"
    (info / "entry_points.txt").write_text(entry)
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


TWO_RANKS = (
    *("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"),
    *("--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"),
    *("--main_process_port", "0", "-m", "lmms_eval"),
)
"""``accelerate launch``; torchrun starts a run in ``tests/run``."""


@pytest.mark.host
def test_two_ranks_answer_once_and_score_the_same(site, tmp_path):
    journal = tmp_path / "journal"
    given = f"inner=toy,journal={journal},fault=mixed"
    run = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_runner", "--model_args", given, "--tasks", "vidhalloc_mini"),
        launcher=TWO_RANKS,
        ACCELERATE_USE_CPU="true",
        **site,
    )
    assert run.code == 0, run.output
    assert sorted(path.name for path in journal.glob("*.jsonl")) == [
        *("answers.rank0.jsonl", "answers.rank1.jsonl")
    ]
    assert len(read_journal(journal).answers) == 80
    alone = evaluate("vidomni_runner", given, tasks=["vidhalloc_mini"])  # nothing is asked
    assert len(read_journal(journal).answers) == 80
    scores = {k: v for k, v in alone["results"]["vidhalloc_mini"].items() if k.endswith(",none")}
    got = run.results()["results"]["vidhalloc_mini"]
    assert {k: got[k] for k in scores if "stderr" not in k} == {
        k: v for k, v in scores.items() if "stderr" not in k
    }


@pytest.mark.host
def test_useless_answers_end_the_command_with_their_cause(site, tmp_path):
    given = f"inner=toy,journal={tmp_path / 'journal'},fault=swallows"
    run = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_runner", "--model_args", given, "--tasks", "vidhalloc_mini"),
        **site,
    )
    assert run.code == 1
    assert "Traceback" not in run.output
    assert "the first 8 answers are all empty" in run.output
    assert "the model said: the processor is broken" in run.output
    assert read_journal(tmp_path / "journal").answers == {}
