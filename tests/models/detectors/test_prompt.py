"""Prompts by name and by file."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.detectors.case_files import table
from vidomni_plugin.models.detectors.entailment import Entailment
from vidomni_plugin.models.detectors.prompt import NAMES, SLOT, VIDEO, Prompt, prompt
from vidomni_plugin.problems import InputProblems

DOCS = Path(__file__).parents[3] / "docs" / "detectors"


def test_owl_con_is_quoted_to_the_byte():
    facts = table("entailment")
    template = prompt("owl_con").template
    assert hashlib.sha256(template.encode()).hexdigest() == facts["prompt_sha256"]
    assert template.endswith(facts["prompt_parts"]["ends_with"])
    assert len(template.split("\n")) == facts["prompt_parts"]["n_lines"]


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_has_its_places(name):
    found = prompt(name)
    assert (found.template.count(SLOT), found.template.count(VIDEO)) == (1, 1)
    before, after = found.around_video("A dog runs.")
    assert (before + VIDEO + after).replace("A dog runs.", SLOT) == found.template
    blind = found.without_video("A dog runs.")
    assert "A dog runs." in blind
    assert VIDEO not in blind


@given(st.text())
def test_a_text_is_taken_as_it_is(text):
    found = Prompt("p", f"Look: {VIDEO}\nIs it {SLOT}?")
    assert found.around_video(text) == ("Look: ", f"\nIs it {text}?")
    assert found.without_video(text) == f"Is it {text}?"


def test_a_file(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("Is {caption} true?\n", encoding="utf-8")
    found = prompt(str(file))
    assert found.around_video("it") == ("", "Is it true?")
    assert found.identity.startswith("mine.txt@")
    file.write_text("Is {caption} so?\n", encoding="utf-8")
    assert prompt(str(file)).identity != found.identity


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(None, id="no such file"),
        pytest.param(b"Is it true?", id="no place for the text"),
        pytest.param(b"<|video|> <|video|> {caption}", id="two places for the video"),
        pytest.param(b"\xff\xfe{caption}", id="no text"),
    ],
)
def test_files_that_cannot_be_used(content, tmp_path):
    file = tmp_path / "mine.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputProblems, match=r"mine\.txt"):
        prompt(str(file))


@pytest.mark.parametrize(("name", "page"), [("owl_con", "entailment"), ("vqascore", "vqascore")])
def test_the_docs_quote_the_prompt(name, page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert f"```\n{prompt(name).template}\n```" in text


def test_the_docs_have_every_argument():
    page = (DOCS / "entailment.md").read_text(encoding="utf-8")
    rows = "\n".join(line for line in page.splitlines() if line.startswith("| `"))
    names = re.findall(r"\b(?!and\b)\w+", Entailment.known)
    assert [name for name in names if f"`{name}`" not in rows] == []


def test_a_file_of_an_editor_that_marks_its_texts(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_bytes(b"\xef\xbb\xbf<|video|>Is it {caption}?\r\n")
    assert prompt(str(file)).around_video("red") == ("", "Is it red?")


@pytest.mark.parametrize("name", ["~nobody-of-this-name/mine.txt", ".", "no\0file"])
def test_a_path_that_is_no_file(name):
    with pytest.raises(InputProblems, match="no prompt of this name, and no text file"):
        prompt(name)
