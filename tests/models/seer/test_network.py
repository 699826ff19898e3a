"""First weights: what the model can do before it has learned anything."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch

from vidomni_plugin.models.seer.branches import ask
from vidomni_plugin.models.seer.clips import imagine
from vidomni_plugin.models.seer.course import Course, Plan
from vidomni_plugin.models.seer.forms import Balance
from vidomni_plugin.models.seer.network import DEEP, HEADS, NAMED, PLACED, build, save
from vidomni_plugin.models.seer.traits import CELLS, FRAMES

TOKENS = FRAMES // 2 * CELLS**2


@pytest.fixture(scope="module")
def course() -> Course:
    torch.set_num_threads(1)
    made = Course(Plan(steps=2, looks=1, clips=2))
    made.settle()
    return made


def states(course: Course, seeds: range) -> torch.Tensor:
    """Return visual tokens after the first layer, shape ``(clips, TOKENS, hidden)``."""
    clips = [imagine(random.Random(seed)) for seed in seeds]
    make, rng = course.packed.branches, random.Random(0)
    asked = [ask(clip.facts, rng, 1, Balance())[0] for clip in clips]
    with torch.no_grad():
        course.packed.forward(
            np.stack([clip.frames for clip in clips]),
            clips,
            [[make.judged(a, a.fact.question)] for a in asked],
        )
    start = len(course.packed.head)
    told = course.packed.lessons.states[PLACED][:, start : start + TOKENS]
    return torch.nn.functional.rms_norm(told, told.shape[-1:])


@pytest.mark.parametrize(("place", "stride"), [("row", CELLS), ("column", 1)])
def test_the_first_layer_tells_a_visual_token_its_place(course, place, stride):
    """A linear read-out, fitted on other clips, finds most rows and columns."""
    wanted = torch.arange(TOKENS) // stride % CELLS

    def design(seeds: range) -> torch.Tensor:
        flat = states(course, seeds).flatten(0, 1)
        return torch.cat([flat, torch.ones(len(flat), 1)], 1)

    seen, fresh = design(range(40)), design(range(40, 60))
    target = torch.nn.functional.one_hot(wanted, CELLS).float().repeat(40, 1)
    told = fresh @ torch.linalg.lstsq(seen, target).solution
    right = (told.argmax(1) == wanted.repeat(20)).float().mean().item()
    assert right > 0.6  # one in four by chance


@pytest.mark.parametrize("depth", [NAMED - 2, DEEP])
def test_a_word_looks_at_the_one_before(depth):
    model, _ = build(seed=3)
    model.set_attn_implementation("eager")
    ids = torch.randint(20, 200, (1, 40), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        told = model.model.language_model(input_ids=ids, output_attentions=True)
    attention = told.attentions[depth][0, HEADS - 1]
    before = torch.diagonal(attention, offset=-1)
    assert before.min() > 0.8


def test_queries_start_as_keys():
    model, _ = build(seed=3)
    attention = model.model.language_model.layers[NAMED].self_attn  # no head of it begins otherwise
    keys = attention.k_proj.weight.view(HEADS // 2, -1)
    queries = attention.q_proj.weight.view(HEADS, -1)
    assert all(torch.equal(queries[head], keys[head // 2]) for head in range(HEADS))


def test_visual_tokens_are_brought_to_the_size_of_words(course):
    clips = [imagine(random.Random(5)).frames]
    size = course.packed.eye.see(np.stack(clips)).pow(2).mean().sqrt().item()
    assert size == pytest.approx(0.5, rel=0.5)


def test_weights_are_written_last(tmp_path, monkeypatch):
    moved, replace = [], Path.replace

    def noted(path, target):
        moved.append(path.name)
        assert not (tmp_path / "model.safetensors").exists()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", noted)
    (tmp_path / "model.safetensors").write_bytes(b"of a run before")
    save(*build(seed=3), tmp_path)
    assert moved[-1] == "model.safetensors"
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1  # who may read one file may read all
    assert {"config.json", "tokenizer.json", "chat_template.jinja"} < set(moved)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(moved)


def test_a_save_that_fails_leaves_the_folder_as_it_was(tmp_path):
    class Full:
        def save_pretrained(self, folder):
            raise OSError("No space left on device")

    (tmp_path / "model.safetensors").write_bytes(b"of a run before")
    with pytest.raises(OSError, match="No space"):
        save(build(seed=3)[0], Full(), tmp_path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"of a run before"]
