"""What the runner does with good and bad inner models: nothing lost, mixed or asked twice."""

from __future__ import annotations

import json
import shutil
from collections import Counter

import pytest
import torch
from PIL import Image, ImageFile

from tests.conftest import CLIP
from tests.models.runner.conftest import documents, requests_of, verdicts
from vidomni_plugin.models.runner.journal import read_journal
from vidomni_plugin.problems import InputProblems


def asked_items(log):
    if not log.exists():
        return []
    return [json.loads(line)["item"] for line in log.read_text().splitlines()]


def items(docs):
    return [doc.get("answer_id", f"toys:{k}") for k, doc in enumerate(docs)]


def test_one_video_at_a_time_and_answers_in_the_order_of_the_host(runner, tmp_path):
    docs = documents(tmp_path / "videos", videos=2, each=3)
    made = runner(docs, answer="about {item}")
    results = made.generate_until(requests_of(docs))
    assert [result.text for result in results] == [f"about toys:{k}" for k in range(6)]
    # Documents 0, 2 and 4 are of the first video.
    assert made.calls == [[f"toys:{k}"] for k in (0, 2, 4, 1, 3, 5)]


def test_an_answer_is_asked_once_for_ever(answer, tmp_path):
    docs, log = documents(tmp_path / "videos"), tmp_path / "log"
    first = answer(docs[:5], log=str(log), answer="{item} {n}")
    assert asked_items(log) == [f"toys:{k}" for k in (0, 4, 1, 2, 3)]
    assert answer(docs, log=str(log), answer="{item} {n}")[:5] == first
    assert Counter(asked_items(log)) == Counter(items(docs))


@pytest.mark.parametrize(
    ("change", "shared"),
    [
        ({}, True),
        ({"device": "cuda:1", "batch_size": 4}, True),
        ({"api_key": "other"}, True),
        ({"answer": "REJECT"}, False),
        ({"inner": "toy_simple"}, False),
        ({"force_simple": True}, False),
        ({"labels_only": False}, True),
    ],
    ids=str,
)
def test_settings_decide_who_shares_answers(change, shared, answer, tmp_path):
    docs = documents(tmp_path / "videos", each=1)
    given = {"device": "cuda:0", "api_key": "mine", "answer": "ACCEPT"}
    answer(docs, **given)
    before = len(read_journal(tmp_path / "journal").answers)
    answer(docs, **{**given, **change})
    after = len(read_journal(tmp_path / "journal").answers)
    assert (before, after) == (4, 4 if shared else 8)
    assert "mine" not in (tmp_path / "journal" / "answers.rank0.jsonl").read_text()


def test_a_changed_video_or_question_is_asked_again_and_a_moved_one_is_not(answer, tmp_path):
    docs, log = documents(tmp_path / "videos", each=1), tmp_path / "log"
    answer(docs, log=str(log))
    (tmp_path / "videos").rename(tmp_path / "moved")
    docs = documents(tmp_path / "moved", each=1)
    answer(docs, log=str(log))
    assert len(asked_items(log)) == 4
    (tmp_path / "moved" / "v2.mp4").write_bytes(b"another video")
    docs[0]["question"] = "Another question?"
    answer(docs, log=str(log))
    assert asked_items(log)[4:] == ["toys:0", "toys:2"]


def test_repeats_are_answers_of_their_own(runner, tmp_path):
    docs, log = documents(tmp_path / "videos", videos=2, each=1), tmp_path / "log"

    def texts():
        made = runner(docs, answer="{item} {n} {pid}", log=str(log), fault="settings")
        return [result.text for result in made.generate_until(requests_of(docs, repeats=2))]

    first = texts()
    assert len(set(first)) == 4
    assert texts() == first
    assert Counter(asked_items(log)) == {"toys:0": 2, "toys:1": 2}


def test_copies_that_fill_up_a_rank_are_not_asked(runner, tmp_path):
    from lmms_eval.evaluator import _clone_padding_request

    docs = documents(tmp_path / "videos", videos=2, each=1)
    requests = requests_of(docs)
    padding = [_clone_padding_request(requests[-1])] * 2
    made = runner(docs, answer="{item}")
    assert [r.text for r in made.generate_until([*requests, *padding])] == [
        *("toys:0", "toys:1"),
        *("toys:1", "toys:1"),
    ]
    assert made.questions == 2
    # A rank without a document gets one copy; nobody scores it.
    assert [r.text for r in made.generate_until(padding)] == ["", ""]
    assert made.questions == 2


