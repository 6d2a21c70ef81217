"""What can be made here without asking anybody: the baselines, and the trained models in the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalcore.features.encode.baselines import PREFIX, baselines_for
from evalcore.features.encode.encoder import Encoder, What
from evalcore.features.encode.models.recognise import backend_of
from evalcore.features.encode.opening import READS, open_encoder
from evalcore.features.encode.read.model_folder import read_model_folder
from evalcore.features.imageclef.models.store import models_folder
from evalcore.values.errors import InputError

_RUNS_CODE = ("medimageinsight",)
"""Backends whose folder holds code: opened only by whoever names it on the command line."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A system that can be made: its ``name``, ``title`` in words, what it reads, and what it looks at.

    ``encoder`` is the name of its encoder, ``model`` what `open_encoder` opens it by; ``trained``: it has
    weights.
    """

    name: str
    title: str
    what: What
    looks_at: str
    model: str
    encoder: str
    trained: bool = False

    def opened(self) -> Encoder:
        """Its encoder; InputError when a package or file is missing."""
        return open_encoder(self.model, self.what)


def offers(what: Sequence[What]) -> list[Offer]:
    """The baselines that read any of this, then the models in the folder ``models`` of the workspace.

    Folders of models that cannot be used, or that run code of their own, are not among them.
    """
    found = [
        Offer(one.name, one.title, one.what, one.looks_at, f"{PREFIX}{one.name}", one.name)
        for one in baselines_for(what)
    ]
    where = models_folder()
    for path in sorted(where.iterdir()) if where.is_dir() else ():
        try:
            backend = backend_of(read_model_folder(path))
        except InputError:
            continue
        if backend in _RUNS_CODE:
            continue
        reads = READS[backend]
        for one in reads:
            if one in what:
                name = path.name if len(reads) == 1 else f"{path.name}-{one}"
                found.append(
                    Offer(name, name, one, f"what it was trained for ({backend})", str(path), path.name, True)
                )
    return found
