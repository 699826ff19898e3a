"""Join names that belong together, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["groups"]


def groups(links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return for each name the first, in sorted order, of all that it is linked to.

    Args:
        links: Names that belong together; a name with itself is a group of its own.

    Example:
        >>> groups([("c", "b"), ("b", "a"), ("x", "x")])
        {'c': 'a', 'b': 'a', 'a': 'a', 'x': 'x'}
    """
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while (over := above.setdefault(name, name)) != name:
            above[name] = name = above[over]
        return name

    for one, other in links:
        first, second = sorted((top(one), top(other)))
        above[second] = first
    return {name: top(name) for name in above}
