"""Arguments: all that is wrong is named at once, and no secret is repeated."""

from __future__ import annotations

import pytest

from vidomni_plugin.models.detectors.fifa.arguments import read_fifa_arguments
from vidomni_plugin.problems import InputProblems

URL = "http://localhost:8000/v1"
BOTH = {"llm": "m", "llm_base_url": URL, "videoqa": "v", "videoqa_base_url": URL}


def refused(**given):
    with pytest.raises(InputProblems) as raised:
        read_fifa_arguments(given)
    return [problem.message for problem in raised.value.problems], str(raised.value)


def test_two_endpoints():
    found = read_fifa_arguments(
        {**BOTH, "llm_prices": "2.5/1.25/10", "videoqa_frames": 16, "paper_compat": 1}
    )
    assert (found.llm.model, found.llm.base_url, found.llm.max_tokens) == ("m", URL, 1024)
    assert found.llm.prices is not None
    assert (found.llm.prices.cached, found.videoqa.prices) == (1.25, None)
    assert (found.videoqa.look.most, found.videoqa.look.fps) == (16, 1)
    assert (found.paper_compat, found.hint, found.calls.at_once) == (True, True, 8)


def test_a_model_of_the_host_keeps_its_own_arguments():
    found = read_fifa_arguments(
        {
            **{"llm": "m", "llm_base_url": URL, "llm_temperature": "none"},
            **{"videoqa": "qwen2_5_vl", "videoqa_pretrained": "there", "videoqa_fps": 1.0},
            **{"videoqa_max_tokens": 16},
        }
    )
    assert found.llm.temperature is None
    assert found.videoqa.given == {"pretrained": "there", "fps": 1.0}
    assert found.videoqa.max_tokens == 16


def test_one_model_for_both():
    found = read_fifa_arguments({**BOTH, "llm": "videoqa", "llm_base_url": ""})
    assert (found.llm.name, found.llm.model, found.llm.base_url) == ("llm", "v", URL)
    assert (found.llm.max_tokens, found.videoqa.max_tokens) == (1024, 128)


def test_everything_that_is_wrong_is_named():
    messages, _ = refused(
        llm="no_such_model", videoqa_base_url=URL, timeout="soon", most_cost=0, llm_seed=3, more=1
    )
    text = "\n".join(messages)
    for part in (
        "which model is the videoqa?",
        "llm=no_such_model is no model of the host",
        "timeout=soon: it is a number",
        "most_cost=0: it is a number above 0",
        "unknown: more",
    ):
        assert part in text


@pytest.mark.parametrize("name", ["llm", "videoqa"])
def test_an_unknown_argument_of_an_endpoint(name):
    messages, text = refused(**BOTH, **{f"{name}_pretrained": "x"})
    assert messages == [f"unknown: {name}_pretrained"]
    assert f"{name}_max_tokens" in text


@pytest.mark.parametrize("name", ["llm_prices", "llm_temperature", "llm_key_name"])
def test_what_only_an_endpoint_has(name):
    messages, _ = refused(videoqa="v", videoqa_base_url=URL, llm="qwen2_5_vl", **{name: "1/1/1"})
    assert any(message.startswith(f"{name} is for a model behind") for message in messages)


@pytest.mark.parametrize(
    "given",
    [
        {"llm_api_key": "sk-secret"},
        {"api_key": "sk-secret"},
        {"videoqa_key_name": "sk-secret"},
        {"llm_base_url": "http://me:sk-secret@host/v1"},
        {"llm_base_url": "http://host/v1?key=sk-secret"},
        {"llm_base_url": "http://host/v1#key=sk-secret"},
    ],
)
def test_a_secret_is_refused_and_not_repeated(given):
    _, text = refused(**{**BOTH, **given})
    assert "sk-secret" not in text


@pytest.mark.parametrize(
    "given",
    [
        {"timeout": 1e308},  # no clock takes it
        {"llm_max_tokens": 10**12},  # no call does
        {"videoqa_image_tokens": 10**14},  # a sum of them does not fit into the file of replies
    ],
)
def test_numbers_that_nothing_takes_are_refused_at_the_start(given):
    messages, _ = refused(**BOTH, **given)
    (name,) = given
    assert len(messages) == 1
    assert messages[0].startswith(f"{name}=")
    assert "at most" in messages[0]


def test_a_home_that_is_not_known_stays_in_the_path():
    found = read_fifa_arguments({**BOTH, "replies": "~no-such-user-here/r.sqlite"})
    assert str(found.calls.replies) == "~no-such-user-here/r.sqlite"


@pytest.mark.parametrize("prices", ["1", "1/2", "a/b/c", "-1/0/1", "1/2/3/4"])
def test_prices(prices):
    messages, _ = refused(**BOTH, llm_prices=prices)
    assert messages == [
        f"llm_prices={prices}: prices of a million tokens are INPUT/CACHED/OUTPUT, "
        "such as 2.5/1.25/10"
    ]


def test_the_detector_itself_cannot_be_asked():
    messages, _ = refused(llm="vidomni_fifa", videoqa="v", videoqa_base_url=URL)
    assert "no model of the host" in messages[0]
