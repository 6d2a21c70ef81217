"""What do the systems that were made here say of a text, or a picture, that is in no study?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.features.encode.encoding import Encoder
from evalcore.features.encode.opening import Offer, offers
from evalcore.features.encode.read import all_made
from evalcore.study.folder.layout import read_layout
from evalcore.study.pictures.pixels import decode
from evalcore.study.tables.problems import try_call
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.stores import Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evalcore.values.model import Study

_OTHER = "its encoder or its settings are others than those its vectors were made with. Make the system again"
_TOGETHER = (
    "its vectors are computed from all images of the study together, so there is none for an image or text "
    "that is not among them"
)
_encoders: Store[tuple[Encoder, int]] = Store(2 << 30, lambda kept: kept[1])
"""Models that are open, with their size in bytes."""


def answers(
    study: Study, *, text: str = "", picture: bytes | None = None, name: str = "picture"
) -> tuple[dict[str, npt.NDArray[np.floating]], dict[str, str]]:
    """The vector of a text or a picture by each system that was made here and whose encoder is at hand.

    ``name``: of the picture, for messages. Returns the vectors by system, and why the other systems with a
    recorded encoder cannot answer. Raises InputError for a picture that cannot be read.
    """
    if study.path is None:
        return {}, {}
    at_hand = {(offer.encoder, offer.what): offer for offer in offers(("images", "captions"))}
    names = read_layout(study.path)[0].names
    vectors: dict[str, npt.NDArray[np.floating]] = {}
    silent: dict[str, str] = {}
    for key, made in all_made(study.path).items():
        system = names.get(key, key)
        if system not in study.embeddings or system in study.runs:
            continue
        offer = at_hand.get((str(made.get("encoder")), made.get("what")))  # type: ignore[arg-type]
        side, why = (
            _side(offer, made, text=picture is None) if offer is not None else (None, "its model is not here")
        )
        if side is None:
            if why:
                silent[system] = why
            continue
        item = decode(picture, file=name, about=2 * side.side) if picture is not None else text
        rows, reason = try_call(lambda side=side, item=item: side.encode([item]))  # type: ignore[misc]
        if rows is None:
            if not isinstance(reason, CuiscopeError):
                raise reason or InputError(f"{system} gave no vector.")
            silent[system] = str(reason)
        else:
            vectors[system] = rows[0]
    return vectors, silent


def _side(offer: Offer, made: dict[str, object], *, text: bool) -> tuple[Encoder | None, str]:
    """The side of a system's encoder that reads a text, or a picture; else why not, "" where it has none."""
    try:
        encoder = _opened(offer)
        if encoder.digest != made.get("digest"):
            return None, _OTHER
        if text and offer.what == "images":
            return (None, "") if encoder.texts is None else (_other_side(offer), "")
    except InputError as reason:
        return None, str(reason)
    if text != (offer.what == "captions"):
        return None, ""
    if encoder.together is not None or not encoder.keeps:
        return None, _TOGETHER
    return encoder, ""


def _opened(offer: Offer) -> Encoder:
    return _encoders.get_or_compute((offer, "own"), lambda: (offer.opened(), _bytes_of(offer)))[0]


def _other_side(offer: Offer) -> Encoder:
    texts = _opened(offer).texts
    assert texts is not None, "asked for models with two sides"
    return _encoders.get_or_compute((offer, "texts"), lambda: (texts(), _bytes_of(offer)))[0]


def _bytes_of(offer: Offer) -> int:
    """Of the files of a model, which is about what it takes in memory; a baseline counts as a megabyte."""
    folder = Path(offer.model)
    files = folder.rglob("*") if offer.trained and folder.is_dir() else ()
    return sum(file.stat().st_size for file in files if file.is_file()) + (1 << 20)
