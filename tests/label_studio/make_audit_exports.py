"""Make the real exports in ``tests/build/audit/exports`` anew.

    VIDOMNI_LABEL_STUDIO=.venv-label-studio/bin/label-studio \
        .venv/bin/python -m tests.label_studio.make_audit_exports

Numbers, times and the order of annotations are Label Studio's and differ from run to run.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.label_studio import audit_story
from tests.label_studio.server import running
from vidomni_plugin.data.locate import mini_root

EXPORTS = Path(__file__).parents[1] / "build" / "audit" / "exports"
KEPT = ("annotators.yaml", "audit/sample.jsonl", "audit/sample.json", "audit/team.json")
"""What the exports belong to."""


def main() -> None:
    """Run the whole story and keep its exports with the sample that they belong to."""
    with tempfile.TemporaryDirectory() as place:
        server_folder, folder = Path(place) / "server", Path(place) / "audit"
        server_folder.mkdir()
        folder.mkdir()
        with running(server_folder, mini_root("vidhalloc").path.parent) as server:
            boss, people = audit_story.prepare(server, folder)
            audit_story.label(boss, people, folder)
        (EXPORTS / "audit").mkdir(parents=True, exist_ok=True)
        for path in sorted((folder / "exports").iterdir()):
            shutil.copy(path, EXPORTS)
        for name in KEPT:
            shutil.copy(folder / name, EXPORTS / name)


if __name__ == "__main__":
    main()
