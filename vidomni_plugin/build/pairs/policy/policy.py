"""All texts that decide what the roles do, read once, with one hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import yaml

from vidomni_plugin.build.pairs.contracts.leaves import LEAVES
from vidomni_plugin.build.pairs.contracts.roles import REPLIES
from vidomni_plugin.build.pairs.policy.bank import QuestionBank, read_bank
from vidomni_plugin.endpoint.schema import strict_schema
from vidomni_plugin.records import Leaf

__all__ = ["DEFAULT_BANK", "Policy", "load_policy"]

_ROOT = Path(str(files("vidomni_plugin.build.pairs.policy")))
DEFAULT_BANK = _ROOT / "questions.yaml"
"""Our own questions."""
_ROLE_TEXTS = (
    *("planner", "extractor", "reflector", "generator", "verifier", "comparer", "monitor"),
    "focused",
)


@dataclass(frozen=True, slots=True)
class Policy:
    """The two layers of memory, the instructions of the roles, and the questions."""

    cognitive: str
    """What holds for everybody (the paper's systematic cognitive memory)."""
    categorical: Mapping[Leaf, Mapping[str, str]]
    """Definition, boundary and so on of each leaf (the paper's categorical memory)."""
    roles: Mapping[str, str]
    bank: QuestionBank
    digest: str
    """Hash of all of it, and of the shapes of the replies; it is part of a run's signature."""


def load_policy(bank: Path | None = None) -> Policy:
    """Return the policy of this version, with questions of one's own where a bank is named.

    Raises:
        InputProblems: If the bank cannot be used.
    """
    cognitive = (_ROOT / "memory" / "cognitive.md").read_text(encoding="utf-8")
    listed = yaml.safe_load((_ROOT / "memory" / "categorical.yaml").read_text(encoding="utf-8"))
    categorical = {
        leaf: {key: " ".join(text.split()) for key, text in listed[leaf.value].items()}
        for leaf in LEAVES
    }
    roles = {
        name: (_ROOT / "roles" / f"{name}.md").read_text(encoding="utf-8") for name in _ROLE_TEXTS
    }
    questions = read_bank(bank or DEFAULT_BANK)
    told = {
        "cognitive": cognitive,
        "categorical": {leaf.value: texts for leaf, texts in categorical.items()},
        "roles": roles,
        "bank": questions.model_dump(),
        "replies": [strict_schema(model) for model in REPLIES],
    }
    content = json.dumps(told, sort_keys=True, ensure_ascii=False).encode()
    digest = hashlib.sha256(content).hexdigest()
    return Policy(cognitive, categorical, roles, questions, digest)
