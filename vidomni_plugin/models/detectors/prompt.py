"""The question that a video model gets about a text: by name, or from a file of the user."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from vidomni_plugin.paths import path_of
from vidomni_plugin.problems import InputProblems, Problem

__all__ = ["NAMES", "Prompt", "prompt"]

SLOT = "{caption}"
"""Where the text goes."""
VIDEO = "<|video|>"
"""Where the video goes; before everything where a prompt does not say."""
NAMES = ("owl_con", "entails", "vqascore")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question with a place for the text and one for the video."""

    name: str
    """The name it was asked for by, or the file's name."""
    template: str

    @property
    def identity(self) -> str:
        """Return name and short hash, as each answer records it."""
        return f"{self.name}@{hashlib.sha256(self.template.encode()).hexdigest()[:12]}"

    def around_video(self, text: str) -> tuple[str, str]:
        """Return what stands before and after the video; the text is taken as it is.

        Example:
            >>> Prompt("p", "A: <|video|> Does it show {caption}?").around_video("a {caption}")
            ('A: ', ' Does it show a {caption}?')
        """
        before, _, after = self.template.rpartition(VIDEO)
        return before.replace(SLOT, text), after.replace(SLOT, text)

    def without_video(self, text: str) -> str:
        r"""Return the question to a model that sees no video: the line with the video is left out.

        Example:
            >>> Prompt("p", "Look:\nHuman: <|video|>\nIs it {caption}?").without_video("red")
            'Look:\nIs it red?'
        """
        lines = self.template.split("\n")
        kept = [line for line in lines if VIDEO not in line or SLOT in line]
        return "\n".join(kept).replace(VIDEO, "").replace(SLOT, text)


def prompt(name: str) -> Prompt:
    """Return a prompt by its name, or from a file.

    Args:
        name: One of ``NAMES``, or the path of a text file with ``{caption}`` where the text goes
            and, if the video is not first, one ``<|video|>``. A line break at its end is dropped.

    Raises:
        InputProblems: If there is no such prompt or file, or it lacks ``{caption}``.
    """
    if name in NAMES:
        folder = files("vidomni_plugin") / "models" / "detectors" / "prompts"
        return Prompt(name, (folder / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n"))
    path = path_of(name)
    try:
        template = path.read_text(encoding="utf-8-sig").removesuffix("\n")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "the file is not UTF-8 text"
        message = f"no prompt of this name, and no text file: {why}"
        hint = f"give one of {', '.join(NAMES)}, or a text file with {SLOT} in it"
        raise InputProblems("prompt", [Problem("usage", f"prompt={name}", message, hint)]) from None
    if SLOT not in template or template.count(VIDEO) > 1:
        message = f"{SLOT} has to be in it, and {VIDEO} once at most"
        raise InputProblems("prompt", [Problem("usage", f"prompt={name}", message)])
    return Prompt(path.name, template)
