"""Five places of a study worth showing to somebody who sees it for the first time.

A good case, a questionable link, a disagreement of two systems, what another alpha does, and the verdict:
each is found by a rule that can be read here, never drawn, so the same study gives the same tour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalcore.engine.counts import pair_counts, space_of, values_of
from evalcore.evaluate.common_pool import limited
from evalcore.evaluate.policy import average, counted
from evalcore.evaluate.pools import pool_of
from evalcore.evaluate.scoring import score
from evalcore.evaluate.systems import lists_of, resolve_lists
from evalcore.ranking.metrics import parse_metric, sign_of
from evalcore.relevance.registry import Relevance
from evalcore.stats.levels import best_first
from evalcore.values.model import DEFINED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Scores, Study
    from evalcore.values.settings import Settings

Kind = Literal["good", "link", "apart", "alpha", "verdict"]
ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
LOOKED_THROUGH = 2_000
"""Queries in which the questionable link is looked for, from the first on."""
DEPTH = 10
"""Results of a query that are looked at for it, where the measure says no depth."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One place: ``kind`` says what it shows.

    ``query`` and ``candidate`` are image ids, "" where the place has none. ``values``: by system, the mean
    (alpha, verdict), or its value for the query (good, apart); best first. ``alpha``: another one than the
    one in use, at which the systems have the order of ``values``. ``n``: what was looked through: queries,
    or pairs of a query and a result for the link. ``relevance``: of the pair, 0 to 1.
    """

    kind: Kind
    query: str = ""
    candidate: str = ""
    values: tuple[tuple[str, float], ...] = ()
    alpha: float | None = None
    n: int = 0
    relevance: float = float("nan")

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.values)


def tour(
    study: Study, *, metric: str, systems: Sequence[str] | None = None, settings: Settings
) -> tuple[Stop, ...]:
    """Which places of this study should somebody see first?

    Parameters
    ----------
    study : empty is the tour of one whose systems have no value at all.
    metric : the label of the measure that orders systems and queries.
    systems : names; None for all systems of the study.
    settings : as everywhere; alpha and threshold decide the link and the other alpha.

    Returns
    -------
    stops : at most five, in the order of `Kind`. Left out are: the disagreement where only one system has
        values; the link where no result within the measure's depth shares nothing and is related (or there is
        no graph); alpha where the measure does not depend on it. Of equals the query with the first id
        counts, then the result with the first id.

    Raises
    ------
    UnknownName, SettingError, InputError
        As `score`; it also needs a system.
    """
    study = limited(study, systems, settings=settings)
    result = score(study, metrics=[metric], systems=systems, settings=settings)
    means = _means(result, settings)
    if not means:
        return ()
    by_name = {mean.system: mean for mean in result}
    best = [by_name[name] for name, _ in means[:2]]
    stops = [
        _good(study, best),
        _link(study, best[0].system, metric, settings),
        _apart(study, best),
        _other_alpha(study, metric, [name for name, _ in means], settings),
    ]
    verdict = Stop("verdict", values=means, n=by_name[means[0][0]].n_scored)
    return (*(stop for stop in stops if stop is not None), verdict)


def _means(scores: Sequence[Scores], settings: Settings) -> tuple[tuple[str, float], ...]:
    """(system, mean) best first, of those with a value; ``@iou`` and its like where there is no other."""
    valued = [
        (score.system, average(score.metric, counted(score, settings)[1]))
        for score in scores
        if score.n_scored
    ]
    means = [pair for pair in valued if not pair[0].startswith("@")] or valued
    order = best_first([name for name, _ in means], [sign_of(scores[0].metric) * mean for _, mean in means])
    return tuple(means[i] for i in order)


def _both(best: Sequence[Scores]) -> tuple[Ints, Floats]:
    """Queries that every one of them has a value for, and the values, shape (systems, queries)."""
    defined = np.logical_and.reduce([scores.reasons == DEFINED for scores in best])
    return best[0].queries[defined], np.stack([scores.values[defined] for scores in best])


def _at(study: Study, best: Sequence[Scores], kind: Kind, queries: Ints, values: Floats, at: int) -> Stop:
    named = tuple((scores.system, float(value)) for scores, value in zip(best, values[:, at], strict=True))
    return Stop(kind, study.image_ids[queries[at]], values=named, n=len(queries))


def _good(study: Study, best: Sequence[Scores]) -> Stop | None:
    """The query that the best two systems answer best: the poorer of its two values is the highest."""
    queries, values = _both(best)
    sign = sign_of(best[0].metric)
    at = int((sign * values).min(axis=0).argmax()) if len(queries) else 0
    return _at(study, best, "good", queries, values, at) if len(queries) else None


def _apart(study: Study, best: Sequence[Scores]) -> Stop | None:
    """The query on which the best two systems differ most."""
    queries, values = _both(best)
    if len(best) < 2 or not len(queries):
        return None
    return _at(study, best, "apart", queries, values, int(np.abs(values[0] - values[1]).argmax()))


def _link(study: Study, system: str, metric: str, settings: Settings) -> Stop | None:
    """The result that counts most although it shares not one concept with its query, only related ones."""
    if not study.knows_neighbours or not settings.threshold:
        return None
    depth = parse_metric(metric).cutoff or DEPTH
    queries = study.queries[:LOOKED_THROUGH]
    pool = pool_of(study, (), queries, settings)
    (searched, *_) = resolve_lists(study, [system])
    lists = lists_of(study, searched, pool, queries, depth=depth, settings=replace(settings, ties="id"))
    seen = (lists.ranks <= depth) & (lists.candidates >= 0)
    asked, results = lists.query_of_row[seen], lists.candidates[seen]
    space = space_of(study, Relevance("nn-iou"), settings)
    counts = pair_counts(space, asked, results, rule=settings.count_rule, threshold=settings.threshold)
    values = np.where(
        (counts.overlap == 0) & (counts.neighbours > 0), values_of(counts, "nn-iou", settings), 0
    )
    if not len(values) or values.max() <= 0:
        return None
    at = int(np.lexsort((results, asked, -values))[0])
    query, result = study.image_ids[asked[at]], study.image_ids[results[at]]
    value = float(values[at])
    return Stop("link", query, result, values=((system, value),), n=len(values), relevance=value)


def _other_alpha(study: Study, metric: str, order: list[str], settings: Settings) -> Stop | None:
    """The alpha that changes the order of the systems most; the first system counts before all others.

    Among alphas that change it equally the one furthest from the alpha in use, then the smaller.
    """
    relevance = parse_metric(metric).relevance
    if relevance is None or relevance.partition("[")[0] != "nn-iou" or not study.knows_neighbours:
        return None
    result = []
    for alpha in (alpha for alpha in ALPHAS if alpha != settings.alpha):
        asked = replace(settings, alpha=alpha)
        means = _means(score(study, metrics=[metric], systems=order, settings=asked), asked)
        now = [name for name, _ in means]
        moved = sum(abs(now.index(name) - i) for i, name in enumerate(order))
        result.append(((now[0] != order[0], moved, abs(alpha - settings.alpha), -alpha), alpha, means))
    _, alpha, means = max(result)
    return Stop("alpha", values=means, alpha=alpha, n=len(study.queries))
