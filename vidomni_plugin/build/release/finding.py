"""Find the file of each video by the hash of its content, whatever it is called now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from vidomni_plugin.build.pairs.videos import id_of_stem
from vidomni_plugin.build.pool.find import find_in_folders
from vidomni_plugin.build.pool.lines import POOL, read_pool
from vidomni_plugin.build.pool.reasons import Reason
from vidomni_plugin.build.release.reading import TITLE, Content
from vidomni_plugin.data.hashes import sha256_of
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.wording import counted

__all__ = ["in_folders", "in_pool"]


def in_folders(contents: Sequence[Content], folders: Sequence[Path]) -> dict[str, Path]:
    """Return the file of each content below some folders, by SHA-256.

    Every video there is hashed; hashes are remembered.

    Raises:
        InputProblems: If a folder is not there, or a video is missing or another file now.
    """
    gone = [folder for folder in folders if not folder.is_dir()]
    if gone:
        hint = "name the folders with the videos that the pairs were made of"
        problems = [Problem("no-folder", str(one), "there is no such folder", hint) for one in gone]
        raise InputProblems(TITLE, problems)
    there = find_in_folders(folders)
    found = [video.path for video in there.videos]
    found += [one.path for one in there.rejected if one.reason is Reason.UNREADABLE]
    names: dict[str, list[Path]] = defaultdict(list)
    for path in found:
        names[id_of_stem(path.stem)].append(path)
    return _files(contents, sorted(found), names, ", ".join(map(str, folders)))


def in_pool(contents: Sequence[Content], pool: Path) -> dict[str, Path]:
    """Return the file of each content in a pool, by SHA-256.

    Raises:
        InputProblems: As ``in_folders``, and if the pool cannot be read.
    """
    release = read_pool(pool / POOL)
    if release.problems:
        raise InputProblems(TITLE, release.problems)
    lines = [entry.record for entry in release.entries]
    wanted = {content.sha256 for content in contents}
    names = {line.video_id: [pool / line.path] for line in lines}
    paths = sorted(pool / line.path for line in lines if line.sha256 in wanted)
    return _files(contents, [path for path in paths if path.is_file()], names, str(pool / POOL))


def _files(
    contents: Sequence[Content],
    paths: Sequence[Path],
    names: Mapping[str, Sequence[Path]],
    searched: str,
) -> dict[str, Path]:
    hashes = sha256_of(paths)
    by_hash: dict[str, Path] = {}
    for path in paths:
        if path in hashes:
            by_hash.setdefault(hashes[path], path)
    problems = []
    unread = [path for path in paths if path not in hashes]
    for content in contents:
        if content.sha256 in by_hash:
            continue
        hint = "give the very files that the pairs were made of; a new encoding is another video"
        place = content.places[0]
        named = [path for path in names.get(content.source_id, ()) if path.is_file()]
        if lost := [path for path in named if path in unread]:
            message = f"{lost[0]} cannot be read"
            problems.append(Problem("unreadable", place, message, "it may be the video"))
        elif named:
            message = (
                f"{named[0]} is not the video {content.source_id!r} any more: its SHA-256 is "
                f"{hashes.get(named[0], 'unknown')[:12]}..., {content.sha256[:12]}... is stated"
            )
            problems.append(Problem("changed-video", place, message, hint))
        else:
            message = f"no video {content.source_id!r} with its content in {searched}"
            if unread:
                count = counted(
                    len(unread), "file there cannot be read", "files there cannot be read"
                )
                message += f"; {count}, such as {unread[0]}"
            problems.append(Problem("missing-video", place, message, hint))
    if problems:
        raise InputProblems(TITLE, problems)
    return {content.sha256: by_hash[content.sha256] for content in contents}
