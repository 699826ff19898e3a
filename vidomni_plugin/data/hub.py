"""Download a public data set of the Hugging Face hub, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from vidomni_plugin.data.fetch.place import SPARE_BYTES, copy_tree, readable_size

__all__ = [
    "HubTree",
    "HubUnreachable",
    "cached",
    "download",
    "fill",
    "listing",
    "missing",
    "model_place",
]


class HubUnreachable(RuntimeError):
    """The hub did not give the data set; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class HubTree:
    """The files of a data set at one commit."""

    commit: str
    sizes: dict[str, int]
    """Bytes by path in the data set."""


def download(
    repo_id: str,
    target: Path,
    revision: str | None = None,
    *,
    lacks: Callable[[Path], Sequence[object]] = lambda folder: (),
) -> None:
    """Download a data set into ``target``, or link it from the hub's cache on this machine.

    Files arrive in ``<target>.download``, which is renamed once all are there: an
    interrupted download is resumed by the next call and never taken for a whole one. Several
    processes may call this; one downloads, the others wait. Where the hub cannot be reached
    (or ``HF_HUB_OFFLINE`` is set), a snapshot in the hub's cache takes its place.

    Args:
        repo_id: Data set id such as "owner/name".
        target: Folder that is to hold the files; must not exist unless it is complete.
        revision: Branch, tag or commit; None for the main branch.
        lacks: Names what a snapshot in the cache lacks: it may hold some of the files only.

    Raises:
        HubUnreachable: If the hub is offline, unreachable or refuses, or there is no space.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target}.lock"):
            if target.exists():
                return
            partial = target.with_name(f"{target.name}.download")
            try:
                fill(repo_id, partial, listing(repo_id, revision))
            except HubUnreachable as reason:
                snapshot = cached(repo_id, revision)
                if snapshot is None:
                    raise
                if lost := lacks(snapshot):
                    text = f"{reason}; the hub's cache {snapshot} is not whole: {lost[0]}"
                    raise HubUnreachable(text) from reason
                partial = target.with_name(f"{target.name}.linking")
                shutil.rmtree(partial, ignore_errors=True)  # links of a call that was killed
                copy_tree(snapshot, partial)
            partial.rename(target)
    except OSError as error:
        raise HubUnreachable(_line(error)) from error


def listing(repo_id: str, revision: str | None = None) -> HubTree:
    """Return the files of a data set, asked from the hub.

    Raises:
        HubUnreachable: If the hub is offline, unreachable or refuses.
    """
    from huggingface_hub import HfApi, constants
    from huggingface_hub.hf_api import RepoFile

    if constants.HF_HUB_OFFLINE:
        raise HubUnreachable("not tried, HF_HUB_OFFLINE is set")
    try:
        api = HfApi()
        commit = api.dataset_info(repo_id, revision=revision or "main").sha
        entries = api.list_repo_tree(repo_id, recursive=True, revision=commit, repo_type="dataset")
        return HubTree(str(commit), {e.path: e.size for e in entries if isinstance(e, RepoFile)})
    except _errors() as error:
        raise HubUnreachable(_line(error)) from error


def fill(repo_id: str, folder: Path, tree: HubTree) -> None:
    """Download into ``folder`` what is not there yet; a file that was cut off is gone on with.

    Raises:
        HubUnreachable: If there is no space for what is missing, or not all of it arrived.
    """
    from huggingface_hub import snapshot_download

    try:
        folder.mkdir(parents=True, exist_ok=True)
        needed = sum(missing(tree, folder).values())
        free = shutil.disk_usage(folder).free
        if needed and needed + SPARE_BYTES > free:
            raise HubUnreachable(
                f"no space: {readable_size(needed)} needed, {readable_size(free)} free in {folder}"
            )
        snapshot_download(repo_id, repo_type="dataset", revision=tree.commit, local_dir=folder)
    except _errors() as error:
        raise HubUnreachable(_line(error)) from error
    # Where the hub stops answering, the hub's client may return a folder that is not whole.
    if lost := missing(tree, folder):
        raise HubUnreachable(f"{len(lost)} files did not arrive, the first is {min(lost)}")


def missing(tree: HubTree, folder: Path) -> dict[str, int]:
    """Return the files of a data set that ``folder`` lacks, or has in another size, with bytes."""

    def size(path: Path) -> int:
        return path.stat().st_size if path.is_file() else -1

    return {name: count for name, count in tree.sizes.items() if size(folder / name) != count}


def cached(repo_id: str, revision: str | None = None) -> Path | None:
    """Return the snapshot of a data set in the hub's cache on this machine, or None.

    The hub's client says of no old snapshot whether it is whole: look at what it holds.
    """
    from huggingface_hub import snapshot_download

    try:
        found = snapshot_download(
            repo_id, repo_type="dataset", revision=revision, local_files_only=True
        )
    except _errors():
        return None
    return Path(found)


def model_place(repo_id: str) -> str:
    """Return what a model is to be loaded from: its id, or its folder in the cache of the hub.

    The latter where the hub does not answer.

    The hub is asked once, for the configuration: loaders ask it for minutes, file by file.

    Raises:
        HubUnreachable: If neither the hub nor its cache on this machine has the model.
    """
    from huggingface_hub import (
        constants,
        get_hf_file_metadata,
        hf_hub_url,
        try_to_load_from_cache,
    )

    errors: tuple[type[Exception], ...] = (*_errors(), HubUnreachable)
    try:
        if constants.HF_HUB_OFFLINE:
            raise HubUnreachable("not in the hub's cache, and HF_HUB_OFFLINE is set")
        get_hf_file_metadata(hf_hub_url(repo_id, constants.CONFIG_NAME), timeout=10)
    except errors as error:
        try:
            found = try_to_load_from_cache(repo_id, constants.CONFIG_NAME)
        except errors:  # no id at all
            found = None
        if isinstance(found, str):
            return str(Path(found).parent)
        raise HubUnreachable(_line(error)) from error
    return repo_id


def _errors() -> tuple[type[Exception], ...]:
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    # The hub's client has changed its HTTP library twice; the base of its own error is that
    # library's, which a refused connection raises.
    library = tuple(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception))
    return (*library, HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError)


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
