"""Patterns of the words around ACCEPT and REJECT; what they mean is in ``verdict_mentions``."""

from __future__ import annotations

import re

from vidomni_plugin.parsing.languages import ANSWER_WORDS, VERDICT_WORDS

__all__ = [
    "ALTERNATIVE",
    "BUT_INSTEAD",
    "BY",
    "CLAUSE_START",
    "CONCLUSION",
    "CONDITION",
    "CONDITIONAL",
    "FIRST_CLAUSE",
    "FIRST_PERSON",
    "FIRST_PERSON_VERB",
    "FOREIGN_CONCLUSION",
    "FOREIGN_VERDICT",
    "HYPOTHESIS",
    "INTERJECTION",
    "IS_THE_LABEL",
    "LABEL",
    "LATER_CONDITION",
    "LEAD_IN",
    "NEGATED",
    "NOT_BUT",
    "NO_REASON",
    "OBJECT",
    "OTHERWISE",
    "OTHER_OBJECT",
    "PART",
    "PASSIVE",
    "PREFIX",
    "STATEMENT",
    "STOP_BARE",
    "SUPPORTED",
    "TENTATIVE",
    "UNABLE",
    "VOID",
    "X_NOT_Y",
]

_NOUN = (
    r"(?:answer|verdict|label|decision|judge?ment|conclusion|result|output|response"
    r"|classification|prediction|assessment|"
    r"evaluation|ruling|choice|determination|status|"
    + "|".join(map(re.escape, sorted(ANSWER_WORDS, key=len, reverse=True)))
    + ")"
)
_FOREIGN = "|".join(map(re.escape, sorted(VERDICT_WORDS, key=len, reverse=True)))
LABEL = re.compile(
    r"(?<![^\W_])(?<![A-Za-z]-)(?P<label>accept(?:ed|s|able|ance|ing)?|reject(?:ed|s"
    r"|ion|able|ing)?)(?![^\W_]|'s\b)",
    re.IGNORECASE,
)
_IS = (
    r"(?:\s{0,3}(?::|=|->|→|=>|-)\s{0,3}|\s(?:is|are|would be|must be|should be"
    r"|will be|has to be|remains|becomes|stays|es|est|ist|é|è|là|—)\s(?:therefore\s"
    r"|thus\s|clearly\s|hence\s|to\s|an?\s|that i\s|also\s|indeed\s)*|(?:是|为"
    r"|は)\s?)[\s:\"'*(\[{<>-]*$"
)
PREFIX = re.compile(
    rf"(?<!\w)(?:(?P<final>final|最终|最終|definitive|ultimate|overall"
    rf"|my final)\s?)?(?:(?:the|my|correct|single|output)\s)?(?P<noun>{_NOUN})s?"
    rf"(?:\s?\([^()]{{0,40}}\)|\s(?:for|to|of|on)\s[^:.]{{1,50}}?)?{_IS}",
    re.IGNORECASE,
)
TENTATIVE = re.compile(
    r"\b(?:initial|first|tentative|preliminary|provisional|possible|earlier|previous"
    r"|naive|wrong|default|example|expected|other|alternative)\s(?:\w+\s)?"
    rf"{_NOUN}{_IS}",
    re.IGNORECASE,
)
CONCLUSION = re.compile(
    r"(?:^|[,.;:(]\s?|\b(?:and|but|is)\s|\s-\s|[→>]\s?)(?:so|therefore|thus|hence"
    r"|consequently|in conclusion|overall|ultimately|"
    r"as a result|accordingly|in summary|to conclude|in the end|finally|final)\b[\s,:]*"
    r"(?:(?:i|we)\s(?:\w+\s){0,3}|(?:it|this|that|the \w+)(?:\s\w+)?\s(?:is|must be"
    r"|should be|has to be|would be|gets)\s|it's\s|my \w+ is\s)?(?:an?\s|to\s|with\s"
    r"|for\s|on\s)?[\"'*(\[]*$",
    re.IGNORECASE,
)
NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|\bcannot|\bunable to|\brefuse to|\bdecline to|\b(?:no"
    r"|any) (?:reason|need|grounds) to|\bno)\s(?:(?:be|to|an?|simply|really|fully|yet"
    r"|possibly|just|therefore|at all|be marked as|go with|choose|an)\s){0,2}[\"'*]?$",
    re.IGNORECASE,
)
NO_REASON = re.compile(r"\b(?:no|any) (?:reason|need|grounds) to\s$", re.IGNORECASE)
UNABLE = re.compile(r"\bunable to\s(?:\w+\s)?$", re.IGNORECASE)
IS_THE_LABEL = re.compile(
    rf"[\"'*]{{0,2}}\s(?:is|must be|has to be|should be)\s(?:therefore\s|thus\s"
    rf"|clearly\s)?(?:the|my)\s(?:\w+\s){{0,2}}?{_NOUN}\b(?!\s(?:if|when|only|unless))",
    re.IGNORECASE,
)
VOID = re.compile(
    r"\b(?:return|respond with|answer with|reply with|say|write|either|options\W{0,2}"
    r"|one of|choose between|reasons? (?:to|for|why)|case (?:for|to)|"
    r"speaks? for|argues? for|points? to(?:wards?)?|lean\w*(?: to| towards?)?"
    r"|inclin\w+(?: to| towards?)?|tempted to|could|might|may|maybe|perhaps|"
    r"probably|possibly|likely|first (?:idea|thought|impression|guess|instinct)(?: was"
    r"| is)?|initially|at first|instead of|rather than|"
    r"would have(?: been)?|would be tempted to|whether(?: to)?|if|consider\w*|between"
    r"|not sure|unsure|thought(?: about| of| it was)?|"
    r"wanted to|want to|going to be|seems?(?: like)?|looks? like|favou?rs?"
    r"|enough (?:to|for)|(?<!no )(?<!any )reason to|nothing to|used to|almost|"
    r"easy to|hard to|difficult to|hesitate to|ready to|supports?|as opposed to|over"
    r"|versus|nearly|require\w*(?: for)?|in favou?r of|unlike)"
    r"\s?(?:(?:the|to|is|was|be|been|an?|it|this|that|i|we|you|i'd|caption|answer"
    r"|as)\s){0,2}[\"'*(\[:\s]{0,3}$",
    re.IGNORECASE,
)
X_NOT_Y = re.compile(
    r"(?:\band not|,\s?not|\bnot|\brather than|\binstead of|\bno longer"
    r"|\bisn't)\s(?:an?\s|to\s|be\s|as\s)?[\"'*]?$",
    re.IGNORECASE,
)
ALTERNATIVE = re.compile(
    r"\b(?:or|nor)\s(?:to\s|should i\s|i\s|would\s|else\s|perhaps\s){0,2}$", re.IGNORECASE
)
NOT_BUT = re.compile(
    r"[\"'*,]{0,2}\sbut\s(?:an?\s|rather\s|to\s)?[\"'*]?(?:accept|reject)", re.IGNORECASE
)
BUT_INSTEAD = re.compile(
    r"\bnot\s(?:an?\s|to\s)?[\"'*]?(?:accept|reject)\w*[\"'*,]{0,2}\sbut\s(?:an?\s"
    r"|rather\s|to\s)?[\"'*]?$",
    re.IGNORECASE,
)
LATER_CONDITION = re.compile(
    r"(?:\s(?:it|this|that|the(?:\s\w+){1,2}))?\s?,?\s(?:but\s)?(?:only\s)?(?:if"
    r"|unless|when|provided|assuming|as long as)\b",
    re.IGNORECASE,
)
FOREIGN_CONCLUSION = re.compile(
    r"(?:我(?:选择|判断为|认为应|的答案是|会)|应该?|所以|因此|选择|\b(?:elijo|por lo tanto|je choisis|donc"
    r"|ich wähle|daher|also|escolho|portanto|выбираю|поэтому)\b|따라서|よって"
    r"|したがって)[\s:,\"'*]*$",
    re.IGNORECASE,
)
STOP_BARE = re.compile(
    r"[\"'*)\]}_\s]*(?:$|[.!,;:)\]}|\n<]|\s?-+\s|\s?(?:->|→|=>)|\s?\(|\s(?:because|since|as|due to|given|for the reason|on the grounds|with (?:\w+ )?confidence|rather than|instead of|and not|not|"
    r"(?:this|the|that) (?:candidate|answer|caption|claim|statement|description))\b)",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"[\"'*)\]\s,]*\b(?:only )?(?:if|when|whenever|unless|provided|only when"
    r"|as long as|assuming|in case|depending)\b",
    re.IGNORECASE,
)
HYPOTHESIS = re.compile(
    r"[\"'*)\]\s]*\b(?:would|could|might|may|cannot|can't|seems|means|is (?:for|when"
    r"|used|only|wrong|not|too|tempting)|isn't|was|were|requires?|should only|vs"
    r"|had)\b",
    re.IGNORECASE,
)
PART = re.compile(
    r"[\"'*)\]\s]*\b(?:for|on|regarding|as to|in)\s(?:the\s)?(?:first|second|last"
    r"|latter|former|other|remaining|opening|rest|beginning|part|one|half|colou?r"
    r"|object|action|sentence)\b",
    re.IGNORECASE,
)
OTHER_OBJECT = re.compile(
    r"[\s\"']*(?:(?:this|the|your|that|any|such|these|a|to)\s)?(?:\w+\s)?(?:requests?"
    r"|tasks?|videos?\b(?!')|files?|inputs?|questions?|prompts?|uploads?|attachments?|"
    r"formats?|instructions?|premises?|quer(?:y|ies)|images?|idea|notion|possibility"
    r"|hypothesis|bribe|offer|word|phrase|label)\b",
    re.IGNORECASE,
)
OBJECT = re.compile(
    r"[\s\"'*]*(?:$|[.,;:!)\n]|-\s|\((?!\w*\?)|\b(?:it|this|because|since|as|due|given"
    r"|here|over|rather than|instead of)\b(?! (?:person|man|woman))|that\b(?=\s?(?:$"
    r"|[.,;:!]))|(?:the|this|that|such an?|any)\s(?:\w+\s){0,2}?"
    r"(?:candidate|answer|caption|claim|statement|description|response|assertion)\b)",
    re.IGNORECASE,
)
FIRST_PERSON = re.compile(
    r"\b(?:i|we)(?:'d|'ll|'m|'ve)?\s(?:(?:would|will|must|do|can|have to|shall"
    r"|therefore|hereby|should|am|need to|had to|also|still|fully|now|clearly|"
    r"cannot|can't|don't|won't|wouldn't|didn't|couldn't|not|never|going to|forced to"
    r"|obliged to|thus|hence|definitely|unable to|have)\s){0,4}[\"'*]?$",
    re.IGNORECASE,
)
FIRST_PERSON_VERB = re.compile(
    r"\b(?:i|we)(?:'d|'ll|'m|'ve)?\s(?:\w+\s){0,3}?(?:choos\w+|chose|vot\w+|go|going"
    r"|pick\w*|answer|select\w*|return|label|mark|rate|judge|conclude|assign|give|opt|"
    r"decide|settle|respond|say|stick|stay|arrive|mark)\w*\s(?:(?:with|for|it|this"
    r"|that|as|an?|the|candidate|answer|caption|claim|is|to|at|on|statement"
    r"|description|label)\s){0,5}[\"'*:]{0,3}\s?$",
    re.IGNORECASE,
)
PASSIVE = re.compile(
    r"(?:^|[.,;:(]\s?|\b(?:so|and|but|hence|therefore|thus|because|that)\s"
    r"|\s-\s)(?:the|this|that)\s(?:given\s|proposed\s)?(?:candidate(?: answer)?|answer"
    r"|caption|claim|statement|description|response|assertion|one)\s"
    r"(?:(?:is|was|should be|must be|has to be|can be|cannot be|can't be|can not be"
    r"|should not be|must not be|cannot|has been|gets|would be|would not be|will be"
    r"|deserves?|"
    r"isn't|to be|ought to be|shouldn't be)\s)(?:(?:therefore|hence|thus|not|clearly"
    r"|an?|hereby|to be|be|fully|indeed)\s){0,3}[\"'*]?$"
    r"|(?:^|[.,;:(]\s?|\b(?:so|and|but|hence|therefore|thus|actually|clearly|then|wait"
    r"|no)\s|\s-\s)(?:this|that|it)(?:'s|\s(?:is|deserves|must be|should be"
    r"|should not be|must not be|shouldn't be|has to be|would be|gets|cannot be"
    r"|can't be|has been))\s(?:(?:an?|clearly|clear|therefore|thus|not|definite|to be"
    r"|be|obvious|definitely)\s){0,3}[\"'*]?$",
    re.IGNORECASE,
)
BY = re.compile(r"\s(?:by|from|into|at|in the (?:video|clip)|to|among)\b", re.IGNORECASE)
LEAD_IN = re.compile(
    r"^[\s*_#>\"'`(\[{<•-]*(?:(?:\(?[A-Da-d1-4][.)]|option(?:\s\w)?\s?[:.)-])\s+)?[\"'*(\[{]*$",
    re.IGNORECASE,
)
INTERJECTION = re.compile(
    r"(?:^|[.;]\s)\s*(?:no|yes|ok|okay|right|well|sure|wait|actually|correction|sorry"
    r"|hmm+|oh|rather|in fact|on second thoughts?|on reflection|after all"
    r"|hold on)[\s,.:-]+[\"'*(]*$",
    re.IGNORECASE,
)
CLAUSE_START = re.compile(r"(?:[,;:(]|\s-|[,;]\s(?:but|and|then|yet|hence))\s?[\"'*\[(]*$")
OTHERWISE = re.compile(r"^\W*(?:otherwise|else|if not|if so|or else)\b", re.IGNORECASE)
CONDITIONAL = re.compile(
    r"^\W*(?:if|when|unless|provided|assuming|in case|whenever|should the|only if"
    r"|were the|depending|as long as)\b",
    re.IGNORECASE,
)
SUPPORTED = re.compile(
    rf"(?:(?P<prefix>(?:final\s|my\s|the\s)*{_NOUN}\s?(?::|=|-|->|is)\s?))?(?:fully\s"
    rf"|completely\s|entirely\s)?(?P<not>not\s|un)?supported",
    re.IGNORECASE,
)
FOREIGN_VERDICT = re.compile(
    rf"(?:(?P<prefix>(?:\w+\s){{0,2}}?{_NOUN})\s?(?::|=|-|->|is|es|est|ist|é|là|是|为|は"
    rf"|-)?\s?)?(?:我|我们|应该|应当|应|选择|予以|判断为|判定为|因此|所以)?"
    rf"[\"'*(\[]{{0,2}}(?P<word>{_FOREIGN})[\"'*)\]]{{0,2}}(?:です|する|します|합니다|함|입니다|该答案|此答案)?",
    re.IGNORECASE,
)
STATEMENT = re.compile(r"(?<=[.!?;])[\"')*]{0,2}\s+|\n+")
FIRST_CLAUSE = re.compile(r",\s|\s-+\s|\s?\(|\s?->|\s(?:because|porque|parce que|weil|потому)\b")
