"""One query and what the systems returned for it: a row of pictures for each system.

The rows are one component of our own: a hundred pictures cost what one element costs, and the next query
changes it in place. Data reaches it as text and as addresses of pictures, never as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite, isnan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.evaluate.targets import metric_of
from evalcore.figures.theme import style_of
from evalcore.ranking.metrics import lower_is_better
from evalcore.results.rows import Column, Table
from evalcore.study.reads_captions import remark
from evalcore.ui.components import cards, pair, results, table, viewer
from evalcore.ui.components import places as side
from evalcore.ui.components.places import BoardPlace, ask
from evalcore.ui.components.results import NO, YES, Result
from evalcore.ui.frame import cache, pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.query import shared
from evalcore.values.bundled import bundled
from evalcore.values.grouping import repeated_by
from evalcore.values.own_queries import OF_TEXT
from evalcore.values.writing import number, plain, share

PIXELS = 384
"""Longer side of a picture as it is sent: about twice what it takes on the screen."""
OF_QUERY, WITHOUT_PICTURE = 120, 90
"""Characters of a caption at first: of the query, and of results where there are no pictures."""
MARKS = 3
"""Concepts named at most that a result shares with the query."""
SLOT = "board"
"""Key of the component."""
AFTER = "_after_why"
"""The place of the result (A3) the drawer was about when it was closed: its button gets the focus back."""
SHARES = {"CUI", "nnCUI", "nDCG"}
"""Families whose values are shares of the best order."""


KIND_WORDS = {"text": "A text", "report": "A report", "image+text": "An image with a text"}
"""What a query is, where it is not an image."""


class Listed(NamedTuple):
    """What one system returned: its letter and name, the results looked at, how many in all, its score."""

    side: str
    system: str
    results: list[Result]
    returned: int
    score: float

    @property
    def name(self) -> str:
        return f"{self.side} · {self.system}"


def lists(context: Context, systems: Sequence[str], query: int, depth: int) -> list[Listed]:
    """The first ``depth`` results of every system, with its score for the query."""
    lists, here = results.side_by_side(context, systems, query, depth), np.array([query], np.int32)
    scores = [float(pair.at(each, here)[0]) for each in cache.scores(context.study, context.choice, systems)]
    return [
        Listed(letter, name, rows, returned, score)
        for letter, name, (rows, returned), score in zip(side.LETTERS, systems, lists, scores, strict=False)
    ]


def evidence(context: Context, query: int, lists: Sequence[Listed]) -> pd.DataFrame:
    """Every result of all systems with every score, full precision; one row per result.

    ``place_in_other_list``: of two systems in that of the other, of more in that of the first.
    """
    ids = context.study.image_ids
    columns = (
        Column("query", lambda _: ids[query]),
        Column("system", "0.system"),
        Column("place", "1.rank"),
        Column("image", lambda row: ids[row[1].image] if row[1].image >= 0 else ""),
        Column("place_in_other_list", "1.elsewhere"),
        Column("in_other_lists", "1.also_in"),
        *(Column(name, f"1.{name}") for name in ("iou", "nn_iou", "cosine")),
        Column("metric", "1.mark.metric"),
        Column("gain_of_result", "1.mark.gain"),
        Column("counted", "1.mark.counted"),
    )
    rows = [(entry, result) for entry in lists for result in entry.results]
    return table.in_file(context, Table(rows, columns), table.scored)


def draw(context: Context, query: int, listed: Sequence[Listed]) -> list[BoardPlace]:
    """The query and its results, whose places are returned."""
    component = st.components.v2.component(
        "cuiscope_board",
        html='<div class="cuiscope-board"></div>',
        css=bundled(__package__, "board.css"),
        js=bundled(__package__, "board.js"),
        isolate_styles=False,
    )
    focus = str(state.get(AFTER, ""))
    state.drop(AFTER)
    with st.container(key=viewer.RESULTS):
        component(
            data={
                "pictures": context.study.images is not None,
                "query": _query(context, query),
                "lists": [_list(context, query, entry) for entry in listed],
                "focus": focus,
            },
            key=SLOT,
            on_why_change=_open_drawer,
            on_large_change=_opened,
            height="content",
        )
    return [BoardPlace(entry.side, entry.system, r.rank, r.image) for entry in listed for r in entry.results]


def _open_drawer() -> None:
    """Callback: open the drawer about the result that was selected."""
    value = st.session_state[SLOT].get("why")
    if isinstance(value, dict) and value.get("image"):
        ask(str(value["image"]), str(value.get("system", "")))


def _opened() -> None:
    """Callback: open the picture that was selected over the whole window."""
    value = st.session_state[SLOT].get("large")
    if value:
        state.set_value(pages.LARGE, str(value))


def _query(context: Context, image: int) -> dict[str, Any]:
    """The query's picture, caption, concepts and labels."""
    study = context.study
    kind = "image" if study.own_queries is None else study.own_queries.kind_of(image)
    shown = _picture(context, image, slot="query")
    in_place = kind in OF_TEXT and study.images is not None and not shown["src"]
    labels = [*([KIND_WORDS[kind]] if kind != "image" else []), _labels(context, image)]
    return shown | {
        "pictures": study.images is not None,
        "caption": None if in_place else _cut(study.caption_of(image), OF_QUERY),
        "concepts": _concepts(context, image),
        "labels": " · ".join(filter(None, labels)),
    }


def _picture(context: Context, image: int, *, slot: str) -> dict[str, Any]:
    src, none = viewer.address(context.study, image, f"board-{slot}", PIXELS)
    described = cards.describe(context.study, image)
    return {"id": context.study.image_ids[image], "src": src, "alt": described, "none": none}


