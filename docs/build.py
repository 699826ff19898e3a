"""Write the generated tables of the docs; ``--check`` only tells whether they are up to date."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from vidomni_plugin.build.pairs.contracts import reasons as pair_reasons
from vidomni_plugin.build.pairs.contracts.roles import Role
from vidomni_plugin.build.pairs.estimate import estimate, rough
from vidomni_plugin.build.pairs.policy.policy import load_policy
from vidomni_plugin.build.pairs.settings import PairSettings
from vidomni_plugin.build.pairs.videos import VideoFile
from vidomni_plugin.build.pool import reasons as pool_reasons
from vidomni_plugin.commands.pairs_tables import estimate_table
from vidomni_plugin.data.checks.registry import Check, all_checks
from vidomni_plugin.data.fetch.reasons import REASONS as FETCH_REASONS
from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.labels import REASONS
from vidomni_plugin.tables import shown
from vidomni_plugin.vidhalloc import metrics as vidhalloc_metrics
from vidomni_plugin.vidhalloc import task as vidhalloc_task
from vidomni_plugin.vidomni import caption_metrics, caption_task
from vidomni_plugin.vidomni import metrics as vidomni_metrics
from vidomni_plugin.vidomni import task as vidomni_task
from vidomni_plugin.vidomni.caption_reading import FAULTS

DOCS = Path(__file__).parent
ROOT = DOCS.parent
TASKS = ROOT / "lmms_eval_tasks"
PROMPTS = {
    "verification prompt": "vidomni/prompts/verification.txt",
    "judge prompt": "vidhalloc/prompts/judge.txt",
    **{f"captioning prompt {k}": f"vidomni/prompts/captioning_{k}.txt" for k in range(1, 6)},
}
EXAMPLE = {
    "example set-up": "setup.cfg",
    "example manifests": "my_models/__init__.py",
    "example model": "my_models/constant.py",
}
SHOWS = {
    "vidomni": "all video-caption pairs, without sound",
    "vidomni_av": "the same, with sound",
    "vidomni_mini": "built-in sample: {count} pairs, without sound",
    "vidomni_caption": "all videos once, without sound; a dense caption is asked for",
    "vidomni_caption_av": "the same, with sound",
    "vidomni_caption_mini": "built-in sample: {videos} videos, without sound",
    "vidhalloc": "all pairs of the release",
    "vidhalloc_eval": "the paper's evaluation set (Eval_set and Test_set)",
    "vidhalloc_qa": "video question answering pairs",
    "vidhalloc_caption": "video captioning pairs",
    "vidhalloc_mini": "built-in sample: {count} pairs",
}
SAMPLES = {
    "vidomni_mini": "vidomni/pairs.jsonl",
    "vidomni_caption_mini": "vidomni/pairs.jsonl",
    "vidhalloc_mini": "vidhalloc/Datasets/2000_Orign/2000_Orign.jsonl",
}
STRATA = {
    None: "all pairs",
    "flawed": "pairs with an Incorrect sentence",
    "answered": "pairs whose request did not fail",
    "type1": "type 1, Static World",
    "type2": "type 2, Body Motion",
    "type3": "type 3, Hand-Object Interaction",
    "type4": "type 4, Crowd Action",
    "type5": "type 5, Multi-Scene Dynamics",
    "short": "videos up to 180 s",
    "medium": "videos between short and long",
    "long": "videos from 1,800 s",
}
OF_A_PAIR = {"f1": "F1", "precision": "precision", "recall": "recall"}
VIDOMNI_OTHERS = {
    "micro_f1": ("F1 of the counts of all pairs together", "all pairs"),
    "unlabelled": ("share of sentences without a label", "sentences with a gold label"),
    "failed": ("number of pairs whose request failed", "all pairs"),
    "missing": ("number of pairs left out: no usable video", "-"),
}
CAPTIONING = {
    "words": ("mean number of words of a caption", "captions that are not empty"),
    "sentences": ("mean number of sentences of a caption", "captions that are not empty"),
    "empty": ("share of answers without a caption", "all answers"),
    "suspect": ("share of answers whose caption has a fault, e.g. is cut off", "all answers"),
    "missing": ("number of videos left out: not usable", "-"),
}
CATEGORIES = {
    "eeh": "Entity Existence",
    "ech": "Entity Category",
    "eqh": "Entity Quantity",
    "avh": "Attribute Value",
    "srh": "Static Relation",
    "aph": "Action Predicate",
    "trh": "Temporal Relation",
    "cph": "Camera Predicate",
}
VIDHALLOC_OTHERS = {
    "factual": ("share of pairs whose factual answer is accepted", "whole pairs"),
    "counterfactual": ("share of pairs whose counterfactual answer is rejected", "whole pairs"),
    "overall_answered": (
        "share of pairs with both answers right",
        "whole pairs of which no request failed",
    ),
    "auroc": (
        "AUROC x 100 of a detector's scores, factual against counterfactual; -1 without scores",
        "whole pairs with two scores",
    ),
    "ranking": (
        "share of pairs whose factual answer has the higher score, ties half; -1 without scores",
        "whole pairs with two scores",
    ),
    "ties": (
        "share of pairs whose two answers have the same score; -1 without scores",
        "whole pairs with two scores",
    ),
    "undecided": ("share of answers without a verdict", "all answers"),
    "failed": ("number of answers whose request failed", "all answers"),
    "incomplete": ("number of pairs with one answer only", "-"),
    "missing": ("number of pairs left out: no usable video", "-"),
}
PROBLEMS = {
    "no-data": "nothing at this place; every place that was searched is listed",
    **{known.code: known.meaning for known in all_checks().values() if known.gate},
    "video-metadata": all_checks()["video-metadata"].meaning,
    "certificate": "an interval of `vidomni data stats` that fits no labelled sentence of the data",
    "spacy": "spaCy, its model, or a part of the model that Table 10 needs is not there",
    "no-gold": "a run whose sentences are all Unknown: nothing can be right or wrong",
    "no-folder": "a folder that cannot be written",
    "empty": "a file of responses or samples without a line",
    "json": "a line that is not whole JSON: the file was cut off or edited",
    "response": "a line that is no recorded response, or a second response for one id",
    "sample": "a line that is no sample of one of these tasks, or lacks a field",
    "missing-response": "requests that the file of responses, or the journal, has no answer to",
    "locked": "another command works in the same folder",
    "usage": "an argument, a variable or a task that cannot be used so",
    "mixed-settings": "answers of two detectors, or of one with two settings, in one run",
    "threshold-overlap": "videos to be judged are among those that the threshold was chosen on",
    "threshold": "a threshold that is no number, no published one and no calibration; a NaN score",
    "statement": "a file or line of statements that cannot be used; an answer without one",
    "weights": "a model or a checkpoint of a detector that cannot be loaded, or does not fit",
    "yes-no-tokens": "a model whose tokenizer has no tokens that tell Yes from No",
    "split": "calibration and evaluation that share a video, or pairs that are in neither",
    "leak": "a pair, video, content or recording that a release would have in two splits",
    "empty-pool": "a pool that no video is left in",
    "changed-video": "a video that is another file than the one that pairs were made of",
    "mapping": "an entry of a mapping file that is wrong, or that does not fit the data",
    "unreadable": "a file that is not what its ending or `--format` says, or that cannot be read",
    "unmapped": "a row that belongs to a pair, and it is not known to which",
    "no-captions": "samples files in which no answer holds a caption",
    "exists": "records, a report or other files are there already, and would have been replaced",
    "annotators": "an entry of an annotators' file that is wrong",
    "plan": "a plan of an annotation that is not whole, or whose numbers cannot be met",
    "unknown-video": "a video that the manifest, or the folder of videos, does not have",
    "export": "an export of Label Studio, or a task in it, that cannot be read",
    "span": "marked words of stage 2 that are not in their sentence, or of no known category",
    "unknown-pair": "a pair that is not in the plan",
    "changed-sentences": "a task whose sentences are not those of the plan",
    "unknown-annotator": "an account of Label Studio that is not in the annotators' file",
    "not-assigned": "an annotation of somebody whom the plan did not give this pair",
    "two-annotations": "two versions of one annotation, and it cannot be told which is the later",
    "decision": "a row of `adjudicate.csv` that cannot be used",
    "too-few": "a category with fewer pairs, or judged items, than an audit needs",
    "not-judged": "an item of an audit that one of the three people did not judge",
    "judged-twice": "two annotations of an audit by one person on one item",
    "unknown-item": "an item that is not in the sample of the audit",
    "changed-item": "a task of an audit whose texts or batch are not those of the sample",
    "undecided": "a sentence without a majority and without a decision",
    "unfinished": "a pair that was not judged by two annotators, one of them trusted",
    "skipped": "note: an annotator skipped the task",
    "draft": "note: work that was not submitted",
    "no-label": "note: an annotation without any label",
    "missing-label": "note: a sentence that an annotator left without a label",
    "replaced": "note: an earlier annotation of an annotator who judged the pair again",
    "same-annotation": "note: an annotation that is in two exports",
    "no-run": "a folder without results and samples files of the host",
    "no-samples": "results without samples: only the host's scores are known",
    "no-results": "samples without the results file of their run: its settings are not known",
    "limited": "warning: a run over some of the documents (`--limit`, `--offset`), or a log in "
    "which these are no numbers",
    "no-answers": "a model that gives nothing but useless answers, or fails at every video",
    "other-settings": "runs at different settings, which are not one run",
    "questions": "an entry of a question bank that cannot be used",
    "failed-request": "requests that the model never answered; scores count them as not answered",
    "cut-short": "fewer samples can be used than the host evaluated",
    "scores-only": "a detector's run without a threshold: AUROC and Ranking, and no accuracy",
    "unparsed": "warning: a quarter of the answers or more hold no label or verdict",
    "incomplete": "pairs of VidHalLoc with one answer only; they are in no score",
    "other-score": "scores of a results file that its samples do not give",
    "different-settings": "warning: runs of a task with other data, prompt, version or generation",
    "same-answers": "warning: two runs of one task with the same answers to all items",
}
"""Meaning of every code that stands in brackets behind a problem."""


class _Loader(yaml.SafeLoader):
    """Reads the host's YAML; a ``!function`` is its name."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    return loaded


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _tasks() -> str:
    rows = []
    for path in sorted(TASKS.glob("*/*.yaml")):
        task = _load(path)
        shown = SHOWS[task["task"]]
        if sample := SAMPLES.get(task["task"]):
            lines = (ROOT / "vidomni_plugin/data/mini" / sample).read_bytes().splitlines()
            videos = {json.loads(line).get("video_id") for line in lines}
            shown = shown.format(count=len(lines), videos=len(videos))
        rows.append((f"`{task['task']}`", shown, f"`{task['process_docs']}`"))
    return _table(("task", "documents", "made by"), rows)


