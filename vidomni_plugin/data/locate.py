"""Where the data of a benchmark are, and how that was decided."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, NamedTuple

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem

__all__ = [
    "Benchmark",
    "DataRoot",
    "holding",
    "home",
    "is_named",
    "listed_videos",
    "locate",
    "mini_root",
]

Benchmark = Literal["vidomni", "vidhalloc"]

VARIABLE: dict[Benchmark, str] = {"vidomni": "VIDOMNI_DATA", "vidhalloc": "VIDHALLOC_DATA"}
MARKER: dict[Benchmark, str] = {"vidomni": "pairs.jsonl", "vidhalloc": "Datasets"}
"""What lies directly in the root of a data set."""
HUB_ID: dict[Benchmark, str] = {"vidhalloc": "wesfggfd/VidHalLoc"}
"""Public hub data sets; VidOmni has none."""

MINI = "mini"
"""Given as root it stands for the built-in sample, unless there is a folder of that name."""
DEFAULT = "default folder"
"""Origin of data that nobody named a folder for."""


class DataRoot(NamedTuple):
    """A folder that holds a benchmark's data, and what pointed there."""

    path: Path
    origin: str


def home() -> Path:
    """Return the folder of this project's caches: ``VIDOMNI_HOME`` or ``~/.cache/vidomni``."""
    return path_of(os.environ.get("VIDOMNI_HOME") or "~/.cache/vidomni")


def mini_root(benchmark: Benchmark) -> DataRoot:
    """Return the folder of the built-in sample."""
    return DataRoot(Path(__file__).parent / "mini" / benchmark, "built-in sample")


def locate(
    benchmark: Benchmark, root: Path | None = None, *, may_download: bool = True
) -> DataRoot:
    """Find the data of one benchmark.

    The first of these that is set or there decides: the ``root`` given, the benchmark's
    variable, ``<home>/<benchmark>``, and for VidHalLoc the hub data set (downloaded once; with
    ``HF_HUB_OFFLINE`` only the hub's cache on this machine is asked). A root that was named but
    holds no data is an error; the next place is not tried in its stead. Data one folder deeper
    are found as well.

    Args:
        benchmark: "vidomni" or "vidhalloc".
        root: A folder that goes before every other place.
        may_download: Whether the hub may be asked.

    Returns:
        The folder that holds ``pairs.jsonl`` or ``Datasets/``, and why it was chosen.

    Raises:
        InputProblems: If there are no data; says where was looked and what to do.
    """
    default, origin = _first_place(benchmark, root)
    if found := holding(default, benchmark):
        return DataRoot(found, origin)
    if origin != DEFAULT:
        raise _no_data(benchmark, [(f"{origin} = {default}", _nothing(benchmark))])
    looked = [(VARIABLE[benchmark], "not set"), (f"{default} ({origin})", _nothing(benchmark))]
    if benchmark in HUB_ID and may_download:
        from vidomni_plugin.data.fetch.vidhalloc import lacks
        from vidomni_plugin.data.hub import HubUnreachable, download

        try:
            download(HUB_ID[benchmark], default, lacks=lacks)
        except HubUnreachable as reason:
            looked.append((f"hub data set {HUB_ID[benchmark]}", str(reason)))
        else:
            if found := holding(default, benchmark):
                return DataRoot(found, f"hub data set {HUB_ID[benchmark]}")
            looked.append((f"hub data set {HUB_ID[benchmark]}", _nothing(benchmark)))
    raise _no_data(benchmark, looked)


def listed_videos(root: Path | None = None) -> DataRoot | None:
    """Return the VidOmni folder that has a list of videos, with pairs or not yet; else None.

    It is looked for in the first place where ``locate`` looks, and in no other.
    """
    place = _first_place("vidomni", root)
    return place if os.path.isfile(place.path / "videos.jsonl") else None


def is_named(benchmark: Benchmark) -> bool:
    """Return whether the benchmark's variable names its folder."""
    return bool(os.environ.get(VARIABLE[benchmark]))


def _first_place(benchmark: Benchmark, root: Path | None) -> DataRoot:
    """Return the folder that was named (``root``, the variable), else the default one."""
    named = os.environ.get(VARIABLE[benchmark])
    if root == Path(MINI) and not root.exists():
        return mini_root(benchmark)
    if root:
        return DataRoot(root, "--root")
    if named:
        return DataRoot(path_of(named), VARIABLE[benchmark])
    return DataRoot(home() / benchmark, DEFAULT)


def holding(folder: Path, benchmark: Benchmark) -> Path | None:
    """Return the folder itself, or its only subfolder, that holds the benchmark's marker."""
    marker = MARKER[benchmark]
    try:
        if (folder / marker).exists():
            return folder
        if not folder.is_dir():
            return None
        nested = [child for child in sorted(folder.iterdir()) if (child / marker).exists()]
    except OSError:
        return None  # a folder that cannot be entered holds nothing for us
    return nested[0] if len(nested) == 1 else None


def _nothing(benchmark: Benchmark) -> str:
    return f"no {MARKER[benchmark]} there"


def _no_data(benchmark: Benchmark, looked: list[tuple[str, str]]) -> InputProblems:
    layout = f"a folder that holds {MARKER[benchmark]}"
    what = "data" if benchmark in HUB_ID else "videos of a manifest"
    hint = (
        f"vidomni data fetch {benchmark} gets the {what}; or set {VARIABLE[benchmark]} to "
        f"{layout}, or put the data into {home() / benchmark}; vidomni data import makes such a "
        "folder of other files; to try the set-up without data, run the task "
        f"{benchmark}_mini, or give --root mini to vidomni data check and stats"
    )
    problems = [Problem("no-data", place, reason, hint) for place, reason in looked]
    return InputProblems(f"no data for {benchmark}", problems)
