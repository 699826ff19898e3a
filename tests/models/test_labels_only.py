"""Answers that end with their labels have the labels that they would have had in full.

A tiny model of transformers, whose scores are forced, spells the given answers.
"""

import random
import time

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedTokenizerFast,
)

from vidomni_plugin.labels import parse_sentence_labels
from vidomni_plugin.models.labels_only import LabelsComplete, labels_complete, stopping

SEED = 20261130
CASES = 240
BATCH = 80
MARKS = ["<|pad|>", "<|end|>", "<|user|>", "<|assistant|>", "<|channel|>", "<|message|>"]
PROMPT = "<|user|>Label every sentence with 0 or 1.<|assistant|>"
KEYS = ("sentence_{}", "Sentence {}", "S{}", "sentence_0{}", "{}", "Sentence {}: A man walks.")
WORDS = {0: ("Faithful", "Correct", "supported"), 1: ("Hallucinated", "Incorrect", "not supported")}
PLACES = ("in the kitchen", "on the red {chair}", "beside the “old” dog", "after 3 seconds")
"""Ends of reasons; braces and quotes in them close nothing."""


def dictionary(draw, labels, *, n=None):
    """Write labels as some model might."""
    key = draw.choice(KEYS)
    spelled = draw.random() < 0.3
    quote = draw.choice(['"', "'"])
    pairs = []
    for k, label in enumerate(labels[: n or len(labels)], 1):
        value = (
            f'"{draw.choice(WORDS[label])}"' if spelled else draw.choice([f"{label}", f'"{label}"'])
        )
        pairs.append(f"{quote}{key.format(k)}{quote}: {value}")
    style = draw.randrange(3)
    if style == 0:
        return "{" + ", ".join(pairs) + "}"
    if style == 1:
        return "{\n  " + ",\n  ".join(pairs) + "\n}"
    return '{"labels": {' + ", ".join(pairs) + "}}"


def reasons(draw, labels):
    lines = [
        f"Sentence {k}: this is {'shown' if label == 0 else 'not shown'} {draw.choice(PLACES)}."
        for k, label in enumerate(labels, 1)
    ]
    return "\n\nReasons:\n" + "\n".join(lines)


def nested(labels):
    """Labels and reasons in one dictionary of dictionaries."""
    inner = (
        f'"sentence_{k}": {{"label": {label}, "reason": "the man {PLACES[k % 2]}"}}'
        for k, label in enumerate(labels, 1)
    )
    return "{" + ", ".join(inner) + "}"


def reasoned(labels):
    """Labels with their reason in one value."""
    pairs = (f'"sentence_{k}": "{label} - {PLACES[k % 2]}"' for k, label in enumerate(labels, 1))
    return "{" + ", ".join(pairs) + "}"


def answer(draw, n):
    """Return one answer about n sentences and what it is an example of."""
    labels = [draw.randrange(2) for _ in range(n)]
    other = [1 - label for label in labels]
    kind = draw.choice(
        ["plain", "reasons", "thinking", "nested", "reasoned", "short", "never", "lone close"]
    )
    text = ""
    if kind == "thinking":
        text += f"<think>At first I say {dictionary(draw, other)}. But no.</think>\n"
    if kind == "lone close":  # the tag that opens the thinking stands in the prompt
        text += f"I would say {dictionary(draw, other)} but no.</think>\n"
    if draw.random() < 0.3:
        text += "I watched the video twice. My labels follow:\n"
    if kind == "short":
        return text + dictionary(draw, labels, n=n - 1) + reasons(draw, labels[:-1]), kind
    if kind == "never":
        return text + dictionary(draw, labels).rstrip("}\n ") + ",", kind
    fence = draw.random() < 0.4
    within = {"nested": nested, "reasoned": reasoned}.get(kind)
    body = within(labels) if within else dictionary(draw, labels)
    text += f"```json\n{body}\n```" if fence else body
    if kind in ("reasons", "thinking", "lone close") or draw.random() < 0.5:
        text += reasons(draw, labels)
    return text, kind


