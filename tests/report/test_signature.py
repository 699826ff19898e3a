"""Settings from a results file, whatever its runner calls them, and what differs between two."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.builders import signature, vidomni_run
from vidomni_plugin.detectors.names import DETECTORS
from vidomni_plugin.host import manifests
from vidomni_plugin.report.naming import named
from vidomni_plugin.report.runs import Run
from vidomni_plugin.report.signature import differences, model_arguments, signature_of


def of_arguments(arguments: object, **config: object):
    return signature_of({"config": {"model_args": arguments, **config}}, "vidomni", (), "folder")


@pytest.mark.parametrize(
    ("arguments", "frames", "fps", "pixels"),
    [
        ("pretrained=a,max_num_frames=32", "32", None, None),
        ("pretrained=a,num_frame=8", "8", None, None),
        ("pretrained=a,frames=all", "all", None, None),
        ("pretrained=a,num_frames=16,fps=2.0", "16", "2", None),
        ("pretrained=a,nframes=64,video_fps=1", "64", "1", None),
        ("pretrained=a,max_frames_num=128", "128", None, None),
        ("pretrained=a,max_num_frames=32,nframes=16", "32/16", None, None),
        ("pretrained=a,max_num_frames=32,nframes=32", "32", None, None),
        ("max_pixels=602112,min_pixels=3136", None, None, "min_pixels=3136,max_pixels=602112"),
        ({"num_frames": 4, "fps": 0.5, "max_pixels": 10}, "4", "0.5", "max_pixels=10"),
        ("", None, None, None),
        (None, None, None, None),
    ],
)
def test_runners_name_frames_differently(arguments, frames, fps, pixels):
    found = of_arguments(arguments)
    assert (found.frames, found.fps, found.pixels) == (frames, fps, pixels)


@pytest.mark.parametrize(
    ("arguments", "model", "checkpoint"),
    [
        ("pretrained=Qwen/Qwen3-VL-8B", "qwen3_vl", "Qwen/Qwen3-VL-8B"),
        ("model_version=gemini-3-flash", "gemini_api", "gemini-3-flash"),
        ("model=org/x,tensor_parallel_size=4", "vllm", "org/x"),
        ("responses=a.jsonl", "vidomni_replay", "a.jsonl"),
    ],
)
def test_the_checkpoint_is_what_the_runner_loads(arguments, model, checkpoint):
    assert of_arguments(arguments, model=model).checkpoint == checkpoint


def test_without_a_results_file_the_folder_names_the_model():
    assert signature_of({}, "vidomni", (), "org__model").checkpoint == "org__model"


def test_secrets_never_reach_a_report():
    found = model_arguments("model=m,api_key=abc,hf_token=def,max_new_tokens=12,key=x")
    assert found["max_new_tokens"] == "12"
    assert found["api_key"] == found["hf_token"] == found["key"] == "(hidden)"
    found = of_arguments("model=m,api_key=abc")
    assert "abc" not in found.short()


SECRETS = (
    'client={"api_key": "abc"}',
    'client={"outer": [{"headers": {"X-Mine": "abc"}}]}',
    'client={"headers": {"Authorization": "Bearer abc"}}',
    "client={'apiKey': 'abc', 'n': 1}",
    'client={"apiKey": "abc", cut off}',
    'client={"inner": "{\\"token\\": \\"abc\\"}"}',
    "base_url=https://u:abc@host/v1",
    "base_url=https://abc@host/v1",
    "base_url=https://host/v1?n=1&api_key=abc",
    "base_url=https://host/v1?X-Api-Token=abc",
    *("auth=Bearer abc", "extra=Bearer abc", "note=Basic abc"),
    *("authorization=abc", "credential=abc", "credentials=abc", "default_headers=abc"),
    *("authToken=abc", "x-api-key=abc", "cookie=abc", "passwd=abc"),
    {"client": {"api_key": "abc"}},
    {"client": [{"password": "abc"}], "auth": ["abc"]},
    {"base_url": "https://u:abc@host/v1"},
    *("api_keys=abc", "hf_tokens=abc", "tokens=abc", "bearer=abc", "pwd=abc", "db_pwd=abc"),
    *("aws_access_key_id=abc", 'client={"api_keys": ["abc", "abc"]}', {"tokens": ["abc"]}),
    *("base_url=https://host/v1?sig=abc", "base_url=https://host/v1?n=1&code=abc&m=2"),
)


@pytest.mark.parametrize("given", SECRETS, ids=str)
def test_secrets_inside_of_arguments_never_reach_a_report_or_a_name(given):
    sign = of_arguments(f"model=m,{given}" if isinstance(given, str) else {"model": "m", **given})
    assert len(sign.model_args) >= 2
    assert sign.model_args["model"] == sign.checkpoint == "m"
    run = vidomni_run("m", {"v__x": [1]}, {"v__x": [1]}, signature=sign)
    other = replace(run, signature=replace(sign, model_args={}))
    runs = [Run("m", Path(), {"vidomni": one}, ()) for one in (run, other)]
    texts = [sign, sign.short(), [one.name for one in named(runs, ["1", "2"])]]
    assert "abc" not in repr([*texts, differences(run, other)])


def test_secrets_of_generation_settings_are_hidden():
    configs = {"vidomni": {"generation_kwargs": {"extra": {"token": "abc"}, "temperature": 0}}}
    found = signature_of({"configs": configs}, "vidomni", (), "folder").generation
    assert found == {"extra": '{"token": "(hidden)"}', "temperature": "0"}


@pytest.mark.parametrize(
    "text",
    [
        'opts={"x": 1,  "keys": "b", "max_new_tokens": 3}',
        "base_url=https://host:8000/v1?n=1",
        "pretrained=org/monkey-token-8B",
        "system_prompt=You author a caption: yes",
        "ranges=[1, 2",
        "code=a&b",
        "max_tokens=abc",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text):
    name, _, value = text.partition("=")
    assert model_arguments(text) == {name: value}


def test_everything_that_a_log_says():
    results = {
        "config": {"model": "qwen3_vl", "model_args": "pretrained=a/b", "limit": 8, "offset": 4},
        "configs": {
            "vidomni": {
                "process_docs": "vidomni: 2500 documents, data 115bac9528776d70",
                "generation_kwargs": {"temperature": 0.0, "do_sample": False, "until": ["\n\n"]},
            }
        },
        "versions": {"vidomni": "1"},
        "n-samples": {"vidomni": {"original": 2500, "effective": 8}},
        "lmms_eval_version": "main@abcdef12",
    }
    items = [{"prompt": "verification@1", "plugin": "0.1.0", "host": "0.7.3"}] * 2
    found = signature_of(results, "vidomni", items, "folder")
    assert found.data == "115bac9528776d70"
    assert found.generation == {"do_sample": "false", "temperature": "0", "until": '["\\n\\n"]'}
    assert found.limit == "8 of 2500 behind the first 4"
    assert (found.host, found.plugin) == ("0.7.3", "0.1.0")
    assert found.short() == (
        "model:qwen3_vl|checkpoint:a/b|frames:-|fps:-|pixels:-|prompt:verification@1|"
        "data:115bac9528776d70|task:1|"
        'generation:do_sample=false,temperature=0,until=["\\n\\n"]|'
        "limit:8 of 2500 behind the first 4|host:0.7.3|plugin:0.1.0"
    )


@pytest.mark.parametrize("log", ["main@abcdef12", "unknown@unknown", "0.7.3@abc", None])
def test_the_commit_of_a_run_s_folder_is_no_version_of_the_host(log):
    """The host logs the commit of the folder that it is started in, whatever lies there."""
    found = signature_of({"lmms_eval_version": log}, "vidomni", [{"prompt": "p"}], "folder")
    assert found.host is None
    new = signature_of({"lmms_eval_version": log}, "vidomni", [{"host": "0.7.3"}], "folder")
    assert new.host == "0.7.3"


PLAIN = "pretrained=a/b,max_num_frames=32,fps=2.0"
KEPT = "journal=runs/a,at_once=4,cache_gb=2,answers_only=true,labels_only=False"


def through_the_runner(arguments: str, inner: str = "qwen3_vl"):
    return of_arguments(f"inner={inner},{arguments}", model="vidomni_runner")


def test_a_run_through_the_runner_is_the_inner_model_s():
    assert through_the_runner(f"{KEPT},{PLAIN}") == of_arguments(PLAIN, model="qwen3_vl")
    given = {"inner": "qwen3_vl", "journal": "j", "labels_only": False, "pretrained": "a/b"}
    plain = of_arguments({"pretrained": "a/b"}, model="qwen3_vl")
    assert of_arguments(given, model="vidomni_runner") == plain
    assert through_the_runner("journal=j", inner="vidomni_replay").checkpoint == "vidomni_replay"


def test_a_run_through_the_runner_compares_with_a_plain_one():
    a = run_of(through_the_runner(f"{KEPT},{PLAIN}"))
    assert differences(a, run_of(of_arguments(PLAIN, model="qwen3_vl"))) == []


def test_labels_only_is_a_setting():
    a = run_of(through_the_runner(f"journal=j,labels_only=true,{PLAIN}"))
    plain = run_of(of_arguments(PLAIN, model="qwen3_vl"))
    assert told(a, plain) == {"argument labels_only": False}


def test_a_prefix_runner_is_another_runner():
    a = run_of(through_the_runner(f"prefix=enc,journal=j,{PLAIN}", inner="vidomni_qwen2_5_vl"))
    plain = run_of(of_arguments(PLAIN, model="qwen2_5_vl"))
    assert a.signature.model == "vidomni_qwen2_5_vl"
    assert a.signature.checkpoint == plain.signature.checkpoint
    assert told(a, plain) == {"model": True, "argument prefix": True}


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        pytest.param(
            through_the_runner(f"journal=a,{PLAIN}"),
            through_the_runner(f"journal=b,labels_only=true,{PLAIN}"),
            ["b", "b (labels_only true)"],
            id="labels_only",
        ),
        pytest.param(
            of_arguments(PLAIN, model="qwen2_5_vl"),
            through_the_runner(f"journal=b,prefix=enc,{PLAIN}", inner="vidomni_qwen2_5_vl"),
            ["b (runner qwen2_5_vl)", "b (runner vidomni_qwen2_5_vl)"],
            id="prefix",
        ),
        pytest.param(
            of_arguments("pretrained=a/b", model="qwen3_vl"),
            through_the_runner("journal=b,pretrained=a/c"),
            ["b", "c"],
            id="another checkpoint",
        ),
    ],
)
def test_runs_are_named_after_the_model_that_answers(first, second, names):
    runs = [Run("x", None, {"vidomni": run_of(s)}, ()) for s in (first, second)]
    assert [run.name for run in named(runs, ["1", "2"])] == names


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        pytest.param(
            of_arguments("pretrained=m/clip", model="vidomni_emscore"),
            through_the_runner("journal=b,pretrained=m/clip", inner="vidomni_pacs"),
            ["vidomni_emscore clip", "vidomni_pacs clip"],
            id="two detectors of one checkpoint",
        ),
        pytest.param(
            of_arguments("pretrained=m/clip,frames=4", model="vidomni_emscore"),
            of_arguments("pretrained=m/clip,frames=8", model="vidomni_emscore"),
            ["vidomni_emscore clip (frames 4)", "vidomni_emscore clip (frames 8)"],
            id="one detector with other frames",
        ),
        pytest.param(
            of_arguments("label=ACCEPT", model="vidomni_constant"),
            of_arguments("pretrained=a/b", model="qwen3_vl"),
            ["vidomni_constant", "b"],
            id="no checkpoint, and no detector",
        ),
    ],
)
def test_a_detectors_name_stands_before_its_checkpoint(first, second, names):
    runs = [Run("x", None, {"vidhalloc": run_of(s)}, ()) for s in (first, second)]
    assert [run.name for run in named(runs, ["1", "2"])] == names
    assert named(runs, ["1", "2"], ["mine", ""])[0].name == "mine"


def test_all_our_detectors_are_known_by_name():
    made = {m.model_id for m in manifests() if ".detectors." in (m.chat_class_path or "")}
    assert made == DETECTORS


def run_of(of_run):
    return vidomni_run("m", {"v__x": [1]}, {"v__x": [1]}, signature=of_run)


@pytest.mark.parametrize("odd", [7, "x", [], None, {"config": 3, "configs": [1], "versions": ""}])
def test_a_log_of_any_shape_gives_a_signature(odd):
    results = odd if isinstance(odd, dict) else {"config": odd, "configs": odd, "n-samples": odd}
    assert signature_of(results, "vidomni", (), "folder").checkpoint == "folder"


def run_with(**changes):
    return vidomni_run("m", {"v__x": [1]}, {"v__x": [1]}, signature=signature("m", **changes))


def told(a, b) -> dict[str, bool]:
    return {found.name: found.of_the_model for found in differences(a, b)}


def test_equal_runs_do_not_differ():
    assert differences(run_with(), run_with()) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"frames": "64"},
        {"frames": None},
        {"fps": "2"},
        {"pixels": "max_pixels=1"},
        {"prompt": "verification@1"},
        {"data": "ffff"},
        {"task_version": "2"},
        {"limit": "8 of 2500"},
        {"host": "main@abc"},
        {"plugin": "0.0.9"},
    ],
    ids=str,
)
def test_settings_and_data_keep_runs_from_being_compared(changes):
    (name,) = changes
    assert told(run_with(), run_with(**changes)) == {name: False}


@pytest.mark.parametrize("name", ["prompt", "data", "task_version", "host", "plugin"])
def test_what_one_log_does_not_tell_is_shown_only(name):
    assert told(run_with(), run_with(**{name: None})) == {name: True}
    assert told(run_with(), run_with(generation={})) == {
        f"generation {setting}": True for setting in signature().generation
    }


def test_a_runner_without_frame_rates_may_be_compared_with_one_that_has_them():
    other = run_with(model="internvl3_5", frames="16", fps=None)
    assert told(run_with(fps="2"), other) == {"model": True, "frames": False, "fps": True}


def test_generation_settings_are_told_one_by_one():
    base = dict(signature().generation)
    other = run_with(generation=base | {"temperature": "1", "top_p": "0.9"})
    assert told(run_with(), other) == {"generation temperature": False, "generation top_p": False}


def test_two_models_may_be_compared():
    other = signature("big", model="internvl", model_args={"num_frame": "32", "modality": "video"})
    b = vidomni_run("big", {"v__x": [1]}, {"v__x": [1]}, signature=other)
    # Both saw 32 frames, whatever their runners call it; the rest is of the models.
    assert told(run_with(), b) == {"model": True, "checkpoint": True, "argument modality": True}


def test_arguments_of_one_runner_are_settings_except_those_of_the_machine():
    a = run_with(model_args={"pretrained": "m", "system_prompt": "x", "device_map": "auto"})
    b = run_with(model_args={"pretrained": "m", "device_map": "cuda"})
    assert told(a, b) == {"argument device_map": True, "argument system_prompt": False}


def test_a_version_that_one_log_does_not_tell_is_shown_only():
    assert told(run_with(plugin=None), run_with()) == {"plugin": True}


def test_another_task_is_a_difference():
    assert told(run_with(), replace(run_with(), task="vidomni_av")) == {"task": False}


def test_the_text_that_a_detector_compares_is_told_also_where_it_is_the_default():
    def of(compared, **arguments):
        given = {"config": {"model": "vidomni_emscore", "model_args": arguments}}
        return signature_of(given, "vidhalloc", [{"detector_text": compared}], "folder")

    assert of("question_answer").model_args == {"text": "question_answer"}
    default, other = run_of(of("question_answer")), run_of(of("answer", text="answer"))
    assert told(default, other) == {"argument text": False}
    assert of(None).model_args == {}


@pytest.mark.parametrize("name", ["image_token", "eos_token", "pad_token", "num_image_token"])
def test_another_token_of_a_vocabulary_is_a_difference_and_is_not_shown(name):
    one, same, other = (of_arguments(f"model=m,{name}={v}") for v in ("abc1", "abc1", "abc2"))
    assert told(run_of(one), run_of(same)) == {}
    assert told(run_of(one), run_of(other)) == {f"argument {name}": False}
    assert "abc" not in one.short() + repr(one.model_args)


@pytest.mark.parametrize("name", ["api_key", "token", "hf_token", "key", "api_keys"])
def test_who_asks_is_no_difference(name):
    one, other = (of_arguments(f"model=m,{name}={value}") for value in ("abc", "xyz"))
    assert told(run_of(one), run_of(other)) == {}


def test_another_threshold_of_a_detector_is_a_difference():
    def of(*thresholds, **arguments):
        given = {"config": {"model": "vidomni_emscore", "model_args": arguments}}
        items = [{"detector_threshold": threshold} for threshold in thresholds]
        return signature_of(given, "vidhalloc", items, "folder")

    published, number = of(0.25, 0.25, threshold="published"), of(0.25, threshold=0.25)
    assert told(run_of(published), run_of(number)) == {}
    assert told(run_of(published), run_of(of(0.3))) == {"argument threshold": False}
    assert of(0.0).model_args == {"threshold": "0"}
    assert of(None).model_args == {}