def _metrics(template: str, known: Sequence[str], meaning: dict[str, tuple[str, str]]) -> str:
    """Return the table of a task's metrics; YAML, module and meanings must name the same."""
    listed = {m["metric"]: m["higher_is_better"] for m in _load(TASKS / template)["metric_list"]}
    if not listed.keys() == set(known) == meaning.keys():
        raise ValueError(f"{template}, METRICS and docs/build.py name different metrics")
    better = {True: "higher", False: "lower", None: "-"}
    rows = [(f"`{name}`", *meaning[name], better[listed[name]]) for name in known]
    return _table(("metric", "value", "over", "better"), rows)


def _vidomni_metrics() -> str:
    means = {
        name: (f"mean {OF_A_PAIR[score]} of a pair", STRATA[stratum])
        for name, (score, stratum) in vidomni_metrics.MEANS.items()
    }
    template = "vidomni/_vidomni_template_yaml"
    return _metrics(template, vidomni_metrics.METRICS, means | VIDOMNI_OTHERS)


def _vidhalloc_metrics() -> str:
    shares = {}
    for name, members in vidhalloc_metrics.GROUPS.items():
        of = "" if name == "overall" else f" of {', '.join(CATEGORIES[m] for m in members)}"
        shares[name] = ("share of pairs with both answers right", f"whole pairs{of}")
    template = "vidhalloc/_vidhalloc_template_yaml"
    return _metrics(template, vidhalloc_metrics.METRICS, shares | VIDHALLOC_OTHERS)


