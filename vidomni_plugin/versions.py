"""Versions of installed packages, as scored items record them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

__all__ = ["host_version", "package_version"]


@cache
def package_version(package: str) -> str | None:
    """Return the installed version of a package; None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def host_version() -> str | None:
    """Return the installed version of lmms-eval; None where it is not installed.

    Samples can be scored without it. What the host logs as its version is the git commit of the
    folder that it was started in.
    """
    return package_version("lmms-eval")