def generated():
    draw = random.Random(SEED)
    cases = []
    for _ in range(CASES):
        n = draw.randrange(2, 6)
        cases.append((*answer(draw, n), n))
    return cases


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """A tiny model: more threads cost time."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def words():
    """A byte-level tokenizer; several of its tokens hold a brace and more."""
    base = Tokenizer(models.BPE())
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    base.train_from_iterator([text for text, _, _ in generated()], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=base,
        eos_token="<|end|>",
        pad_token="<|pad|>",
        additional_special_tokens=MARKS,
    )


@pytest.fixture(scope="module")
def model(words):
    torch.manual_seed(SEED)
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=4096,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    return AutoModelForCausalLM.from_config(config).eval()


class Spells(LogitsProcessor):
    """Forces each row to its text, and then to the end token."""

    def __init__(self, words, texts, prompt):
        self.prompt = prompt
        self.rows = [[*words.encode(text), words.eos_token_id] for text in texts]

    def __call__(self, input_ids, scores):
        at = input_ids.shape[1] - self.prompt
        per_text = len(input_ids) // len(self.rows)
        tokens = [row[min(at, len(row) - 1)] for row in self.rows for _ in range(per_text)]
        forced = torch.full_like(scores, -torch.inf)
        return forced.scatter_(1, torch.tensor(tokens)[:, None], 0.0)


def spell(model, words, texts, *, prompt=PROMPT, **settings):
    """Return the new tokens of each row, without padding."""
    prompts = words([prompt] * len(texts), return_tensors="pt")
    length = prompts["input_ids"].shape[1]
    longest = max(len(words.encode(text)) for text in texts) + 1
    spells = LogitsProcessorList([Spells(words, texts, length)])
    with torch.no_grad():
        output = model.generate(
            **prompts, max_new_tokens=longest, do_sample=False, logits_processor=spells, **settings
        )
    rows = output[:, length:].tolist()
    return [[token for token in row if token != words.pad_token_id] for row in rows]


def text_of(words, tokens):
    return words.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)


@pytest.mark.parametrize("opened", [False, True])
def test_generated_answers_keep_their_labels_and_lose_their_reasons(model, words, opened):
    """The prompt of the second half opens the thinking, as some chat templates do."""
    cases = [case for case in generated() if (case[1] == "lone close") == opened]
    prompt = PROMPT + "<think>\n" if opened else PROMPT
    shorter, full_tokens, cut_tokens = 0, 0, 0
    for start in range(0, len(cases), BATCH):
        batch = cases[start : start + BATCH]
        texts = [text for text, _, _ in batch]
        with stopping(model, words, [n for _, _, n in batch]):
            outputs = spell(model, words, texts, prompt=prompt)
        for (text, kind, n), tokens in zip(batch, outputs, strict=True):
            cut, whole = text_of(words, tokens), parse_sentence_labels(text, n)
            assert text.startswith(cut)
            if not opened or "</think>" in cut:
                assert parse_sentence_labels(cut, n).labels == whole.labels, (kind, text, cut)
            stopped = len(cut) < len(text)
            shorter += stopped
            if kind in ("short", "never"):
                assert not stopped, text
            else:
                assert whole.status == "ok", text
                assert "}" in words.decode(tokens[-1:]), cut
            if "Reasons:" in text and kind not in ("short", "never"):
                full_tokens += len(words.encode(text))
                cut_tokens += len(tokens)
    assert shorter >= (20 if opened else 90)
    print(f"with reasons: {cut_tokens / full_tokens:.2f} of the tokens")
    assert cut_tokens < 0.7 * full_tokens


def test_long_answers_with_reasons_take_a_fifth_of_the_tokens(model, words):
    """26 sentences, as in the paper, and a reason of twenty words for each."""
    labels = [k % 3 == 0 for k in range(26)]
    body = "{" + ", ".join(f'"sentence_{k}": {int(v)}' for k, v in enumerate(labels, 1)) + "}"
    reason = "the man walks in the kitchen and on the red chair this is shown after three seconds"
    text = body + "\n\n" + "\n".join(f"Sentence {k}: {reason} {k}." for k in range(1, 27))
    (full,) = spell(model, words, [text])
    with stopping(model, words, [26]):
        (cut,) = spell(model, words, [text])
    assert text_of(words, full) == text
    assert text_of(words, cut) == body
    share = len(cut) / len(full)
    print(f"26 sentences: {share:.2f} of the tokens")
    assert share == pytest.approx(0.2, abs=0.01)


def test_rows_end_one_by_one(model, words):
    one, two = '{"sentence_1": 1}', '{"sentence_1": 0, "sentence_2": 1}'
    texts = [one + " The rest is long.", two + " More.", one + " More.", one + " No labels here."]
    with stopping(model, words, [1, 2, 2, 0]):
        rows = spell(model, words, texts)
    assert [text_of(words, row) for row in rows] == [one, two, texts[2], texts[3]]


def test_thinking_marked_with_special_tokens_is_thinking(model, words):
    draft, final = '{"sentence_1": 0}', '{"sentence_1": 1}'
    text = f"<|channel|>analysis<|message|>{draft}<|end|>"
    thinking = words.encode(text)
    with stopping(model, words, [1]):
        complete = LabelsComplete(words, [1], 1)
        ids = [5, *thinking]
        for end in range(2, len(ids) + 1):
            assert not complete(torch.tensor([ids[:end]]), None)[0]
        ids += words.encode(f"<|channel|>final<|message|>{final}")
        assert complete(torch.tensor([ids]), None)[0]


def test_beams_are_left_alone(model, words):
    text = '{"sentence_1": 1} because of the dog'
    with stopping(model, words, [1]):
        (row,) = spell(model, words, [text], num_beams=2)
    assert text_of(words, row) == text


def test_criteria_of_the_caller_still_count(model, words):
    text = '{"sentence_1": 1} because of the dog'

    def at_once(input_ids, scores, **_):
        return torch.ones(len(input_ids), dtype=torch.bool)

    with stopping(model, words, [1]):
        (row,) = spell(model, words, [text], stopping_criteria=[at_once])
    assert len(row) == 1


def test_embeddings_in_place_of_tokens(model, words):
    text = '{"sentence_1": 1} because'
    ids = words.encode(PROMPT)
    embedded = model.get_input_embeddings()(torch.tensor([ids]))
    spells = LogitsProcessorList([Spells(words, [text], 0)])
    with stopping(model, words, [1]), torch.no_grad():
        output = model.generate(
            inputs_embeds=embedded, max_new_tokens=60, do_sample=False, logits_processor=spells
        )
    assert text_of(words, output[0].tolist()) == '{"sentence_1": 1}'


def test_generate_is_restored(model, words):
    before = model.generate
    with stopping(model, words, [1]):
        assert model.generate != before
    with pytest.raises(ZeroDivisionError), stopping(model, words, [1]):
        1 / 0  # noqa: B018
    assert model.generate == before
    assert "generate" not in vars(model)

    class Own:
        pass

    own = Own()
    own.generate = max
    with stopping(own, words, [1]):
        assert own.generate is not max
    assert own.generate is max


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        pytest.param('{"sentence_1": 0}', 1, True, id="complete"),
        pytest.param('{"sentence_0": 0, "sentence_1": 1}', 2, True, id="counted from 0"),
        pytest.param('{"labels": [0, 1]}', 2, True, id="a list in a dictionary"),
        pytest.param('{"labels": {"sentence_1": 0}', 1, False, id="the outer one is open"),
        pytest.param('{"sentence_1": 0', 1, False, id="open"),
        pytest.param('{"sentence_1": 0} {"sentence_2": 1}', 2, False, id="two halves"),
        pytest.param('{"sentence_1": 0.5}', 1, False, id="a score"),
        pytest.param('For example {"sentence_1": 0}', 1, False, id="an example"),
        pytest.param("Sentence 1 is faithful. {x}", 1, False, id="prose and a brace"),
        pytest.param('<think>{"sentence_1": 0}', 1, False, id="thinking"),
        pytest.param('<think>a</think>{"sentence_1": 0}', 1, True, id="after thinking"),
        pytest.param("[0, 1]", 2, False, id="a bare list"),
        pytest.param("{}", 0, False, id="nothing to label"),
    ],
)
def test_when_labels_are_complete(text, n, expected):
    assert labels_complete(text, n) is expected


def test_an_answer_that_corrects_itself_keeps_its_first_dictionary(model, words):
    """docs/labels.md says so: what follows is not written."""
    first = '{"sentence_1": 0}'
    text = first + '\nCorrection: {"sentence_1": 1}'
    assert parse_sentence_labels(text, 1).labels == (1,)
    with stopping(model, words, [1]):
        (row,) = spell(model, words, [text])
    assert text_of(words, row) == first


def test_a_loop_of_braces_costs_linear_time(words):
    """Each token holds a brace, and none of them ends the answer."""
    ids = words.encode('{"sentence_1": 0}')
    brace = words.encode("}")[0]

    def seconds(tokens):
        complete = LabelsComplete(words, [2], 0)
        row = torch.tensor([[*ids, *[brace] * tokens]])
        start = time.process_time()
        for end in range(1, row.shape[1] + 1):
            complete(row[:, :end], None)
        return time.process_time() - start

    seconds(200)
    assert seconds(4000) < 3.0


def test_tokens_are_decoded_once(words):
    decoded = []

    class Counting:
        def decode(self, tokens, **settings):
            decoded.append(len(tokens))
            return words.decode(tokens, **settings)

    text = nested([0, 1] * 13) + reasons(random.Random(SEED), [0, 1] * 13)
    ids = words.encode(text)
    complete = LabelsComplete(Counting(), [26], 0)
    for end in range(1, len(ids) + 1):
        if complete(torch.tensor([ids[:end]]), None)[0]:
            break
    different = len(set(ids[:end]))
    assert end < len(ids)
    assert sum(decoded) <= end + different
