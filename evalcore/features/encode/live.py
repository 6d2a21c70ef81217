"""What do the systems that were made here say of a text, or a picture, that is in no study?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.features.encode.encoding import Encoder
from evalcore.features.encode.models import Offer, offers
from evalcore.features.encode.read import all_made
from evalcore.study.pictures.pixels import decode
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.stores import Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evalcore.values.model import Study

_encoders: Store[tuple[Encoder, int]] = Store(2 << 30, lambda kept: kept[1])
"""Models that are open, with their size in bytes."""


def answers(
    study: Study, *, text: str = "", picture: bytes | None = None, name: str = "picture"
) -> tuple[dict[str, npt.NDArray[np.floating]], dict[str, str]]:
    """The vector of a text or a picture by each system that was made here and whose encoder is at hand.

    ``name``: of the picture, for messages. Returns the vectors by system, and why the other systems with a
    recorded encoder cannot answer. Raises InputError for a picture that cannot be read.
    """
    vectors: dict[str, npt.NDArray[np.floating]] = {}
    silent: dict[str, str] = {}
    if study.path is None:
        return vectors, silent
    at_hand = {(offer.encoder, offer.what): offer for offer in offers(("images", "captions"))}
    for system, made in all_made(study.path).items():
        offer = at_hand.get((made.get("encoder"), made.get("what")))  # type: ignore[arg-type]
        if system not in study.embeddings or system in study.runs:
            continue
        try:
            encoder = _side(offer, made, text=picture is None)
        except InputError as reason:
            silent[system] = str(reason)
            continue
        if encoder is not None:
            item: Any = text if picture is None else decode(picture, file=name, about=2 * encoder.side)
            try:
                vectors[system] = encoder.rows([item])[0]
            except CuiscopeError as reason:
                silent[system] = str(reason)
    return vectors, silent


def _side(offer: Offer | None, made: dict[str, Any], *, text: bool) -> Encoder | None:
    """The side of a system's encoder that reads a text, or a picture; None where it has none.

    InputError says why an encoder cannot be used.
    """
    if offer is None:
        raise InputError("its model is not here")
    encoder = _opened(offer, offer.load)
    if encoder.digest != made.get("digest"):
        raise InputError(
            "its encoder or its settings are others than those its vectors were made with. Make the system "
            "again"
        )
    if text and offer.what == "images":
        return None if encoder.texts is None else _opened(offer, encoder.texts, "texts")
    if text != (offer.what == "captions"):
        return None
    if encoder.together is not None or not encoder.keeps:
        raise InputError(
            "its vectors are computed from all images of the study together, so there is none for an image "
            "or text that is not among them"
        )
    return encoder


def _opened(offer: Offer, opened: Callable[[], Encoder], side: str = "own") -> Encoder:
    """An encoder, kept open; a model counts as large as its files, a baseline as a megabyte."""
    files = Path(offer.model).rglob("*") if offer.trained else ()
    size = sum(file.stat().st_size for file in files if file.is_file()) + (1 << 20)
    return _encoders.get_or_compute((offer, side), lambda: (opened(), size))[0]
