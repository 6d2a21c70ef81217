"""Evaluation without labels on the data page: changed pictures look for themselves, by encoders at hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from evalcore.features.encode.augmented import AugmentedRow, augmented
from evalcore.features.encode.encoding import encodable
from evalcore.features.encode.figures import TITLES, change_curves
from evalcore.features.encode.opening import Offer, offers
from evalcore.features.encode.tables import METHOD, augmented_table
from evalcore.ui.components import figure, fold, select, table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.markdown import plain
from evalcore.values.model import Study
from evalcore.values.progress import Progress, part_of

FOLD = Key("changed_pictures", of_study=True)
ENCODERS = Key("encoders", of_study=True)
N_PICTURES = Key("n_changed")
FEWEST, MOST, FIRST = 2, 500, 40


def section(context: Context) -> None:
    """A part of the page, closed at first; nothing of a study without pictures."""
    if "images" in encodable(context.study):
        fold.section(
            "**Without labels**: do changed pictures find themselves?",
            _changed,
            context,
            keep=FOLD,
            opened_by=(ENCODERS, N_PICTURES),
        )


def _changed(context: Context) -> None:
    study = context.study
    offered = {offer.name: offer for offer in offers(["images"])}
    st.markdown(
        "Pictures are rotated, cropped and darkened, more and more, and look for themselves among all "
        "pictures as they are. A robust system returns the picture itself first."
    )
    untrained = [name for name, offer in offered.items() if not offer.trained]
    names = select.some(
        "Encoders",
        {name: plain(offer.title, limit=60) for name, offer in offered.items()},
        keep=ENCODERS,
        first=untrained,
    )
    n = select.whole("Pictures to change", FEWEST, MOST, keep=N_PICTURES, first=FIRST)
    if not names:
        return
    rows = jobs.run(
        f"augmented {study.digest} {names} {n}",
        partial(_rows, study, [offered[name] for name in names], n),
        label="Changing pictures and looking for them",
    )
    if rows is not None:
        _result(context, rows)


def _rows(study: Study, chosen: Sequence[Offer], n: int, progress: Progress) -> list[AugmentedRow]:
    return [
        row
        for place, offer in enumerate(chosen)
        for row in augmented(
            study,
            offer.opened(),
            n_images=n,
            progress=part_of(progress, place, len(chosen), name=offer.title),
        )
    ]


def _result(context: Context, rows: Sequence[AugmentedRow]) -> None:
    systems = [*context.study.systems, *dict.fromkeys(row.system for row in rows)]
    inside = figure.within(context, columns=len(TITLES))
    grid = st.grid(len(TITLES), min_column_width=figure.NARROWEST, gap="medium")
    for change in TITLES:
        drawn = change_curves(rows, change, systems=list(dict.fromkeys(systems)), theme=inside.theme)
        with grid.container():
            figure.show(inside, drawn, key=f"changed-{change}", file=f"changed-{change}", note=False)
    figure.how_to_read(context, drawn)
    table.declared(
        context,
        augmented_table(rows),
        key="changed-pictures",
        file="changed-pictures",
        note=METHOD,
        alt="How often changed pictures come back first, by change and encoder",
        about=table.studied,
        height=320,
    )
