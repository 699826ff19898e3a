"""Training learns, can be stopped and taken up, and keeps a checkpoint that the host loads."""

import json
import math
import os
import pickle
import random
import signal
from collections import Counter
from types import SimpleNamespace

import pytest
import torch
from filelock import FileLock

from vidomni_plugin.models.seer import course as courses
from vidomni_plugin.models.seer import pool as pools
from vidomni_plugin.models.seer import train
from vidomni_plugin.models.seer.clips import imagine
from vidomni_plugin.models.seer.course import (
    FRAME_COUNTS,
    JUDGED,
    PLAIN_PART,
    REST,
    ROOM,
    Course,
    Plan,
    recipe,
)
from vidomni_plugin.models.seer.pool import Pool
from vidomni_plugin.models.seer.train import accuracies, check
from vidomni_plugin.models.seer.traits import FRAMES
from vidomni_plugin.models.seer.words import MOST_SENTENCES

SMALL = Plan(steps=8, looks=4, clips=4)
TINY = ["--steps", "3", "--looks", "1", "--clips", "2", "--threads", "1"]


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


@pytest.mark.parametrize("part", ["look", "learn"])
def test_a_state_is_taken_up_where_it_was_left(threads, tmp_path, part):
    first = Course(Plan(steps=4, looks=1 if part == "learn" else 3, clips=2))
    first.look()
    if part == "learn":
        first.learn()
    first.means["visual"] = 0.25
    first.keep(tmp_path / "state.pt")
    again = Course(first.plan)
    again.resume(tmp_path / "state.pt")
    assert again.means == first.means
    assert again.balance.asked == first.balance.asked
    assert again.glimpses.fill > 0
    for course in (first, again):
        course._pools()
        getattr(course, part)()
    assert all(
        torch.equal(a, b)
        for a, b in zip(first.model.parameters(), again.model.parameters(), strict=True)
    )
    assert again.balance.asked == first.balance.asked
    assert not list(tmp_path.glob("*.part"))


def test_the_command_stops_goes_on_and_writes_a_checkpoint(threads, tmp_path, capsys):
    arguments = [str(tmp_path), *TINY]
    train.main([*arguments, "--until", "2"])
    assert '"step": 2' in capsys.readouterr().out
    train.main(arguments)
    assert '"step": 3' in capsys.readouterr().out
    assert (tmp_path / "model.safetensors").stat().st_size < 4e6
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    kinds = [next(k for k in ("plan", "resumed", "evaluation", "answer") if k in r) for r in rows]
    assert kinds == ["plan", "answer", "evaluation", "resumed", "answer", "evaluation"]
    assert (tmp_path / "half" / "model.safetensors").is_file()
    with pytest.raises(SystemExit, match="other steps, looks, clips or seed"):
        train.main([*arguments, "--seed", "5"])

    log, weights = tmp_path / "log.jsonl", tmp_path / "model.safetensors"
    before = log.read_bytes(), weights.stat().st_mtime_ns
    train.main(arguments)
    assert "has been trained to step 3 of 3 already" in capsys.readouterr().out
    assert (log.read_bytes(), weights.stat().st_mtime_ns) == before
    weights.unlink()  # as if it had been stopped before it was written
    train.main(arguments)
    assert weights.is_file()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--until", "0"],
        ["--steps", "0"],
        ["--steps", "5", "--looks", "5"],
        ["--looks", "-1"],
        ["--clips", "0"],
        ["--threads", "0"],
        ["--seed", "-1"],
    ],
)
def test_numbers_that_mean_nothing_are_refused(tmp_path, wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        train.main([str(tmp_path / "out"), *wrong])
    assert ended.value.code == 2
    assert wrong[0] in capsys.readouterr().err or "--looks" in wrong
    assert not (tmp_path / "out").exists()


def test_a_file_is_no_folder(tmp_path, capsys):
    (tmp_path / "out").write_text("")
    with pytest.raises(SystemExit, match="2"):
        train.main([str(tmp_path / "out")])
    assert "is not a folder" in capsys.readouterr().err


def test_ctrl_c_keeps_the_step_that_was_taken(threads, tmp_path, capsys, monkeypatch):
    learn = Course.learn

    def interrupted(course):
        os.kill(os.getpid(), signal.SIGINT)
        return learn(course)

    with monkeypatch.context() as patched:
        patched.setattr(Course, "learn", interrupted)
        with pytest.raises(SystemExit) as ended:
            train.main([str(tmp_path), *TINY])
    assert ended.value.code == 130
    told = "seer: stopped at step 2; the same command goes on from there\n"
    assert capsys.readouterr().err.endswith(told)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not (tmp_path / "model.safetensors").exists()
    train.main([str(tmp_path), *TINY])
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["resumed"] for row in rows if "resumed" in row] == [2]
    assert [row["step"] for row in rows if "answer" in row] == [2, 3]


