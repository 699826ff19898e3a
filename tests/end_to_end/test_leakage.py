"""A detector's threshold is not judged on the videos that it was chosen on, through the host."""

from __future__ import annotations

import json

import pytest

from tests.conftest import run_host
from vidomni_plugin.data.load import inspect_vidhalloc
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.report.findings import findings
from vidomni_plugin.report.read import read_runs
from vidomni_plugin.samples import read_responses
from vidomni_plugin.vidhalloc.metrics import OF_SCORES
from vidomni_plugin.vidhalloc.splits import read_pairs, release_files
from vidomni_plugin.vidhalloc.thresholds import Calibration, choose

pytestmark = pytest.mark.host
QUICK = {"bootstrap_iters": 0}


def calibration(folder, **changes):
    """Write what `vidomni calibrate --root mini --split main` would."""
    root = mini_root("vidhalloc")
    listed = read_pairs(release_files(root.path, "main"))
    pairs = [p for p in inspect_vidhalloc(root).pairs if p.record.pair_id in listed]
    fields = choose([0.9], [0.1])._asdict() | {
        "n": len(listed),
        "pair_ids": tuple(listed),
        "videos": tuple(sorted({str(one.video) for one in listed.values()})),
        "media_digests": tuple(sorted({pair.facts.digest for pair in pairs})),
        **{"scores_sha256": "0" * 64, "split": "main", "task": "vidhalloc_mini"},
        **{"model": "m", "signature": ""},
    }
    file = folder / "threshold.json"
    file.write_text(Calibration(**fields | changes).model_dump_json())
    return file


@pytest.fixture
def evaluated(monkeypatch):
    """Return a function that has the host make a detector by its name and evaluate it."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    monkeypatch.setenv("VIDHALLOC_DATA", str(mini_root("vidhalloc").path))
    manager = TaskManager(include_defaults=False, model_name="vidomni_constant")

    def run(model, model_args, task="vidhalloc_mini", **options):
        return simple_evaluate(
            model=model,
            model_args=model_args,
            tasks=[task],
            task_manager=manager,
            **QUICK,
            **options,
        )

    return run


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        # None of these has a model at this place: it is not even looked for.
        ("vidomni_emscore", "pretrained=/no/such/model,device=cpu"),
        ("vidomni_entailment", "pretrained=/no/such/model,device=cpu"),
        ("vidomni_constant", "score=0.5"),
    ],
)
def test_no_model_is_loaded(model, arguments, evaluated, tmp_path):
    threshold = f"threshold={calibration(tmp_path)}"
    with pytest.raises(InputProblems, match="chosen on 12 of the 20 videos") as raised:
        evaluated(model, f"{arguments},{threshold}")
    (problem,) = raised.value.problems
    assert (problem.code, problem.place) == ("threshold-overlap", str(tmp_path / "threshold.json"))
    assert "video_captioning/captioning_0001" in problem.message


def test_the_runner_loads_none_either(evaluated, tmp_path):
    threshold = f"threshold={calibration(tmp_path)}"
    arguments = f"inner=vidomni_emscore,journal={tmp_path / 'journal'},pretrained=/no/such/model"
    with pytest.raises(InputProblems, match="chosen on 12 of the 20 videos"):
        evaluated("vidomni_runner", f"{arguments},{threshold}")


def test_other_videos_are_judged(evaluated, tmp_path):
    found = evaluated(
        "vidomni_constant", f"score=0.5,threshold={calibration(tmp_path)}", "vidhalloc_eval"
    )
    assert found["results"]["vidhalloc_eval"]["undecided,none"] == 0
    # One score for everything: every pair is tied.
    scores = {name: found["results"]["vidhalloc_eval"][f"{name},none"] for name in OF_SCORES}
    assert scores == {"auroc": 50, "ranking": 50, "ties": 100}
    sample = found["samples"]["vidhalloc_eval"][0]
    assert "threshold_saw_video" not in sample["filtered_resps"][0]


def test_only_what_is_asked_counts(evaluated, tmp_path):
    """``--limit`` and ``--offset`` leave videos out; which of them are there decides."""
    everything = evaluated("vidomni_constant", "score=0.5,threshold=0.5")
    docs = [s["overall"] for s in everything["samples"]["vidhalloc_mini"]]
    last = docs[-1]
    file = calibration(
        tmp_path,
        videos=(f"{last['task_type']}/{last['video_id']}",),
        media_digests=(last["media_digest"],),
    )
    shared = [doc["media_digest"] == last["media_digest"] for doc in docs]
    first = shared.index(True)
    arguments = f"score=0.5,threshold={file}"
    evaluated("vidomni_constant", arguments, limit=first)
    for options in ({"limit": first + 1}, {"offset": first, "limit": 2}, {"limit": 0.999}):
        with pytest.raises(InputProblems, match="threshold-overlap"):
            evaluated("vidomni_constant", arguments, **options)


def test_a_copy_under_another_name_is_found(evaluated, tmp_path):
    file = calibration(tmp_path, videos=("video_qa/renamed",))
    with pytest.raises(InputProblems, match="same content under another name"):
        evaluated("vidomni_constant", f"score=0.5,threshold={file}")


def test_a_model_object_is_refused_when_it_is_asked(evaluate, tmp_path):
    from lmms_eval.models import get_model

    arguments = f"score=0.5,threshold={calibration(tmp_path)}"
    detector = get_model("vidomni_constant").create_from_arg_string(arguments, {})
    with pytest.raises(InputProblems, match="chosen on 12 of the 20 videos"):
        evaluate(["vidhalloc_mini"], detector, **QUICK)


def test_the_command_line_ends_with_the_message(tmp_path):
    run = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_emscore", "--tasks", "vidhalloc_mini"),
        *("--model_args", f"pretrained=/no/such/model,threshold={calibration(tmp_path)}"),
    )
    assert run.code == 1
    assert "chosen on 12 of the 20 videos to be judged: video_captioning/" in run.output
    assert "threshold_overlap=allow" in run.output
    assert "Traceback" not in run.output
    assert not list((tmp_path / "logs").rglob("*_samples_*"))


def test_allowed_it_stands_in_every_answer_and_in_the_report(tmp_path):
    file = calibration(tmp_path)
    run = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_constant", "--tasks", "vidhalloc_mini"),
        *("--model_args", f"score=0.5,threshold={file},threshold_overlap=allow"),
    )
    assert run.code == 0, run.output
    assert run.output.count("chosen on 12 of the 20 videos to be judged") == 1
    main = {pair_id for pair_id in read_pairs(release_files(mini_root("vidhalloc").path, "main"))}
    answers = read_responses(run.samples_file("vidhalloc_mini"))
    for answer_id, text in answers.items():
        detail = json.loads(text)["detail"]
        assert detail["threshold_overlap"] == "allow"
        assert detail["threshold_saw_video"] is (answer_id.split("/")[0] in main)
    (finding,) = [p for p in findings(read_runs([tmp_path / "logs"])) if "overlap" in p.code]
    assert "48 of 80 answers are about videos that the threshold was chosen on" in finding.message
