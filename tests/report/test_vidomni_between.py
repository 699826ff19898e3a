"""Which runs belong together, and what they differ by."""

from __future__ import annotations

import pytest

from tests.report.builders import signature, vidomni_run
from vidomni_plugin.published import same_model, verifier
from vidomni_plugin.report.vidomni_between import (
    MOST_PAIRED,
    ensembles,
    frame_rates,
    recall_gains,
    size_of,
    sizes,
    sound_gains,
)
from vidomni_plugin.report.vidomni_scored import has_sound, score_run

GOLD = {"v1__a": [1, 0, 1], "v2__a": [1, 0], "v3__a": [0, 0]}
NOTHING = {"v1__a": [0, 0, 0], "v2__a": [0, 0], "v3__a": [0, 0]}
ALL = {"v1__a": [1, 1, 1], "v2__a": [1, 1], "v3__a": [1, 1]}


def scored(name, labels=None, checkpoint=None, fields=None, task="vidomni", **settings):
    sign = signature(checkpoint or name, **settings)
    return score_run(vidomni_run(name, labels or NOTHING, GOLD, fields, signature=sign, task=task))


@pytest.mark.parametrize(
    ("checkpoint", "family", "size"),
    [
        ("OpenGVLab/InternVL3_5-38B", "internvl35", 38.0),
        ("InternVL 3.5 2B", "internvl35", 2.0),
        ("/models/Qwen3-VL-2B-Instruct/", "qwen3vl", 2.0),
        ("Qwen/Qwen3-VL-30B-A3B-Instruct", "qwen3vla3b", 30.0),
        ("video-SALMONN-2_plus_72B", "videosalmonn2plus", 72.0),
        ("video-SALMONN 2+ 7B", "videosalmonn2plus", 7.0),
        ("SmolVLM2-0.5b", "smolvlm2", 0.5),
    ],
)
def test_family_and_size_are_read_from_names(checkpoint, family, size):
    assert size_of(checkpoint) == (family, size)


@pytest.mark.parametrize("checkpoint", ["gemini-3-flash", "gpt-5-mini", "llava", "B2B-7B-13B"])
def test_a_name_without_one_size_has_none(checkpoint):
    assert size_of(checkpoint) is None


def test_the_smallest_meets_the_largest_of_its_family():
    runs = [
        scored(name, checkpoint=name)
        for name in ("M-8B", "M-2B", "N-2B", "M-32B-Instruct", "gpt-5-mini")
    ]
    found = [(small.run.run, large.run.run) for small, large in sizes(runs)]
    assert found == [("M-2B", "M-32B-Instruct")]


def test_runs_with_the_same_settings_go_first():
    runs = [
        scored("large at 4", checkpoint="M-8B", fps="4"),
        scored("large at 2", checkpoint="M-8B", fps="2"),
        scored("small", checkpoint="M-2B", fps="2"),
    ]
    assert [(s.run.run, g.run.run) for s, g in sizes(runs)] == [("small", "large at 2")]
    without = [run for run in runs if run.run.run != "large at 2"]
    assert [(s.run.run, g.run.run) for s, g in sizes(without)] == [("small", "large at 4")]


def test_recall_gains_are_points_of_the_sentences_that_carry_the_category():
    labels = {"v1__a": [1, 0, 0], "v2__a": [0, 0], "v3__a": [0, 0]}
    (pair,) = sizes([scored("M-2B", labels), scored("M-8B", ALL)])
    gains = recall_gains(*pair)
    # Object marks all three Incorrect sentences; one is found by the small model, all by the large.
    assert gains["Object"].value == pytest.approx(100 - 100 / 3)
    assert gains["Order"].value is None


@pytest.mark.parametrize("name", ["fps", "video_fps", "frame_rate"])
def test_a_sweep_differs_in_the_frame_rate_only(name):
    args = [{name: rate, "pretrained": "m"} for rate in ("4", "1", "2")]
    runs = [scored(f"at {a[name]}", checkpoint="m", fps=a[name], model_args=a) for a in args]
    other = scored("other pixels", checkpoint="m", fps="8", pixels="100", model_args=args[0])
    (sweep,) = frame_rates([*runs, other])
    assert [(rate, run.run.run) for rate, run in sweep.runs] == [
        (1.0, "at 1"),
        (2.0, "at 2"),
        (4.0, "at 4"),
    ]


def test_one_frame_rate_is_no_sweep():
    assert frame_rates([scored("a", checkpoint="m", fps="2"), scored("b", checkpoint="m")]) == []


def test_a_frame_rate_that_is_no_number_is_left_out():
    runs = [scored("a", checkpoint="m", fps="auto"), scored("b", checkpoint="m", fps="2")]
    assert frame_rates(runs) == []


