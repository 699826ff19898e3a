"""Word lists of the gates: what says the same, and what can be true at once.

They catch the plain cases without a call. What they do not know, the verifier is asked.
"""

from __future__ import annotations

__all__ = ["COMPATIBLE", "NUMBERS", "SAME"]

_NUMBER_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())}
"""Number words and their figures."""
SAME: tuple[tuple[str, ...], ...] = (
    ("gray", "grey"),
    ("beside", "next to", "by the side of", "alongside", "at the side of"),
    ("in front of", "in front", "before it"),
    ("behind", "in back of", "at the back of"),
    ("left", "left of", "to the left of", "on the left of", "at the left of"),
    ("right", "right of", "to the right of", "on the right of", "at the right of"),
    ("above", "over"),
    ("below", "beneath", "underneath"),
    ("inside", "in", "within", "inside of"),
    ("outside", "outside of", "out of"),
    ("on", "on top of", "upon", "atop"),
    ("near", "close to", "nearby"),
    ("far", "far from", "far away from", "distant from"),
    ("contact", "touching", "in contact with", "touches"),
    ("couch", "sofa"),
    ("bike", "bicycle"),
    ("automobile", "car"),
    ("tv", "television", "television set"),
    ("phone", "telephone"),
    ("cell phone", "mobile phone", "smartphone"),
    ("airplane", "aeroplane", "plane"),
    ("rock", "stone"),
    ("kid", "child"),
    ("mug", "cup"),
    ("start", "begin"),
    ("stop", "halt"),
    ("jump", "leap"),
    ("speak", "talk"),
    ("close", "shut"),
    ("throw", "toss"),
    ("lift", "raise", "pick up"),
    ("big", "large"),
    ("little", "small"),
    ("purple", "violet"),
    ("true", "yes"),
    ("false", "no"),
)
"""Groups of words with one meaning."""
COMPATIBLE: dict[str, tuple[str, ...]] = {
    # A wider word is true of what a narrower one is true of.
    "animal": ("dog", "cat", "horse", "bird", "cow", "sheep", "fish", "rabbit", "pet"),
    "pet": ("dog", "cat", "rabbit"),
    "person": ("man", "woman", "child", "boy", "girl", "player", "worker", "athlete", "adult"),
    "adult": ("man", "woman"),
    "child": ("boy", "girl"),
    "vehicle": ("car", "truck", "bus", "bicycle", "motorcycle", "van", "train", "boat"),
    "truck": ("pickup", "pickup truck"),
    "furniture": ("chair", "table", "couch", "bed", "desk", "shelf"),
    "table": ("desk",),
    "seat": ("chair", "couch", "bench", "stool"),
    "fruit": ("apple", "banana", "orange", "lemon", "grape"),
    "food": ("fruit", "apple", "banana", "bread", "cake", "pizza", "sandwich", "meat"),
    "ball": ("basketball", "football", "soccer ball", "tennis ball", "baseball"),
    "container": ("cup", "bottle", "box", "bowl", "glass", "can", "jar"),
    "tool": ("hammer", "knife", "screwdriver", "saw", "scissors"),
    "clothing": ("shirt", "jacket", "hat", "dress", "coat", "shoe"),
    "coat": ("jacket",),
    "building": ("house", "tower", "church", "shop"),
    "plant": ("tree", "flower", "bush", "grass"),
    "square": ("rectangle", "rectangular"),
    "dark": ("black", "navy", "brown"),
    "light": ("white", "beige"),
    "blue": ("navy", "light blue", "dark blue", "cyan", "turquoise"),
    "red": ("crimson", "dark red", "maroon"),
    "beige": ("tan", "cream"),
    "wooden": ("brown",),
    "metal": ("steel", "iron", "silver"),
    # Places that can hold at once.
    "on": ("above", "contact", "support", "near"),
    "under": ("below", "support", "near"),
    "above": ("near", "far"),
    "beside": ("near", "left", "right", "contact"),
    "near": ("left", "right", "in front of", "behind", "contact", "inside", "facing"),
    "far": ("left", "right", "in front of", "behind"),
    "overlap": ("contact", "near", "inside", "in front of", "behind"),
    "inside": ("contact",),
    "left": ("in front of", "behind", "above", "below"),
    "right": ("in front of", "behind", "above", "below"),
    "facing": ("in front of", "beside"),
    # A wider word for what is done.
    "move": ("walk", "run", "jump", "roll", "slide", "turn", "fall", "swim", "drive"),
    "walk": ("stroll", "march"),
    "run": ("jog", "sprint"),
    "cut": ("slice", "chop", "viewpoint_change", "framing_change"),
    "hold": ("carry", "grip"),
    "touch": ("hold", "push", "press"),
    "cook": ("fry", "bake", "boil", "stir"),
    "look": ("watch", "stare"),
    # Changes of the camera that include one another.
    "framing_change": ("zoom_in", "zoom_out", "pan_left", "pan_right", "tilt_up", "tilt_down"),
    "viewpoint_change": ("framing_change", "pan_left", "pan_right", "tilt_up", "tilt_down"),
}
"""Values of a slot that do not rule each other out."""
