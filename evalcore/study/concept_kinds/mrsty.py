"""Kinds from the UMLS file ``MRSTY.RRF``: the semantic types of concepts, read by columns and in blocks."""

from __future__ import annotations

from collections.abc import Collection
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.study.concept_kinds.rows import KindRows, no_kinds
from evalcore.study.concept_kinds.semantic_types import SEMANTIC_TYPES
from evalcore.study.graphs.rrf import DAMAGED, report_damaged, rrf_blocks
from evalcore.study.tables.guard import reader
from evalcore.study.tables.problems import Problems
from evalcore.values.problems import Report

MRSTY = ("CUI", "TUI", "STN", "STY", "ATUI", "CVF")
FIRST = ("finding", "device", "modality", "plane", "anatomy", "other")
"""Of a concept with types of several kinds the first of these: what an image is looked at for."""


@reader(lambda _: no_kinds("MRSTY"))
def parse_mrsty(
    data: bytes | IO[bytes], *, file: str, wanted: Collection[str] | None = None
) -> tuple[KindRows, Report]:
    """Read the kinds of the ``wanted`` concepts (of all, when None).

    A type that is not in the table of `semantic_types` is counted as a warning and says nothing.
    Source: UMLS Reference Manual, MRSTY.
    """
    found = Problems(file)
    keep = None if wanted is None else pa.array(sorted(wanted), pa.string())
    best: dict[str, int] = {}
    strange: dict[str, int] = {}
    try:
        for block in rrf_blocks(data, MRSTY, ("CUI", "TUI"), found):
            kept = block if keep is None else block.filter(pc.is_in(block["CUI"], keep))
            for cui, tui in zip(kept["CUI"].to_pylist(), kept["TUI"].to_pylist(), strict=True):
                if tui in SEMANTIC_TYPES:
                    rank = FIRST.index(SEMANTIC_TYPES[tui][1])
                    best[cui] = min(rank, best.get(cui, rank))
                else:
                    strange[tui] = strange.get(tui, 0) + 1
    except DAMAGED as reason:
        report_damaged(found, reason, "MRSTY")
        return no_kinds("MRSTY"), found.report()
    for tui, n in sorted(strange.items()):
        message = f"The semantic type {tui} of {n:,} concept{'s' if n > 1 else ''} is not known here."
        remedy = "Give these concepts a kind in kinds.csv."
        found.warning("unknown-type", message, remedy, value=tui, count=n)
    kinds = {cui: FIRST[rank] for cui, rank in sorted(best.items())}
    return KindRows(kinds, {}, "MRSTY", len(kinds)), found.report()
