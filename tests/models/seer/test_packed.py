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
from vidomni_plugin.models.seer.clips import FRAMES
from vidomni_plugin.models.seer.layouts.cutting import shots
from vidomni_plugin.models.seer.network import PIXELS, build
from vidomni_plugin.models.seer.packed import NONE, Asked, Packed, ask, patches
from vidomni_plugin.models.seer.world import Fact
from vidomni_plugin.vidhalloc.prompt import judge_prompt
from vidomni_plugin.vidomni.prompt import verification_prompt


@pytest.fixture(scope="module")
def made():
    model, processor = build(seed=1)
    model.eval()
    return SimpleNamespace(model=model, processor=processor, packed=Packed(model, processor))


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory):
    world = shots(random.Random(3))
    path = tmp_path_factory.mktemp("seer") / "clip.mp4"
    write_clip(path, frames(world.scene, 128), world.scene.fps)
    return SimpleNamespace(world=world, path=path)


def inputs(processor, path: Path, prompt: str):
    """Return what the host's runner gives the model, and the decoded frames."""
    from qwen_vl_utils import process_vision_info

    shown = {"type": "video", "video": str(path), "nframes": FRAMES, **PIXELS}
    system = {"role": "system", "content": "You are a helpful assistant."}
    chat = [[system, {"role": "user", "content": [shown, {"type": "text", "text": prompt}]}]]
    text = processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    _, videos, _ = process_vision_info(chat, return_video_kwargs=True, return_video_metadata=True)
    pictures, about = zip(*videos, strict=True)
    given = processor(
        text=text, videos=list(pictures), video_metadata=list(about), return_tensors="pt"
    )
    return given, pictures[0].permute(0, 2, 3, 1).numpy()[None]


@pytest.mark.parametrize("kind", ["judged", "caption"])
def test_a_packed_prompt_gives_the_logits_of_the_prompt_alone(made, clip, kind):
    rng, packed = random.Random(0), made.packed
    plain = [f for f in clip.world.facts if not f.true.startswith(("Yes,", "No,"))]
    asked = ask(plain, rng, 4)
    other = packed.judged(asked[0], asked[0].fact.question)
    if kind == "judged":
        branch = packed.judged(asked[1], asked[1].fact.question)
        prompt = judge_prompt(asked[1].fact.question, asked[1].text)
    else:
        branch = packed.caption(asked)
        prompt = verification_prompt([a.text for a in asked])
    given, pictures = inputs(made.processor, clip.path, prompt)
    length = given["input_ids"].shape[1]
    assert given["input_ids"][0].tolist() == (packed.prefix + branch.tokens)[:length]
    tops = []
    hook = made.model.model.language_model.norm.register_forward_hook(
        lambda module, args, output: tops.append(output)
    )
    with torch.no_grad():
        packed.forward(pictures, [clip.world.scene.seconds], [[other, branch, other]])
        hook.remove()
        alone = made.model(**given).logits[0, -1]
    at = len(packed.prefix) + len(other.tokens) + branch.at[0]
    assert torch.allclose(tops[0][0, at] @ made.model.lm_head.weight.T, alone, atol=1e-4)


def test_patches_are_those_of_the_processor(made, clip):
    given, pictures = inputs(made.processor, clip.path, "x")
    own = patches(pictures).reshape(-1, 1176)
    assert torch.allclose(own, given["pixel_values_videos"], atol=1e-5)


def sentence(true: bool, *, late: bool = False, unknown: tuple[int, ...] = ()) -> Asked:
    fact = Fact("direction", "?", "The red circle rises.", ("The red circle sinks.",), late)
    return Asked(fact, fact.true if true else fact.false[0], true, unknown)


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        pytest.param(sentence(True), [1, 1, 1, 1, 1], id="true throughout"),
        pytest.param(sentence(False), [1, 1, 1, 0, 0], id="false from the first other word"),
        pytest.param(sentence(False, late=True), [NONE] * 4 + [0], id="false at the end"),
        pytest.param(sentence(False, unknown=(3,)), [1, 1, 1, 0, 0, 0], id="an unknown word"),
    ],
)
def test_what_is_learned_along_a_sentence(made, asked, holds):
    branch = made.packed.judged(asked, "What does it do?")
    learned = branch.holds[branch.holds.index(holds[0]) if holds[0] != NONE else 0 :]
    assert str(holds)[1:-1] in str(learned)
    assert branch.holds[branch.at[0]] == int(asked.true)
    assert len(branch.tokens) == len(branch.following) == len(branch.holds) == len(branch.answer)


def test_only_true_sentences_teach_what_follows(made):
    true = made.packed.judged(sentence(True), "?")
    words = made.packed.ids("The red circle rises.")
    assert [t for t in true.following if t != NONE] == words
    assert all(t == NONE for t in made.packed.judged(sentence(False), "?").following)
    assert (
        made.packed.unknown not in made.packed.judged(sentence(True, unknown=(1, 2)), "?").following
    )


def test_a_caption_is_answered_in_order(made):
    packed = made.packed
    branch = packed.caption([sentence(True), sentence(False)])
    told = packed.words.convert_ids_to_tokens([t for t in branch.answer if t != NONE])
    assert told == ['{"sentence_1": 0', ', "sentence_2": 1', "}", "<|im_end|>"]
    assert branch.answer[branch.at[1]] == packed.labels[1][1]


def test_skills_come_equally_often_whatever_the_number_of_their_facts():
    rng = random.Random(0)
    facts = [Fact("count", "?", f"T{n}.", ("F.",)) for n in range(20)]
    facts.append(Fact("colour", "?", "T.", ("F.",)))
    skills = [a.fact.skill for a in ask(facts, rng, 400)]
    assert 160 < skills.count("colour") < 240


def test_another_clip_gives_another_answer(made, clip):
    asked = ask(clip.world.facts, random.Random(0), 1)[0]
    branch = made.packed.judged(asked, asked.fact.question)
    _, pictures = inputs(made.processor, clip.path, "x")
    with torch.no_grad():
        losses = [
            float(made.packed.forward(shown, [5.0], [[branch]]).answer)
            for shown in (pictures, np.zeros_like(pictures))
        ]
    assert losses[0] != pytest.approx(losses[1], abs=1e-6)


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        pytest.param(sentence(True), "rises", id="the word that could be another"),
        pytest.param(sentence(True, unknown=(0,)), "rises", id="behind an unknown word"),
        pytest.param(sentence(False), None, id="a false sentence teaches none"),
        pytest.param(sentence(True, late=True), None, id="only the end tells"),
    ],
)
@pytest.mark.parametrize("kind", ["judged", "caption"])
def test_the_telling_word_is_the_one_that_follows(made, asked, word, kind):
    packed = made.packed
    branch = packed.judged(asked, "?") if kind == "judged" else packed.caption([asked])
    told = [t for t, tells in zip(branch.following, branch.telling, strict=True) if tells]
    assert told == ([] if word is None else packed.ids(word))
