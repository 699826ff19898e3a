"""Logits of the first token, against what ``generate`` gives for inputs made another way."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import CLIP
from tests.models.detectors.video_models import write
from tests.models.detectors.videos import noise, write_video
from vidomni_plugin.detectors.entailment import frame_indices
from vidomni_plugin.models.detectors import clip as clip_module
from vidomni_plugin.models.detectors.clip import Clip, read_clip
from vidomni_plugin.models.detectors.frames import Frame, shown_frames
from vidomni_plugin.models.detectors.video_chat import VideoChat
from vidomni_plugin.problems import InputProblems
from vidomni_plugin.video.failures import UnreadableVideo
from vidomni_plugin.video.readers import OPENERS

FAMILIES = ("qwen2_5_vl", "qwen3_vl", "llava_onevision")
TEXTS = ("Look at this: ", "\nDoes it roll?"), ("Look at this: ", "\nIs there a cube in it?")
CLOSE = 1e-5


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("video-models")
    return {family: write(family, folder / family) for family in FAMILIES}


@pytest.fixture
def model(checkpoints: dict[str, Path]) -> Callable[..., VideoChat]:
    def load(family: str, **settings: Any) -> VideoChat:
        return VideoChat(str(checkpoints[family]), "cpu", "float32", **settings)

    return load


@pytest.fixture(scope="module")
def clip() -> Clip:
    return read_clip(str(CLIP), 4)


def by_generate(model: VideoChat, clip: Clip, chat: str) -> torch.Tensor:
    """Return the scores of the first new token; ``generate`` finds the positions itself."""
    inputs = model.processor(
        text=[chat],
        videos=[list(clip.frames)],
        video_metadata=[
            {"total_num_frames": clip.total, "fps": clip.fps, "frames_indices": clip.numbers}
        ],
        do_sample_frames=False,
        return_tensors="pt",
    )
    output = model.model.generate(
        **inputs,
        max_new_tokens=1,
        do_sample=False,
        output_logits=True,
        return_dict_in_generate=True,
    )
    return output.logits[0][0]


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_those_of_generate(family, model, clip):
    chat_model = model(family)
    chats = [chat_model.chat(*text, video=True) for text in TEXTS]
    found = list(chat_model.first_token_logits(clip, chats))
    assert chat_model.encodings == 1
    for chat, logits in zip(chats, found, strict=True):
        expected = by_generate(chat_model, clip, chat)
        assert logits.dtype == torch.float32
        assert torch.allclose(logits, expected, atol=CLOSE, rtol=CLOSE)
    assert not torch.allclose(*found, atol=1e-2)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_stands_beside_a_text_does_not_count(family, model, clip):
    chat_model = model(family)
    chats = [chat_model.chat(*text, video=True) for text in TEXTS]
    together = list(chat_model.first_token_logits(clip, chats))
    alone = [next(chat_model.first_token_logits(clip, [chat])) for chat in chats]
    turned = list(chat_model.first_token_logits(clip, chats[::-1]))[::-1]
    chat_model._takes_encoded = False  # as in a transformers that cannot take encoded videos
    before = chat_model.encodings
    each = list(chat_model.first_token_logits(clip, chats))
    assert chat_model.encodings - before == len(chats)
    for row in (alone, turned, each):
        assert all(torch.equal(*pair) for pair in zip(row, together, strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_video_counts(family, model, clip):
    chat_model = model(family)
    chat = chat_model.chat(*TEXTS[0], video=True)
    other = Clip(255 - clip.frames, clip.numbers, clip.total, clip.fps)
    blind = chat_model.chat("", "Does it roll?", video=False)
    assert blind == chat.replace(chat[chat.index("Look") : chat.index("Does")], "")
    seen, turned = (next(chat_model.first_token_logits(c, [chat])) for c in (clip, other))
    unseen = next(chat_model.first_token_logits(None, [blind]))
    assert not torch.allclose(seen, turned, atol=1e-2)
    assert not torch.allclose(seen, unseen, atol=1e-2)


@pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen3_vl"])
@pytest.mark.parametrize("frames", [4, 8])
@pytest.mark.parametrize(
    ("pixels", "least", "most"),
    [
        pytest.param({"min_pixels": 784, "max_pixels": 4096}, 784, 4096, id="both"),
        pytest.param({"max_pixels": 4096}, 1, 4096, id="the largest, below the model's least"),
        pytest.param({"min_pixels": 10**6}, 10**6, 2 * 10**6, id="the least"),
    ],
)
def test_pixels_of_a_frame_can_be_bounded(family, frames, pixels, least, most, model):
    chat_model = model(family, pixels=pixels)
    some = read_clip(str(CLIP), frames)
    chat = chat_model.chat(*TEXTS[0], video=True)
    grid = chat_model._inputs(chat_model.processor, some, chat)["video_grid_thw"][0].tolist()
    patch = chat_model.processor.video_processor.patch_size
    assert least <= grid[1] * grid[2] * patch**2 <= most
    assert grid[0] == frames // 2  # two frames a patch


def test_bounds_of_pixels_that_no_frame_meets(tmp_path):
    with pytest.raises(InputProblems, match="min_pixels=9 is more than max_pixels=8"):
        VideoChat(str(tmp_path), "cpu", pixels={"min_pixels": 9, "max_pixels": 8})


def test_a_number_of_frames_that_a_processor_refuses(model):
    with pytest.raises(InputProblems, match="refuses frames=1: t:1"):
        model("qwen3_vl").check(*TEXTS[0], 1)
    model("qwen3_vl").check("", "Does it roll?", 0)


@pytest.mark.parametrize(
    ("family", "frames"),
    [("qwen2_5_vl", 1), ("qwen2_5_vl", 3), ("qwen3_vl", 3), ("llava_onevision", 1)],
)
def test_odd_numbers_of_frames(family, frames, model):
    chat_model = model(family)
    few = read_clip(str(CLIP), frames)
    chat = chat_model.chat(*TEXTS[0], video=True)
    (logits,) = chat_model.first_token_logits(few, [chat])
    assert torch.allclose(logits, by_generate(chat_model, few, chat), atol=CLOSE, rtol=CLOSE)


def test_a_model_whose_frames_have_one_size(model):
    with pytest.raises(InputProblems, match="a size of their own"):
        model("llava_onevision", pixels={"max_pixels": 3136})


def test_texts_that_spell_a_token_of_the_model(model):
    chat_model = model("qwen2_5_vl")
    assert chat_model.special_token_in("A <|video_pad|> runs.") == "<|video_pad|>"
    assert chat_model.special_token_in("A dog <runs>.") is None
    assert model("llava_onevision").special_token_in("A <video> of a dog.") == "<video>"


def changed(source: Path, out: Path, template: str | None) -> str:
    """Return a copy of a checkpoint with another chat template."""
    shutil.copytree(source, out)
    file = out / "chat_template.jinja"
    if template is None:
        file.unlink()
        settings = json.loads((out / "tokenizer_config.json").read_text())
        settings.pop("chat_template", None)
        (out / "tokenizer_config.json").write_text(json.dumps(settings))
    else:
        file.write_text(template)
    return str(out)


TEXT_ONLY = (
    "{% for m in messages %}{% for p in m['content'] %}{{ p['text'] }}{% endfor %}{% endfor %}"
)
VIDEO_ONLY = "{% for m in messages %}<|video_pad|>{% endfor %}"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        pytest.param(None, "no chat template", id="none"),
        pytest.param(VIDEO_ONLY, "loses the text", id="loses the text"),
        pytest.param(TEXT_ONLY, "no place for a video", id="loses the video"),
        pytest.param("{{ raise_exception('no lists') }}", "no lists", id="refuses"),
        pytest.param("{{ messages[0].content }}<think>\n", "makes it think", id="thinks"),
    ],
)
def test_chat_templates_that_cannot_be_used(template, said, checkpoints, tmp_path):
    path = changed(checkpoints["qwen2_5_vl"], tmp_path / "model", template)
    with pytest.raises(InputProblems, match=said):
        VideoChat(path, "cpu").check("Look: ", " Is it so?", 4)


def test_weights_that_are_not_whole(checkpoints, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "model"
    shutil.copytree(checkpoints["qwen2_5_vl"], folder)
    weights = load_file(folder / "model.safetensors")
    gone = next(name for name in sorted(weights) if "mlp" in name)
    rest = {name: value for name, value in weights.items() if name != gone}
    save_file(rest, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputProblems, match="weights are missing"):
        VideoChat(str(folder), "cpu")
    (folder / "model.safetensors").write_bytes(b"cut off")
    with pytest.raises(InputProblems, match="no model can be loaded"):
        VideoChat(str(folder), "cpu")
    with pytest.raises(InputProblems, match="no such folder"):
        VideoChat(str(tmp_path / "nowhere"), "cpu")
    with pytest.raises(InputProblems, match="float64 is not known"):
        VideoChat(str(folder), "cpu", "float64")


def test_frames_are_owl_cons():
    clip = read_clip(str(CLIP), 8)
    assert list(clip.numbers) == frame_indices(clip.total, 8)
    everything = OPENERS["pyav"](str(CLIP)).read(range(clip.total))
    many = read_clip(str(CLIP), 2 * clip.total)  # more than there are: some come twice
    assert len(many.frames) == 2 * clip.total
    for found in (clip, many):
        assert np.array_equal(found.frames, everything[list(found.numbers)])


def test_a_file_that_is_no_video(tmp_path):
    file = tmp_path / "no.mp4"
    file.write_bytes(b"nothing")
    with pytest.raises(UnreadableVideo, match=r"no\.mp4"):
        read_clip(str(file), 4)


@pytest.mark.parametrize(
    ("ending", "codec"), [("avi", "ffv1"), ("ts", "libx264")], ids=["AVI", "MPEG-TS"]
)
def test_a_container_without_time_stamps(ending, codec, tmp_path):
    """The same frames as ``frames.shown_frames`` reads there: one reader for all detectors."""
    import av

    pictures = noise(10)
    file = tmp_path / f"clip.{ending}"
    with av.open(str(file), "w") as target:
        stream = target.add_stream(codec, rate=8)
        stream.height, stream.width = pictures.shape[1:3]
        stream.pix_fmt = "bgr0" if codec == "ffv1" else "yuv420p"
        for picture in pictures:
            target.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        target.mux(stream.encode(None))
    found = read_clip(str(file), 4)
    assert (found.total, list(found.numbers)) == (10, frame_indices(10, 4))
    expected = [frame.pixels.copy() for frame in shown_frames(str(file), "all")]
    assert np.array_equal(found.frames, np.stack(expected)[list(found.numbers)])
    if codec == "ffv1":
        assert np.array_equal(found.frames, pictures[list(found.numbers)])


def test_a_video_of_one_frame(model, tmp_path):
    clip = read_clip(str(write_video(tmp_path / "one.mkv", noise(1))), 4)
    assert (clip.total, list(clip.numbers)) == (1, [0, 0, 0, 0])
    for family in FAMILIES:
        chat_model = model(family)
        chat = chat_model.chat(*TEXTS[0], video=True)
        (logits,) = chat_model.first_token_logits(clip, [chat])
        assert torch.isfinite(logits).all()


def test_frames_of_several_sizes(tmp_path, monkeypatch):
    frames = [Frame(np.zeros((4, side, 3), np.uint8), (side,)) for side in (0, 1)]
    monkeypatch.setattr(clip_module, "chosen_frames", lambda path, choose: iter(frames))
    with pytest.raises(UnreadableVideo, match="several sizes"):
        read_clip("some.mp4", 2)