def test_the_seventh_request_raises_and_the_next_start_asks_only_it(answer, tmp_path, warnings):
    docs = verdicts(tmp_path / "videos")
    log = tmp_path / "log"
    given = {"log": str(log), "answer": "ACCEPT"}
    texts = answer(docs, fault="raises", at=7, **given)
    reason = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB"
    (failed,) = [k for k, text in enumerate(texts) if text != "ACCEPT"]
    assert texts[failed] == f"[LMMS_EVAL_REQUEST_FAILED: {reason}]"
    contents = read_journal(tmp_path / "journal")
    assert (len(contents.answers), [f.failure for f in contents.failures.values()]) == (
        11,
        [reason],
    )
    assert "1 request failed; the next start" in "".join(warnings)
    # The fault is an argument of the toy; the same arguments are the same run.
    again = answer(docs, fault="raises", at=7, **given)
    assert again == ["ACCEPT"] * 12
    assert Counter(asked_items(log)) == Counter([*items(docs), items(docs)[failed]])
    assert read_journal(tmp_path / "journal").failures == {}


@pytest.mark.parametrize("at_once", [2, 12])
def test_one_bad_request_of_several_costs_no_other(at_once, runner, tmp_path):
    docs = documents(tmp_path / "videos")
    made = runner(docs, answer="{item}", fault="raises", at=5, at_once=at_once)
    texts = [result.text for result in made.generate_until(requests_of(docs))]
    assert texts == items(docs)  # it was asked once more, alone
    assert len(made.calls[0]) == at_once


@pytest.mark.parametrize("inner", ["toy", "toy_video"])
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("none", "the model returned a NoneType in place of a text"),
        ("number", "the model returned a int in place of a text"),
        ("says-failed", "server error (500)"),
        ("raises", "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB"),
        ("unsayable", "Unsayable"),
    ],
)
def test_what_is_no_answer_is_a_failure_with_its_reason(fault, reason, inner, answer, tmp_path):
    docs = verdicts(tmp_path / "videos", videos=2)
    texts = answer(docs, inner=inner, fault=fault)
    assert texts == [f"[LMMS_EVAL_REQUEST_FAILED: {reason}]"] * 6


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("few", "the model returned 0 answers to 1 request"),
        ("many", "the model returned 2 answers to 1 request"),
        ("no-list", "the model returned a str in place of a list"),
    ],
)
@pytest.mark.parametrize("at_once", [1, 4])
def test_answers_that_cannot_be_assigned_are_none(fault, reason, at_once, answer, tmp_path):
    docs = documents(tmp_path / "videos", videos=2)
    texts = answer(docs, fault=fault, at_once=at_once)
    assert texts == [f"[LMMS_EVAL_REQUEST_FAILED: {reason}]"] * 6


@pytest.mark.parametrize("fault", ["list", "settings"])
def test_a_model_may_change_what_it_is_given(fault, answer, runner, tmp_path):
    docs = documents(tmp_path / "videos")
    assert answer(docs, answer="{item}", fault=fault, at_once=3) == items(docs)
    made = runner(docs, answer="{item}", fault=fault, at_once=3)
    requests = requests_of(docs)
    made.generate_until(requests)
    assert made.questions == 0  # all in the journal: their keys are those of the first run
    assert all(request.args[2]["until"] == ["\n"] for request in requests)
    assert all(request.resps == [] for request in requests)


def test_half_of_a_character_costs_no_other_sample(answer, tmp_path):
    """The host writes samples as UTF-8, which has no place for it."""
    docs = documents(tmp_path / "videos", videos=2, each=1)
    for _ in range(2):  # asked, and from the journal
        texts = answer(docs, answer="{item} \N{GRINNING FACE}", fault="half")
        assert texts == [f"{item} \N{GRINNING FACE} \ufffd" for item in items(docs)]


def test_a_model_may_set_up_the_log_anew(answer, tmp_path):
    docs = documents(tmp_path / "videos")
    assert answer(docs, answer="{item}", fault="logs-anew", at=2) == items(docs)


def test_what_a_model_prints_stays_on_stdout(answer, tmp_path, capsys):
    docs = documents(tmp_path / "videos")
    assert answer(docs, answer="{item}", fault="prints") == items(docs)
    shown = capsys.readouterr()
    assert shown.out == "a line of the inner model\n" * 12
    assert "a bar of the inner model" not in shown.err


