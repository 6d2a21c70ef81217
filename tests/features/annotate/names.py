"""Names of concepts for tests."""

from __future__ import annotations

from evalcore.study.names.all_names import Name, table_of
from evalcore.values.concept_values import NameTable


def table(*rows: tuple[str, ...]) -> NameTable:
    """From (concept, name[, source[, language]]); the first name of a concept is preferred."""
    first: set[str] = set()
    names = []
    for row in rows:
        names.append(Name(*row, *("", "")[len(row) - 2 :], preferred=row[0] not in first))
        first.add(row[0])
    return table_of(names)
