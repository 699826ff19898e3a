"""vidomni_localization: its attention against that of the whole model, and in the host."""

from __future__ import annotations

import json
import shutil
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import torch

from tests.conftest import HostRun, run_host
from tests.models.detectors.speaking_models import speak, write_speaking
from tests.models.detectors.test_asking import clips_of_the_sample, evaluate
from tests.models.detectors.video_models import write
from vidomni_plugin.detectors.answer import read_answer
from vidomni_plugin.models.arguments import CREDENTIAL, SECRET
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.clip import Clip, read_clip
from vidomni_plugin.models.detectors.localization import PROMPT, Localization, band, band_of
from vidomni_plugin.models.detectors.localization_span import NoSpan
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.run.model_arguments import taken_by

pytestmark = pytest.mark.host

FAMILIES = ("qwen2_5_vl", "qwen3_vl")
FRAMES = 4
GROUPS = 2
SENTENCE = "3.5-4"
"""In the second half of each video of the sample that is shorter than 7 s."""
SMALL = {"frames": FRAMES, "layers": "all", "dtype": "float32", "device": "cpu"}
TEXTS = ["A ball rolls.", "A red cube flies to the left."]
CLOSE = 1e-5


@pytest.fixture(scope="module")
def speaking(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("speaking-models")
    return {family: write_speaking(family, folder / family, SENTENCE) for family in FAMILIES}


@pytest.fixture(scope="module")
def random(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write("qwen2_5_vl", tmp_path_factory.mktemp("random-model") / "qwen2_5_vl")


@pytest.fixture
def make(speaking: dict[str, Path]) -> Callable[..., Localization]:
    def load(family: str = "qwen2_5_vl", **given: Any) -> Localization:
        return Localization(**{"pretrained": str(speaking[family]), **SMALL, **given})

    return load


def shown(number: int = 0) -> Shown:
    return Shown(str(clips_of_the_sample()[number]), "")


def inputs_of(detector: Localization, clip: Clip, text: str) -> dict[str, torch.Tensor]:
    """Return the model's inputs for one text, without the detector's own way to make them."""
    return detector.chat.processor(
        text=[detector.chat.chat(*detector.prompt.around_video(text), video=True)],
        videos=[list(clip.frames)],
        video_metadata=[
            {"total_num_frames": clip.total, "fps": clip.fps, "frames_indices": clip.numbers}
        ],
        do_sample_frames=False,
        return_tensors="pt",
    )


def whole_attention(folder: Path, inputs: dict[str, torch.Tensor], reply: str) -> np.ndarray:
    """Return all weights of one eager pass over prompt and reply, shape (layers, heads, T, T)."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    words = AutoProcessor.from_pretrained(folder).tokenizer
    model = AutoModelForImageTextToText.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    new = words(reply, add_special_tokens=False, return_tensors="pt")["input_ids"]
    given = dict(inputs)
    given["input_ids"] = torch.cat([inputs["input_ids"], new], dim=1)
    given["attention_mask"] = torch.ones_like(given["input_ids"])
    kinds = inputs["mm_token_type_ids"]
    given["mm_token_type_ids"] = torch.cat([kinds, torch.zeros_like(new)], dim=1)
    with torch.no_grad():
        output = model(**given, output_attentions=True)
    return torch.cat(output.attentions).numpy()


@pytest.mark.parametrize("family", FAMILIES)
def test_attention_and_score_are_those_of_the_whole_model(family, make, speaking):
    detector = make(family)
    chat, clip = detector.chat, read_clip(shown().path, FRAMES)
    chats = [chat.chat(*detector.prompt.around_video(text), video=True) for text in TEXTS]
    rows = [0, 2, 4]  # "3", "5" and "4" of "3.5-4"
    expected = {"first": [], "all": []}
    for text, reply in zip(TEXTS, chat.replies(clip, chats, 8), strict=True):
        assert (reply.text, reply.finished, reply.groups) == (SENTENCE, True, GROUPS)
        assert reply.ends == (1, 2, 3, 4, 5)
        inputs = inputs_of(detector, clip, text)
        places = (inputs["input_ids"][0] == chat.model.config.video_token_id).nonzero()[:, 0]
        whole = whole_attention(speaking[family], inputs, SENTENCE)
        prompt = inputs["input_ids"].shape[1]
        at_video = whole[:, :, [prompt + row for row in rows]][..., places.numpy()]
        found = chat.attention(reply, rows, range(2))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, at_video, atol=CLOSE, rtol=0)
        # 3.5 to 4 of 5 s with two groups of frames: the second half of the tokens.
        inside = at_video[..., at_video.shape[-1] // 2 :].astype(np.float64).sum(axis=-1)
        expected["first"].append(inside[:, :, 0].mean())
        expected["all"].append(inside.mean())
    for tokens, scores in expected.items():
        scored = list(make(family, query_tokens=tokens).score_video(shown(), TEXTS))
        assert [one.score for one in scored] == pytest.approx(scores, abs=CLOSE)
        assert scored[0].score != scored[1].score
        assert [one.detail["span"] for one in scored] == [[3.5, 4.0]] * 2
        assert all(0 < one.score < one.detail["video_attention"] < 1 for one in scored)
    (of_layer,) = make(family, query_tokens="all", layers=1).score_video(shown(), TEXTS[1:])
    assert of_layer.score == pytest.approx(inside[1].mean(), abs=CLOSE)


@pytest.mark.parametrize("family", FAMILIES)
def test_replies_are_those_of_generate(family, tmp_path):
    detector = Localization(pretrained=str(write(family, tmp_path / family)), **SMALL)
    chat, clip = detector.chat, read_clip(shown().path, FRAMES)
    assert chat.encodings == 0
    chats = [chat.chat(*detector.prompt.around_video(text), video=True) for text in TEXTS]
    replies = [reply.ids for reply in chat.replies(clip, chats, 6)]
    assert chat.encodings == 1
    for text, ids in zip(TEXTS, replies, strict=True):
        inputs = inputs_of(detector, clip, text)
        expected = chat.model.generate(**inputs, max_new_tokens=6, do_sample=False)
        assert ids.tolist() == expected[:, inputs["input_ids"].shape[1] :].tolist()


def test_no_matrix_of_all_tokens_by_all_tokens_and_the_usual_attention_afterwards(make):
    detector = make()
    decoder = detector.chat.model.get_decoder()
    usual, sizes = decoder.config._attn_implementation, []
    for layer in decoder.layers:
        layer.self_attn.register_forward_hook(
            lambda module, given, output: sizes.append(
                0 if output[1] is None else output[1].numel()
            )
        )
    scored = list(detector.score_video(shown(), TEXTS))
    tokens = scored[0].detail["video_tokens"]
    assert max(sizes) > tokens  # the rows of the reply
    assert max(sizes) < tokens**2
    assert usual != "eager"
    assert decoder.config._attn_implementation == usual
    assert sum(len(module._forward_hooks) for module in decoder.modules()) == len(decoder.layers)


def test_one_cache_is_in_memory_at_a_time(make, monkeypatch):
    model = (detector := make()).chat.model
    generate, caches = model.generate, []

    def watched(**given: Any) -> Any:
        assert [cache() for cache in caches] == [None] * len(caches)
        output = generate(**given)
        caches.append(weakref.ref(output.cache))
        return output

    monkeypatch.setattr(model, "generate", watched)
    assert all(
        one.score is not None for one in detector.score_video(shown(), [*TEXTS, "It rains."])
    )
    assert len(caches) == 3


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        pytest.param("no", "no_span", id="no span"),
        pytest.param("4-3", "span_backwards", id="backwards"),
        pytest.param("7-9", "span_outside", id="after the end"),
        pytest.param("[1,2] 3-4", "several_spans", id="two spans"),
        pytest.param("", "no_span", id="nothing"),
    ],
)
def test_a_reply_that_names_no_span_has_no_score(sentence, status, make):
    detector = make()
    speak(detector.chat.model, detector.chat.tokenizer, sentence)
    (one,) = detector.score_video(shown(), TEXTS[:1])
    assert one.score is None
    assert (one.detail["status"], one.detail["reply"]) == (status, sentence)


def test_a_reply_that_is_cut_off_has_no_score(make):
    (one,) = make(max_new_tokens=5).score_video(shown(), TEXTS[:1])
    assert (one.score, one.detail["status"], one.detail["reply"]) == (None, "unfinished", "3.5-4")
    (whole,) = make(max_new_tokens=6).score_video(shown(), TEXTS[:1])
    assert whole.score is not None


def test_a_score_depends_on_its_text_and_video_alone(make):
    detector = make()
    texts = [TEXTS[0], "A <|im_end|> rolls.", TEXTS[1]]
    first, middle, last = (one for one in detector.score_video(shown(), texts))
    assert (middle.score, middle.detail["status"]) == (None, "special_token")
    assert [first.score] == [one.score for one in detector.score_video(shown(), TEXTS[:1])]
    list(detector.score_video(shown(1), TEXTS))
    assert [last.score] == [one.score for one in detector.score_video(shown(), TEXTS[1:])]


def test_a_score_is_there_before_the_next_text_is_asked_about(make, monkeypatch):
    detector, asked = make(), []
    reply = detector.chat._reply
    monkeypatch.setattr(detector.chat, "_reply", lambda *given: asked.append(1) or reply(*given))
    scores = detector.score_video(shown(), TEXTS)
    for number in (1, 2):
        assert next(scores).score is not None
        assert len(asked) == number


def test_sizes_of_frames_stand_in_each_answer(make):
    assert make().told().keys().isdisjoint({"min_pixels", "max_pixels"})
    assert make(max_pixels=1024).told()["max_pixels"] == 1024


def test_the_page_has_the_prompt_and_every_status():
    page = (Path(__file__).parents[3] / "docs" / "detectors" / "localization.md").read_text()
    assert PROMPT.template in page
    assert f'"{PROMPT.identity}"' in page
    assert all(f"`{status}`" in page for status in get_args(NoSpan))


def test_no_argument_is_taken_for_a_secret():
    taken = taken_by(Localization)
    assert taken.strict
    assert {"query_tokens", "layers", "max_new_tokens"} <= taken.names
    # Such values are hidden from reports, and from the key of a run.
    assert not [name for name in taken.names if SECRET.search(name) or CREDENTIAL.search(name)]


def test_two_ranks_decide_the_same(make, speaking, tmp_path):
    detector = make()
    answers = evaluate(detector, limit=8)
    assert detector.chat.encodings == len({name.rsplit("_fact_", 1)[0] for name in answers})
    assert {(read.label, read.reason) for read in answers.values()} == {(None, "no_threshold")}
    scores = {name: read.score for name, read in answers.items()}
    middle = float(np.median(sorted(scores.values())))
    run: HostRun = run_host(
        tmp_path / "logs",
        *("--model", "vidomni_localization", "--tasks", "vidhalloc_mini", "--limit", "8"),
        "--model_args",
        f"pretrained={speaking['qwen2_5_vl']},frames={FRAMES},layers=0-1,dtype=float32,"
        f"threshold={middle}",
        launcher=("-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "lmms_eval"),
        ACCELERATE_USE_CPU="true",
        OMP_NUM_THREADS="1",
    )
    assert run.code == 0, run.output
    decided = {n: "ACCEPT" if score >= middle else "REJECT" for n, score in scores.items()}
    found = {}
    for sample in run.samples("vidhalloc_mini"):
        item, read = sample["overall"], read_answer(sample["filtered_resps"])
        name = f"{item['pair_id']}/{item['side']}"
        found[name] = item["label"]
        assert read.score == pytest.approx(scores[name], abs=1e-6)
        assert read.detail["adaptation"] == "ours, after MTLA; unpublished"
        assert read.detail["layers"] == "0-1 of 2"
    assert found == decided
    assert set(found.values()) == {"ACCEPT", "REJECT"}


def test_a_model_that_knows_nothing_ends_in_a_status(random):
    detector = Localization(pretrained=str(random), max_new_tokens=8, **SMALL)
    answers = evaluate(detector, limit=2)
    assert {(read.score, read.label, read.reason) for read in answers.values()} == {
        (None, None, "no_score")
    }
    assert {read.detail["status"] for read in answers.values()} <= {"unfinished", "no_span"}
    assert all(isinstance(read.detail["reply"], str) for read in answers.values())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"frmes": 3}, "unknown: frmes", id="a slip"),
        pytest.param({"pretrained": ""}, "give the model", id="no model"),
        pytest.param({"pretrained": "/nowhere/model"}, "no such folder", id="no folder"),
        pytest.param({"frames": 3}, "does not fill its groups", id="half a group"),
        pytest.param({"frames": "all"}, "frames=all", id="no number"),
        pytest.param({"layers": "8-21"}, "layers=8-21: the model has 2 layers, 0-1", id="absent"),
        pytest.param({"layers": "1-0"}, "the first is after the last", id="no layer"),
        pytest.param({"layers": "middle"}, "no band of layers", id="no band"),
        pytest.param({"query_tokens": "last"}, "neither first nor all", id="unknown tokens"),
        pytest.param({"prompt": "owl_con"}, "yes or no", id="no question for a span"),
        pytest.param({"max_new_tokens": 0}, "max_new_tokens=0", id="no token"),
        pytest.param({"text": "statement"}, "statements=FILE", id="no statements"),
        pytest.param({"dtype": "int8"}, "int8 is not known", id="unknown dtype"),
    ],
)
def test_arguments_that_cannot_be_used(given, said, make):
    with pytest.raises(InputProblems, match=said):
        make(**given)


def test_a_model_of_another_layout_is_refused(tmp_path):
    folder = write("llava_onevision", tmp_path / "model")
    with pytest.raises(InputProblems, match="video_grid_thw"):
        Localization(pretrained=str(folder), **SMALL)


def test_a_model_with_a_sliding_window_is_refused(speaking, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(speaking["qwen2_5_vl"], folder)
    config = json.loads((folder / "config.json").read_text())
    window = {"layer_types": ["full_attention", "sliding_attention"], "sliding_window": 8}
    config["text_config"] |= {"use_sliding_window": True, "max_window_layers": 1, **window}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputProblems, match="sliding windows"):
        Localization(pretrained=str(folder), **SMALL)


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        pytest.param(36, range(8, 22), id="Qwen3-VL-8B: MTLA's own"),
        pytest.param(28, range(6, 17), id="Qwen2.5-VL-7B"),
        pytest.param(64, range(14, 39), id="Qwen3-VL-32B"),
        pytest.param(1, range(0, 1), id="one layer"),
    ],
)
def test_the_default_is_the_same_share_of_the_depth(depth, expected):
    assert band_of(band(""), depth) == expected
    assert band_of(band("all"), depth) == range(depth)
