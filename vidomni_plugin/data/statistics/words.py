"""What captions say, counted with spaCy (VidOmni Table 10)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from vidomni_plugin.data.memory import Memory, memory
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["INFORMATIVE", "SpacyCounts", "count_doc", "count_texts", "load_pipeline"]

INFORMATIVE = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "ADP"})
"""Parts of speech (Universal Dependencies) of an information unit: a word that names a thing,
an action, a property, a number or a relation. Our reading; the paper does not define it."""
NOT_NEEDED = ("ner", "entity_ruler", "entity_linker", "lemmatizer", "textcat")
"""Components of usual pipelines that change none of the counts."""
PROBE = "A person walks past the red house."
"""A text that shows what a pipeline can do before hours go into it."""
_PACKAGE = re.compile(r"\w+")
"""How models are called that can be installed; anything else is a place on this machine."""
BATCH = 32
"""Captions that are parsed together; from more on there is a progress bar."""
FORMAT = 1
"""Raise it when a count changes its meaning; what was remembered is then forgotten."""


@dataclass(frozen=True, slots=True)
class SpacyCounts:
    """Counts of one caption."""

    information_units: int
    noun_chunks: int
    verbs: int
    """Tokens tagged VERB; auxiliaries (AUX) are none."""


def load_pipeline(name: str) -> Any:  # noqa: ANN401 - spaCy may not be there to name its type
    """Return the spaCy pipeline that the user named, if it can give all three counts.

    Args:
        name: An installed model package, or a folder that holds a pipeline.

    Raises:
        InputProblems: If spaCy or the model is not there, or the pipeline does not set parts
            of speech and a dependency parse; says what to install.
    """
    try:
        import spacy
    except ImportError:
        raise _unusable(name, "spaCy is not installed", "pip install 'spacy>=3.7'") from None
    try:
        pipeline = spacy.load(name, exclude=list(NOT_NEEDED))
    except (OSError, ImportError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        is_name = _PACKAGE.fullmatch(name) is not None
        hint = (
            f"install the model: python -m spacy download {name}, or pip install a package or "
            "name a folder that holds it"
            if is_name
            else "name a folder that holds a spaCy pipeline (config.cfg), or an installed model"
        )
        raise _unusable(name, f"the model cannot be loaded: {reason}", hint) from None
    probe = pipeline(PROBE)
    if not probe.has_annotation("POS"):  # tags of a treebank alone (TAG) are not what is counted
        raise _unusable(name, "the pipeline sets no parts of speech", _OTHER_MODEL)
    if not probe.has_annotation("DEP"):
        raise _unusable(name, "the pipeline has no parser, which noun chunks need", _OTHER_MODEL)
    try:
        list(probe.noun_chunks)
    except NotImplementedError:
        language = pipeline.lang
        raise _unusable(
            name, f"spaCy has no noun chunks for the language {language!r}", _OTHER_MODEL
        ) from None
    return pipeline


_OTHER_MODEL = "name a model with a tagger and a parser, such as en_core_web_sm"


def _unusable(name: str, reason: str, hint: str) -> InputProblems:
    return InputProblems("words of captions", [Problem("spacy", name, reason, hint)])


def count_doc(doc: Any) -> SpacyCounts:  # noqa: ANN401 - a spacy.tokens.Doc
    """Count one parsed caption."""
    return SpacyCounts(
        information_units=sum(token.pos_ in INFORMATIVE for token in doc),
        noun_chunks=sum(1 for _ in doc.noun_chunks),
        verbs=sum(token.pos_ == "VERB" for token in doc),
    )


def count_texts(pipeline: Any, texts: Mapping[str, str]) -> dict[str, SpacyCounts]:  # noqa: ANN401
    """Count captions, remembering each in ``<home>/words.json``: a stopped count goes on later.

    Args:
        pipeline: From ``load_pipeline``.
        texts: Caption by pair id.

    Returns:
        Counts by pair id.

    Raises:
        InputProblems: If a caption is longer than the pipeline takes.
    """
    long = [pair_id for pair_id, text in texts.items() if len(text) > pipeline.max_length]
    if long:
        hint = f"the model takes {pipeline.max_length:,} characters at most"
        raise InputProblems(
            "words of captions",
            [Problem("spacy", pair_id, "the caption is too long", hint) for pair_id in long],
        )
    identity = _identity(pipeline)
    keys = {pair_id: f"{identity} {_hash(text.encode())}" for pair_id, text in texts.items()}
    counts: dict[str, SpacyCounts] = {}
    with memory("words", _valid) if identity else nullcontext(Memory(None, {})) as kept:
        todo = {}
        for pair_id, key in keys.items():
            if found := kept.get(key):
                counts[key] = SpacyCounts(**found)
            else:
                todo[key] = texts[pair_id]
        for key, counted in _counted(pipeline, todo):
            counts[key] = counted
            kept.keep(key, asdict(counted))
    return {pair_id: counts[key] for pair_id, key in keys.items()}


def _counted(pipeline: Any, todo: Mapping[str, str]) -> Iterator[tuple[str, SpacyCounts]]:  # noqa: ANN401
    from rich.console import Console
    from rich.progress import track

    docs = track(
        pipeline.pipe(todo.values(), batch_size=BATCH),
        total=len(todo),
        description="parsing captions",
        console=Console(stderr=True),
        disable=len(todo) <= BATCH,
    )
    for key, doc in zip(todo, docs, strict=True):
        yield key, count_doc(doc)


def _identity(pipeline: Any) -> str | None:  # noqa: ANN401
    """Return what changes with the pipeline's weights and with spaCy.

    None where that cannot be told: a component that is a plain function has no weights to hash.
    """
    import spacy

    if not all(hasattr(component, "to_bytes") for _, component in pipeline.pipeline):
        return None
    names = json.dumps([FORMAT, spacy.__version__, pipeline.lang, pipeline.pipe_names])
    # The vocabulary grows with every text; of it only the vectors decide anything.
    weights = pipeline.to_bytes(exclude=["vocab"]) + pipeline.vocab.vectors.data.tobytes()
    return _hash(names.encode() + weights)[:32]


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _valid(entry: object) -> bool:
    fields = set(SpacyCounts.__slots__)
    return (
        isinstance(entry, dict)
        and set(entry) == fields
        and all(type(number) is int for number in entry.values())
    )
