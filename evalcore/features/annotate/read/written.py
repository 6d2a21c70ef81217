"""Concepts found in captions as files: a ``concepts.csv``, and where every one of them comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.study.tables.writers import csv_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.features.annotate.values import Annotation

COLUMNS = (
    "image", "concept", "name", "matched text", "start", "end", "negated", "uncertain", "section", "kept",
    "why", "assertion",
)  # fmt: skip


def concept_lines(found: Annotation) -> Iterator[str]:
    """``ID,CUIs`` for every image: ``ID,`` is annotated with nothing, ``ID`` alone not annotated."""
    rows = (
        (one.image,) if one.concepts is None else (one.image, ";".join(one.concepts))
        for one in found.captions
    )  # fmt: skip
    return csv_lines(("ID", "CUIs"), rows)


def match_lines(found: Annotation) -> Iterator[str]:
    """Every term found, a row each, those left out too.

    ``concept``: several, joined by ``;``, where the name is ambiguous.
    """
    return csv_lines(
        COLUMNS,
        (
            (
                one.image, ";".join(match.concepts), match.name, match.text, match.start, match.end,
                int(match.negated is not None), int(match.uncertain is not None), match.section,
                int(match.kept), match.why, match.assertion,
            )
            for one in found.captions
            for match in one.matches
        ),
    )  # fmt: skip
