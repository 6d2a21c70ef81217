"""The drawer behind "Why?": what two images share, what that adds up to, and what if."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from evalcore.evaluate.targets import metric_of
from evalcore.figures.explain import Match, contribution_bars, match_matrix, pairs_in_order
from evalcore.figures.graph import layout_of, path_figure
from evalcore.figures.words import path_sentence, place_of, relation
from evalcore.graph import shortest_paths, steps
from evalcore.relevance.explain import AlignedConcept, Explanation, NeighbourMatch, explain
from evalcore.relevance.registry import (
    available,
    describe,
    own_measures,
    parse_relevance,
    weighted_relevances,
)
from evalcore.relevance.weighed import Share
from evalcore.results.rows import Column, Table, only_shown
from evalcore.study.reads_captions import remark
from evalcore.ui.components import cards, figure, messages, select, table, tiles
from evalcore.ui.components.places import BoardPlace, ask, step_button
from evalcore.ui.components.vocabulary import FROM, TO
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import called
from evalcore.ui.query import board, large, shared
from evalcore.values.errors import UnknownName
from evalcore.values.model import Study
from evalcore.values.settings import OPTIONS, Settings
from evalcore.values.writing import md_escape, number, plain, pluralize, upper_first


def dismissed(place: str) -> None:
    """Callback: the drawer about the result at this place (A3) was closed; its button gets the focus back.

    Streamlit gives it back by itself only while the title of the drawer stays the same.
    """
    ask("", "")
    state.set_plain(board.AFTER, place)


# In the drawer behind "Why?": the same two images under a measure that compares concepts with each other,
# or in which some concepts weigh more.

NONE = "none"


def section(context: Context, query: str, candidate: str) -> None:
    """Choose such a measure; see its value, and the pairs of concepts it rests on."""
    study = context.study
    alike = [name for name in available(study) if describe(name).family in ("taxonomy", "vectors")]
    weighing = tuple(dict.fromkeys((*_relevances_in_use(context), *weighted_relevances(study))))
    labels = {name: called(name, plain=context.choice.plain) for name in (*weighing, *alike)}
    if not labels:
        return
    st.subheader("By another measure", anchor=False)
    picked = select.selectbox(
        "Compare the two images by",
        {NONE: "No other measure"} | labels,
        param=pages.WHY_BY,
        first=next(iter(_relevances_in_use(context)), NONE),
        help="Measures in which some concepts count more, and measures of how similar two concepts "
        "are, not only whether they are the same or linked.",
    )
    if picked == NONE:
        return
    how = {"settings": context.choice.settings} if picked in weighing else {}
    with st.spinner("Comparing the concepts of the study with each other"):
        result = explain(study, query, candidate, measures=[picked], **how)
    value = result.values.get(picked)
    rows = _shares(result.weighed[picked]) if picked in weighing else _pairs(study, result.alignments[picked])
    if value is None:
        st.caption("One of the images has no concepts to compare.")
        return
    st.markdown(f"**{number(value)}** {md_escape(describe(picked).plain)}")
    if not rows:
        st.caption("No concept that counts here is on both images, and no two are linked closely enough.")
        return
    what = next(iter(next(iter(rows.values()))))
    ordered = sorted(rows.items(), key=lambda row: (place_of(row[0][0], study.kinds), -row[1][what], row[0]))
    named = {"": "", **{cui: plain(study.name_of(cui)) for pair in rows for cui in pair if cui}}

    def cell(title: str, form: str = "") -> Column:
        return only_shown(title, lambda row: row[1][title], form)

    columns = (
        only_shown("Query", lambda row: named[row[0][0]]),
        only_shown("Result", lambda row: "the same" if row[0][0] == row[0][1] else named[row[0][1]]),
        cell(what, "%.3f"),
        *(cell(title) for title in next(iter(rows.values())) if title != what),
    )
    table.results_table(
        context,
        Table(ordered, columns),
        key="why-other",
        alt="Each concept, or pair of concepts, with what it adds, or how similar the two are",
    )
    if picked in weighing:
        st.caption(f"The parts add up to {number(value)}.")


def _relevances_in_use(context: Context) -> tuple[str, ...]:
    """The relevance of the measure in use, where some concepts weigh more in it."""
    relevance = metric_of(context.study, context.choice.metric, context.choice.settings).relevance
    weighted = relevance is not None and parse_relevance(relevance).weighting is not None
    return (relevance,) if relevance is not None and weighted else ()


Rows = dict[tuple[str, str], dict[str, Any]]
"""{(concept of the query, of the result): cells, a number first}; of a shared concept both are the same."""


def _shares(shares: Sequence[Share]) -> Rows:
    """What both ends of each pair add to the value."""
    added: Rows = {}
    for share in shares:
        other = share.matched or share.cui
        pair = (other, share.cui) if share.where == "candidate" else (share.cui, other)
        added.setdefault(pair, {"Adds": 0.0})["Adds"] += share.adds
    return added


def _pairs(study: Study, concepts: Sequence[AlignedConcept]) -> Rows:
    """Which concept finds which, and what both are kinds of."""
    rows: Rows = {}
    for concept in concepts:
        pair = (concept.cui, concept.partner) if concept.side == "query" else (concept.partner, concept.cui)
        parent = plain(study.name_of(concept.ancestor or "")) if pair[0] != pair[1] else ""
        side = "both" if pair in rows else "query" if concept.side == "query" else "result"
        rows[pair] = {"Similarity": concept.similarity, "Best match of": side, "Common parent": parent}
    return rows


TITLE = "Why does this image count?"
WIDTH, SMALLEST = 720, 140
PATHS_DRAWN = 6


def drawer(context: Context, query: int, places: Sequence[BoardPlace]) -> None:
    """Open the drawer when a result was asked about, in this session or by the address.

    ``places``: the results on the board, through whose lists the drawer goes on.
    """
    address = str(state.read_param(pages.WHY, ""))
    if not address:
        state.set_param(pages.WHY_IN, "")
        return
    try:
        candidate = context.study.concepts.index(address)
    except UnknownName as unknown:
        st.warning(md_escape(str(unknown), limit=400), icon=":material/link_off:")
        state.set_param(pages.WHY, "")
        return
    here = _place(candidate, places)
    own = [place for place in places if here and (place.side, place.system) == (here.side, here.system)]
    title = f"{TITLE} Result {here.rank:,} of {len(own):,}" if here else TITLE
    shut = partial(dismissed, here.key if here else "")
    st.dialog(title, width=WIDTH, position="right", on_dismiss=shut)(_inside)(
        context, query, candidate, here, own
    )


def _place(candidate: int, places: Sequence[BoardPlace]) -> BoardPlace | None:
    """The place of the result in the list of its system; None where it is on no list."""
    held: dict[str, BoardPlace] = {}
    for place in places:
        if place.image == candidate:
            held.setdefault(place.system, place)
    system = str(state.read_param(pages.WHY_IN, next(iter(held), ""), state.one_of(*held)))
    return held[system] if held else None


def _inside(
    context: Context, query: int, candidate: int, here: BoardPlace | None, own: Sequence[BoardPlace]
) -> None:
    state.go_on()
    ids = context.study.image_ids
    if here:
        _steps(context, here, own)
    above, pictures = st.container(), st.container()
    settings = context.choice.settings
    explanation = _explained(context, ids[query], ids[candidate], settings)
    matches = bool(explanation.exact or explanation.neighbours)
    if explanation.neighbours:
        settings = _what_if(settings)
        explanation = _explained(context, ids[query], ids[candidate], settings)
    elif matches and context.study.knows_neighbours:
        st.caption("No related concepts here: the credit for them (α) makes no difference.")
    with above:
        messages.headline(_sentence(explanation, context))
        st.caption(f":material/info: {cards.NOT_THE_SAME}.")
    with pictures:
        _images(context, query, candidate)
        large.button_for(context, candidate, here)
    _values(explanation, context)
    if matches:
        _evidence(explanation, context)
        _paths(explanation, context, settings)
    section(context, ids[query], ids[candidate])


def _explained(context: Context, query: str, candidate: str, settings: Settings) -> Explanation:
    with cache.stops_for_plugins():
        return explain(context.study, query, candidate, settings=settings)


def _steps(context: Context, here: BoardPlace, own: Sequence[BoardPlace]) -> None:
    """Whose result it is, and the ways to the ones before and after it, also by the arrow keys."""
    # Results the study does not know are passed over: there is nothing to explain about them.
    order = tuple(context.study.image_ids[place.image] for place in own if place.image >= 0)
    go = partial(_go, here.system)
    with st.container(horizontal=True, vertical_alignment="center", key="why-steps"):
        reads = remark(here.system, context.study.reads)
        badge = f" :orange-badge[{reads}]" if reads else ""
        name = md_escape(here.system, limit=60)
        st.markdown(f"**{here.side} · {name}**{badge}", width="stretch")
        step_button(-1, order, pages.WHY, go, name="why", what=" result")
        step_button(1, order, pages.WHY, go, name="why", what=" result")


def _go(system: str, image: str) -> None:
    """Callback: the drawer draws itself alone, and the page, which opens it about another result, follows."""
    ask(image, system)
    st.rerun(pages.WALK)


def _sentence(explanation: Explanation, context: Context) -> str:
    """What the two images have in common, findings first where kinds are known; names in bold."""
    study = context.study
    pairs = pairs_in_order(explanation, study.kinds)
    nothing = ""
    if not explanation.exact and not pairs:
        linked = ", and none of their concepts are closely linked" if study.knows_neighbours else ""
        nothing = f"**No match (score 0)**: the images share no concept{linked}."
    if study.kinds is not None:
        concepts = study.concepts
        query, result = (
            concepts.of_image(concepts.index(image)) for image in (explanation.query, explanation.candidate)
        )
        near = [(match.query, match.candidate, match.distance) for match in pairs]
        kin = [
            (own, cui, up)
            for cui, (own, up) in shared.kin_of(study, concepts.index(explanation.query)).items()
            if cui in result
        ]
        named = partial(_bold, study)
        sentence = shared.in_common(explanation.exact, query, result, study.kinds, named, near=near, kin=kin)
        return " ".join(filter(None, (nothing, sentence)))
    if nothing:
        return nothing
    parts = [part for part in (_same(explanation, study), _linked(pairs, study)) if part]
    return f"{upper_first('; '.join(parts))}."


def _bold(study: Study, cui: str) -> str:
    return f"**{md_escape(study.name_of(cui))}**"


def _same(explanation: Explanation, study: Study) -> str:
    """What both images carry; "" for nothing."""
    exact = [md_escape(study.name_of(cui)) for cui in explanation.exact]
    more = f" and {len(exact) - 4} more" if len(exact) > 4 else ""
    return f"Both carry **{', '.join(exact[:4])}**{more}" if exact else ""


def _linked(pairs: Sequence[Match], study: Study) -> str:
    """Which concept of one image is linked with one of the other; "" for none."""
    if not pairs:
        return ""
    a, b = _bold(study, pairs[0].query), _bold(study, pairs[0].candidate)
    n = len(pairs) - 1
    more = f"; {pluralize(n, 'more pair')} {'is' if n == 1 else 'are'} linked" if n else ""
    return f"the terminology links {a} with {b} ({pluralize(pairs[0].distance, 'step')}){more}"


def _what_if(settings: Settings) -> Settings:
    """The credit for related concepts, to try here only."""
    alpha = st.slider(
        "What if related concepts earned this much credit (α)?",
        float(OPTIONS["alpha"].low),
        float(OPTIONS["alpha"].high),
        settings.alpha,
        0.05,
        key=pages.WHAT_IF,
        help="Only here; the sidebar setting does not change.",
    )
    return replace(settings, alpha=round(float(alpha), 4))


def _images(context: Context, query: int, candidate: int) -> None:
    grid = st.grid(2, min_column_width=SMALLEST, gap="small")
    for title, image in (("Query", query), ("Result", candidate)):
        with grid.container():
            st.markdown(f"**{title}** {md_escape(context.study.image_ids[image])}")
            cards.picture(context.study, image, size=tiles.LARGE)
            cards.words(context.study, image, technical=not context.choice.plain)


def _values(explanation: Explanation, context: Context) -> None:
    """The value under every measure."""
    own = own_measures()
    shown = {
        name: value
        for name, value in explanation.values.items()
        if not context.choice.plain or name in {"iou", "nn-iou", *own}
    }
    words = {"iou": "Same concepts (IoU)", "nn-iou": "Including related concepts (nn-IoU)"}
    words |= {name: measure.title for name, measure in own.items()}
    with st.container(horizontal=True):
        for name, value in shown.items():
            label = words.get(name, name) if context.choice.plain else name
            st.metric(md_escape(label), number(value), border=True)
    if any(parse_relevance(name).system for name in shown):
        st.caption(
            "cosine\\:NAME: similarity of the two images as that system sees it; not comparable between "
            "systems."
        )
    for name, measure in own.items():
        if name in shown:
            st.caption(f"{md_escape(name)}: {md_escape(measure.plain)}")


def _evidence(explanation: Explanation, context: Context) -> None:
    names, theme = context.study.names, context.theme
    matches = match_matrix(explanation, names=names, theme=theme, kinds=context.study.kinds)
    figure.show(context, matches, key="why-matrix", file="matches")
    parts = contribution_bars(explanation, names=names, theme=theme, kinds=context.study.kinds)
    figure.show(context, parts, key="why-parts", file="contributions")


def _paths(explanation: Explanation, context: Context, settings: Settings) -> None:
    """The way from each related concept to its match, drawn and in words."""
    pairs = _paths_in_order(explanation, context.study)
    if not pairs or context.study.graph is None:
        return
    st.subheader("How the related concepts are connected", anchor=False)
    for i, match in enumerate(pairs[:PATHS_DRAWN]):
        _path(context, match, settings, key=f"why-path-{i}", first=i == 0)
    if len(pairs) > PATHS_DRAWN:
        st.caption(f"{pluralize(len(pairs) - PATHS_DRAWN, 'more pair')} not drawn.")


def _paths_in_order(explanation: Explanation, study: Study) -> list[NeighbourMatch]:
    """Each pair of concepts once, though it may earn credit on both sides; findings first."""
    by_pair: dict[frozenset[str], NeighbourMatch] = {}
    for match in explanation.neighbours:
        by_pair.setdefault(frozenset((match.cui, match.matched)), match)
    order = (frozenset((match.query, match.candidate)) for match in pairs_in_order(explanation, study.kinds))
    return [by_pair[pair] for pair in dict.fromkeys(order)]


ARROWS = {"up": ":material/arrow_upward:", "down": ":material/arrow_downward:"}


def _path(context: Context, match: NeighbourMatch, settings: Settings, *, key: str, first: bool) -> None:
    """A path drawn, and in words. One that turns is also a stack of its concepts: the style sheet shows
    one of the two, as columns have no room in a narrow window."""
    graph, names, reading = context.study.graph, context.study.names, context.reading
    assert graph is not None
    n_shortest = shortest_paths(graph, match.cui, match.matched, direction=settings.direction).n_shortest
    along = steps(graph, match.path)
    drawn = path_figure(match.path, along, names=names, theme=context.theme, reading=reading)
    turns = len({column for column, _ in layout_of(along)}) > 1
    with st.container(key=f"{key}-drawn") if turns else nullcontext():
        figure.show(context, drawn, key=key, file="path", note=first)
    if turns:
        with st.container(key=f"{key}-stacked", gap="xxsmall"):
            for cui, step in zip(match.path, (*along, None), strict=True):
                with st.container(border=True):
                    st.markdown(
                        f"**{md_escape(context.study.name_of(cui), limit=80)}**", text_alignment="center"
                    )
                if step is not None:
                    link = f"{ARROWS[step.direction]} {md_escape(relation(step))}"
                    st.caption(link, text_alignment="center")
    words = path_sentence(match.path, along, names=names, reading=reading, n_shortest=n_shortest)
    st.markdown(md_escape(words))
    ends = {FROM: match.cui, TO: match.matched}
    messages.go_to("concepts", label="Open this path on the Concepts page", params=ends)
