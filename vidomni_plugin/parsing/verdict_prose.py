"""Verdicts that the running text of an answer opens with, asserts or concludes with."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.verdict_words import (
    FOREIGN,
    LABEL,
    OPEN_AFTER,
    OPEN_MARK,
    SUPPORT,
    Word,
    canonical,
    ends,
    negated,
)

__all__ = ["asserted", "opening_verdict"]

_START = re.compile(
    rf"{OPEN_MARK}(?P<label>{LABEL}|{SUPPORT})(?![\w-])(?P<mark>[*_`\"')\]>~]{{0,4}})"
    rf"(?P<after>[^\n]{{0,80}})",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\s?(?:$|[.,;:!\n(]|[-–—]{1,2}\s|(?:because|since|as|the|this|it|every|all"
    r"|everything|both|no|there|given|due)\b)",
    re.IGNORECASE,
)


def opening_verdict(text: str) -> tuple[Word | None, int]:
    """Return a verdict that opens the answer and stands, and where it ends.

    Example:
        >>> opening_verdict("REJECT: it is blue."), opening_verdict("ACCEPT or REJECT")
        (('REJECT', 6), (None, 0))
    """
    found = _START.match(text.lstrip())
    if found and _STANDS.match(found["after"]) and not OPEN_AFTER.match(found["after"]):
        shouted = (
            found["label"].isupper()
            or found["label"].lower() in {"accept", "reject"}
            or not found["after"].strip(" .!")
        )
        clause_end = found["after"].lstrip()[:1]
        inflected = (
            found["label"].lower() not in {"accept", "reject"}
            and "support" not in found["label"].lower()
        )
        if (
            shouted
            or (
                inflected
                and (
                    clause_end in {".", "", ":", ",", "!"}
                    or re.match(r"\s(?:because|since|as)\b", found["after"])
                )
            )
            or ("support" in found["label"].lower() and clause_end in {".", "", ":", ",", "!"})
        ):
            return canonical(found["label"]), len(text) - len(text.lstrip()) + found.end("mark")
    first = re.split(r"[.!?:,\n]\s?|\s-\s", text.strip(), maxsplit=1)[0]
    own = FOREIGN.get(first.strip(" *_`\"'()").casefold())
    return (own, len(text) - len(text.lstrip()) + len(first)) if own else (None, 0)


_LOOSE_BEFORE = re.compile(
    r"(?:\b(?:could|might|may|would have been|tempted to|lean(?:ed|ing|s)? (?:towards?"
    r"|to)|incline[sd]? to(?:wards?)?|"
    r"at first|initially|first(?!\s(?:claim|part|half|statement|sentence|detail|event"
    r"|shot|point|question)\b)|either|whether to|between|reasons? (?:to|for)|speaks? for"
    r"|case for|case to|argu\w+ for|"
    r"arguments? (?:to|for)|choose between|options?:?|possibly|maybe|perhaps|probably|if "
    r"i|would i|should i|one (?:could|might|cannot|can))\b"
    r"[^.\n]{0,25})\Z",
    re.IGNORECASE,
)
_LOOSE_AFTER = re.compile(
    r"[\s*_`\"')]{0,4}(?:(?:would|could|might|may|if|unless|when|only if|only when|or"
    r"|means|requires|for the (?:first|second)|"
    r"(?:is|would be|was) (?:not|wrong|incorrect|inappropriate|inapplicable)|isn't|cannot|can't|"
    r"was my|seems|is for|versus|vs)\b|/|\||\?)",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"(?:\b(?:i|we)(?:'d|'ll|'m)?\s(?:(?:would|will|must|have to|should|can|do|am going "
    r"to|need to|am|hereby|therefore|thus|so|also)\s){0,3}"
    r"(?P<neg1>(?:not|never|cannot|can't|don't|won't|wouldn't)\s)?(?P<first>accept"
    r"|reject)(?:ing)?\b"
    r"|(?:(?:^|[.!?\n]\s?)(?P<neg5>do not|don't|never)|\b(?P<neg6>no (?:reason|need|grounds) to))"
    r"\s(?P<third>accept|reject)\b"
    r"|\b(?:i|we)\s(?P<neg4>cannot|can't|don't|won't|wouldn't|can not|do not|would not"
    r"|will not|must not)\s(?P<second>accept|reject)\b"
    r"|\b(?:is|are|be|been|was|gets|being)\s(?P<neg2>not\s|un)?(?:therefore\s|thus\s|to "
    r"be\s|hereby\s)?(?P<passive>accepted|rejected|acceptable|rejectable)\b"
    r"|\b(?P<neg3>cannot|can't|should not|must not|shouldn't)\sbe\s(?P<modal>accepted"
    r"|rejected)\b)",
    re.IGNORECASE,
)
_ABOUT_ANSWER = re.compile(
    r"\b(?:i|we|caption|answer|candidate|statement|claim|it|this|that|response"
    r"|description|sentence)\b",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:visible|correct|match\w*|supported|everything|accurate|consistent|holds?"
    r"|confirmed|true|shown|right|faithful|as (?:stated|described|claimed))\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"(?:\b(?:so|therefore|thus|hence|conclud\w+|i (?:choose|pick|go with|say|settle on"
    r"|return|answer|select|vote)|must be|final\w*|"
    r"verdict|switch to|change\w* (?:\w+ ){0,3}to|making it|which means|that makes it|in "
    r"the end|overall)\b|->|=>|[→⇒])[^.!?\n]{0,30}\Z",
    re.IGNORECASE,
)
_ON_SCREEN = re.compile(
    r"\b(?:sign|banner|screen|poster|text|board|caption|subtitle|overlay|button|stamp"
    r"|shirt|logo|words?|slide|sticker)\b"
    r"[^.\n]{0,40}\b(?:reads?|says?|shows?|displays?|written|printed|spells?|labell?ed"
    r"|stating|saying|reading)\s?\W{0,3}\Z",
    re.IGNORECASE,
)
_IF = re.compile(r"(?:^|[\s,])(?:if|unless|when)\s", re.IGNORECASE)
_OPTIONS = re.compile(
    rf"\b{LABEL}[*_`\"']{{0,3}}\s?(?:/|\||,|or|and/or|and|vs\.?"
    rf"|versus)\s?[*_`\"']{{0,3}}{LABEL}\b",
    re.IGNORECASE,
)
_DENIALS = ("neg1", "neg2", "neg3", "neg4", "neg5", "neg6")
_IF_AFTER = re.compile(
    r"(?:(?!\b(?:because|since|as)\b)[^.!?\n]){0,80}?(?<!even )(?<!as )\b(?:if|unless"
    r"|provided|assuming|only when|as long as)\b",
    re.IGNORECASE,
)


def _conditional_after(text: str, end: int) -> bool:
    """Return whether a condition follows in the same sentence."""
    return _IF_AFTER.match(text, end, end + 120) is not None


def asserted(text: str) -> list[tuple[int, Word, bool]]:
    """Return verdicts that the text asserts: place, word, and whether it concludes with it.

    Example:
        >>> asserted("It could be ACCEPT, but it is blue, so REJECT.")
        [(39, 'REJECT', True)]
    """
    found: list[tuple[int, Word, bool]] = []
    text = _OPTIONS.sub(lambda options: " " * len(options[0]), text)
    for match in ends(re.finditer(r"\b(ACCEPT|REJECT)(?:ED|ABLE|S)?\b", text)):
        before = text[max(0, match.start() - 200) : match.start()]
        before = re.split(r"[.!?]\s|\n", before)[-1]
        after = text[match.end() : match.end() + 40]
        if re.search(r"\bneither\b|\bnor\b", before, re.IGNORECASE):
            continue
        if _LOOSE_AFTER.match(after) or (
            _LOOSE_BEFORE.search(before) and not _CONCLUDES.search(before[-25:])
        ):
            continue
        word = canonical(match[1])
        if negated(text, match.start()) or _ON_SCREEN.search(before):
            continue
        if _conditional_after(text, match.end()):
            continue
        if _IF.search(before) and not _CONCLUDES.search(before[-25:]):
            continue
        found.append((match.start(), word, bool(_CONCLUDES.search(before))))
    for match in ends(_PROSE.finditer(text)):
        group = next(
            name for name in ("first", "second", "third", "passive", "modal") if match[name]
        )
        before = re.split(r"[.!?]\s|\n", text[max(0, match.start() - 60) : match.start() + 2])[-1]
        if re.search(r"\bneither\b|\bif\b|\bwhether\b|\bunless\b", before, re.I) or re.search(
            r"\bneither\b", match[0], re.I
        ):
            continue
        if group == "passive" and not _ABOUT_ANSWER.search(before):
            continue
        denied = any(match[name] for name in _DENIALS)
        if match[group].isupper() and not denied:
            continue  # already seen above, as a label
        after = text[match.end() : match.end() + 40]
        if re.match(
            r"\s(?:this|your|the|such)\s(?:request|task|prompt|file|video file)", after
        ) or _LOOSE_AFTER.match(after):
            continue
        if _conditional_after(text, match.end()):
            continue
        word = canonical(match[group])
        if denied:
            if word == "REJECT" and not _CONFIRMS.search(text):
                continue
            word = "REJECT" if word == "ACCEPT" else "ACCEPT"
        found.append((match.start(group), word, bool(_CONCLUDES.search(before))))
    return sorted(found)
