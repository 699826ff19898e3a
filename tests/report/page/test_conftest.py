"""Without a browser its tests are left out, or fail where the machine should have one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent / "test_browser.py"


@pytest.mark.parametrize(("needed", "told"), [("0", "1 skipped"), ("1", "1 error")])
def test_no_browser(tmp_path: Path, needed: str, told: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(TESTS)]
    done = subprocess.run(
        [*command, "-k", "test_keyboard"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=TESTS.parents[3],
        env={**os.environ, "PATH": str(tmp_path), "VIDOMNI_NEED_BROWSER": needed},
    )
    assert told in done.stdout
    assert "no chromium, chromedriver or selenium" in done.stdout or needed == "0"
