"""Vectors of a text or picture that is in no study, by the systems that were made here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.features.encode.baselines import PREFIX
from evalcore.features.encode.encoding import Encoder
from evalcore.features.encode.models import open_encoder
from evalcore.features.encode.read import made_here
from evalcore.study.pixels import decode
from evalcore.study.workspace.home import models_folder
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.stores import Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evalcore.values.model import Study

_encoders: Store[Encoder] = Store(4, lambda _: 1)
"""Models that are open: some gigabytes each."""


def answers(
    study: Study, *, text: str = "", picture: bytes | None = None, name: str = "picture"
) -> tuple[dict[str, npt.NDArray[np.floating]], dict[str, str]]:
    """The vector of a text or a picture by each system that was made here and whose encoder is at hand.

    ``name``: of the picture, for messages. Returns the vectors by system, and why the other systems with a
    recorded encoder cannot answer. Raises InputError for a picture that cannot be read.
    """
    vectors: dict[str, npt.NDArray[np.floating]] = {}
    silent: dict[str, str] = {}
    made = made_here(study.path) if study.path is not None else {}
    for system, record in made.items():
        if system not in study.embeddings:
            continue
        try:
            encoder = _side(record, text=picture is None)
        except CuiscopeError as reason:
            silent[system] = str(reason)
            continue
        if encoder is not None:
            item: Any = text if picture is None else decode(picture, file=name, about=2 * encoder.side)
            try:
                vectors[system] = encoder.rows([item])[0]
            except CuiscopeError as reason:
                silent[system] = str(reason)
    return vectors, silent


def _side(record: dict[str, Any], *, text: bool) -> Encoder | None:
    """The side of a system's encoder that reads a text, or a picture; None where it has none.

    ``record``: how the system was made. CuiscopeError says why an encoder cannot be used.
    """
    name, what, models = record.get("encoder"), record.get("what"), models_folder()
    model = f"{PREFIX}{name}"
    if record.get("backend") != "baseline":
        # A record may be from another machine: no path of its own is followed.
        model = str(models / str(name))
        if model not in (map(str, models.iterdir()) if models.is_dir() else ()):
            raise InputError("its model is not here")
    encoder = _encoders.get_or_compute((model, what), lambda: open_encoder(model, what))  # type: ignore[arg-type]
    if encoder.digest != record.get("digest"):
        raise InputError(
            "its encoder or its settings are others than those its vectors were made with. Make the system "
            "again"
        )
    if text != (what == "captions"):
        texts = encoder.texts if text else None
        return None if texts is None else _encoders.get_or_compute((model, "captions"), texts)
    if encoder.together is not None or encoder.batch is None:
        raise InputError(
            "its vectors are computed from all images of the study together, so there is none for an image "
            "or text that is not among them"
        )
    return encoder
