"""What does the graph do to this study, does each of its links make sense, and what if one were left out?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from evalcore.evaluate.before_after import BeforeAfter, before_after
from evalcore.evaluate.graph_effect import (
    GraphEffect,
    WorkingPair,
    graph_effect,
    image_pairs_of,
    study_without,
)
from evalcore.figures.concepts import working_pair_bars
from evalcore.figures.leaderboard import difference_dots
from evalcore.graph import ConceptGraph, Step, shortest_paths, steps
from evalcore.graph.links import Edge, edge_named
from evalcore.results.graph import pairs_table, without_table
from evalcore.results.tidy import of_metric
from evalcore.stats.levels import best_first
from evalcore.ui.components import figure, fold, messages, path, table, vocabulary
from evalcore.ui.components.vocabulary import named, pairs_in_use
from evalcore.ui.concepts import path as images
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Choice, Context
from evalcore.ui.frame.measures import RELATED_FIRST
from evalcore.values.concept_scheme import id_word
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study
from evalcore.values.settings import Settings
from evalcore.values.writing import count, number, percent, pluralize, pluralize_all, signed

# One link between two concepts: the path, images it brings together, and a switch to leave it out.

EXAMPLES = 3
WIDTH = 170


def show_link(context: Context, graph: ConceptGraph, pair: WorkingPair) -> None:
    """Does this link make sense? ``graph`` is that of the study without the links left out."""
    study = context.study
    st.markdown(
        f"{named(study, pair.a)} – {named(study, pair.b)} brings "
        f"**{pluralize(pair.image_pairs, 'image pair')}** closer together. If the link is wrong, leave "
        "it out and see what changes."
    )
    paths = shortest_paths(graph, pair.a, pair.b, direction=context.choice.settings.direction, limit=1)
    between = paths.paths[0] if paths.paths else ()
    along = steps(graph, between)
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        _images(context, pair)
    with right:
        path.show(
            context,
            between,
            along,
            n_shortest=paths.n_shortest,
            key=f"link-path-{pair.a}-{pair.b}",
            file="link",
            note=False,
        )
        _switches(study, along)


def _images(context: Context, pair: WorkingPair) -> None:
    """Pairs of images that the link brings together, those with few other concepts first."""
    study = context.study
    skip = int(state.read_param(vocabulary.SHOWN, 0, state.whole(0, 1_000_000)))
    result = image_pairs_of(study, pair.a, pair.b, limit=EXAMPLES, skip=skip)
    for head, cui in zip(st.columns(2, gap="small"), (pair.a, pair.b), strict=True):
        head.markdown(named(study, cui))
    for row, pictures in enumerate(result):
        for side, (column, image) in enumerate(zip(st.columns(2, gap="small"), pictures, strict=True)):
            with column, st.container(border=True):
                st.caption(md_escape(study.image_ids[image]))
                images.draw(context, image, width=WIDTH, caption=90, key=f"link-{row}-{side}")
    if not result:
        st.caption("There are no more image pairs.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Other images",
            icon=":material/refresh:",
            on_click=state.set_value,
            key="other-images",
            args=(vocabulary.SHOWN, skip + EXAMPLES if result else 0),
        )
        if result:
            last = f"–{count(skip + len(result))}" if len(result) > 1 else ""
            st.caption(f"Images {count(skip + 1)}{last} carrying only one of the two")


def _switches(study: Study, along: Sequence[Step]) -> None:
    """One button per link of the path."""
    for step in along:
        a, b = (md_escape(study.name_of(cui), limit=40) for cui in (step.start, step.end))
        name = f"{step.start}-{step.end}"
        pressed = st.button(
            f"Leave out {a} – {b}",
            icon=":material/link_off:",
            key=f"off-{name}",
            on_click=leave_out,
            args=(name,),
            help="Only on this page and in its address; the study's files do not change.",
        )
        if pressed:
            st.rerun()


def leave_out(*links: str) -> None:
    """Callback: leave links out."""
    off = list(state.get(vocabulary.OFF) or [])
    state.set_value(vocabulary.OFF, list(dict.fromkeys((*off, *links))))


def put_back(link: str) -> None:
    """Callback: use a link again; "" puts all back."""
    off = list(state.get(vocabulary.OFF) or [])
    state.set_value(vocabulary.OFF, [one for one in off if link and one != link])


# The study without some links: which are left out, and how its systems score then.


def left_out(study: Study, off: list[tuple[str, Edge]]) -> None:
    """The links left out, each with the way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Links left out:", width="content")
        for text, (a, b) in off:
            label = f"{md_escape(study.name_of(a), limit=30)} – {md_escape(study.name_of(b), limit=30)}"
            st.button(
                label,
                icon=":material/add_link:",
                key=f"on-{text}",
                on_click=put_back,
                args=(text,),
                help="Use this link again.",
            )
        if len(off) > 1:
            st.button("Use all links again", key="all-on", on_click=put_back, args=("",), type="tertiary")