def _cut(text: str | None, limit: int) -> dict[str, str] | None:
    """A text cut short, and all of it; "" where nothing is left out; None for no text."""
    if not text:
        return None
    short, whole = plain(text, limit=limit), plain(text)
    return {"short": short, "whole": whole if whole != short else ""}


def _concepts(context: Context, image: int) -> list[dict[str, Any]]:
    """The names of an image's concepts, by kind where kinds are known; a sentence where there are none."""
    annotated = context.study.concepts.annotated
    groups, more = cards.concepts_by_kind(context.study, image)
    last = [f"and {more:,} more"] if more else []
    if not groups and annotated.any():
        last = [cards.NO_CONCEPTS[bool(annotated[image])]]
    named = {head: [_name(context, cui) for cui in cuis] for head, cuis in groups.items()}
    return [{"head": head, "names": names} for head, names in (named | {text: [] for text in last}).items()]


def _name(context: Context, cui: str) -> str:
    name = context.study.name_of(cui)
    code = [plain(cui)] if not context.choice.plain and name != cui else []
    return " ".join([plain(name, limit=cards.WIDEST_NAME), *code])


def _labels(context: Context, query: int) -> str:
    values = {name: column.of_image(query) for name, column in context.study.labels.items()}
    return " · ".join(
        f"{plain(name)}: {plain(', '.join(value), limit=60)}"
        for name, value in values.items()
        if value and ((single := repeated_by(name, values)) is None or value != values[single])
    )


def _list(context: Context, query: int, entry: Listed) -> dict[str, Any]:
    theme = context.theme
    empty = ""
    if not entry.results:
        counts = "last place" if lower_is_better(context.choice.metric) else "0"
        worth = "" if isnan(entry.score) else f", so the query counts as {counts} for it"
        empty = f"This system returned nothing for this query{worth}."
    many = f"top {len(entry.results):,} of {entry.returned:,}" if entry.results else ""
    shown = [_scored(context, entry.score), *([many] if many and not context.choice.plain else [])]
    return {
        "system": entry.system,
        "title": plain(entry.name, limit=200),
        "colour": style_of(entry.system, tuple(theme.reads), theme).colour,
        "badge": remark(entry.system, context.study.reads),
        "score": " · ".join(shown),
        "empty": empty,
        "items": [_result(context, query, entry.side, result) for result in entry.results],
    }


def _result(context: Context, query: int, letter: str, result: Result) -> dict[str, Any]:
    """One result: rank, picture or words, what it scores, and what it shares with the query."""
    study, mark, known = context.study, result.mark, result.image >= 0
    rows = cards.score_rows(context, result) if known else []
    bars = [
        {
            "name": text,
            "short": text.split(",")[0],
            "value": min(max(value, 0.0), 1.0) if isfinite(value) else 0.0,
            "text": number(value, 2),
        }
        for text, value in rows
    ]
    tone = {YES: "yes", NO: "no"}.get(mark.sign, "") if mark.counted else "out"
    common = shared.marks(context, query, result.image) if known else []
    item = {
        "id": "",
        "src": "",
        "alt": "",
        "none": "Not in the study: counts as 0",
        "known": known,
        "name": f"result {result.rank} of {letter}",
        "place": f"{letter}{result.rank}",
        "rank": str(result.rank),
        "moved": cards.change(result),
        "mark": mark.words,
        "tone": tone,
        "bars": bars[-1:] if context.choice.plain else bars,
        "shared": result.shared,
        "common": [[sign, plain(name, limit=cards.WIDEST_NAME)] for sign, name in common[:MARKS]],
        "more": max(0, len(common) - MARKS),
        "image_id": "",
        "caption": None,
        "concepts": [],
    }
    if not known:
        return item
    named = not context.choice.plain or not study.caption_of(result.image)
    words = (
        {}
        if study.images is not None
        else {
            "caption": _cut(study.caption_of(result.image), WITHOUT_PICTURE),
            "concepts": _concepts(context, result.image),
        }
    )
    item["image_id"] = plain(study.image_ids[result.image], limit=40) if named else ""
    return item | _picture(context, result.image, slot=str(item["place"])) | words


def legend(context: Context, listed: Sequence[Listed]) -> list[str]:
    """What the pictures, bars and marks mean, and how far the scores can be trusted; Markdown sentences."""
    metric = metric_of(context.study, context.choice.metric, context.choice.settings)
    lines = [
        *cards.legend(context, [entry.system for entry in listed], against=listed[0].name),
        results.legend(metric, plain_words=context.choice.plain),
        cards.NOT_THE_SAME,
    ]
    return [f"{line}." for line in lines]


def _scored(context: Context, score: float) -> str:
    """What a system scores on the query, plain text; as a share of the best order where it is one."""
    if not isfinite(score):
        return "no score for this query"
    metric = metric_of(context.study, context.choice.metric, context.choice.settings)
    if context.choice.plain and metric.relevance and metric.family in SHARES:
        return f"{share(score)} of the best achievable score"
    return f"scores {number(score, 2)}"


def make_ready(context: Context, systems: Sequence[str], query: int, *, depth: int) -> None:
    """Make the pictures of a query while another is looked at; the arrow key then finds them done."""
    if context.study.images is None:
        return
    address = partial(viewer.address, context.study)
    soon = [address(query, "next-query", PIXELS)[0]]
    lists = results.side_by_side(context, systems, query, depth)
    for place, (rows, _) in zip(side.LETTERS, lists, strict=False):
        soon += [address(r.image, f"next-{place}{r.rank}", PIXELS)[0] for r in rows if r.image >= 0]
    component = st.components.v2.component(
        "cuiscope_soon", html="<span></span>", js=bundled(__package__, "soon.js"), isolate_styles=False
    )
    component(data={"soon": [source for source in soon if source]}, key="soon", height="content")
