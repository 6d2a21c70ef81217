"""From an encoder to a system of a study: encoded, described, and put beside the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore import __version__
from evalcore.features.encode.encoding import Encoded, encode_study
from evalcore.features.encode.read.system_files import check_free, free_name, put_system
from evalcore.study.workspace.home import check_may_change

if TYPE_CHECKING:
    from evalcore.features.encode.encoder import Encoder
    from evalcore.values.model import Study
    from evalcore.values.progress import Progress


def make_system(
    study: Study, folder: Path, encoder: Encoder, *, name: str | None = None, in_place: bool = False,
    replace: bool = False, progress: Progress | None = None,
) -> tuple[str, Encoded]:  # fmt: skip
    """Encode a study and put the vectors into its folder as the system ``name``, which is returned too.

    Without a name it is called as the encoder, with a number behind where another system is called so.

    Raises
    ------
    InputError
        There is nothing to encode, the name is taken, or the folder may not be changed. Nothing is
        encoded in the last two cases.
    """
    check_may_change(folder, in_place=in_place)
    if name is None:
        name = encoder.name if replace else free_name(folder, encoder.name)
    check_free(folder, name, replace=replace)
    encoded = encode_study(study, encoder, progress=progress)
    put_system(
        folder, name, encoded.ids, encoded.vectors, facts=facts_of(encoder, encoded), reads=encoder.what,
        notes=described(encoder), in_place=in_place, replace=replace,
    )  # fmt: skip
    return name, encoded


def facts_of(encoder: Encoder, encoded: Encoded) -> dict[str, Any]:
    """What is recorded of how vectors were made."""
    n, dimensions = encoded.vectors.shape
    return {**encoder.facts(), "images": n, "dimensions": dimensions, "cuiscope": __version__}


def described(encoder: Encoder) -> str:
    """The encoder in one line, for the notes of its system.

    >>> from evalcore.features.encode.baselines import baseline_encoder, baseline_named
    >>> described(baseline_encoder(baseline_named("hog"))).partition(";")[0]
    'Vectors of images by Histogram of oriented gradients'
    """
    versions = ", ".join(f"{package} {number}" for package, number in encoder.versions.items())
    parts = [
        f"Vectors of {encoder.what} by {encoder.title}",
        f"pooling: {encoder.pooling}" if encoder.pooling else "",
        "" if encoder.backend == "baseline" else f"backend {encoder.backend}",
        versions, f"digest {encoder.digest}",
    ]  # fmt: skip
    return "; ".join(part for part in parts if part) + "."