def scores(context: Context, less: Study, n_off: int) -> None:
    """What leaving links out does to the scores of the systems."""
    links = "link" if n_off == 1 else f"{count(n_off)} links"
    st.header(f"Scores without the {links} left out", anchor=False)
    study, choice = context.study, replace(context.choice, measure=RELATED_FIRST)
    rows = jobs.run(
        f"without-{less.digest}-{choice.metric}-{choice.systems}-{choice.settings!r}-{choice.correction}"
        f"-{choice.flips}",
        lambda progress: before_after(
            study,
            less,
            systems=choice.systems,
            metric=choice.metric,
            settings=choice.settings,
            correction=choice.correction,
            n_resamples=choice.flips,
            progress=progress,
        ),
        label="Scoring the systems with and without the links",
        shared=True,
    )
    if rows is None:
        return
    changes = [
        replace(row.change, baseline="all links", system=row.system, metric=choice.metric_shown)
        for row in rows
    ]
    st.markdown(sentence(rows))
    drawn = difference_dots(changes, systems=study.systems, theme=context.theme)
    figure.show(context, drawn, key="without-dots", file="without")
    messages.few([row.change.n_pairs for row in rows])
    _listed(context, rows, choice)


def sentence(rows: tuple[BeforeAfter, ...]) -> str:
    """Whether the ranking of the systems changes, and by how much at most."""
    names = [row.system for row in rows]
    before, after = (
        [names[i] for i in best_first(names, means)]
        for means in ([row.before.mean for row in rows], [row.after.mean for row in rows])
    )
    largest = max(rows, key=lambda r: abs(r.change.difference))
    ranking = "stays the same"
    if before != after:
        leads = "still leads" if after[0] == before[0] else "now leads"
        ranking = f"changes: **{md_escape(after[0])}** {leads}"
    return (
        f"The ranking of the systems {ranking}. The largest change is "
        f"**{signed(largest.change.difference)}** (**{md_escape(largest.system)}**)."
    )


def _listed(context: Context, rows: tuple[BeforeAfter, ...], choice: Choice) -> None:
    one = rows[0].change
    method = (
        f"{choice.metric} · paired by query, {one.test} ({count(one.n_resamples)}), {one.correction} over "
        f"{pluralize(len(rows), 'system')}, seed {one.seed}"
    )
    table.declared(
        context,
        without_table(rows, choice.metric, rows[0].change.correction)._replace(
            facts=of_metric(choice.metric)
        ),
        key="without-table",
        alt="Score of each system with and without the links",
        file="without",
        note="" if choice.plain else method,
    )


def show(context: Context, graph: ConceptGraph) -> None:
    """The whole view: share of image pairs, the links in use, one of them with images, links left out."""
    study, settings = context.study, context.choice.settings
    if settings.threshold == 0:
        st.info(
            "Only identical concepts count at this setting, so the terminology changes nothing. In the "
            "sidebar, set the maximum distance for “related” to 1 or more.",
            icon=":material/tune:",
        )
        return
    off = _left_out(graph)
    edges = tuple(edge for _, edge in off)
    key = ("without", study.digest, str(context.entry.path), edges)  # a study says where it is and its name
    less = cache.share(key, lambda: study_without(study, edges))
    whole = _effect(study, settings)
    changed = _effect(less, settings) if off else whole
    if whole is None or changed is None:
        return
    messages.lead(_sentence(whole, changed, len(off)))
    if off:
        left_out(study, off)
    pairs = pairs_in_use(less, settings)
    chosen = _chosen(pairs)
    drawn = working_pair_bars(pairs, names=study.names, theme=context.theme, selected=chosen)
    figure.show(context, drawn, key=f"working-{chosen}-{len(pairs)}", file="links", clicked=_choose)
    if off:
        scores(context, less, len(off))
    if chosen is not None and less.graph is not None:
        a, b = (md_escape(study.name_of(cui), limit=40) for cui in (pairs[chosen].a, pairs[chosen].b))
        fold.section(
            f"Does {a} – {b} make sense? Its images and its path",
            show_link,
            context,
            less.graph,
            pairs[chosen],
            keep=vocabulary.OF_LINK,
            opened_by=(vocabulary.LINK, vocabulary.SHOWN),
            icon=":material/image_search:",
        )
    if pairs:
        title = (
            f"All {count(len(pairs))} links in use, as a table" if len(pairs) > 1 else "The link as a table"
        )
        fold.section(title, _effect_listed, context, pairs, keep=vocabulary.LINKS, icon=":material/table:")
    numbers = "How many image pairs change, and by how much"
    fold.section(
        numbers, _numbers, context, whole, changed, keep=vocabulary.NUMBERS, icon=":material/numbers:"
    )


