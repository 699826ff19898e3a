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
from vidomni_plugin.data.mini.scenes import Backdrop, Key, Scene, Shot, Span, Thing, still
from vidomni_plugin.models.seer.branches import Mention, ask
from vidomni_plugin.models.seer.clips import Clip, imagine, render
from vidomni_plugin.models.seer.eye import patches
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.layouts.cutting import shots
from vidomni_plugin.models.seer.network import DEEP, NAMED, PIXELS, PLACED, build
from vidomni_plugin.models.seer.packed import Packed
from vidomni_plugin.models.seer.probes import GROUND, WEIGHT, Probes, ground, spots
from vidomni_plugin.models.seer.traits import CELLS, FRAMES, TRAITS, Sight
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


def known(seconds: float) -> Clip:
    """Return what a forward pass without probes must know about a clip."""
    nothing = np.zeros(0, np.uint8)
    return Clip(nothing, nothing.astype(np.float32), {}, (), seconds)


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


WALL = Backdrop("gray")


def clip_of(*things: Thing, seconds: float = 4.0) -> Clip:
    scene = Scene((Shot(seconds, WALL, things),))
    pictures, marks = render(scene, FRAMES)
    sights = {name: Sight(marks.where[name], marks.moves[name]) for name in marks.where}
    return Clip(pictures, marks.cells.reshape(-1, TRAITS), sights, (), seconds)


def told(clip: Clip, colour: str, noun: str):
    row = ground(clip, Mention(0, colour, noun))
    assert row.shape == (GROUND,)
    places = np.argwhere(row[: 4 * CELLS**2].reshape(4, CELLS, CELLS))
    return places.tolist(), int(row[4 * CELLS**2 : -4].argmax()), row[-4:].tolist()


def test_a_name_is_grounded_where_its_things_are_seen():
    red = Thing("circle", "red", 0.2, still(0.1, 0.9))
    blue = Thing("circle", "blue", 0.2, (Key(0, 0.1, 0.4), Key(4, 0.9, 0.4)))
    late = Thing("square", "green", 0.2, still(0.9, 0.1), shown=Span(3.2))
    clip = clip_of(red, blue, late)
    assert told(clip, "red", "circle") == ([[n, 3, 0] for n in range(4)], 1, [0, 0, 0, 0])
    places, count, moves = told(clip, "blue", "circle")
    assert [column for _, row, column in places if row == 1] == [0, 1, 2, 3]
    assert (count, moves) == (1, [1, 0, 0, 0])
    assert told(clip, "green", "square") == ([[3, 0, 3]], 1, [0, 0, 0, 0])
    assert told(clip, "", "circle")[1] == 2
    assert told(clip, "", "shape")[1] == 3
    assert told(clip, "red", "square") == ([], 0, [0, 0, 0, 0])
    assert told(clip, "", "hand") == ([], 0, [0, 0, 0, 0])


def test_maps_counts_and_motions_are_weighed_as_parts():
    weight = WEIGHT.numpy()
    assert weight.mean() == pytest.approx(1)
    maps, counts, motions = np.split(weight, [4 * CELLS**2, len(weight) - 4])
    assert maps.sum() == pytest.approx(3 * counts.sum())
    assert counts.sum() == pytest.approx(motions.sum())


def test_things_in_one_cell_count_each():
    pair = [Thing("circle", "red", 0.1, still(x, 0.1)) for x in (0.06, 0.18)]
    assert told(clip_of(*pair), "red", "circle")[1] == 2


@pytest.mark.parametrize("count", [8, 16])
def test_probes_read_every_loss_and_teach_the_layers_below(made, count):
    clips = [imagine(random.Random(seed), count) for seed in (1, 2)]
    make = made.packed.branches
    asked = [ask(clip.facts, random.Random(0), 3, Balance()) for clip in clips]
    branches = [[make.judged(a, a.fact.question) for a in some] for some in asked]
    pictures = np.stack([clip.frames for clip in clips]).astype(np.float32)
    output = made.packed.forward(pictures, clips, branches, Probes())
    losses = [output.visual, output.ground, output.place, output.attended, output.recalled]
    assert all(loss.item() > 0 for loss in losses)
    layers = made.model.model.language_model.layers
    for loss, depth in ((output.place, PLACED), (output.ground, NAMED)):
        made.model.zero_grad()
        loss.backward(retain_graph=True)
        assert layers[depth - 1].mlp.up_proj.weight.grad is not None
        assert layers[depth].mlp.up_proj.weight.grad is None
    made.model.zero_grad()
    output.attended.backward()
    assert layers[NAMED - 1].self_attn.q_proj.weight.grad is not None
    assert layers[NAMED - 1].mlp.up_proj.weight.grad is None
    made.model.zero_grad()


