"""The parts of the overview: concept and cards, figures, leaderboard, where to go next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan

import streamlit as st

from evalcore.evaluate.comparison import at_the_floor
from evalcore.evaluate.systems import about_means
from evalcore.evaluate.targets import metric_of
from evalcore.figures.curves import leaderboard_multiples, metric_curves, precision_recall
from evalcore.figures.frame import empty_figure
from evalcore.figures.leaderboard import difference_dots, leaderboard_dots
from evalcore.ranking.binary import LEVELS
from evalcore.report import sections, verdicts
from evalcore.ui.components import figure, messages, select, table
from evalcore.ui.components import pair as reach
from evalcore.ui.frame import cache, measures, state
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.pages import BOUNDS, SYSTEM_A, SYSTEM_B
from evalcore.ui.overview import kinds, leaderboard, several
from evalcore.values.label_types import label_types
from evalcore.values.markdown import md_escape
from evalcore.values.model import Comparison, Interval
from evalcore.values.writing import pluralize

CARD_WIDTH = 245
DOWN, AGAINST, OTHERS = "Further down the list", "Against the baseline", "Under other measures"
RECALL, PAPER, KINDS = "Precision and recall", "Table for a paper", "Where the score comes from"
SEVERAL = "Several studies"
SHOWN = {DOWN: "Score at other cut-offs", OTHERS: "With other measures"}
"""Names on screen where they are not those in addresses."""
MEASURES_SHOWN = 8


def headline(context: Context) -> None:
    """The one sentence, and the four numbers behind it."""
    study, choice = context.study, context.choice
    messages.not_read(study)
    ahead = st.empty()
    if not cache.scored_before(study):
        # The browser fetches what draws figures, which takes it a second, while the scores are computed.
        waiting = empty_figure("The systems are being scored for the first time.", theme=context.theme)
        ahead.plotly_chart(waiting, theme=None, key="waiting", alt="Nothing yet: the systems are scored")
    means = cache.intervals(study, choice)
    ahead.empty()
    gap = _gap(context, means)
    messages.lead(verdicts.best_system(means, gap, choice))
    best = verdicts.ranked_systems(means)[0]
    (of_best,) = cache.scores(study, choice, [best])
    with st.grid(4, min_column_width=CARD_WIDTH):
        for card in verdicts.cards(means, gap, of_best, context.n_queries):
            st.metric(
                card.label,
                md_escape(card.value, limit=28),
                delta=card.note,
                delta_color="off",
                delta_arrow="off",
                help=card.help,
                border=True,
            )
    messages.readers(study, choice.systems)
    scored = cache.scores(study, choice, choice.systems)
    messages.caveats(scored, choice.settings)
    messages.groups_proposed(study)
    if not study.systems:
        messages.empty(
            "No systems yet",
            "Until a system is added, the concepts themselves rank the images: the best that can be reached.",
            label="Add a system's rankings or vectors",
            key="systems",
        )


def _gap(context: Context, means: Mapping[str, Interval]) -> Comparison | None:
    order = verdicts.ranked_systems(means)
    if len(order) < 2:
        return None
    return cache.comparison(context.study, context.choice, order[0], order[1])


def averages(context: Context) -> None:
    """The figure behind the sentence: every system's average with its interval."""
    study, choice = context.study, context.choice
    means = cache.intervals(study, choice)
    place = st.container()
    shown = select.switch(reach.SWITCH, keep=BOUNDS, help=reach.HELP)
    drawn = leaderboard_dots(
        means,
        metric=choice.metric_shown,
        systems=study.systems,
        theme=context.theme,
        baseline=choice.baseline or None,
        bounds=cache.bounds(study, choice, choice.systems) if shown else {},
    )
    with place:
        figure.show(context, drawn, key="dots", file="systems")
    messages.few([mean.n_independent for mean in means.values()])


@state.fragment()
def closer(context: Context) -> None:
    """More figures, each drawn when it is asked for: a figure takes longer than the rest of the page."""
    choice = context.choice
    offered = {DOWN: _curves, AGAINST: _differences, OTHERS: _measures}
    if not choice.measure.cut:
        del offered[DOWN]
    if len(choice.systems) < 2:
        del offered[AGAINST]
    if context.study.labels is not None and choice.settings.ties == "id":
        offered[RECALL] = _precision_recall
    if context.study.kinds is not None:
        offered[KINDS] = kinds.section
    if several.others(context):
        offered[SEVERAL] = several.section
    offered[PAPER] = leaderboard.section
    names = {name: SHOWN.get(name, name) for name in offered}
    if AGAINST in names:
        names[AGAINST] = "Versus the baseline" if choice.baseline else "Versus the leader"
    shown = select.pills("Look closer", names, keep=leaderboard.LOOK, width="stretch")
    if shown:
        offered[shown](context)