class Touch:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return type(self.path).touch, (self.path,)


def test_what_is_no_state_of_this_code_is_refused(threads, tmp_path, monkeypatch):
    course, state = Course(SMALL), tmp_path / "state.pt"
    for content in (b"", b"state", pickle.dumps(Touch(tmp_path / "run"), 2)):
        state.write_bytes(content)
        with pytest.raises(ValueError, match="cannot be read as a state"):
            course.resume(state)
    torch.save(Touch(tmp_path / "run"), state)
    with pytest.raises(ValueError, match="cannot be read as a state"):
        course.resume(state)
    assert not (tmp_path / "run").exists()
    torch.save({"plan": (8, 4, 4, 0)}, state)
    with pytest.raises(ValueError, match="is no state"):
        course.resume(state)
    course.keep(state)
    monkeypatch.setattr(courses, "RATES", (1.0, 2.0))
    monkeypatch.setattr(courses, "LAYOUTS", {})
    with pytest.raises(ValueError, match=r"other code \(it differs in: clips, rates\)"):
        course.resume(state)


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("PLAIN", {}, "clips"),
        ("SOFT", 0.0, "clips"),
        ("BLACK", 0.5, "clips"),
        ("FRAME_COUNTS", {8: 1.0}, "clips"),
        ("PLAIN_GLIMPSES", 0.0, "batches"),
        ("ROOM", 7, "prompts"),
        ("SENTENCES", {2: 1}, "prompts"),
        ("TOWER", 9.0, "rates"),
        ("EYE_WEIGHT", torch.zeros(1), "weights"),
        ("GROUND_WEIGHT", torch.zeros(1), "weights"),
    ],
)
def test_a_recipe_tells_what_is_learned_from(monkeypatch, name, value, part):
    course = Course(SMALL)
    before = recipe(course)
    monkeypatch.setattr(courses, name, value)
    after = recipe(course)
    assert [one for one in before if before[one] != after[one]] == [part]


def test_a_check_leaves_no_trace_and_depends_on_its_seed_alone(threads):
    course = Course(Plan(steps=2, looks=1, clips=1))
    course.balance.asked["the C S grows.", True] = 7
    before = course.rng.getstate(), dict(course.balance.asked)
    first = check(course, seed=5, batches=1)
    assert (course.rng.getstate(), dict(course.balance.asked)) == before
    course.rng.random()
    course.balance.asked.clear()
    again = check(course, seed=5, batches=1)
    assert str(first) == str(again)  # NaN differs from itself


class Store:
    """A pool whose clips are the pool's name."""

    def __init__(self, name):
        self.name = name

    def take(self, count):
        return [self.name] * count


