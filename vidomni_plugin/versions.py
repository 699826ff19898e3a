"""Versions of installed packages, as scored items record them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

__all__ = ["host_version"]


@cache
def host_version() -> str | None:
    """Return the installed version of lmms-eval; None where it is not installed.

    What the host logs as its version is the git commit of the folder that it was started in.
    """
    try:
        return version("lmms-eval")
    except PackageNotFoundError:  # samples can be scored without it
        return None
