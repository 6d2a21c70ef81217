"""Where the score comes from: findings, or only how and where an image was taken."""

from __future__ import annotations

import pandas as pd

from evalcore.evaluate.by_kind import FromKinds, from_kinds
from evalcore.evaluate.targets import metric_of
from evalcore.figures.concepts.kinds import NAMES, kind_shares, results_by_kind
from evalcore.relevance.registry import RELEVANCE, parse_relevance
from evalcore.report import verdicts
from evalcore.ui.components import figure, table
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.values.markdown import md_escape
from evalcore.values.writing import pluralize, span


def section(context: Context) -> None:
    """Two figures and a table; by the relevance of the chosen measure, else nn-IoU or IoU."""
    study, choice = context.study, context.choice
    by, k = _by(context), choice.k if choice.measure.cut else 10
    found = cache.remember(
        cache.key_of("from kinds", study, choice, by, k),
        lambda: from_kinds(study, relevance=by, systems=choice.systems, k=k, settings=choice.settings),
    )
    if not found:
        return
    order = verdicts.ranked_systems(cache.intervals(study, choice))
    place = {name: i for i, name in enumerate(order)}
    found = tuple(sorted(found, key=lambda one: place.get(one.system, len(place))))
    figure.show(context, results_by_kind(found, theme=context.theme), key="kinds-results")
    figure.show(context, kind_shares(found, theme=context.theme), key="kinds-shares")
    _table(context, found)


def _by(context: Context) -> str:
    study, choice = context.study, context.choice
    relevance = metric_of(study, choice.metric, choice.settings).relevance
    if relevance is not None and parse_relevance(relevance).kind in RELEVANCE:
        return relevance
    return "nn-iou" if study.knows_neighbours else "iou"


def _table(context: Context, found: tuple[FromKinds, ...]) -> None:
    kinds = [kind for kind in NAMES if any(kind in one.shares for one in found)]
    rows = pd.DataFrame(
        [
            {
                "System": one.system,
                "Only modality, plane, anatomy": 100 * one.only_setting,
                "95% interval": span(100 * one.low, 100 * one.high, places=1),
                "More": 100 * one.with_more,
                "Nothing": 100 * one.nothing,
                **{f"{NAMES[kind]}, share of score": 100 * one.shares.get(kind, 0.0) for kind in kinds},
                "Queries": one.n_queries,
                "With a finding": one.n_with_finding,
                "Results": one.n_results,
            }
            for one in found
        ]
    )
    shares = ["Only modality, plane, anatomy", "More", "Nothing"]
    shares += [name for name in rows.columns if name.endswith("share of score")]
    assert context.study.kinds is not None, "offered only with kinds"
    first = found[0]
    table.show(
        rows,
        key="kinds-table",
        columns=table.numbers("%.1f%%", *shares),
        file=context.stem("kinds"),
        note=md_escape(
            f"First {pluralize(first.k, 'result')}, {first.relevance}; kinds by "
            f"{context.study.kinds.source}. "
            "A query without a finding cannot share one: see the last columns."
        ),
        alt=f"Where the scores of {pluralize(len(rows), 'system')} come from",
    )
