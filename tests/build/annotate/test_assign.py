"""Who judges what: the rules of the paper, balance, and the seed."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build.annotate.exported import caption
from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.assign import PILOT, assign, choose_pilot


def people(trusted: int, others: int) -> list[Annotator]:
    count = trusted + others
    return [
        Annotator(name=f"p{k}", email=f"p{k}@lab.org", trusted=k < trusted) for k in range(count)
    ]


def captions(sizes: list[int], sources: int = 1):
    """Return ``sources`` captions of each video, with these numbers of sentences."""
    return [
        caption(f"v{k:03d}__{source}", ["A dot."] * size, source=f"s{source}")
        for k, size in enumerate(sizes)
        for source in range(sources)
    ]


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=60),
    trusted=st.integers(1, 4),
    others=st.integers(1, 4),
    seed=st.integers(0, 9),
    data=st.data(),
)
def test_every_pair_has_its_people(sizes, trusted, others, seed, data):
    staff = people(trusted, others)
    per_pair = data.draw(st.integers(2, len(staff)))
    pilot = data.draw(st.integers(0, len(sizes)))
    items = captions(sizes, sources=2)
    assigned = assign(items, staff, seed=seed, per_pair=per_pair, batch_size=7, pilot=pilot)
    assert sorted(a.caption.pair_id for a in assigned) == sorted(c.pair_id for c in items)
    names = {person.name for person in staff if person.trusted}
    teams = defaultdict(set)
    for one in assigned:
        assert len(set(one.annotators)) == (len(staff) if one.batch == PILOT else per_pair)
        assert names & set(one.annotators)
        if one.batch != PILOT:
            teams[one.caption.video_id].add(one.annotators)
    assert all(len(team) == 1 for team in teams.values())
    sizes_of_batches = Counter(one.batch for one in assigned)
    assert sizes_of_batches.pop(PILOT, 0) == pilot
    assert sorted(sizes_of_batches.values(), reverse=True)[:-1] == [7] * (len(sizes_of_batches) - 1)
    again = assign(
        items[::-1], staff[::-1], seed=seed, per_pair=per_pair, batch_size=7, pilot=pilot
    )
    assert again == assigned


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(1, 40), min_size=10, max_size=80), seed=st.integers(0, 9))
def test_the_load_is_balanced(sizes, seed):
    """All trusted: nobody has more than one video's work above anybody else."""
    staff = people(5, 0)
    assigned = assign(captions(sizes), staff, seed=seed, per_pair=2, batch_size=100, pilot=0)
    load = Counter({person.name: 0 for person in staff})
    for one in assigned:
        for name in one.annotators:
            load[name] += len(one.caption.sentences)
    assert max(load.values()) - min(load.values()) <= max(sizes)


def test_one_trusted_person_has_every_pair_and_the_others_share_the_rest():
    assigned = assign(
        captions([10] * 40), people(1, 4), seed=1, per_pair=2, batch_size=100, pilot=0
    )
    load = Counter(name for one in assigned for name in one.annotators)
    assert load == {"p0": 40, "p1": 10, "p2": 10, "p3": 10, "p4": 10}


def test_teams_mix():
    """Fixed pairs of annotators could not be compared with each other."""
    assigned = assign(
        captions([10] * 100), people(5, 0), seed=1, per_pair=2, batch_size=100, pilot=0
    )
    assert len({one.annotators for one in assigned}) >= 8  # of 10 possible pairs


def test_the_pilot_comes_first_and_stays_when_people_are_trusted():
    items = captions([3] * 30, sources=5)
    before = assign(items, people(0, 5), seed=4, per_pair=2, batch_size=100, pilot=10)
    after = assign(items, people(3, 2), seed=4, per_pair=2, batch_size=100, pilot=10)
    assert {one.batch for one in before} == {PILOT}
    assert after[:10] == before
    assert len({one.caption.video_id for one in before}) == 10
    assert Counter(one.caption.caption_source for one in before) == {f"s{k}": 2 for k in range(5)}
    assert choose_pilot(items, 10, 5) != choose_pilot(items, 10, 4)


def test_a_full_size_plan():
    """2,500 pairs, five people: batches of exactly 100, all within a percent of equal work."""
    items = captions([26] * 500, sources=5)
    assigned = assign(items, people(3, 2), seed=0, per_pair=2, batch_size=100, pilot=0)
    assert set(Counter(one.batch for one in assigned).values()) == {100}
    load = Counter(name for one in assigned for name in one.annotators)
    assert max(load.values()) - min(load.values()) <= 10
