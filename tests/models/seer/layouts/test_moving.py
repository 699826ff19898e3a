"""What is said about things and cameras that move agrees with where the scene has them."""

import random
import re

import numpy as np
import pytest

from vidomni_plugin.data.mini.scenes import RGB, place
from vidomni_plugin.models.seer.layouts.bouncing import bounces
from vidomni_plugin.models.seer.layouts.camera import pan, zoom
from vidomni_plugin.models.seer.layouts.crowds import crowd
from vidomni_plugin.models.seer.layouts.deeds import deeds
from vidomni_plugin.models.seer.layouts.duets import duet
from vidomni_plugin.models.seer.layouts.moving import moves
from vidomni_plugin.models.seer.layouts.plain import changing, counted, scattered, successive
from vidomni_plugin.models.seer.layouts.simple import simple
from vidomni_plugin.models.seer.world import NUMBERS

PLANE = (bounces, crowd, deeds, duet, moves, simple)
DRAWN = (*PLANE, changing, counted, scattered, successive)
MANY = 120
COLOUR, SHAPE = (
    "|".join(c for c in RGB if c not in ("hand", "floor", "post")),
    ("circle|square|triangle"),
)


def worlds(layout, count=MANY):
    rng = random.Random(11)
    return [layout(rng) for _ in range(count)]


def sentences(world):
    for fact in world.facts:
        yield fact.true, True
        for text in fact.false:
            yield text, False


def times(shot):
    """Return the times of the eight frames that the model is shown at least."""
    return np.linspace(0, shot.seconds - 1 / 8, 8)


def spots(shot, thing):
    """Return left, top, right and bottom by frame as the camera sees them; None when hidden."""
    seen = []
    for at in times(shot):
        spot, camera = place(thing.path, at), place(shot.camera, at)
        x = (spot.x - camera.x) * camera.scale + 0.5
        y = (spot.y - camera.y) * camera.scale + 0.5
        half = thing.size * spot.scale * camera.scale / 2
        box = (x - half, y - half, x + half, y + half)
        seen.append(box if at in thing.shown else None)
    return seen


def inside(box):
    return box is not None and box[0] < 1 and box[1] < 1 and box[2] > 0 and box[3] > 0


def deed(shot, thing):
    """Return all that could be said of a thing, worked out from its frames."""
    boxes = spots(shot, thing)
    first, last = boxes[0], boxes[-1]
    done = set()
    if last is None:
        return {"disappear"}
    middle = [((b[0] + b[2]) / 2, (b[1] + b[3]) / 2) for b in boxes]
    dx, dy = (middle[-1][n] - middle[0][n] for n in (0, 1))
    falls = np.diff([y for _, y in middle])
    if (falls < -0.05).any() and (falls > 0.05).any():
        done.add("bounce up and down")
    if not inside(last):
        done.add("leave the picture")
    if dx < -0.15:
        done.add("move to the left")
    if dx > 0.15:
        done.add("move to the right")
    if dy < -0.15:
        done |= {"rise", "move upward"}
    if dy > 0.15:
        done |= {"sink", "move downward"}
    if last[2] - last[0] > 1.5 * (first[2] - first[0]):
        done.add("grow")
    if (colour := thing.colour_at(shot.seconds)) != thing.colour:
        done.add(f"turn {colour}")
    if not done:
        done = {"stand still", "not move", "stay where it is", "stay where they are"}
    return done


STEM = re.compile(r"^(?:do|does) not move|^(\w+?)(?:es|s)?\b")
LISTED = (
    "move to the left|move to the right|rise|sink|move upward|move downward|grow|disappear|"
    "leave the picture|stand still|not move|stay where it is|stay where they are|"
    f"bounce up and down|turn (?:{COLOUR})"
)
SAID = re.compile(
    rf"^(?:the|an?) (?:({COLOUR}) )?({SHAPE})s? "
    r"((?:moves?|rises?|sinks?|grows?|disappears?|leaves?|stands?|stays?|bounces?|turns?|do|does)"
    r"\b[^.]*)\.$",
    re.I,
)


def stem(words):
    words = words.replace("does not", "not").replace("do not", "not")
    head, *rest = words.split()
    heads = ("move", "rise", "sink", "grow", "disappear", "leave", "stand", "stay", "bounce")
    head = next((h for h in (*heads, "turn") if head in (h, f"{h}s")), head)
    return " ".join((head, *rest))


@pytest.mark.parametrize("layout", PLANE, ids=lambda layout: layout.__name__)
def test_what_a_thing_does_is_what_its_frames_show(layout):
    checked = {True: 0, False: 0}
    for world in worlds(layout):
        (shot,) = world.scene.shots
        for text, true in sentences(world):
            said = SAID.match(text)
            if not said or not re.fullmatch(LISTED, stem(said[3])):
                continue
            for thing in shot.things:
                if thing.shape == said[2] and said[1] in (None, thing.colour):
                    assert (stem(said[3]) in deed(shot, thing)) == true, (text, deed(shot, thing))
                    checked[true] += 1
    assert min(checked.values()) > 40


@pytest.mark.parametrize("layout", DRAWN, ids=lambda layout: layout.__name__)
def test_things_do_not_cover_each_other(layout):
    for shot in (shot for world in worlds(layout) for shot in world.scene.shots):
        for at in zip(*(spots(shot, thing) for thing in shot.things), strict=True):
            boxes = [box for box in at if inside(box)]
            for n, a in enumerate(boxes):
                for b in boxes[:n]:
                    width = min(a[2], b[2]) - max(a[0], b[0])
                    height = min(a[3], b[3]) - max(a[1], b[1])
                    assert min(width, height) < 0.02


