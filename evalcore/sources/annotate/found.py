"""A file of concepts that some tool found, to be held against those given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.problems import Report
from evalcore.sources.concepts.concepts import ConceptRows, parse_concepts
from evalcore.sources.tables.lines import parse_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_concept_file(path: Path) -> tuple[Mapping[str, tuple[str, ...] | None], Report]:
    """{image: its concepts}, None for "not annotated", of any form of concept file; and what is wrong."""
    rows, report = parse_file(parse_concepts, path, ConceptRows({}, "", 0))
    return rows.sets, report
