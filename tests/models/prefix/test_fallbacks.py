"""What cannot share work goes to the host's own runner, or shares less, and is said once."""

from __future__ import annotations

import pytest
import torch
from PIL import Image

from tests.conftest import CLIP
from tests.models.prefix.conftest import NEW_TOKENS, SMALL, asking, choices
from tests.models.prefix.test_equal import answers
from vidomni_plugin.models.prefix.cache import bytes_a_token
from vidomni_plugin.models.prefix.qwen3_vl import SharedQwen3VL

VIDEO, QUESTION = choices(CLIP, 1)
IMAGE = Image.new("RGB", (56, 56), "teal")
FIVE = [choices(CLIP, 9**number) for number in range(5)]


@pytest.mark.parametrize(
    ("turn", "generation", "reason"),
    [
        pytest.param((IMAGE, QUESTION), {}, "images", id="image"),
        pytest.param((VIDEO, IMAGE, QUESTION), {}, "images", id="video and image"),
        pytest.param((QUESTION,), {}, "no video", id="text alone"),
        pytest.param((VIDEO, VIDEO, QUESTION), {}, "several videos in a request", id="two videos"),
        pytest.param((VIDEO, QUESTION), {"num_beams": 2}, "beams", id="beams"),
        pytest.param((VIDEO, QUESTION), {"temperature": 0.7}, "sampling", id="sampling"),
    ],
)
@pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen3_vl"])
def test_requests_for_the_host(family, turn, generation, reason, make, notices):
    asked = asking(turn, turn, **generation)
    torch.manual_seed(0)
    theirs = answers(make(family, asked).generate_until(asked.requests))
    ours = make(family, asked, prefix="kv")
    torch.manual_seed(0)
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert (ours.work.by_host, ours.work.requests) == (2, 0)
    told = [line for line in notices if "own runner" in line]
    assert told == [f"vidomni_{family}: answered by the host's own runner: {reason}"]


def test_frames_in_place_of_a_file_are_for_the_host(make, notices):
    asked = asking((VIDEO, QUESTION))
    frames = [IMAGE] * 4
    turn = [
        {
            "role": "user",
            "content": [{"type": "video", "url": frames}, {"type": "text", "text": QUESTION}],
        }
    ]
    asked.requests[0].arguments = ("", lambda _: turn, *asked.requests[0].args[2:])
    theirs = answers(make("qwen3_vl", asked).generate_until(asked.requests))
    ours = make("qwen3_vl", asked, prefix="enc")
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert ours.work.by_host == 1
    told = "vidomni_qwen3_vl: answered by the host's own runner: a video that is not a file"
    assert told in notices


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"prefix": "off"}, "prefix=off"),
        ({"prefix": False}, "prefix=off"),
        ({"prefix": "kv", "use_cache": False}, "use_cache=False"),
    ],
)
def test_a_model_for_the_host(arguments, reason, make, notices):
    asked = asking(*FIVE[:2])
    theirs = answers(make("qwen3_vl", asked).generate_until(asked.requests))
    ours = make("qwen3_vl", asked, **arguments)
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert ours.work.by_host == 2
    assert f"vidomni_qwen3_vl: answered by the host's own runner: {reason}" in notices
    assert not any("in place of" in line or "bfloat16" in line for line in notices)


def test_an_fsdp_model_is_for_the_host(make, monkeypatch, notices):
    from accelerate import Accelerator, DistributedType

    asked = asking(*FIVE[:1])
    monkeypatch.setattr(Accelerator, "distributed_type", DistributedType.FSDP)
    ours = make("qwen2_5_vl", asked, prefix="enc")
    ours.generate_until(asked.requests)
    assert ours.work.by_host == 1
    assert "vidomni_qwen2_5_vl: answered by the host's own runner: FSDP" in notices


