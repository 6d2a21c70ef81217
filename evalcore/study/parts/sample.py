"""The top of a table, by which the part of a study that it is can be recognised."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evalcore.study.tables.files import number
from evalcore.study.tables.schema import IMAGE, Schema
from evalcore.values.concept_scheme import read_as, recognised


@dataclass(frozen=True, slots=True)
class Sample:
    """The top of a table.

    ``header``: its first row in lower case. ``columns``: the cells of each column below it, or those of the
    first row where it is the only one.
    """

    file: str
    header: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        return len(self.columns)

    def named(self, schema: Schema) -> int:
        """How many columns of a schema the header names; 0 where a required one is missing."""
        named = {column.name for column in schema.columns if not {*column.names}.isdisjoint(self.header)}
        return len(named) if named >= {*schema.required} else 0

    def has_concepts(self, at: int) -> bool:
        """Whether most cells of a column are identifiers of concepts, one or several."""
        return at < self.width and are_concepts(self.columns[at])

    def has_numbers(self, at: int) -> bool:
        return at < self.width and all(number(cell) == number(cell) for cell in self.columns[at])

    @property
    def has_ids(self) -> bool:
        """Whether the header says that the first column holds ids of images, and there are others."""
        return self.header[0] in IMAGE.names and self.width > 1


def are_concepts(cells: Iterable[str]) -> bool:
    """Whether most of these cells are identifiers of concepts, one or several."""
    values = [value.strip() for cell in cells for value in re.split("[;,|]", cell) if value.strip()]
    scheme = recognised(values)
    return 2 * sum(read_as(value, scheme) is not None for value in values) > len(values)
