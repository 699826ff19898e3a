"""Which arguments of a model decide its answers, and which do not."""

from __future__ import annotations

import ast
import json
import re
from functools import partial

__all__ = ["CREDENTIAL", "HIDDEN", "OF_THE_MACHINE", "SECRET", "without_secrets"]

OF_THE_MACHINE = frozenset(
    [
        # Which chips compute, and on how many a model is spread: the same sums.
        *("device", "device_map", "tensor_parallel_size", "data_parallel_size"),
        # The same sums in another order: in half precision the last digits of a logit may differ,
        # and rarely a word, as they do from one chip to the next.
        *("batch_size", "max_batch_size", "attn_implementation", "use_flash_attention_2"),
        *("frame_batch",),
        # How much memory a cache may take: a small one computes again what a large one keeps.
        *("gpu_memory_utilization", "prefix_gb"),
        # Where features of videos are kept, by all that decides them.
        *("features",),
        # How many requests are on their way at once, and how long one is waited for.
        *("num_concurrent", "max_concurrent", "timeout", "max_retries", "retry_backoff_s"),
        # How the number of requests on their way follows the server, and in which order they go.
        *("adaptive_concurrency", "adaptive_min_concurrency", "adaptive_max_concurrency"),
        *("adaptive_target_latency_s", "adaptive_increase_step", "adaptive_decrease_factor"),
        *("adaptive_failure_threshold", "prefix_aware_queue", "prefix_hash_chars"),
        # How many processes make the requests ready, whether a proxy is on the way, what is logged.
        *("num_cpus", "httpx_trust_env", "disable_log_stats"),
        # Where a model writes what it makes on its way, and whether it keeps that for itself.
        *("work_dir", "cache_dir", "output_dir", "tmp_folder", "temp_dir"),
        *("response_persistent_folder", "continual_mode"),
        # Where the answers come from; the runner counts the file of recorded ones by its content.
        *("base_url", "responses"),
        *("llm_base_url", "videoqa_base_url", "replies"),
        # What asking may cost, and how fast it goes.
        *("llm_prices", "videoqa_prices", "currency", "most_tokens", "most_cost"),
        *("videoqa_image_tokens", "requests_per_minute"),
        # As above, of a model inside of a detector.
        *("llm_device", "llm_device_map", "llm_batch_size", "llm_attn_implementation"),
        *("videoqa_device", "videoqa_device_map", "videoqa_batch_size"),
        *("videoqa_attn_implementation", "llm_key_name", "videoqa_key_name"),
        # Who asks.
        *("api_key", "token"),
    ]
)
"""Arguments that say where and how fast a model runs, and none that decides its answers."""
_START = r"(?:^|[_.\- ]|(?-i:(?<=[a-z0-9])(?=[A-Z])))"
SECRET = re.compile(
    _START
    + r"(?:api_?keys?|key|access_?key_?id|token|secret|pass(?:word|wd)|pwd|auth|authorization"
    + r"|bearer|credentials?|headers?|cookies?"
    + r"|(?:access|api|auth|bearer|hf|hub|id|refresh|security|session)_?tokens)$|^tokens$",
    re.IGNORECASE,
)
"""Arguments whose values are never written anywhere."""
CREDENTIAL = re.compile(
    _START
    + r"(?:(?:api|access|account|private|secret|subscription)_?keys?|access_?key_?id"
    + r"|(?:access|api|auth|bearer|hf|hub|id|refresh|security|session)_?tokens?"
    + r"|secret|pass(?:word|wd)|pwd|auth|authorization|bearer|credentials?|headers?|cookies?)$"
    + r"|^tokens$",
    re.IGNORECASE,
)
"""Those of them that only say who asks; others, such as ``image_token``, may decide answers."""
HIDDEN = "(hidden)"
"""What is written in their stead."""
_USER = re.compile(r"(?<=://)[^/\s\"'?#]*@")
"""Name and password in a URL."""
_SCHEME = re.compile(r"\b(Bearer|Basic)\s+[^\s\"',;}\])]+", re.IGNORECASE)
"""A secret that says itself what it is."""
_SIGNED = re.compile(r"(?P<name>[?&](?:sig|code)=)[^\s\"'&#;,}\])]+", re.IGNORECASE)
"""Signatures and codes of access in the query of a URL; elsewhere these names are no secrets."""
_NAMED = re.compile(
    r"(?P<name>[\w.\-]+)(?P<is>[\"']?\s*[=:]\s*)"
    r"(?:(?P<sign>[\"'])(?P<quoted>(?:\\.|(?!(?P=sign))[^\\])+)(?P=sign)"
    r"|(?P<open>[\"']?)(?P<value>[^\s\"',;&}\])]+))",
    re.DOTALL,
)
"""A name and its value in text, as in the query of a URL; in quotation marks to their end."""


def without_secrets(text: str, names: re.Pattern[str] = SECRET) -> str:
    """Return the text of a setting without the secrets in it, else as it is.

    Hidden are values under the name of a secret at any depth of JSON or of Python's notation
    and in the query of a URL, the user of a URL, and what follows "Bearer" or "Basic".

    Args:
        text: Of the setting.
        names: Under which values are hidden.

    Example:
        >>> without_secrets('{"client": {"api_key": "abc", "retries": 3}}')
        '{"client": {"api_key": "(hidden)", "retries": 3}}'
        >>> without_secrets("https://u:secret@host/v1?token=abc&n=1"), without_secrets("Bearer abc")
        ('https://host/v1?token=(hidden)&n=1', 'Bearer (hidden)')
    """
    value = _parsed(text)
    if isinstance(value, dict | list):
        cleaned = _cleaned(value, names)
        return text if cleaned == value else json.dumps(cleaned, ensure_ascii=False, default=str)
    text = _SCHEME.sub(rf"\1 {HIDDEN}", _USER.sub("", text))
    text = _SIGNED.sub(rf"\g<name>{HIDDEN}", text)
    return _NAMED.sub(partial(_hidden_by_name, names), text)


def _parsed(text: str) -> object:
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _cleaned(value: object, names: re.Pattern[str], name: str = "") -> object:
    if value is not None and names.search(name):
        return HIDDEN
    if isinstance(value, dict):
        return {key: _cleaned(part, names, str(key)) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(part, names) for part in value]
    return without_secrets(value, names) if isinstance(value, str) else value


def _hidden_by_name(names: re.Pattern[str], found: re.Match[str]) -> str:
    text = found["quoted"] or found["value"]
    is_secret = names.search(found["name"]) and not text.startswith(HIDDEN[0])
    value = HIDDEN if is_secret else _NAMED.sub(partial(_hidden_by_name, names), text)
    opened, closed = found["sign"] or found["open"], found["sign"] or ""
    return f"{found['name']}{found['is']}{opened}{value}{closed}"
