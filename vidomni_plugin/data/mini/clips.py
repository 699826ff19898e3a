"""The sample's sixteen clips: what each of them shows and sounds like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

from vidomni_plugin.data.mini.scenes import (
    Backdrop,
    Hand,
    Key,
    Paint,
    Scene,
    Shot,
    Span,
    Thing,
    Words,
    hop,
    one_shot,
    still,
)
from vidomni_plugin.data.mini.sounds import Samples, beeps, tones, voice

__all__ = ["CLIPS", "SIDE", "Clip", "Split"]

SIDE = 128
"""Width and height of every clip in pixels."""

Split = Literal["Main_set", "Eval_set", "Test_set"]


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip: its scene, its sound and where it belongs."""

    scene: Scene
    complexity_type: Literal[1, 2, 3, 4, 5]
    split: Split | None = None
    """The VidHalLoc split; None for a clip that only VidOmni has."""
    audio_category: Literal["Speech", "Sound Effect", "Background"] | None = None
    beeps_at: tuple[float, ...] = ()

    @property
    def sound(self) -> Samples | None:
        """The samples of the sound track, or None for a clip without one."""
        if self.audio_category is None:
            return None
        if self.audio_category == "Speech":
            return voice(self.scene.seconds)
        if self.audio_category == "Sound Effect":
            return beeps(self.scene.seconds, self.beeps_at)
        return tones(self.scene.seconds)


ROOM = Backdrop("gray", horizon=0.72)
POSTS = Backdrop("gray", horizon=0.72, posts=tuple(n * 0.29 for n in range(9)))

# Static World

TRIO = one_shot(
    5,
    ROOM,
    Thing("circle", "red", 0.24, still(0.2, 0.6)),
    Thing("square", "blue", 0.24, still(0.5, 0.6)),
    Thing("triangle", "yellow", 0.24, still(0.8, 0.6)),
)
SIGN = one_shot(
    5,
    Backdrop("dark"),
    *(Thing("square", "green", 0.18, still(x, 0.7)) for x in (0.22, 0.5, 0.78)),
    words=Words("OPEN", 0.5, 0.27, 0.25, "white"),
)
DOTS = one_shot(
    5,
    Backdrop("beige"),
    *(Thing("circle", "red", 0.16, still(x, 0.3)) for x in (0.2, 0.4, 0.6, 0.8)),
    *(Thing("square", "purple", 0.2, still(x, 0.7)) for x in (0.35, 0.65)),
)
ZOOM = one_shot(
    5,
    POSTS,
    Thing("circle", "purple", 0.16, still(0.2, 0.64)),
    Thing("triangle", "green", 0.24, still(0.5, 0.6)),
    Thing("circle", "purple", 0.16, still(0.8, 0.64)),
    camera=(Key(0.5, 0.5, 0.5), Key(4.5, 0.5, 0.55, 2.4)),
)
PAN = one_shot(
    6,
    POSTS,
    Thing("circle", "red", 0.24, still(0.35, 0.6)),
    Thing("square", "blue", 0.24, still(1.15, 0.6)),
    Thing("triangle", "yellow", 0.24, still(1.7, 0.6)),
    camera=(Key(0.5, 0.5, 0.5), Key(5.5, 1.65, 0.5)),
)

# Body Motion

ROLL = one_shot(
    5,
    ROOM,
    Thing("square", "blue", 0.2, still(0.5, 0.2)),
    Thing("circle", "red", 0.24, (Key(0.5, 0.14, 0.6), Key(4.5, 0.86, 0.6))),
)
BALL = (*hop(0.5, 0.7, 0.7, 0.5, times=3), Key(4, 0.7, 0.7), Key(5.4, 1.2, 0.7))
BOUNCE = one_shot(
    6,
    Backdrop("dark", horizon=0.8),
    *(Thing("triangle", "white", 0.18, still(x, 0.71)) for x in (0.13, 0.36)),
    Thing("circle", "yellow", 0.2, BALL),
)
THERE_AND_BACK = (
    Key(0.5, -0.11, 0.5),
    Key(2.5, 0.46, 0.5),
    Key(3.4, 0.46, 0.5),
    Key(5, 0.2, 0.5),
)
TOUCH = one_shot(
    6,
    Backdrop("gray"),
    Thing("square", "blue", 0.28, still(0.7, 0.5), repaint=(Paint(3, "orange"),)),
    Thing("circle", "black", 0.2, THERE_AND_BACK),
)
WALK = (Key(600, 0.2, 0.25), Key(1000, 0.75, 0.25))
WATCH = replace(
    one_shot(
        1860,
        ROOM,
        Thing("square", "purple", 0.24, still(0.8, 0.6)),
        Thing("circle", "orange", 0.24, WALK, shown=Span(400, 1300)),
        Thing("triangle", "green", 0.24, still(0.25, 0.6), shown=Span(1440)),
    ),
    fps=Fraction(1, 10),
)

# Hand-Object Interaction

