"""A call: its key, and the most that it can take."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.endpoint.conftest import call
from vidomni_plugin.endpoint.call import Call

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}}


def with_parts(*parts, **settings):
    message = {"role": "user", "content": list(parts)}
    return Call("video", (message,), "m", {"max_tokens": 10} | settings)


def test_the_key_is_of_the_content():
    assert call().key == call(role="questions").key
    same = call(temperature=0)
    turned = Call("x", same.messages, "tiny", dict(reversed(same.settings.items())))
    assert same.key == turned.key  # neither the role of the call nor an order of settings counts
    others = [call("Is there a cat?"), call(temperature=1), call(seed=1), call(max_tokens=11)]
    others.append(Call("questions", same.messages, "other", same.settings))
    keys = {each.key for each in [same, *others]}
    assert len(keys) == 6


def test_another_picture_is_another_key():
    other = {"type": "image_url", "image_url": {"url": "data:image/png;base64,B"}}
    assert with_parts(PICTURE).key != with_parts(other).key


def test_pictures_count_with_their_own_tokens_and_not_with_their_bytes():
    text = {"type": "text", "text": "What is there?"}
    none, one, two = (with_parts(text, *[PICTURE] * n) for n in range(3))
    assert [each.has_media for each in (none, one, two)] == [False, True, True]
    more = one.most_tokens(500) - none.most_tokens(500)
    assert 500 <= more < 600
    assert two.most_tokens(500) - one.most_tokens(500) == more


@given(st.text(max_size=200), st.integers(1, 10**6))
def test_a_byte_is_at_most_a_token(text, most):
    asked = call(text, max_tokens=most)
    assert asked.most_tokens(0) >= len(text.encode("utf-8", "surrogatepass")) + most
    usage = asked.most_usage(0)
    assert usage.input + usage.output == asked.most_tokens(0)


def test_the_higher_of_two_limits_bounds_a_reply():
    assert call(max_completion_tokens=70, max_tokens=9).most_usage(0).output == 70
    assert call(extra_body={"max_tokens": 80}).most_usage(0).output == 80


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_tokens": 0},
        {"max_tokens": True},
        {"max_tokens": None},
        {"max_tokens": 1.5},
        {"max_tokens": 10**30},
    ],
)
def test_a_reply_without_a_limit_is_refused(settings):
    with pytest.raises(ValueError, match="max_tokens"):
        Call("r", ({"role": "user", "content": "x"},), "m", settings)


@pytest.mark.parametrize("extra", [{"n": 2}, {"stream": True}, {"extra_body": {"model": "x"}}])
def test_settings_that_a_call_cannot_have(extra):
    with pytest.raises(ValueError, match="is no setting of a call"):
        call(**extra)


def test_settings_can_be_changed_and_taken_out():
    changed = call(seed=3).with_settings(seed=None, top_p=0.5)
    assert json.dumps(changed.settings) == '{"max_tokens": 10, "temperature": 0, "top_p": 0.5}'
