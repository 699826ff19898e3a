"""``python -m vidomni_plugin``: the command, for launchers that start a module."""

from __future__ import annotations

from vidomni_plugin.cli import main

if __name__ == "__main__":
    main()
