"""Sounds without recordings: a voice-like babble, plain tones and short beeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["RATE", "Samples", "beeps", "tones", "voice"]

RATE = 16000
"""Samples per second."""

Samples = NDArray[np.float32]
"""One channel, shape ``(seconds * RATE,)``, within [-1, 1]."""

VOWELS = ((700, 1220, 2600), (400, 2000, 2550), (300, 870, 2240), (530, 1840, 2480))
"""First three formants, in hertz, of ah, ay, oo and eh."""

WORDS = ((0, 1), (2, 3, 0), (1,), (3, 0), (2, 1, 0))
"""Vowels of the babble's words; it starts again after the last."""


LOUDNESS = 0.6
"""Highest sample of the voice."""


def _silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), dtype=np.float32)


def _syllable(vowel: tuple[int, int, int], pitch: float, seconds: float) -> Samples:
    """Sum the harmonics of a falling pitch, each as loud as the formants near it."""
    time = np.arange(round(seconds * RATE)) / RATE
    phase = 2 * np.pi * np.cumsum(pitch * (1.08 - 0.16 * time / seconds)) / RATE
    wave = np.zeros_like(time)
    for harmonic in range(1, int(4000 / pitch)):
        distance = (harmonic * pitch - np.array(vowel)) / 130.0  # half a formant's width, hertz
        wave += (np.exp(-(distance**2)) * (1.0, 0.6, 0.3)).sum() * np.sin(harmonic * phase)
    return (wave * np.sin(np.pi * time / seconds) ** 0.7).astype(np.float32)


def voice(seconds: float, start: float = 0.25) -> Samples:
    """Return words of one to three syllables with pauses between them, as loud as speech."""
    track, at, word = _silence(seconds), start, 0
    while True:
        for number, vowel in enumerate(WORDS[word % len(WORDS)]):
            sound = _syllable(VOWELS[vowel], 125.0 + 12 * ((word + number) % 3), 0.2)
            first = round(at * RATE)
            if first + len(sound) > len(track):
                loudest = np.float32(np.abs(track).max())
                return np.asarray(track * (LOUDNESS / loudest), dtype=np.float32)
            track[first : first + len(sound)] += sound
            at += 0.23
        word += 1
        at += 0.45 if word % 3 == 0 else 0.15


def tones(seconds: float, pitches: Sequence[float] = (330.0, 440.0)) -> Samples:
    """Return steady sine tones that take turns, one second each."""
    time = np.arange(round(seconds * RATE)) / RATE
    pitch = np.array(pitches)[time.astype(int) % len(pitches)]
    return (0.4 * np.sin(2 * np.pi * np.cumsum(pitch) / RATE)).astype(np.float32)


def beeps(seconds: float, times: Sequence[float], pitch: float = 880.0) -> Samples:
    """Return silence with a short fading beep at each of the times."""
    track = _silence(seconds)
    time = np.arange(round(0.25 * RATE)) / RATE
    sound = 0.7 * np.sin(2 * np.pi * pitch * time) * np.exp(-time / 0.06)
    for at in times:
        first = round(at * RATE)
        track[first : first + len(sound)] += sound[: len(track) - first].astype(np.float32)
    return track
