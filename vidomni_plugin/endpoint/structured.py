"""Ask for an answer in the form of a pydantic model, and check that it has it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from vidomni_plugin.endpoint.call import Call
from vidomni_plugin.endpoint.client import Client
from vidomni_plugin.endpoint.json_text import NoObject, object_text
from vidomni_plugin.endpoint.reply import Failed, FailureKind, Reply
from vidomni_plugin.endpoint.schema import strict_schema
from vidomni_plugin.problems import field_errors, printable

__all__ = ["Reason", "Unusable", "ask_for"]

M = TypeVar("M", bound=BaseModel)
Reason = Literal["invalid_json", "schema_violation", "truncated", "refused"]
SHOWN_ERRORS = 10
"""So many faults of a reply are told to the model."""
ASK = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"
FAULTS = "This answer cannot be used:\n"
NOTHING = "(no text)"
"""In the place of an empty reply, which some servers do not take back."""
NAME_LENGTH = 64
"""Longest name of a schema that servers take."""


class Unusable(Exception):
    """A reply that is not what was asked for, even after its faults were told."""

    def __init__(self, reason: Reason, message: str, reply: Reply | None) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        """One printable line."""
        self.reply = reply
        """The last one; None where the server refused without a reply."""


def ask_for(client: Client, call: Call, model: type[M], item: str = "") -> tuple[M, Reply]:
    """Return an answer in the form of a model, and the reply that it was read from.

    The server is asked to enforce the model's schema. One that answers 400 to that is asked for
    any JSON object, and then for plain text; the schema then stands in the question, and the
    client remembers what the server takes. A reply that does not fit is shown to the model once
    more, with its faults.

    Args:
        client: Whom to ask.
        call: The question, without a response format.
        model: What the answer must look like.
        item: What it is asked for; only written down.

    Raises:
        Unusable: If the answer is cut off or refused, or does not fit.
        Failed: If there is no reply for another reason.
    """
    reply, asked = _in_some_mode(client, call, model, item)
    try:
        return _read(reply, model), reply
    except Unusable as unusable:
        faults = unusable.message
    turns = (
        {"role": "assistant", "content": reply.text if reply.text.strip() else NOTHING},
        {"role": "user", "content": f"{FAULTS}{faults}\n\n{_words(strict_schema(model))}"},
    )
    reply = _ask(client, replace(asked, messages=(*asked.messages, *turns)), item)
    return _read(reply, model), reply


def _in_some_mode(
    client: Client, call: Call, model: type[BaseModel], item: str
) -> tuple[Reply, Call]:
    """Return the reply in the first mode that the server takes, and the call in that mode."""
    schema = strict_schema(model)
    asked = [form(call, schema, model.__name__) for form in MODES]
    # A reply on disk is taken in whatever mode it was asked for: a new run asks nothing twice.
    known = (n for n, form in enumerate(asked) if client.find(form, item) is not None)
    about = (call.model, model.__name__)  # some servers refuse one schema and take another
    first = next(known, client.structured_modes.get(about, 0))
    refused: Failed | None = None
    for number, form in enumerate(asked[first:], first):
        try:
            reply = _ask(client, form, item)
        except Failed as failed:
            if failed.kind != FailureKind.BAD_REQUEST:
                raise
            refused = refused or failed
            continue
        if refused is not None:
            client.structured_modes[about] = number
        return reply, form
    raise refused or AssertionError("there is at least one mode")


def _ask(client: Client, call: Call, item: str) -> Reply:
    try:
        return client.ask(call, item)
    except Failed as failed:
        if failed.kind == FailureKind.TRUNCATED:
            raise Unusable("truncated", failed.message, failed.reply) from None
        if failed.kind == FailureKind.REFUSED:
            raise Unusable("refused", failed.message, failed.reply) from None
        raise


def _read(reply: Reply, model: type[M]) -> M:
    try:
        return model.model_validate_json(object_text(reply.text))
    except NoObject as error:
        raise Unusable("invalid_json", printable(str(error)), reply) from None
    except ValidationError as error:
        faults = "; ".join(islice(field_errors(error), SHOWN_ERRORS))
        raise Unusable("schema_violation", printable(faults), reply) from None


def _by_schema(call: Call, schema: Mapping[str, Any], name: str) -> Call:
    name = re.sub(r"\W", "_", name, flags=re.ASCII)[:NAME_LENGTH]
    form = {"name": name, "strict": True, "schema": dict(schema)}
    return call.with_settings(response_format={"type": "json_schema", "json_schema": form})


def _any_object(call: Call, schema: Mapping[str, Any], name: str) -> Call:
    call = _in_words(call, schema, name)
    return call.with_settings(response_format={"type": "json_object"})


def _in_words(call: Call, schema: Mapping[str, Any], name: str) -> Call:
    *before, last = call.messages
    words = _words(schema)
    content = last["content"]
    if isinstance(content, str):
        content = f"{content}\n\n{words}"
    else:
        content = [*content, {"type": "text", "text": words}]
    return replace(call, messages=(*before, {**last, "content": content}))


def _words(schema: Mapping[str, Any]) -> str:
    return ASK + json.dumps(schema, ensure_ascii=False)


MODES: tuple[Callable[[Call, Mapping[str, Any], str], Call], ...] = (
    _by_schema,
    _any_object,
    _in_words,
)
