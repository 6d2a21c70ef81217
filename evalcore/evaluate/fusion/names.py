"""Fused systems by name: ``rrf:cnn+text`` is a system wherever the name of one is asked for.

METHOD:A+B+..., with ``rrf(k=10):`` for another constant than 60. The members are systems of the study, by
name or key, or rankings by a relevance (``@iou``). A member of several seeds is its
first (``cnn.1``). A name that holds + itself is understood as long as there is one way to read the whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluate.fusion.formulas import DEFAULT_K, METHODS
from evalcore.values.errors import InputError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from evalcore.values.model import Study

MOST_K = 1e6
_FORM = re.compile(r"([a-z]+)(?:\(k=([^()]*)\))?:(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fusion:
    """A method (see `formulas.METHODS`) and the systems it puts together, by name, ascending."""

    method: str
    members: tuple[str, ...]
    k: float = DEFAULT_K

    def __str__(self) -> str:
        constant = f"(k={self.k:g})" if self.method == "rrf" and self.k != DEFAULT_K else ""
        return f"{self.method}{constant}:{'+'.join(self.members)}"


def fusion_of(
    study: Study, method: str, members: Iterable[str], *, k: float = DEFAULT_K, known: Callable[[str], str]
) -> Fusion:  # fmt: skip
    """These systems put together; ``known`` gives a system's name or raises UnknownName.

    Raises
    ------
    SettingError, UnknownName, InputError
        No such method, k out of range, no such system, fewer than two different ones, a fused one among them.
    """
    if method not in METHODS:
        raise SettingError("by", f"one of {', '.join(METHODS)}", method)
    if not 0 < k <= MOST_K:
        raise SettingError("k", f"a number above 0, at most {MOST_K:,.0f}", k)
    given = list(members)
    for name in given:
        if is_fused(study, name):
            raise InputError(f"{name!r} is fused already: name the systems it is made of instead.")
    names = tuple(sorted({known(name) for name in given}))
    if len(names) < 2:
        raise InputError(f"{method}: needs at least two different systems. Got {', '.join(names) or 'none'}.")
    return Fusion(method, names, k if method == "rrf" else DEFAULT_K)


def is_fused(study: Study, name: str) -> bool:
    """Whether a name is read as a fusion: METHOD:..., and no system of the study is called so."""
    found = _FORM.fullmatch(name)
    return found is not None and found[1] in METHODS and not _is_system(study, name)


def read(study: Study, name: str, *, known: Callable[[str], str]) -> Fusion:
    """The fusion a name means (`is_fused`); ``known`` gives a system's name or raises UnknownName.

    Raises as `fusion_of`, and InputError where the name can be read in several ways.
    """
    found = _FORM.fullmatch(name)
    assert found is not None, "asked of fused names only"
    method, constant, text = found.groups()
    try:
        k = DEFAULT_K if constant is None else float(constant)
    except ValueError:
        k = -1.0
    if constant is not None and (method != "rrf" or not 0 < k <= MOST_K):
        raise SettingError("system", f"{method}:A+B, or rrf(k=60):A+B with k above 0", name)
    pieces = text.split("+")
    ways = _ways(study, pieces)
    if len(ways) > 1:
        readings = " or ".join(" and ".join(map(repr, way)) for way in ways[:2])
        raise InputError(
            f"{name!r} can be read in several ways: {readings}. Rename one of these systems "
            "(`systems STUDY --rename NAME=NEW`), or name them by their folders."
        )
    return fusion_of(study, method, ways[0] if ways else pieces, k=k, known=known)


def _ways(study: Study, pieces: Sequence[str]) -> list[tuple[str, ...]]:
    """The ways to join pieces at + again so that each is a system; two where there are more."""

    ways: list[list[tuple[str, ...]]] = [[] for _ in pieces] + [[()]]
    for at in reversed(range(len(pieces))):
        for end in range(at + 1, len(pieces) + 1):
            name = "+".join(pieces[at:end])
            if ways[end] and (_is_system(study, name) or (end == at + 1 and name.startswith("@"))):
                ways[at] = [*ways[at], *((name, *rest) for rest in ways[end])][:2]
    return ways[0]


def _is_system(study: Study, name: str) -> bool:
    return study.holds(study.called(name))
