"""Query by query: values of every system, and who is best, for command, page and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.results.rows import Column, Table, also, decimals, only_saved, only_shown, signed
from evalcore.values.model import REASONS
from evalcore.values.writing import arrow, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.per_query import PerQuery
    from evalcore.values.arrays import Bools, Floats, Offsets
    from evalcore.values.model import Study


BETWEEN = "; "
"""Parts several systems in one cell of a file."""


def queries_table(
    per_query: PerQuery,
    places: Offsets,
    study: Study,
    *,
    differences: Floats | None = None,
    more: Sequence[Column] = (),
) -> Table:
    """All values of these queries; NaN where there is none, with the reason in ``undefined``.

    ``differences``: of one system and the rest, shape (queries,); ``more``: columns that pages show besides.
    """
    ids, hard, good = study.image_ids, per_query.kind("hard"), per_query.kind("good")
    best = dict(zip(places.tolist(), _named(per_query.systems, per_query.best[places]), strict=True))
    up = arrow(per_query.sign < 0)

    def value(j: int, name: str) -> Column:
        column = also(name, lambda i: float(per_query.values[i, j]), decimals)
        return column.on_page(f"{plain(name)} {up}").in_file(f"value:{name}")

    def all_tied(names: Sequence[str]) -> bool:
        return len(names) == len(per_query.systems) > 1

    def in_text(names: Sequence[str]) -> str:
        return "all tied" if all_tied(names) else ", ".join(names)

    def on_page(names: Sequence[str]) -> str:
        if len(names) < 2 or all_tied(names):
            return plain(in_text(names))
        return plain(f"{len(names)} tied: {', '.join(names)}", limit=80)

    def remark(i: int) -> str:
        words = ("poor for all" * bool(hard[i]), "good for all" * bool(good[i]), undefined(i))
        return " ".join(filter(None, words))

    def undefined(i: int) -> str:
        return REASONS[per_query.reasons[i]]

    def number(name: str, values: Floats) -> Column:
        return Column(name, lambda i: float(values[i]))

    gap = [] if differences is None else [number("difference", differences)]
    columns = (
        Column("query", lambda i: ids[per_query.queries[i]], "query").on_page("Query", cell=plain),
        *(column._replace(head="difference", text=signed) for column in gap),
        only_saved("metric", lambda _: per_query.metric),
        number("mean", per_query.means)._replace(head="mean", text=decimals).on_page(f"Mean {up}"),
        *(value(j, name) for j, name in enumerate(per_query.systems)),
        number("lowest", per_query.values.min(axis=1)),
        number("highest", per_query.values.max(axis=1)),
        number("spread", per_query.spreads),
        Column("best", best.__getitem__, "best", in_text).on_page("Best", cell=on_page).in_file(""),
        only_saved("best", lambda i: BETWEEN.join(best[i])),
        Column("hard_for_all", lambda i: bool(hard[i])),
        Column("good_for_all", lambda i: bool(good[i])),
        only_shown("Poor for all", lambda i: bool(hard[i]), if_any=True),
        Column("undefined", lambda i: undefined(i) or None),
        Column(
            "values", lambda i: dict(zip(per_query.systems, per_query.values[i].tolist(), strict=True))
        ).in_file(""),
        also("", remark),
        *more,
    )
    return Table(places.tolist(), columns)


def _named(systems: Sequence[str], chosen: Bools) -> list[list[str]]:
    """The names of the chosen systems of each row; ``chosen`` is of shape (rows, systems)."""
    names: list[list[str]] = [[] for _ in range(len(chosen))]
    for row, column in zip(*(places.tolist() for places in np.nonzero(chosen)), strict=True):
        names[row].append(systems[column])
    return names
