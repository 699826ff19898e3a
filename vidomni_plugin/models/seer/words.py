"""The model's words: one token a word, and one for each fixed part of the two prompts."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from vidomni_plugin.data.mini.vidhalloc_items import CAPTION_REQUEST
from vidomni_plugin.models.seer.layouts import LAYOUTS
from vidomni_plugin.vidhalloc.prompt import judge_prompt
from vidomni_plugin.vidomni.prompt import verification_prompt

__all__ = [
    "ANSWER_END",
    "CHAT_TEMPLATE",
    "CLOSE",
    "END",
    "MARKS",
    "MOST_SENTENCES",
    "USER",
    "VERDICTS",
    "judge_parts",
    "label_text",
    "sentence_mark",
    "tokenizer",
    "verification_head",
    "vocabulary",
]

MOST_SENTENCES = 12
"""Sentences of the longest caption that the model can number."""

USER = "<|im_start|>user\n"
END = "<|im_end|>\n<|im_start|>assistant\n"
"""What stands between the prompt and the answer, as one token."""
ANSWER_END = "<|im_end|>"
CLOSE = "}"
VERDICTS = ("REJECT", "ACCEPT")
"""By truth: 0 or 1."""
MARKS = ("<|endoftext|>", "<|im_start|>", ANSWER_END)
VISION = tuple(f"<|{n}|>" for n in ("vision_start", "vision_end", "image_pad", "video_pad"))

CHAT_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] != 'system' %}"
    "<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] in ('image', 'video') %}"
    "<|vision_start|><|{{ part['type'] }}_pad|><|vision_end|>"
    "{% elif 'text' in part %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""Qwen's, without the system message that some runners add."""

WORLDS = 3000
"""Clips whose sentences give the vocabulary; every template occurs often among so many."""


def judge_parts() -> tuple[str, str, str]:
    """Return the judge prompt before the question, between question and answer, and after."""
    text = judge_prompt("QUESTION?", "ANSWER!")
    head, _, rest = text.partition("QUESTION?")
    middle, _, tail = rest.partition("ANSWER!")
    return head.strip(), middle.strip(" ."), tail.strip(" .") + "."


def verification_head() -> str:
    """Return the verification prompt up to the first sentence."""
    return verification_prompt([])


def sentence_mark(number: int) -> str:
    """Return what stands before a sentence of a caption."""
    return f"Sentence {number}:"


def label_text(number: int, label: int) -> str:
    """Return the part of the answer that labels one sentence; 1 is a hallucination."""
    return f'{"{" if number == 1 else ", "}"sentence_{number}": {label}'


@cache
def vocabulary() -> tuple[str, ...]:
    """Return every word of the generator's sentences and questions, sorted."""
    rng, words = random.Random(0), set[str]()
    layouts = list(LAYOUTS)
    for n in range(WORLDS):
        for fact in layouts[n % len(layouts)](rng).facts:
            for text in (fact.question, fact.true, *fact.false):
                words.update(re.findall(r"\w+|[^\w\s]", text.lower()))
    return tuple(sorted(words))


def tokenizer(words: Sequence[str]) -> Any:  # noqa: ANN401
    """Return a tokenizer of whole words in lower case; what it does not know is ``<unk>``."""
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    base = Tokenizer(
        models.WordLevel({"<unk>": 0} | {w: n for n, w in enumerate(words, 1)}, "<unk>")
    )
    base.normalizer = normalizers.Lowercase()
    base.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=base,
        unk_token="<unk>",
        pad_token=MARKS[0],
        eos_token=ANSWER_END,
        additional_special_tokens=[*MARKS, *VISION],
        chat_template=CHAT_TEMPLATE,
    )
    # What processors look for by name.
    made.image_token, made.video_token = VISION[2], VISION[3]
    whole = [USER, END, *judge_parts(), CAPTION_REQUEST, verification_head(), CLOSE, *VERDICTS]
    numbers = range(1, MOST_SENTENCES + 1)
    whole += [sentence_mark(k) for k in numbers]
    whole += [label_text(k, label) for k in numbers for label in (0, 1)]
    made.add_tokens([AddedToken(w, lstrip=True, rstrip=True, normalized=False) for w in whole])
    return made
