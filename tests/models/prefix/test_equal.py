"""The host's runner and ours get the same requests: the same answers, and less work."""

from __future__ import annotations

import random

import pytest

from tests.conftest import CLIP
from tests.models.prefix.conftest import Hook, asking, choices
from vidomni_plugin.models.requests import asked as what

FAMILIES = ("qwen2_5_vl", "qwen3_vl")
DIFFERENT = 20
"""So many different answers at least make equal ones a sign that the prompts were the same."""


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture(scope="module")
def of_the_host():
    """Answers of the host's runner, by family: they are asked once."""
    return {}


def shuffled(requests, seed=0):
    return random.Random(seed).sample(requests, len(requests))


def answers(results):
    return [(result.text, result.token_counts.output_tokens) for result in results]


@pytest.mark.parametrize("mode", ["enc", "kv", "kvb"])
def test_both_samples_and_another_benchmark_in_any_order(family, mode, asked, make, of_the_host):
    requests = shuffled(asked.requests)
    if family not in of_the_host:
        runner = make(family, asked)
        runner.cache_hook = Hook()
        of_the_host[family] = answers(runner.generate_until(requests)), runner.cache_hook.kept
    theirs, kept = of_the_host[family]
    ours = make(family, asked, prefix=mode)
    ours.cache_hook = Hook()
    assert answers(ours.generate_until(requests)) == theirs
    assert sorted(ours.cache_hook.kept) == sorted(kept)
    assert len(set(theirs)) > DIFFERENT  # the checkpoint does not say the same to all
    videos = {what(one, asked.task_dict).video for one in requests}
    work = ours.work
    assert (work.requests, work.by_host) == (len(requests), 0)
    assert work.videos == work.decodes == work.vision_passes == len(videos)
    assert work.output_tokens == sum(tokens for _, tokens in theirs)
    assert (work.prefilled_tokens < work.prompt_tokens) == (mode != "enc")


def test_enc_is_the_host_in_bfloat16(family, asked, make):
    requests = shuffled(asked.of("vidomni_mini")[:10] + asked.of("videomme"))
    theirs = answers(make(family, asked, dtype="bfloat16").generate_until(requests))
    ours = make(family, asked, dtype="bfloat16", prefix="enc")
    assert answers(ours.generate_until(requests)) == theirs
    assert ours.work.vision_passes < ours.work.requests == len(requests)


def test_one_video_at_a_time_each_answer_as_soon_as_it_is_there(family, asked, make):
    requests = asked.of("videomme")[:4] + asked.of("vidomni_mini")[:1]
    runner = make(family, asked, prefix="enc")
    generated, order = [], []
    generate = runner.model.generate
    runner.model.generate = lambda **given: generated.append(1) or generate(**given)
    given = {}

    def answered(place, result):
        order.append((place, len(generated)))
        given[place] = result

    runner.answer_video(requests, answered)
    assert [count for _, count in order] == [1, 2, 3, 4, 5]
    expected = make(family, asked).generate_until(requests)
    assert answers(given[place] for place in range(5)) == answers(expected)


@pytest.mark.parametrize("mode", ["enc", "kv", "kvb"])
def test_the_padding_of_a_rank_is_a_request_twice(mode, make):
    asked = asking(choices(CLIP, 1), choices(CLIP, 2))
    requests = [*asked.requests, asked.requests[-1]]
    theirs = answers(make("qwen3_vl", asked).generate_until(requests))
    assert answers(make("qwen3_vl", asked, prefix=mode).generate_until(requests)) == theirs


@pytest.mark.parametrize("mode", ["enc", "kv", "kvb"])
def test_text_before_the_video_is_no_shared_prefix(family, mode, make):
    video, question = choices(CLIP, 1)
    asked = asking(
        (video, question),
        ("Look.", video, question),
        (video, "And now?"),
        ("Look.", video, "And now?"),
        (video, question + " Think."),
    )
    theirs = answers(make(family, asked).generate_until(asked.requests))
    ours = make(family, asked, prefix=mode)
    assert answers(ours.generate_until(asked.requests)) == theirs
    assert ours.work.vision_passes == 1


@pytest.mark.parametrize("mode", ["kv", "kvb"])
def test_a_prompt_that_is_the_beginning_of_another_one(family, mode, make):
    video, question = choices(CLIP, 1)
    asked = asking((video, ""), (video, question), (video, question), (video, question + "?"))
    theirs = answers(make(family, asked).generate_until(asked.requests))
    assert answers(make(family, asked, prefix=mode).generate_until(asked.requests)) == theirs


@pytest.mark.parametrize("mode", ["enc", "kv", "kvb"])
def test_a_penalty_on_repeated_tokens_counts_no_padding(family, mode, make):
    asked = asking(*(choices(CLIP, 10**number) for number in range(4)), max_new_tokens=24)

    def penalised(runner):
        runner.model.generation_config.repetition_penalty = 1.3
        return answers(runner.generate_until(asked.requests))

    assert penalised(make(family, asked, prefix=mode)) == penalised(make(family, asked))


@pytest.mark.parametrize("mode", ["enc", "kv", "kvb"])
def test_answers_that_end_early_have_their_own_length(family, mode, make):
    asked = asking(*(choices(CLIP, 7**number) for number in range(6)), max_new_tokens=24)
    theirs = make(family, asked)
    end = a_token_at_several_places(theirs, asked.requests)
    theirs.tokenizer.eos_token_id = end
    expected = answers(theirs.generate_until(asked.requests))
    assert len({tokens for _, tokens in expected}) > 1
    ours = make(family, asked, prefix=mode)
    ours.tokenizer.eos_token_id = end
    assert answers(ours.generate_until(asked.requests)) == expected


def a_token_at_several_places(runner, requests):
    """Return a token that answers have, first at different places: it can end them."""
    generate, rows = runner.model.generate, []

    def listening(**given):
        output = generate(**given)
        rows.append(output[0, given["input_ids"].shape[1] :].tolist())
        return output

    runner.model.generate = listening
    runner.generate_until(requests)
    runner.model.generate = generate
    tokens = sorted({token for row in rows for token in row})
    first = {token: {row.index(token) for row in rows if token in row} for token in tokens}
    return max(tokens, key=lambda token: len(first[token]))
