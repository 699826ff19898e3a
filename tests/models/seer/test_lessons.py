"""Inner layers are taught where the model's own forward pass has them."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from vidomni_plugin.models.seer.branches import ask
from vidomni_plugin.models.seer.clips import imagine
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.network import DEEP, NAMED, PLACED
from vidomni_plugin.models.seer.probes import Probes, spots


@pytest.mark.parametrize("count", [8, 16])
def test_probes_read_every_loss_and_teach_the_layers_below(made, count):
    clips = [imagine(random.Random(seed), count) for seed in (1, 2)]
    make = made.packed.branches
    asked = [ask(clip.facts, random.Random(0), 3, Balance()) for clip in clips]
    branches = [[make.judged(a, a.fact.question) for a in some] for some in asked]
    pictures = np.stack([clip.frames for clip in clips])
    output = made.packed.forward(pictures, clips, branches, Probes())
    losses = [output.visual, output.ground, output.place, output.shots, output.attended]
    losses.append(output.recalled)
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
    pictures = clip.frames[None]
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
