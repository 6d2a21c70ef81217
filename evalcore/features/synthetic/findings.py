"""The result of an evaluation in words: a headline, and what its reader should know about the tolerances
behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan

import numpy as np
import pandas as pd

from evalcore.features.synthetic.read.groups import LISTED, Suspected
from evalcore.features.synthetic.wsi import Evaluation, finite, smallest_sample
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Bools
from evalcore.values.errors import Report
from evalcore.values.writing import listed

SEVERAL_MODES = 5 / 9
"""Above this bimodality coefficient (SAS; Pfister et al. 2013, doi:10.3389/fpsyg.2013.00700) a second mode
is suspected: it is 5/9 for a uniform distribution and 1 for two points. Very skewed features exceed it with
one mode too."""
FEWEST = 20
"""Values below which moments of this order say too little."""


def remarks(evaluation: Evaluation, tables: Mapping[str, pd.DataFrame]) -> Report:
    """Warnings about the features of the archetypes, and about what was not measured of whom; none about
    given tolerances.

    ``tables``: the features of the archetypes first, then of the groups, by name.
    """
    name, archetypes = next(iter(tables.items()))
    problems = Problems(name)
    if evaluation.measured:
        _of_archetypes(archetypes, evaluation, problems)
        for group, table in tables.items():
            _of_cells(table, problems.of(group))
    return problems.report()


def _of_archetypes(archetypes: pd.DataFrame, evaluation: Evaluation, problems: Problems) -> None:
    n, config, values = len(archetypes), evaluation.config, finite(archetypes)
    low, high = config.quantiles
    needed = smallest_sample(config.quantiles)

    def warn(rule: str, which: Bools, message: str, remedy: str) -> None:
        if which.any():
            text = f"{_some(archetypes.columns[which])}: {message}"
            problems.warning(rule, text, remedy, count=int(which.sum()))

    usable = evaluation.n_values > 0
    if n == 1:
        message = "There is one archetype image; each tolerance is the value of that image."
        problems.warning("one-archetype", message, "Give more archetype images.")
    elif config.within is None and n < needed:
        message = (
            f"With {n} archetype images the quantiles {low:g} and {high:g} are beyond the second most "
            f"extreme values; at least {needed} images are needed."
        )
        problems.warning("few-archetypes", message, "Give more archetype images.")
    else:
        few = usable & (evaluation.n_values < (1 if config.within is not None else needed))
        message = f"fewer than {needed} archetype images have a value."
        warn("few-values", few, message, "Their tolerances depend on single images.")
    warn("no-tolerance", ~usable, "no archetype image has a value.", "They do not count in any score.")
    if n > 1:
        message = "all archetype images have the same value."
        remedy = "Any other value is out of tolerance; leave the feature out if that is not meant."
        warn("constant-feature", evaluation.constant, message, remedy)
    message = f"perhaps more than one mode (bimodality coefficient above {SEVERAL_MODES:.3f})."
    remedy = (
        "One interval covers the gap between modes too; look at the distribution, or split the archetypes."
    )
    several = (evaluation.n_values >= FEWEST) & (
        np.nan_to_num(bimodality(pd.DataFrame(values))) > SEVERAL_MODES
    )
    warn("several-modes", several, message, remedy)


def bimodality(values: pd.DataFrame) -> pd.Series:
    """(g^2 + 1) / (k + 3 (n - 1)^2 / ((n - 2)(n - 3))) of each column with skewness g and excess kurtosis
    k, both corrected for bias, over its values; NaN for constants and below 4."""
    n = values.count()
    below = values.kurt() + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)).where(n >= 4)
    return ((values.skew() ** 2 + 1) / below).where(values.max() > values.min(), nan)


def _of_cells(table: pd.DataFrame, problems: Problems) -> None:
    """Not measured, and undefined: two things."""
    values = table.to_numpy()
    for rule, cells, what, then in (
        ("not-measured", np.isnan(values), "was not measured", "There the feature does not count."),
        ("undefined-feature", np.isinf(values), "does not exist", "There the feature is out of tolerance."),
    ):
        if (which := cells.any(axis=0)).any():
            images = f"in {int(cells.any(1).sum()):,} of {len(table):,} images"
            message = f"{_some(table.columns[which])}: {images} the feature {what}."
            problems.warning(rule, message, then, count=int(which.sum()))


def _some(names: pd.Index) -> str:
    return listed(list(names), limit=LISTED)


def headline(
    evaluation: Evaluation,
    suspected: Sequence[Suspected],
    *,
    name: Callable[[str], str],
    number: Callable[[float], str],
) -> list[str]:
    """The result in a few sentences without markup but that of ``name``, which writes the name of a group.

    Suspected copies come first, and groups with many are not called like real images. Others are compared
    with the score of held-out real images, where there are enough of them.
    """
    known = {group.name: group for group in evaluation.groups if len(group.defined)}
    if not known:
        return ["No image of these groups has a score: they share no feature with the real images."]
    lines = []
    for suspect in sorted(suspected, key=lambda suspect: -len(suspect.copies) / max(suspect.n, 1)):
        if suspect.copies:
            verb = "is" if len(suspect.copies) == 1 else "are"
            proves = ", so its score says nothing about quality" if suspect.many else ""
            group = name(suspect.group)
            counted = f"{len(suspect.copies):,} of {suspect.n:,} images {verb}"
            lines.append(f"{capitalised(group)}: {counted} near-identical to a real image{proves}.")
    doubtful = {suspect.group for suspect in suspected if suspect.many}
    rest = {group: score for group, score in known.items() if group not in doubtful}
    own = evaluation.yardstick
    is_out = evaluation.held_out is not None or evaluation.config.archetype == "each"
    real = f"{'Held-out real' if is_out else 'Real'} images score {number(own.mean)}"
    if not rest:
        return [*lines, f"{real}."]
    ordered = sorted(rest, key=lambda group: abs(rest[group].mean - own.mean))
    near, far = ordered[0], max(rest, key=lambda group: abs(rest[group].mean - own.mean))
    if len(rest) == 1:
        lines.append(f"{real}, images of {name(near)} {number(rest[near].mean)}.")
    else:
        closest = f"{name(near)} comes closest ({number(rest[near].mean)})"
        lines.append(f"{real}: {closest}, {name(far)} is farthest ({number(rest[far].mean)}).")
    if above := [name(group) for group, score in rest.items() if score.low > own.high]:
        lines.append(f"Above real images: {', '.join(above)}. Look for copies and for little variety.")
    return lines


def capitalised(text: str) -> str:
    """The text with its first letter as a capital, whatever markup is before it."""
    at = next((i for i, character in enumerate(text) if character.isalnum()), 0)
    return f"{text[:at]}{text[at : at + 1].upper()}{text[at + 1 :]}"
