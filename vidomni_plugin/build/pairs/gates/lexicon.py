"""Word lists of the gates: what says the same, and what can be true at once.

They catch the plain cases without a call. What they do not know, the verifier is asked.
"""

from __future__ import annotations

__all__ = [
    "COMPATIBLE",
    "INVERSE",
    "IRREGULAR",
    "NO_KIND_OF",
    "NUMBERS",
    "OTHER_NUMBERS",
    "SAME",
]

_NUMBER_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())}
"""Number words and their figures."""
OTHER_NUMBERS: dict[int, tuple[str, ...]] = {
    0: ("no",),
    1: ("single", "lone", "only", "sole"),
    2: ("both", "pair", "couple", "twin", "twins", "duo"),
    3: ("trio", "triple"),
    12: ("dozen",),
}
"""Words besides the number word that tell how many there are."""
_FORMS = """
man men|woman women|policeman policemen|child children|foot feet|tooth teeth|goose geese
mouse mice|knife knives
shelf shelves|wolf wolves|loaf loaves|calf calves|scarf scarves|half halves
person people|run ran|sit sat|stand stood|hold held|throw threw thrown|take took taken
give gave given|ride rode ridden|write wrote written|eat ate eaten|drink drank drunk
fall fell fallen|lie lay lain|catch caught|buy bought|bring brought
swim swam swum|sing sang sung|drive drove driven|break broke broken|speak spoke spoken
go went gone|come came|make made|build built|shake shook shaken|wear wore worn|blow blew blown
fly flew flown|draw drew drawn|spin spun|swing swung|hang hung|feed fed|meet met|slide slid
"""
IRREGULAR = {
    form: forms.split()[0]
    for forms in _FORMS.replace("\n", "|").split("|")
    for form in forms.split()
}
"""Forms of a word that no rule of spelling leads back, and the word."""
SAME: tuple[tuple[str, ...], ...] = (
    ("gray", "grey"),
    ("color", "colour"),
    ("pajamas", "pyjamas"),
    ("beside", "next to", "by the side of", "alongside", "at the side of"),
    ("in front of", "in front", "ahead of"),
    ("behind", "in back of", "at the back of"),
    (
        *("left", "left of", "to the left", "on the left", "at the left"),
        *("to the left of", "on the left of", "at the left of"),
        *("on the left side of", "to the left side of", "at the left side of"),
    ),
    (
        *("right", "right of", "to the right", "on the right", "at the right"),
        *("to the right of", "on the right of", "at the right of"),
        *("on the right side of", "to the right side of", "at the right side of"),
    ),
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
    "on": ("above", "contact", "support", "near", "outside", "overlap"),
    "under": ("below", "support", "near", "outside", "contact", "in front of", "behind"),
    "above": ("near", "far", "in front of", "behind", "outside", "beside"),
    "below": ("near", "far", "in front of", "behind", "outside", "beside"),
    "beside": ("near", "left", "right", "contact", "outside"),
    "near": ("left", "right", "in front of", "behind", "contact", "inside", "facing", "outside"),
    "far": ("left", "right", "in front of", "behind", "outside", "facing"),
    "overlap": ("contact", "near", "inside", "in front of", "behind"),
    "inside": ("contact",),
    "contact": ("support", "left", "right", "in front of", "behind", "above", "below", "facing"),
    "support": ("below", "above", "near"),
    "left": ("in front of", "behind", "above", "below", "outside"),
    "right": ("in front of", "behind", "above", "below", "outside"),
    "in front of": ("outside", "beside"),
    "behind": ("outside", "beside"),
    "facing": ("in front of", "behind", "beside", "left", "right", "outside"),
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
NO_KIND_OF = ("hot dog", "teddy bear", "sea lion", "sea horse", "guinea pig", "rocking horse")
"""Two words that name another kind of thing than the second of them."""
INVERSE: dict[str, str] = {
    "left": "right",
    "right": "left",
    "above": "below",
    "below": "above",
    "on": "under",
    "under": "on",
    "in front of": "behind",
    "behind": "in front of",
    "beside": "beside",
    "near": "near",
    "far": "far",
    "contact": "contact",
    "overlap": "overlap",
}
"""What a relation is called from its other end."""