NUMBERED = re.compile(
    rf"^(two|three|four|five|six) ({COLOUR}) ({SHAPE})s move to the (left|right)\b", re.I
)


def test_numbers_in_a_crowd_are_those_of_the_things_that_move_that_way():
    checked = 0
    for world in worlds(crowd):
        (shot,) = world.scene.shots
        for text, true in sentences(world):
            if not (said := NUMBERED.match(text)):
                continue
            number, colour, shape, way = said.groups()
            moving = [
                thing
                for thing in shot.things
                if (thing.colour, thing.shape) == (colour, shape)
                and (thing.path[-1].x > thing.path[0].x) == (way == "right")
            ]
            assert (NUMBERS[len(moving)] == number.lower()) == true
            checked += 1
    assert checked > 200


RELATED = re.compile(
    rf"The ({COLOUR}) ({SHAPE})s? (?:is|are) (above|below) the ({COLOUR}) ({SHAPE})"
)


@pytest.mark.parametrize("layout", [crowd, moves, zoom], ids=lambda layout: layout.__name__)
def test_above_and_below_agree_with_the_heights(layout):
    checked = 0
    for world in worlds(layout):
        (shot,) = world.scene.shots
        for text, true in sentences(world):
            if not (said := RELATED.match(text)):
                continue
            heights = {(t.colour, t.shape): t.path[0].y for t in shot.things}
            higher = heights[said[4], said[5]] - heights[said[1], said[2]]
            above = higher > 0.1 if said[3] == "above" else higher < -0.1
            assert above == true
            checked += 1
    assert checked > 40


CAMERA = {
    "The camera pans to the right.": lambda a, m, b: b.x > a.x + 0.5,
    "The camera pans to the left.": lambda a, m, b: b.x < a.x - 0.5,
    "The camera zooms in.": lambda a, m, b: b.scale > 1.5 * a.scale,
    "The camera zooms out.": lambda a, m, b: a.scale > 1.5 * b.scale,
    "The camera stands still.": lambda a, m, b: (
        len({(spot.x, spot.y, spot.scale) for spot in (a, m, b)}) == 1
    ),
    "The camera then pulls back to where it started.": lambda a, m, b: (
        a.scale == b.scale < m.scale / 1.5
    ),
}


def test_what_the_camera_does_agrees_with_its_path():
    checked = set()
    for world in worlds(zoom) + worlds(pan):
        (shot,) = world.scene.shots
        ends = [place(shot.camera, shot.seconds * share) for share in (0, 0.5, 1)]
        for text, true in sentences(world):
            if check := CAMERA.get(text):
                assert check(*ends) == true, text
                checked.add((text, true))
    assert checked == {(text, true) for text in CAMERA for true in (True, False)}


def test_what_is_present_in_the_last_part_is_seen_in_the_last_frame():
    said = re.compile(rf"An? ({COLOUR}) ({SHAPE}) is (not )?present in the last part")
    for world in worlds(pan):
        (shot,) = world.scene.shots
        seen = {(t.colour, t.shape) for t in shot.things if inside(spots(shot, t)[-1])}
        for text, true in sentences(world):
            if match := said.match(text):
                there = (match[1], match[2]) in seen
                assert (there != bool(match[3])) == true


def test_what_leaves_while_the_camera_moves_closer_is_wholly_out_of_the_picture():
    told = {True: 0, False: 0}
    for world in worlds(zoom):
        (shot,) = world.scene.shots
        for text, true in sentences(world):
            if text.startswith("While the camera moves closer") and "leave the picture" in text:
                left, right = (spots(shot, thing)[-1] for thing in shot.things[:2])
                assert (not inside(left) and not inside(right)) == true
                told[true] += 1
    assert min(told.values()) > 10


def test_bounces_are_counted_by_contacts_with_the_floor():
    checked, ends = 0, {}
    for world in worlds(bounces, count=6 * MANY):
        (shot,) = world.scene.shots
        ys = [round(key.y, 6) for key in shot.things[-1].path]
        low = max(ys)
        contacts = sum(y == low and ys[n - 1] < low for n, y in enumerate(ys) if n)
        for text, true in sentences(world):
            if match := re.search(r"bounces (\w+) times before", text):
                assert (NUMBERS[contacts] == match[1]) == true
                # It does rest: it does not leave after that.
                assert 0 < shot.things[-1].path[-1].x < 1
                checked += 1
                ends.setdefault(contacts, set()).add(shot.things[-1].path[-1].at / shot.seconds)
    assert checked > 150
    assert set(ends) == {2, 3, 4, 5}
    # When the thing comes to rest does not tell how often it has bounced.
    assert max(map(min, ends.values())) < min(map(max, ends.values()))


@pytest.mark.parametrize("layout", DRAWN, ids=lambda layout: layout.__name__)
def test_what_stays_in_the_picture_is_never_cut_off_at_its_edge(layout):
    for shot in (shot for world in worlds(layout) for shot in world.scene.shots):
        for thing in shot.things:
            boxes = [box for box in spots(shot, thing) if box is not None]
            if all(inside(box) for box in boxes):
                assert min(min(box[:2]) for box in boxes) > -0.03
                assert max(max(box[2:]) for box in boxes) < 1.03
