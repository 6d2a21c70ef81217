"""Several systems as one by reciprocal rank fusion: ``rrf:cnn+text`` is a system wherever one is named.

The score of an image is the sum over the members that returned it of 1 / (k + its 1-based rank there), k = 60
or as in ``rrf(k=10):cnn+text`` (Cormack, Clarke & Buettcher 2009, doi:10.1145/1571941.1572114). Members are
systems of the study, by name or key, or rankings by a relevance (``@iou``). A name that holds + itself
is understood as long as there is one way to read the whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.stats.sums import list_sums
from evalcore.values.arrays import indptr_of, ranks_of, rows_of
from evalcore.values.errors import InputError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.model import Study

DEFAULT_K, MOST_K = 60, 1e6
_FORM = re.compile(r"rrf(?:\(k=([^()]*)\))?:(.*)", re.DOTALL)


class Ranked(NamedTuple):
    """Ranked lists of n queries, best first, in CSR form; candidate -1 is an image nobody knows."""

    indptr: Offsets
    candidates: Ints
    scores: Floats


def fuse(lists: Sequence[Ranked], *, k: float = DEFAULT_K) -> Ranked:
    """One list per query out of those of several members, aligned by query; empty where one does not answer.

    An image not in the study (-1) is another one each time; ``k``: above 0.

    Returns
    -------
    Ranked
        Every image of every list once, by fused score descending, then image ascending, -1 last. Sums are
        exact before they are rounded, so members in another order give the same scores and the same ties.
    """
    queries, candidates, ranks = (
        np.concatenate(column)
        for column in zip(
            *((rows_of(ranked.indptr), ranked.candidates, ranks_of(ranked.indptr)) for ranked in lists),
            strict=True,
        )
    )
    width = 1 + int(candidates.max(initial=0))
    images = candidates.astype(np.int64)
    unknown = np.flatnonzero(candidates < 0)
    images[unknown] = width + unknown  # numbers of their own above the others
    keys = queries * (width + len(candidates)) + images
    order = np.argsort(keys)
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))
    sums = list_sums(np.append(first, len(keys)), 1.0 / (k + ranks[order].astype(np.float64)))
    of_sum = queries[order[first]]
    best = np.lexsort((-sums, of_sum))  # stable: equal scores stay by ascending image
    per_query = np.bincount(of_sum, minlength=len(lists[0].indptr) - 1)
    return Ranked(indptr_of(per_query), candidates[order[first]][best], sums[best])


@dataclass(frozen=True, slots=True)
class Fusion:
    """The systems put together, by name, ascending, and the constant."""

    members: tuple[str, ...]
    k: float = DEFAULT_K

    def __str__(self) -> str:
        return f"rrf{f'(k={self.k:g})' if self.k != DEFAULT_K else ''}:{'+'.join(self.members)}"


def is_fused(study: Study, name: str) -> bool:
    """Whether a name is read as a fusion: rrf:..., and no system of the study is called so."""
    return _FORM.fullmatch(name) is not None and not study.holds(name)


def read(study: Study, name: str, *, known: Callable[[str], str]) -> Fusion:
    """The fusion a name means (`is_fused`); ``known`` gives a system's name or raises UnknownName.

    Raises
    ------
    SettingError, UnknownName, InputError
        k out of range, no such system, fewer than two different ones, a fused one among them; a name that can
        be read in several ways.
    """
    match = _FORM.fullmatch(name)
    assert match is not None, "asked of fused names only"
    try:
        k = DEFAULT_K if match[1] is None else float(match[1])
    except ValueError:
        k = -1.0
    if not 0 < k <= MOST_K:
        raise SettingError("system", "rrf:A+B, or rrf(k=60):A+B with k above 0", name)
    pieces = match[2].split("+")
    ways = _ways(study, pieces)
    if len(ways) > 1:
        readings = " or ".join(" and ".join(map(repr, way)) for way in ways[:2])
        raise InputError(
            f"{name!r} can be read in several ways: {readings}. Rename one of these systems "
            "by a title in study.toml, or name them by their folders."
        )
    for member in (members := ways[0] if ways else pieces):
        if is_fused(study, member):
            raise InputError(f"{member!r} is fused already: name the systems it is made of instead.")
    names = tuple(sorted({known(member) for member in members}))
    if len(names) < 2:
        raise InputError(f"rrf: needs at least two different systems. Got {', '.join(names) or 'none'}.")
    return Fusion(names, k)


def _ways(study: Study, pieces: Sequence[str]) -> list[tuple[str, ...]]:
    """The ways to join pieces at + again so that each is a system; two where there are more."""
    ways: list[list[tuple[str, ...]]] = [[] for _ in pieces] + [[()]]
    for at in reversed(range(len(pieces))):
        for end in range(at + 1, len(pieces) + 1):
            name = "+".join(pieces[at:end])
            there = study.holds(name) or (end == at + 1 and name.startswith("@"))
            if ways[end] and there:
                ways[at] = [*ways[at], *((name, *rest) for rest in ways[end])][:2]
    return ways[0]
