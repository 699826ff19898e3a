"""The captioning tasks in the real host: a runner with a tiny checkpoint, and recorded answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from checkpoints import build
from typer.testing import CliRunner

from tests.conftest import CLIP, HostRun, run_host, vidomni_data, vidomni_record, write_lines
from vidomni_plugin.cli import app
from vidomni_plugin.data.releases import read_captions
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.rescore import rescore
from vidomni_plugin.samples import read_responses
from vidomni_plugin.vidomni.captioning import caption_prompt, draw

pytestmark = pytest.mark.host

MINI = "vidomni_caption_mini"
SMALL = "device=cpu,device_map=cpu,max_num_frames=4,min_pixels=3136,max_pixels=50176"
VIDEOS = sorted(path.stem for path in CLIP.parent.glob("*.mp4"))


def answers(video_ids: list[str]) -> dict[str, str]:
    return {f"{v}/caption": f"A clip named {v}. It ends.\n- A list\n- of things" for v in video_ids}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("qwen2_5_vl", tmp_path_factory.mktemp("checkpoints") / "tiny-qwen")


def run_tiny(checkpoint: Path, limit: int | None = None) -> dict[str, Any]:
    """Run the host's own runner in this process, started as a user's code would."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    results: dict[str, Any] = simple_evaluate(
        model="qwen2_5_vl",
        model_args=f"pretrained={checkpoint},{SMALL}",
        tasks=[MINI],
        task_manager=TaskManager(include_defaults=False, model_name="qwen2_5_vl"),
        gen_kwargs="max_new_tokens=4",
        limit=limit,
        batch_size=1,
        log_samples=True,
    )
    return results


def test_a_runner_captions_every_video_and_draws_the_same_prompts_again(checkpoint):
    results = run_tiny(checkpoint)
    samples = results["samples"][MINI]
    assert sorted(sample["words"]["video_id"] for sample in samples) == VIDEOS
    for sample in samples:
        item = sample["words"]
        assert item["caption_source"] == "tiny-qwen"
        assert item["caption_prompt"] == draw(0, item["video_id"], "tiny-qwen")
        assert item["caption_seed"] == 0
        assert caption_prompt(item["caption_prompt"]) in sample["arguments"]
        (text,) = sample["filtered_resps"]  # noise of a random model, sometimes without a letter
        assert item["words"] == sum(any(map(str.isalnum, word)) for word in text.split())
    assert len({sample["words"]["caption_prompt"] for sample in samples}) > 2
    again = run_tiny(checkpoint, limit=4)["samples"][MINI]
    assert [(s["words"], s["filtered_resps"]) for s in again] == [
        (s["words"], s["filtered_resps"]) for s in samples[:4]
    ]


def drawn(samples: list[dict[str, Any]]) -> dict[str, int]:
    return {s["words"]["video_id"]: s["words"]["caption_prompt"] for s in samples}


def test_recorded_answers_sources_and_seeds(evaluate, monkeypatch):
    monkeypatch.setenv("VIDOMNI_CAPTION_SOURCE", "captioner-x")
    monkeypatch.setenv("VIDOMNI_CAPTION_SEED", "7")
    results = evaluate([MINI], answers(VIDEOS), log_samples=True).results
    items = results["samples"][MINI]
    assert drawn(items) == {v: draw(7, v, "captioner-x") for v in VIDEOS}
    assert {s["words"]["caption_seed"] for s in items} == {7}
    row = results["results"][MINI]
    assert row["sentences,none"] == 4
    assert row["empty,none"] == row["suspect,none"] == 0
    monkeypatch.delenv("VIDOMNI_CAPTION_SOURCE")
    monkeypatch.delenv("VIDOMNI_CAPTION_SEED")
    items = evaluate([MINI], answers(VIDEOS), log_samples=True).results["samples"][MINI]
    assert {s["words"]["caption_source"] for s in items} == {"vidomni_replay"}


def test_answers_that_are_no_captions_are_counted(evaluate):
    odd = answers(VIDEOS)
    odd[f"{VIDEOS[0]}/caption"] = ""
    odd[f"{VIDEOS[1]}/caption"] = "<think>never ends"
    odd[f"{VIDEOS[2]}/caption"] = "The ball bounces. " * 40
    odd[f"{VIDEOS[3]}/caption"] = "A dog runs to the"
    got = evaluate([MINI], odd)
    scores = got.scores(MINI)
    assert scores["empty"] == scores["suspect"] == 100 * 2 / len(VIDEOS)
    (warning,) = got.warnings
    assert "looping 1" in warning
    assert "unfinished_thinking 1" in warning