def test_in_one_run_with_shared_ones_the_order_stays(make):
    turns = [FIVE[0], (QUESTION,), FIVE[1], (IMAGE, QUESTION), FIVE[2]]
    asked = asking(*turns)
    theirs = answers(make("qwen2_5_vl", asked).generate_until(asked.requests))
    ours = make("qwen2_5_vl", asked, prefix="kvb")
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert (ours.work.by_host, ours.work.requests) == (2, 3)
    given = {}
    ours.answer_video(asked.requests, given.__setitem__)
    assert answers(given[place] for place in range(5)) == theirs


def test_layers_with_a_window_are_not_cut_back(make, checkpoints, tmp_path, notices):
    from transformers import AutoConfig

    asked = asking(*FIVE)
    folder = tmp_path / "windows"
    folder.mkdir()
    for file in checkpoints["qwen2_5_vl"].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = AutoConfig.from_pretrained(folder)
    config.text_config.use_sliding_window = True
    config.text_config.sliding_window = 64
    config.text_config.layer_types = ["full_attention", "sliding_attention"]
    config.save_pretrained(folder)
    ours = make("qwen2_5_vl", asked, prefix="kvb", pretrained=str(folder))
    assert ours.mode == "enc"
    assert any("prefix=enc in place of kvb: the language model has sliding" in n for n in notices)
    theirs = answers(
        make("qwen2_5_vl", asked, pretrained=str(folder)).generate_until(asked.requests)
    )
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert ours.work.vision_passes == 1


def test_layers_that_mix_the_prefix_with_what_follows(make, checkpoints, tmp_path, notices):
    """A tiny Qwen3.5, which the host's ``qwen3_vl`` runs as well."""
    folder = qwen3_5(tmp_path / "qwen3_5", checkpoints["qwen3_vl"])
    asked = asking(*FIVE)
    ours = make("qwen3_vl", asked, prefix="kv", pretrained=str(folder))
    assert ours.mode == "enc"
    assert any("whose state cannot be cut back" in line for line in notices)
    hosts = make("qwen3_vl", asked, pretrained=str(folder))
    theirs = answers(hosts.generate_until(asked.requests))
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert ours.work.vision_passes == 1


