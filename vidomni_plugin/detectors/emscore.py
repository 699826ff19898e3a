"""EMScore of one text against one video: coarse, and word against frame (MIT code, 20bce0a).

Scores are those of the item alone. The public code pads the items of a batch, and padding takes
part in its maxima as 0, so that there an item's score depends on its neighbours; here it does not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["EMScore", "IdfTable", "emscore", "idf_table", "unit"]

Floats = NDArray[np.float64]


class EMScore(NamedTuple):
    """Scores of one item, higher is more support; NaN where a denominator is 0.

    All but the F values are in [-1, 1]. An F leaves that where its two parts differ in sign.
    """

    coarse: float
    """Cosine of the text and the video as a whole."""
    precision: float
    """Weighted mean over words of the best frame's similarity."""
    recall: float
    """Mean over frames of the best word's similarity."""
    f: float
    full_precision: float
    full_recall: float
    full_f: float
    """Mean of ``coarse`` and ``f``: the EMScore that papers report."""
    frame_scores: tuple[float, ...]
    """Similarity of each frame's best word, whose mean is ``recall``."""


class IdfTable(NamedTuple):
    """Weights of tokens in a corpus."""

    weights: Mapping[int, float]
    unseen: float
    """Weight of a token that no document of the corpus has."""

    def of(self, token_ids: Iterable[int]) -> list[float]:
        """Return the weight of each token of a text."""
        return [self.weights.get(token, self.unseen) for token in token_ids]


def emscore(frames: ArrayLike, words: ArrayLike, weights: Sequence[float] | None = None) -> EMScore:
    r"""Return EMScore of one text against one video.

    With unit vectors f_t of the frames and w_i of the words, v the unit vector of the mean of all
    f_t, and idf weights a_i:

    .. math::
        c = w_{EOS} \cdot v, \quad P = \frac{\sum_i a_i \max_t w_i f_t}{\sum_i a_i}, \quad
        R = \frac1T \sum_t \max_i w_i f_t, \quad F = \frac{2PR}{P+R}, \quad
        \mathrm{EMScore} = \frac{F + c}{2}

    Args:
        frames: Features of the frames, shape ``(T, D)``, of any length.
        words: Features of all tokens from start to end of text, shape ``(L, D)``; the last row is
            that of the whole text.
        weights: Weight of each token, shape ``(L,)``; None for 1 each.

    Raises:
        ValueError: If the shapes do not fit, or there is no frame or no word.

    Example:
        >>> found = emscore([[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [1.0, 1.0]])
        >>> round(found.precision, 3), round(found.recall, 3), round(found.full_f, 3)
        (0.854, 0.854, 0.927)
    """
    f, w = unit(frames), unit(words)
    if f.shape[1] != w.shape[1]:
        raise ValueError(f"frames of {f.shape[1]} numbers and words of {w.shape[1]}")
    a = np.ones(len(w)) if weights is None else np.asarray(weights, dtype=np.float64)
    if a.shape != (len(w),):
        raise ValueError(f"{a.size} weights for {len(w)} words")
    with np.errstate(divide="ignore", invalid="ignore"):
        coarse = float(w[-1] @ unit(f.mean(axis=0, keepdims=True))[0])
        similarity = w @ f.T
        of_frames = similarity.max(axis=0)
        precision = float(np.divide(a @ similarity.max(axis=1), a.sum()))
        recall = float(of_frames.mean())
        fine = float(np.divide(2 * precision * recall, np.float64(precision + recall)))
    return EMScore(
        coarse=coarse,
        precision=precision,
        recall=recall,
        f=fine,
        full_precision=(precision + coarse) / 2,
        full_recall=(recall + coarse) / 2,
        full_f=(fine + coarse) / 2,
        frame_scores=tuple(of_frames.tolist()),
    )


def unit(rows: ArrayLike) -> Floats:
    """Return rows with length 1 each, shape ``(n, D)``; a row of zeros becomes NaN.

    Raises:
        ValueError: If there is no row, or the rows are not two-dimensional.
    """
    values = np.asarray(rows, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"features of shape {values.shape}: one row a frame or a word is needed")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True))


def idf_table(documents: Iterable[Iterable[int]], *, end: int, padding: int = 0) -> IdfTable:
    r"""Return the weight of each token in a corpus, as EMScore's code finds it.

    .. math::
        \mathrm{idf}(x) = \ln \frac{N + 1}{\mathrm{df}(x) + 1}

    Every document counts as padded, so that ``padding`` weighs 0. The end of text, which every
    document has too, gets the mean of the table instead of 0. One document alone gives weights
    of 0 and so no score: take a corpus of many.

    Args:
        documents: Token ids of each text of the corpus, from start to end of text.
        end: Id of the end of text.
        padding: Id that fills short texts up.

    Raises:
        ValueError: If there is no document.
    """
    texts = [{*document, padding} for document in documents]
    if not texts:
        raise ValueError("a corpus without a document")
    often = Counter(token for text in texts for token in text)
    table = {token: math.log((len(texts) + 1) / (df + 1)) for token, df in often.items()}
    table[end] = sum(table.values()) / len(table)
    return IdfTable(table, math.log(len(texts) + 1))
