"""Concepts found in captions held against those given: the columns that command, page and files draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.results.rows import Column, Table, also, decimals, ends, span, whole
from evalcore.values.markdown import plain
from evalcore.values.writing import fixed
from evalcore.values.writing import span as between

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.features.annotate.quality import ConceptQuality, Estimate, Quality, Standings, Three


class Over(NamedTuple):
    """Precision, recall and F1 over all images, in one of two ways."""

    name: str
    scores: Three


def _score(name: str, title: str) -> tuple[Column, ...]:
    of = f"scores.{name}."
    head = title if title == "F1" else title.lower()
    column = Column(name, f"{of}value", head, lambda value: decimals(value, 3))
    return column, *ends(of, name=name, head="")


SCORES = (*_score("precision", "Precision"), *_score("recall", "Recall"), *_score("f1", "F1"))


def quality_table(good: Quality) -> Table:
    """Precision, recall and F1 over all pairs of image and concept, and as means over images."""
    titles = {"precision": "Precision ↑", "recall": "Recall ↑", "f1": "F1 ↑"}

    def on_page(column: Column) -> Column:
        title = titles.get(column.name)
        if title is None:
            return column
        whole_one = column._replace(value=f"scores.{column.name}", text=lambda one: decimals(one.value, 3))
        return whole_one.on_page(title, cell=_estimate)

    ways = {"all pairs": "All pairs of image and concept", "mean over images": "Mean over images"}
    rows = [Over("all pairs", good.micro), Over("mean over images", good.per_image)]
    name = also("", "name").on_page("Counted over", cell=ways.__getitem__)
    return Table(rows, (name, *map(on_page, SCORES)))


def _estimate(estimate: Estimate) -> str:
    if estimate.value != estimate.value:
        return "–"
    if estimate.low != estimate.low:
        return fixed(estimate.value, 3)
    return f"{fixed(estimate.value, 3)} ({fixed(estimate.low, 3)} to {fixed(estimate.high, 3)})"


def standings_table(ranked: Standings) -> Table:
    """Every system under the given concepts and under those found."""

    def interval(which: str, title: str) -> Column:
        return span(f"{which}.", "").on_page(title, cell=lambda pair: between(*pair, places=4))

    columns = (
        Column("system", head="system").on_page("System", cell=plain),
        Column("given", "given.mean", "given", decimals).on_page("Given concepts ↑", "%.4f"),
        interval("given", "95%, given"),
        Column("found", "found.mean", "found", decimals).on_page("Concepts found ↑", "%.4f"),
        interval("found", "95%, found"),
        Column("place_given").on_page("Rank, given concepts"),
        Column("place_found").on_page("Rank, concepts found"),
        also("places", lambda one: f"{one.place_given} -> {one.place_found}"),
        *(Column(f"{of}_{end}", f"{of}.{end}") for of in ("given", "found") for end in ("low", "high")),
    )
    return Table(ranked.systems, columns)


def concepts_table(concepts: Sequence[ConceptQuality], called: Callable[[str], str]) -> Table:
    """Concept by concept; ``called``: the name of a concept."""

    def yes(known: bool | None) -> str:
        return "" if known is None else "yes" if known else "no"

    titles = {"precision": "Precision ↑", "recall": "Recall ↑"}
    columns = (
        Column("concept"),
        also("concept", lambda one: called(one.concept)).on_page("Concept"),
        *(
            Column(name, head=name, text=whole).on_page(name.capitalize())
            for name in ("given", "found", "both")
        ),
        *(
            column.on_page(titles[column.name], "%.3f") if column.name in titles else column
            for column in SCORES
        ),
        Column("named", None, "has a name", yes).on_page("Has a name", cell=yes),
    )
    return Table(concepts, columns)
