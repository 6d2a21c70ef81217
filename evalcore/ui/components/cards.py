"""Result cards: rank, picture (or caption and concepts), score bars, and the question Why?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Literal

import streamlit as st

from evalcore.figures.kind_words import HEADS, grouped, place_of
from evalcore.figures.theme import Theme
from evalcore.study.study import remark
from evalcore.ui.components import tiles
from evalcore.ui.components.places import ask
from evalcore.ui.components.results import Result
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.values.markdown import md_escape, plain
from evalcore.values.model import Study
from evalcore.values.writing import brief, count, number, pluralize

# Score bars under a tile, drawn as a small picture: numbers and constant words only.

WIDTH, ROW = 128, 16
_LABEL, _VALUE = 48, 28
COSINE = "cosine, as this system sees it"
SHORT = {"With related": "Related", COSINE: "cosine"}
"""Labels where there is no room for the whole one."""
_FONT = "Segoe UI, Helvetica, Arial, sans-serif"


def score_bars(rows: Sequence[tuple[str, float]], *, theme: Theme) -> str:
    """SVG: one row per (constant label, value 0 to 1): label, bar, number. NaN draws no bar and "–"."""
    parts = [_row(i, SHORT.get(label, label), value, theme) for i, (label, value) in enumerate(rows)]
    height = ROW * len(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="{_FONT}" font-size="11">{"".join(parts)}</svg>'
    )


def _row(i: int, label: str, value: float, theme: Theme) -> str:
    middle, full = ROW * i + ROW / 2, WIDTH - _LABEL - _VALUE
    length = full * min(max(value, 0.0), 1.0) if isfinite(value) else 0.0
    bar = f'x="{_LABEL}" y="{middle - 3.5:g}" height="7" rx="2"'
    return (
        f'<text x="0" y="{middle + 4:g}" fill="{theme.muted}">{label}</text>'
        f'<rect {bar} width="{full}" fill="{theme.grid}"/>'
        f'<rect {bar} width="{length:.2f}" fill="{theme.accent}"/>'
        f'<text x="{WIDTH}" y="{middle + 4:g}" text-anchor="end" fill="{theme.ink}">{brief(value)}</text>'
    )


def bars_alt(rows: Sequence[tuple[str, float]]) -> str:
    """The same in words."""
    return ", ".join(f"{label} {number(value)}" for label, value in rows)


# What a high score between two images does not say: the same labels, not necessarily the same disease.

NEAR_ONE = 0.9
"""From here a score passes for "the same"."""
FEW = 2
"""So few labels, such as those of "CT scan of the thorax", make many images look similar."""
RAISED = 0.5
"""From here it is said that few labels raised a score."""


def of_pair(study: Study, query: int, result: int, score: float) -> str:
    """For two images that score so much by their concepts, in full sentences; "" where nothing is to be said.

    ``score``: 0 to 1, NaN where there is none.
    """
    said = ["The same labels do not have to mean the same disease."] if score >= NEAR_ONE else []
    few = [(who, n) for who, n in _sizes(study, query, result) if n <= FEW]
    if score >= RAISED and few:
        who = f"The {few[0][0]} has only {pluralize(few[0][1], 'label')}"
        if len(few) > 1:
            who = f"Both images have at most {pluralize(FEW, 'label')}"
        said.append(f"{who}, which raises the score.")
    return " ".join(said)


def on_card(study: Study, query: int, result: Result) -> str:
    """The same where there is room for a few words only."""
    score = score_of(result)
    few = score >= RAISED and any(n <= FEW for _, n in _sizes(study, query, result.image))
    if score >= NEAR_ONE:
        return "Same few labels, maybe another disease" if few else "Same labels, maybe another disease"
    return "Few labels" if few else ""


def of_lists(study: Study, query: int, results: Iterable[Result], *, closest: float) -> str:
    """One sentence for all results of a query; ``closest``: the highest score there could be, or NaN."""
    known = [result for result in results if result.image >= 0]
    if closest >= NEAR_ONE or any(score_of(result) >= NEAR_ONE for result in known):
        return "A score near 1 means the same labels, not necessarily the same disease; few labels raise it"
    if any(on_card(study, query, result) for result in known):
        return "Few labels on an image raise its scores"
    return ""


def score_of(result: Result) -> float:
    """What the concepts of a result score, with related ones where the study knows any; NaN for none."""
    return max(result.iou, result.nn_iou) if result.nn_iou == result.nn_iou else result.iou


def _sizes(study: Study, query: int, result: int) -> list[tuple[str, int]]:
    """The number of concepts of each image."""
    sizes = study.concepts.sizes
    return [(who, int(sizes[image])) for who, image in (("query", query), ("result", result))]


WIDEST_NAME = 60
CONCEPTS_ON_A_CARD = 8
CARD_WIDTH = 112
TEXT_CARD_WIDTH = 190
_WHOLE = "_whole_caption:"
"""Whose caption is shown whole, by place."""


def column(
    context: Context,
    system: str,
    query: int,
    results: Sequence[Result],
    *,
    side: str,
    returned: int,
    scored: str,
    narrow: bool = False,
    counts: bool = True,
) -> None:
    """One system's cards; ``scored``: what it scores, in Markdown; ``narrow``: the heading in lines.

    ``counts``: whether the query has a value for it.
    """
    name, badge = f"**{side} · {md_escape(system)}**", reading(context, system)
    many = f":gray[top {count(len(results))} of {count(returned)}]"
    if narrow:
        # A line of its own for all columns, so that the cards of one rank stand side by side.
        marked = any(reading(context, system) for system in context.choice.systems)
        st.markdown("  \n".join([name, *([badge.strip() or "&nbsp;"] if marked else []), scored, many]))
    else:
        st.markdown(" · ".join([f"{name}{badge}", scored, many]))
    if not results:
        worth = ", so the query counts as 0 for it" if counts else ""
        st.info(f"This system returned nothing for this query{worth}.", icon=":material/hide_image:")
        return
    pictures = context.study.images is not None
    # The cards have no keys of their own: the next query then changes them in place, which is quicker.
    grid = st.grid(min_column_width=CARD_WIDTH if pictures else TEXT_CARD_WIDTH, gap="xsmall")
    for result in results:
        with grid.container(border=True, gap="xxsmall"):
            _card(context, query, result, side, system)


def reading(context: Context, system: str) -> str:
    """The badge of a system that reads captions, in Markdown."""
    said = remark(system, context.study.looks)
    return f" :orange-badge[{said}]" if said else ""


def _card(context: Context, query: int, result: Result, side: str, system: str) -> None:
    study = context.study
    mark = f" · {result.mark.markdown}" if result.mark else ""
    image_id = "" if result.image < 0 else f"  \n:small[{md_escape(study.image_ids[result.image], limit=40)}]"
    st.markdown(f"**{result.rank}**{_change(result)}{mark}{image_id}")
    if result.image < 0:
        st.caption("This image is not in the study, so it counts as 0.")
        return
    if study.images is not None:
        picture(study, result.image, framed=result.shared)
    else:
        words(study, result.image, caption=90, key=f"{side}-{result.rank}")
    rows = score_rows(context, result)
    st.image(
        score_bars(rows, theme=context.theme), width=WIDTH, alt=f"Result {result.rank}: {bars_alt(rows)}"
    )
    if said := on_card(study, query, result):
        st.markdown(f":small[:gray[{said}]]")
    st.button(
        f"Why:small[ result {result.rank} of {side}]?",
        key=f"why-{side}-{result.rank}",
        width="stretch",
        on_click=ask,
        args=(study.image_ids[result.image], system),
    )


def picture(
    study: Study,
    image: int,
    *,
    framed: bool = False,
    size: int = tiles.CARD,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """An image on its tile, or a word where it has none; nothing where the study has no pictures at all."""
    tile = tiles.tile(study, image, framed=framed, size=size)
    if tile is not None:
        st.image(tile, width=width, alt=describe(study, image))
    elif study.images is not None:
        st.caption("No picture")


def legend(context: Context, systems: Sequence[str], *, against: str = "") -> str:
    """What the bars and frames of the cards mean; of more than two systems, ``against`` names the first."""
    framed = _framed(context, "" if len(systems) == 2 else against)
    if not context.choice.plain:
        by_vectors = any(name in context.study.embeddings for name in systems)
        cosine = "cosine: similarity as this system sees it (not comparable between systems)"
        return " · ".join([*([cosine] if by_vectors else []), framed])
    parts = ["Same: concepts in common"]
    parts += ["Related: closely related ones count too"] if context.study.knows_neighbours else []
    return " · ".join([*parts, framed])


def _framed(context: Context, against: str) -> str:
    """What frames and arrows say: of two systems ("") about both, of more about the first, ``against``."""
    pictures, other = context.study.images is not None, md_escape(against) or "the other system"
    by = "both systems" if not against else "another system too" if pictures else f"{other} too"
    sign = "Blue frame" if pictures else "▲▼ ="
    return f"{sign}: found by {by}. ▲3: three ranks higher here than in {other}"


def score_rows(context: Context, result: Result) -> list[tuple[str, float]]:
    """The bars of a card: only those the study can have.

    What the system itself finds similar has another scale for each system, so it is for experts only.
    """
    plain_words = context.choice.plain
    rows = [("Same" if plain_words else "IoU", result.iou)]
    if context.study.knows_neighbours:
        rows.append(("With related" if plain_words else "nn-IoU", result.nn_iou))
    if context.study.embeddings and not plain_words:
        rows.append((COSINE, result.cosine))
    return rows


def change(result: Result) -> str:
    """The place in the other list: ▲3 is three places higher here; "" when it is not in both."""
    if result.elsewhere is None:
        return ""
    moved = result.climbed
    return "=" if moved == 0 else f"▲{moved}" if moved > 0 else f"▼{-moved}"


def _change(result: Result) -> str:
    """The same in colour."""
    moved = change(result)
    return f" · :{'orange' if moved.startswith('▼') else 'blue'}[{moved}]" if moved else ""


def describe(study: Study, image: int) -> str:
    """Alternative text of a picture: its id and caption."""
    caption = study.caption_of(image)
    return plain(f"{study.image_ids[image]}: {caption}" if caption else study.image_ids[image], limit=200)


def words(study: Study, image: int, *, caption: int, key: str, technical: bool = False) -> None:
    """Caption, cut short at first, and named concepts of an image; ``key`` names the place."""
    text = study.caption_of(image)
    if text:
        _caption(text, study.image_ids[image], limit=caption, key=key)
    st.markdown(concepts(study, image, technical=technical))


def _caption(text: str, name: str, *, limit: int, key: str) -> None:
    """The first ``limit`` characters of the caption of the image ``name``, and the whole of it on demand."""
    kept = f"{_WHOLE}{key}"
    long = len(plain(text)) > limit
    whole = long and state.get(kept) == name
    st.markdown(md_escape(text, limit=None if whole else limit))
    if long:
        st.button(
            "Show less" if whole else "Show the whole caption",
            key=f"caption-{key}",
            type="tertiary",
            icon=":material/unfold_less:" if whole else ":material/unfold_more:",
            on_click=state.set_plain,
            args=(kept, "" if whole else name),
        )


def concepts(study: Study, image: int, *, technical: bool = False) -> str:
    """The concepts of an image as badges, by kind where kinds are known; a sentence where there are none."""
    cuis = sorted(study.concepts.of_image(image), key=study.name_of)
    if not cuis:
        return ":gray[No concepts listed]" if study.concepts.annotated[image] else ":gray[Not annotated]"
    if study.kinds is not None:
        cuis = sorted(cuis, key=lambda cui: place_of(cui, study.kinds))
    shown = cuis[:CONCEPTS_ON_A_CARD]
    more = len(cuis) - CONCEPTS_ON_A_CARD
    last = f" :gray[and {more} more]" if more > 0 else ""
    if study.kinds is None:
        return f"{_badges(study, shown, technical)}{last}"
    groups = grouped(shown, study.kinds)
    lines = [f":small[{HEADS[kind]}] {_badges(study, ones, technical)}" for kind, ones in groups.items()]
    return "  \n".join(lines) + last


def _badges(study: Study, cuis: Sequence[str], technical: bool) -> str:
    return " ".join(_badge(study, cui, technical) for cui in cuis)


def _badge(study: Study, cui: str, technical: bool) -> str:
    name = md_escape(study.name_of(cui), limit=WIDEST_NAME)
    code = f" {md_escape(cui)}" if technical and study.name_of(cui) != cui else ""
    return f":gray-badge[{name}{code}]"
