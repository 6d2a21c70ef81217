"""The verdict and the board: which system is best, how sure that is, and what the numbers rest on."""

from __future__ import annotations

from math import isnan

import streamlit as st

from evalcore.evaluate.summary import leading
from evalcore.figures.frame import empty_figure
from evalcore.figures.systems import leaderboard_dots
from evalcore.report import verdicts
from evalcore.results.method import method_of, pool
from evalcore.results.scores import scores_table
from evalcore.study.reads_captions import remark
from evalcore.ui.components import figure, fold, messages, table
from evalcore.ui.frame import cache
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.writing import md_escape, plain, pluralize

NUMBERS = Key("numbers")


def headline(context: Context) -> None:
    """The verdict in a sentence, and the board: every system's average, interval and difference."""
    study, choice = context.study, context.choice
    messages.not_read(study)
    sentence, ahead = st.container(), st.empty()
    if not cache.scored_before(study):
        # The browser fetches what draws figures, which takes it a second, while the scores are computed.
        waiting = empty_figure("Scoring the systems (first time only) …", theme=context.theme)
        ahead.plotly_chart(waiting, theme=None, key="waiting", alt="Nothing yet: the systems are scored")
    analysis = cache.analysis(study, choice)
    means, gap = analysis.means_of(), analysis.gap()
    ahead.empty()
    with sentence:
        ties = verdicts.about_ties(analysis, gap, plain=choice.plain) if gap else ""
        messages.headline(" ".join(filter(None, (verdicts.best_system(means, gap, choice.words), ties))))
    drawn = leaderboard_dots(
        means,
        metric=choice.metric_shown,
        systems=study.systems,
        theme=context.theme,
        baseline=choice.baseline or None,
        comparisons=analysis.comparisons,
        tested=not choice.plain,
    )
    figure.show(context, drawn, key="dots", file="systems", note=False)
    scored = cache.scores(study, choice, choice.systems)
    leader = leading(means)[0]
    counted = verdicts.count_queries(scored[choice.systems.index(leader)], context.n_queries)
    st.caption(f"{md_escape(drawn.how_to_read.at(context.reading))} {counted}")
    messages.small_sample_warning([mean.n_independent for mean in means.values()])
    messages.readers(study, choice.systems)
    messages.unanswered(scored)
    messages.groups_proposed(study)
    if not study.systems:
        messages.empty(
            "No systems yet",
            "Until a system is added, the concepts themselves rank the images: the best that can be reached.",
            label="Add a system's rankings or vectors",
            key="systems",
        )


def numbers(context: Context) -> None:
    """Folded: every number of the board with its file, and how it came about."""
    fold.section("All numbers, and how this was compared", _numbers, context, param=NUMBERS)


def _numbers(context: Context) -> None:
    study, choice = context.study, context.choice
    analysis = cache.analysis(study, choice)
    rows = list(analysis.rows)
    names = {score.system: _name(context, score.system) for score in analysis.scores}
    ordered = sorted(rows, key=lambda row: (isnan(row.mean.mean), -row.mean.merit))
    table.results_table(
        context,
        scores_table(analysis, ordered, names=names),
        key="leaderboard",
        columns=table.names(context, "System", list(names.values())),
        file="leaderboard",
        saved=scores_table(analysis, rows),
        placeholder="",
        alt=f"Leaderboard of {pluralize(len(rows), 'system')}, best first",
    )
    for line in _method(context):
        st.markdown(line)


def _name(context: Context, system: str) -> str:
    """A system and what is remarked of it."""
    baseline = "baseline" if system == context.choice.baseline else ""
    remarks = ", ".join(filter(None, (baseline, remark(system, context.study.reads))))
    return plain(system) + (f" ({remarks})" if remarks else "")


def _method(context: Context) -> list[str]:
    """Over which queries, with which intervals and tests."""
    study, choice = context.study, context.choice
    analysis = cache.analysis(study, choice)
    first = analysis.comparisons
    if not choice.plain:
        return [md_escape(" ".join(method_of(analysis, more=MORE_FLIPS)), limit=3_000)]
    lines = [f"Average over {md_escape(pool(analysis))}."]
    if first:
        lines.append(
            f"Differences are relative to {md_escape(first[0].baseline)}. A range is where the number would "
            "probably be with other queries. Expert adds how often two equally good systems would differ "
            f"this much by chance, corrected for {pluralize(first[0].n_family, 'comparison')}."
        )
    return lines
