"""The arguments of the prefix runners that the host's runners do not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["Mode", "Sharing", "sharing"]

Mode = Literal["off", "enc", "kv", "kvb"]
"""What the questions of a video share: nothing; the frames and the vision tower; the language
model's prefix as well; that, and one batch for all of them."""

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Sharing:
    """What the questions of one video share."""

    mode: Mode
    cache_bytes: int
    """What the cache of keys and values may hold; ``enc`` and ``off`` do not look at it."""
    labels_only: bool
    """Stop an answer when its label dictionary is complete."""


def sharing(prefix: object, prefix_gb: object, labels_only: object) -> Sharing:
    """Return the arguments as the host parsed them, checked.

    Args:
        prefix: One of ``Mode``. The host reads ``off`` as a word, a Python user may say False.
        prefix_gb: Larger than 0, in GiB.
        labels_only: True or False.

    Raises:
        ValueError: If one of them cannot be used; the message says what is known.

    Example:
        >>> sharing("kv", 0.5, False)
        Sharing(mode='kv', cache_bytes=536870912, labels_only=False)
    """
    modes: tuple[Mode, ...] = get_args(Mode)
    mode = next((mode for mode in modes if prefix == mode), None)
    if prefix is False:
        mode = "off"
    if mode is None:
        raise ValueError(f"prefix={prefix!r} is not known; give one of {', '.join(modes)}")
    if isinstance(prefix_gb, bool) or not isinstance(prefix_gb, (int, float)) or not prefix_gb > 0:
        raise ValueError(f"prefix_gb={prefix_gb!r} is not a number of GiB above 0")
    if not isinstance(labels_only, bool):
        raise ValueError(f"labels_only={labels_only!r} is neither true nor false")
    return Sharing(mode, int(min(prefix_gb, 2**20) * GIB), labels_only)
