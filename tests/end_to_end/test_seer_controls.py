"""What a pipeline must not do to a video costs the shipped model its accuracy, and how much.

Each control is one fault that a run would not notice otherwise. Clips are coded as MP4 and reach
the model through the host's task, reader and processor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from sights import (
    PICKS,
    SMALL,
    Outcome,
    Sight,
    ask,
    film,
    first_part,
    host_run,
    outcome,
    sights,
)

from vidomni_plugin.models.seer.measure import CONTROLS
from vidomni_plugin.models.seer.shipped import checkpoint
from vidomni_plugin.video.cache import CACHE
from vidomni_plugin.vidhalloc import prompt

pytestmark = pytest.mark.host

CLIPS = 10
"""Clips of each kind."""
SEEN = {"colour": 0.9, "direction": 0.9, "order": 0.9, "end": 0.8}
"""Accuracy of each kind on clips as they are, at least; chance is 0.5."""
REVERSED_DROP = 0.75
"""Direction and order: the opposite has become true, so a model that looks falls below chance."""
REVERSED_SPARES = 0.1
"""Colour may fall by so much when a clip is played backwards."""
SWAPPED_DROP = 0.75
"""Colour: red things have become blue. Swapped, blue is a red that is nearly orange."""
SAMPLING_DROP = 0.35
"""The colour at the end, when the end was not looked at."""
BLANK_DROP = 0.4
"""All kinds: nothing is left to tell the answers apart but how they are worded."""
OTHER_DROP = 0.3
"""All kinds: what is asked about is, as a rule, not in the clip."""
WORDS_DROP = 0.3
"""All kinds: the prompt's fixed parts are three tokens each of which is unknown once changed."""

SEEING = ("colour", "direction", "order")
"""Kinds that controls of the whole video are measured on."""
OTHER_WORDS = {
    "You are judging whether": "Please decide if",
    "Candidate answer": "Proposed answer",
    "Judge this candidate": "Assess this candidate",
    "Return ": "Reply with ",
}


@pytest.fixture(scope="module")
def shown() -> Mapping[str, list[Sight]]:
    return {kind: sights(kind, CLIPS) for kind in PICKS}


def judge(root: Path, kinds: Sequence[str] = SEEING) -> Mapping[str, Outcome]:
    """Return outcomes by kind, and of ``SEEING`` together under the empty name."""
    given = f"pretrained={checkpoint()},{SMALL},prefix=kvb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIDHALLOC_DATA", str(root))
        samples = host_run("vidomni_qwen2_5_vl", given, ["vidhalloc"])["samples"]["vidhalloc"]
    found = {kind: outcome(samples, [kind]) for kind in kinds}
    return found | ({"": outcome(samples, SEEING)} if set(SEEING) <= set(kinds) else {})


@pytest.fixture(scope="module")
def root(shown, tmp_path_factory):
    """The clips as they were drawn."""
    root = tmp_path_factory.mktemp("drawn") / "data"
    every = [sight for kind in PICKS for sight in shown[kind]]
    film(root, every, CONTROLS["none"])
    return ask(root, every)


@pytest.fixture(scope="module")
def plain(root):
    return judge(root, [*SEEING, "end"])


@pytest.fixture
def spoilt(shown, tmp_path):
    """Return a function that asks about clips with something done to their frames."""

    def run(control: str, kinds=SEEING) -> Mapping[str, Outcome]:
        every = [sight for kind in kinds for sight in shown[kind]]
        film(tmp_path / "data", every, CONTROLS[control])
        return judge(ask(tmp_path / "data", every), kinds)

    return run


@pytest.mark.parametrize("kind", list(PICKS))
def test_clips_as_they_are(kind, plain, shown):
    assert plain[kind].pairs == sum(len(sight.questions) for sight in shown[kind]) >= CLIPS
    assert plain[kind].accuracy >= SEEN[kind], plain[kind]
    assert plain[kind].undecided == 0


def test_frames_reversed(spoilt, plain):
    found = spoilt("reversed")
    for kind in ("direction", "order"):
        assert plain[kind].accuracy - found[kind].accuracy >= REVERSED_DROP, found
    assert plain["colour"].accuracy - found["colour"].accuracy <= REVERSED_SPARES, found


def test_red_and_blue_swapped(spoilt, plain):
    found = spoilt("swapped", ["colour"])["colour"]
    assert plain["colour"].accuracy - found.accuracy >= SWAPPED_DROP, found


def test_blank_video(spoilt, plain):
    found = spoilt("blank")[""]
    assert plain[""].accuracy - found.accuracy >= BLANK_DROP, found


def test_the_wrong_video(root, shown, plain, tmp_path):
    """The clip that a question is about is replaced by one of another kind."""
    every = [
        sight for together in zip(*(shown[k] for k in SEEING), strict=True) for sight in together
    ]
    (tmp_path / "videoqa").symlink_to(root / "videoqa")
    found = judge(ask(tmp_path, every, shift=1))[""]
    assert plain[""].accuracy - found.accuracy >= OTHER_DROP, found


def test_frames_of_the_first_third(root, plain, monkeypatch):
    """A sampler that stops early shows none of what happens at the end."""
    import qwen_vl_utils.vision_process as vision

    readers = {name: first_part(read) for name, read in vision.VIDEO_READER_BACKENDS.items()}
    monkeypatch.setattr(vision, "VIDEO_READER_BACKENDS", readers)
    CACHE.clear()
    found = judge(root, ["end"])["end"]
    CACHE.clear()
    assert plain["end"].accuracy - found.accuracy >= SAMPLING_DROP, found


def test_other_words_in_the_prompt(root, plain, monkeypatch):
    """The same request in other words: a model knows the prompt that it was trained with."""
    text = prompt._template()
    for old, new in OTHER_WORDS.items():
        assert old in text
        text = text.replace(old, new)
    monkeypatch.setattr(prompt, "_template", lambda: text)
    found = judge(root)[""]
    assert plain[""].accuracy - found.accuracy >= WORDS_DROP, found
