"""Training sees what the host's processor and transformers' own forward pass see."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from vidomni_plugin.data.mini.draw import frames
from vidomni_plugin.data.mini.encode import write_clip
from vidomni_plugin.models.seer.branches import ask
from vidomni_plugin.models.seer.clips import Clip, imagine
from vidomni_plugin.models.seer.eye import patches
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.layouts.cutting import shots
from vidomni_plugin.models.seer.network import PIXELS
from vidomni_plugin.models.seer.probes import Probes
from vidomni_plugin.models.seer.traits import CELLS, FRAMES
from vidomni_plugin.vidhalloc.prompt import judge_prompt
from vidomni_plugin.vidomni.prompt import verification_prompt


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory):
    world = shots(random.Random(3))
    path = tmp_path_factory.mktemp("seer") / "clip.mp4"
    write_clip(path, frames(world.scene, 128), world.scene.fps)
    return SimpleNamespace(world=world, path=path)


def known(seconds: float) -> Clip:
    """Return what a forward pass without probes must know about a clip."""
    nothing = np.zeros(0, np.uint8)
    return Clip(nothing, nothing.astype(np.float32), {}, nothing.astype(np.int64), (), seconds)


def inputs(processor, path: Path, prompt: str, count: int = FRAMES):
    """Return what the host's runner gives the model, and the decoded frames."""
    from qwen_vl_utils import process_vision_info

    shown = {"type": "video", "video": str(path), "nframes": count, **PIXELS}
    system = {"role": "system", "content": "You are a helpful assistant."}
    chat = [[system, {"role": "user", "content": [shown, {"type": "text", "text": prompt}]}]]
    text = processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    _, videos, _ = process_vision_info(chat, return_video_kwargs=True, return_video_metadata=True)
    pictures, about = zip(*videos, strict=True)
    given = processor(
        text=text, videos=list(pictures), video_metadata=list(about), return_tensors="pt"
    )
    return given, pictures[0].permute(0, 2, 3, 1).numpy()[None]


@pytest.mark.parametrize("count", [8, 16])
@pytest.mark.parametrize("kind", ["judged", "caption"])
def test_a_packed_prompt_gives_the_logits_of_the_prompt_alone(made, clip, kind, count):
    rng, packed, make = random.Random(0), made.packed, made.packed.branches
    plain = [f for f in clip.world.facts if not f.true.startswith(("Yes,", "No,"))]
    asked = ask(plain, rng, 4, Balance())
    other = make.judged(asked[0], asked[0].fact.question)
    if kind == "judged":
        branch = make.judged(asked[1], asked[1].fact.question)
        prompt = judge_prompt(asked[1].fact.question, asked[1].text)
    else:
        branch = make.caption(asked)
        prompt = verification_prompt([a.text for a in asked])
    given, pictures = inputs(made.processor, clip.path, prompt, count)
    prefix = [*packed.head, *[packed.pad] * (count // 2 * CELLS**2), packed.tail]
    length = given["input_ids"].shape[1]
    assert given["input_ids"][0].tolist() == (prefix + branch.tokens)[:length]
    tops = []
    hook = made.model.model.language_model.norm.register_forward_hook(
        lambda module, args, output: tops.append(output)
    )
    with torch.no_grad():
        packed.forward(pictures, [known(clip.world.scene.seconds)], [[other, branch, other]])
        hook.remove()
        alone = made.model(**given).logits[0, -1]
    at = len(prefix) + len(other.tokens) + branch.at[0]
    assert torch.allclose(tops[0][0, at] @ made.model.lm_head.weight.T, alone, atol=1e-4)


def test_patches_are_those_of_the_processor(made, clip):
    given, pictures = inputs(made.processor, clip.path, "x")
    own = patches(pictures).reshape(-1, 1176)
    assert torch.allclose(own, given["pixel_values_videos"], atol=1e-5)


def test_another_clip_gives_another_answer(made, clip):
    asked = ask(clip.world.facts, random.Random(0), 1, Balance())[0]
    branch = made.packed.branches.judged(asked, asked.fact.question)
    _, pictures = inputs(made.processor, clip.path, "x")
    with torch.no_grad():
        losses = [
            float(made.packed.forward(shown, [known(5.0)], [[branch]]).answer)
            for shown in (pictures, np.zeros_like(pictures))
        ]
    assert losses[0] != pytest.approx(losses[1], abs=1e-6)


@pytest.mark.parametrize("still", [True, False])
def test_a_still_tower_learns_nothing(made, still):
    clips = [imagine(random.Random(1))]
    asked = ask(clips[0].facts, random.Random(0), 1, Balance())[0]
    branch = made.packed.branches.judged(asked, asked.fact.question)
    pictures = clips[0].frames[None]
    output = made.packed.forward(pictures, clips, [[branch]], Probes(), still=still)
    tower = made.model.model.visual.blocks[0].mlp.up_proj.weight
    made.model.zero_grad()
    output.answer.backward(retain_graph=True)
    assert (tower.grad is None) == still
    output.visual.backward()
    assert (tower.grad is None) == still
    assert made.model.model.language_model.embed_tokens.weight.grad is not None
    made.model.zero_grad()
