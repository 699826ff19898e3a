"""Make the real exports in ``tests/build/annotate/exports`` anew.

    VIDOMNI_LABEL_STUDIO=.venv-label-studio/bin/label-studio \
        .venv/bin/python -m tests.label_studio.make_exports

Numbers, times and the order of annotations are Label Studio's and differ from run to run.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.label_studio import workflow
from tests.label_studio.server import running
from vidomni_plugin.data.locate import mini_root

EXPORTS = Path(__file__).parents[1] / "build" / "annotate" / "exports"
KEPT = ("captions.jsonl", "annotators.yaml", "plan/plan.json", "plan/assignment.jsonl")
"""What the exports belong to."""


def main() -> None:
    """Run the whole story and keep its exports with the plan that they belong to."""
    with tempfile.TemporaryDirectory() as place:
        server_folder, folder = Path(place) / "server", Path(place) / "workflow"
        server_folder.mkdir()
        folder.mkdir()
        with running(server_folder, mini_root("vidomni").path) as server:
            prepared = workflow.prepare(server, folder)
            workflow.second_stage(prepared, workflow.first_stage(prepared))
        EXPORTS.mkdir(parents=True, exist_ok=True)
        for path in sorted((folder / "exports").iterdir()):
            shutil.copy(path, EXPORTS)
        for name in KEPT:
            (EXPORTS / name).parent.mkdir(exist_ok=True)
            shutil.copy(folder / name, EXPORTS / name)
        shutil.copy(folder / "data" / "videos.jsonl", EXPORTS)
        shutil.copy(folder / "read" / "adjudicate.csv", EXPORTS)
    print(f"written: {EXPORTS}")


if __name__ == "__main__":
    main()
