"""Which weights are learned by which optimizer."""

from __future__ import annotations

from typing import Any

import torch

from vidomni_plugin.models.seer.probes import Probes

__all__ = ["optimizers"]


def optimizers(
    model: Any,  # noqa: ANN401
    probes: Probes,
    decay: float,
) -> tuple[torch.optim.Muon, torch.optim.AdamW]:
    """Return Muon for the matrices inside, and AdamW for embeddings, norms, biases and probes.

    Args:
        model: The Qwen2.5-VL; groups of its vision tower are marked as ``tower``.
        probes: What reads off its inner states.
        decay: Weight decay of all but norms and biases.
    """
    matrices, others = [], []
    parts = {True: model.model.visual, False: model.model.language_model}
    for tower, part in parts.items():
        every = dict(part.named_parameters())
        inner = {n: p for n, p in every.items() if p.ndim == 2 and "embed" not in n}
        matrices.append({"params": list(inner.values()), "tower": tower})
        rest = [p for n, p in every.items() if n not in inner]
        for wide in (True, False):
            params = [p for p in rest if (p.ndim > 1) == wide]
            others.append(
                {"params": params, "weight_decay": decay if wide else 0.0, "tower": tower}
            )
    others.append({"params": list(probes.parameters()), "weight_decay": decay, "tower": False})
    return (
        torch.optim.Muon(matrices, weight_decay=decay),
        torch.optim.AdamW(others, betas=(0.9, 0.97), foreach=True),
    )
