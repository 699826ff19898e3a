"""Write the generated tables of the docs; ``--check`` only tells whether they are up to date."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import yaml

from vidomni_plugin.labels import REASONS

DOCS = Path(__file__).parent
ROOT = DOCS.parent
TASKS = ROOT / "lmms_eval_tasks"
PROMPTS = {
    "verification prompt": "vidomni/prompts/verification.txt",
    "judge prompt": "vidhalloc/prompts/judge.txt",
}
SHOWS = {
    "vidomni": "all video-caption pairs, without sound",
    "vidomni_av": "the same, with sound",
    "vidomni_mini": "built-in sample: 24 pairs, without sound",
    "vidhalloc": "all pairs of the release",
    "vidhalloc_eval": "the paper's evaluation set (Eval_set and Test_set)",
    "vidhalloc_qa": "video question answering pairs",
    "vidhalloc_caption": "video captioning pairs",
    "vidhalloc_mini": "built-in sample: 40 pairs",
}


class _Loader(yaml.SafeLoader):
    """Reads the host's YAML; a ``!function`` is its name."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    return loaded


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _tasks() -> str:
    rows = []
    for path in sorted(TASKS.glob("*/*.yaml")):
        task = _load(path)
        rows.append((f"`{task['task']}`", SHOWS[task["task"]], f"`{task['process_docs']}`"))
    return _table(("task", "documents", "made by"), rows)


def _metrics(template: str) -> str:
    rows = [
        (f"`{metric['metric']}`", "higher" if metric["higher_is_better"] else "lower")
        for metric in _load(TASKS / template)["metric_list"]
    ]
    return _table(("metric", "better"), rows)


def _sound() -> str:
    parts = []
    for file, task in (("_no_sound_yaml", "vidomni"), ("_with_sound_yaml", "vidomni_av")):
        names: dict[str, list[str]] = {}
        for name, given in _load(TASKS / "vidomni" / file)["lmms_eval_specific_kwargs"].items():
            names.setdefault(given["sound"], []).append("all others" if name == "default" else name)
        rows = [(f"`{sound}`", ", ".join(sorted(who))) for sound, who in sorted(names.items())]
        parts.append(f"`{task}`:\n\n" + _table(("sound", "runners"), rows))
    return "\n\n".join(parts)


def _reasons() -> str:
    return _table(("reason", "meaning"), [(f"`{k}`", v) for k, v in REASONS.items() if k])


def _prompt(name: str) -> str:
    text = (ROOT / "vidomni_plugin" / PROMPTS[name]).read_text(encoding="utf-8").rstrip("\n")
    return f"```\n{text}\n```"


def tables() -> dict[str, str]:
    """Return every generated part by its name."""
    return {
        "tasks": _tasks(),
        "vidomni metrics": _metrics("vidomni/_vidomni_template_yaml"),
        "vidhalloc metrics": _metrics("vidhalloc/_vidhalloc_template_yaml"),
        "sound": _sound(),
        "reasons": _reasons(),
        **{name: _prompt(name) for name in PROMPTS},
    }


def filled(text: str, parts: dict[str, str]) -> str:
    """Return a page with its generated parts as they should be."""

    def fill(found: re.Match[str]) -> str:
        return f"{found[1]}\n\n{parts[found[2]]}\n\n<!-- end -->"

    return re.sub(r"(<!-- generated: ([\w ]+) -->).*?<!-- end -->", fill, text, flags=re.DOTALL)


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` return 1 if one of them is stale."""
    parts = tables()
    stale = 0
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = filled(text, parts)
        if new != text and "--check" in arguments:
            print(f"{page.name} is out of date: run python docs/build.py")
            stale = 1
        elif new != text:
            page.write_text(new, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
