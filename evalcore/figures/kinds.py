"""Where does a score come from? Shares of the relevance of first results, by kind of concept."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.evaluate.by_kind import FromKinds
from evalcore.figures.bars import Part, bar_rows
from evalcore.figures.frame import AccessibleFigure, Reading, nothing
from evalcore.figures.marks import n_of
from evalcore.figures.theme import Theme
from evalcore.figures.words import HEADS
from evalcore.values.concept_values import UNKNOWN
from evalcore.values.writing import pluralize, safe, share

BY_KIND = Reading(
    "Of everything that counts in the first results, how much each kind of concept brings in. Two "
    "images of the same body part and modality score points even when the findings differ.",
    "Shares of the summed relevance of the first k results, by the kind of the concept that adds it; a "
    "neighbour match counts for the concept that is matched.",
)
COLOURS = {
    "finding": "#D55E00",
    "device": "#CC79A7",
    "anatomy": "#0072B2",
    "plane": "#E69F00",
    "modality": "#009E73",
    "other": "#F0E442",
}


def kind_shares(shares: Sequence[FromKinds], *, theme: Theme) -> AccessibleFigure:
    """A bar per system: what each kind of concept adds to the relevance of its first results."""
    rows = [kinds for kinds in shares if kinds.total]
    none = "No query has both concepts and results, so there is nothing to divide."
    if not rows:
        return nothing(none, BY_KIND, theme=theme)
    parts = [
        Part(
            HEADS[kind],
            COLOURS.get(kind, theme.neutral),
            [row.shares.get(kind, 0.0) for row in rows],
            [safe(f"{row.system}: {HEADS[kind].lower()} {share(row.shares.get(kind, 0.0))}") for row in rows],
            "/" if kind == UNKNOWN else "",
        )
        for kind in HEADS
        if any(row.shares.get(kind) for row in rows)
    ]
    findings = [row.shares.get("finding", 0.0) for row in rows]
    best = max(range(len(rows)), key=findings.__getitem__)
    return bar_rows(
        [row.system for row in rows],
        parts,
        below=[f"findings {share(part)}" for part in findings],
        title="Where the score comes from",
        subtitle=f"first {pluralize(rows[0].k, 'result')} by {rows[0].relevance} · "
        f"{n_of(row.n_queries for row in rows)}",
        theme=theme,
        alt=f"Findings contribute at most {share(findings[best])} ({rows[best].system}) of the relevance of "
        f"any system's first {pluralize(rows[0].k, 'result')}.",
        reading=BY_KIND,
    )
