"""From the text of an answer to ACCEPT or REJECT."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vidomni_plugin.parsing.answers import usable
from vidomni_plugin.parsing.reasons import VerdictReason
from vidomni_plugin.parsing.scanner import Mapping, Scalar, Sequence, scan
from vidomni_plugin.parsing.verdict_answer import LONGEST_END, OPTIONS, plain_answer
from vidomni_plugin.parsing.verdict_mentions import Event, VerdictWord, events

__all__ = ["REFUSAL", "read_verdict"]

REFUSAL = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|impossible to"
    r"|don't have (?:access|the ability)|"
    r"do not have (?:access|the ability)|no way to)\s?(?:(?!accept|reject)\w+\s){0,3}"
    r"(?:determine|judge|assess|view|watch|see|open|access|process|verify|evaluate|tell"
    r"|say|decide|analy[sz]e|play|"
    r"provide|give|help|assist|comply|answer|to (?:the )?video)\b"
    r"|\breject (?:this|your|the) request\b|(?:\b|can|n')(?:no)?t accept (?:video|media"
    r"|such|these|this type|image|file|attachment)\w*"
    r"|\bas an? (?:ai|language model)\b|\bi'm sorry\b|\bi am sorry\b|无法(?:判断|观看|确定|处理)|"
    r"no puedo (?:determinar|ver)|ich kann (?:das )?video nicht|je ne peux pas",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, or why there is none."""

    label: VerdictWord | None
    reason: VerdictReason


_FIELD = re.compile(
    r"(?:final|my|overall|predicted)?[_\s]?(?:label|verdict|answer|decision|result"
    r"|judge?ment|output|prediction|response|classification|status|"
    r"conclusion|value|choice|evaluation|assessment|ruling|结论|判断|答案|标签|结果|判定"
    r"|verdict_label|answer_label)",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"(?:is_?|should_?)?(?P<word>accept(?:ed|able)?|reject(?:ed)?|supported"
    r"|fully_supported)",
    re.IGNORECASE,
)
_TRUTH = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
_CHANGE = re.compile(
    r"\b(?:wait|no,|actually|on second thoughts?|correction|chang\w+ my (?:mind|answer"
    r"|verdict)|scratch that|sorry|hmm+|in fact|revis\w+|reconsider\w*|"
    r"looking (?:again|closer|more closely)|look again|take (?:that|it) back|but then"
    r"|on closer|after (?:another|a second|checking|watching|re-?watching|closer"
    r"|reviewing)|"
    r"corrected|i was wrong|my mistake|oops|however, (?:on|after|looking)|instead"
    r"|rather)\b|等等|不对|更正",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:everything|all (?:of it|that|the|details|parts|claims)|visible|matches"
    r"|match|correct|accurate|supported|consistent|as (?:described|stated|claimed"
    r"|it says)|"
    r"true|holds?|confirmed|confirms|can be seen|is shown|agrees|fully|indeed|right)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|n't|no|never|cannot|unsure|unclear|but|however|although|nor|neither)\b",
    re.IGNORECASE,
)
_MENTION = re.compile(r"(?<![^\W_])(?:accept|reject)", re.IGNORECASE)


def _from_fields(text: str) -> tuple[Decision | None, str]:
    """Return the decision of the dictionaries of a text, and the text without them."""
    labels: list[VerdictWord] = []
    reason: VerdictReason = "no_verdict"
    rest: list[str] = []
    at = floor = 0
    known = False
    for top in scan(text)[-200:]:
        if not isinstance(top.node, Mapping | Sequence):
            continue
        items = (
            [top.node]
            if isinstance(top.node, Mapping)
            else [i for i in top.node.items[:20] if isinstance(i, Mapping)]
        )
        decisions = [decision for item in items if (decision := _of_mapping(item, 0))]
        excluded = bool(decisions) and not usable(text, top, floor)
        floor = top.end
        if not items or (not decisions and not (isinstance(top.node, Mapping) and top.node.closed)):
            continue
        rest.append(text[at : top.start])
        at = top.end
        for decision in decisions:
            if excluded:
                reason = "echo"
            elif decision.label:
                labels.append(decision.label)
            else:
                reason = decision.reason
            known = True
    rest.append(text[at:])
    others = "\n".join(rest)
    if len(set(labels)) == 1:
        return Decision(labels[0], ""), others
    if labels:
        return Decision(None, "conflict"), others
    return (Decision(None, reason) if known else None), others


