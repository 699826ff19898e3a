"""ACCEPT or REJECT: what the text says in answer position, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from vidomni_plugin.parsing.languages import ANSWER_WORDS, VERDICT_WORDS
from vidomni_plugin.parsing.reasons import VerdictReason
from vidomni_plugin.parsing.scanner import Mapping, Node, Scalar, scan

__all__ = ["REFUSAL", "read_verdict"]

Word = Literal["ACCEPT", "REJECT"]

REFUSAL = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|impossible to|don't have (?:access|the ability)|"
    r"do not have (?:access|the ability)|no way to)\s?(?:(?!accept|reject)\w+\s){0,3}"
    r"(?:determine|judge|assess|view|watch|see|open|access|process|verify|evaluate|tell|say|decide|analy[sz]e|play|"
    r"provide|give|help|assist|comply|answer|to (?:the )?video)\b"
    r"|\breject (?:this|your|the) request\b|(?:\b|can|n')(?:no)?t accept (?:video|media|such|these|this type|image|file|attachment)\w*"
    r"|\bas an? (?:ai|language model)\b|\bi'm sorry\b|\bi am sorry\b|无法(?:判断|观看|确定|处理)|"
    r"no puedo (?:determinar|ver)|ich kann (?:das )?video nicht|je ne peux pas",
    re.IGNORECASE,
)
_A = r"accept(?:ed|s|able|ing|ance)?"
_R = r"reject(?:ed|s|able|ing|ion)?"
_LABEL = rf"(?:{_A}|{_R})"
_SUPPORT = r"(?:(?:fully|completely|entirely|clearly|well)\s)?supported|(?:not|un|isn't|is not)\s?(?:fully\s)?supported"
_OPEN_MARK = r"[\s*_`\"'(\[<{#>~$-]{0,8}"
_SPACED = re.compile(
    r"(?<!\w)(?:A[ .-]C[ .-]C[ .-]E[ .-]P[ .-]T|R[ .-]E[ .-]J[ .-]E[ .-]C[ .-]T)(?!\w)",
    re.IGNORECASE,
)
_STRUCK = re.compile(
    r"~~[^~\n]{1,400}~~|<(?P<tag>del|s|strike)>[^<]{0,400}</(?P=tag)>", re.IGNORECASE
)
_QUOTED = re.compile(r'"[^"\n]{1,400}"|(?<!\w)\'[^\'\n]{1,300}\'(?!\w)')
_NAME = re.compile(
    r"(?:final[\s_-]?)?(?:label|verdict|answer|decision|judge?ment|output|result|response|prediction|conclusion|"
    r"classification|status|choice|assessment)",
    re.IGNORECASE,
)


def _canonical(word: str) -> Word:
    plain = word.lower()
    if "support" in plain:
        return "REJECT" if plain.startswith(("not", "un", "is")) else "ACCEPT"
    return "ACCEPT" if plain.startswith("accept") else "REJECT"


_BARE = re.compile(
    rf"[\W_]{{0,20}}(?P<label>{_LABEL}|{_SUPPORT})(?:(?!\?)[\W_]){{0,20}}", re.IGNORECASE
)


def _one_label(text: str) -> Word | None:
    """Return the verdict of a text that is nothing but one, in any language."""
    text = text.strip()[:200]
    if found := _BARE.fullmatch(text):
        return _canonical(found["label"])
    words = text.strip(" .!*_`\"'()[]:;-\n").casefold()
    return _FOREIGN.get(words)


_FOREIGN: dict[str, Word] = {
    word.casefold(): "ACCEPT" if label == "ACCEPT" else "REJECT"
    for word, label in VERDICT_WORDS.items()
}
_ECHO = re.compile(
    rf"\b(?:accept|reject)\s?(?:/|\||or|and/or|oder|o|ou|または|或)\s?[*_`\"']{{0,3}}(?:accept|reject)\b"
    rf"|\beither\s\W{{0,3}}{_LABEL}|\breturn\s\W{{0,3}}{_LABEL}\W{{0,3}}\s(?:only\s)?(?:when|if)\b"
    rf"|\breturn\sexactly\b|\b(?:respond|answer|reply)\swith\b",
    re.IGNORECASE,
)


def _node_verdict(node: Node | None) -> Word | None:
    if isinstance(node, Scalar) and not (node.cut and node.quoted):
        head = re.split(r"\s?[-:;,.(]\s|\s\(|\n", node.text.strip(), maxsplit=1)[0]
        return _one_label(head) if not _ECHO.search(node.text[:60]) else None
    return _mapping_verdict(node) if isinstance(node, Mapping) else None


def _mapping_verdict(node: Mapping) -> Word | None:
    flags: dict[Word, bool] = {}
    said: list[Word | None] = []
    for key, child in node.pairs:
        own = _one_label(key)
        if (
            own
            and isinstance(child, Scalar)
            and child.text.strip().lower() in {"true", "false", "yes", "no", "1", "0"}
        ):
            flags[own] = child.text.strip().lower() in {"true", "yes", "1"}
        elif _NAME.fullmatch(key.strip()):
            said.append(_node_verdict(child))
    chosen = [word for word, value in flags.items() if value]
    if len(chosen) == 1 and len(flags) == 2:
        said.append(chosen[0])
    elif len(flags) == 1:
        ((word, value),) = flags.items()
        said.append(word if value else ("REJECT" if word == "ACCEPT" else "ACCEPT"))
    named = {word for word in said if word is not None}
    return named.pop() if len(named) == 1 else None


def _structured(text: str) -> Word | None:
    """Return the verdict of the last dictionary that holds one."""
    words = [_mapping_verdict(top.node) for top in scan(text) if isinstance(top.node, Mapping)]
    named = [word for word in words if word is not None]
    return named[-1] if named and len(set(named[-2:])) == 1 else None


_ANSWER_NAMES = "|".join(sorted(map(re.escape, ANSWER_WORDS), key=len, reverse=True))
_MARKER = re.compile(
    rf"(?<!\w)(?P<final>(?:my\s|the\s)?(?:final|overall|ultimate)\s)?(?:my\s|the\s)?(?:final[\s_]?)?"
    rf"(?:verdict|answer|label|decision|judge?ment|conclusion|output|result|response|classification|prediction|"
    rf"ruling|{_ANSWER_NAMES})"
    rf"(?:\s(?:is|would be|should be|must be|remains))?{_OPEN_MARK}(?::|=|-{{1,2}}|is|to)?{_OPEN_MARK}"
    rf"(?:(?:is|to|an?|therefore|thus)\s){{0,2}}{_OPEN_MARK}"
    rf"(?P<label>{_LABEL}|{_SUPPORT})(?![\w-])(?P<after>[^\n]{{0,60}})",
    re.IGNORECASE,
)
_FOREIGN_MARKER = re.compile(
    rf"(?<![a-z])(?:{_ANSWER_NAMES})\s?(?:は|是|为|es|est|ist|é)?{_OPEN_MARK}[::]?{_OPEN_MARK}(?P<word>[^\s.,;:!?*\n]{{1,30}}(?:\s[^\s.,;:!?*\n]{{1,20}}){{0,2}})",
    re.IGNORECASE,
)
_MOST_MATCHES = 200
"""Mentions that are looked at from each end of an answer; more of them are a loop."""


def _ends(matches: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    found = list(matches)
    if len(found) <= 2 * _MOST_MATCHES:
        return found
    return found[:_MOST_MATCHES] + found[-_MOST_MATCHES:]


_OPEN_AFTER = re.compile(
    r"[\s*_`\"')]{0,4}(?:/|\||(?:or|if|unless|when|only|but only)\b|for (?:the )?(?:first|second|one|part)|would|could)",
    re.IGNORECASE,
)
_RETHINKS = re.compile(
    r"\b(?:wait|hmm+|on second thought|scratch that|correction|no, actually|actually, no|i change|changed? my mind|let me re)\b",
    re.I,
)


_SUPPORT_VERDICT = re.compile(
    rf"[:=].{{0,12}}(?:{_SUPPORT})[\s*_`\"')\]]{{0,4}}(?:[.,;(-]|$)", re.IGNORECASE
)


def _marked(text: str) -> tuple[Word | None, bool]:
    """Return the verdict behind an explicit "verdict:" and whether such marks contradict."""
    words: list[Word] = []
    final: list[Word] = []
    for found in _ends(_MARKER.finditer(text)):
        if _OPEN_AFTER.match(found["after"]) or _negated(text, found.start("label")):
            continue
        if "support" in found["label"].lower() and not _SUPPORT_VERDICT.search(found[0]):
            continue
        word = _canonical(found["label"])
        words.append(word)
        if found["final"] or "final" in found[0][:20].lower():
            final.append(word)
    for found in _ends(_FOREIGN_MARKER.finditer(text)):
        parts = found["word"].split()
        for count in range(len(parts), 0, -1):
            if own := _FOREIGN.get(" ".join(parts[:count]).casefold()):
                words.append(own)
                break
    if final and len(set(final)) == 1:
        return final[-1], False
    if words and len(set(words)) == 1:
        return words[-1], False
    if len(words) == 2 and _RETHINKS.search(text):
        return words[-1], False
    return None, bool(words)


_START = re.compile(
    rf"{_OPEN_MARK}(?P<label>{_LABEL}|{_SUPPORT})(?![\w-])(?P<mark>[*_`\"')\]>~]{{0,4}})(?P<after>[^\n]{{0,80}})",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\s?(?:$|[.,;:!\n(]|[-–—]{1,2}\s|(?:because|since|as|the|this|it|every|all|everything|both|no|there|given|due)\b)",
    re.IGNORECASE,
)


def _at_start(text: str) -> tuple[Word | None, int]:
    """Return a verdict that opens the answer and stands, and where it ends."""
    found = _START.match(text.lstrip())
    if found and _STANDS.match(found["after"]) and not _OPEN_AFTER.match(found["after"]):
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
            or ("support" in found["label"].lower()
            and clause_end in {".", "", ":", ",", "!"})
        ):
            return _canonical(found["label"]), len(text) - len(text.lstrip()) + found.end("mark")
    first = re.split(r"[.!?:,\n]\s?|\s-\s", text.strip(), maxsplit=1)[0]
    own = _FOREIGN.get(first.strip(" *_`\"'()").casefold())
    return (own, len(text) - len(text.lstrip()) + len(first)) if own else (None, 0)


_NEGATION = re.compile(
    r"(?:\bnot|\bnever|\bcannot|n't|\bno (?:reason|need|grounds) to|\brefuse to|\bfail(?:s|ed)? to|\bunable to|"
    r"\binstead of|\brather than|\bwithout)\s(?:(?:be|fully|really|possibly|simply|just|to|have|been|an?|it as)\s){0,2}[*_`\"']{0,3}\Z",
    re.IGNORECASE,
)


def _negated(text: str, at: int) -> bool:
    return _NEGATION.search(text[max(0, at - 50) : at]) is not None


_LOOSE_BEFORE = re.compile(
    r"(?:\b(?:could|might|may|would have been|tempted to|lean(?:ed|ing|s)? (?:towards?|to)|incline[sd]? to(?:wards?)?|"
    r"at first|initially|first(?!\s(?:claim|part|half|statement|sentence|detail|event|shot|point|question)\b)|either|whether to|between|reasons? (?:to|for)|speaks? for|case for|case to|argu\w+ for|"
    r"arguments? (?:to|for)|choose between|options?:?|possibly|maybe|perhaps|probably|if i|would i|should i|one (?:could|might|cannot|can))\b"
    r"[^.\n]{0,25})\Z",
    re.IGNORECASE,
)
_LOOSE_AFTER = re.compile(
    r"[\s*_`\"')]{0,4}(?:(?:would|could|might|may|if|unless|when|only if|only when|or|means|requires|for the (?:first|second)|"
    r"was my|seems|is for|versus|vs)\b|/|\||\?)",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"(?:\b(?:i|we)(?:'d|'ll|'m)?\s(?:(?:would|will|must|have to|should|can|do|am going to|need to|am|hereby|therefore|thus|so|also)\s){0,3}"
    r"(?P<neg1>(?:not|never|cannot|can't|don't|won't|wouldn't)\s)?(?P<first>accept|reject)(?:ing)?\b"
    r"|(?:(?:^|[.!?\n]\s?)(?P<neg5>do not|don't|never)|\b(?P<neg6>no (?:reason|need|grounds) to))"
    r"\s(?P<third>accept|reject)\b"
    r"|\b(?:i|we)\s(?P<neg4>cannot|can't|don't|won't|wouldn't|can not|do not|would not|will not|must not)\s(?P<second>accept|reject)\b"
    r"|\b(?:is|are|be|been|was|gets|being)\s(?P<neg2>not\s|un)?(?:therefore\s|thus\s|to be\s|hereby\s)?(?P<passive>accepted|rejected|acceptable|rejectable)\b"
    r"|\b(?P<neg3>cannot|can't|should not|must not|shouldn't)\sbe\s(?P<modal>accepted|rejected)\b)",
    re.IGNORECASE,
)
_ABOUT_ANSWER = re.compile(
    r"\b(?:i|we|caption|answer|candidate|statement|claim|it|this|that|response|description|sentence)\b",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:visible|correct|match\w*|supported|everything|accurate|consistent|holds?|confirmed|true|shown|right|faithful|as (?:stated|described|claimed))\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"(?:\b(?:so|therefore|thus|hence|conclud\w+|i (?:choose|pick|go with|say|settle on|return|answer|select|vote)|must be|final\w*|"
    r"verdict|switch to|change\w* (?:\w+ ){0,3}to|making it|which means|that makes it|in the end|overall)\b|->|=>|[→⇒])[^.!?\n]{0,30}\Z",
    re.IGNORECASE,
)


_ON_SCREEN = re.compile(
    r"\b(?:sign|banner|screen|poster|text|board|caption|subtitle|overlay|button|stamp|shirt|logo|words?|slide|sticker)\b"
    r"[^.\n]{0,40}\b(?:reads?|says?|shows?|displays?|written|printed|spells?|labell?ed|stating|saying|reading)\s?\W{0,3}\Z",
    re.IGNORECASE,
)
_IF = re.compile(r"(?:^|[\s,])(?:if|unless|when)\s", re.IGNORECASE)
_OPTIONS = re.compile(
    rf"\b{_LABEL}[*_`\"']{{0,3}}\s?(?:/|\||,|or|and/or|and|vs\.?|versus)\s?[*_`\"']{{0,3}}{_LABEL}\b",
    re.IGNORECASE,
)


_DENIALS = ("neg1", "neg2", "neg3", "neg4", "neg5", "neg6")
_IF_AFTER = re.compile(
    r"(?:(?!\b(?:because|since|as)\b)[^.!?\n]){0,80}?(?<!even )(?<!as )\b(?:if|unless|provided|assuming|only when|as long as)\b",
    re.IGNORECASE,
)


def _conditional_after(text: str, end: int) -> bool:
    """Return whether a condition follows in the same sentence."""
    return _IF_AFTER.match(text, end, end + 120) is not None


def _mentions(text: str) -> list[tuple[int, Word, bool]]:
    """Return verdicts that the text asserts: place, word, and whether it concludes with it."""
    found: list[tuple[int, Word, bool]] = []
    text = _OPTIONS.sub(lambda options: " " * len(options[0]), text)
    for match in _ends(re.finditer(r"\b(ACCEPT|REJECT)(?:ED|ABLE|S)?\b", text)):
        before = text[max(0, match.start() - 200) : match.start()]
        before = re.split(r"[.!?]\s|\n", before)[-1]
        after = text[match.end() : match.end() + 40]
        if re.search(r"\bneither\b|\bnor\b", before, re.IGNORECASE):
            continue
        if _LOOSE_AFTER.match(after) or (
            _LOOSE_BEFORE.search(before) and not _CONCLUDES.search(before[-25:])
        ):
            continue
        word = _canonical(match[1])
        if _negated(text, match.start()) or _ON_SCREEN.search(before):
            continue
        if _conditional_after(text, match.end()):
            continue
        if _IF.search(before) and not _CONCLUDES.search(before[-25:]):
            continue
        found.append((match.start(), word, bool(_CONCLUDES.search(before))))
    for match in _ends(_PROSE.finditer(text)):
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
        word = _canonical(match[group])
        if denied:
            if word == "REJECT" and not _CONFIRMS.search(text):
                continue
            word = "REJECT" if word == "ACCEPT" else "ACCEPT"
        found.append((match.start(group), word, bool(_CONCLUDES.search(before))))
    return sorted(found)


_BOTH_PARTS = re.compile(
    rf"\s(?:the|this|that|it)\s[^.!?\n]{{0,80}}\b(?:but|and|while|whereas|yet)\s{_LABEL}\b",
    re.IGNORECASE,
)
_LAST_LINE = re.compile(
    rf"(?:^|\n|[.!?:]\s){_OPEN_MARK}(?P<label>{_LABEL}|{_SUPPORT})(?:(?!\?)[\W_]){{0,12}}\Z",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"\b(?:otherwise|else|if not)\b", re.IGNORECASE)


def read_verdict(text: str) -> tuple[Word | None, VerdictReason]:
    """Return the verdict of an answer without thinking, or why there is none.

    In this order: a dictionary field; a bare label; an explicit "verdict:"; a label that opens
    the answer; a label that closes it; the one label that the text asserts or concludes with.

    Example:
        >>> read_verdict("I first leaned to REJECT, but the door is open, so ACCEPT.")
        ('ACCEPT', '')
        >>> read_verdict("ACCEPT for the first half, REJECT for the second half.")
        (None, 'conflict')
    """
    text = _STRUCK.sub(" ", text).strip()
    text = _SPACED.sub(lambda found: re.sub(r"[ .-]", "", found[0]).upper(), text)
    if own := _one_label(text):
        return own, ""
    lines = [line for line in text.split("\n") if line.strip()]
    repeated = {_one_label(line) for line in lines}
    if len(repeated) == 1 and None not in repeated:
        return repeated.pop(), ""
    if word := _structured(text):
        return word, ""
    plain = _QUOTED.sub(lambda found: found[0].strip("\"'") if _one_label(found[0]) else " ", text)
    marked, contradictory = _marked(plain)
    if marked:
        return marked, ""
    if contradictory:
        return None, "conflict"
    return _free(plain)


def _free(text: str) -> tuple[Word | None, VerdictReason]:
    """Read an answer that has neither a field nor a mark for its verdict."""
    first, end = _at_start(text)
    closing = _LAST_LINE.search(text[-200:])
    last = (
        _canonical(closing["label"])
        if closing and not _negated(text[-200:], closing.start("label"))
        else None
    )
    apart = closing is not None and len(text) - len(text[-200:]) + closing.start("label") >= end
    if first and last and first != last and apart:
        return (last, "") if _RETHINKS.search(text) else (None, "conflict")
    if first and _BOTH_PARTS.match(text, end):
        return None, "conflict"
    if first:
        later = [
            word for _, word, concludes in _mentions(text[end:]) if concludes and word != first
        ]
        if later and _RETHINKS.search(text[end:]):
            return later[-1], ""
        return first, ""
    found = _mentions(text)
    if last and closing and not _echo_only(text):
        listed = text[-200:][: closing.start("label")].rstrip(" *_`\"'(")[-1:] == ":"
        if not listed or {word for _, word, _ in found} <= {last}:
            return last, ""
    refused = REFUSAL.search(text[:4000]) is not None
    concluding = [word for _, word, concludes in found if concludes]
    if concluding and len(set(concluding)) == 1:
        return concluding[-1], ""
    words = {word for _, word, _ in found}
    if len(words) == 1 and not _CONDITIONAL.search(text) and not refused:
        return words.pop(), ""
    if refused:
        return None, "refusal"
    if _ECHO.search(text):
        return None, "echo"
    if words and _CONDITIONAL.search(text):
        return None, "conditional"
    if words:
        return None, "conflict"
    if not re.search(rf"\b{_LABEL}\b", text, re.IGNORECASE):
        return None, "no_verdict"
    return None, "conditional" if _CONDITIONAL.search(text) else "ambiguous"


def _echo_only(text: str) -> bool:
    """Return whether the closing label is the end of the echoed instruction."""
    line = text.rstrip().rsplit("\n", maxsplit=1)[-1]
    sentence = re.split(r"[.!?]\s", line.strip(" .!"))[-1]
    return _ECHO.search(sentence) is not None
