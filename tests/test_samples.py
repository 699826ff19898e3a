"""Files of recorded responses: whole, or named line by line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.problems import InputProblems
from vidomni_plugin.samples import _value, read_responses, read_samples

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def read_by(reader, line):
    """Return what a reader finds in a line, or what it says is wrong."""
    try:
        return repr(reader(line))
    except (ValueError, RecursionError) as error:
        return str(error)


@given(JSON, st.booleans(), st.data())
def test_lines_are_read_as_json_reads_them(value, escaped, data):
    line = json.dumps(value, ensure_ascii=escaped).encode(errors="surrogatepass")
    at = data.draw(st.integers(0, len(line)))
    cut, other = line[:at], data.draw(st.binary(max_size=3))
    for content in (line, cut, cut + other + line[at:]):
        assert read_by(_value, content) == read_by(json.loads, content)


@pytest.mark.parametrize(
    "line",
    [b'{"a": "\\ud800"}', b'{"a": NaN}', b'{"a": 1, "a": 2}', b"-0", b"1e400", b"9" * 400]
    + ["[1]".encode(name) for name in ("utf-8-sig", "utf-16", "utf-32")]
    + [b"[" * 300 + b"]" * 300, b"[" * 100_000, b'"\x01"', b'"\xff"', b"[1,]", b"01", b"nan"],
)
def test_what_only_one_reader_takes_is_read_as_json_reads_it(line):
    assert read_by(_value, line) == read_by(json.loads, line)


def test_a_file_cut_in_the_middle_names_the_line(tmp_path):
    file = tmp_path / "responses.jsonl"
    lines = [json.dumps({"id": name, "response": "ACCEPT"}) for name in ("a", "b")]
    file.write_text("\n".join(lines)[:-9], encoding="utf-8")
    with pytest.raises(InputProblems, match=r"responses\.jsonl:2: not whole JSON") as caught:
        read_responses(file)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "a", "response": "x"}\n{"id": "a", "response": "y"}', "a second response for 'a'"),
        ('{"id": 1, "response": "x"}', "neither"),
        ('{"id": "a", "response": null}', "neither"),
        ("[1]", "not a JSON object"),
        ("", "the file holds nothing"),
        ("[" * 100_000, "not whole JSON"),
    ],
    ids=["two answers", "number as id", "no text", "list", "empty", "deep"],
)
def test_bad_lines_are_named(content, message, tmp_path):
    file = tmp_path / "responses.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputProblems, match=message):
        read_responses(file)


def test_samples_of_predict_only_say_what_is_missing(tmp_path):
    file = tmp_path / "samples.jsonl"
    file.write_text('{"doc_id": 0, "filtered_resps": "A dog.", "bypass": [[""], ["A dog."]]}\n')
    with pytest.raises(InputProblems, match="no sample") as caught:
        read_samples(file)
    assert "--predict_only" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputProblems, match="No such file"):
        read_responses(tmp_path / "gone.jsonl")


def test_the_host_s_results_file_is_one_problem(tmp_path):
    file = tmp_path / "20260101_results.json"
    file.write_text(json.dumps({"results": {"vidomni": {}}, "configs": {}}, indent=2))
    with pytest.raises(InputProblems, match="the host's results file") as caught:
        read_samples(file)
    assert len(caught.value.problems) == 1
    file.write_text(json.dumps({"results": {}, "configs": {}}))
    with pytest.raises(InputProblems, match="the host's results file"):
        read_samples(file)


def test_a_file_of_other_lines_names_a_few(tmp_path):
    file = tmp_path / "other.jsonl"
    file.write_text('{"a": 1}\n' * 500)
    with pytest.raises(InputProblems, match="none of 500 lines can be used") as caught:
        read_samples(file)
    assert len(caught.value.problems) == 6


def test_a_samples_file_that_is_not_there_says_where_the_host_writes(tmp_path):
    with pytest.raises(InputProblems, match="<output_path>/<model>"):
        read_samples(tmp_path / "gone.jsonl")