def _of_mapping(node: Mapping, depth: int) -> Decision | None:
    """Return what the fields of one dictionary decide; None when it has no such field."""
    decisions: list[Decision] = []
    flags: dict[VerdictWord, set[bool]] = {}
    for key, child in node.pairs:
        name = key.strip()
        flag = _FLAG.fullmatch(name)
        if flag and isinstance(child, Scalar):
            truth = _TRUTH.get(child.text.strip().lower())
            word: VerdictWord = "REJECT" if flag["word"].lower().startswith("reject") else "ACCEPT"
            if truth is not None:
                flags.setdefault(word, set()).add(truth)
            continue
        if isinstance(child, Mapping) and depth < 5:
            nested = _of_mapping(child, depth + 1)
            if nested:
                decisions.append(nested)
        elif _FIELD.fullmatch(name):
            texts = (
                [child]
                if isinstance(child, Scalar)
                else child.items
                if isinstance(child, Sequence)
                else []
            )
            scalars = [item for item in texts if isinstance(item, Scalar)]
            decisions.extend(
                Decision(None, "no_verdict") if item.cut and item.quoted else _of_text(item.text)
                for item in scalars
            )
            if not scalars:
                decisions.append(Decision(None, "no_verdict"))
    if flags:
        meant: set[VerdictWord] = set()
        for word, truths in flags.items():
            for truth in truths:
                meant.add(word if truth else ("REJECT" if word == "ACCEPT" else "ACCEPT"))
        decisions.append(
            Decision(meant.pop(), "") if len(meant) == 1 else Decision(None, "conflict")
        )
    labels = {decision.label for decision in decisions if decision.label}
    if len(labels) == 1:
        return Decision(labels.pop(), "")
    if labels:
        return Decision(None, "conflict")
    return decisions[0] if decisions else None


STRONG = ("final", "conclusion", "prefix", "bare", "decision")


def _resolve(text: str, said: list[Event]) -> Decision | None:
    """Return which of several mentions is the verdict; None when none of them is one."""
    strong = [event for event in said if event.kind in STRONG]
    parts = {event.label for event in said if event.kind == "part"}
    if (
        parts
        and len({event.label for event in said}) == 2
        and not any(event.kind in {"final", "conclusion"} for event in strong)
    ):
        return Decision(None, "conflict")
    if not strong:
        if any(event.kind == "conditional" for event in said):
            return Decision(None, "conditional")
        return None
    last = strong[-1]
    if len({event.label for event in strong}) == 1:
        return Decision(last.label, "")
    finals = [event for event in strong if event.kind == "final"]
    if last.kind in {"final", "conclusion"}:
        return Decision(last.label, "")
    other = next(event for event in reversed(strong) if event.label != last.label)
    first_of_last = next(event for event in strong if event.at > other.at)
    if _CHANGE.search(text[other.at : first_of_last.at]):
        return Decision(last.label, "")
    if finals and len({event.label for event in finals}) == 1:
        return Decision(finals[-1].label, "")
    return Decision(None, "conflict")


def _of_text(text: str) -> Decision:
    """Return the decision of a text without dictionaries."""
    options = bool(OPTIONS.search(text[:LONGEST_END])) or bool(OPTIONS.search(text[-LONGEST_END:]))
    plain = plain_answer(text)
    said = events(plain)
    decision = _resolve(plain, said)
    if decision:
        return decision
    if any(event.kind == "open" for event in said):
        rest = re.sub(
            r"(?:\bnot|n't|\bnever|\b(?:no|any) (?:reason|need"
            r"|grounds) to)\s(?:\w+\s){0,1}reject\w*",
            " ",
            plain,
            flags=re.IGNORECASE,
        )
        confirmed = _CONFIRMS.search(rest) and not _DENIES.search(rest)
        return Decision("ACCEPT", "") if confirmed else Decision(None, "ambiguous")
    if REFUSAL.search(plain[:20_000]):
        return Decision(None, "refusal")
    if options:
        return Decision(None, "echo")
    if not re.search(r"\w", plain) and not _MENTION.search(text):
        return Decision(None, "no_verdict" if text.strip() else "empty")
    named = {found[0][0].lower() for found in _MENTION.finditer(plain[: 2 * LONGEST_END])}
    return Decision(None, ("no_verdict", "ambiguous", "conflict")[len(named)])


def decide(text: str) -> Decision:
    """Return the verdict of an answer, or why there is none.

    Args:
        text: Text outside thinking and without wrapping.

    Example:
        >>> decide('{"ACCEPT": false, "REJECT": true}').label
        'REJECT'
        >>> decide("ACCEPT for the first half, REJECT for the second half.").reason
        'conflict'
    """
    if "{" in text or "[" in text:
        fields, rest = _from_fields(text)
        if fields is not None and fields.label:
            outside = _resolve(plain := plain_answer(rest), events(plain))
            if outside and outside.label and outside.label != fields.label:
                final = any(event.kind == "final" for event in events(plain))
                return outside if final else Decision(None, "conflict")
            return fields
        if fields is not None:
            outside_only = _of_text(rest)
            return outside_only if outside_only.label else fields
        text = rest
    return _of_text(text)


def read_verdict(text: str) -> tuple[VerdictWord | None, VerdictReason]:
    """Return the verdict of an answer without thinking, or why there is none.

    Example:
        >>> read_verdict("I first leaned to REJECT, but the door is open, so ACCEPT.")
        ('ACCEPT', '')
    """
    decision = decide(text)
    return decision.label, decision.reason
