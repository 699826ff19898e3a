"""The model that the runner wraps: found in the host's registry, and made as the host makes it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from accelerate import PartialState
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.models import MODEL_REGISTRY_V2, get_model

from vidomni_plugin.models.runner.arguments import RunnerArguments, refuse

__all__ = ["NoModel", "answers_videos", "build", "kind_of", "refuse_sharded"]

ONE_FRAME_COUNT = frozenset(["qwen2_5_vl"])
"""Chat runners of the host that take the frame count of a batch's first video for all of them,
unless they are given ``fps``."""
GIVEN = "--model_args"
SHARDED = "several processes that share one model (FSDP, DeepSpeed ZeRO 3) must ask in step"
WAY_OUT = (
    "give each process a whole model, or one process several GPUs (device_map=auto); the host's "
    "own command without the runner works"
)


def kind_of(inner: str, *, force_simple: bool) -> str:
    """Return which of the host's two kinds of models this name stands for: "chat" or "simple".

    Raises:
        InputProblems: If the host does not know the name.
    """
    try:
        return str(MODEL_REGISTRY_V2.resolve(inner, force_simple=force_simple).model_type)
    except ValueError:
        refuse(GIVEN, f"the host knows no model {inner!r}", "`lmms-eval models` lists them")


def refuse_sharded(accelerator: object = None) -> None:
    """Refuse processes that hold parts of one model: each has its own questions to ask.

    Args:
        accelerator: Of the inner model; without it, what the launcher said is looked at.

    Raises:
        InputProblems: If the processes share one model.
    """
    told = os.environ.get("ACCELERATE_USE_FSDP", "").lower() in {"1", "true"}
    told = told or os.environ.get("ACCELERATE_DEEPSPEED_ZERO_STAGE") == "3"
    kind = str(getattr(accelerator, "distributed_type", "")).upper()
    if told or kind.endswith("FSDP"):
        refuse("accelerate", SHARDED, WAY_OUT)


def answers_videos(model: object) -> bool:
    """Whether a model takes all questions about one video in one call, as our own do."""
    return callable(getattr(model, "answer_video", None))


def build(arguments: RunnerArguments, *, force_simple: bool) -> lmms:
    """Return the inner model, made from its arguments and those that the host adds.

    Raises:
        InputProblems: If its processes share one model, it cannot stop behind the labels, or it
            would show videos with frame counts of others.
    """
    refuse_sharded()
    if not force_simple:
        _refuse_mixed_batches(arguments)
    made = get_model(arguments.inner, force_simple)
    given = {name: value for name, value in arguments.given.items() if value is not None}
    if arguments.labels_only and answers_videos(made):
        given["labels_only"] = True
    model: lmms = made(**given)
    refuse_sharded(getattr(model, "accelerator", None))
    if arguments.labels_only and not answers_videos(model):
        _check_that_it_can_stop(model, arguments)
    return model


def _refuse_mixed_batches(arguments: RunnerArguments) -> None:
    given = arguments.given
    batch = str(given.get("batch_size") or 1)
    mixed = (arguments.at_once or 1) > 1 and batch != "1" and given.get("fps") is None
    if mixed and arguments.inner in ONE_FRAME_COUNT:
        refuse(
            GIVEN,
            f"{arguments.inner} takes the frame count of the first video for a whole batch, and "
            f"at_once={arguments.at_once} with batch_size={batch} puts several videos into one",
            "leave at_once out (batches then end with the video), or give fps or batch_size=1",
        )


def _check_that_it_can_stop(model: lmms, arguments: RunnerArguments) -> None:
    generates = callable(getattr(getattr(model, "model", None), "generate", None))
    if not generates or not hasattr(model, "tokenizer"):
        refuse(
            GIVEN,
            f"{arguments.inner} cannot stop behind the labels: it does not generate here",
            "leave labels_only out, or lower --gen_kwargs max_new_tokens=",
        )
    if (arguments.at_once or 1) > 1:
        message = "labels_only needs at_once=1: rows of a batch cannot be told apart"
        refuse(GIVEN, message, "leave it out")


class NoModel(lmms):  # type: ignore[misc]
    """Stands in where every answer must be in the journal; it answers nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.device = PartialState().device
        """Where the host gathers the results of several ranks."""

    def generate_until(self, requests: Sequence[Instance]) -> list[str]:
        """Not possible."""
        refuse(GIVEN, "answers_only=true gives answers that a journal holds, and no others")

    loglikelihood = generate_until
    generate_until_multi_round = generate_until
    generate_visual_cot = generate_until
