"""ACCEPT or REJECT: what the text says in answer position, and nothing else."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.assertions import assertions, negated
from vidomni_plugin.parsing.languages import ANSWER_WORDS, VERDICT_WORDS
from vidomni_plugin.parsing.reasons import VerdictReason
from vidomni_plugin.parsing.scanner import Mapping, Node, Scalar, scan
from vidomni_plugin.parsing.verdict_words import LABEL, SUPPORT, Word, canonical, ends

__all__ = ["REFUSAL", "read_verdict"]

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


_BARE = re.compile(
    rf"[\W_]{{0,20}}(?P<label>{LABEL}|{SUPPORT})(?:(?!\?)[\W_]){{0,20}}", re.IGNORECASE
)


def _one_label(text: str) -> Word | None:
    """Return the verdict of a text that is nothing but one, in any language."""
    text = text.strip()[:200]
    if found := _BARE.fullmatch(text):
        return canonical(found["label"])
    words = text.strip(" .!*_`\"'()[]:;-\n").casefold()
    return _FOREIGN.get(words)


_FOREIGN: dict[str, Word] = {
    word.casefold(): "ACCEPT" if label == "ACCEPT" else "REJECT"
    for word, label in VERDICT_WORDS.items()
}
_ECHO = re.compile(
    rf"\b(?:accept|reject)\s?(?:/|\||or|and/or|oder|o|ou|または|或)\s?[*_`\"']{{0,3}}(?:accept|reject)\b"
    rf"|\beither\s\W{{0,3}}{LABEL}|\breturn\s\W{{0,3}}{LABEL}\W{{0,3}}\s(?:only\s)?(?:when|if)\b"
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
    rf"(?P<label>{LABEL}|{SUPPORT})(?![\w-])(?P<after>[^\n]{{0,60}})",
    re.IGNORECASE,
)
_FOREIGN_MARKER = re.compile(
    rf"(?<![a-z])(?:{_ANSWER_NAMES})\s?(?:は|是|为|es|est|ist|é)?{_OPEN_MARK}[::]?{_OPEN_MARK}(?P<word>[^\s.,;:!?*\n]{{1,30}}(?:\s[^\s.,;:!?*\n]{{1,20}}){{0,2}})",
    re.IGNORECASE,
)
_OPEN_AFTER = re.compile(
    r"[\s*_`\"')]{0,4}(?:/|\||(?:or|if|unless|when|only|but only)\b|for (?:the )?(?:first|second|one|part)|would|could)",
    re.IGNORECASE,
)
_RETHINKS = re.compile(
    r"\b(?:wait|hmm+|on second thought|scratch that|correction|no, actually|actually, no|i change|changed? my mind|let me re)\b",
    re.I,
)


_SUPPORT_VERDICT = re.compile(
    rf"[:=].{{0,12}}(?:{SUPPORT})[\s*_`\"')\]]{{0,4}}(?:[.,;(-]|$)", re.IGNORECASE
)


def _marked(text: str) -> tuple[Word | None, bool]:
    """Return the verdict behind an explicit "verdict:" and whether such marks contradict."""
    words: list[Word] = []
    final: list[Word] = []
    for found in ends(_MARKER.finditer(text)):
        if _OPEN_AFTER.match(found["after"]) or negated(text, found.start("label")):
            continue
        if "support" in found["label"].lower() and not _SUPPORT_VERDICT.search(found[0]):
            continue
        word = canonical(found["label"])
        words.append(word)
        if found["final"] or "final" in found[0][:20].lower():
            final.append(word)
    for found in ends(_FOREIGN_MARKER.finditer(text)):
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
    rf"{_OPEN_MARK}(?P<label>{LABEL}|{SUPPORT})(?![\w-])(?P<mark>[*_`\"')\]>~]{{0,4}})(?P<after>[^\n]{{0,80}})",
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
            or ("support" in found["label"].lower() and clause_end in {".", "", ":", ",", "!"})
        ):
            return canonical(found["label"]), len(text) - len(text.lstrip()) + found.end("mark")
    first = re.split(r"[.!?:,\n]\s?|\s-\s", text.strip(), maxsplit=1)[0]
    own = _FOREIGN.get(first.strip(" *_`\"'()").casefold())
    return (own, len(text) - len(text.lstrip()) + len(first)) if own else (None, 0)


_BOTH_PARTS = re.compile(
    rf"\s(?:the|this|that|it)\s[^.!?\n]{{0,80}}\b(?:but|and|while|whereas|yet)\s{LABEL}\b",
    re.IGNORECASE,
)
_LAST_LINE = re.compile(
    rf"(?:^|\n|[.!?:]\s){_OPEN_MARK}(?P<label>{LABEL}|{SUPPORT})(?:(?!\?)[\W_]){{0,12}}\Z",
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
        canonical(closing["label"])
        if closing and not negated(text[-200:], closing.start("label"))
        else None
    )
    apart = closing is not None and len(text) - len(text[-200:]) + closing.start("label") >= end
    if first and last and first != last and apart:
        return (last, "") if _RETHINKS.search(text) else (None, "conflict")
    if first and _BOTH_PARTS.match(text, end):
        return None, "conflict"
    if first:
        later = [
            word for _, word, concludes in assertions(text[end:]) if concludes and word != first
        ]
        if later and _RETHINKS.search(text[end:]):
            return later[-1], ""
        return first, ""
    found = assertions(text)
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
    if not re.search(rf"\b{LABEL}\b", text, re.IGNORECASE):
        return None, "no_verdict"
    return None, "conditional" if _CONDITIONAL.search(text) else "ambiguous"


def _echo_only(text: str) -> bool:
    """Return whether the closing label is the end of the echoed instruction."""
    line = text.rstrip().rsplit("\n", maxsplit=1)[-1]
    sentence = re.split(r"[.!?]\s", line.strip(" .!"))[-1]
    return _ECHO.search(sentence) is not None
