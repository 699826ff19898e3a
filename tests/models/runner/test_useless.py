"""A detector's score without a threshold is an answer: `vidomni calibrate` needs many of them."""

from types import SimpleNamespace

import pytest

from vidomni_plugin.detectors.answer import answer
from vidomni_plugin.models.runner.asking import useless

QUESTION = SimpleNamespace(sentences=None, verdict=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(answer(0.3, None), False, id="a score"),
        pytest.param(answer(0.3, 0.5), False, id="a decision"),
        pytest.param(answer(None, None), True, id="no score"),
        pytest.param(answer(float("nan"), 0.5), True, id="not finite"),
        pytest.param("REJECT", False, id="a verdict"),
        pytest.param("I see a dog.", True, id="no verdict"),
    ],
)
def test_what_tells_nothing(text, expected):
    assert useless(QUESTION, text) is expected
