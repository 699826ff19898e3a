"""Texts that spell a token of the model's own are not asked about: they have no score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from vidomni_plugin.models.detectors.base import Scored

__all__ = ["scored_where_plain"]


def scored_where_plain(
    texts: Sequence[str],
    special_token_in: Callable[[str], str | None],
    scores: Callable[[Sequence[str]], Iterator[Scored]],
) -> Iterator[Scored]:
    """Yield the score of each text, one after the other.

    Args:
        texts: All of them.
        special_token_in: Returns the token that a text spells; None where it is plain.
        scores: Called once with the plain ones; yields the score of each, in their order.
    """
    marks = [special_token_in(text) for text in texts]
    found = scores([text for text, mark in zip(texts, marks, strict=True) if mark is None])
    for mark in marks:
        if mark is None:
            yield next(found)
        else:
            yield Scored(None, {"status": "special_token", "token": mark})
