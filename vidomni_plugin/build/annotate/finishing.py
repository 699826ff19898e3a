"""The last steps as files: the project of stage 2, and the new items of the benchmark."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin.build.annotate.annotators import Annotator
from vidomni_plugin.build.annotate.collect import latest_of_each
from vidomni_plugin.build.annotate.exports import read_stage2
from vidomni_plugin.build.annotate.merge import merge_pairs, video_infos
from vidomni_plugin.build.annotate.plans import Plan, PlannedPair
from vidomni_plugin.build.annotate.settle import Settled
from vidomni_plugin.build.annotate.spans import United, disputes_table, incorrect, unite
from vidomni_plugin.data.lines import write_text
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import VidOmniPair
from vidomni_plugin.tables import as_csv

__all__ = ["Merged", "merge", "read_marked", "write_merged"]


@dataclass(frozen=True, slots=True)
class Marked:
    """The marked words of stage 2, and what a reader should know about them."""

    united: United
    notes: list[Problem]


@dataclass(frozen=True, slots=True)
class Merged:
    """New items, and how they came about."""

    pairs: list[VidOmniPair]
    settled: Settled
    marked: Marked
    sources: dict[str, str]
    """SHA-256 of every file that was read."""


def read_marked(
    exports: Sequence[Path],
    plan: Plan,
    people: Sequence[Annotator],
    settled: Settled,
    *,
    accept_unassigned: bool,
) -> Marked:
    """Return the union of the words that annotators marked in Incorrect sentences.

    Raises:
        InputProblems: With everything that is wrong with the exports.
    """
    export = read_stage2(exports)

    def expected(pair: PlannedPair) -> list[str] | None:
        numbers = incorrect(settled.labels.get(pair.pair_id, []))
        return [pair.sentences[number - 1] for number in numbers] or None

    latest = latest_of_each(
        export.annotations,
        plan,
        people,
        accept_unassigned=accept_unassigned,
        expected=expected,
    )
    problems = [*export.problems, *latest.problems]
    if problems:
        raise InputProblems("exports of stage 2", problems)
    marked = {key: one.spans for key, one in latest.kept.items()}
    return Marked(unite(marked, settled.labels, plan), [*export.notes, *latest.notes])


def merge(
    plan: Plan,
    people: Sequence[Annotator],
    settled: Settled,
    stage2: Sequence[Path],
    manifest: Path,
    sources: Sequence[Path],
    *,
    accept_unassigned: bool = False,
) -> Merged:
    """Return the new items: settled labels, marked words and the videos' own facts.

    Args:
        plan: The plan.
        people: The annotators as they are today.
        settled: The labels of stage 1.
        stage2: Exports of stage 2; may be none.
        manifest: ``videos.jsonl``.
        sources: The other files that were read, for the record.
        accept_unassigned: See ``latest_of_each``.

    Raises:
        InputProblems: If an export or the manifest cannot be used.
    """
    marked = read_marked(stage2, plan, people, settled, accept_unassigned=accept_unassigned)
    wanted = [plan.pairs[pair_id].video_id for pair_id in settled.labels]
    pairs = merge_pairs(plan, settled, marked.united.errors, video_infos(manifest, wanted))
    digests = {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in [*sources, *stage2, manifest]
    }
    return Merged(pairs, settled, marked, digests)


def write_merged(folder: Path, merged: Merged, manifest: Path, *, overwrite: bool) -> None:
    """Write ``pairs.jsonl``, ``videos.jsonl`` and the record of the merge.

    Raises:
        InputProblems: If other pairs or videos lie there already and ``overwrite`` is off.
    """
    pairs = "".join(pair.model_dump_json() + "\n" for pair in merged.pairs)
    videos = manifest.read_text(encoding="utf-8-sig")
    texts = {"pairs.jsonl": pairs}
    if (folder / "videos.jsonl").resolve() != manifest.resolve():
        texts["videos.jsonl"] = videos
    there = [name for name, text in texts.items() if _differs(folder / name, text)]
    if there and not overwrite:
        hint = "choose another --out, or replace the file with --overwrite"
        problems = [
            Problem("exists", str(folder / name), "there already, with other content", hint)
            for name in there
        ]
        raise InputProblems("merge", problems)
    united = merged.marked.united
    write_text(folder / "category_disputes.csv", as_csv(disputes_table(united.disputes)))
    text = json.dumps(_record(merged), ensure_ascii=False, indent=1)
    write_text(folder / "merge.json", text + "\n")
    for name in sorted(texts, reverse=True):  # the pairs come last: they make it a data set
        write_text(folder / name, texts[name])


def _differs(path: Path, text: str) -> bool:
    return path.exists() and path.read_bytes() != text.encode()


def _record(merged: Merged) -> dict[str, Any]:
    settled, united = merged.settled, merged.marked.united
    return {
        "pairs": len(merged.pairs),
        "sentences": settled.totals().total(),
        "labels": dict(sorted(settled.totals().items())),
        "by_majority": settled.by_majority,
        "by_decision": settled.by_decision,
        "decisions_against_a_majority": settled.overruled,
        "left_out": settled.left_out,
        "errors": sum(len(spans) for spans in united.errors.values()),
        "incorrect_sentences_without_marked_words": [
            {"pair_id": pair_id, "sentence": number} for pair_id, number in united.unmarked
        ],
        "category_disputes": len(united.disputes),
        "notes": [str(note) for note in merged.marked.notes],
        "files": merged.sources,
    }