def test_a_seed_that_is_none_ends_before_the_model(monkeypatch, evaluate):
    monkeypatch.setenv("VIDOMNI_CAPTION_SEED", "seven")
    with pytest.raises(InputProblems, match="'seven' is no whole number"):
        evaluate([MINI], answers(VIDEOS))


def test_videos_without_captions_from_their_manifest(tmp_path, evaluate, monkeypatch):
    """A root with videos.jsonl and videos only: where a new benchmark begins."""
    rows: list[dict[str, Any]] = [
        {"video_id": "a", "source_dataset": "YouTube", "duration_s": 99.0},
        {"video_id": "b", "source_dataset": "YouTube"},
    ]
    write_lines(tmp_path / "root" / "videos.jsonl", rows)
    (tmp_path / "root" / "videos").mkdir()
    shutil.copy(CLIP, tmp_path / "root" / "videos" / "a.mp4")
    monkeypatch.setenv("VIDOMNI_DATA", str(tmp_path / "root"))
    with pytest.raises(InputProblems, match=r"videos\.jsonl:2: no video 'b'"):
        evaluate(["vidomni_caption"], answers(["a", "b"]))
    shutil.copy(CLIP, tmp_path / "root" / "videos" / "b.mp4")
    tasks = ["vidomni_caption", "vidomni_caption_av"]
    scores = evaluate(tasks, answers(["a", "b"]), log_samples=True)
    items = [sample["words"] for sample in scores.results["samples"]["vidomni_caption"]]
    # What the manifest says goes before the file, which fills the gaps.
    assert [item["duration_s"] for item in items] == [99.0, 5.0]
    for task in ("vidomni_caption", "vidomni_caption_av"):
        assert scores.scores(task)["sentences"] == 4
        assert scores.results["n-samples"][task]["effective"] == 2


def test_videos_of_pairs_come_once(tmp_path, evaluate, monkeypatch):
    pairs = [vidomni_record(pair_id=f"clip__{c}", caption_source=c) for c in "abc"]
    monkeypatch.setenv("VIDOMNI_DATA", str(vidomni_data(tmp_path / "root", pairs)))
    got = evaluate(["vidomni_caption"], answers(["clip"]))
    assert got.results["n-samples"]["vidomni_caption"]["effective"] == 1


def test_no_videos_at_all(tmp_path, evaluate, monkeypatch):
    monkeypatch.setenv("VIDOMNI_DATA", str(tmp_path))
    with pytest.raises(InputProblems, match=r"no pairs\.jsonl there, and no videos\.jsonl") as none:
        evaluate(["vidomni_caption"], answers(["a"]))
    assert "run the task vidomni_caption_mini" in str(none.value)


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> HostRun:
    """The command line with two ranks and recorded answers."""
    folder = tmp_path_factory.mktemp("two-ranks")
    rows = [{"id": name, "response": text} for name, text in answers(VIDEOS).items()]
    file = write_lines(folder / "answers.jsonl", rows)
    run = run_host(
        folder / "logs",
        *("--model", "vidomni_replay", "--model_args", f"responses={file}", "--tasks", MINI),
        ranks=2,
        VIDOMNI_HOME=str(shared_home),
    )
    assert run.code == 0, run.output
    return run


def test_two_ranks_draw_as_one(two_ranks):
    assert drawn(two_ranks.samples(MINI)) == {v: draw(0, v, "vidomni_replay") for v in VIDEOS}
    scores = two_ranks.scores(MINI)
    assert set(scores) == {"words", "sentences", "empty", "suspect", "missing"}
    assert all(isinstance(value, float) for value in scores.values())


def test_from_the_samples_file_to_captions(two_ranks, tmp_path, evaluate):
    samples = two_ranks.samples_file(MINI)
    rescored = rescore(samples)
    assert {k: v.value for k, v in rescored.scores.items()} == two_ranks.scores(MINI)
    out = tmp_path / "captions.jsonl"
    done = CliRunner().invoke(
        app, ["build", "captions", str(samples), "--out", str(out), "--source", "captioner-x"]
    )
    assert done.exit_code == 0, done.output
    captions = [entry.record for entry in read_captions(out).entries]
    assert [caption.video_id for caption in captions] == VIDEOS
    for caption in captions:
        assert caption.pair_id == f"{caption.video_id}__captioner-x"
        assert caption.caption_prompt == draw(0, caption.video_id, "vidomni_replay")
        assert len(caption.sentences) == 4
    # The samples file answers the task again.
    assert evaluate([MINI], read_responses(samples)).scores(MINI) == two_ranks.scores(MINI)