def _captioning_metrics() -> str:
    template = "vidomni/_vidomni_caption_template_yaml"
    return _metrics(template, caption_metrics.METRICS, CAPTIONING)


def _fields() -> str:
    """Return the fields of the items that carry the whole detail, as the tasks make them."""
    vidomni = dict.fromkeys(vidomni_task.IN_DETAIL) | {"gold": [0], "duration_s": 1.0}
    vidhalloc = dict.fromkeys(vidhalloc_task.IN_DETAIL) | {"side": "factual"}
    caption = dict.fromkeys(caption_task.IN_DETAIL) | {"caption_prompt": 1}
    items = {
        "`f1` of the VidOmni tasks": vidomni_task.process_results(vidomni, [""])["f1"],
        "`overall` of the VidHalLoc tasks": vidhalloc_task.process_results(vidhalloc, [""])[
            "overall"
        ],
        "`words` of the captioning tasks": caption_task.process_results(caption, [""])["words"],
    }
    return _table(
        ("item", "fields"), [(k, ", ".join(f"`{name}`" for name in v)) for k, v in items.items()]
    )


def _problems() -> str:
    sources = (ROOT / "vidomni_plugin").rglob("*.py")
    codes = {
        code
        for path in sources
        for code in re.findall(r'\bProblem\(\s*"([a-z-]+)"', path.read_text(encoding="utf-8"))
    }
    if codes != PROBLEMS.keys():
        odd = ", ".join(sorted(codes ^ PROBLEMS.keys()))
        raise ValueError(f"the code and docs/build.py name different problems: {odd}")
    return _table(("code", "meaning"), [(f"`{k}`", v) for k, v in PROBLEMS.items()])


