"""The encoder of a name: a baseline, or a folder with a trained model."""

from __future__ import annotations

from pathlib import Path

from evalcore.encode.baselines import BASELINES, PREFIX, baseline_encoder, baseline_named
from evalcore.encode.encoder import Encoder, What
from evalcore.errors import InputError


def open_encoder(
    model: str, what: What | None = None, *, device: str = "cpu", pooling: str | None = None
) -> Encoder:
    """The encoder that a user names.

    Parameters
    ----------
    model : "baseline:NAME", a folder, or the name of a folder in ``models`` of the workspace.
    what : what it is to read; needed where it can read both.
    device : where a trained model runs.
    pooling : how a text model makes one vector of a text; None for what its folder says.

    Raises
    ------
    UnknownName
        There is no such baseline.
    InputError
        There is no such model, it cannot be used, or it does not read ``what``.
    """
    if model.startswith(PREFIX):
        one = baseline_named(model)
        if what not in (None, one.what):
            others = ", ".join(PREFIX + name for name, other in BASELINES.items() if other.what == what)
            raise InputError(
                f"{PREFIX}{one.name} reads {one.what}, not {what}. For {what} there are: {others}."
            )
        return baseline_encoder(one)
    from evalcore.encode.models.opening import open_model

    return open_model(Path(model), what, device=device, pooling=pooling)