def test_the_bars_of_a_model_are_seen_again_afterwards(answer, tmp_path, capsys):
    from tqdm import tqdm

    answer(documents(tmp_path / "videos"))
    capsys.readouterr()
    list(tqdm([1], desc="another bar"))
    assert "another bar" in capsys.readouterr().err


def test_an_empty_answer_is_an_answer(answer, tmp_path):
    docs = documents(tmp_path / "videos", each=1)
    assert answer(docs, fault="swallows", at=2) == ["ACCEPT", "", "ACCEPT", "ACCEPT"]
    assert len(read_journal(tmp_path / "journal").answers) == 4


@pytest.mark.parametrize(
    ("inner", "answers", "fault", "why", "hint"),
    [
        ("toy", "", "", "the first 8 answers are all empty", "run one item with --limit 1"),
        ("toy", "?", "", "all the same and give no label: ?", "run one item with --limit 1"),
        ("toy", "", "swallows", "the processor is broken", "run one item"),
        ("toy_video", "", "", "the first 8 answers are all empty", "run one item"),
        ("toy_video", "", "catches", "the first 8 answers are all empty", "run one item"),
    ],
)
def test_useless_answers_end_the_run_and_are_taken_back(
    inner, answers, fault, why, hint, answer, tmp_path
):
    docs, log = verdicts(tmp_path / "videos", videos=6), tmp_path / "log"
    with pytest.raises(InputProblems) as stopped:
        answer(docs, inner=inner, answer=answers, fault=fault, log=str(log))
    assert why in str(stopped.value)
    assert hint in str(stopped.value)
    assert len(asked_items(log)) in (8, 9)  # a whole video for a model that takes videos
    contents = read_journal(tmp_path / "journal")
    assert len(contents.answers) == len(asked_items(log)) - 8
    assert contents.failures == {}
    assert "withdrawn" in (tmp_path / "journal" / "answers.rank0.jsonl").read_text()


def test_the_guard_can_be_told_to_stay_away(answer, tmp_path):
    docs = verdicts(tmp_path / "videos", videos=9, each=1)
    assert answer(docs, answer="", guard=False) == [""] * 9
    assert len(answer(docs, fault="raises", guard="false")) == 9


def test_a_model_that_says_the_same_of_other_tasks_goes_on(answer, tmp_path):
    docs = documents(tmp_path / "videos")
    assert answer(docs, answer="C") == ["C"] * 12


def test_a_model_that_always_accepts_goes_on(answer, tmp_path):
    assert answer(verdicts(tmp_path / "videos"), answer="ACCEPT") == ["ACCEPT"] * 12


def test_a_broken_gpu_ends_the_run(answer, tmp_path):
    docs, log = documents(tmp_path / "videos", videos=20, each=2), tmp_path / "log"
    with pytest.raises(
        InputProblems, match="requests of 8 videos in a row failed, the last with: "
    ):
        answer(docs, fault="raises", log=str(log))
    assert len(asked_items(log)) == 15  # the first question of the eighth video
    assert len(read_journal(tmp_path / "journal").failures) == 15