CHECKS_OF = {
    "These also stop a run": lambda known: known.gate,
    "Both benchmarks": lambda known: not known.gate and len(known.benchmarks) > 1,
    "VidHalLoc": lambda known: known.benchmarks == ("vidhalloc",),
    "VidOmni": lambda known: known.benchmarks == ("vidomni",),
}
"""Which checks stand under which heading."""


def _check(known: Check) -> tuple[str, ...]:
    severity = f"{known.severity}, whole release only" if known.of_release else known.severity
    fix = f" `--fix` {known.fix}." if known.fix else ""
    meaning = known.meaning[0].upper() + known.meaning[1:]
    hint = known.hint[0].upper() + known.hint[1:]
    return f"`{known.code}`", severity, meaning, f"{hint}.{fix}"


def _checks() -> str:
    head = ("code", "severity", "what is wrong", "what to do")
    return "\n\n".join(
        f"### {title}\n\n" + _table(head, [_check(c) for c in all_checks().values() if chosen(c)])
        for title, chosen in CHECKS_OF.items()
    )


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


def _fetch_reasons() -> str:
    rows = [
        (f"`{r.value}`", f"the video is {w.meaning}", w.way_out) for r, w in FETCH_REASONS.items()
    ]
    return _table(("reason", "meaning", "way out"), rows)


PAIR_STAGES = {
    "HCR": "HCR, category retrieval: the planner's rows",
    "FER": "FER, extraction and reflection: the fact",
    "allocation": "Allocation: which fact is worked on",
    "GVP": "GVP, generation and verification: the two answers",
    "CRV": "CRV, reliability validation: the monitor's last look",
    "commit": "Commit",
    "call": "Calls of a model",
}
"""Headings of the stages of ``vidomni build pairs``."""


def _pair_reasons() -> str:
    if PAIR_STAGES.keys() != {told.stage for told in pair_reasons.MEANINGS.values()}:
        raise ValueError("the code and docs/build.py name different stages of build pairs")
    parts = []
    for stage, heading in PAIR_STAGES.items():
        rows = [
            (f"`{reason.value}`", told.kind, told.text)
            for reason, told in pair_reasons.MEANINGS.items()
            if told.stage == stage
        ]
        parts.append(f"### {heading}\n\n{_table(('reason', 'class', 'meaning'), rows)}")
    return "\n\n".join(parts)


