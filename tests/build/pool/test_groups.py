"""Names that are linked are of one group, whatever the order of the links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from vidomni_plugin.build.pool.groups import groups

NAMES = "abcdefghijkl"
LINKS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)))


@given(LINKS, st.randoms(use_true_random=False))
def test_groups_are_the_connected_parts(links, drawn):
    found = groups(links)
    ends = [[NAMES.index(name) for name in side] for side in zip(*links, strict=True)] or [[], []]
    size = len(NAMES)
    _, part = connected_components(coo_array(([1] * len(links), ends), (size, size)), False)
    named = {name for link in links for name in link}
    first = {
        name: min(n for n in named if part[NAMES.index(n)] == part[NAMES.index(name)])
        for name in named
    }
    assert found == first
    drawn.shuffle(links)
    assert groups(links) == found


def test_nothing_has_no_group():
    assert groups([]) == {}
