"""Are systems compared on equal terms? Which images each one searches, and the study they all share.

A system that searches 166 of 1,102 images leaves out most wrong answers, and most right ones. Its values and
those of the others can be compared over *common queries and candidates* only: a study whose candidates are
the images that every system searches, so that rankings, ideals, numbers of relevant images and label pools
follow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from evalcore import engine
from evalcore.arrays import Bools, Ints, Offsets, digest_of, frozen, runs_of, starts_of
from evalcore.errors import SettingError
from evalcore.evaluate.systems import common_queries, resolve_systems
from evalcore.model import Run, Study
from evalcore.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Which = Literal["all", "common", "common-pool"]
"""All queries; those that every system answers; these, with the candidates that every system searches."""
Source = Literal["run", "vectors", "all", "members", "seeds"]

_RARE = 10
"""An image never returned is no wonder as long as there are fewer than so many times the unseen expected."""
_LEAST = 0.01
"""Share of the candidates that has to be missing from a run before its pool counts as smaller."""
_OFTEN = 5
"""How often a run that leaves queries unanswered has to return what it knows, on average."""
_LOOKED_AT, _PLACES, _STEP = 200, 20, 1e-4
"""Queries and results by which a run is held against its vectors, and the rounding that is let pass."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchedPool:
    """The candidates one system searches: ``images``, shape (n_images,), and what says so."""

    system: str
    images: Bools
    source: Source

    @property
    def n(self) -> int:
        return int(np.count_nonzero(self.images))


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What systems of a study are compared over; `limit` gives the study with nothing else in it.

    ``queries`` and ``candidates`` are image indices, of ``n_all`` candidates of the study. ``runs``: filtered
    to these candidates, None where they stay as they are. ``by_vectors``, ``filtered``: the systems with a
    run that were ranked again by their vectors, and those whose run lost the other candidates.
    """

    which: Which
    pools: tuple[SearchedPool, ...]
    differ: bool
    n_all: int
    queries: Ints
    candidates: Ints
    digest: str
    runs: Mapping[str, Run] | None = None
    by_vectors: tuple[str, ...] = ()
    filtered: tuple[str, ...] = ()

    def limit(self, study: Study) -> Study:
        """The study this was found for, limited; the study itself where nothing is."""
        if self.digest == study.digest:
            return study
        runs = study.runs if self.runs is None else self.runs
        return replace(study, queries=self.queries, candidates=self.candidates, runs=runs, digest=self.digest)


def searched_pool(study: Study, system: str) -> SearchedPool:
    """Which of the study's candidates does a system search?

    The images it has vectors for and those it returned. A run without vectors shows its pool only where
    images are missing that it should have returned: see `_never_there`; otherwise the pool is all candidates.
    A relevance such as ``@iou`` ranks all candidates, ``@cosine:hog`` those with a vector; a fused system
    searches what any of its members searches, one of several seeds what any of them does. Where only some
    queries were chosen the others still show what a system searches.

    Raises UnknownName when there is no such system.
    """
    study = study.whole or study
    (found,) = resolve_systems(study, [system])
    if several := found.members or found.seeds:
        of_each = [searched_pool(study, one.name).images for one in several]
        source: Source = "members" if found.members else "seeds"
        return SearchedPool(found.name, frozen(np.logical_or.reduce(of_each)), source)
    system = found.name
    candidates = np.zeros(len(study.image_ids), np.bool_)
    candidates[study.candidates] = True
    relevance = found.relevance
    seen = np.zeros_like(candidates)
    if found.run is not None:
        run = found.run
        known = run.candidates[run.candidates >= 0]
        times = np.bincount(known, minlength=len(candidates))
        seen = times > 0
        seen[run.queries] = True
        missing = candidates & ~seen
        if _never_there(study, run, times[candidates], missing):
            return SearchedPool(system, frozen(candidates & seen), "run")
        relevance = f"cosine:{system}" if system in study.embeddings else None
    if relevance is None or not relevance.startswith("cosine:"):
        return SearchedPool(system, frozen(candidates), "all")
    with_vector = np.zeros_like(candidates)
    with_vector[study.candidates] = engine.has_relevance(study, relevance, study.candidates)
    return SearchedPool(system, frozen(candidates & (with_vector | seen)), "vectors")


def _never_there(study: Study, run: Run, times: Ints | Offsets, missing: Bools) -> bool:
    """Whether images that a run neither returns nor asks about were never among its candidates.

    Short lists leave images out by chance. How many is estimated from those returned once (f1) and twice
    (f2): about f1 (f1 - 1) / (2 (f2 + 1)), Chao 1984, bias-corrected. Ten times as many, and a hundredth of
    all candidates, have to be missing. The run must also be long enough: with room to return each candidate
    once where it answers every query, else as long as to return each of those it knows five times.
    """
    n_missing, n = int(np.count_nonzero(missing)), len(study.candidates)
    once, twice = int(np.count_nonzero(times == 1)), int(np.count_nonzero(times == 2))
    unseen = once * (once - 1) / (2 * (twice + 1))
    if n_missing <= max(_RARE * unseen, _LEAST * n):
        return False
    every_query = np.isin(study.queries, run.queries).all()
    return len(run.candidates) >= (n if every_query else _OFTEN * (n - n_missing))


def searched_pools(study: Study, systems: Sequence[str]) -> tuple[SearchedPool, ...]:
    """The pool of each system, each once, in this order."""
    return tuple(searched_pool(study, name) for name in dict.fromkeys(systems))


def pools_differ(pools: Sequence[SearchedPool]) -> bool:
    """Whether the systems search different images."""
    return any(not np.array_equal(pools[0].images, one.images) for one in pools[1:])


def usual(pools: Sequence[SearchedPool]) -> Which:
    """What is compared unless the user chooses: the common pool where pools differ but overlap, else all.

    Systems that search no two images in common have no common pool to be compared over.
    """
    shared = np.count_nonzero(np.logical_and.reduce([one.images for one in pools]))
    return "common-pool" if pools_differ(pools) and shared > 1 else "all"


def compared_over(
    study: Study, systems: Sequence[str] | None = None, *, which: Which | None = None,
    settings: Settings = Settings(), pools: tuple[SearchedPool, ...] | None = None,
) -> Compared:  # fmt: skip
    """What should these systems be compared over?

    Parameters
    ----------
    systems
        Names, ``@relevance`` among them; None for all systems of the study.
    which
        None: as `usual`.
    pools
        Those of the systems, where they were found before.

    Returns
    -------
    Compared
        With "common-pool" the candidates are those that every system searches and the queries those that
        every system answers. A run with vectors that explain its order is ranked again by them, so that no
        list is short; any other run loses the other candidates, and its lists may then hold fewer than K
        (`Scores.short`).

    Raises
    ------
    SettingError, UnknownName, InputError
        No such choice, no such system, no systems.
    """
    names = [one.name for one in resolve_systems(study, systems)]
    pools = searched_pools(study, names) if pools is None else pools
    differ = pools_differ(pools)
    which = which or usual(pools)
    if which not in get_args(Which):
        raise SettingError("queries", f"one of {', '.join(get_args(Which))}", which)
    found = Compared(
        which, pools, differ, len(study.candidates), study.queries, study.candidates, study.digest
    )
    if which == "all":
        return found
    found = replace(found, queries=frozen(common_queries(study, names, settings=settings)))
    if which == "common-pool":
        found = _within(study, found, settings)
    if len(found.queries) == len(study.queries) and len(found.candidates) == len(study.candidates):
        return found
    # The digest of the study stays in front: it is the same study, looked at in part.
    part = digest_of(which, found.queries, found.candidates, found.by_vectors, found.filtered)
    return replace(found, digest=f"{study.digest}+{part[:8]}")


def _within(study: Study, found: Compared, settings: Settings) -> Compared:
    """The same over the candidates that all systems search, with rankings of these only."""
    shared = np.logical_and.reduce([one.images for one in found.pools])
    candidates = study.candidates[shared[study.candidates]]
    if len(candidates) == len(study.candidates):
        return found
    by_vectors = [name for name in study.runs if _ranked_by_vectors(study, name)]
    runs = {name: _filtered(run, shared) for name, run in study.runs.items() if name not in by_vectors}
    names = [one.system for one in found.pools]
    chosen = resolve_systems(study, names)
    used = dict.fromkeys([*names, *(one.name for of in chosen for one in (*of.members, *of.seeds))])
    answered = common_queries(replace(study, runs=runs), names, settings=settings)
    return replace(
        found, candidates=frozen(candidates), runs=runs,
        queries=frozen(found.queries[np.isin(found.queries, answered)]),
        by_vectors=tuple(name for name in used if name in by_vectors),
        filtered=tuple(name for name in used if name in runs),
    )  # fmt: skip


def _filtered(run: Run, shared: Bools) -> Run:
    """A run without other candidates; a query left with none is still answered."""
    kept = np.append(shared, False)[run.candidates]  # the last is for images the study does not know
    indptr = starts_of(kept)[run.indptr]
    return Run.from_arrays(run.system, run.queries, indptr, run.candidates[kept], run.scores[kept])


def _ranked_by_vectors(study: Study, system: str) -> bool:
    """Whether a run stands in the order of the cosines of its system's vectors (in a sample of its lists)."""
    run = study.runs[system]
    if system not in study.embeddings or not len(run.queries):
        return False
    step = -(-len(run.queries) // _LOOKED_AT)
    lists = np.arange(0, len(run.queries), step)
    lengths = np.minimum(np.diff(run.indptr)[lists], _PLACES)
    rows = runs_of(run.indptr[lists], lengths)
    asked = np.repeat(run.queries[lists], lengths)
    others = run.candidates[rows] != asked  # the query itself may stand anywhere
    relevance = f"cosine:{system}"
    cosines = engine.relevance_of_pairs(
        study, relevance, asked[others], run.candidates[rows][others], Settings()
    )
    starts = starts_of(others)[starts_of(lengths)]
    falls = np.diff(cosines) <= _STEP
    inner = np.ones(len(falls), np.bool_)
    inner[starts[(starts > 0) & (starts <= len(falls))] - 1] = False
    return bool(falls[inner].all()) and not np.isnan(cosines).any()


def in_words(found: Compared) -> list[str]:
    """Which images each system searches, and what is compared; nothing where all search the same."""
    if not found.differ:
        return []
    smaller = [one for one in found.pools if one.n < found.n_all]
    sizes = ", ".join(f"{one.system} {one.n:,}" for one in smaller)
    first = f"The systems search different images: {sizes} of {found.n_all:,} candidates"
    rest = "the others all" if len(smaller) < len(found.pools) else ""
    lines = [f"{first}{', ' * bool(rest)}{rest}."]
    if any(one.source == "members" for one in found.pools):
        lines.append("A fused system searches what any of its members searches.")
    if usual(found.pools) == "all":
        return [*lines, "They have no images in common, so that nothing compares them fairly."]
    if found.which != "common-pool":
        over = "all queries" if found.which == "all" else "common queries"
        return [
            *lines,
            f"Compared over {over}, but not over the same candidates: a system with fewer has other chances.",
        ]
    queries, candidates = len(found.queries), len(found.candidates)
    lines.append(
        f"Compared over {queries:,} queries that all answer and {candidates:,} candidates that all search; "
        "ideals and numbers of relevant images are those of these candidates."
    )
    if found.by_vectors:
        lines.append(f"Ranked again by their vectors: {', '.join(found.by_vectors)}.")
    if found.filtered:
        lines.append(
            f"Runs without the other candidates, where lists may be shorter: {', '.join(found.filtered)}."
        )
    return lines
