"""The built-in sample says only what its clips show: every label is measured in decoded pixels.

``mini_claims.txt`` ties each sentence and each answer to a claim about its clip, which is an
expression over the methods of ``Look``. A claim must hold where the text is labelled right, and
must not where it is labelled wrong.
"""

import difflib
import hashlib
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import decord
import numpy as np
import pytest

from tests.data.mini_look import Look, decode
from vidomni_plugin.data.mini.build import HERE, build
from vidomni_plugin.data.mini.clips import CLIPS
from vidomni_plugin.data.mini.scenes import place
from vidomni_plugin.records import ErrorCategory, Leaf, VidHalLocPair, VidOmniPair

VIDOMNI = HERE / "vidomni"
VIDHALLOC = HERE / "vidhalloc"
FOLDERS = {"video_qa": "videoqa", "video_captioning": "video caption"}


def read_claims():
    """Return the claim of each text about each clip."""
    text = (Path(__file__).parent / "mini_claims.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)
    return {
        clip: dict(line.split(" => ", 1) for line in block.strip().splitlines() if line)
        for clip, block in zip(parts[1::2], parts[2::2], strict=True)
    }


CLAIMS = read_claims()


@cache
def look(clip):
    return Look(str(VIDOMNI / "videos" / f"{clip}.mp4"))


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def vidomni_pairs():
    return [VidOmniPair.model_validate_json(line) for line in lines(VIDOMNI / "pairs.jsonl")]


def vidhalloc_pairs(name="2000_Orign/2000_Orign"):
    path = VIDHALLOC / "Datasets" / f"{name}.jsonl"
    return [VidHalLocPair.model_validate_json(line) for line in lines(path)]


@cache
def clip_of(task, video_id):
    """Return which clip a video of VidHalLoc is, by its content."""
    content = (VIDHALLOC / FOLDERS[task] / f"{video_id}.mp4").read_bytes()
    (clip,) = (c for c in CLIPS if (VIDOMNI / "videos" / f"{c}.mp4").read_bytes() == content)
    return clip


@pytest.mark.parametrize("pair", vidomni_pairs(), ids=lambda pair: pair.pair_id)
def test_every_labelled_sentence_is_as_true_as_its_label_says(pair):
    wrong = []
    for number, sentence in enumerate(pair.sentences, start=1):
        if sentence.label is None:
            continue
        # A repeat is Incorrect even where its words are true (Frequency).
        repeated = sentence.text in {before.text for before in pair.sentences[: number - 1]}
        if repeated:
            assert [error.category for error in sentence.errors] == ["Frequency"]
        holds = look(pair.video_id).holds(CLAIMS[pair.video_id][sentence.text]) and not repeated
        if holds != (sentence.label == 0):
            wrong.append(f"{number}. {sentence.text} is labelled {sentence.label}")
    assert not wrong


@pytest.mark.parametrize("pair", vidhalloc_pairs(), ids=lambda pair: pair.pair_id)
def test_the_factual_answer_is_true_and_the_counterfactual_one_is_not(pair):
    clip = clip_of(pair.task_type, pair.media.video_id)
    assert look(clip).holds(CLAIMS[clip][pair.answer])
    assert not look(clip).holds(CLAIMS[clip][pair.counterfactual_answer])


def test_a_claim_about_another_clip_does_not_hold():
    """The measurements can fail: most claims are wrong about a clip that they are not about."""
    claims = [claim for claim in CLAIMS["trio"].values() if look("trio").holds(claim)]
    others = [clip for clip in CLIPS if clip not in {"trio", "watch", "parts"}]
    held = 0
    for clip in others:
        for claim in claims:
            try:
                held += look(clip).holds(claim)
            except (IndexError, ValueError):  # what is spoken of is not in the clip at all
                continue
    assert held < 0.25 * len(claims) * len(others)


def test_every_claim_is_about_a_text_of_the_sample():
    texts = {(p.video_id, s.text) for p in vidomni_pairs() for s in p.sentences}
    for pair in vidhalloc_pairs():
        clip = clip_of(pair.task_type, pair.media.video_id)
        texts |= {(clip, pair.answer), (clip, pair.counterfactual_answer)}
    assert {(clip, text) for clip, claims in CLAIMS.items() for text in claims} <= texts


@pytest.mark.parametrize("clip", [c for c in CLIPS if c not in {"pan", "zoom"}])
def test_things_are_where_the_scene_puts_them(clip):
    """The pixels follow the script: the mean position of a colour's things, at three times."""
    start = 0.0
    for shot in CLIPS[clip].scene.shots:
        for share in (0.1, 0.5, 0.8):
            step = float(1 / CLIPS[clip].scene.fps)
            at = step * round(share * shot.seconds / step)
            where = {}
            for thing in shot.things:
                key = place(thing.path, at)
                if at in thing.shown and thing.size / 2 < key.x < 1 - thing.size / 2:
                    where.setdefault(thing.colour_at(at), []).append((key.x, key.y, thing.shape))
            for colour, keys in where.items():
                seen = look(clip)
                x, y = np.mean([key[:2] for key in keys], axis=0)
                # A triangle's centre of mass lies a sixth of its height below its box's middle.
                low = 0.04 if keys[0][2] == "triangle" else 0.0
                assert seen.x(colour, start + at) == pytest.approx(x, abs=0.02)
                assert seen.y(colour, start + at) == pytest.approx(y + low, abs=0.025)
                assert seen.count(colour, start + at) == len(keys)
        start += shot.seconds


@pytest.mark.parametrize("pair", vidhalloc_pairs(), ids=lambda pair: pair.pair_id)
def test_a_counterfactual_answer_changes_one_place(pair):
    words = [re.findall(r"\w+", text) for text in (pair.answer, pair.counterfactual_answer)]
    changes = [
        code
        for code in difflib.SequenceMatcher(None, *words, autojunk=False).get_opcodes()
        if code[0] != "equal"
    ]
    existence = pair.leaf_label is Leaf.ENTITY_EXISTENCE and pair.task_type == "video_qa"
    assert len(changes) <= (2 if existence else 1)  # "Yes, ... is" becomes "No, ... is not"
    if existence:
        assert pair.answer.startswith(("Yes,", "No,"))


def test_counts_and_coverage():
    pairs = vidomni_pairs()
    assert len(pairs) == 24
    assert {pair.complexity_type for pair in pairs} == {1, 2, 3, 4, 5}
    assert len({pair.caption_source for pair in pairs}) == 3
    sentences = [sentence for pair in pairs for sentence in pair.sentences]
    errors = Counter(error.category for s in sentences for error in s.errors)
    assert set(errors) == set(ErrorCategory.__args__)
    assert min(errors.values()) >= 2
    assert 3 <= sum(sentence.label is None for sentence in sentences) <= 10
    flawless = [p for p in pairs if not any(s.label == 1 for s in p.sentences)]
    assert len(flawless) == 1
    assert all(error.text in s.text for s in sentences for error in s.errors)
    assert {pair.audio_category for pair in pairs} == {None, "Speech", "Sound Effect", "Background"}
    durations = {pair.video_id: pair.duration_s for pair in pairs}
    assert len(durations) >= 12
    assert any(180 < seconds < 1800 for seconds in durations.values())
    assert any(seconds > 1800 for seconds in durations.values())
    answers = vidhalloc_pairs()
    assert len(answers) == 40
    kinds = Counter((pair.leaf_label, pair.task_type) for pair in answers)
    assert len(kinds) == 16
    assert min(kinds.values()) >= 2
    assert max(Counter(pair.media.video_id for pair in answers).values()) <= 2


def test_the_splits_are_whole_and_share_no_video():
    for part in ("Videoqa_set", "Video_caption_set"):
        splits = [vidhalloc_pairs(f"{part}/{name}_set") for name in ("Main", "Eval", "Test")]
        ids = [pair.pair_id for split in splits for pair in split]
        assert sorted(ids) == sorted(pair.pair_id for pair in vidhalloc_pairs(f"{part}/{part}"))
        videos = [{pair.media.video_id for pair in split} for split in splits]
        assert sum(map(len, videos)) == len(set.union(*videos))


def test_the_inventory_names_every_file_with_its_hash():
    rows = [json.loads(line) for line in lines(VIDHALLOC / "Datasets/source_video_inventory.jsonl")]
    for row in rows:
        content = (VIDHALLOC / row["packaged_path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["sha256"]
    assert len(rows) == len(list(VIDHALLOC.rglob("*.mp4")))


@pytest.mark.parametrize(
    "pair", {p.video_id: p for p in vidomni_pairs()}.values(), ids=lambda p: p.video_id
)
def test_duration_frames_and_sound_are_as_recorded(pair):
    seen = look(pair.video_id)
    assert seen.end == pytest.approx(pair.duration_s, rel=0.01)
    assert len(seen.frames) >= 32
    assert (seen.sound is not None) == pair.has_audio
    assert seen.speech() == (pair.audio_category == "Speech")
    assert (seen.tones() > 0) == (pair.audio_category == "Background")


@pytest.mark.parametrize("clip", ["roll", "watch"])
def test_decord_sees_the_same_pictures(clip):
    reader = decord.VideoReader(look(clip).path)
    assert len(reader) == len(look(clip).frames)
    middle = len(reader) // 2
    difference = np.abs(reader[middle].asnumpy().astype(int) - look(clip).frames[middle])
    assert difference.mean() < 2


def test_the_sample_is_small():
    assert sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file()) < 2_000_000


def test_the_script_makes_the_sample_again(tmp_path):
    build(tmp_path)
    for path in sorted(HERE.rglob("*.jsonl")):
        if path.name != "source_video_inventory.jsonl":  # hashes depend on the encoder's version
            assert (tmp_path / path.relative_to(HERE)).read_bytes() == path.read_bytes(), path
    for clip in CLIPS:
        again = decode(str(tmp_path / "vidomni" / "videos" / f"{clip}.mp4"))[1]
        assert again.shape == look(clip).frames.shape
        assert np.abs(again.astype(np.int16) - look(clip).frames).mean() < 3
