"""The arguments of ``vidomni_fifa``, checked before anything is loaded or asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.models.arguments import CREDENTIAL
from vidomni_plugin.models.detectors.fifa import values
from vidomni_plugin.models.detectors.fifa.pictures import Look
from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["SAME", "Calls", "FifaArguments", "Side", "read_fifa_arguments"]

TITLE = "vidomni_fifa"
SAME = "videoqa"
"""``llm=videoqa``: the model that sees the video also writes the facts."""
OF_A_SIDE = ("base_url", "max_tokens", "temperature", "prices", "key_name")
OF_SEEING = ("fps", "frames", "max_pixels", "image_tokens")
OF_BOTH = (
    *("hint", "paper_compat", "num_concurrent", "requests_per_minute", "timeout", "max_retries"),
    *("most_tokens", "most_cost", "currency", "replies"),
)
IMAGE_TOKENS = 2000
"""More than endpoints are known to count for a picture of 360 x 420."""
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two models."""

    name: str
    """``llm`` or ``videoqa``."""
    model: str
    base_url: str = ""
    """Of its endpoint; empty for a model of the host."""
    key_name: str = "OPENAI_API_KEY"
    max_tokens: int = 0
    """Of a reply."""
    temperature: float | None = 0.0
    prices: Prices | None = None
    look: Look = field(default_factory=Look)
    """What of a video is sent to an endpoint."""
    image_tokens: int = IMAGE_TOKENS
    """The most that a picture is counted as; what is set aside of a budget."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of a model of the host."""


@dataclass(frozen=True, slots=True)
class Calls:
    """How endpoints are asked."""

    at_once: int = 8
    """Calls under way at a time, for each of the two models."""
    requests_per_minute: float | None = None
    """Of each model and process."""
    timeout_s: float = 120.0
    retries: int = 5
    most_tokens: int | None = None
    most_cost: float | None = None
    replies: Path | None = None
    """The file that keeps replies; None for the usual one."""


@dataclass(frozen=True, slots=True)
class FifaArguments:
    """All that is FIFA's own."""

    llm: Side
    videoqa: Side
    calls: Calls
    hint: bool
    """Whether each question is followed by a request to answer yes or no."""
    paper_compat: bool
    """Whether the public code's score stands beside ours."""


def read_fifa_arguments(given: Mapping[str, Any]) -> FifaArguments:
    """Return the arguments of the detector as the host parsed them, checked.

    Args:
        given: All but those that every detector takes.

    Raises:
        InputProblems: Names every argument that cannot be used.
    """
    reader = _Reader(given)
    prices = {
        name: reader.take(f"{name}_prices", values.prices, None) for name in ("llm", "videoqa")
    }
    currency = str(reader.take("currency", str, "USD"))
    priced = {
        name: None if one is None else Prices(one[0], one[1], one[2], currency)
        for name, one in prices.items()
    }
    videoqa = reader.side("videoqa", 128, priced["videoqa"])
    llm = reader.side("llm", 1024, priced["llm"])
    if llm.model == SAME and not llm.base_url and videoqa.base_url:
        llm = replace(videoqa, name="llm", max_tokens=llm.max_tokens)
    calls = Calls(
        at_once=reader.take("num_concurrent", values.whole, 8),
        requests_per_minute=reader.take("requests_per_minute", values.above_zero, None),
        timeout_s=reader.take("timeout", values.seconds, 120.0),
        retries=reader.take("max_retries", values.count, 5),
        most_tokens=reader.take("most_tokens", values.whole, None),
        most_cost=reader.take("most_cost", values.above_zero, None),
        replies=reader.take("replies", path_of, None),
    )
    hint = reader.take("hint", values.flag, True)
    paper_compat = reader.take("paper_compat", values.flag, False)
    reader.finish()
    return FifaArguments(llm, videoqa, calls, hint, paper_compat)


