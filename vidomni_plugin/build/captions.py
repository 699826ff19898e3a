"""From samples files of the captioning tasks to captions that are split into sentences."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from vidomni_plugin.build.segment import split_sentences
from vidomni_plugin.data.releases import read_captions
from vidomni_plugin.problems import InputProblems, Problem
from vidomni_plugin.records import ID_BYTES, ID_LENGTH, Caption
from vidomni_plugin.samples import Sample, read_samples
from vidomni_plugin.vidomni.caption_reading import FAULTS, count_words, read_caption
from vidomni_plugin.vidomni.captioning import PROMPTS, prompt_id

__all__ = [
    "NOTES",
    "Built",
    "Note",
    "SourceCounts",
    "added",
    "build",
    "pair_id_of",
    "source_counts",
]

OTHER_PROMPT = "other_prompt"
NOTES: dict[str, str] = {
    **FAULTS,
    OTHER_PROMPT: "the prompt's text was not the paper's; caption_prompt is empty",
}
"""What a note may say of an answer."""
_UNSAFE = re.compile(r"[^\w.+-]+|_{2,}")
_HASHED = 16
"""Digits of the hash that stands for what is too long for an id."""


class Note(NamedTuple):
    """Something about one answer that whoever uses its caption should know."""

    place: str
    """File and line of the sample."""
    video_id: str
    caption_source: str
    reason: str
    """A key of ``NOTES``."""
    kept: bool
    """Whether the caption is among the captions all the same."""


@dataclass(slots=True)
class Built:
    """The captions of some samples files."""

    captions: list[Caption] = field(default_factory=list)
    """Sorted by video, then pair id."""
    notes: list[Note] = field(default_factory=list)
    """In the order of the samples."""
    thought: Counter[str] = field(default_factory=Counter)
    """Answers by caption source that had thinking, which was left out."""


def build(
    files: Sequence[Path],
    source: str | None = None,
    leave_out: Collection[str] = (),
    progress: Callable[[list[Sample]], Iterable[Sample]] = list,
) -> Built:
    """Return the captions of samples files, one caption an answer.

    An answer without a caption is left out; one that loops, is cut off or has another fault is
    kept unless ``leave_out`` names the fault. Each gets a note. Repeated sentences stay.

    Args:
        files: What ``lmms-eval --log_samples`` wrote for the captioning tasks, of any number
            of models.
        source: Name of the captioning model, in place of the one that the samples record.
        leave_out: Faults (``NOTES``) whose captions are left out.
        progress: Shows how far it is.

    Raises:
        InputProblems: If a line is no sample of a captioning task, or a pair id comes twice;
            names every such line.
    """
    samples, problems = _read(files)
    built = Built()
    first: dict[str, tuple[str, str]] = {}
    for sample in progress(samples):
        try:
            caption, reasons, thought = _caption(sample, source)
        except KeyError as error:
            problems.append(Problem("sample", sample.place, f"field {error} is missing"))
            continue
        except (TypeError, ValueError) as error:
            problems.append(Problem("sample", sample.place, f"a field is not as written: {error}"))
            continue
        name = source or str(sample.detail["caption_source"])
        video_id = str(sample.detail["video_id"])
        kept = caption is not None and not set(leave_out) & set(reasons)
        built.thought[name] += thought
        built.notes += [Note(sample.place, video_id, name, reason, kept) for reason in reasons]
        pair_id = pair_id_of(video_id, name)
        if pair_id in first:
            problems.append(_twice(sample.place, pair_id, name, *first[pair_id]))
        elif kept and caption is not None:
            built.captions.append(caption)
        first.setdefault(pair_id, (sample.place, name))
    if problems:
        raise InputProblems("no captions are written", problems)
    built.captions.sort(key=lambda caption: (caption.video_id, caption.pair_id))
    return built


def _read(files: Iterable[Path]) -> tuple[list[Sample], list[Problem]]:
    samples: list[Sample] = []
    problems: list[Problem] = []
    for file in files:
        try:
            read = read_samples(file)
        except InputProblems as found:
            problems += found.problems
            continue
        for sample in read:
            if sample.detail["benchmark"] == "vidomni_caption":
                samples.append(sample)
                continue
            message = f"a sample of {sample.detail['benchmark']}, not of a captioning task"
            problems.append(Problem("sample", sample.place, message))
    return samples, problems


def _twice(place: str, pair_id: str, name: str, before: str, other: str) -> Problem:
    message = f"pair id {pair_id!r} is already at {before}"
    if name != other:
        message += f"; the sources {other!r} and {name!r} give the same id"
    hint = "give each samples file once, and each captioning model its own name (--source)"
    return Problem("repeated-id", place, message, hint)


def _caption(sample: Sample, source: str | None) -> tuple[Caption | None, list[str], bool]:
    """Return the caption of a sample, what is to be noted about it, and if it had thinking.

    Raises:
        KeyError, TypeError, ValueError: If the sample lacks a field or was edited.
    """
    detail = sample.detail
    number, video_id = detail["caption_prompt"], detail["video_id"]
    known = type(number) is int and number in range(1, PROMPTS + 1)
    if not known:
        raise ValueError(f"caption_prompt {number!r}")
    name = source or detail["caption_source"]
    if not isinstance(name, str):
        raise TypeError(f"caption_source {name!r}")
    name.encode()  # half a character, which JSON can spell, cannot be written to a file
    read, raw = read_caption(sample.response), read_caption(sample.raw)
    # The host cuts thinking off before it scores; the raw answer still tells of it.
    thought = read.thought or raw.thought
    told = raw.thought and not read.caption and raw.faults
    reasons: list[str] = list(raw.faults if told else read.faults)
    if detail["prompt"] != prompt_id(number):
        reasons.append(OTHER_PROMPT)
    # An answer without a caption is checked as one with a caption is.
    text = read.caption or "-"
    try:
        caption = Caption(
            pair_id=pair_id_of(video_id, name),
            video_id=video_id,
            caption_source=name,
            caption_prompt=None if OTHER_PROMPT in reasons else number,
            caption=text,
            sentences=split_sentences(text),
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return caption if read.caption else None, reasons, thought


def pair_id_of(video_id: str, source: str) -> str:
    """Return the id of a video's caption by a model: safe as a file name, the same every time.

    Characters of the model's name that ids cannot hold become ``-``. An id that would be too
    long ends in a hash of the whole.

    Example:
        >>> pair_id_of("clip7", "Qwen/Qwen3-VL-8B-Instruct")
        'clip7__Qwen-Qwen3-VL-8B-Instruct'
    """
    slug = _UNSAFE.sub("-", source).strip("-_.")
    if not slug:
        slug = hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:_HASHED]
    whole = f"{video_id}__{slug}"
    if len(whole) <= ID_LENGTH and len(whole.encode("utf-8", "replace")) <= ID_BYTES:
        return whole
    digest = hashlib.sha256(f"{video_id}\n{source}".encode("utf-8", "replace")).hexdigest()
    room = ID_BYTES - _HASHED - 1
    start = whole[: ID_LENGTH - _HASHED - 1].encode("utf-8", "replace")[:room]
    return f"{start.decode('utf-8', 'ignore')}-{digest[:_HASHED]}"


def added(file: Path, captions: Sequence[Caption]) -> tuple[list[Caption], int]:
    """Return the captions of a file together with new ones, and how many were there already.

    Raises:
        InputProblems: If the file cannot be read, or holds another caption under the id of a
            new one; names every such caption.
    """
    release = read_captions(file)
    there = {entry.record.pair_id: entry for entry in release.entries}
    problems = list(release.problems)
    new: list[Caption] = []
    for caption in captions:
        entry = there.get(caption.pair_id)
        if entry is None:
            new.append(caption)
        elif entry.record != caption:
            message = f"there is another caption with the id {caption.pair_id!r}"
            hint = "write to another file, or name the captioning model anew (--source)"
            problems.append(Problem("repeated-id", entry.place, message, hint))
    if problems:
        raise InputProblems(f"cannot append to {file}", problems)
    whole = [*(entry.record for entry in release.entries), *new]
    whole.sort(key=lambda caption: (caption.video_id, caption.pair_id))
    return whole, len(captions) - len(new)


class SourceCounts(NamedTuple):
    """What there is of one captioning model."""

    source: str
    captions: int
    left_out: int
    sentences: int
    words: int
    repeats: int
    """Sentences that stand in their caption before, word for word."""
    longest: int
    """Words of the longest caption."""
    noted: int
    """Captions that are kept with a note."""
    thought: int
    """Answers that had thinking."""


def source_counts(built: Built) -> Iterator[SourceCounts]:
    """Yield the counts of each captioning model, by name."""
    names = {caption.caption_source for caption in built.captions}
    for name in sorted(names | {note.caption_source for note in built.notes}):
        captions = [caption for caption in built.captions if caption.caption_source == name]
        notes = [note for note in built.notes if note.caption_source == name]
        lengths = [count_words(caption.caption) for caption in captions]
        sentences = sum(len(caption.sentences) for caption in captions)
        yield SourceCounts(
            source=name,
            captions=len(captions),
            left_out=len({note.place for note in notes if not note.kept}),
            sentences=sentences,
            words=sum(lengths),
            repeats=sentences - sum(len({s.text for s in c.sentences}) for c in captions),
            longest=max(lengths, default=0),
            noted=len({note.place for note in notes if note.kept}),
            thought=built.thought[name],
        )
