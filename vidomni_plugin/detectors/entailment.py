"""How much a model says yes, from the logits of its next token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logsumexp

__all__ = ["frame_indices", "read_position", "yes_against_no", "yes_in_vocabulary"]


def yes_against_no(yes: float, no: float) -> float:
    r"""Return the share of yes among yes and no, the entailment score of VideoCon's code.

    .. math::
        \frac{p(yes)}{p(yes) + p(no)} = \sigma(l_{yes} - l_{no})

    The right side stays finite where another token takes all the probability, and it is the same
    number everywhere else.

    Args:
        yes: Logit of the first token of "Yes".
        no: Logit of the first token of "No".

    Returns:
        A share in [0, 1], higher is more support; NaN where a logit is, or both are infinite
        alike.

    Example:
        >>> yes_against_no(2.0, 2.0)
        0.5
    """
    with np.errstate(invalid="ignore"):
        return float(expit(np.float64(yes) - np.float64(no)))


def yes_in_vocabulary(logits: ArrayLike, yes: int) -> float:
    """Return the probability of yes over the whole vocabulary, as VQAScore has it.

    Args:
        logits: Of every token, shape ``(V,)``.
        yes: Id of the first token of "Yes".

    Returns:
        A probability in [0, 1], higher is more support; NaN where a logit is NaN or +inf.

    Raises:
        ValueError: If there is no such token.

    Example:
        >>> yes_in_vocabulary([0.0, 0.0, 0.0, 0.0], 1)
        0.25
    """
    values = np.asarray(logits, dtype=np.float64)
    if values.ndim != 1 or not 0 <= yes < len(values):
        raise ValueError(f"no token {yes} among logits of shape {values.shape}")
    with np.errstate(invalid="ignore"):
        return float(np.exp(values[yes] - logsumexp(values)))


def read_position(token_ids: Sequence[int], padding: int) -> int:
    """Return where VideoCon's code reads the next token: before the first padding, or at the end.

    Raises:
        ValueError: If nothing stands before the padding, as where texts are padded on the left.

    Example:
        >>> read_position([5, 6, 0, 0], 0), read_position([5, 6, 7], 0)
        (1, 2)
    """
    ids = list(token_ids)
    after = ids.index(padding) if padding in ids else len(ids)
    if not after:
        raise ValueError("no token before the padding: texts are padded on the right")
    return after - 1


def frame_indices(frames: int, wanted: int) -> list[int]:
    """Return which frames VideoCon's code takes; those of a short video come several times.

    Args:
        frames: How many the video has, at least 1.
        wanted: How many to take, at least 1.

    Raises:
        ValueError: If there is no frame, or none is wanted.

    Example:
        >>> frame_indices(100, 4), frame_indices(2, 4)
        ([12, 37, 62, 86], [0, 0, 0, 1])
    """
    if frames < 1 or wanted < 1:
        raise ValueError(f"{wanted} frames of {frames}")
    segment = (frames - 1) / wanted
    return [int(segment / 2) + round(segment * k) for k in range(wanted)]