@pytest.fixture
def lessons(monkeypatch):
    """A course that takes no steps, and what each of them would have been: clips, still."""
    course, taken, settled = Course(Plan(steps=1100, looks=100, clips=16)), [], []
    course.clips, course.plain = {n: Store(n) for n in FRAME_COUNTS}, Store("plain")

    def batch(clips, *, still=False):
        taken.append((clips, still))
        return Counter()

    monkeypatch.setattr(courses, "WEIGHTS", {})
    monkeypatch.setattr(course, "batch", batch)
    monkeypatch.setattr(course, "settle", lambda: settled.append(course.step))

    def update(loss):
        course.step += 1

    monkeypatch.setattr(course, "_update", update)
    course.step, course.glimpses.kept = 100, ["glimpse"]
    while course.step < 1100:
        course.learn()
    return SimpleNamespace(taken=taken, settled=settled, left=course.glimpses.kept)


def test_the_tower_rests_in_the_beginning_of_the_second_part(lessons):
    assert [still for _, still in lessons.taken] == [n / 1000 < REST for n in range(1000)]


def test_visual_tokens_are_settled_once_when_the_eye_has_learned(lessons):
    assert lessons.settled == [100]
    assert lessons.left == []


def test_batches_of_more_frames_have_fewer_clips(lessons):
    sizes = {(clips[0], len(clips)) for clips, _ in lessons.taken}
    assert sizes == {("plain", 16), *((n, 16 * FRAMES // n) for n in FRAME_COUNTS)}
    late = Counter(clips[0] for clips, _ in lessons.taken[round(1000 * PLAIN_PART[1]) :])
    for frames, share in FRAME_COUNTS.items():
        assert late[frames] / late.total() == pytest.approx(share, abs=0.04)


def test_the_plainest_clips_come_first_and_fade_out(lessons):
    plain = [clips[0] == "plain" for clips, _ in lessons.taken]
    start, end = (round(1000 * part) for part in PLAIN_PART)
    assert all(plain[:start])
    assert sum(plain[start:end]) / (end - start) == pytest.approx(0.5, abs=0.12)
    assert not any(plain[end:])


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


def test_a_skill_without_false_sentences_has_no_accuracy():
    assert math.isnan(accuracies([("count", True, True)])["count"])


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
    assert pools.POOL <= len(pool.kept) <= pools.POOL + 80


def test_a_pool_can_begin_with_more_than_its_first_batch():
    pool = Pool(random.Random(0), lambda rng: rng.random(), fill=4)
    assert len(set(pool.take(8))) > 5
    assert len(pool.kept) == 4 * 8 + 2
    pool.take(8)
    assert len(pool.kept) == 4 * 8 + 4


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


def test_prompts_about_a_clip_keep_to_their_room():
    course, fewer, lengths = Course(SMALL), 0, set()
    for _ in range(200):
        clip = imagine(course.rng)
        before = course.balance.asked.total()
        branches = course.branches(clip)
        asked = [len(branch.asked) for branch in branches]
        # What tips the balance is learned, all of it.
        assert course.balance.asked.total() - before == sum(asked)
        head = course.packed.branches.verification
        caption = next((b for b in branches if b.tokens[0] == head), None)
        judged = branches[1:] if caption else branches
        assert len(judged) <= JUDGED
        assert all(len(branch.asked) == 1 for branch in judged)
        tokens = [len(branch.tokens) for branch in branches]
        assert sum(tokens[:-1]) < ROOM
        fewer += sum(tokens) >= ROOM and len(judged) < JUDGED
        lengths.add(len(caption.asked) if caption else 0)
    assert 20 < fewer < 150
    assert lengths >= set(range(2, MOST_SENTENCES + 1))


def test_a_folder_is_trained_in_by_one_process(tmp_path):
    with (
        FileLock(tmp_path / ".lock"),
        pytest.raises(SystemExit, match="another process trains"),
    ):
        train.main([str(tmp_path), *TINY])
    assert not (tmp_path / train.LOG).exists()


def test_a_state_without_its_log_is_refused(tmp_path):
    train.main([str(tmp_path), *TINY, "--until", "1"])
    (tmp_path / train.LOG).unlink()
    with pytest.raises(SystemExit, match="does not tell of the run"):
        train.main([str(tmp_path), *TINY])
