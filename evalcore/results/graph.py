"""What lies in the graph of concepts and what it changes: neighbours, distances, ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, whole
from evalcore.values.writing import number, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.evaluate.ratings import RatedMeasure
    from evalcore.graph.distances import DistanceCounts
    from evalcore.graph.neighbourhood import Neighbourhood
    from evalcore.values.model import Study


def _named(study: Study) -> Callable[[str], str]:
    """A concept by its name where it has one, else its id."""
    return lambda cui: plain(study.names.get(cui, cui))


def _with_id(study: Study) -> Callable[[str], str]:
    """A concept by its name where it has one, and its id."""
    return lambda cui: plain(f"{study.names[cui]} ({cui})" if study.names.get(cui) else cui)


def near_table(study: Study, neighbourhood: Neighbourhood, id_word: str = "CUI") -> Table:
    """What lies around a concept; ``id_word``: what an id is called."""
    name, both = _named(study), _with_id(study)
    ways = {"up": "more general", "down": "more specific"}
    columns = (
        also("steps", "steps"),
        also("concept", "cui", both).on_page("Concept", cell=name),
        only_saved("near", "cui").on_page(id_word, cell=plain),
        only_saved("name", lambda concept: study.names.get(concept.cui, "")),
        only_saved("distance", "steps").on_page("Steps"),
        also("is", "way", ways.__getitem__),
        also("than", "via", both),
        also("images", "used").on_page("Images").in_file("images"),
        only_saved("way").on_page("Relation", cell=ways.__getitem__),
        only_saved("via").on_page("Compared with", cell=name),
    )
    return Table(neighbourhood.near, columns, {"cui": neighbourhood.cui, "within": neighbourhood.within})


def distances_table(counts: DistanceCounts) -> Table:
    """Pairs of concepts by distance, and those without a path or unknown to the graph."""
    rows: list[tuple[str, int | None, int, int]] = [
        ("connected", steps, int(counts.pairs[steps]), int(counts.weighted[steps]))
        for steps in range(1, len(counts.pairs))
    ]
    rows += [("no path", None, *counts.no_path), ("not in the graph", None, *counts.not_in_graph)]
    words = {"not in the graph": "not in graph"}
    columns = (
        only_saved("pairs_are", lambda row: row[0]),
        Column(
            "distance", lambda row: words.get(row[0], row[0]) if row[1] is None else str(row[1]), "distance"
        ).in_file(""),
        only_saved("distance", lambda row: row[1]),
        Column("pairs", lambda row: row[2], "pairs"),
        Column("weighted", lambda row: row[3], "weighted by images"),
    )
    return Table(rows, columns)


def ratings_table(
    found: Sequence[RatedMeasure], *, names: Mapping[str, str] | None = None, rho: str = "Rho"
) -> Table:
    """Similarities of concepts against people's ratings; ``names``: measures as pages write them."""
    columns = (
        Column("measure", head="measure").on_page("Measure", cell=lambda name: (names or {}).get(name, name)),
        Column("title").in_file(""),
        Column("relatedness", None, "measures", _says).on_page("Says", cell=_says).in_file(""),
        only_saved("measures", lambda row: _says(row.relatedness)),
        Column("n_pairs"),
        Column("n_known", None, "known", whole).on_page("Both known"),
        Column("n_connected", None, "connected", whole).on_page("Connected"),
        Column("spearman", None, "rho", decimals).on_page(rho, cell=number),
        *ends("ci_", title="Interval"),
        Column("spearman_connected", None, "rho, connected", decimals).on_page(
            f"{rho}, connected", cell=number
        ),
    )
    return Table(found, columns)


def _says(relatedness: bool) -> str:
    return "relatedness" if relatedness else "similarity"
