"""Data sets that tests break: copies of the built-in samples, and of the full-size ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from vidomni_plugin.data.locate import Benchmark, mini_root

__all__ = ["Files", "sample"]

Row = dict[str, Any]


class Files:
    """The annotation files of a data set, to be changed and written again."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, name: str) -> Path:
        (path,) = self.root.rglob(f"{name}.jsonl")
        return path

    def read(self, name: str) -> list[Row]:
        return [json.loads(line) for line in self.path(name).read_text("utf-8").splitlines()]

    def write(self, name: str, rows: list[Row]) -> None:
        found = list(self.root.rglob(f"{name}.jsonl"))
        path = found[0] if found else self.root / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def edit(self, name: str, change: Callable[[Row], object]) -> None:
        """Change the rows of one file in place."""
        rows = self.read(name)
        for row in rows:
            change(row)
        self.write(name, rows)

    def sets(self) -> Iterator[Path]:
        """Yield VidHalLoc's files of items."""
        yield from sorted(self.root.rglob("*_set.jsonl"))
        yield from sorted(self.root.rglob("2000_Orign.jsonl"))

    def item(self, pair_id: str, /, **changes: Any) -> None:
        """Change one VidHalLoc item wherever it stands."""
        for path in self.sets():
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            rows = [row | changes if row["pair_id"] == pair_id else row for row in rows]
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def each_item(self, change: Callable[[Row], object]) -> None:
        """Change all VidHalLoc items, in all files."""
        for path in self.sets():
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            for row in rows:
                change(row)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def take(self, folder: str, split: str, ids: set[str]) -> list[Row]:
        """Remove items from a split and return them."""
        path = self.root / "Datasets" / folder / f"{split}.jsonl"
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        left = [row for row in rows if row["pair_id"] not in ids]
        path.write_text("".join(json.dumps(row) + "\n" for row in left), encoding="utf-8")
        return [row for row in rows if row["pair_id"] in ids]

    def put(self, folder: str, split: str, rows: list[Row]) -> None:
        """Add items to a split."""
        path = self.root / "Datasets" / folder / f"{split}.jsonl"
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def swap_video(self, name: str, other: str) -> None:
        """Put another video's content under a name (both below the root)."""
        content = (self.root / other).read_bytes()
        (self.root / name).unlink()
        (self.root / name).write_bytes(content)


def sample(benchmark: Benchmark, root: Path) -> Files:
    """Copy a built-in sample; its videos are links, so that they are looked into once for all."""
    source = mini_root(benchmark).path
    for path in sorted(source.rglob("*")):
        target = root / path.relative_to(source)
        if path.suffix == ".mp4":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path)
        elif path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return Files(root)
