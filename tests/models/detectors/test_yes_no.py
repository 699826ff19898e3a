"""First tokens of Yes and No, on tokenizers that split words differently."""

from __future__ import annotations

import pytest

from vidomni_plugin.models.detectors.yes_no import YesNo, yes_no
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
        pytest.param(("Yes", "No"), "maybe", "usage", id="unknown setting"),
    ],
)
def test_none(parts, spaces, code):
    with pytest.raises(InputProblems) as raised:
        yes_no(Words(*parts), spaces, "some/model")
    (problem,) = raised.value.problems
    assert problem.code == code
    assert code == "usage" or problem.place == "some/model"