def test_what_is_named_is_where_attention_should_be():
    blue = Thing("circle", "blue", 0.2, (Key(0, 0.1, 0.4), Key(4, 0.9, 0.4)))
    clip = clip_of(blue, Thing("square", "red", 0.2, still(0.9, 0.9)))
    shares = spots(clip, Mention(0, "blue", "circle")).reshape(4, CELLS, CELLS)
    assert shares.sum() == pytest.approx(1)
    assert [tuple(map(int, spot)) for spot in np.argwhere(shares)] == [(n, 1, n) for n in range(4)]
    assert not spots(clip, Mention(0, "red", "circle")).any()


def looking(made, depth, pictures, clip, branch):
    """Return losses, and what the model's own layer gives to tokens, by first head and token."""
    caught = {}

    def catch(module, args, kwargs, output):
        caught.update(kwargs)

    packed = made.packed
    attention = made.model.model.language_model.layers[depth - 1].self_attn
    hook = attention.register_forward_hook(catch, with_kwargs=True)
    with torch.no_grad():
        output = packed.forward(pictures, [clip], [[branch]], Probes())
        hook.remove()
        states, (cosine, sine) = caught["hidden_states"], caught["position_embeddings"]
        shape = (1, states.shape[1], -1, attention.head_dim)
        query, key = packed.lessons.qwen.apply_rotary_pos_emb(
            attention.q_proj(states).view(shape).transpose(1, 2),
            attention.k_proj(states).view(shape).transpose(1, 2),
            cosine,
            sine,
        )

    def shares(head, at):
        return (key[0, 0, : at + 1] @ query[0, head, at] * attention.scaling).log_softmax(-1)

    return output, shares


def test_attention_is_measured_on_the_tokens_that_the_model_attends_to(made):
    """The losses recompute scores; here they are read from the model itself."""
    clip = imagine(random.Random(1))
    make, first = made.packed.branches, len(made.packed.head)
    asked = next(
        a for a in ask(clip.facts, random.Random(0), 9, Balance()) if "shape" not in a.text
    )
    branch = make.judged(asked, asked.fact.question)
    pictures = clip.frames[None].astype(np.float32)
    start = first + len(clip.cells) + 1
    output, shares = looking(made, NAMED, pictures, clip, branch)
    losses = []
    for mention in branch.mentions:
        wanted = torch.from_numpy(spots(clip, mention))
        for head in (0, 1) if wanted.sum() else ():
            video = shares(head, start + mention.at)[first : first + len(clip.cells)]
            losses.append(-(wanted * video).sum())
    assert losses
    assert output.attended.item() == pytest.approx(torch.stack(losses).mean().item(), abs=1e-4)

    output, shares = looking(made, DEEP, pictures, clip, branch)
    losses = [
        -shares(head, start + back.at)[start + noun]
        for back in branch.backs
        for head, noun in enumerate((back.first, back.last))
    ]
    assert losses
    assert output.recalled.item() == pytest.approx(torch.stack(losses).mean().item(), abs=1e-4)


@pytest.mark.parametrize("still", [True, False])
def test_a_still_tower_learns_nothing(made, still):
    clips = [imagine(random.Random(1))]
    asked = ask(clips[0].facts, random.Random(0), 1, Balance())[0]
    branch = made.packed.branches.judged(asked, asked.fact.question)
    pictures = clips[0].frames[None].astype(np.float32)
    output = made.packed.forward(pictures, clips, [[branch]], Probes(), still=still)
    tower = made.model.model.visual.blocks[0].mlp.up_proj.weight
    made.model.zero_grad()
    output.answer.backward(retain_graph=True)
    assert (tower.grad is None) == still
    output.visual.backward()
    assert (tower.grad is None) == still
    assert made.model.model.language_model.embed_tokens.weight.grad is not None
    made.model.zero_grad()
