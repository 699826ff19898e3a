"""Localized attention against the public code's own numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.detectors.case_files import arrays, table
from vidomni_plugin.detectors.localization import LAYERS, localized_attention, span_tokens

CASES, ARRAYS = table("mtla"), arrays("mtla")


@pytest.mark.parametrize("name", CASES["cases"])
def test_tensors(name):
    case = CASES["cases"][name]
    attention, region = ARRAYS[f"{name}/attn"], ARRAYS[f"{name}/region"]
    everything = range(attention.shape[-1])
    found = localized_attention(attention, region)
    assert found == pytest.approx(case["score_all"], abs=1e-5)
    assert found == pytest.approx(case["reexec_float64"], abs=1e-5)
    first = localized_attention(attention, region, tokens="first")
    assert first == pytest.approx(case["score_first"], abs=1e-5)
    whole = localized_attention(attention, everything)
    assert whole == pytest.approx(case["score_global_svar"], abs=1e-5)
    of_all = localized_attention(attention, region, layers=range(len(attention)))
    assert of_all == pytest.approx(case["score_all_every_layer"], abs=1e-5)


def test_layers_are_those_of_the_public_code():
    assert list(LAYERS) == CASES["default_band"]
    assert CASES["model_with_5_layers"] == "ValueError"
    with pytest.raises(ValueError, match="a model of 5 layers has none of 8"):
        localized_attention(np.ones((5, 1, 1, 3)), [0])
    with pytest.raises(ValueError, match="shape"):
        localized_attention(np.ones((9, 1, 0, 3)), [0])


@pytest.mark.parametrize("case", CASES["video_masks"], ids=lambda case: str(case["span"]))
def test_spans(case):
    span = None if case["span"] is None else tuple(case["span"])
    found = span_tokens(span, case["duration_s"], case["T"], case["HW"])
    assert found == case["token_indices"]


def test_a_span_that_is_no_span():
    assert span_tokens((float("nan"), 2.0), 10.0, 10, 1) == []
    assert span_tokens((5.0, 2.0), 10.0, 10, 1) == []
    assert span_tokens((-3.0, 1.0), 10.0, 10, 1) == [0]


def test_spans_far_outside_of_the_video():
    assert span_tokens((0.0, 1e308), 10.0, 3, 1) == [0, 1, 2]
    assert span_tokens((-1e308, 1e308), 1e-300, 3, 1) == [0, 1, 2]
    assert span_tokens((1e308, 1e308), 1e-300, 3, 1) == []
    assert span_tokens((-1e308, -1e300), 10.0, 3, 1) == []


@pytest.mark.parametrize(
    "region", [[True, True, False, False], [0, 0], [-1], [4], [0.0, 1.0], [[0, 1]], 2]
)
def test_a_region_that_is_no_list_of_tokens(region):
    attention = np.full((10, 1, 2, 4), 0.25)
    with pytest.raises(ValueError, match="a region"):
        localized_attention(attention, region)
    assert localized_attention(attention, []) == 0
    assert localized_attention(attention, range(4)) == 1
