"""Download a public data set of the Hugging Face hub, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock

__all__ = ["HubUnreachable", "download"]


class HubUnreachable(RuntimeError):
    """The hub did not give the data set; the message says why in one line."""


def download(repo_id: str, target: Path) -> None:
    """Download a data set into ``target``.

    Files arrive in ``<target>.download``, which is renamed once all are there: an
    interrupted download is resumed by the next call and never taken for a whole one. Several
    processes may call this; one downloads, the others wait.

    Args:
        repo_id: Data set id such as "owner/name".
        target: Folder that is to hold the files; must not exist unless it is complete.

    Raises:
        HubUnreachable: If the hub is offline, unreachable or refuses.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    if constants.HF_HUB_OFFLINE:
        raise HubUnreachable("not tried, HF_HUB_OFFLINE is set")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target}.lock"):
            if target.exists():
                return
            partial = target.with_name(f"{target.name}.download")
            snapshot_download(repo_id, repo_type="dataset", local_dir=partial)
            partial.rename(target)
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise HubUnreachable(lines[0]) from error
