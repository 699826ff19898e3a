"""The hooks that the YAML files of the VidHalLoc tasks name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from loguru import logger

from vidomni_plugin import __version__
from vidomni_plugin.data.documents import Documents, TaskDocs
from vidomni_plugin.data.layout import Selection
from vidomni_plugin.data.load import LoadedPair, inspect_vidhalloc, usable
from vidomni_plugin.data.locate import DataRoot, locate, mini_root
from vidomni_plugin.data.sound import readable
from vidomni_plugin.detectors.answer import read_answer
from vidomni_plugin.detectors.silence import silence
from vidomni_plugin.problems import printable
from vidomni_plugin.records import CATEGORY_OF_LEAF, VidHalLocPair
from vidomni_plugin.versions import host_version
from vidomni_plugin.video.install import install
from vidomni_plugin.video.settings import check_settings
from vidomni_plugin.vidhalloc import metrics
from vidomni_plugin.vidhalloc.prompt import judge_prompt, prompt_id

Doc = Mapping[str, Any]

COLUMNS: dict[str, str | list[Any]] = {
    **dict.fromkeys(("answer_id", "pair_id", "video_id", "video", "media_digest"), "string"),
    **dict.fromkeys(("side", "category", "task_type", "question", "candidate_answer"), "string"),
    "duration_s": "float64",
    "missing": "int32",
}
IN_DETAIL = [name for name in COLUMNS if name not in {"answer_id", "video"}]
"""What a judged answer takes over from its document."""


def _rows(pair: LoadedPair[VidHalLocPair], missing: int) -> Iterator[dict[str, Any]]:
    record = pair.record
    answers = {"factual": record.answer, "counterfactual": record.counterfactual_answer}
    for side, answer in answers.items():
        yield {
            "answer_id": f"{record.pair_id}/{side}",
            "pair_id": record.pair_id,
            "video_id": record.media.video_id,
            "video": str(pair.video),
            "media_digest": pair.facts.digest,
            "side": side,
            "category": CATEGORY_OF_LEAF[record.leaf_label.value],
            "task_type": record.task_type,
            "question": record.question,
            "candidate_answer": answer,
            "duration_s": pair.facts.duration_s,
            "missing": missing,
        }


def _documents(root: Callable[[], DataRoot], selection: Selection) -> Documents:
    check_settings()
    loaded = usable(inspect_vidhalloc(root(), selection))
    logger.info(
        f"VidHalLoc ({selection}): {len(loaded.pairs)} pairs from {loaded.root.path} "
        f"({loaded.root.origin})"
    )
    rows = [row for pair in loaded.pairs for row in _rows(pair, loaded.missing)]
    return Documents(rows, loaded.digest)


def _docs(name: str, root: Callable[[], DataRoot], selection: Selection) -> TaskDocs:
    return TaskDocs(name, COLUMNS, partial(_documents, root, selection))


_root = partial(locate, "vidhalloc")
ALL_DOCS = _docs("vidhalloc", _root, "all")
EVAL_DOCS = _docs("vidhalloc_eval", _root, "eval")
QA_DOCS = _docs("vidhalloc_qa", _root, "qa")
CAPTION_DOCS = _docs("vidhalloc_caption", _root, "caption")
MINI_DOCS = _docs("vidhalloc_mini", partial(mini_root, "vidhalloc"), "all")


def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: object = None) -> list[str]:
    """Return the video of one request; the prompt asks about the picture only."""
    install()  # by now the runner has imported what it reads videos with
    return [str(readable(Path(doc["video"]), doc["media_digest"]))]


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: object = None) -> str:
    """Return the judge prompt for one candidate answer."""
    return judge_prompt(doc["question"], doc["candidate_answer"])


def doc_to_target(doc: Doc) -> str:
    """Return the right verdict."""
    return "ACCEPT" if doc["side"] == "factual" else "REJECT"


def detail(doc: Doc, response: str) -> dict[str, Any]:
    """Return one answer with the verdict read from ``response`` and all that reports need.

    A detector's score is ``detector_score``: what the host finds as ``score`` in an item, it takes
    for the metric's value and makes a standard error of.
    """
    # Its patterns take a tenth of a second to compile, and loading a task does not need them.
    from vidomni_plugin.labels import parse_verdict

    parsed = parse_verdict(response)
    scored = read_answer(response)
    status = scored.detail.get("status") if scored else None
    return {
        "benchmark": "vidhalloc",
        "plugin": __version__,
        "host": host_version(),
        "prompt": prompt_id(),
        **{name: doc[name] for name in IN_DETAIL},
        "label": parsed.label,
        "reason": parsed.reason,
        "detector_score": scored.score if scored else None,
        "detector_threshold": scored.threshold if scored else None,
        "detector_status": status if isinstance(status, str) else None,
        "detector_text": scored.detail.get("text") if scored else None,
        "threshold_saw_video": scored.detail.get("threshold_saw_video") if scored else None,
    }


def process_results(doc: Doc, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Score one answer; one that cannot be read is an item with the reason, never an error."""
    return metrics.metric_items(detail(doc, results[0] if results else ""))


def undecided(items: Sequence[Mapping[str, Any]]) -> float:
    """Return the share of answers without a verdict, and log why and what to do about it."""
    bad = [item for item in items if item["label"] is None]
    if bad:
        told = silence((item["reason"], item.get("detector_status")) for item in bad)
        text = f"VidHalLoc: {len(bad)} of {len(items)} answers give no verdict: {told.why}"
        logger.warning(printable("; ".join([text, *told.ways_out])))
    return metrics.aggregate("undecided", items)


factual = partial(metrics.aggregate, "factual")
counterfactual = partial(metrics.aggregate, "counterfactual")
incomplete = partial(metrics.aggregate, "incomplete")
auroc = partial(metrics.aggregate, "auroc")
ranking = partial(metrics.aggregate, "ranking")
ties = partial(metrics.aggregate, "ties")
failed = partial(metrics.aggregate, "failed")
missing = partial(metrics.aggregate, "missing")
overall = partial(metrics.aggregate, "overall")
overall_answered = partial(metrics.aggregate, "overall_answered")
overall_ontology = partial(metrics.aggregate, "overall_ontology")
overall_dynamic = partial(metrics.aggregate, "overall_dynamic")
overall_eeh = partial(metrics.aggregate, "overall_eeh")
overall_ech = partial(metrics.aggregate, "overall_ech")
overall_eqh = partial(metrics.aggregate, "overall_eqh")
overall_avh = partial(metrics.aggregate, "overall_avh")
overall_srh = partial(metrics.aggregate, "overall_srh")
overall_aph = partial(metrics.aggregate, "overall_aph")
overall_trh = partial(metrics.aggregate, "overall_trh")
overall_cph = partial(metrics.aggregate, "overall_cph")