def qwen3_5(folder, like):
    """Write a checkpoint with linear-attention layers beside the processor of another one."""
    from transformers import AutoConfig, Qwen3_5Config, Qwen3_5ForConditionalGeneration

    known = AutoConfig.from_pretrained(like)
    folder.mkdir()
    for file in like.iterdir():
        if file.suffix != ".safetensors" and file.name != "config.json":
            (folder / file.name).write_bytes(file.read_bytes())
    text, vision = known.text_config.to_dict(), known.vision_config.to_dict()
    kept = ("vocab_size", "hidden_size", "intermediate_size", "num_attention_heads")
    kept += ("num_key_value_heads", "head_dim", "rope_parameters", "eos_token_id", "pad_token_id")
    config = Qwen3_5Config(
        text_config={name: text[name] for name in kept if name in text}
        | {
            "num_hidden_layers": 2,
            "layer_types": ["linear_attention", "full_attention"],
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
            "linear_key_head_dim": 16,
            "linear_value_head_dim": 16,
        },
        vision_config={
            name: vision[name]
            for name in vision
            if name not in ("model_type", "deepstack_visual_indexes", "dtype")
        },
        **{name: value for name, value in known.to_dict().items() if name.endswith("_token_id")},
    )
    torch.manual_seed(0)
    Qwen3_5ForConditionalGeneration(config).to(torch.bfloat16).save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("family", "rows", "expected", "notice"),
    [
        ("qwen2_5_vl", 0.5, "enc", "prefix=enc in place of kvb"),
        ("qwen3_vl", 1.5, "kv", "prefix=kv in place of kvb"),
        ("qwen2_5_vl", 2.5, "two at a time", None),
        ("qwen3_vl", 2.5, "two at a time", None),
        ("qwen3_vl", 5.0, "all at once", None),
    ],
)
def test_the_budget_of_the_cache(family, rows, expected, notice, make, notices):
    asked = asking(*FIVE)
    hosts = make(family, asked)
    lengths = []
    answer = hosts.model.generate
    hosts.model.generate = lambda **given: (
        lengths.append(given["input_ids"].shape[1]) or answer(**given)
    )
    theirs = answers(hosts.generate_until(asked.requests))
    row = bytes_a_token(hosts.model) * (max(lengths) + NEW_TOKENS)
    ours = make(family, asked, prefix="kvb", prefix_gb=rows * row / 2**30)
    sizes = []
    generate = ours.model.generate
    ours.model.generate = lambda **given: (
        sizes.append((len(given["input_ids"]), "cache" in given)) or generate(**given)
    )
    for _ in range(2):
        assert answers(ours.generate_until(asked.requests)) == theirs
    assert (
        sizes[: len(sizes) // 2]
        == {
            "enc": [(1, False)] * 5,
            "kv": [(1, True)] * 5,
            "two at a time": [(2, True), (2, True), (1, True)],
            "all at once": [(5, True)],
        }[expected]
    )
    told = [line for line in notices if "in place of" in line]
    assert len(told) == (notice is not None)  # said once, for two runs
    assert not told or notice in told[0]


def test_bytes_a_token_are_those_of_the_cache(make):
    asked = asking(*FIVE[:2])
    for family, dtype in (("qwen2_5_vl", "float32"), ("qwen3_vl", "bfloat16")):
        runner = make(family, asked, prefix="kv", dtype=dtype)
        caches = []
        generate = runner.model.generate

        def listening(generate=generate, caches=caches, **given):
            caches.append(given["cache"])
            return generate(**given)

        runner.model.generate = listening
        runner.generate_until(asked.requests)
        cache = caches[0]
        held = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
        assert held == cache.get_seq_length() * bytes_a_token(runner.model)


@pytest.mark.parametrize("mode", ["kv", "kvb"])
def test_out_of_memory_goes_on_with_less(mode, make, notices):
    asked = asking(*FIVE)
    theirs = answers(make("qwen2_5_vl", asked).generate_until(asked.requests))
    ours = make("qwen2_5_vl", asked, prefix=mode)
    generate, calls = ours.model.generate, []

    def failing(**given):
        calls.append("cache" in given)
        if "cache" in given and len(calls) > (2 if mode == "kv" else 0):
            raise torch.OutOfMemoryError("no memory left")
        return generate(**given)

    ours.model.generate = failing
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert ours.work.requests == 5
    assert calls == ([True] * 3 + [False] * 3 if mode == "kv" else [True] + [False] * 5)
    assert sum("ran out of memory" in line for line in notices) == 1


def test_flash_attention_gets_no_padding_inside_a_row(make, notices):
    from vidomni_plugin.models.prefix.answering import possible_mode

    model = make("qwen2_5_vl", asking(), prefix="enc").model
    model.config._attn_implementation = "flash_attention_2"
    told = []
    assert possible_mode(model, "kvb", told.append) == "kv"
    assert told == [
        "prefix=kv in place of kvb: flash attention is not tested with padding inside a row"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prefix": "all"}, "prefix='all' is not known; give one of off, enc, kv, kvb"),
        ({"prefix": "kv", "prefix_gb": 0}, "prefix_gb=0 is not a number of GiB above 0"),
        ({"prefix": "kv", "prefix_gb": "lots"}, "prefix_gb='lots' is not a number"),
        ({"prefix": "kv", "prefix_gb": float("nan")}, "prefix_gb=nan is not a number"),
        ({"prefix": "kv", "labels_only": "perhaps"}, "labels_only='perhaps' is neither"),
    ],
)
def test_bad_arguments_are_told_before_the_model_is_loaded(arguments, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        SharedQwen3VL(pretrained="/nowhere", **SMALL, **arguments)


def test_bfloat16_is_said_and_enc_has_nothing_to_say(checkpoints, notices):
    for mode in ("enc", "kv"):
        SharedQwen3VL(pretrained=str(checkpoints["qwen3_vl"]), prefix=mode, **SMALL)
    (told,) = (line for line in notices if "bfloat16" in line)
    assert told.startswith("vidomni_qwen3_vl: prefix=kv in bfloat16: where two tokens")
