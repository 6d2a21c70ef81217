"""What the rest of the program asks the engine: one way to ask for every relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.engine import cluster, ideals
from evalcore.engine.counts import formula_of, relevance_of_sets
from evalcore.engine.listing import best_of_sets, rank_sets
from evalcore.engine.semantic import best_of_concepts, rank_concepts, relevance_of_concepts
from evalcore.engine.space import space_key
from evalcore.engine.vectors import best_of_vectors, cosine_of_pairs, has_vector, rank_vectors, squares_of
from evalcore.errors import SettingError
from evalcore.model import Run, digest_of
from evalcore.relevance.registry import check_relevance, parse_relevance

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from evalcore.engine.blocks import Progress
    from evalcore.model import Bools, Embeddings, Floats, Ints, Study
    from evalcore.settings import Settings

QUERY_BLOCK = 2048
"""Queries a caller should ask for at once when the answers are as long as the list of candidates."""


def relevance_of_pairs(
    study: Study, relevance: str, queries: Ints, candidates: Ints, settings: Settings
) -> Floats:
    """How relevant is each candidate to its query? Any relevance name, m aligned pairs of image indices.

    Parameters
    ----------
    relevance
        Any name of ``relevance.registry``, ``cosine:SYSTEM`` and ``matching:path`` among them.
    queries, candidates
        Shape (m,), in any order; pairs of one query next to each other are fastest. Candidate -1 is an
        image the study does not know.

    Returns
    -------
    values, shape (m,)
        NaN only where the query itself has no such relevance: not annotated, or without an embedding.
        0 for candidates that are unknown, not annotated or without embedding, and for two empty sets.

    Raises
    ------
    UnknownName
        No such relevance, or the system has no embeddings.
    InputError
        The relevance compares concepts by a graph, and the study has none.
    """
    embeddings = _embeddings(study, relevance)
    if embeddings is not None:
        return cosine_of_pairs(embeddings, queries, candidates)
    if (parsed := parse_relevance(relevance)).concept is not None:
        return relevance_of_concepts(study, parsed, queries, candidates)
    return relevance_of_sets(study, relevance, queries, candidates, settings)


def rank(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int | None,
    settings: Settings,
    whole_ties: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Which candidates does a relevance put first? The study searched by relevance itself, as a run.

    Parameters
    ----------
    queries, candidates
        Image indices, in any order; repeated ones count once.
    depth
        Places per query; None ranks all candidates.
    whole_ties
        A list goes on beyond ``depth`` to the end of the tie group that begins before it.
    progress
        Told the share done and, where that is worth saying, what is being done; raise in it to cancel.

    Returns
    -------
    Run called ``@relevance``, by score descending and then image index
        Scores are the relevance values. The query is not among its own candidates unless
        ``settings.include_self``. Queries without such a relevance (not annotated, no embedding) are
        absent; candidates without concepts stand among those of value 0, candidates without an
        embedding are left out.
    """
    embeddings = _embeddings(study, relevance)
    queries = np.unique(queries)[_defined(study, embeddings, np.unique(queries))]
    candidates, depth = np.unique(candidates), _depth(depth, candidates)
    parsed = parse_relevance(relevance)
    # SET:CONCEPT is ranked here even beside a cluster: its workers have no graph.
    machines = cluster.active()
    if machines is not None and parsed.concept is None:
        return cluster.rank(
            machines, study, relevance, queries, candidates=candidates, depth=depth, settings=settings,
            whole_ties=whole_ties, tell=progress,
        )  # fmt: skip
    if parsed.concept is not None:
        lists = rank_concepts(
            study, parsed, queries, candidates, depth=depth, include_self=settings.include_self,
            whole_ties=whole_ties, tell=progress,
        )  # fmt: skip
    elif embeddings is None:
        lists = rank_sets(
            study, relevance, queries, candidates, depth=depth, settings=settings, whole_ties=whole_ties,
            tell=progress,
        )  # fmt: skip
    else:
        lists = rank_vectors(
            embeddings,
            queries,
            candidates,
            depth=depth,
            include_self=settings.include_self,
            whole_ties=whole_ties,
            tell=progress,
        )
    return Run.from_arrays(f"@{relevance}", queries, *lists)


