"""What lies in the graph of concepts and what it changes: neighbours, distances, pairs at work, ratings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    difference_of,
    ends,
    only_saved,
    only_shown,
    p_values_of,
    whole,
)
from evalcore.values.markdown import plain
from evalcore.values.writing import in_table, number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.evaluate.before_after import BeforeAfter
    from evalcore.evaluate.graph_effect import WorkingPair
    from evalcore.evaluate.measures.against_ratings import RatedMeasure
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


def pairs_table(study: Study, pairs: Sequence[WorkingPair], id_word: str = "CUI") -> Table:
    """Related concepts that change the relevance of image pairs."""
    name, both = _named(study), _with_id(study)
    columns = (
        also("image pairs", "image_pairs", whole),
        Column("a", None, "concept", both).on_page("Concept", cell=name).in_file("cui_a"),
        only_saved("name_a", lambda pair: study.names.get(pair.a, "")),
        Column("b", None, "concept", both).on_page("Related to", cell=name).in_file("cui_b"),
        only_saved("name_b", lambda pair: study.names.get(pair.b, "")),
        Column("image_pairs").on_page("Image pairs"),
        Column("distance", head="distance").on_page("Steps"),
        Column("images_a").on_page("Images with the first concept"),
        Column("images_b").on_page("Images with the second concept"),
        only_shown(f"{id_word}s", lambda pair: f"{pair.a} {pair.b}", cell=plain),
    )
    return Table(pairs, columns)


def without_table(rows: Sequence[BeforeAfter], metric: str, correction: str) -> Table:
    """Systems with all links and without some; ``correction``: its name above corrected p."""
    gap, both, *of_gap = difference_of(
        "change.",
        title="Difference",
        interval_title="Interval of the difference",
        cell=partial(in_table, places=4),
    )
    tests = {column.name: column for column in p_values_of(correction, "change.")}
    columns = (
        Column("system", head="system").on_page("System", cell=plain),
        Column("mean_with_links", "before.mean", f"{metric} before", decimals).on_page("With all links ↑"),
        Column("mean_without", "after.mean", "after", decimals).on_page("Without ↑"),
        gap.on_page("Difference", "%+.4f"),
        both,
        *(column.in_file(f"difference_{column.name}") for column in of_gap),
        only_saved("difference_ci_level", "change.level"),
        tests["p"]._replace(head=None),
        tests["p_corrected"].on_page(f"p ({correction})"),
        tests["correction"],
        tests["n_pairs"].on_page("Queries"),
        tests["test"],
        only_saved("sign_flips", "change.n_resamples"),
        only_saved("seed", "change.seed"),
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
