"""What a decoded clip of the built-in sample sounds like, measured in its samples."""

from collections import Counter

import av
import numpy as np

from vidomni_plugin.data.mini.sounds import RATE


def decode_sound(path):
    with av.open(path) as container:
        if not container.streams.audio:
            return None
        blocks = [f.to_ndarray().mean(0) for f in container.decode(audio=0)]
        assert container.streams.audio[0].rate == RATE
    return np.concatenate(blocks)


class Heard:
    """The sound of one clip; ``sound`` is None where there is none."""

    def __init__(self, path):
        self.sound = decode_sound(path)

    def levels(self, window=0.05):
        """Return the loudness of each stretch of sound, in shares of full scale."""
        size = round(window * RATE)
        count = len(self.sound) // size
        return np.sqrt((self.sound[: count * size].reshape(count, size) ** 2).mean(1))

    def loudness(self, at):
        return self.levels(0.1)[int(at / 0.1)] if self.sound is not None else 0.0

    def beeps(self):
        """Return when a sound begins after silence."""
        loud = self.levels() > 0.05
        return [n * 0.05 for n in np.flatnonzero(loud & ~np.concatenate(([False], loud[:-1])))]

    def spectra(self, window=0.2):
        """Return frequencies and the spectrum of each loud stretch of sound."""
        size = round(window * RATE)
        loud = self.levels(window) > 0.05
        blocks = self.sound[: len(loud) * size].reshape(-1, size)[loud] * np.hanning(size)
        return np.fft.rfftfreq(size, 1 / RATE), np.abs(np.fft.rfft(blocks)) ** 2

    def purity(self):
        """Return how much of the power lies within 30 Hz of the strongest frequency."""
        hertz, power = self.spectra()
        peaks = hertz[power.argmax(1)]
        close = np.abs(hertz[None] - peaks[:, None]) <= 30
        return ((power * close).sum(1) / power.sum(1)).mean()

    def tones(self):
        """Return how many pitches a sound has that never pauses and is pure at all times."""
        if self.sound is None or (self.levels() < 0.05).mean() > 0.1 or self.purity() < 0.9:
            return 0
        hertz, power = self.spectra()
        pitches = Counter(10 * round(peak / 10) for peak in hertz[power.argmax(1)])
        return sum(count > 2 for count in pitches.values())

    def speech(self):
        """Tell whether the sound is like speech: rich in tones, with pauses, up and down."""
        if self.sound is None:
            return False
        quiet = (self.levels() < 0.02).mean()
        return 0.1 < quiet < 0.7 and len(self.beeps()) >= 5 and self.purity() < 0.8
