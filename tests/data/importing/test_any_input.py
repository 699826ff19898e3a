"""Whatever the files hold, an import ends with records, notes or problems, never with a crash."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.data.importing.test_shapes import TABLE
from vidomni_plugin.data.importing.mapping import VidHalLocMapping, VidOmniMapping
from vidomni_plugin.data.importing.mapping_file import load_mapping
from vidomni_plugin.data.importing.plan import plan_import
from vidomni_plugin.data.importing.writing import write_import, write_unmapped
from vidomni_plugin.problems import InputProblems

QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=4)
    | st.sampled_from(["\ud800", "\udcff x"])
    | st.sampled_from(["static", "0:12", "yes", "ok", "hallucinated", "object", "qa", "a/b", ""])
)
WORDS = """
videos captions id type length sound sound_kind origin model prompt sentences text verdict errors
words kind items video question right wrong topic part
"""
ENTRIES = "fields sentences records lookup each path words video_id a"
NAMES = st.sampled_from(WORDS.split())
ANY = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=8),
    max_leaves=30,
)


def near(inner: Any) -> Any:
    """Data that are nearly right: the example's shape, with anything in any place."""
    sentence = st.fixed_dictionaries(
        {"text": inner, "verdict": inner}, optional={"errors": st.lists(ANY, max_size=2) | inner}
    )
    caption = st.fixed_dictionaries(
        {"model": inner, "sentences": st.lists(sentence, max_size=3) | inner},
        optional={"prompt": inner},
    )
    names = ("id", "type", "length", "sound", "sound_kind", "origin")
    video = st.fixed_dictionaries(
        {name: inner for name in names} | {"captions": st.lists(caption, max_size=2) | inner}
    )
    fields = ("id", "video", "kind", "question", "right", "wrong", "topic", "part")
    item = st.fixed_dictionaries({name: inner for name in fields})
    return st.fixed_dictionaries(
        {"videos": st.lists(video, max_size=2), "items": st.lists(item, max_size=3)}
    )


@pytest.mark.parametrize("to", ["vidomni", "vidhalloc"])
@QUICK
@given(data=ANY | near(LEAF))
def test_any_json(to, tmp_path, data):
    example = files("vidomni_plugin.data.importing") / "examples" / f"{to}.yaml"
    (tmp_path / "map.yaml").write_text(example.read_text(encoding="utf-8"))
    (tmp_path / "d.json").write_text(json.dumps(data))
    try:
        plan = plan_import([tmp_path / "d.json"], tmp_path / "map.yaml", to)
    except InputProblems:
        return
    assert plan.records or plan.unmapped
    assert all(note.place.startswith(str(tmp_path)) for note in plan.unmapped)
    with TemporaryDirectory(dir=tmp_path) as out:
        write_import(plan, Path(out))
        write_unmapped(Path(out), plan.unmapped)


@QUICK
@given(content=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes(tmp_path, content):
    (tmp_path / "map.yaml").write_text(yaml.safe_dump(TABLE))
    for name in ("d.csv", "d.tsv", "d.json", "d.jsonl", "d.parquet"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputProblems):
            plan_import([tmp_path / name], tmp_path / "map.yaml", "vidomni")


@QUICK
@given(
    text=st.text(max_size=80)
    | st.recursive(
        LEAF,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(ENTRIES.split()),
                inner,
                max_size=5,
            )
        ),
        max_leaves=15,
    ).map(lambda value: yaml.safe_dump(value, allow_unicode=True))
)
def test_any_mapping(tmp_path, text):
    (tmp_path / "map.yaml").write_bytes(text.encode("utf-8", "replace"))
    for model in (VidOmniMapping, VidHalLocMapping):
        with pytest.raises(InputProblems):
            load_mapping(tmp_path / "map.yaml", model)