CARRIED = (
    Key(1.6, 0.2, 0.68),
    Key(2.5, 0.2, 0.4),
    Key(3.6, 0.8, 0.4),
    Key(4.4, 0.8, 0.68),
)
FINGERTIPS = (
    Key(0.3, 0.2, -0.02),
    Key(1.4, 0.2, 0.7),
    *(replace(key, y=key.y + 0.02) for key in CARRIED),
    Key(4.7, 0.8, 0.7),
    Key(5.6, 0.8, -0.02),
)
GRASP = one_shot(
    6,
    Backdrop("gray", horizon=0.78),
    Thing("circle", "purple", 0.16, still(0.5, 0.7)),
    Thing("square", "blue", 0.2, CARRIED),
    hand=Hand(FINGERTIPS, opening=0.2, closed=Span(1.5, 4.5)),
)
PUSH = (
    Key(0.4, 0.28, -0.02),
    Key(1.7, 0.28, 0.67),
    Key(2.8, 0.28, 0.67),
    Key(4.2, 0.28, -0.02),
)
PRESS = one_shot(
    5,
    Backdrop("gray", horizon=0.86),
    Thing("circle", "red", 0.2, still(0.28, 0.76)),
    Thing("square", "black", 0.28, still(0.75, 0.35), repaint=(Paint(2.2, "green"),)),
    hand=Hand(PUSH, opening=0.0),
)

# Crowd Action

DUET = one_shot(
    5,
    Backdrop("beige"),
    Thing("triangle", "green", 0.2, still(0.7, 0.27)),
    Thing("circle", "red", 0.22, (Key(0.8, 0.2, 0.82), Key(4.2, 0.2, 0.18))),
    Thing("square", "blue", 0.2, (Key(0.8, 0.86, 0.75), Key(4.2, 0.46, 0.75))),
)
CROWD = one_shot(
    6,
    Backdrop("gray"),
    Thing("triangle", "yellow", 0.18, still(0.5, 0.5)),
    *(
        Thing("circle", "green", 0.14, (Key(0.5, x, 0.8), Key(5.5, x + 0.3, 0.8)))
        for x in (0.1, 0.27, 0.44, 0.61)
    ),
    *(
        Thing("square", "purple", 0.16, (Key(0.5, x, 0.2), Key(5.5, x - 0.5, 0.2)))
        for x in (0.64, 0.88)
    ),
)

# Multi-Scene

SCENES = Scene(
    (
        Shot(
            3,
            ROOM,
            (Thing("circle", "red", 0.3, (Key(0.4, 0.5, 0.57), Key(2.6, 0.5, 0.2))),),
        ),
        Shot(
            3,
            Backdrop("dark"),
            tuple(Thing("square", "yellow", 0.26, still(x, 0.5)) for x in (0.28, 0.72)),
        ),
        Shot(2, Backdrop("beige"), words=(Words("THE END", 0.5, 0.5, 0.19, "black"),)),
    )
)
TALK = Scene(
    (
        Shot(
            4,
            Backdrop("dark"),
            (Thing("circle", "orange", 0.36, still(0.5, 0.68)),),
            words=(Words("NEWS", 0.5, 0.25, 0.25, "white"),),
        ),
        Shot(
            4,
            ROOM,
            tuple(Thing("triangle", "blue", 0.22, still(x, 0.61)) for x in (0.2, 0.5, 0.8)),
        ),
    )
)
PARTS = Scene(
    (
        Shot(
            100,
            Backdrop("beige"),
            (Thing("circle", "red", 0.24, (Key(10, 0.15, 0.65), Key(90, 0.85, 0.65))),),
            words=(Words("PART 1", 0.5, 0.22, 0.2, "black"),),
        ),
        Shot(
            100,
            Backdrop("dark"),
            (Thing("square", "green", 0.24, (Key(10, 0.3, 0.85), Key(90, 0.3, 0.5))),),
            words=(Words("PART 2", 0.5, 0.22, 0.2, "white"),),
        ),
        Shot(
            100,
            Backdrop("gray"),
            (
                Thing("triangle", "blue", 0.22, (Key(10, 0.15, 0.65), Key(80, 0.33, 0.65))),
                Thing("circle", "purple", 0.22, (Key(10, 0.85, 0.65), Key(80, 0.67, 0.65))),
            ),
            words=(Words("PART 3", 0.5, 0.22, 0.2, "black"),),
        ),
    ),
    fps=Fraction(1, 2),
)

CLIPS: Mapping[str, Clip] = MappingProxyType(
    {
        "bounce": Clip(BOUNCE, 2, "Main_set", "Sound Effect", beeps_at=(1.0, 2.0, 3.0)),
        "crowd": Clip(CROWD, 4, "Eval_set"),
        "dots": Clip(DOTS, 1, "Test_set", "Background"),
        "duet": Clip(DUET, 4, "Eval_set"),
        "grasp": Clip(GRASP, 3, "Test_set"),
        "pan": Clip(PAN, 1, "Eval_set"),
        "parts": Clip(PARTS, 5),
        "press": Clip(PRESS, 3, "Test_set", "Sound Effect", beeps_at=(2.2,)),
        "roll": Clip(ROLL, 2, "Main_set"),
        "scenes": Clip(SCENES, 5, "Eval_set"),
        "sign": Clip(SIGN, 1, "Main_set"),
        "talk": Clip(TALK, 5, "Main_set", "Speech"),
        "touch": Clip(TOUCH, 2, "Main_set"),
        "trio": Clip(TRIO, 1, "Test_set"),
        "watch": Clip(WATCH, 2),
        "zoom": Clip(ZOOM, 1, "Main_set"),
    }
)
"""Every clip by its VidOmni video id."""
