"""A video that a reader could not read."""

from __future__ import annotations

__all__ = ["UnreadableVideo", "reason_of"]

LONGEST = 400
"""A reason is read in a table: decord's messages go on with a trace of its own code."""


class UnreadableVideo(RuntimeError):
    """A reader failed; the message names file, reader and cause, and ``__cause__`` is the error.

    Args:
        path: The file, as the reader was given it.
        reader: The reader's name.
        cause: What the reader raised.
    """

    def __init__(self, path: str, reader: str, cause: BaseException) -> None:
        self.path = path
        self.reader = reader
        super().__init__(f"{path}: {reader} cannot read it: {reason_of(cause)}")


def reason_of(error: BaseException) -> str:
    r"""Return an error as one line of readable length.

    Example:
        >>> reason_of(ValueError("no frame\n  in the file"))
        'no frame in the file'
        >>> reason_of(MemoryError())
        'MemoryError'
    """
    text = " ".join(str(error).split("Stack trace")[0].split())
    if not text:
        return type(error).__name__
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."
