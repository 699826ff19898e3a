"""How many rows of keys and values fit, and whether a model's cache can be shared."""

from __future__ import annotations

import inspect
from typing import Any

from transformers import DynamicCache

__all__ = ["bytes_a_token", "new_cache", "rows_that_fit", "why_not_shared"]


def new_cache(model: Any) -> Any:  # noqa: ANN401
    """Return an empty cache for the language model."""
    return DynamicCache(config=model.config.get_text_config(decoder=True))


def why_not_shared(model: Any) -> str | None:  # noqa: ANN401
    """Return why the prefix of a prompt cannot be kept, or None if it can.

    A window of attention drops what lies before it, and a linear-attention layer mixes the
    prefix with what follows: neither can go back to the end of the prefix.
    """
    cache = new_cache(model)
    if "cache" not in inspect.signature(model.forward).parameters:
        return "this transformers names its cache otherwise; 5.24 is known"
    if any(getattr(cache, "is_sliding", ())):
        return "the language model has sliding windows"
    if not getattr(cache, "is_croppable", False):
        return "the language model has layers whose state cannot be cut back"
    return None


def bytes_a_token(model: Any) -> int:  # noqa: ANN401
    """Return what one token takes in the cache of keys and values, all layers together.

    ``2 * layers * key-value heads * size of a head * bytes of a number``; 57,344 for
    Qwen2.5-VL-7B in bfloat16.
    """
    text = model.config.get_text_config(decoder=True)
    size = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    return int(2 * text.num_hidden_layers * heads * size * model.dtype.itemsize)


def rows_that_fit(budget: int, token: int, prompt: int, new: int) -> int:
    """Return how many prompts with their answers fit into the cache.

    Args:
        budget: In bytes.
        token: Bytes a token.
        prompt: Tokens of the longest prompt.
        new: Tokens that an answer may have.

    Example:
        >>> rows_that_fit(budget=8 * 2**30, token=57_344, prompt=13_000, new=2_048)
        9
    """
    return budget // (token * (prompt + new))
