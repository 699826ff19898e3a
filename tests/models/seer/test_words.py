"""The prompts of both benchmarks become few tokens, and the answers are read back as labels."""

import pytest

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.labels import parse_sentence_labels, parse_verdict
from vidomni_plugin.models.seer.probes import SAID
from vidomni_plugin.models.seer.traits import WORDS
from vidomni_plugin.models.seer.words import (
    MOST_SENTENCES,
    VERDICTS,
    judge_parts,
    label_text,
    tokenizer,
    vocabulary,
)
from vidomni_plugin.vidhalloc.prompt import judge_prompt
from vidomni_plugin.vidomni.prompt import verification_prompt


@pytest.fixture(scope="module")
def words():
    return tokenizer(vocabulary())


def test_the_vocabulary_is_the_same_each_time():
    assert vocabulary.__wrapped__() == vocabulary()


def test_a_judge_prompt_is_its_words_and_three_more(words):
    text = judge_prompt(CAPTION_REQUEST, "The red circle moves to the left.")
    tokens = words.convert_ids_to_tokens(words(text)["input_ids"])
    head, middle, tail = judge_parts()
    assert [token.strip() for token in tokens] == [
        *(head, CAPTION_REQUEST, middle),
        *("the", "red", "circle", "moves", "to", "the", "left", "."),
        tail,
    ]


def test_a_caption_is_numbered_by_single_tokens(words):
    text = verification_prompt(["A red circle rises."] * MOST_SENTENCES)
    tokens = words.convert_ids_to_tokens(words(text)["input_ids"])
    assert len(tokens) == 1 + MOST_SENTENCES * 6
    assert "<unk>" not in tokens


def test_an_unknown_word_is_unknown_and_not_guessed(words):
    assert words.tokenize("a zebra rises") == ["a", "<unk>", "rises"]


def test_saved_words_are_loaded_unchanged(words, tmp_path):
    from transformers import AutoTokenizer

    words.save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    text = judge_prompt("What color is the square?", "The square is blue.")
    assert loaded(text)["input_ids"] == words(text)["input_ids"]


@pytest.mark.parametrize("labels", [(0,), (1, 0), (0, 1) * 6])
def test_generated_labels_are_read_back(words, labels):
    text = "".join(label_text(k, label) for k, label in enumerate(labels, 1)) + "}"
    tokens = words(text)["input_ids"]
    assert len(tokens) == len(labels) + 1
    read = parse_sentence_labels(words.decode(tokens), len(labels))
    assert read.labels == labels
    assert read.status == "ok"


@pytest.mark.parametrize("verdict", VERDICTS)
def test_generated_verdicts_are_read_back(words, verdict):
    assert parse_verdict(words.decode(words(verdict)["input_ids"])).label == verdict


def test_words_for_what_is_seen_are_known():
    assert {*WORDS, *SAID} <= set(vocabulary())
