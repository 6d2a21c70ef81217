"""What an encoder is: a function from pictures or captions to rows of numbers, and what is known about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

What = Literal["images", "captions"]
Rows = npt.NDArray[np.float32]
Encode = Callable[[Sequence[Any]], npt.NDArray[Any]]
"""From a batch of pictures (Pillow, grey or RGB) or captions to one row each."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A way to make vectors.

    ``name`` of the system it makes unless the user says another; ``title`` in words; ``what`` it reads;
    ``backend`` the library that runs it; ``pooling`` how a vector comes out of the parts of an image or
    text, "" where nothing is pooled; ``digest`` of weights and settings; ``versions`` of the packages that
    decide the numbers. ``together`` makes the vectors out of the rows of all items, where they depend on
    each other (principal components); None where the rows are the vectors. ``side`` of the pictures it
    looks at, in pixels; ``batch`` items at a time. ``keeps``: rows are worth keeping for the next time.
    """

    name: str
    title: str
    what: What
    backend: str
    encode: Encode
    digest: str
    pooling: str = ""
    versions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    together: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None
    side: int = 224
    batch: int = 16
    keeps: bool = True

    def facts(self) -> dict[str, Any]:
        """What is recorded beside the vectors."""
        return {
            "encoder": self.name,
            "title": self.title,
            "what": self.what,
            "backend": self.backend,
            "pooling": self.pooling,
            "digest": self.digest,
            "versions": dict(self.versions),
        }
