"""What pages show of a result: picture, caption, concepts, what it scores, and what a high score means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from evalcore.figures.words import HEADS, grouped, place_of
from evalcore.ui.components import tiles
from evalcore.ui.components.results import Result
from evalcore.ui.frame.context import Context
from evalcore.values.model import Study
from evalcore.values.writing import md_escape, plain

COSINE = "cosine, as this system sees it"


NOT_THE_SAME = (
    "A score near 1 means the same concepts, not necessarily the same disease; few concepts per image "
    "raise it"
)
"""What a high score between two images does not say."""
WIDEST_NAME = 60
CONCEPTS_ON_A_CARD = 8
NO_CONCEPTS = {True: "No concepts listed", False: "Not annotated"}
"""What is shown instead of concepts, by whether the image is annotated."""
LONGEST_CAPTION = 2_000


def picture(
    study: Study, image: int, *, size: int = tiles.CARD, width: int | Literal["stretch"] = "stretch"
) -> None:
    """An image on its tile, or a word where it has none; nothing where the study has no pictures at all."""
    tile = tiles.tile(study, image, size=size)
    if tile is not None:
        st.image(tile, width=width, alt=describe(study, image))
    elif study.images is not None:
        st.caption("No picture")


def legend(context: Context, systems: Sequence[str], *, against: str) -> list[str]:
    """What the bars and frames mean; of more than two systems, ``against`` names the first."""
    pictures, two = context.study.images is not None, len(systems) == 2
    other = "the other system" if two else md_escape(against)
    by = "both systems" if two else "another system too" if pictures else f"{other} too"
    framed = f"{'Light frame' if pictures else '▲▼ ='}: found by {by}"
    moved = f"▲3: three ranks higher here than in {other}"
    if len(context.study.concepts.indices):
        framed = (
            f"{framed}. Below a picture: = a concept that the query has too, ≈ a kind of one, or the reverse"
        )
    if not context.choice.plain:
        by_vectors = any(name in context.study.embeddings for name in systems)
        cosine = "cosine: similarity as this system sees it (not comparable between systems)"
        return [*([cosine] if by_vectors else []), framed, moved]
    if not len(context.study.concepts.indices):
        return [framed, moved]
    related = "; closely related ones count in part" if context.study.knows_neighbours else ""
    return [f"Bar: how many concepts the result shares with the query{related}", framed, moved]


def score_rows(context: Context, result: Result) -> list[tuple[str, float]]:
    """The bars of a card: only those the study can have.

    What the system itself finds similar has another scale for each system, so it is for experts only.
    """
    plain_words = context.choice.plain
    if not len(context.study.concepts.indices):
        return [(COSINE, result.cosine)] if context.study.embeddings and not plain_words else []
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
    moved = result.elsewhere - result.rank
    return "=" if moved == 0 else f"▲{moved}" if moved > 0 else f"▼{-moved}"


def describe(study: Study, image: int) -> str:
    """Alternative text of a picture: its id and caption."""
    caption = study.caption_of(image)
    return plain(f"{study.image_ids[image]}: {caption}" if caption else study.image_ids[image], limit=200)


def words(study: Study, image: int, *, technical: bool) -> None:
    """The caption of an image, and its concepts as badges, by kind where kinds are known; ``technical``: with
    their ids. A sentence where it has none."""

    def badge(cui: str) -> str:
        name = md_escape(study.name_of(cui), limit=WIDEST_NAME)
        code = f" {md_escape(cui)}" if technical and study.name_of(cui) != cui else ""
        return f":gray-badge[{name}{code}]"

    if text := study.caption_of(image):
        st.markdown(md_escape(text, limit=LONGEST_CAPTION))
    groups, more = concepts_by_kind(study, image)
    lines = [
        (f":small[{head}] " if head else "") + " ".join(map(badge, cuis)) for head, cuis in groups.items()
    ]
    if not lines:
        lines = [f":gray[{NO_CONCEPTS[bool(study.concepts.annotated[image])]}]"]
    st.markdown("  \n".join(lines) + (f" :gray[and {more} more]" if more else ""))


def concepts_by_kind(study: Study, image: int) -> tuple[dict[str, list[str]], int]:
    """The first concepts of an image, findings first, under what their kinds are called ("" where none are
    known), and how many more there are."""
    by_name = sorted(study.concepts.of_image(image), key=study.name_of)
    shown = sorted(by_name, key=lambda cui: place_of(cui, study.kinds))[:CONCEPTS_ON_A_CARD]
    more = len(by_name) - len(shown)
    if study.kinds is None:
        return ({"": shown} if shown else {}), more
    return {HEADS[kind]: cuis for kind, cuis in grouped(shown, study.kinds).items()}, more
