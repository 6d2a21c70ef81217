"""A file of concepts that some tool found, to be held against those given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.problems import Report
from evalcore.sources.concepts.concepts import parse_concepts
from evalcore.sources.tables.lines import read_plain
from evalcore.sources.tables.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_concept_file(path: Path) -> tuple[Mapping[str, tuple[str, ...] | None], Report]:
    """{image: its concepts}, None for "not annotated", of any form of concept file; and what is wrong."""
    found = Problems(path.name)
    plain = read_plain(path, found)
    if plain is None:
        return {}, found.report()
    rows, report = parse_concepts(plain, file=path.name)
    return rows.sets, found.report() + report
