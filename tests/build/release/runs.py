"""Runs of pairs as `vidomni build pairs` leaves them, without a model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.build.pairs import acting
from tests.conftest import write_lines
from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.pair import PairRecord
from vidomni_plugin.build.release.build import Made, build_release
from vidomni_plugin.build.release.finding import in_folders
from vidomni_plugin.data.locate import mini_root
from vidomni_plugin.records import Leaf

__all__ = ["CLIPS", "NUMBER", "build", "lines", "pair", "rows_of", "run_of", "videos_of"]

CLIPS = sorted((mini_root("vidomni").path / "videos").glob("*.mp4"))
NUMBER = 20
"""Of videos; every second one is for captioning, every third one has one pair."""
FREE_BOX = (8).to_bytes(4, "big") + b"free"
"""Nothing, at the end of an MP4: other bytes, the same pictures."""


def pair(path: Path, leaf: Leaf, task: str = "video_qa", **changes: Any) -> dict[str, Any]:
    """Return the extended record of a pair about a video."""
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    video_id, rule = changes.pop("video_id", path.stem), LEAVES[leaf]
    told = acting.facts_of(video_id)[leaf]
    fact = told["normalized_fact"]
    false = fact | {rule.slot: acting.false_value(fact)}
    answers = (told["natural_language_fact"], f"Not so: {told['natural_language_fact']}")
    if task == "video_qa" and leaf is Leaf.ENTITY_EXISTENCE:
        answers = ("Yes, a lamp is in the room.", "No, a lamp is not in the room.")
    fact_id = f"fact_{hashlib.sha256(f'{sha256}{leaf}'.encode()).hexdigest()[:16]}"
    public = {
        "schema_version": "vidomni_pair_1.0",
        "pair_id": f"pair_{video_id}_{fact_id}",
        "media": {
            "video_id": video_id,
            "canonical_media_uri": f"media://{video_id}/original",
            "registered_modalities": ["visual"],
            "evidence_policy_id": "frames_timestamped_v1",
        },
        "task_type": task,
        "question": "Is there a lamp?" if leaf is Leaf.ENTITY_EXISTENCE else "What is there?",
        "answer": answers[0],
        "counterfactual_answer": answers[1],
        "leaf_label": leaf.value,
        "conflict_slot": rule.slot,
    }
    own = {name: changes.pop(name) for name in list(changes) if name in public}
    part = {"start_sec": 0.1, "end_sec": 0.8}
    record: dict[str, Any] = {
        "public": public | own,
        "fact_id": fact_id,
        "source_fact": fact,
        "counterfactual_fact": false,
        "time_scope": part,
        "evidence_interval": part,
        "monitor_interval": part,
        "reflection_summary": "seen",
        "monitor_summaries": ["seen", "not seen"],
        "question_template": "q1",
        "video_sha256": sha256,
        "duration_s": 5.0,
        "parent": video_id,
        "models": {"planner": "scripted"},
        "signature": "0" * 64,
    }
    return record | changes


def run_of(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Write the folder of a run; every row is a record, so that a test sees what it means to."""
    for row in rows:
        PairRecord.model_validate_json(json.dumps(row))
    write_lines(folder / "pairs_extended.jsonl", rows)
    return folder


def videos_of(folder: Path, number: int) -> list[Path]:
    """Copy so many built-in clips into a folder; after the last one they begin anew, as others."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for k in range(number):
        clip, again = CLIPS[k % len(CLIPS)], k // len(CLIPS)
        path = folder / f"{clip.stem}{again or ''}.mp4"
        path.write_bytes(clip.read_bytes() + FREE_BOX * again)
        paths.append(path)
    return paths


def rows_of(videos: list[Path], **changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the records of pairs about videos.

    Args:
        videos: Their files.
        changes: What is otherwise in the records of a video, by its name.
    """
    rows, leaves = [], list(Leaf)
    for k, path in enumerate(videos):
        task = "video_captioning" if k % 2 else "video_qa"
        for leaf in (leaves[k % 8], leaves[(k + 3) % 8])[: 1 + (k % 3 > 0)]:
            rows.append(pair(path, leaf, task, **changes.get(path.stem, {})))
    return rows


def build(run: Path, videos: Path, root: Path, **given: Any) -> Made:
    """Make a release of a run; what is given replaces the settings of the tests."""

    def watch(what: str, number: int, of: int) -> None:
        pass

    settings: dict[str, Any] = {
        "seed": 1,
        "bits": 10.0,
        "copy": False,
        "workers": 2,
        "stuck_s": 60.0,
    }
    settings |= {"watch": watch} | given
    return build_release([run], lambda contents: in_folders(contents, [videos]), root, **settings)


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
