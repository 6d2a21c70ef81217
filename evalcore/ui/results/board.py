"""The parts of the overview: verdict and figure, leaderboard, what is folded, where to go next."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import streamlit as st

from evalcore.evaluate.comparison import at_the_floor
from evalcore.evaluate.systems import about_means
from evalcore.evaluate.targets import known_labels, metric_of
from evalcore.figures.curves import metric_curves, precision_recall
from evalcore.figures.frame import empty_figure
from evalcore.figures.systems import difference_dots, leaderboard_dots, leaderboard_multiples
from evalcore.ranking.binary import LEVELS
from evalcore.report import verdicts
from evalcore.report.results import SYSTEMS, pool
from evalcore.ui.components import figure, fold, follow, messages, select, table
from evalcore.ui.frame import cache, measures
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.ui.results import kinds, leaderboard, sliders
from evalcore.values.grouping import label_types
from evalcore.values.writing import md_escape, pluralize

DOWN, AGAINST, OTHERS = "Further down the list", "Against the baseline", "Under other measures"
RECALL, PAPER, KINDS = "Precision and recall", "Table for a paper", "Where the score comes from"
SHOWN = {
    DOWN: "Score at other cut-offs",
    AGAINST: "Versus the baseline",
    OTHERS: "With other measures",
    KINDS: "What the score is made of",
}
"""Names on screen where they are not those in addresses."""
MEASURES_SHOWN = 8
DOTS = "dots"
"""The key of the first figure."""
CLOSER = Key("closer")


def headline(context: Context) -> None:
    """The one sentence, and the figure behind it: every system's average with its interval."""
    study, choice = context.study, context.choice
    messages.not_read(study)
    sentence, ahead = st.container(), st.empty()
    if not cache.scored_before(study):
        # The browser fetches what draws figures, which takes it a second, while the scores are computed.
        waiting = empty_figure("Scoring the systems (first time only) …", theme=context.theme)
        ahead.plotly_chart(waiting, theme=None, key="waiting", alt="Nothing yet: the systems are scored")
    analysis = cache.analysis(study, choice)
    means = analysis.means_of()
    ahead.empty()
    order = verdicts.ranked_systems(means)
    gap = analysis.gap()
    with sentence:
        ties = verdicts.about_ties(analysis, gap, plain=choice.plain) if gap else ""
        messages.lead(" ".join(filter(None, (verdicts.best_system(means, gap, choice), ties))))
    place = st.container()
    scored = cache.scores(study, choice, choice.systems)
    st.caption(verdicts.counted(scored[choice.systems.index(order[0])], context.n_queries))
    drawn = leaderboard_dots(
        means,
        metric=choice.metric_shown,
        systems=study.systems,
        theme=context.theme,
        baseline=choice.baseline or None,
    )
    at = sliders.setting(choice)
    follow.begin(drawn, means, at=at, baseline=choice.baseline)
    with place:
        figure.show(context, drawn, key=DOTS, file="systems")
    messages.few([mean.n_independent for mean in means.values()])
    messages.readers(study, choice.systems)
    messages.caveats(scored, choice.settings)
    messages.groups_proposed(study)
    if not study.systems:
        messages.empty(
            "No systems yet",
            "Until a system is added, the concepts themselves rank the images: the best that can be reached.",
            label="Add a system's rankings or vectors",
            key="systems",
        )


def follows(context: Context) -> None:
    """Let the first figure follow the sliders; call last."""
    sliders.send(context, DOTS)


def more(context: Context) -> None:
    """What is folded: more figures, the method, the files to export."""
    looks = (leaderboard.LOOK, leaderboard.IN_TABLE, leaderboard.INTERVALS)
    fold.section(
        "**Look closer**: other cut-offs, other measures, where scores come from, a table for a paper",
        closer,
        context,
        keep=CLOSER,
        icon=":material/troubleshoot:",
        opened_by=looks,
    )
    fold.section(
        "**How this was compared**", _method, context, keep=fold.HOW_COMPARED, icon=":material/rule:"
    )


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
    offered[PAPER] = leaderboard.section
    names = {name: SHOWN.get(name, name) for name in offered}
    if AGAINST in names:
        names[AGAINST] = "Versus the baseline" if choice.baseline else "Versus the leader"
    shown = select.pills(
        "Look closer", names, keep=leaderboard.LOOK, width="stretch", label_visibility="collapsed"
    )
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
    against = cache.analysis(context.study, context.choice).comparisons
    best_first = sorted(against, key=lambda one: (isnan(one.difference), -one.lead))
    shown = [replace(one, metric=context.choice.metric_shown) for one in best_first]
    drawn = difference_dots(shown, systems=context.study.systems, theme=context.theme)
    figure.show(context, drawn, key="differences")


def _precision_recall(context: Context) -> None:
    """By the labels of the chosen measure, or the first type of labels where it has none."""
    study, choice = context.study, context.choice
    about = metric_of(study, choice.metric, choice.settings).labels or label_types(known_labels(study))[:1]
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
    offered = [one for one in measures.choices(study) if measures.takes(study, one, choice.settings)]
    table = {
        under.metric_shown: cache.analysis(study, under).means_of()
        for under in (replace(choice, measure=one) for one in offered[:MEASURES_SHOWN])
    }
    drawn = leaderboard_multiples(
        table, systems=study.systems, theme=context.theme, baseline=choice.baseline or None, columns=2
    )
    figure.show(context, drawn, key="multiples", file="measures", square=True)


def systems(context: Context) -> None:
    """The table, baseline first, and its CSV."""
    choice = context.choice
    rows, saved = leaderboard.board_of_page(context)
    name, cut, k = choice.metric_shown.partition(" (top ")
    measure = f"“{name}”{cut}{k}" if choice.plain else name
    st.header(f"Leaderboard: {md_escape(measure)}", anchor=False)
    table.declared(
        context,
        rows,
        key="leaderboard",
        columns=table.names(context, "System", rows.on_page(plain=choice.plain)["System"]),
        file="leaderboard",
        saved=saved,
        placeholder="",
        alt=f"Leaderboard of {pluralize(len(rows.rows), 'system')}, best first",
    )


def _method(context: Context) -> None:
    """Over which queries, with which intervals and tests, and how the systems' means are made."""
    study, choice = context.study, context.choice
    analysis = cache.analysis(study, choice)
    first, scored = analysis.comparisons, cache.scores(study, choice, choice.systems)
    if choice.plain:
        lines = [f"Average over {md_escape(pool(analysis))}."]
        if first:
            corrected = pluralize(first[0].n_family, "comparison")
            lines.append(
                f"Differences are relative to {md_escape(first[0].baseline)}. p (in Expert): how often two "
                f"equally good systems would differ this much by chance, corrected for {corrected}."
            )
    else:
        method = md_escape(SYSTEMS.method(analysis, analysis.view.metrics[0]), limit=2_000)
        lines = [f"{method} {at_the_floor(first, more=MORE_FLIPS)}".strip()]
    for line in (*lines, *map(md_escape, about_means(scored))):
        st.markdown(line)
