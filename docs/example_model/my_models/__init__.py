"""An example package that adds one model to lmms-eval."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lmms_eval.models.registry_v2 import ModelManifest


def manifests() -> list[ModelManifest]:
    """Return the models of this package; the host calls it when its registry is loaded."""
    from lmms_eval.models.registry_v2 import ModelManifest

    return [
        ModelManifest(model_id="my_constant", chat_class_path="my_models.constant.ConstantModel")
    ]
