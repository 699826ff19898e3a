"""Which arguments of a model decide its answers, and which do not."""

from __future__ import annotations

import re

__all__ = ["OF_THE_MACHINE", "SECRET"]

OF_THE_MACHINE = frozenset(
    [
        *("device", "device_map", "batch_size", "max_batch_size", "attn_implementation"),
        *("use_flash_attention_2", "tensor_parallel_size", "data_parallel_size"),
        *("gpu_memory_utilization", "num_concurrent", "max_concurrent", "timeout", "max_retries"),
        *("responses", "base_url", "api_key", "token"),
    ]
)
"""Arguments that say where and how fast a model runs, and none that decides its answers."""
SECRET = re.compile(r"(^|_)(api_?key|key|token|secret|password)$", re.IGNORECASE)
"""Arguments whose values are never written anywhere."""