def test_videos_that_stay_broken_do_not_end_every_start(answer, tmp_path):
    """Ten of twenty videos are cut off: the first start learns of eight, the second one ends."""
    docs, log = verdicts(tmp_path / "videos", videos=20, each=1), tmp_path / "log"
    whole = CLIP.read_bytes()
    for video in range(20):
        content = whole[: len(whole) // 3] if 4 <= video < 14 else whole
        (tmp_path / "videos" / f"v{video}.mp4").write_bytes(content + bytes(video))
    given = {"answer": "Verdict: ACCEPT. Frames:", "fault": "decodes", "log": str(log)}
    with pytest.raises(InputProblems, match="requests of 8 videos in a row failed") as stopped:
        answer(docs, **given)
    assert "some runners catch their errors" not in str(stopped.value)
    assert "does not count a second time" in str(stopped.value)
    assert len(asked_items(log)) == 12
    texts = answer(docs, **given)
    failed = [k for k, text in enumerate(texts) if text.startswith("[LMMS_EVAL_REQUEST_FAILED: ")]
    assert failed == list(range(4, 14))
    assert len(asked_items(log)) == 12 + 16
    assert answer(docs, **given) == texts


def test_a_gpu_that_breaks_among_known_failures_still_ends_the_run(answer, tmp_path):
    docs = documents(tmp_path / "videos", videos=20, each=1)
    for known in (8, 16):
        with pytest.raises(InputProblems, match="requests of 8 videos in a row failed"):
            answer(docs, fault="raises")
        assert len(read_journal(tmp_path / "journal").failures) == known
    assert len(answer(docs, fault="raises")) == 20


def test_a_truncated_video_in_the_middle_costs_its_questions_only(answer, tmp_path):
    docs = verdicts(tmp_path / "videos")
    whole = CLIP.read_bytes()
    for video in range(4):
        # Each is another file: the same video under two names is one video to the journal.
        (tmp_path / "videos" / f"v{video}.mp4").write_bytes(whole + bytes(video))
    (tmp_path / "videos" / "v1.mp4").write_bytes(whole[: len(whole) // 3])
    texts = answer(docs, answer="Verdict: ACCEPT. Frames:", fault="decodes")
    failed = [k for k, text in enumerate(texts) if text.startswith("[LMMS_EVAL_REQUEST_FAILED: ")]
    assert failed == [1, 5, 9]
    assert {text for k, text in enumerate(texts) if k not in failed} == {
        "Verdict: ACCEPT. Frames: 2"
    }
    assert "v1.mp4" in texts[1]
    (tmp_path / "videos" / "v1.mp4").write_bytes(whole)
    again = answer(docs, answer="Verdict: ACCEPT. Frames:", fault="decodes")
    assert again == ["Verdict: ACCEPT. Frames: 2"] * 12


def test_a_document_that_ends_the_process_is_a_failed_item(answer, tmp_path):
    docs = documents(tmp_path / "videos")
    docs[3]["exits"] = True
    texts = answer(docs, answer="{item}")
    reason = "SystemExit: video path does not exist, please check"
    assert texts[3] == f"[LMMS_EVAL_REQUEST_FAILED: {reason}]"
    assert [*texts[:3], *texts[4:]] == [*items(docs)[:3], *items(docs)[4:]]


@pytest.mark.parametrize("inner", ["toy", "toy_video"])
def test_what_ends_the_process_inside_of_a_model_costs_an_item_at_most(inner, answer, tmp_path):
    """The host's runners make a document's media themselves, and its function may exit."""
    docs = verdicts(tmp_path / "videos")
    texts = Counter(answer(docs, inner=inner, answer="ACCEPT", fault="exits", at=2))
    failed = "[LMMS_EVAL_REQUEST_FAILED: SystemExit: no GPU is left]"
    # What a model of videos did not answer is asked once more, each alone.
    assert texts == ({"ACCEPT": 11, failed: 1} if inner == "toy" else {"ACCEPT": 12})


@pytest.mark.parametrize("inner", ["toy", "toy_video"])
def test_no_room_for_a_copy_ends_the_run_and_costs_no_answer(inner, answer, tmp_path):
    docs = verdicts(tmp_path / "videos")
    given = {"inner": inner, "fault": "no-room", "at": 5}
    with pytest.raises(InputProblems, match=r"(?s)No space left on device.*make room in"):
        answer(docs, **given)
    assert len(read_journal(tmp_path / "journal").answers) == 4
    given["at"] = 99  # an argument of the toy, and so another model
    assert answer(docs, **given) == ["ACCEPT"] * 12


def test_a_missing_video_is_left_to_the_model(answer, tmp_path):
    docs = documents(tmp_path / "videos")
    (tmp_path / "videos" / "v1.mp4").unlink()
    assert answer(docs, answer="{item}") == items(docs)


def test_ctrl_c_loses_nothing(answer, tmp_path):
    docs, log = documents(tmp_path / "videos", videos=5, each=2), tmp_path / "log"
    with pytest.raises(KeyboardInterrupt):
        answer(docs, log=str(log), fault="interrupted", at=6)
    assert len(read_journal(tmp_path / "journal").answers) == 5
    answer(docs, log=str(log), fault="interrupted", at=6)
    asked = Counter(asked_items(log))
    assert (set(asked), sorted(asked.values())) == (set(items(docs)), [1] * 9 + [2])


@pytest.mark.parametrize(
    ("fault", "tokens"), [("tokens", (11, 7)), ("pair", (None, 3)), ("", None)], ids=str
)
def test_token_counts_are_kept(fault, tokens, runner, tmp_path):
    docs = documents(tmp_path / "videos", each=1)
    for start in ("first", "from the journal"):
        results = runner(docs, fault=fault).generate_until(requests_of(docs))
        counts = [
            r.token_counts and (r.token_counts.input_tokens, r.token_counts.output_tokens)
            for r in results
        ]
        assert counts == [tokens] * 4, start


def test_a_medium_that_cannot_be_read_fails_its_request_alone(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", False)  # a model may have set it
    picture = tmp_path / "cut.png"
    Image.effect_noise((64, 64), 90).save(picture)
    picture.write_bytes(picture.read_bytes()[:2000])
    docs = documents(tmp_path / "videos", videos=3, each=1)
    docs[0]["video"] = Image.open(picture)  # the host opens pictures and reads them later
    docs[1]["video"] = torch.eye(2).to_sparse()
    made = runner(docs, answer="{item}")
    said = [result.text for result in made.generate_until(requests_of(docs))]
    assert ["REQUEST_FAILED" in text for text in said] == [True, True, False]
    assert "truncated" in said[0]
    assert made.calls == [["toys:2"]]


@pytest.mark.parametrize("fault", ["", "twice"])
def test_a_model_of_videos_gets_all_questions_of_one(fault, runner, tmp_path):
    docs = documents(tmp_path / "videos", videos=2, each=3)
    made = runner(docs, inner="toy_video", answer="{item}", fault=fault)
    assert [result.text for result in made.generate_until(requests_of(docs))] == items(docs)
    assert made.calls == [["toys:0", "toys:2", "toys:4"], ["toys:1", "toys:3", "toys:5"]]


@pytest.mark.parametrize("fault", ["raises", "silent", "none"])
def test_a_model_of_videos_that_fails_half_way(fault, runner, tmp_path):
    docs = documents(tmp_path / "videos", videos=2, each=3)
    made = runner(docs, inner="toy_video", answer="{item}", fault=fault, at=2)
    assert [result.text for result in made.generate_until(requests_of(docs))] == items(docs)
    # What it had answered is not asked again; the rest is, each alone.
    assert made.calls[0] == ["toys:0", "toys:2", "toys:4"]
    assert all(len(call) == 1 for call in made.calls[1:-1])
    assert "toys:4" not in [item for call in made.calls[1:] for item in call]


def test_batches_end_with_the_video_unless_at_once_is_given(runner, tmp_path):
    docs = documents(tmp_path / "videos", videos=2, each=3)
    made = runner(docs, batch_size=2)
    made.generate_until(requests_of(docs))
    assert [len(call) for call in made.calls] == [2, 1, 2, 1]
    made = runner(docs, batch_size=2, at_once=4, answer="other")
    made.generate_until(requests_of(docs))
    assert [len(call) for call in made.calls] == [4, 2]


def test_two_runs_cannot_share_a_journal_at_once(runner, tmp_path):
    docs = documents(tmp_path / "videos", each=1)
    first = runner(docs)
    with pytest.raises(InputProblems, match="another run writes to this journal"):
        runner(docs)
    first.generate_until(requests_of(docs))
    assert runner(docs).generate_until(requests_of(docs))


def test_a_journal_of_another_model_is_kept_and_not_used(answer, tmp_path, warnings):
    docs = documents(tmp_path / "videos", each=1)
    assert answer(docs, answer="A") == ["A"] * 4
    assert answer(docs, answer="B", inner="toy_video") == ["B"] * 4
    said = "\n".join(warnings)
    assert "not used are answers of other settings: arguments.answer: A / B, inner: toy" in said
    assert answer(docs, answer="A") == ["A"] * 4
    assert len(read_journal(tmp_path / "journal").answers) == 8


def test_answers_only_loads_no_model(answer, runner, tmp_path):
    docs = documents(tmp_path / "videos", each=1)
    with pytest.raises(InputProblems, match=r"no answer to 4 of 4 requests: toys:0, toys:1"):
        answer(docs, answers_only=True, answer="{item}")
    answer(docs[:3], answer="{item}")
    with pytest.raises(InputProblems, match=r"no answer to 1 of 4 requests: toys:3"):
        answer(docs, answers_only=True, answer="{item}")
    with pytest.raises(InputProblems, match=r"of other settings: arguments.answer: \{item\} / x"):
        answer(docs, answers_only=True, answer="x")
    answer(docs, answer="{item}")
    assert answer(docs, answers_only=True, answer="{item}") == items(docs)
    made = runner(docs, answers_only=True, inner="qwen3_vl", pretrained="no/such-model")
    assert not made.is_simple
    assert made.device.type == "cpu"


def test_answers_only_gives_failures_as_they_are(answer, tmp_path):
    docs = documents(tmp_path / "videos", each=1)
    texts = answer(docs, fault="raises", at=2)
    assert answer(docs, fault="raises", at=2, answers_only=True) == texts


def test_to_the_host_it_is_the_inner_model(runner, tmp_path):
    made = runner(documents(tmp_path / "videos"), batch_size=2)
    made._rank, made._world_size = 3, 4
    assert (made.inner_model.rank, made.rank, made.world_size) == (3, 3, 4)
    hook = object()
    made.set_cache_hook(hook)
    assert made.inner_model.cache_hook is made.cache_hook is hook
    assert made.task_dict is made.inner_model.task_dict
    assert made.batch_size == 2
    assert not hasattr(made, "accelerator")
    made.clean()


@pytest.mark.parametrize("at_once", [1, 5])
def test_a_used_up_budget_ends_the_run_and_costs_no_answer(at_once, answer, tmp_path):
    from lmms_eval.models.model_utils.usage_metrics import reset_usage_metrics, set_budget

    docs = documents(tmp_path / "videos")
    given = {"answer": "{item}", "fault": "spends", "at_once": at_once}
    reset_usage_metrics()
    try:
        set_budget(max_tokens=250)
        with pytest.raises(InputProblems, match="the tokens of --max_tokens are used up"):
            answer(docs, **given)
    finally:
        reset_usage_metrics()
    contents = read_journal(tmp_path / "journal")
    assert (len(contents.answers), len(contents.failures)) == (3, 2 if at_once == 5 else 0)
    assert answer(docs, **given) == items(docs)


def test_a_full_disk_ends_the_run_and_the_next_one_goes_on(small_disk, runner, tmp_path):
    docs, log = documents(tmp_path / "videos", videos=30, each=2), tmp_path / "log"
    given = {"log": str(log), "answer": "{item}" + "x" * 2000}
    with pytest.raises(InputProblems, match="No space left on device"):
        runner(docs, journal=str(small_disk), **given).generate_until(requests_of(docs))
    kept = len(read_journal(small_disk).answers)
    assert 10 < kept < 60
    shutil.copytree(small_disk, tmp_path / "larger")
    made = runner(docs, journal=str(tmp_path / "larger"), **given)
    results = made.generate_until(requests_of(docs))
    assert [result.text for result in results] == [item + "x" * 2000 for item in items(docs)]
    asked = Counter(asked_items(log))
    assert asked.total() == 61  # the answer that did not fit is asked again, and no other


def test_other_requests_are_passed_on(runner, tmp_path, warnings):
    made = runner(documents(tmp_path / "videos"))
    assert made.loglikelihood([1, 2]) == [(-1.0, True)] * 2
    assert made.generate_until_multi_round([1]) == ["round"]
    assert "1 generate_until_multi_round requests go to toy as they are" in warnings[-1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"inner": ""}, ["which model is to answer?"]),
        ({"inner": "vidomni_runner"}, ["cannot wrap itself"]),
        ({"inner": "no_such_model"}, ["the host knows no model 'no_such_model'"]),
        ({"journal": "", "at_once": 0, "cache_gb": -1, "labels_only": "maybe"},
         ["where is the journal?", "at_once=0", "cache_gb=-1", "labels_only=maybe"]),
        ({"cache_gb": float("nan")}, ["cache_gb=nan is no size"]),
        ({"cache_gb": float("inf")}, ["cache_gb=inf is no size"]),
        ({"cache_gb": True}, ["cache_gb=True is no size"]),
        ({"labels_only": True}, ["cannot stop behind the labels"]),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be_used(arguments, words, runner):
    with pytest.raises(InputProblems) as refused:
        runner([], **arguments)
    assert all(word in str(refused.value) for word in words)
    if "no_such" not in str(arguments):
        runner([])  # the journal was given back


@pytest.mark.parametrize(
    "told", [{"ACCELERATE_USE_FSDP": "true"}, {"ACCELERATE_DEEPSPEED_ZERO_STAGE": "3"}]
)
def test_processes_that_share_a_model_are_refused(told, runner, monkeypatch):
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputProblems, match="must ask in step"):
        runner([])
