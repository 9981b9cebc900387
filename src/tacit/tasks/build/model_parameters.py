"""Makes models of an index's settings, and gives their parameters back as plain data."""

from __future__ import annotations

from typing import Any

from tacit.errors import InputError
from tacit.tasks.build.settings import BuildSettings

__all__ = ["make_model", "plain_parameters"]


def make_model(kind: Any, settings: BuildSettings, **given: Any) -> Any:
    """Make a model with the settings, or say which of its parameters is unknown."""
    known = kind().get_params()
    for name in settings.parameters:
        if name not in known:
            raise InputError(
                f"parameters has an unknown one: got {name!r}, expected some of {', '.join(sorted(known))}."
            )
    chosen = {"random_state": settings.random_state, **given, **settings.parameters}
    return kind(settings.n_components, **chosen)


def plain_parameters(model: Any) -> dict[str, Any]:
    """Give the model's parameters as plain data; the taxonomy is kept elsewhere."""
    return {
        name: value
        for name, value in model.get_params().items()
        if isinstance(value, (str, int, float, bool, type(None))) and name != "random_state"
    }
