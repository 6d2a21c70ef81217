"""In the drawer behind "Why?": the same two images under a measure that compares concepts with each other,
or in which some concepts weigh more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.wanted import metric_of
from evalcore.figures.concepts.kinds import NAMES
from evalcore.figures.kind_words import place_of
from evalcore.figures.numbers import number
from evalcore.relevance.explain import explain
from evalcore.relevance.registry import available, describe, parse_relevance, weighed_ones
from evalcore.ui.components import select, table
from evalcore.ui.frame import state
from evalcore.ui.measures.compared import label
from evalcore.ui.query import keys
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.relevance.alignment import AlignedConcept
    from evalcore.relevance.weighed import Share
    from evalcore.ui.frame.context import Context

NONE = "none"


def section(context: Context, query: str, candidate: str) -> None:
    """Choose such a measure; see its value, which concept finds which, and what both are kinds of."""
    study = context.study
    alike = [name for name in available(study) if describe(name).family in ("taxonomy", "vectors")]
    weighing = tuple(dict.fromkeys((*_asked(context), *weighed_ones(study))))
    labels = {name: label(name, plain=context.choice.plain) for name in (*weighing, *alike)}
    if not labels:
        return
    state.go_on()
    st.subheader("By another measure", anchor=False)
    picked = select.one(
        "Compare the two images by", {NONE: "No other measure"} | labels, keep=keys.WHY_BY,
        help="Measures in which some concepts count more, and measures that ask how alike two concepts are, "
        "not only whether they are the same or linked.",
    )  # fmt: skip
    if picked in weighing:
        found = explain(study, query, candidate, measures=[picked], settings=context.choice.settings)
        _shares(context, picked, found.values.get(picked), found.weighed[picked])
    elif picked != NONE:
        with st.spinner("Comparing the concepts of the study with each other"):
            found = explain(context.study, query, candidate, measures=[picked])
        _pairs(context, picked, found.values.get(picked), found.alignments[picked])


def _asked(context: Context) -> tuple[str, ...]:
    """The relevance of the measure in use, where some concepts weigh more in it."""
    relevance = metric_of(context.study, context.choice.metric, context.choice.settings).relevance
    weighted = relevance is not None and parse_relevance(relevance).weighting is not None
    return (relevance,) if relevance is not None and weighted else ()


def _shares(context: Context, measure: str, value: float | None, found: tuple[Share, ...]) -> None:
    """The value and what each concept adds to it."""
    if value is None:
        st.caption("One of the images has no concepts to compare.")
        return
    st.markdown(f"**{number(value)}** {md_escape(describe(measure).plain)}")
    if not found:
        st.caption("No concept that counts here is on both images, and no two are linked closely enough.")
        return
    study, added = context.study, _by_pair(found)
    rows = [
        {
            "Query": plain(study.name_of(a)) if a else "",
            "Result": "the same" if a == b else plain(study.name_of(b)) if b else "",
            "Kind": "" if study.kinds is None else NAMES[study.kinds.kind_of(a or b)],
            "Adds": adds,
        }
        for (a, b), adds in sorted(added.items(), key=lambda one: (place_of(one[0][0], study.kinds), -one[1]))
    ]
    table.bare(
        pd.DataFrame(rows), key="why-shares", columns=table.numbers("%.3f", "Adds"),
        alt="What each concept, or pair of related ones, adds to the value",
    )  # fmt: skip
    st.caption(f"The parts add up to {number(value)}.")


def _by_pair(found: tuple[Share, ...]) -> dict[tuple[str, str], float]:
    """{(concept of the query, of the result): what both ends add}; of a shared concept both are the same."""
    added: dict[tuple[str, str], float] = {}
    for one in found:
        other = one.matched or one.cui
        pair = (other, one.cui) if one.where == "candidate" else (one.cui, other)
        added[pair] = added.get(pair, 0.0) + one.adds
    return added


def _pairs(context: Context, measure: str, value: float | None, found: tuple[AlignedConcept, ...]) -> None:
    """The value, what the measure asks, and the pairs it rests on."""
    if value is None or not found:
        st.caption("One of the images has no concepts to compare.")
        return
    st.markdown(f"**{number(value)}** {md_escape(describe(measure).plain)}")
    study = context.study
    of: dict[tuple[str, str], list[AlignedConcept]] = {}
    for one in found:
        pair = (one.cui, one.partner) if one.side == "query" else (one.partner, one.cui)
        of.setdefault(pair, []).append(one)
    rows = [
        {
            "Query": plain(study.name_of(a)),
            "Result": "the same" if a == b else plain(study.name_of(b)),
            "Similarity": ones[0].similarity,
            "Best match of": "both" if len(ones) > 1 else "query" if ones[0].side == "query" else "result",
            "Common parent": plain(study.name_of(ones[0].ancestor or "")) if a != b else "",
        }
        for (a, b), ones in sorted(
            of.items(), key=lambda one: (place_of(one[0][0], study.kinds), -one[1][0].similarity, one[0])
        )
    ]
    table.bare(
        pd.DataFrame(rows), key="why-partners", columns=table.numbers("%.3f", "Similarity"),
        alt="Each pair of best matches with its similarity, from 0 to 1",
    )  # fmt: skip
    if measure.startswith("matching"):
        st.caption("Each concept is used once; what is left over on the longer side is not counted.")
