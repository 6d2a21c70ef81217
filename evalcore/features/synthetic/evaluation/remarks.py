"""What the reader of a score should know about the tolerances behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from evalcore.features.synthetic import bimodal
from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import Tolerances, smallest_sample
from evalcore.values.arrays import Bools
from evalcore.values.problems import Problem, Report

LISTED = 6


def remarks(archetypes: FeatureTable, bounds: Tolerances, subjects: Sequence[FeatureTable]) -> Report:
    """Warnings about the features of the archetypes, and about what was not measured of whom."""
    return Report.of([*_of_archetypes(archetypes, bounds), *_of_cells((archetypes, *subjects))])


def _of_archetypes(archetypes: FeatureTable, bounds: Tolerances) -> Iterable[Problem]:
    names, n = np.array(archetypes.names), len(archetypes)
    low, high = bounds.quantiles

    def said(rule: str, which: Bools, message: str, remedy: str) -> Iterable[Problem]:
        if which.any():
            yield _warning(archetypes.name, rule, f"{_listed(names[which])}: {message}", remedy, which)

    few, more = np.ones(1, bool), "Give more archetype images."
    if n == 1:
        message = "There is one archetype image; each tolerance is the value of that image."
        yield _warning(archetypes.name, "one-archetype", message, more, few)
    elif n < smallest_sample(bounds.quantiles):
        message = (
            f"With {n} archetype images the quantiles {low:g} and {high:g} lie between the outermost values "
            f"and the next; from {smallest_sample(bounds.quantiles)} on they do not."
        )
        yield _warning(archetypes.name, "few-archetypes", message, more, few)
    else:
        yield from said(
            "few-values", bounds.usable & bounds.too_few,
            f"fewer than {smallest_sample(bounds.quantiles)} archetype images have a value.",
            "Their tolerances depend on single images.",
        )  # fmt: skip
    yield from said(
        "no-tolerance", ~bounds.usable, "no archetype image has a value.", "They count for nobody."
    )
    if n > 1:
        yield from said(
            "constant-feature", bounds.constant, "all archetype images have the same value.",
            "Any other value is out of tolerance; leave the feature out if that is not meant.",
        )  # fmt: skip
    yield from said(
        "several-modes", bimodal.suspected(archetypes.values),
        f"perhaps more than one mode (bimodality coefficient above {bimodal.LIMIT:.3f}).",
        "One interval covers the gap between modes too; look at the distribution, or split the archetypes.",
    )  # fmt: skip


def _of_cells(tables: Sequence[FeatureTable]) -> Iterable[Problem]:
    """Not measured, and undefined: two things."""
    for one in tables:
        for rule, cells, what, then in (
            ("not-measured", one.missing, "was not measured", "There the feature does not count."),
            ("undefined-feature", one.undefined, "does not exist", "There the feature is out of tolerance."),
        ):
            which: Bools = np.any(cells, axis=0)
            if which.any():
                some = _listed(np.array(one.names)[which])
                message = f"{some}: in {int(cells.any(1).sum()):,} of {len(one):,} images the feature {what}."
                yield _warning(one.name, rule, message, then, which)


def _warning(file: str, rule: str, message: str, remedy: str, which: Bools) -> Problem:
    return Problem("warning", file, None, "", rule, message, remedy, int(which.sum()))


def _listed(names: np.ndarray) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"
