"""Judge what was measured: checks, copies, and what is told of each video that stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vidomni_plugin.build.pool.checks import Verdict, check
from vidomni_plugin.build.pool.contents import Contents, Rejected, Watch
from vidomni_plugin.build.pool.draw import Unassigned, motion_thirds, with_tasks
from vidomni_plugin.build.pool.duplicates import Candidate, near_duplicates
from vidomni_plugin.build.pool.find import FoundVideo
from vidomni_plugin.build.pool.groups import groups
from vidomni_plugin.build.pool.lines import PoolVideo, video_id_of
from vidomni_plugin.build.pool.measure import Facts, Measured
from vidomni_plugin.build.pool.reasons import Reason
from vidomni_plugin.build.pool.settings import Thresholds
from vidomni_plugin.build.pool.sources import SourceLine

__all__ = ["Pool", "judged"]


@dataclass(slots=True)
class Pool:
    """The videos of a pool in the order of their ids, and what is not in it."""

    videos: list[PoolVideo] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    """In the order of their paths."""


def judged(
    contents: Contents,
    known: Mapping[Path, SourceLine],
    limits: Thresholds,
    seed: int,
    watch: Watch,
) -> Pool:
    """Return the pool: fit videos without copies, each with source, parent, task and third.

    It depends on the videos, their names and the arguments alone, and not on the order in which
    they were measured.

    Args:
        contents: What was measured.
        known: What the user knows about a file.
        limits: Of the checks.
        seed: Of the assignment of tasks.
        watch: Told about the progress.
    """
    pool = Pool(rejected=list(contents.rejected))
    fit: dict[str, Facts] = {}
    for sha256, files in contents.paths.items():
        result = contents.measured[sha256]
        verdict = _verdict(result, limits)
        if verdict:
            pool.rejected += [Rejected(file.path, *verdict) for file in files]
        elif result.facts:
            fit[sha256] = result.facts
    copies = _copies(contents, fit, limits, pool, watch)
    kept = {sha256: facts for sha256, facts in fit.items() if sha256 not in copies}
    parents = _parents(contents, fit, copies, known)
    pool.videos = _videos(contents, kept, known, parents, seed)
    pool.rejected.sort(key=lambda one: str(one.path))
    return pool


def _verdict(result: Measured, limits: Thresholds) -> Verdict | None:
    if result.reason:
        return Verdict(result.reason, result.detail)
    assert result.facts is not None
    return check(result.facts, limits)


def _copies(
    contents: Contents, fit: Mapping[str, Facts], limits: Thresholds, pool: Pool, watch: Watch
) -> dict[str, str]:
    """Reject copies, and return the content that stays for each that is a near duplicate."""
    by_path = {str(contents.paths[sha256][0].path): sha256 for sha256 in fit}
    ids = {path: video_id_of(Path(path), sha256) for path, sha256 in by_path.items()}
    candidates = []
    for path, sha256 in by_path.items():
        facts = fit[sha256]
        pixels = facts.width * facts.height
        hashes = contents.measured[sha256].hashes
        candidates.append(Candidate(path, pixels, facts.duration_s, hashes, facts.usable))
    near = near_duplicates(
        candidates, limits.near_bits, lambda done, of: watch("comparing videos", done, of)
    )
    stays = {copy.name: copy.of for copy in near}
    for copy in near:
        detail = f"{copy.bits:.1f} of 63 bits a frame differ"
        reason = Reason.NEAR_DUPLICATE
        pool.rejected.append(Rejected(Path(copy.name), reason, detail, ids[copy.of]))
    for path, sha256 in by_path.items():
        for other in contents.paths[sha256][1:]:
            of = ids[stays.get(path, path)]
            detail = f"the same bytes as {path}"
            pool.rejected.append(Rejected(other.path, Reason.EXACT_DUPLICATE, detail, of))
    return {by_path[copy.name]: by_path[copy.of] for copy in near}


def _parents(
    contents: Contents,
    fit: Mapping[str, Facts],
    copies: Mapping[str, str],
    known: Mapping[Path, SourceLine],
) -> dict[str, str]:
    """Return the recording of each content that stays, where one is told of it or of a copy.

    Two names that are told of one content are of one recording: all its clips get the first.
    """
    told: dict[str, list[str]] = defaultdict(list)
    for sha256 in fit:
        for file in contents.paths[sha256]:
            if file.path in known and (parent := known[file.path].parent):
                told[copies.get(sha256, sha256)].append(parent)
    joined = groups((names[0], name) for names in told.values() for name in names)
    return {sha256: joined[names[0]] for sha256, names in told.items()}


def _videos(
    contents: Contents,
    kept: Mapping[str, Facts],
    known: Mapping[Path, SourceLine],
    parents: Mapping[str, str],
    seed: int,
) -> list[PoolVideo]:
    files = {sha256: contents.paths[sha256][0] for sha256 in kept}
    ids = {sha256: video_id_of(file.path, sha256) for sha256, file in files.items()}
    lines = {sha256: _lines(contents.paths[sha256], known) for sha256 in kept}
    sources = {
        sha256: next((line.source for line in of if line.source), files[sha256].folder)
        for sha256, of in lines.items()
    }
    own = {
        sha256: next((line.task for line in of if line.task), None) for sha256, of in lines.items()
    }
    thirds = motion_thirds({ids[sha256]: facts.motion for sha256, facts in kept.items()})
    tasks = with_tasks(
        [
            Unassigned(ids[sha256], sources[sha256], thirds[ids[sha256]], own[sha256])
            for sha256 in kept
        ],
        seed,
    )
    videos = [
        PoolVideo(
            video_id=ids[sha256],
            path=str(files[sha256].path),
            sha256=sha256,
            parent=parents.get(sha256, ids[sha256]),
            source=sources[sha256],
            task=tasks[ids[sha256]],
            motion=kept[sha256].motion,
            motion_third=thirds[ids[sha256]],
            duration_s=kept[sha256].duration_s,
            width=kept[sha256].width,
            height=kept[sha256].height,
            fps=kept[sha256].fps,
            frames=kept[sha256].frames,
            has_audio=kept[sha256].has_audio,
        )
        for sha256 in kept
    ]
    return sorted(videos, key=lambda video: video.video_id)


def _lines(files: Sequence[FoundVideo], known: Mapping[Path, SourceLine]) -> list[SourceLine]:
    """Return what is known about a content: of its first file, then of exact copies."""
    return [known[file.path] for file in files if file.path in known]
