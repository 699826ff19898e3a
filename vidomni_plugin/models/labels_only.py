"""Answers that end where their labels are complete; what would follow costs time and no label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from transformers import StoppingCriteria, StoppingCriteriaList

from vidomni_plugin.labels import parse_sentence_labels
from vidomni_plugin.parsing.scanner import Mapping, scan
from vidomni_plugin.parsing.structured import read
from vidomni_plugin.parsing.thinking import locate
from vidomni_plugin.parsing.wrapping import fold, strip_markup, unescape

__all__ = ["LabelsComplete", "labels_complete", "stopping"]

OPENED = "<think>\n"
"""Stands before an answer whose prompt has opened the thinking already."""
PROMPT_TAIL = 32
"""Tokens at the end of a prompt that are searched for this."""
ALWAYS = 100
"""Closing braces that are each looked at; after them, only when the text has grown by GROWN."""
GROWN = 1.1


def labels_complete(text: str, n: int) -> bool:
    """Return whether a text holds one closed dictionary with a label for each of n sentences.

    Thinking does not count, and a text that ends inside it is not complete. What is read is what
    ``parse_sentence_labels`` reads, so that the labels are those of the text so far.

    Example:
        >>> labels_complete('{"sentence_1": 0, "sentence_2": 1}', 2)
        True
        >>> labels_complete('{"sentence_1": 0}', 2)
        False
        >>> labels_complete('<think>{"sentence_1": 0}', 1)
        False
    """
    located = locate(unescape(fold(text)))
    if located.unfinished is not None or n < 1:
        return False
    for top in scan(strip_markup(located.answer)):
        if (
            isinstance(top.node, Mapping)
            and top.node.closed
            and read(top.node, n, None).complete(n)
        ):
            return parse_sentence_labels(text, n).status == "ok"
    return False


class _Row:
    """One answer while it is written."""

    def __init__(self, sentences: int, text: str, start: int) -> None:
        self.sentences = sentences
        self.text = text
        """What is decoded so far: up to the last closing brace."""
        self.decoded = start
        """Place of the first token that is not."""
        self.done = sentences < 1
        """Whether there is nothing to look for, or no more."""
        self.complete = False
        self._left = ALWAYS
        self._looked_at = 0

    def look(self, new: str) -> None:
        """Take what was written up to a closing brace, and see whether the labels are there."""
        self.text += new
        if locate(new).thought:  # the braces of the thinking are over, or may be
            self._left = ALWAYS
        self._left -= 1
        if self._left < 0 and len(self.text) < GROWN * self._looked_at:
            return
        self._looked_at = len(self.text)
        self.done = self.complete = labels_complete(self.text, self.sentences)


class LabelsComplete(StoppingCriteria):  # type: ignore[misc]
    """Ends each row of a batch when its labels are complete.

    A token is decoded together with those before it, once, when it holds a closing brace. The
    whole text is parsed for the first braces only and then each time it has grown by a tenth: the
    cost is linear in the length of the answer, whatever a model writes.
    """

    def __init__(self, tokenizer: Any, sentences: Sequence[int], prompt: int) -> None:  # noqa: ANN401
        """Take what the rows label.

        Args:
            tokenizer: Whose ``decode`` gives the text.
            sentences: Number of sentences of each row, 0 for a row that labels nothing.
            prompt: Tokens of the prompt, as far as ``generate`` was given them.
        """
        self._tokenizer = tokenizer
        self._sentences = sentences
        self._prompt = prompt
        self._seen = 0
        self._rows: list[_Row] | None = None
        self._closes: dict[int, bool] = {}

    def __call__(self, input_ids: torch.Tensor, scores: object, **_: object) -> torch.Tensor:
        """Return which rows are complete, shape ``(B,)``."""
        if len(input_ids) != len(self._sentences):  # beams: several rows of one answer
            return torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)
        rows = self._rows if self._rows is not None else self._start(input_ids)
        new = input_ids[:, self._seen :].tolist()
        for at, (row, tokens) in enumerate(zip(rows, new, strict=True)):
            for end, token in enumerate(tokens, self._seen + 1):
                if not row.done and self._closes_something(token):
                    written = input_ids[at, row.decoded : end].tolist()
                    row.decoded = end
                    row.look(self._decoded(written))
        self._seen = input_ids.shape[1]
        return torch.tensor([row.complete for row in rows], device=input_ids.device)

    def _start(self, input_ids: torch.Tensor) -> list[_Row]:
        # Given embeddings, ``generate`` shows the new tokens only.
        self._seen = start = min(self._prompt, input_ids.shape[1] - 1)
        self._rows = []
        for n, prompt in zip(self._sentences, input_ids[:, :start].tolist(), strict=True):
            unfinished = locate(self._decoded(prompt[-PROMPT_TAIL:])).unfinished
            opened = unfinished is not None and not unfinished.strip()
            self._rows.append(_Row(n, OPENED if opened else "", start))
        return self._rows

    def _closes_something(self, token: int) -> bool:
        if token not in self._closes:
            self._closes[token] = "}" in self._decoded([token])
        return self._closes[token]

    def _decoded(self, tokens: list[int]) -> str:
        # With special tokens: some models mark their thinking with them.
        return str(self._tokenizer.decode(tokens, skip_special_tokens=False)) if tokens else ""


@contextmanager
def stopping(model: Any, tokenizer: Any, sentences: Sequence[int]) -> Iterator[None]:  # noqa: ANN401
    """Let ``model.generate`` end each row when its label dictionary is complete.

    Thinking before the dictionary, fences and words are read on; what follows the dictionary is
    not written. Rows of beams are left alone.

    Args:
        model: A model of transformers, or one that hands its keyword arguments on to one.
        tokenizer: Its tokenizer or processor.
        sentences: How many sentences each row labels, 0 for a row that labels nothing.
    """
    own = vars(model).get("generate")
    generate = model.generate

    def ending(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        ids = kwargs.get("input_ids", kwargs.get("inputs", args[0] if args else None))
        of_text = isinstance(ids, torch.Tensor) and ids.ndim == 2
        if getattr(getattr(model, "config", None), "is_encoder_decoder", False):
            of_text = False  # these are the encoder's
        prompt = ids.shape[1] if of_text and ids is not None else 0
        complete = LabelsComplete(tokenizer, sentences, prompt)
        given = kwargs.pop("stopping_criteria", None) or []
        kwargs["stopping_criteria"] = StoppingCriteriaList([*given, complete])
        return generate(*args, **kwargs)

    model.generate = ending
    try:
        yield
    finally:
        if own is None:
            del model.generate
        else:
            model.generate = own
