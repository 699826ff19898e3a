"""What a decoded clip of the built-in sample shows, measured in its pixels and samples."""

from functools import cache
from itertools import pairwise

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage, signal

from tests.data.mini_heard import Heard
from vidomni_plugin.data.mini.scenes import RGB

PAINTS = tuple(RGB)
GROUNDS = ("gray", "floor", "dark", "beige", "post")
STEP = 8
"""Colours are looked up in a table with this step in each channel."""


@cache
def nearest_paint():
    """Return the index of the nearest paint for each coarse colour; the last index is none."""
    grid = np.stack(np.meshgrid(*[np.arange(0, 256, STEP) + STEP / 2] * 3, indexing="ij"), -1)
    distance = np.linalg.norm(grid[..., None, :] - np.array(list(RGB.values())), axis=-1)
    return np.where(distance.min(-1) < 55, distance.argmin(-1), len(PAINTS)).astype(np.uint8)


def decode(path):
    with av.open(path) as container:
        stream = container.streams.video[0]
        shown = [
            (float(f.pts * f.time_base), f.to_ndarray(format="rgb24"))
            for f in container.decode(stream)
        ]
        seconds = float(stream.duration * stream.time_base)
    return np.array([at for at, _ in shown]), np.stack([frame for _, frame in shown]), seconds