def _left_out(graph: ConceptGraph) -> list[tuple[str, Edge]]:
    """The links left out now, with how the address names them; unknown ones are reported and dropped."""
    links, unknown = [], []
    for text in state.read_param(vocabulary.OFF, [], lambda texts: list(dict.fromkeys(texts))):
        try:
            links.append((text, edge_named(graph, text)))
        except InputError:
            unknown.append(text)
    messages.refused({vocabulary.OFF: ", ".join(unknown)} if unknown else {})
    return links


def _effect(study: Study, settings: Settings) -> GraphEffect | None:
    return jobs.run(
        f"graph-effect-{study.digest}-{settings!r}",
        lambda progress: graph_effect(study, settings=settings, progress=progress),
        label="Comparing all pairs of images",
        shared=True,
    )


def _sentence(whole: GraphEffect, changed: GraphEffect, n_off: int) -> str:
    all_links = (
        f"**{percent(whole.n_changed, whole.n_pairs)}** of all image pairs ({count(whole.n_changed)} of "
        f"{count(whole.n_pairs)}) score higher because they carry related concepts."
    )
    if not n_off:
        return all_links
    fewer = percent(whole.n_changed - changed.n_changed, whole.n_changed)
    links = "the link" if n_off == 1 else f"the {pluralize(n_off, 'link')}"
    return f"{all_links} Without {links} left out there are **{count(changed.n_changed)}**, {fewer} fewer."


def _numbers(context: Context, whole: GraphEffect, changed: GraphEffect) -> None:
    """The numbers behind the sentence; where links are left out, how much each differs."""
    rows = [
        (
            "Image pairs changed",
            whole.n_changed,
            changed.n_changed,
            "Image pairs with at least one related match.",
        ),
        (
            "Of these, nothing shared",
            whole.n_new,
            changed.n_new,
            "Without the terminology they would score 0.",
        ),
        ("Pairs sharing a concept", whole.n_related, changed.n_related, "These need no terminology."),
        (
            "Related concept pairs",
            whole.n_neighbours,
            changed.n_neighbours,
            "Pairs of this study's concepts that count as related. Those that bring images together are "
            "listed below.",
        ),
    ]
    settings = context.choice.settings
    with st.container(horizontal=True):
        for label, before, after, meaning in rows:
            gap = count(after - before) if after != before else None
            st.metric(label, count(after), delta=gap, delta_color="off", border=True, help=meaning)
        st.metric(
            "Relevance gained" if context.choice.plain else "Mean nn-IoU − IoU",
            number(changed.mean_change),
            border=True,
            help=f"Average over the changed pairs, from 0 to 1, at α = {settings.alpha:g}.",
        )
    if not context.choice.plain:
        st.caption(
            f"n = {pluralize(whole.n_images, 'annotated image')}, "
            f"{pluralize_all(whole.n_pairs, 'unordered pair')} "
            f"· distance ≤ {settings.threshold}, {settings.direction}, "
            f"count rule {settings.count_rule.replace('_', ' ')}"
        )


def _name(pair: WorkingPair) -> str:
    """A pair as the address names it."""
    return f"{pair.a}-{pair.b}"


def _chosen(pairs: tuple[WorkingPair, ...]) -> int | None:
    """Position of the pair on view: that of the address, else the first."""
    asked = str(state.read_param(vocabulary.LINK, ""))
    return next((k for k, pair in enumerate(pairs) if _name(pair) == asked), 0 if pairs else None)


def _choose(ends: tuple[str, str]) -> None:
    state.set_value(vocabulary.LINK, "-".join(ends))
    state.set_value(vocabulary.SHOWN, 0)
    state.set_value(vocabulary.OF_LINK, fold.OPEN)


def _effect_listed(context: Context, pairs: tuple[WorkingPair, ...]) -> None:
    """All links in use; a selected row is looked at."""
    row = table.declared(
        context,
        pairs_table(context.study, pairs, id_word(context.study.scheme)),
        key="working-table",
        file="links",
        choose=True,
        height=320,
        alt=f"{pluralize(len(pairs), 'pair')} of related concepts with their image pairs",
        note="Most image pairs first. Select a row to see its images.",
    )
    if row is not None and state.get(vocabulary.LINK) != _name(pairs[row]):
        _choose((pairs[row].a, pairs[row].b))
        st.rerun()