def _curves(context: Context) -> None:
    study, choice = context.study, context.choice
    by_k = cache.intervals_by_k(study, choice)
    ks = tuple(by_k)
    curves = {name: [by_k[k][name] for k in ks] for name in choice.systems}
    name = choice.measure.shown(plain=choice.plain)
    drawn = metric_curves(
        curves,
        ks,
        metric=name,
        systems=study.systems,
        theme=context.theme,
        baseline=choice.baseline or None,
        current=choice.k,
    )
    figure.show(context, drawn, key="curves")


def _differences(context: Context) -> None:
    against = cache.leaderboard(context.study, context.choice)
    best_first = sorted(against, key=lambda one: (isnan(one.difference), -one.difference))
    shown = [replace(one, metric=context.choice.metric_shown) for one in best_first]
    drawn = difference_dots(shown, systems=context.study.systems, theme=context.theme)
    figure.show(context, drawn, key="differences")


def _precision_recall(context: Context) -> None:
    """By the labels of the chosen measure, or the first type of labels where it has none."""
    study, choice = context.study, context.choice
    about = metric_of(study, choice.metric, choice.settings).labels or label_types(study.label_columns)[:1]
    drawn = precision_recall(
        cache.precision_recall(study, choice, "&".join(about)),
        LEVELS,
        target=" and ".join(about),
        systems=study.systems,
        theme=context.theme,
        baseline=choice.baseline or None,
    )
    figure.show(context, drawn, key="precision-recall")


def _measures(context: Context) -> None:
    study, choice = context.study, context.choice
    table = {
        under.metric_shown: cache.intervals(study, under)
        for under in (replace(choice, measure=one) for one in measures.choices(study)[:MEASURES_SHOWN])
    }
    drawn = leaderboard_multiples(
        table, systems=study.systems, theme=context.theme, baseline=choice.baseline or None, columns=2
    )
    figure.show(context, drawn, key="multiples", file="measures", square=True)


def systems(context: Context) -> None:
    """The table, baseline first, and its CSV."""
    choice = context.choice
    rows, saved = leaderboard.board_of_page(context)
    st.header(f"Leaderboard by {md_escape(choice.metric_shown)}", anchor=False)
    table.declared(
        context,
        rows,
        key="leaderboard",
        columns=table.names(context, "System"),
        file="leaderboard",
        note=_method(context),
        saved=saved,
        placeholder="",
        alt=f"Leaderboard of {pluralize(len(rows.rows), 'system')}, best first",
    )
    for line in about_means([row.scores for row in rows.rows]):
        st.caption(md_escape(line))


def _method(context: Context) -> str:
    choice = context.choice
    pool = sections.pool(cache.WHICH[choice.queries], context.chosen if choice.where else "")
    first = cache.leaderboard(context.study, choice)
    if choice.plain:
        average = f"Average over {pool}."
        if not first:
            return average
        corrected = pluralize(first[0].n_family, "comparison")
        return (
            f"{average} Differences are relative to {md_escape(first[0].baseline)}. p: how often two equally "
            f"good systems would differ this much by chance, corrected for {corrected}."
        )
    mean = cache.intervals(context.study, choice)[choice.systems[0]]
    said = sections.method(choice.metric, pool, choice.settings, mean, first, context.study.digest)
    return f"{said} {at_the_floor(first, more=MORE_FLIPS)}".strip()


def where_next(context: Context) -> None:
    """Ways on, each with what waits there."""
    study, choice = context.study, context.choice
    order = verdicts.ranked_systems(cache.intervals(study, choice))
    pair = {SYSTEM_A: order[0], SYSTEM_B: order[1]} if len(order) > 1 else {}
    versus = "the best two" if pair else "two systems"
    errors, remarks = messages.kinds_of_problems(study.report)
    result = pluralize(errors, "error") if errors else pluralize(remarks, "remark")
    st.header("Where to go next", anchor=False)
    grid = st.grid(4, min_column_width=CARD_WIDTH)
    with grid.container(border=True, key="next-compare"):
        messages.go_to("compare", label=f"Compare {versus}", params=pair)
        st.markdown("See on which queries one beats the other, and open them.")
    with grid.container(border=True, key="next-query"):
        messages.go_to("query", label="Look at single queries", params=pair)
        st.markdown("The images side by side, and why each of them counts.")
    with grid.container(border=True, key="next-measures"):
        messages.go_to("measures", label="Which measure to trust?")
        st.markdown("Whether the measures agree, and whether other settings change the winner.")
        messages.go_to("ablation", label="Try other settings")
    with grid.container(border=True, key="next-data"):
        messages.go_to("data", label=f"Check the data ({result})")
        st.markdown("What was loaded, what it covers, and which problems the files have.")