def test_sound_gains_are_joined_by_pair_and_cut_by_category():
    fields = {
        "v1__a": {"audio_category": "Speech"},
        "v2__a": {"audio_category": "Speech"},
        "v3__a": {"audio_category": "Background"},
    }
    silent = scored("m", NOTHING, fields=fields)
    heard = scored("m", ALL, fields=fields, task="vidomni_av")
    other = scored("n", ALL, fields=fields)
    speech, background, effects = sound_gains(
        [silent, heard, other], ("Speech", "Background", "Sound Effect")
    )
    # Everything flagged: F1 80 of the first pair (2 of 3 wrong), 66.7 of the second (1 of 2).
    assert speech.per_pair == pytest.approx([80.0, 200 / 3])
    assert speech.gains.value == pytest.approx((80 + 200 / 3) / 2)
    assert background.per_pair == [0.0]
    assert (effects.per_pair, effects.gains.value) == ([], None)
    assert speech.silent.run.run == "m"


@pytest.mark.parametrize(
    ("task", "sound"),
    [
        ("vidomni", False),
        ("vidomni_av", True),
        ("vidomni_mini", False),
        ("vidomni_av_mini", True),
        ("vidomni_save", False),
    ],
)
def test_the_name_of_a_task_tells_of_the_sound(task, sound):
    assert has_sound(scored("m", task=task).run) is sound


def test_an_ensemble_adds_others_to_the_writer_of_the_captions():
    fields = {key: {"caption_source": "writer"} for key in GOLD}
    fields["v3__a"] = {"caption_source": "somebody"}
    runs = [
        scored("w", NOTHING, "lab/writer", fields),
        scored("x", ALL, "lab/x", fields),
        scored("y", NOTHING, "lab/y", fields),
    ]
    found = ensembles(runs)
    assert [(e.source, e.first.run.run, e.second.run.run) for e in found] == [
        ("writer", "w", "x"),
        ("writer", "w", "y"),
    ]
    assert found[0].together.pair_ids == ("v1__a", "v2__a")
    assert found[0].gain.value == pytest.approx((80 + 200 / 3) / 2)
    assert found[1].gain.value == 0.0


def test_without_a_writer_every_two_runs_are_an_ensemble():
    found = ensembles([scored("a"), scored("b", ALL), scored("c")])
    assert [(e.source, e.first.run.run, e.second.run.run) for e in found] == [
        ("all", "a", "b"),
        ("all", "a", "c"),
        ("all", "b", "c"),
    ]


@pytest.mark.parametrize(
    ("checkpoint", "source", "same"),
    [
        ("Qwen/Qwen3-VL-32B-Instruct", "Qwen3-VL", True),
        ("Qwen/Qwen3-VL-8B-Instruct", "Qwen3-VL", False),
        ("OpenGVLab/InternVL3_5-38B", "InternVL3.5 38B", True),
        ("gpt-5-mini", "GPT 5 mini", True),
        ("lab/mine", "mine", True),
        ("lab/mine", "others", False),
    ],
)
def test_the_writer_of_captions_is_known_by_name(checkpoint, source, same):
    assert same_model(checkpoint, source) is same


def test_published_rows_are_found_by_model_and_sound():
    assert verifier("Gemini-3-Flash")["f1"] == 39.8
    assert verifier("Gemini-3-Flash", sound=True)["f1"] == 41.7
    assert verifier("Qwen/Qwen3-VL-3B") is None


def test_a_run_given_twice_is_not_put_together_with_itself():
    gold = {f"v{k}__x": [1, 0] for k in range(25)}
    labels = {pair: [1, 1] for pair in gold}
    given = {pair: "the same" for pair in gold}
    sign = signature("m")
    a, b = (
        score_run(vidomni_run(name, labels, gold, responses=given, signature=sign)) for name in "ab"
    )
    c = score_run(vidomni_run("c", labels, gold, responses=dict.fromkeys(gold, "another")))
    pairs = [(each.first.run.run, each.second.run.run) for each in ensembles([a, b, c])]
    assert pairs == [("a", "c"), ("b", "c")]


def test_of_many_runs_the_best_are_put_together():
    gold = {"v1__x": [1, 0]}
    runs = [
        score_run(vidomni_run(f"r{k}", {"v1__x": [k % 2, 0]}, gold)) for k in range(2 * MOST_PAIRED)
    ]
    found = ensembles(runs)
    assert len(found) == MOST_PAIRED * (MOST_PAIRED - 1) // 2
    assert {each.first.run.run for each in found} <= {f"r{k}" for k in range(1, 24, 2)}