class Look(Heard):
    """What one decoded clip shows. Times in seconds, positions as fractions of the frame."""

    def __init__(self, path):
        self.path = path
        self.times, self.frames, self.end = decode(path)
        red, green, blue = np.moveaxis(self.frames // STEP, -1, 0)
        self.paint = nearest_paint()[red, green, blue]
        super().__init__(path)

    def holds(self, claim):
        names = {name: getattr(self, name) for name in dir(self) if name[0] != "_"}
        names |= {"end": self.times[-1]}
        return bool(eval(claim, {"__builtins__": {}}, {**names, **SAFE}))

    # shapes

    @cache
    def masks(self, colour):
        """Return where a colour is, without edges and specks; shape ``(frames, side, side)``."""
        return ndimage.binary_opening(self.paint == PAINTS.index(colour), np.ones((1, 4, 4)))

    @cache
    def tracks(self, colour):
        """Return centre x, centre y and area in each frame; NaN and 0 where there is none."""
        mask, side = self.masks(colour), self.frames.shape[1]
        area, at = mask.sum((1, 2)), (np.arange(side) + 0.5) / side
        with np.errstate(invalid="ignore"):
            centre_x, centre_y = mask.sum(1) @ at / area, mask.sum(2) @ at / area
        return centre_x, centre_y, np.where(area > 15, area / side**2, 0)

    def index(self, at):
        return int(np.searchsorted(self.times, at + 1e-6) - 1) if at > 0 else 0

    def span(self, start=0.0, end=np.inf):
        return (self.times >= start - 1e-6) & (self.times < end + 1e-6)

    def visible(self, colour, *span):
        return self.times[self.span(*span) & (self.tracks(colour)[2] > 0)]

    def seen(self, colour, *span):
        return len(self.visible(colour, *span)) > 0

    def throughout(self, colour):
        return len(self.visible(colour)) == len(self.times)

    def first(self, colour):
        return self.visible(colour)[0] if self.seen(colour) else np.inf

    def last(self, colour):
        return self.visible(colour)[-1] if self.seen(colour) else -np.inf

    def x(self, colour, at):
        return self.tracks(colour)[0][self.index(at)]

    def y(self, colour, at):
        return self.tracks(colour)[1][self.index(at)]

    def size(self, colour, at):
        return self.tracks(colour)[2][self.index(at)]

    def parts(self, colour, at):
        labels, _ = ndimage.label(self.masks(colour)[self.index(at)])
        boxes = ndimage.find_objects(labels)
        found = [(box, (labels[box] == n).sum()) for n, box in enumerate(boxes, 1)]
        return [(box, area) for box, area in found if area > 30]

    def count(self, colour, at):
        return len(self.parts(colour, at))

    def everything(self, at):
        return sum(self.count(c, at) for c in PAINTS if c not in GROUNDS)

    def shape(self, colour, at):
        """Return the common shape of all parts of a colour, told by how they fill their boxes."""
        names = set()
        for (rows, columns), area in self.parts(colour, at):
            fill = area / ((rows.stop - rows.start) * (columns.stop - columns.start))
            names.add("square" if fill > 0.93 else "circle" if fill > 0.72 else "triangle")
        return names.pop() if len(names) == 1 else None

    def shapes(self):
        everywhere = ((c, at) for c in PAINTS if c not in GROUNDS for at in self.visible(c, 0, 4))
        return {self.shape(colour, at) for colour, at in everywhere}

    def level(self, *colours):
        bottoms = {self.parts(colour, 2)[0][0][0].stop for colour in colours}
        return max(bottoms) - min(bottoms) <= 2

    def sides(self, colour, middle, at):
        """Return how many parts of a colour are left and right of another."""
        where = [(box[1].start + box[1].stop) / 2 for box, _ in self.parts(colour, at)]
        centre = self.x(middle, at) * self.frames.shape[2]
        return sum(x < centre for x in where), sum(x > centre for x in where)

    # motion

    def goes(self, colour, direction, *span):
        seen = self.visible(colour, *span)
        if len(seen) < 2:
            return False
        right = self.x(colour, seen[-1]) - self.x(colour, seen[0])
        down = self.y(colour, seen[-1]) - self.y(colour, seen[0])
        along = {"right": right, "left": -right, "down": down, "up": -down}[direction]
        return along > 0.1 and along > 0.8 * max(abs(right), abs(down))

    def still(self, colour, *span):
        seen = np.isin(self.times, self.visible(colour, *span))
        return seen.any() and max(np.ptp(t[seen]) for t in self.tracks(colour)[:2]) < 0.015

    def growth(self, colour):
        return self.size(colour, self.end) / self.size(colour, 0)

    def starts(self, flags):
        return list(self.times[flags & ~np.concatenate(([False], flags[:-1]))])

    def landings(self, colour):
        """Return the times at which a thing gets down to its lowest position."""
        height = self.tracks(colour)[1]
        return self.starts(np.nan_to_num(height) > np.nanmax(height) - 0.03)

    def hits(self, colour):
        return len(self.landings(colour))

    @cache
    def near(self, one, other):
        """Return in which frames two colours are within three pixels of each other."""
        flags = np.zeros(len(self.times), dtype=bool)
        for n, (a, b) in enumerate(zip(self.masks(one), self.masks(other), strict=True)):
            flags[n] = a.any() and b.any() and ndimage.distance_transform_edt(~a)[b].min() <= 3
        return flags

    def contacts(self, one, other):
        return self.starts(self.near(one, other))

    def parting(self, one, other):
        """Return the last time at which two colours touch."""
        touching = self.times[self.near(one, other)]
        return touching[-1] if len(touching) else np.inf

    def passing(self, one, other):
        """Return the time at which one thing is straight above or below another."""
        apart = np.abs(self.tracks(one)[0] - self.tracks(other)[0])
        return self.times[np.nanargmin(apart)]

    def rising(self, colour):
        height = self.tracks(colour)[1]
        return self.times[height < height[0] - 0.05][0]

    # picture, camera, words

    def ground(self, at):
        """Return the most common ground of the upper half."""
        upper = self.paint[self.index(at)][: self.frames.shape[1] // 2]
        return max(GROUNDS, key=lambda name: (upper == PAINTS.index(name)).sum())

    def floor(self, at):
        return (self.paint[self.index(at)][-8:] == PAINTS.index("floor")).mean() > 0.9

    @cache
    def cuts(self):
        """Return the times of frames whose picture differs nearly everywhere from the last."""
        change = np.abs(np.diff(self.frames.astype(np.int16), axis=0)).max(-1)
        return list(self.times[1:][(change > 20).mean((1, 2)) > 0.6])

    def unchanged(self):
        return np.abs(self.frames.astype(np.int16) - self.frames[0]).mean((1, 2, 3)).max() < 1

    def post_columns(self, at):
        dark = (self.paint[self.index(at)][:30] == PAINTS.index("post")).mean(0) > 0.5
        labels, number = ndimage.label(dark)
        return [float(np.mean(np.flatnonzero(labels == n))) for n in range(1, number + 1)]

    def posts(self, at):
        return len(self.post_columns(at))

    def zoom(self):
        """Return how much farther apart the posts are at the end than at the start."""
        start, end = (np.diff(self.post_columns(at)).mean() for at in (0, self.end))
        return end / start

    def pan(self):
        """Return the way of the camera to the right in frame widths, from the posts' shifts."""
        rows = self.frames[:, :30].mean((1, 3))
        rows = rows - rows.mean(1, keepdims=True)
        side = rows.shape[1]
        reach = range(-12, 13)
        total = 0
        for before, after in pairwise(rows):
            fit = [
                np.mean(before[max(0, s) : side + min(0, s)] * after[max(0, -s) : side - max(0, s)])
                for s in reach
            ]
            total += reach[int(np.argmax(fit))]
        return total / side

    def contrast(self, at):
        """Return where the picture differs from the ground, as grey values."""
        gray = self.frames[self.index(at)].astype(float).mean(-1)
        return np.abs(gray - RGB[self.ground(at)][0])

    @cache
    def reads(self, text, at):
        """Tell whether the text is on the picture and no other ending fits there better."""
        fits = {other: match(self.contrast(at), other) for other in (text, *rivals(text))}
        return fits[text] > 0.9 and max(fits, key=fits.get) == text

    def ink(self, colour, at):
        """Tell whether the letters have this colour."""
        return (self.paint[self.index(at)] == PAINTS.index(colour)).mean() > 0.015

    def ink_at(self, at):
        where = np.argwhere(
            np.isin(self.paint[self.index(at)], [PAINTS.index("white"), PAINTS.index("black")])
        )
        return where.mean(0) / self.frames.shape[1]

    def ink_x(self, at):
        return self.ink_at(at)[1]

    def ink_y(self, at):
        return self.ink_at(at)[0]


def together(some, others, within=0.3):
    """Tell whether two lists of times are the same, up to two frames or a block of sound."""
    return len(some) == len(others) > 0 and np.allclose(some, others, atol=within)


SAFE = {"abs": abs, "len": len, "max": max, "together": together}
TEXT_SIZES = (0.19, 0.2, 0.25)
"""Heights of the letters in the sample, as shares of the frame."""


def rivals(text):
    """Return texts that differ in the last character only."""
    others = "0123456789" if text[-1].isdigit() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return [text[:-1] + other for other in others if other != text[-1]]


@cache
def template(text, size, side):
    """Return the text as it is written into a frame, cropped to its letters."""
    fine = 4
    canvas = Image.new("L", (side * fine, side * fine))
    font = ImageFont.load_default(size=round(size * side * fine))
    middle = (side * fine / 2, side * fine / 2)
    ImageDraw.Draw(canvas).text(middle, text, font=font, fill=255, anchor="mm")
    small = canvas.resize((side, side), Image.Resampling.BOX)
    left, top, right, bottom = small.getbbox()
    return np.asarray(small, dtype=float)[top:bottom, left:right]


def match(picture, text):
    """Return the best normalised correlation of a text with any place of a picture."""
    best = 0.0
    for size in TEXT_SIZES:
        letters = template(text, size, picture.shape[0])
        shape = letters - letters.mean()
        ones = np.ones_like(shape)
        fit = signal.fftconvolve(picture, shape[::-1, ::-1], "valid")
        total = signal.fftconvolve(picture, ones, "valid")
        power = signal.fftconvolve(picture**2, ones, "valid") - total**2 / shape.size
        best = max(best, (fit / np.sqrt(np.maximum(power, 1) * (shape**2).sum())).max())
    return best
