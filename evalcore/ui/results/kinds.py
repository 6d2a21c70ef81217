"""Where the score comes from: findings, or only how and where an image was taken."""

from __future__ import annotations

from evalcore.evaluate.by_kind import FromKinds, from_kinds
from evalcore.evaluate.targets import metric_of
from evalcore.figures.counts import NAMES, kind_shares, results_by_kind
from evalcore.relevance.registry import RELEVANCE, parse_relevance
from evalcore.report import verdicts
from evalcore.results.study import shares_table
from evalcore.ui.components import figure, table
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.values.writing import md_escape, pluralize


def section(context: Context) -> None:
    """Two figures and a table; by the relevance of the chosen measure, else nn-IoU or IoU."""
    study, choice = context.study, context.choice
    by, k = _by(context), choice.k if choice.measure.cut else 10
    result = cache.remember(
        cache.key_of("from kinds", study, choice, by, k),
        lambda: from_kinds(study, relevance=by, systems=choice.systems, k=k, settings=choice.settings),
    )
    if not result:
        return
    order = verdicts.ranked_systems(cache.analysis(study, choice).means_of())
    place = {name: i for i, name in enumerate(order)}
    result = tuple(sorted(result, key=lambda one: place.get(one.system, len(place))))
    figure.show(context, results_by_kind(result, theme=context.theme), key="kinds-results")
    figure.show(context, kind_shares(result, theme=context.theme), key="kinds-shares")
    _table(context, result)


def _by(context: Context) -> str:
    study, choice = context.study, context.choice
    relevance = metric_of(study, choice.metric, choice.settings).relevance
    if relevance is not None and parse_relevance(relevance).kind in RELEVANCE:
        return relevance
    return "nn-iou" if study.knows_neighbours else "iou"


def _table(context: Context, kinds: tuple[FromKinds, ...]) -> None:
    assert context.study.kinds is not None, "offered only with kinds"
    first = kinds[0]
    table.declared(
        context,
        shares_table(kinds, NAMES),
        key="kinds-table",
        file="kinds",
        note=md_escape(
            f"First {pluralize(first.k, 'result')}, {first.relevance}; kinds by "
            f"{context.study.kinds.source}. "
            "Queries with no finding are listed in the last columns."
        ),
        alt=f"Where the scores of {pluralize(len(kinds), 'system')} come from",
    )
