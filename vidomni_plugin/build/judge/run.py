"""One run of the judge: what to ask, what is known already, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vidomni_plugin.build.judge.asking import Asked, ask_all, make_client, shown_url
from vidomni_plugin.build.judge.captions import CaptionText, Joined
from vidomni_plugin.build.judge.journal import Journal, open_journal
from vidomni_plugin.build.judge.outcome import Comparison, summary
from vidomni_plugin.build.judge.prompt import VERSION, prompt_hash
from vidomni_plugin.build.judge.questions import Question, Settings, questions
from vidomni_plugin.data.lines import write_jsonl, write_text

__all__ = ["Judged", "Network", "judge"]

NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Network:
    """How the endpoint is asked; nothing of it changes an answer."""

    concurrency: int
    retries: int
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Judged:
    """What a run gave."""

    result: dict[str, Any]
    """What ``judge.json`` holds."""
    known: int
    """Replies that were there before."""
    asked: Asked


def judge(
    joined: Joined,
    settings: Settings,
    network: Network,
    out: Path,
    *,
    started: Callable[[int, int], Callable[[], None]] = lambda missing, known: lambda: None,
    say: Callable[[str], None] = lambda text: None,
) -> Judged:
    """Compare captions, in both orders, and write the result.

    ``replies.jsonl`` gets each reply as it comes; ``comparisons.jsonl`` and ``judge.json`` are
    written at the end, whole.

    Args:
        joined: The captions.
        settings: What an answer depends on.
        network: How to ask.
        out: Folder of the results; replies that are there are not asked for again.
        started: Gets the numbers of missing and of known replies, returns what to call after
            each question.
        say: Told what a user should know meanwhile.

    Raises:
        InputProblems: If the endpoint cannot be asked at all, or the replies cannot be read.
    """
    client = make_client(settings.base_url, retries=network.retries, timeout_s=network.timeout_s)
    both = [questions(pair, settings) for pair in joined.pairs]
    wanted = {question.key: question for pair in both for question in pair}
    with open_journal(out / "replies.jsonl") as journal:
        missing = [question for key, question in wanted.items() if key not in journal.replies]
        known = len(wanted) - len(missing)
        asked = ask_all(
            client,
            missing,
            settings,
            journal,
            concurrency=network.concurrency,
            advance=started(len(missing), known),
            say=say,
        )
        comparisons = [
            _comparison(pair, asked_for, journal, asked)
            for pair, asked_for in zip(joined.pairs, both, strict=True)
        ]
    result = _result(joined, settings, comparisons)
    write_jsonl(out / "comparisons.jsonl", [comparison.row() for comparison in comparisons])
    write_text(out / "judge.json", json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    return Judged(result, known, asked)


def _comparison(
    pair: tuple[CaptionText, CaptionText],
    both: tuple[Question, Question],
    journal: Journal,
    asked: Asked,
) -> Comparison:
    a, b = pair
    replies = [journal.replies.get(question.key) for question in both]
    texts = [None if reply is None else reply.text for reply in replies]
    errors = [
        "" if reply is not None else asked.failed.get(question.key, NOT_ASKED)
        for question, reply in zip(both, replies, strict=True)
    ]
    return Comparison(
        video_id=a.video_id,
        pair_a=a.pair_id,
        pair_b=b.pair_id,
        source_a=a.source,
        source_b=b.source,
        replies=(texts[0], texts[1]),
        errors=(errors[0], errors[1]),
    )


def _result(
    joined: Joined, settings: Settings, comparisons: Sequence[Comparison]
) -> dict[str, Any]:
    shown = asdict(settings) | {"base_url": shown_url(settings.base_url)}
    return {
        "settings": shown | {"prompt_version": VERSION, "prompt_hash": prompt_hash()},
        "videos": {
            "compared": joined.videos,
            "only_in_a": joined.only_a,
            "only_in_b": joined.only_b,
        },
        "identical_captions": joined.identical,
        **summary(comparisons),
    }
