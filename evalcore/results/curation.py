"""What a curation of concepts did: a row for each rule, each type, and each concept that was removed."""

from __future__ import annotations

from collections.abc import Mapping

from evalcore.evaluate.curation import BLACKLIST, FREQUENCY, LINKS, TYPES, Curated
from evalcore.results.rows import Column, Table, whole
from evalcore.values.markdown import plain
from evalcore.values.writing import NOTHING

TITLES = {
    "": "before",
    LINKS: "wrong links",
    BLACKLIST: "blacklist",
    TYPES: "semantic types",
    FREQUENCY: "too rare",
}
"""What each rule is called on screen."""


def steps_table(result: Curated) -> Table:
    """What each rule removed, in the order in which they are applied."""
    columns = (
        Column("rule", lambda step: TITLES[step.rule], "rule").on_page("Rule"),
        Column("removed_concepts", None, "concepts removed", whole).on_page("Concepts removed"),
        Column("removed_occurrences", "removed", "occurrences removed", whole).on_page("Occurrences removed"),
        Column("concepts", None, "concepts left", whole).on_page("Concepts left"),
        Column("occurrences", None, "occurrences left", whole).on_page("Occurrences left"),
        Column("images_without_concepts", "empty", "images without", whole).on_page("Images without"),
    )
    return Table(result.steps, columns)


def types_table(result: Curated) -> Table:
    """Concepts and occurrences of each type before and after."""
    columns = (
        Column("type", None, "type", plain).on_page("Type", cell=plain),
        Column("concepts_before", None, "concepts before", whole).on_page("Concepts before"),
        Column("concepts", None, "after", whole).on_page("After"),
        Column("occurrences_before", None, "occurrences before", whole).on_page("Occurrences before"),
        Column("occurrences", None, "occurrences after", whole).on_page("Occurrences after"),
    )
    return Table(result.types, columns)


def removed_table(result: Curated, names: Mapping[str, str]) -> Table:
    """Every concept that was removed, by which rule, and from how many images."""
    columns = (
        Column("concept", None, "concept", plain).on_page("Concept", cell=plain),
        Column("name", lambda one: names.get(one.concept, ""), "name", plain).on_page("Name", cell=plain),
        Column("rule", lambda one: TITLES[one.rule], "removed by").on_page("Removed by"),
        Column("images", None, "images", whole).on_page("Images"),
        Column("instead", None, "instead", lambda cui: cui or NOTHING).on_page(
            "Instead", cell=lambda cui: plain(cui) or NOTHING
        ),
    )
    return Table(result.removed, columns)
