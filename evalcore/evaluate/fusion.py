"""How several ranked lists become one: the formulas, over all queries at once.

r_m(d) is the 1-based rank of image d in the list of member m, s_m(d) its score there; sums go over the
members that returned d. What a member did not return counts as the table says.

| method | score of d | not returned by a member |
|---|---|---|
| rrf | sum of 1 / (k + r_m(d)) | adds 0 |
| combsum | sum of n_m(d), n the score from 0 to 1: (s - min) / (max - min) of the list | adds 0 |
| combmnz | combsum times the number of members that returned d | adds 0, and is not counted |
| isr | number of members that returned d, times the sum of 1 / r_m(d)^2 | adds 0, and is not counted |
| borda | sum of c - r_m(d) + 1, c different images in all lists of the query | shares the points left over |

A list of equal scores has n = 1. In Borda's count a list of length l leaves the points c - l, ..., 1 over, so
each image it does not hold gets their mean (c - l + 1) / 2.

Sources: Cormack, Clarke & Buettcher 2009, doi:10.1145/1571941.1572114 (RRF, k = 60); Fox & Shaw 1994, TREC-2
(CombSUM, CombMNZ), normalised as in Lee 1997, doi:10.1145/258525.258587; Mourao, Martins & Magalhaes 2015,
doi:10.1016/j.compmedimag.2014.05.006 (ISR); Aslam & Montague 2001, doi:10.1145/383952.384007 (Borda).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalcore.stats.sums import list_sums
from evalcore.values.arrays import indptr_of, ranks_of, rows_of
from evalcore.values.errors import InputError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evalcore.values.arrays import Floats, Ints, Offsets
    from evalcore.values.model import Study

DEFAULT_K = 60


class Ranked(NamedTuple):
    """Ranked lists of n queries, best first, in CSR form; candidate -1 is an image nobody knows."""

    indptr: Offsets
    candidates: Ints
    scores: Floats


class Rows(NamedTuple):
    """What one result says, aligned: its rank and its score in its list, the list's length, lowest and
    highest score, and how many different images all lists of the query hold."""

    ranks: Offsets
    scores: Floats
    lengths: Offsets
    lowest: Floats
    highest: Floats
    different: Offsets


@dataclass(frozen=True, slots=True)
class Method:
    """One way to fuse: what a result adds, and whether the sum is multiplied by the number of members that
    returned the image."""

    adds: Callable[[Rows, float], Floats]
    times_members: bool = False


def _from_0_to_1(rows: Rows, _: float) -> Floats:
    # Halves: the ends of a list may lie further apart than the largest float.
    above, width = rows.scores / 2 - rows.lowest / 2, rows.highest / 2 - rows.lowest / 2
    shares: Floats = np.divide(above, width, out=np.ones_like(width), where=width > 0)
    return shares


def _reciprocal(rows: Rows, k: float) -> Floats:
    terms: Floats = 1.0 / (k + rows.ranks.astype(np.float64))
    return terms


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "rrf": Method(_reciprocal),
        "combsum": Method(_from_0_to_1),
        "combmnz": Method(_from_0_to_1, times_members=True),
        "isr": Method(lambda rows, _: 1.0 / rows.ranks.astype(float) ** 2, times_members=True),
        "borda": Method(lambda rows, _: (rows.different + rows.lengths + 1 - 2 * rows.ranks) / 2),
    }
)


def fuse(lists: Sequence[Ranked], method: str, *, k: float = DEFAULT_K) -> Ranked:
    """One list per query out of those of several members.

    Parameters
    ----------
    lists
        Of each member, aligned by query, ranked by score descending and image ascending; an empty list where
        it does not answer. An image not in the study (-1) is another one each time.
    method
        A key of `METHODS`. Only combsum and combmnz look at the scores, which must be finite.
    k
        Of RRF, above 0.

    Returns
    -------
    Ranked
        Every image of every list once, by fused score descending, then image ascending, -1 last. Sums are
        exact before they are rounded, so members in another order give the same scores and the same ties.
    """
    n = len(lists[0].indptr) - 1
    width = 1 + max((int(ranked.candidates.max(initial=0)) for ranked in lists), default=0)
    total = sum(len(ranked.candidates) for ranked in lists)
    stride = width + total  # unknown images get numbers of their own above the others
    parts = [_member(ranked) for ranked in lists]
    queries = np.concatenate([rows_of(ranked.indptr) for ranked in lists])
    candidates = np.concatenate([ranked.candidates for ranked in lists])
    unknown = np.flatnonzero(candidates < 0)
    images = candidates.astype(np.int64)
    images[unknown] = width + unknown
    keys = queries * stride + images
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    starts = np.append(first, len(keys))
    per_query = np.bincount(keys[first] // stride, minlength=n)
    ranks, scores, lengths, lowest, highest = (
        np.concatenate(column)[order] for column in zip(*parts, strict=True)
    )
    rows = Rows(ranks, scores, lengths, lowest, highest, per_query[queries[order]])
    how = METHODS[method]
    sums = list_sums(starts, how.adds(rows, k))
    if how.times_members:
        sums = sums * np.diff(starts)
    if method == "borda":
        sums += _left_over(lists, per_query)[keys[first] // stride]
    best = np.lexsort((-sums, keys[first] // stride))  # stable: equal scores stay by ascending image
    return Ranked(indptr_of(per_query), candidates[order[first]][best], sums[best])


def _member(ranked: Ranked) -> tuple[Offsets, Floats, Offsets, Floats, Floats]:
    """Ranks, scores, and of each row's list the length, the lowest and the highest score."""
    lengths = np.diff(ranked.indptr)
    ranks = ranks_of(ranked.indptr)
    ends = ranked.indptr[1:][lengths > 0] - 1, ranked.indptr[:-1][lengths > 0]
    lowest, highest = (np.repeat(ranked.scores[end], lengths[lengths > 0]) for end in ends)
    return ranks, ranked.scores, np.repeat(lengths, lengths), lowest, highest


def _left_over(lists: Sequence[Ranked], different: Offsets) -> Floats:
    """Borda points that every image of a query gets from every member, as if none had returned it."""
    shares = [(different - np.diff(ranked.indptr) + 1) / 2 for ranked in lists]
    total: Floats = np.sum(shares, axis=0)
    return total


# Fused systems by name: ``rrf:cnn+text`` is a system wherever the name of one is asked for.
#
# METHOD:A+B+..., with ``rrf(k=10):`` for another constant than 60. The members are systems of the study, by
# name or key, or rankings by a relevance (``@iou``). A member of several seeds is its first (``cnn.1``). A
# name that holds + itself is understood as long as there is one way to read the whole.

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
) -> Fusion:
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
    match = _FORM.fullmatch(name)
    return match is not None and match[1] in METHODS and not _is_system(study, name)


def read(study: Study, name: str, *, known: Callable[[str], str]) -> Fusion:
    """The fusion a name means (`is_fused`); ``known`` gives a system's name or raises UnknownName.

    Raises as `fusion_of`, and InputError where the name can be read in several ways.
    """
    match = _FORM.fullmatch(name)
    assert match is not None, "asked of fused names only"
    method, constant, text = match.groups()
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
