"""Cut a dense caption into sentences that keep their place in it.

Lines give the outer borders (list items, headings, paragraphs), ``ends`` finds the sentence
ends within a line. Where a full stop is not settled by its surroundings, the segmenter
sentencex decides, which knows the abbreviations of many languages.
"""

from __future__ import annotations

from vidomni_plugin.build.segment.ends import ends
from vidomni_plugin.build.segment.lines import blocks
from vidomni_plugin.records import CaptionSentence

__all__ = ["split_sentences"]


def split_sentences(caption: str) -> list[CaptionSentence]:
    r"""Return the sentences of a caption in their order, repeated ones included.

    Every character that is not white space belongs to exactly one sentence, so that the
    sentences with the white space between them are the caption again. List marks, headings'
    marks and rules are part of the sentence they stand at.

    Args:
        caption: What a model wrote, with or without Markdown.

    Returns:
        Text and offsets of each sentence, without white space around it; none for a caption
        that is empty or white space. Never raises.

    Example:
        >>> for s in split_sentences("Dr. Lee rolls it 0.5 m. away. It stops\n- the end"):
        ...     print((s.start, s.end, s.text))
        (0, 29, 'Dr. Lee rolls it 0.5 m. away.')
        (30, 38, 'It stops')
        (39, 48, '- the end')
    """
    pieces: list[tuple[int, int]] = []
    for block in blocks(caption):
        at = block.start
        inner = caption[block.start : block.end]
        for end in (*ends(inner), len(inner)):
            piece = _stripped(caption, at, block.start + end)
            if piece is not None:
                pieces.append(piece)
            at = block.start + end
    return [
        CaptionSentence(text=caption[start:end], start=start, end=end)
        for start, end in _with_words(caption, pieces)
    ]


def _stripped(caption: str, start: int, end: int) -> tuple[int, int] | None:
    text = caption[start:end]
    inner = text.strip()
    if not inner:
        return None
    left = start + len(text) - len(text.lstrip())
    return left, left + len(inner)


def _with_words(caption: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pieces; one without a letter or digit joins the one before it, or the next."""
    joined: list[tuple[int, int]] = []
    waiting: int | None = None
    for start, end in pieces:
        if any(map(str.isalnum, caption[start:end])):
            joined.append((start if waiting is None else waiting, end))
            waiting = None
        elif joined:
            joined[-1] = (joined[-1][0], end)
        elif waiting is None:
            waiting = start
    if waiting is not None:
        joined.append((waiting, pieces[-1][1]))
    return joined
