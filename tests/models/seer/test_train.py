"""Training learns, can be stopped and taken up, and keeps a checkpoint that the host loads."""

import random

import pytest
import torch

from vidomni_plugin.models.seer import course as courses
from vidomni_plugin.models.seer import train
from vidomni_plugin.models.seer.clips import glimpse
from vidomni_plugin.models.seer.course import Course, Plan, Pool
from vidomni_plugin.models.seer.train import accuracies

SMALL = Plan(steps=8, looks=4, clips=4)


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_the_eye_learns(threads):
    course = Course(Plan(steps=40, looks=40, clips=4))
    losses = [course.look() for _ in range(24)]
    assert sum(losses[-4:]) < 0.8 * sum(losses[:4])


def test_a_state_is_taken_up_where_it_was_left(threads, tmp_path):
    first = Course(SMALL)
    first.look()
    first.keep(tmp_path / "state.pt")
    again = Course(SMALL)
    again.resume(tmp_path / "state.pt")
    first.glimpses, again.glimpses = (Pool(c.rng, glimpse) for c in (first, again))
    assert first.look() == again.look()
    assert all(
        torch.equal(a, b)
        for a, b in zip(first.model.parameters(), again.model.parameters(), strict=True)
    )
    assert not list(tmp_path.glob("*.part"))


def test_the_command_stops_goes_on_and_writes_a_checkpoint(threads, tmp_path, capsys):
    arguments = [str(tmp_path), "--steps", "3", "--looks", "1", "--clips", "2", "--threads", "1"]
    train.main([*arguments, "--until", "2"])
    assert '"step": 2' in capsys.readouterr().out
    train.main(arguments)
    assert '"step": 3' in capsys.readouterr().out
    assert (tmp_path / "model.safetensors").stat().st_size < 4e6
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 5
    assert (tmp_path / "half" / "model.safetensors").is_file()
    with pytest.raises(SystemExit, match="other steps, looks, clips or seed"):
        train.main([*arguments, "--seed", "5"])


def test_the_rate_rises_and_falls_in_each_part():
    course = Course(Plan(steps=1000, looks=200))
    rates = []
    for course.step in range(1000):
        rates.append(course.rate)
    assert rates[0] < rates[39] == rates[99] == 1
    assert rates[99] > rates[150] > rates[199] > 0
    assert rates[200] < rates[240] < 1
    assert rates[240] > rates[500] > rates[999] > 0


def test_accuracy_weighs_true_and_false_alike():
    right = [("count", True, True)] * 9 + [("count", False, False)]
    assert accuracies(right) == {"count": 0.5}


def test_part_of_each_batch_is_new():
    pool = Pool(random.Random(0), lambda rng: rng.random())
    first = pool.take(8)
    assert len(set(first)) <= len(pool.kept) == 2
    assert len(set(pool.take(8)) - set(first)) >= 2
    assert len(pool.kept) == 4


def test_a_pool_does_not_grow_for_ever():
    pool = Pool(random.Random(0), lambda rng: rng.random())
    for _ in range(200):
        pool.take(80)
    assert courses.POOL <= len(pool.kept) <= courses.POOL + 80


def test_the_tower_learns_slower_once_all_learn_together(threads):
    course = Course(SMALL)
    course.look()
    course.learn()
    rates = {group["tower"]: group["lr"] for o in course.optimizers[:1] for group in o.param_groups}
    assert rates[True] == rates[False]  # still in the first part
    course.step = SMALL.looks + 1
    course.learn()
    rates = {group["tower"]: group["lr"] for o in course.optimizers[:1] for group in o.param_groups}
    assert rates[True] == pytest.approx(courses.TOWER * rates[False])


def test_every_weight_is_learned_by_one_optimizer():
    course = Course(SMALL)
    groups = [g["params"] for o in course.optimizers for g in o.param_groups]
    learned = [id(p) for params in groups for p in params]
    every = {id(p) for m in (course.model, course.probes) for p in m.parameters()}
    assert len(learned) == len(set(learned))
    assert set(learned) == every
