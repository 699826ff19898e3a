"""Whole videos to the ranks of a run, and to the shards of a job array."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

__all__ = ["deal", "shard_videos"]

TRIES = 500
"""Ways to fill ranks that are tried for a perfect split; after them some video may be split."""


def deal(videos: Sequence[str], ranks: int, start: int = 0, stop: int | None = None) -> list[int]:
    """Return an order of the documents in which each rank of the host gets whole videos.

    The host gives document ``start + k`` to rank ``k % ranks``, so that the questions about one
    video go to several ranks, and each of them decodes it. How many documents a rank gets is
    the host's; which ones is chosen here. A video is split only where the counts allow no
    other way that was found, and never more than ``ranks - 1`` videos are.

    Args:
        videos: The video of each document.
        ranks: Processes that share the work.
        start: The host's ``--offset``. No document crosses it, nor ``stop``, so that the
            documents of a run are the same for any number of ranks.
        stop: Where the host's ``--limit`` ends; None is the end.

    Returns:
        For each place the index of the document that goes there.

    Example:
        >>> deal(["a", "a", "b", "b"], 2)  # rank 0 gets places 0 and 2, rank 1 places 1 and 3
        [0, 2, 1, 3]
        >>> deal(["a", "b", "b", "c"], 2, start=1, stop=3)
        [0, 1, 2, 3]
    """
    order = list(range(len(videos)))
    inside = order[start:stop]
    if ranks < 2 or not inside:
        return order
    documents: dict[str, deque[int]] = {}
    for index in inside:
        documents.setdefault(videos[index], deque()).append(index)
    place = {video: k for k, video in enumerate(documents)}
    rooms = [len(range(rank, len(inside), ranks)) for rank in range(ranks)]
    shares = _shares({video: len(own) for video, own in documents.items()}, rooms)
    for rank, share in enumerate(shares):
        share.sort(key=lambda part: place[part.video])
        dealt = [documents[video].popleft() for video, number in share for _ in range(number)]
        order[start + rank : start + len(inside) : ranks] = dealt
    return order


def shard_videos(videos: Sequence[str], shards: int) -> dict[str, int]:
    """Return the shard of each video, from 1 on; whole videos, so balanced as they allow.

    The largest video goes to the smallest shard, again and again. The order of the documents
    does not matter, so that each job finds the same shards.

    Args:
        videos: The video of each document.
        shards: How many there are.

    Example:
        >>> shard_videos(["a", "b", "b", "b", "c", "d"], 2)
        {'b': 1, 'a': 2, 'c': 2, 'd': 2}
    """
    loads = [0] * shards
    chosen: dict[str, int] = {}
    for video, number in sorted(Counter(videos).items(), key=lambda known: (-known[1], known[0])):
        smallest = loads.index(min(loads))
        loads[smallest] += number
        chosen[video] = smallest + 1
    return chosen


class Part(NamedTuple):
    """A video of a rank, and how many of its documents."""

    video: str
    number: int


Share = list[Part]
Sizes = dict[int, int]
"""How many videos there are of each number of documents, largest first."""


def _shares(sizes: dict[str, int], rooms: Sequence[int]) -> list[Share]:
    """Return what each rank gets: whole videos, but for at most ``len(rooms) - 1`` of them."""
    waiting: dict[int, deque[str]] = {}
    for video, size in sizes.items():
        waiting.setdefault(size, deque()).append(video)
    counts = {size: len(waiting[size]) for size in sorted(waiting, reverse=True)}

    def take(chosen: Sizes) -> Share:
        return [Part(waiting[size].popleft(), size) for size, n in chosen.items() for _ in range(n)]

    perfect = _perfect(counts, list(rooms), count())
    if perfect is not None:
        return [take(chosen) for chosen in perfect]
    shares: list[Share] = [[] for _ in rooms]
    open_ranks = list(range(len(rooms)))
    rest: Part | None = None
    while open_ranks:
        rank = _best_next(open_ranks, rooms, counts, rest.number if rest else 0)
        open_ranks.remove(rank)
        room = rooms[rank]
        if rest is not None:
            part = Part(rest.video, min(rest.number, room))
            shares[rank].append(part)
            room -= part.number
            left = rest.number - part.number
            rest = Part(rest.video, left) if left else None
        target = _fullest(counts, room)
        chosen = next(_ways(counts, target))
        counts = _without(counts, chosen)
        shares[rank] += take(chosen)
        gap = room - target
        if gap:  # only a larger video is left for it, otherwise it would have been taken whole
            size = min(size for size, n in counts.items() if n and size > gap)
            counts = _without(counts, {size: 1})
            video = waiting[size].popleft()
            shares[rank].append(Part(video, gap))
            rest = Part(video, size - gap)
    return shares


def _perfect(counts: Sizes, rooms: list[int], tries: Iterator[int]) -> list[Sizes] | None:
    """Return a way to fill all rooms with whole videos; None where none was found in time."""
    if not rooms:
        return []
    if any(_fullest(counts, room) < room for room in rooms):
        return None
    for chosen in _ways(counts, rooms[0]):
        if next(tries) >= TRIES:
            return None
        others = _perfect(_without(counts, chosen), rooms[1:], tries)
        if others is not None:
            return [chosen, *others]
    return None


def _best_next(ranks: Sequence[int], rooms: Sequence[int], counts: Sizes, rest: int) -> int:
    """Return a rank that the rest of a split video and whole videos fill; else the first."""
    for rank in ranks:
        room = rooms[rank] - rest
        if room >= 0 and _fullest(counts, room) == room:
            return rank
    return ranks[0]


def _without(counts: Sizes, chosen: Sizes) -> Sizes:
    return {size: n - chosen.get(size, 0) for size, n in counts.items()}


def _reachable(counts: Sizes, most: int) -> list[int]:
    """Return sums up to ``most``: bit t of entry k says that sizes from the k-th on can make t."""
    mask = (1 << (most + 1)) - 1
    reach = [1]
    for size, number in reversed(counts.items()):
        sums, part = reach[-1], 1
        while number > 0:
            step = min(part, number)
            sums |= (sums << (size * step)) & mask
            number -= step
            part *= 2
        reach.append(sums)
    return reach[::-1]


def _fullest(counts: Sizes, room: int) -> int:
    """Return the largest number of documents up to ``room`` that whole videos give."""
    return _reachable(counts, room)[0].bit_length() - 1


def _ways(counts: Sizes, target: int) -> Iterator[Sizes]:
    """Yield the choices of videos with ``target`` documents, large videos first."""
    sizes = list(counts.items())
    reach = _reachable(counts, target)

    def rest(k: int, left: int) -> Iterator[Sizes]:
        if k == len(sizes):
            yield {}
            return
        size, number = sizes[k]
        for taken in range(min(number, left // size), -1, -1):
            if reach[k + 1] >> (left - taken * size) & 1:
                for others in rest(k + 1, left - taken * size):
                    yield ({size: taken} if taken else {}) | others

    yield from rest(0, target)
