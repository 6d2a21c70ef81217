"""In which directions a study is asked: texts for images, and images for texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalcore.values.arrays import Ints, frozen
from evalcore.values.own_queries import OF_TEXT, Direction, OwnQueries, Pairs

if TYPE_CHECKING:
    from evalcore.values.model import Study


def directions(own: OwnQueries, pairs: Pairs | None, candidates: Ints) -> tuple[Direction, ...]:
    """In which directions are the queries asked? By what each is matched with.

    ``candidates``: the images offered. A query matched with texts, and with no image, looks among all texts
    of ``queries.csv``, any other among the images. None where all look among the images.
    """
    of_text = np.zeros(len(own.only), np.bool_)
    of_text[own.rows[[kind in OF_TEXT for kind in own.kinds]]] = True
    texts = np.flatnonzero(of_text & own.only).astype(np.int32)
    among_texts = np.zeros(len(own.rows), np.bool_)
    if pairs is not None:
        for place, query in enumerate(own.rows.tolist()):
            matched = pairs.of(query)
            among_texts[place] = len(matched) > 0 and bool((of_text & own.only)[matched].all())
    if not among_texts.any():
        return ()
    result = []
    for to, offered, asked in (("image", candidates, ~among_texts), ("text", texts, among_texts)):
        sides = {"text" if of_text[query] else "image" for query in own.rows[asked].tolist()}
        if sides:
            name = f"{'+'.join(sorted(sides))}->{to}"
            result.append(Direction(name, frozen(own.rows[asked]), frozen(offered)))
    return tuple(result)


def toward(study: Study, direction: Direction) -> Study:
    """The study asked in one direction; its ``systems`` are those that answer in it."""
    return replace(study, queries=direction.queries, candidates=direction.candidates)
