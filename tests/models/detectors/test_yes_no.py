"""First tokens of Yes and No, on tokenizers that split words differently."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from vidomni_plugin.models.detectors.yes_no import SPACES, YesNo, spaces_of, yes_no
from vidomni_plugin.problems import InputProblems


class Words:
    """A tokenizer that takes the longest known part each time."""

    unk_token_id = 0

    def __init__(self, *parts: str) -> None:
        self.parts = ["<unk>", *parts]

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        ids = []
        while text:
            known = [p for p in self.parts if text.startswith(p)]
            part = max(known, key=len, default=text[0])
            ids.append(self.parts.index(part) if known else 0)
            text = text[len(part) :]
        return ids

    def decode(self, ids: list[int]) -> str:
        return "".join(self.parts[k] for k in ids)

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [self.parts[k] for k in ids]


@pytest.mark.parametrize(
    ("parts", "spaces", "expected"),
    [
        pytest.param(
            ("Yes", "No", " Yes", " No"),
            "both",
            YesNo((1, 3), (2, 4), ("Yes", " Yes"), ("No", " No")),
            id="both forms",
        ),
        pytest.param(
            ("Yes", "No", " Yes", " No"),
            "with",
            YesNo((3,), (4,), (" Yes",), (" No",)),
            id="with a space only",
        ),
        pytest.param(
            ("Yes", "No", " Yes", " No"),
            "without",
            YesNo((1,), (2,), ("Yes",), ("No",)),
            id="without a space only",
        ),
        pytest.param(
            ("Yes", "No", " "),
            "both",
            YesNo((1,), (2,), ("Yes",), ("No",)),
            id="a space is a token of its own",
        ),
        pytest.param(
            ("Yes", "No", " Yes", " "),
            "both",
            YesNo((1,), (2,), ("Yes",), ("No",)),
            id="the spaced form of one word only: it counts for neither",
        ),
        pytest.param(
            ("Y", "e", "s", "N", "o"), "both", YesNo((1,), (4,), ("Y",), ("N",)), id="letters"
        ),
    ],
)
def test_tokens(parts, spaces, expected):
    assert yes_no(Words(*parts), spaces, "m") == expected


@pytest.mark.parametrize(
    ("parts", "spaces", "code"),
    [
        pytest.param(("a", "b"), "both", "yes-no-tokens", id="unknown words"),
        pytest.param(("Yes", "a"), "both", "yes-no-tokens", id="no No"),
        pytest.param((" ", "Yes", "No"), "with", "yes-no-tokens", id="no spaced form"),
    ],
)
def test_none(parts, spaces, code):
    with pytest.raises(InputProblems) as raised:
        yes_no(Words(*parts), spaces, "some/model")
    (problem,) = raised.value.problems
    assert (problem.code, problem.place) == (code, "some/model")


def test_which_forms_there_are():
    assert [spaces_of(name) for name in SPACES] == ["both", "without", "with"]
    with pytest.raises(ValueError, match="spaces=maybe is not known; give one of both"):
        spaces_of("maybe")


TEXTS = ["Yes No Yes. No. Yes, it is a dog. No, it is none."] * 20
SPACE = "\u2581"


def byte_level(**settings: bool) -> Tokenizer:
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, initial_alphabet=letters, show_progress=False)
    words.train_from_iterator(TEXTS, trainer)
    words.pre_tokenizer = pre_tokenizers.ByteLevel(**settings)
    return words


def sentencepiece(*, space_before: bool) -> Tokenizer:
    """Return a tokenizer as Llama's: with bytes for what it does not know, such as line breaks."""
    words = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    steps = [normalizers.Prepend(SPACE)] if space_before else []
    words.normalizer = normalizers.Sequence([*steps, normalizers.Replace(" ", SPACE)])
    words.decoder = decoders.Sequence(
        [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    marks = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=marks, show_progress=False)
    words.train_from_iterator(TEXTS + ["YesNoYesNo"] * 40, trainer)
    return words


def word_pieces(*, lower: bool) -> Tokenizer:
    words = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer(lowercase=lower)
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.decoder = decoders.WordPiece()
    words.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(special_tokens=["[UNK]"], show_progress=False)
    )
    return words


@pytest.mark.parametrize(
    ("words", "spaces", "yes"),
    [
        pytest.param(byte_level(add_prefix_space=False), "both", ("Yes", "ĠYes"), id="byte-level"),
        pytest.param(byte_level(add_prefix_space=False), "with", ("ĠYes",), id="with a space"),
        pytest.param(
            byte_level(add_prefix_space=True), "both", ("Yes", "ĠYes"), id="a space of its own"
        ),
        pytest.param(
            sentencepiece(space_before=True), "both", ("Yes", f"{SPACE}Yes"), id="Llama's"
        ),
        pytest.param(
            sentencepiece(space_before=True), "without", ("Yes",), id="Llama's behind a line break"
        ),
        pytest.param(
            sentencepiece(space_before=True), "with", (f"{SPACE}Yes",), id="Llama's first"
        ),
        pytest.param(
            sentencepiece(space_before=False), "both", ("Yes", f"{SPACE}Yes"), id="Gemma's"
        ),
        pytest.param(word_pieces(lower=False), "both", ("Yes",), id="pieces of words"),
    ],
)
def test_real_tokenizers(words, spaces, yes):
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words)
    found = yes_no(tokenizer, spaces, "m")
    assert set(found.yes_texts) == set(yes)
    assert set(found.no_texts) == {text.replace("Yes", "No") for text in yes}
    assert found.yes == tuple(tokenizer.convert_tokens_to_ids(list(found.yes_texts)))


def test_a_tokenizer_of_small_letters_has_none():
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=word_pieces(lower=True))
    with pytest.raises(InputProblems, match="no tokens that tell"):
        yes_no(tokenizer, "both", "m")
