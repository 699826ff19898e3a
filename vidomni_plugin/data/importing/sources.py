"""Read JSON, JSON lines, CSV and Parquet as records with their places."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from vidomni_plugin.data.importing.mapping import Lookup, Mapping
from vidomni_plugin.data.importing.paths import FieldPath, Node, find, parse_path
from vidomni_plugin.data.importing.reading import Unmapped, shown
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["FORMATS", "read_sources"]

FORMATS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
"""Format of a file by its ending."""


class _Twice(ValueError):
    """An object has one key two times."""


def read_sources(
    paths: list[Path], mapping: Mapping, base: Path, format_: str | None = None
) -> tuple[list[Node], list[Unmapped]]:
    """Return the records of some files, in their order, with lookup rows attached.

    Args:
        paths: The files.
        mapping: Says where records are, and names lookup files.
        base: Folder that lookup files are named from.
        format_: "json", "jsonl", "csv", "tsv" or "parquet"; by the ending where not given.

    Returns:
        The records, and lines or places where no record could be read.

    Raises:
        InputProblems: If a file cannot be read at all, or holds no record.
    """
    problems: list[Problem] = []
    lost: list[Unmapped] = []
    records: list[Node] = []
    for path in paths:
        records += _records(path, mapping, mapping.records, format_, problems, lost)
    tables = {
        name: _table(base / lookup.file, lookup, mapping, problems)
        for name, lookup in mapping.lookup.items()
    }
    if not problems and not records and not lost:
        place = ", ".join(map(str, paths))
        problems.append(Problem("no-pairs", place, "there is no record in it"))
    if problems:
        raise InputProblems("the data cannot be read", problems)
    if not tables:
        return records, lost
    joined = [_joined(record, mapping.lookup, tables) for record in records]
    return joined, lost


def _records(
    path: Path,
    mapping: Mapping,
    where: FieldPath | None,
    format_: str | None,
    problems: list[Problem],
    lost: list[Unmapped],
) -> list[Node]:
    kind = format_ or FORMATS.get(path.suffix.lower())
    if kind is None:
        message = (
            f"what is {path.suffix or 'a file without an ending'}? Known: {', '.join(FORMATS)}"
        )
        problems.append(Problem("unreadable", str(path), message, "say it with --format"))
        return []
    try:
        content = path.read_bytes()
    except OSError as error:
        problems.append(Problem("no-file", str(path), error.strerror or str(error)))
        return []
    read: dict[str, Callable[[], Iterator[Node]]] = {
        "json": lambda: _json(path, content),
        "jsonl": lambda: _jsonl(path, content, lost),
        "csv": lambda: _csv(path, content, mapping, ",", lost),
        "tsv": lambda: _csv(path, content, mapping, "\t", lost),
        "parquet": lambda: _parquet(path, content),
    }
    try:
        decoded = [_decoded(node, mapping.json_columns, lost) for node in read[kind]()]
        roots = [node for node in decoded if node is not None]
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
        problems.append(Problem("unreadable", str(path), message, "save the file as UTF-8"))
        return []
    except (ValueError, OSError, RecursionError, csv.Error) as error:
        message = f"it is not {kind}: {shown(str(error) or type(error).__name__)}"
        problems.append(Problem("unreadable", str(path), message, "say what it is with --format"))
        return []
    if where is None and kind == "json" and roots:
        if not isinstance(roots[0].value, list):
            problems.append(_where_are_they(roots[0]))
            return []
        where = parse_path("$[*]")
    if where is None:
        return roots
    found = [find(root, where) for root in roots]
    if not any(each.nodes for each in found) and found:
        holes = [hole for each in found for hole in each.holes]
        if holes:
            node, step = holes[0]
            message = f"records: nothing at {where}: there is no {step!r} in {_inside(node)}"
            problems.append(Problem("mapping", node.place, message))
        return []
    lost += [
        Unmapped(node.place, "records", f"there is no {step!r} here")
        for each in found
        for node, step in each.holes
    ]
    return [node for each in found for node in each.nodes]


def _inside(node: Node) -> str:
    if isinstance(node.value, dict):
        return f"an object with {', '.join(shown(str(key)) for key in list(node.value)[:12])}"
    return f"a {type(node.value).__name__}"


def _where_are_they(root: Node) -> Problem:
    lists = []
    if isinstance(root.value, dict):
        lists = [key for key, value in root.value.items() if isinstance(value, (list, dict))]
    example = f"records: {lists[0]}[*]" if lists else "records: data[*]"
    message = f"the file is {_inside(root)}, not a list of records"
    return Problem("mapping", root.place, message, f"say where the records are, like `{example}`")


def _loads(text: str) -> Any:  # noqa: ANN401 - any JSON value
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            raise _Twice(f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice")
        return made

    return json.loads(text, object_pairs_hook=once)


def _json(path: Path, content: bytes) -> Iterator[Node]:
    yield Node(_loads(content.decode("utf-8-sig")), str(path))


def _jsonl(path: Path, content: bytes, lost: list[Unmapped]) -> Iterator[Node]:
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            yield Node(_loads(line.decode("utf-8")), place)
        except (ValueError, RecursionError) as error:
            lost.append(Unmapped(place, "", f"not a line of JSON: {shown(str(error))}"))


def _csv(
    path: Path, content: bytes, mapping: Mapping, delimiter: str, lost: list[Unmapped]
) -> Iterator[Node]:
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    csv.field_size_limit(sys.maxsize)  # a dense caption is longer than the default of 128 KiB
    rows = csv.reader(text, delimiter=mapping.delimiter or delimiter, strict=True)
    header = next(rows, None)
    if header is None:
        return
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(f"the column {repeated[0]!r} stands twice in the first line")
    line = rows.line_num + 1
    for cells in rows:
        place, line = f"{path}:{line}", rows.line_num + 1
        if not cells:
            continue
        if len(cells) != len(header):
            reason = f"{len(cells)} cells where the first line has {len(header)}"
            lost.append(Unmapped(place, "", reason))
            continue
        yield Node(dict(zip(header, cells, strict=True)), place)


def _parquet(path: Path, content: bytes) -> Iterator[Node]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        rows = parquet.read_table(pa.BufferReader(content)).to_pylist()
    except (pa.ArrowException, OverflowError) as error:  # some are no ValueError
        raise ValueError(str(error)) from None
    for number, row in enumerate(rows, 1):
        yield Node(row, f"{path}:row {number}")


def _decoded(node: Node, columns: list[str], lost: list[Unmapped]) -> Node | None:
    """Return a record whose JSON columns are read; None where one is not JSON."""
    if not columns or not isinstance(node.value, dict):
        return node
    value = dict(node.value)
    for name in columns:
        cell = value.get(name)
        if not isinstance(cell, str):
            continue
        try:
            value[name] = _loads(cell) if cell.strip() else None
        except (ValueError, RecursionError) as error:
            lost.append(Unmapped(node.place, name, f"the column is not JSON: {shown(str(error))}"))
            return None
    return Node(value, node.source)


def _table(
    path: Path, lookup: Lookup, mapping: Mapping, problems: list[Problem]
) -> dict[str, Node]:
    """Return the rows of a lookup file by id; a bad or repeated row ends the import."""
    lost: list[Unmapped] = []
    rows = _records(path, mapping, lookup.records, None, problems, lost)
    problems += [Problem("unreadable", each.place, each.reason) for each in lost]
    table: dict[str, Node] = {}
    for row in rows:
        key = _key(row, lookup.key)
        if key is None:
            message = f"the lookup row has nothing at {lookup.key} that could be its id"
            problems.append(Problem("mapping", row.place, message))
            continue
        if key in table:
            message = f"the lookup id {shown(key)} is already at {table[key].place}"
            problems.append(Problem("repeated-id", row.place, message))
        table[key] = row
    return table


def _key(record: Node, path: FieldPath) -> str | None:
    """Return an id as text: 7 in one file and "7" in another are the same."""
    found = find(record, path).nodes
    if len(found) != 1 or isinstance(found[0].value, bool):
        return None
    value = found[0].value
    return str(value).strip() or None if isinstance(value, (str, int)) else None


def _joined(record: Node, lookups: dict[str, Lookup], tables: dict[str, dict[str, Node]]) -> Node:
    rows = {}
    for name, lookup in lookups.items():
        row = tables[name].get(_key(record, lookup.by) or "")
        if row is not None:
            rows[name] = row
    return Node(record.value, record.source, record.pointer, record.key, record.up, rows)