def ideal_gains(
    study: Study, relevance: str, queries: Ints, *, candidates: Ints, depth: int | None, settings: Settings,
    progress: Progress | None = None,
) -> Floats:  # fmt: skip
    """The ``depth`` largest relevance values any ranking of the candidates could collect for each query.

    Shape (queries, depth), descending, filled up with 0 where there are fewer candidates; None for all
    candidates. NaN rows where the query has no such relevance. Parameters as in `rank`.
    """
    best: Floats = ideal_gains_of(
        study, relevance, queries, candidates=candidates, depth=depth, settings=(settings,),
        progress=progress,
    )[0]  # fmt: skip
    return best


def ideal_gains_of(
    study: Study,
    relevance: str,
    queries: Ints,
    *,
    candidates: Ints,
    depth: int | None,
    settings: Sequence[Settings],
    progress: Progress | None = None,
) -> Floats:
    """`ideal_gains` under several settings, shape (settings, queries, depth).

    Settings that differ in nothing but alpha and form share one count of all pairs. Answers are
    remembered by content (see `ideals`), so a study's next run finds them ready.
    """
    embeddings = _embeddings(study, relevance)
    candidates, depth = np.unique(candidates), _depth(depth, candidates)
    asked = digest_of(queries, candidates, depth)
    keys = [(asked, *_meaning(study, embeddings, relevance, one)) for one in settings]
    known = {key: values for key in keys if (values := ideals.recall(key)) is not None}
    new = {key: one for key, one in zip(keys, settings, strict=True) if key not in known}
    machines, parsed = cluster.active(), parse_relevance(relevance)
    if parsed.concept is not None:
        for key, one in new.items():
            known[key] = best_of_concepts(
                study, parsed, queries, candidates, depth=depth, include_self=one.include_self, tell=progress
            )
    elif new and machines is not None:
        values = cluster.ideals(
            machines, study, relevance, queries, candidates=candidates, depth=depth, settings=[*new.values()],
            tell=progress,
        )  # fmt: skip
        known |= {key: best.copy() for key, best in zip(new, values, strict=True)}
    elif new and embeddings is None:
        values = best_of_sets(
            study, relevance, queries, candidates, depth=depth, settings=[*new.values()], tell=progress
        )
        known |= {key: best.copy() for key, best in zip(new, values, strict=True)}
    elif embeddings is not None:
        for key, one in new.items():
            known[key] = best_of_vectors(
                embeddings, queries, candidates, depth=depth, include_self=one.include_self, tell=progress
            )
    for key in new:
        ideals.keep(key, known[key])
    return np.stack([known[key] for key in keys])


def _meaning(
    study: Study, embeddings: Embeddings | None, relevance: str, settings: Settings
) -> tuple[Hashable, ...]:
    """All that a relevance under these settings depends on."""
    if embeddings is not None:
        return embeddings.digest, settings.include_self
    if parse_relevance(relevance).concept is not None:
        return relevance, space_key(study, 0, "undirected"), settings.include_self
    formula = formula_of(relevance, settings)
    near = space_key(study, formula.threshold, settings.direction if formula.threshold else "undirected")
    return formula, near, settings.include_self


def _embeddings(study: Study, relevance: str) -> Embeddings | None:
    """The embeddings that ``cosine:SYSTEM`` means; None for set relevances."""
    system = check_relevance(relevance, study.embeddings).system
    return None if system is None else study.embeddings[system]


def _defined(study: Study, embeddings: Embeddings | None, queries: Ints) -> Bools:
    """Which queries have such a relevance at all."""
    if embeddings is None:
        annotated: Bools = study.concepts.annotated[queries]
        return annotated
    return has_vector(embeddings, squares_of(embeddings), queries)


def _depth(depth: int | None, candidates: Ints) -> int:
    """Places asked for; all when None."""
    if depth is None:
        return len(candidates)
    if depth < 0:
        raise SettingError("depth", "an integer >= 0, or None for all", depth)
    return depth
