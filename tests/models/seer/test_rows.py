"""A log outlives a killed process: no row is joined to one that was cut off."""

import pytest

from vidomni_plugin.models.seer.rows import append, read


def test_rows_come_back(tmp_path):
    log = tmp_path / "log.jsonl"
    append(log, [{"a": 1}])
    append(log, [{"b": "\u2028"}, {"c": None}])
    assert read(log) == [{"a": 1}, {"b": "\u2028"}, {"c": None}]


@pytest.mark.parametrize("cut", [b'{"b": ', b'{"b": 2}', b"\xff\xfe"])
def test_what_was_cut_off_is_dropped_before_more_is_written(tmp_path, cut):
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"a": 1}\n' + cut)
    assert read(log) == [{"a": 1}]
    append(log, [{"c": 3}])
    assert read(log) == [{"a": 1}, {"c": 3}]


@pytest.mark.parametrize("line", ["{", "[1]", "3", "nonsense"])
def test_other_bad_lines_are_named_with_their_place(tmp_path, line):
    log = tmp_path / "log.jsonl"
    log.write_text(f'{{"a": 1}}\n\n{line}\n{{"b": 2}}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"log.jsonl, line 3 is no object"):
        read(log)
