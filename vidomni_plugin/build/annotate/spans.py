"""The wrong words of Incorrect sentences: what the annotators of stage 2 marked, united."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from unicodedata import category

from vidomni_plugin.build.annotate.marked import Span
from vidomni_plugin.build.annotate.plans import Plan
from vidomni_plugin.build.annotate.votes import Label
from vidomni_plugin.records import ErrorSpan
from vidomni_plugin.tables import Column, Table

__all__ = ["CategoryDispute", "United", "disputes_table", "incorrect", "unite", "whole_words"]


@dataclass(frozen=True, slots=True)
class CategoryDispute:
    """Words that annotators put into different categories."""

    pair_id: str
    number: int
    text: str
    words: str
    categories: tuple[tuple[str, tuple[str, ...]], ...]
    """Each category with the annotators who chose it."""


@dataclass(frozen=True, slots=True)
class United:
    """The errors of each sentence, and what annotators see differently."""

    errors: dict[tuple[str, int], list[ErrorSpan]]
    """By pair id and sentence number, in the order of the words."""
    disputes: list[CategoryDispute]
    unmarked: list[tuple[str, int]]
    """Incorrect sentences of judged pairs in which nobody marked a word."""


def incorrect(labels: Sequence[Label]) -> list[int]:
    """Return the numbers of the Incorrect sentences, from 1.

    Example:
        >>> incorrect(["Correct", "Incorrect", "Unknown", "Incorrect"])
        [2, 4]
    """
    return [number for number, label in enumerate(labels, 1) if label == "Incorrect"]


def unite(
    marked: Mapping[tuple[str, str], Sequence[Span]],
    labels: Mapping[str, Sequence[Label]],
    plan: Plan,
) -> United:
    """Return the union of what the annotators marked; the same words and category once.

    Different categories for the same words are all kept, because one error can be of two
    kinds; where different people chose them they are listed as well. "The same words" are
    those at the same place in the sentence.

    Args:
        marked: The spans by pair id and annotator.
        labels: The settled labels of stage 1, by pair id.
        plan: The plan, for the sentences.
    """
    places: dict[tuple[str, int], dict[tuple[int, int], dict[str, set[str]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(set))
    )
    for (pair_id, name), spans in marked.items():
        for span in spans:
            sentence = plan.pairs[pair_id].sentences[span.number - 1]
            spot = whole_words(sentence, span.start, span.end)
            places[pair_id, span.number][spot][span.category].add(name)
    errors: dict[tuple[str, int], list[ErrorSpan]] = {}
    disputes = []
    for (pair_id, number), spots in sorted(places.items()):
        sentence = plan.pairs[pair_id].sentences[number - 1]
        united: dict[tuple[str, str], ErrorSpan] = {}
        for (start, end), categories in sorted(spots.items()):
            words = sentence[start:end]
            for kind in sorted(categories):
                error = ErrorSpan.model_validate({"text": words, "category": kind})
                united.setdefault((words, kind), error)
            if _differ(categories):
                chosen = tuple((c, tuple(sorted(categories[c]))) for c in sorted(categories))
                disputes.append(CategoryDispute(pair_id, number, sentence, words, chosen))
        errors[pair_id, number] = list(united.values())
    judged = sorted({pair_id for pair_id, _ in marked})
    unmarked = [
        (pair_id, number)
        for pair_id in judged
        for number in incorrect(labels[pair_id])
        if (pair_id, number) not in errors
    ]
    return United(errors, disputes, unmarked)


def whole_words(sentence: str, start: int, end: int) -> tuple[int, int]:
    """Return a marked part without spaces at its ends and with the words it cuts made whole.

    Label Studio lets people mark half a word. Scripts without spaces between words, such as
    Chinese, are left as they were marked.

    Example:
        >>> whole_words("The sign says OPEN.", 8, 17)  # " says OPE"
        (9, 18)
    """
    words = sentence[start:end]
    start += len(words) - len(words.lstrip())
    end = start + len(words.strip())

    def joined(at: int) -> bool:
        around = sentence[at - 1 : at + 1]
        return len(around) == 2 and all(c.isalnum() and category(c) != "Lo" for c in around)

    while start > 0 and joined(start):
        start -= 1
    while end < len(sentence) and joined(end):
        end += 1
    return start, end


def _differ(categories: Mapping[str, set[str]]) -> bool:
    """Whether some annotator chose other categories for the words than another one."""
    everybody = set().union(*categories.values())
    return any(names != everybody for names in categories.values())


def disputes_table(disputes: Sequence[CategoryDispute]) -> Table:
    """Return the words with several categories as a table."""
    rows = [
        (
            one.pair_id,
            one.number,
            one.text,
            one.words,
            "; ".join(f"{category}: {', '.join(names)}" for category, names in one.categories),
        )
        for one in disputes
    ]
    titles = ("pair_id", "sentence", "text", "words", "categories")
    return Table("category_disputes", "Categories in dispute", [Column(t) for t in titles], rows)
