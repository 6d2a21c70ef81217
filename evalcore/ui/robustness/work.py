"""What the measures are compared on: which of them, which queries and systems; long work is done once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st

from evalcore.evaluate.analysis import Analysis, analyse
from evalcore.relevance.registry import (
    describe,
    in_words_of_same,
    offered,
    same_by_definition,
    weighted_relevances,
)
from evalcore.ui.components import select
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import called
from evalcore.ui.frame.state import Key
from evalcore.values.progress import Progress, part_of
from evalcore.values.settings import OPTIONS
from evalcore.values.writing import md_escape, pluralize

T = TypeVar("T")

COMPARED = Key("yardsticks", of_study=True)
USED, SEED = Key("asked"), Key("seed")
FIRST = (
    "iou",
    "cosine",
    "overlap",
    "nn-iou",
    "best-match:path",
    "best-match:lin-seco",
    "matching:cs2-levels",
)
"""On view at first for researchers: one of each kind. Dice orders all pairs as IoU does."""
MANY, FEW = 5_000, 2_000
"""With a measure by the taxonomy and more queries than MANY, FEW of them are used at first."""
SIZES, ALL = (500, 2_000, 5_000), 1_000_000
"""Queries used; in links so many are all of them."""
SEEDS = 999_999


def measures(context: Context) -> dict[str, str]:
    """The picker of the measures compared, and what each is called: one or more, in the registry's order.

    Simple offers two or three, named in words, and those a link asks for.
    """
    study, plain = context.study, context.choice.plain
    state.follow_default(COMPARED)
    others = [qrels.relevance for qrels in study.qrels.values()]
    known = (
        (*offered(study), *weighted_relevances(study)) if len(study.concepts.indices) or not others else ()
    )
    everything = {name: called(name, plain=plain) for name in (*known, *others)}
    seen = [f"cosine:{system}" for system in list(study.embeddings)[:1]] if known else others
    first = [name for name in (("iou", "nn-iou") if plain else FIRST) if name in everything] + seen
    first += ["overlap"] if plain and len(first) < 2 and known else []
    requested = {*first, *others, *state.requested(COMPARED)} if plain else everything
    on_offer = {name: text for name, text in everything.items() if name in requested}
    with st.expander("Measures compared") if plain else nullcontext():
        picked = select.multiselect(
            "Measures compared",
            on_offer,
            param=COMPARED,
            first=first,
            placeholder="Select measures",
            help="A measure says how relevant one image is for another. No single measure is right; each "
            "looks at something different.",
        )
        if plain and len(everything) > len(on_offer):
            st.caption(f"{len(everything) - len(on_offer)} more measures: select Expert on the left.")
    same = same_by_definition((name for name in on_offer if name in picked), context.choice.settings)
    if same:
        named = {called(name, plain=plain): called(twin, plain=plain) for name, twin in same.items()}
        st.caption(md_escape(in_words_of_same(named)))
    return {name: text for name, text in on_offer.items() if name in picked and name not in same}


def systems(context: Context) -> tuple[str, ...]:
    """The sidebar's systems without ``@measure`` ones, which a measure would judge by itself."""
    return tuple(sorted(name for name in context.choice.systems if not name.startswith("@")))


def seed_of(context: Context) -> int:
    """The seed of what is drawn at random, chosen by researchers."""
    with select.hidden(context.choice.plain):
        about: Any = {"param": SEED, "first": OPTIONS["seed"].default, "help": OPTIONS["seed"].help}
        return select.integer("Seed", 0, SEEDS, width=140, **about)


def queries_used(context: Context, measures: Mapping[str, str]) -> tuple[int | None, int]:
    """How many queries are used (None: all), and the seed that draws them; chosen by researchers."""
    n_all = len(context.study.queries)
    slow = any(describe(name).family in ("taxonomy", "vectors") for name in measures)
    with select.hidden(context.choice.plain):
        used = select.amount(
            "Queries used",
            {*(n for n in SIZES if n < n_all), ALL},
            1,
            ALL,
            param=USED,
            first=FEW if slow and n_all > MANY else ALL,
            shown=lambda n: "All" if n >= n_all else f"{n:,}",
            width=140,
            help="Taxonomy measures take longer: of many queries, only a sample is used at first.",
        )
    return (None if used >= n_all else used), seed_of(context)


def sampled(used: int, n_all: int, seed: int) -> str:
    """How many queries were used, in words."""
    if used == n_all:
        return f"{pluralize(n_all, 'query')} used"
    return f"{used:,} of {pluralize(n_all, 'query')} used, drawn at random (seed {seed})"


def measured(
    context: Context,
    measures: tuple[str, ...],
    what: tuple[object, ...],
    *,
    metrics: tuple[str, ...],
    systems: tuple[str, ...],
    n: int | None,
    seed: int,
    answer: Callable[[Analysis], T],
    label: str,
) -> T | None:
    """What an analysis of these systems under these metrics answers; None while it is computed.

    ``what``: names the answer and its parameters; ``n``: how many queries, drawn with ``seed``, None for all.
    """
    study, choice = context.study, context.choice
    own: Any = {"settings": choice.settings, "where": study.where, "baseline": "", "seed": seed}
    view = replace(choice.chosen, metrics=metrics, systems=systems, **own)

    def work(progress: Progress) -> T:
        quiet = part_of(plain_progress(progress, plain=choice.plain), 0, 2)
        return answer(analyse(study, view, n=n, progress=quiet))

    return jobs.run(key_of(context, measures, what, repr(view)), work, label=label, shared=True)


def plain_progress(progress: Progress, *, plain: bool) -> Progress:
    """The progress; at Simple without the name of the measure at work."""
    return (lambda done, _: progress(done, "")) if plain else progress


def key_of(context: Context, *parts: object) -> str:
    """Of a job about measures, and all that decides it."""
    return f"measures {context.study.digest} {parts!r}"
