"""The two models of a run, made from its arguments: behind endpoints or of the host."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from vidomni_plugin.data.locate import home
from vidomni_plugin.endpoint.address import make_client, shown_url
from vidomni_plugin.endpoint.budget import Budget
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.pacing import Pacer
from vidomni_plugin.endpoint.replies import Replies
from vidomni_plugin.models.detectors.base import Shown
from vidomni_plugin.models.detectors.fifa.arguments import SAME, FifaArguments, Side
from vidomni_plugin.models.detectors.fifa.endpoint_model import EndpointText, EndpointVideoQA
from vidomni_plugin.models.detectors.fifa.heard import Outcome
from vidomni_plugin.models.detectors.fifa.host_model import HostModel, HostText, HostVideoQA
from vidomni_plugin.models.detectors.fifa.prompts import Message, Role
from vidomni_plugin.wording import counted

__all__ = ["Models", "models"]


class TextModel(Protocol):
    """Finds facts, asks for them, and says what they rest on."""

    def ask(self, role: Role, asked: Sequence[Message], item: str) -> Outcome:
        """Return what the model says."""


class VideoModel(Protocol):
    """Sees the video."""

    def answers(
        self, video: Shown, questions: Sequence[str], items: Sequence[str]
    ) -> list[Outcome]:
        """Return what the model says to each question."""


@dataclass(frozen=True)
class Models:
    """Both models and what is known of their calls."""

    llm: TextModel
    videoqa: VideoModel
    told: Mapping[str, object]
    """The settings that decide a score."""
    ahead: int
    """How many texts the language model may work on at once; 0 for one of the host."""
    clients: Mapping[str, Client] = field(default_factory=dict)
    replies: Replies | None = None
    place: Path | None = None
    currency: str = ""

    def summary(self) -> str:
        """Return what was asked in this run, for people; empty where no endpoint was asked."""
        parts = [self._of(name, client) for name, client in self.clients.items()]
        return f"{'; '.join(parts)}; replies are in {self.place}" if parts else ""

    def _of(self, name: str, client: Client) -> str:
        total = client.totals()
        text = (
            f"{name}: {counted(total.calls, 'call')}, {total.kept:,} of them kept before, "
            f"{total.failed:,} failed, {counted(total.attempts, 'request')}, tokens: "
            f"{total.input:,} in ({total.cached:,} cached), {total.output:,} out"
        )
        if total.estimated:
            text += f", {counted(total.estimated, 'request')} not counted by the server"
        return text if total.cost is None else f"{text}, {total.cost:.4f} {self.currency}"

    def close(self) -> None:
        """Close the file of replies."""
        if self.replies is not None:
            self.replies.close()


def models(own: FifaArguments, host: Mapping[str, object], stop: threading.Event) -> Models:
    """Return the two models.

    Args:
        own: The arguments of the detector.
        host: What the host gives to its models: device and batch size.
        stop: Once set, endpoints are asked nothing new.

    Raises:
        InputProblems: If a server or the file of replies cannot be used.
    """
    sides = [side for side in (own.llm, own.videoqa) if side.base_url]
    place = (own.calls.replies or _usual_place(sides)) if sides else None
    # Servers first: a wrong address is then an error of the first second.
    servers = {
        side.name: make_client(
            side.base_url,
            timeout_s=own.calls.timeout_s,
            key_name=side.key_name,
            asked=f"{side.name}={side.model}",
            option=f"{side.name}_base_url",
        )
        for side in sides
    }
    budgets = {
        side.name: Budget(own.calls.most_tokens, own.calls.most_cost, side.prices) for side in sides
    }
    replies = Replies(place) if place is not None else None
    clients: dict[str, Client] = {}
    if replies is not None:
        for side in sides:
            clients[side.name] = Client(
                servers[side.name],
                Pacer(own.calls.requests_per_minute),
                budgets[side.name],
                replies,
                retries=own.calls.retries,
                timeout_s=own.calls.timeout_s,
                image_tokens=side.image_tokens,
                stop=stop,
            )
    seen = None if own.videoqa.base_url else _host_model(own.videoqa, host)
    videoqa: VideoModel = (
        EndpointVideoQA(own.videoqa, clients["videoqa"], own.calls.at_once, stop)
        if seen is None
        else HostVideoQA(seen, own.videoqa.max_tokens)
    )
    llm: TextModel
    if own.llm.base_url:
        llm = EndpointText(own.llm, clients["llm"])
    else:
        same = seen if own.llm.model == SAME else None
        llm = HostText(same or _host_model(own.llm, host), own.llm.max_tokens)
    prices = [side.prices for side in sides if side.prices]
    return Models(
        llm,
        videoqa,
        _told(own),
        ahead=own.calls.at_once if own.llm.base_url else 0,
        clients=clients,
        replies=replies,
        place=place,
        currency=prices[0].currency if prices else "",
    )


def _host_model(side: Side, host: Mapping[str, object]) -> HostModel:
    """Return a model of the host; its own arguments count before what the host gives to all."""
    given = {name: value for name, value in {**host, **side.given}.items() if value is not None}
    return HostModel(side.model, given)


def _told(own: FifaArguments) -> dict[str, object]:
    told: dict[str, object] = {}
    addresses: dict[str, str] = {}
    for side in (own.llm, own.videoqa):
        model: dict[str, object] = {"model": side.model}
        if side.base_url:
            # Beside the settings: a server that moved gives the same scores.
            addresses[side.name] = shown_url(side.base_url)
            model["temperature"] = side.temperature
            if side.name == "videoqa":
                look = side.look
                model |= {"fps": look.fps, "frames": look.most, "max_pixels": look.max_pixels}
        elif "pretrained" in side.given:
            model["pretrained"] = str(side.given["pretrained"])
        told[side.name] = {**model, "max_tokens": side.max_tokens}
    return {**told, "addresses": addresses} if addresses else told


def _usual_place(sides: Sequence[Side]) -> Path:
    """Return where replies are kept: a file for each pair of models and servers."""
    named = json.dumps([[side.name, side.model, side.base_url] for side in sides])
    return home() / "fifa" / f"{hashlib.sha256(named.encode()).hexdigest()[:16]}.sqlite"
