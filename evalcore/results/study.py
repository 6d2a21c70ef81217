"""What a study contains: its files, what its systems returned, near duplicates, labels; its graph."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.evaluate.duplicates import BITS, same_group
from evalcore.results.rows import Column, Table, also, decimals, ends, named, only_saved, only_shown, whole
from evalcore.results.rows import percent as percent_of
from evalcore.results.rows import plain as printable
from evalcore.study.parts.registry import KINDS as PARTS
from evalcore.values.concept_values import KINDS, UNKNOWN
from evalcore.values.writing import number, percent, plain, pluralize, span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.by_kind import FromKinds
    from evalcore.evaluate.coverage import StudyCoverage, SystemCoverage
    from evalcore.evaluate.duplicates import Duplicates
    from evalcore.evaluate.ratings import RatedMeasure
    from evalcore.graph.distances import DistanceCounts
    from evalcore.graph.neighbourhood import Neighbourhood
    from evalcore.values.model import LabelColumn, Part, Study

_WHOLE = "localized"


PROBLEM = (
    *named("severity", "file", "line", "value", "rule", "message"),
    Column("way_out", "remedy"),
    *named("count"),
)
PROBLEMS = (
    Column("errors", lambda report: report.total("error")),
    Column("warnings", lambda report: report.total("warning")),
    Column("problems", lambda report: Table(report.problems, PROBLEM)),
)
"""The problems in the files of a study, of a report."""


def parts_table(study: Study) -> Table:
    """The files of a study, each with how many kinds of problems it has."""
    errors, remarks = (
        Counter(file for kind, file, _ in study.report.counts if kind == severity)
        for severity in ("error", "warning")
    )

    def status(part: Part) -> str:
        return "✗ Left out" if not part.used else "⚠ In part" if errors[part.file] else "✓ Loaded"

    columns = (
        only_shown("Status", status),
        also("part", "kind").on_page("What", cell=lambda kind: PARTS[kind].title),
        also("file", "file").on_page("File", cell=plain),
        also("form", "format").on_page("Format", cell=plain),
        also("rows", "rows", whole).on_page("Rows"),
        also("", lambda part: "" if part.used else "not used"),
        only_shown("Errors", lambda part: errors[part.file], _WHOLE),
        only_shown("Remarks", lambda part: remarks[part.file], _WHOLE),
    )
    return Table(study.parts, columns)


def coverage_table(held: StudyCoverage) -> Table:
    """How many images, concepts and uses of concepts have what, of all that could."""
    n = held.images
    rows = [
        ("Images annotated", n - held.not_annotated, n),
        ("Images with concepts", n - held.not_annotated - held.without_concepts, n),
        ("Images with a caption", held.captions, n),
        ("Images with a picture", held.pictures, n),
        *((f"Images with label {name}", labelled, n) for name, labelled in held.labelled),
        ("Concepts in the graph", held.concepts_in_graph, held.concepts),
        ("Uses of these concepts", held.occurrences_in_graph, held.occurrences),
        ("Concepts with a name", held.concepts_named, held.concepts),
    ]
    columns = (
        also("", "0", printable).on_page("What"),
        also("count", "1", whole).on_page("Number"),
        also("of", "2", whole).on_page("Of"),
        also("share", lambda row: percent(row[1], row[2])).on_page("Share"),
    )
    return Table(rows, columns)


def returned_table(study: Study, systems: Sequence[SystemCoverage]) -> Table:
    """What each system returned, and which images it searches."""
    n = len(study.queries)

    def self_hits(system: SystemCoverage) -> int:
        folder = f"/{system.system}/"
        return sum(
            n
            for (_, file, rule), n in study.report.counts.items()
            if rule == "self-hit" and folder in f"/{file}"
        )

    columns = (
        also("system", "system").on_page("System", cell=plain),
        also("answered", "answered", whole).on_page("Queries answered"),
        only_shown("Share", lambda system: percent(system.answered, n)),
        also("shortest", "shortest", whole).on_page("Shortest list"),
        also("longest", "longest", whole).on_page("Longest list"),
        also("with ties", "tied", whole).on_page("Queries with equal scores"),
        also("embedded", "embedded", whole).on_page("Images with a vector"),
        also("searched", "searched", whole).on_page("Images searched"),
        only_shown("Itself returned", self_hits, _WHOLE),
    )
    return Table(systems, columns)


def duplicates_table(study: Study, duplicates: Duplicates) -> Table:
    """Pairs of images that are nearly the same."""

    def yes(fact: bool | None) -> str:
        return "-" if fact is None else "yes" if fact else ""

    def shown(fact: bool | None) -> str:
        return "yes" if fact else ""

    ids, groups = study.image_ids, study.groups
    same = Column("same_group", lambda pair: same_group(study, pair), "same group", yes)
    columns = (
        Column("first", lambda pair: ids[pair.first], "image").on_page("Image", cell=plain),
        Column("second", lambda pair: ids[pair.second], "and image").on_page("And image", cell=plain),
        Column("bits", head=f"bits of {BITS} that differ").on_page("Bits that differ"),
        same if groups is None else same.on_page(f"Same {plain(groups.name, limit=20)}", cell=shown),
    )
    return Table(duplicates.pairs, columns)


def shares_table(rows: Sequence[FromKinds], names: Mapping[str, str] = MappingProxyType({})) -> Table:
    """Which kinds of concepts the relevance of first results comes from; ``names``: of kinds on pages."""

    def share(name: str, head: str | None = None, title: str = "", value: Any = None) -> Column:
        column = Column(name, value, name if head is None else head, lambda part: percent_of(part, 1))
        return column.on_page(title, "%.1f%%", cell=lambda part: 100 * part) if title else column

    def share_of(kind: str) -> Column:
        title = f"{names.get(kind, kind)}, share of score"
        return share(kind, kind, title, lambda row: row.shares.get(kind, 0.0))

    there = [kind for kind in (*KINDS, UNKNOWN) if any(kind in row.shares for row in rows)]
    columns = (
        Column("system", head="system").on_page("System", cell=plain),
        *map(share_of, there),
        share("only_setting", "only setting", "Only modality, plane, anatomy"),
        only_shown("95% interval", lambda row: span(100 * row.low, 100 * row.high, places=1)),
        share("only_setting_low", "from", value="low"),
        share("only_setting_high", "to", value="high"),
        share("with_more", "more", "More"),
        share("nothing", "nothing", "Nothing"),
        Column("n_queries", None, "queries", whole).on_page("Queries"),
        Column("n_with_finding", None, "with a finding", whole).on_page("With a finding"),
        Column("n_results", None, "results", whole).on_page("Results"),
        *named("relevance", "k", "total"),
    )
    return Table(rows, columns)


# Labels from concepts: how many images have each.

EVERY = "all"


def below_text(reach: int | None) -> str:
    """Which concepts count, as a heading.

    >>> [below_text(reach) for reach in (0, 1, 2, None)]
    ['Those named', '1 link below', '2 links below', 'All below']
    """
    if not reach:
        return "All below" if reach is None else "Those named"
    return f"{pluralize(reach, 'link')} below"


def images_table(labels: Mapping[str, LabelColumn]) -> Table:
    """How many images have each label, the most frequent of a column first."""
    rows = [
        (name, column.values[value], n)
        for name, column in labels.items()
        for value, n in enumerate(np.bincount(column.indices, minlength=len(column.values)).tolist())
    ]
    return Table(
        sorted(rows, key=lambda row: (row[0], -row[2], row[1])),
        (
            Column("column", "0", "column", printable).on_page("Column", cell=printable),
            Column("label", "1", "label", printable).on_page("Label", cell=printable),
            Column("images", "2", "images", whole).on_page("Images"),
        ),
    )


# The graph: neighbours, distances, ratings of concepts.


def near_table(study: Study, neighbourhood: Neighbourhood, id_word: str = "CUI") -> Table:
    """The neighbours of a concept; ``id_word``: what an id is called."""

    def name(cui: str) -> str:
        return plain(study.names.get(cui, cui))

    def both(cui: str) -> str:
        return plain(f"{study.names[cui]} ({cui})" if study.names.get(cui) else cui)

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
    columns = (
        only_saved("pairs_are", "0"),
        only_shown("Steps apart", lambda row: row[0] if row[1] is None else str(row[1])),
        only_saved("distance", "1"),
        Column("pairs", "2").on_page("Pairs", _WHOLE),
        Column("weighted", "3").on_page(
            "Weighted", _WHOLE, help="Each pair once for every two images with the one and with the other."
        ),
    )
    return Table(rows, columns)


def ratings_table(
    rated: Sequence[RatedMeasure], *, names: Mapping[str, str] | None = None, rho: str = "Rho"
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
    return Table(rated, columns)


def _says(relatedness: bool) -> str:
    return "relatedness" if relatedness else "similarity"
