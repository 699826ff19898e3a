"""Words with a full stop that is no sentence end, or only sometimes one."""

from __future__ import annotations

__all__ = [
    "BEFORE_A_NUMBER",
    "CALENDAR",
    "CLOSES_LIST",
    "LABELS",
    "NEVER_LAST",
    "ORDINARY",
    "SPEAKERS",
    "SPEAKS",
    "STARTERS",
    "TITLES",
    "UNITS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _words(
    "e.g i.e eg ie cf vs approx appr aprox env ca viz resp bzw z.b d.h u.a v.l.n.r p.ej incl excl"
)
"""Abbreviations that want something after them."""
BEFORE_A_NUMBER = _words("no nos nr fig figs vol ch p pp max min sec art par abs")
"""Abbreviations in front of a number (``No. 7``); without one they are words."""
ORDINARY = _words("may me miss art arts arc rep reps ok ma pa fed no min sec fig ex")
"""Words that sentencex takes for abbreviations, and that captions use as words."""
LABELS = _words("scene shot frame step part phase stage section segment clip panel figure person")
"""Words that make a label with the number after them: ``Scene 1. A dog runs.``."""
TITLES = _words(
    "dr mr mrs ms mx messrs prof sr sra srta dra st ste mt ft gen sen rep gov capt cpt sgt lt col"
    " maj cmdr adm rev hon pres fr hr m mme mlle mlles"
)
"""Words before a name; a capital letter after them is that name."""
CLOSES_LIST = _words("etc usw u.s.w ff al")
"""Abbreviations at the end of an enumeration; a capital letter after them is a new sentence."""
UNITS = _words(
    "m cm mm km dm nm in ft yd mi kg g mg lb lbs oz t l ml cl s sec secs sek min mins h hr hrs ms"
    " tbsp tsp yr yrs mo wk wks kmh km/h m/s mph fps rpm px pt deg hz khz mhz kw w v sq"
    " a.m p.m am pm"
)
"""Units behind a number (``0.5 m.``); a capital letter after them is a new sentence."""
CALENDAR = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may"
    " june july august september october november december jan feb mar apr jun jul aug sep sept"
    " oct nov dec montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz"
    " mai juni juli oktober dezember"
)
"""Days and months: a capital letter that begins no sentence after ``8 a.m.`` or ``5.``."""
STARTERS = _words(
    "a an the this that these those there here he she it they we i you his her its their our my"
    " one two three another other others both all some several many each every no nobody nothing"
    " someone somebody everyone then next after afterwards before when while as at in on from to"
    " with without behind beside below above under over around between near inside outside"
    " finally meanwhile suddenly now first second third last later once throughout during"
    " initially eventually and but or so yet however also overall if what who where why how is"
    " are was were did does"
)
"""Words that begin a sentence when they are written with a capital letter."""
SPEAKERS = _words("a an the he she they one i we")
"""Of the ``STARTERS``, those that may begin who says it."""
SPEAKS = _words(
    "says said asks asked shouts shouted yells yelled cries cried calls called whispers whispered"
    " replies replied answers answered exclaims exclaimed screams screamed adds added announces"
    " announced mutters muttered"
)
"""Verbs behind a speaker that go with the speech before them."""