class _Reader:
    """Takes arguments one by one, and collects what is wrong with them."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._left = {name: value for name, value in given.items() if value not in (None, "")}
        self._problems: list[Problem] = []
        for name in [name for name in self._left if CREDENTIAL.search(name)]:
            del self._left[name]
            self.wrong(
                f"{name}: a key does not belong into arguments, which are logged",
                "set OPENAI_API_KEY, or name another variable with llm_key_name= or "
                "videoqa_key_name=",
            )

    def wrong(self, message: str, hint: str = "") -> None:
        self._problems.append(Problem("usage", "--model_args", message, hint))

    def take(self, name: str, read: Callable[[Any], Value], default: Any) -> Any:  # noqa: ANN401
        """Return an argument as ``read`` gives it, or the default."""
        if name not in self._left:
            return default
        value = self._left.pop(name)
        try:
            return read(value)
        except (ValueError, OverflowError) as fault:
            shown = "" if isinstance(fault, values.Unshown) else f"={value}"
            self.wrong(f"{name}{shown}: {fault}")
            return default

    def side(self, name: str, max_tokens: int, prices: Prices | None) -> Side:
        """Return one of the two models."""
        model = str(self.take(name, str, ""))
        if not model:
            self.wrong(
                f"which model is the {name}?",
                f"{name}=MODEL,{name}_base_url=http://localhost:8000/v1 for a server, or a model "
                f"of the host, such as {name}=qwen2_5_vl,{name}_pretrained=...",
            )
        asked = {f"{name}_{part}" for part in (*OF_A_SIDE, *OF_SEEING)} & self._left.keys()
        base_url = str(self.take(f"{name}_base_url", values.address, ""))
        if prices is not None:
            asked.add(f"{name}_prices")
        if not base_url:
            self._only_of_endpoints(name, model, asked)
        side = Side(
            name,
            model,
            base_url,
            key_name=self.take(f"{name}_key_name", values.variable, "OPENAI_API_KEY"),
            max_tokens=self.take(f"{name}_max_tokens", values.tokens, max_tokens),
            temperature=self.take(f"{name}_temperature", values.temperature, 0.0),
            prices=prices,
            **(self._seeing(base_url) if name == "videoqa" else {}),
            given=self._rest(name, has_endpoint=bool(base_url)),
        )
        if side.given and name == "llm" and model == SAME:
            self.wrong(f"llm={SAME} has no arguments of its own: {', '.join(sorted(side.given))}")
        return side

    def _seeing(self, base_url: str) -> dict[str, Any]:
        if not base_url:  # they are a host model's own
            return {}
        look = Look(
            fps=self.take("videoqa_fps", values.above_zero, Look().fps),
            most=self.take("videoqa_frames", values.whole, Look().most),
            max_pixels=self.take("videoqa_max_pixels", values.whole, Look().max_pixels),
        )
        tokens = self.take("videoqa_image_tokens", values.tokens, IMAGE_TOKENS)
        return {"look": look, "image_tokens": tokens}

    def _only_of_endpoints(self, name: str, model: str, asked: set[str]) -> None:
        own = {f"{name}_{part}" for part in ("temperature", "prices", "key_name", "image_tokens")}
        for one in sorted(asked & own):
            self._left.pop(one, None)
            message = f"{one} is for a model behind an endpoint"
            self.wrong(message, f"give {name}_base_url too, or leave it out")
        if name == "llm" and model == SAME:
            return
        from vidomni_plugin.models.detectors.fifa.host_model import is_known

        if model and not is_known(model):
            self.wrong(
                f"{name}={model} is no model of the host that answers questions",
                f"give {name}_base_url=... for a server, or a name of `lmms-eval models`",
            )

    def _rest(self, name: str, *, has_endpoint: bool) -> dict[str, Any]:
        """Return what is left of a side: a host model's own arguments."""
        start = f"{name}_"
        names = [one for one in self._left if one.startswith(start)]
        rest = {one.removeprefix(start): self._left.pop(one) for one in names}
        if has_endpoint and rest:
            self.wrong(f"unknown: {', '.join(names)}", f"with {name}_base_url: {_known(name)}")
            return {}
        return rest

    def finish(self) -> None:
        """Raise what was found, unknown arguments too."""
        if self._left:
            names = ", ".join(sorted(self._left))
            self.wrong(f"unknown: {names}", f"llm, videoqa, llm_..., videoqa_..., {_list(OF_BOTH)}")
        if self._problems:
            raise InputProblems(TITLE, self._problems)


def _known(name: str) -> str:
    parts = (*OF_A_SIDE, *(OF_SEEING if name == "videoqa" else ()))
    return _list([f"{name}_{part}" for part in parts])


def _list(names: Any) -> str:  # noqa: ANN401
    return ", ".join(names)