def _pool_reasons() -> str:
    told = pool_reasons.MEANINGS.items()
    rows = [(f"`{reason.value}`", meaning.stage, meaning.text) for reason, meaning in told]
    return _table(("reason", "stage", "meaning"), rows)


PAIR_COSTS: dict[str, dict[str, Any]] = {
    "as above": {},
    "half as many frames: `--fps 0.5 --camera-fps 2`": {"media": {"fps": 0.5, "camera_fps": 2.0}},
    "larger frames: `--long-side 1024`": {"media": {"long_side": 1024}},
    "one pair a video: `--per-video 1`": {"pairs_per_video": 1},
    "800 pairs: `--target 800`": {"target": 800},
}
"""What the tutorial of ``vidomni build pairs`` shows the cost of."""


def _pair_costs() -> dict[str, str]:
    """Return the estimates of the tutorial, as the command's ``--dry-run`` computes them."""
    path = Path("clip.mp4")
    clips = [
        VideoFile(f"clip_{k}", path, f"{k:064x}", 20.0, 30.0, True, f"clip_{k}", "video_qa")
        for k in range(2400)
    ]
    prices = Prices(0.4, 0.1, 1.6)
    models = dict.fromkeys(Role, "some-model")
    found = {
        name: estimate(
            clips,
            PairSettings.model_validate({"models": models, **changes}),
            load_policy(),
            prices=prices,
        )
        for name, changes in PAIR_COSTS.items()
    }
    first = estimate_table(found["as above"], prices)
    columns = [k for k, column in enumerate(first.columns) if column.title != "model"]
    cells = [
        [shown(row[k], first.columns[k], thousands=",") for k in columns] for row in first.rows
    ]
    heads = tuple(first.columns[k].title for k in columns)
    rows = [
        (
            name,
            f"{one.videos:,}",
            *(f"{int(rough(n)):,}" for n in (one.calls, one.tokens, one.cost or 0)),
        )
        for name, one in found.items()
    ]
    return {
        "pair costs": _table(heads, [tuple(row) for row in cells]),
        "pair cost choices": _table(("choice", "videos", "calls", "tokens", "USD"), rows),
    }


def _quoted(path: Path, language: str = "") -> str:
    text = path.read_text(encoding="utf-8").rstrip("\n")
    return f"```{language}\n{text}\n```"


def tables() -> dict[str, str]:
    """Return every generated part by its name."""
    return {
        "tasks": _tasks(),
        "vidomni metrics": _vidomni_metrics(),
        "vidhalloc metrics": _vidhalloc_metrics(),
        "captioning metrics": _captioning_metrics(),
        "caption faults": _table(("fault", "meaning"), [(f"`{k}`", v) for k, v in FAULTS.items()]),
        "fields": _fields(),
        "sound": _sound(),
        "reasons": _reasons(),
        "problems": _problems(),
        "checks": _checks(),
        "fetch reasons": _fetch_reasons(),
        "pair reasons": _pair_reasons(),
        "pool reasons": _pool_reasons(),
        **_pair_costs(),
        **{name: _quoted(ROOT / "vidomni_plugin" / path) for name, path in PROMPTS.items()},
        **{
            name: _quoted(DOCS / "example_model" / path, "python" if path.endswith("py") else "ini")
            for name, path in EXAMPLE.items()
        },
    }


def filled(text: str, parts: dict[str, str]) -> str:
    """Return a page with its generated parts as they should be."""

    def fill(found: re.Match[str]) -> str:
        if found[2] not in parts:
            raise ValueError(f"no generated part is called {found[2]!r}")
        return f"{found[1]}\n\n{parts[found[2]]}\n\n<!-- end -->"

    return re.sub(r"(<!-- generated: ([\w -]+) -->).*?<!-- end -->", fill, text, flags=re.DOTALL)


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
