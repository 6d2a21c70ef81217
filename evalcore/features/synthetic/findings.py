"""The result of an evaluation in words: a headline, and what its reader should know about the tolerances
behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan

import numpy as np
import pandas as pd

from evalcore.features.synthetic.groups import LISTED
from evalcore.features.synthetic.wsi import Evaluation
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import Report
from evalcore.values.writing import listed, number

SEVERAL_MODES = 5 / 9
"""Above this bimodality coefficient (SAS; Pfister et al. 2013, doi:10.3389/fpsyg.2013.00700) a second mode
is suspected: it is 5/9 for a uniform distribution and 1 for two points. Very skewed features exceed it with
one mode too."""
FEWEST = 20
"""Values below which moments of this order say too little."""
MANY = 0.1
"""Share of suspected copies from which on a group's score is not compared with other groups'."""


def remarks(evaluation: Evaluation) -> Report:
    """Warnings about the features of the archetypes, and about what was not measured of whom."""
    problems = Problems(evaluation.archetypes.name)
    n, config, values = len(evaluation.archetypes.values), evaluation.config, evaluation.values
    counts, needed = values.count().to_numpy(), config.smallest_sample
    more, where = "Give more archetype images.", f"{config.quantiles[0]:g} and {config.quantiles[1]:g}"
    if n == 1:
        message = "There is one archetype image; each tolerance is the value of that image."
        problems.warning("one-archetype", message, more)
    elif n < needed:
        beyond = f"the quantiles {where} are beyond the second most extreme values"
        message = f"With {n} archetype images {beyond}; at least {needed} images are needed."
        problems.warning("few-archetypes", message, more)
    constant = (values.max() == values.min()).to_numpy()
    several = (counts >= FEWEST) & (np.nan_to_num(bimodality(values)) > SEVERAL_MODES)
    by_feature = (
        (
            "few-values",
            (counts > 0) & (counts < needed) & (n >= needed),
            f"fewer than {needed} archetype images have a value.",
            "Their tolerances depend on single images.",
        ),
        ("no-tolerance", counts == 0, "no archetype image has a value.", "They do not count in any score."),
        (
            "constant-feature",
            constant & (n > 1),
            "all archetype images have the same value.",
            "Any other value is out of tolerance; leave the feature out if that is not meant.",
        ),
        (
            "several-modes",
            several,
            f"perhaps more than one mode (bimodality coefficient above {SEVERAL_MODES:.3f}).",
            "One interval covers the gap between modes too; look at the distribution, or split the "
            "archetypes.",
        ),
    )
    remarks = [(problems, *each) for each in by_feature]
    for group, table in evaluation.tables.items():
        cells, of_group = table.to_numpy(), problems.of(group)
        for rule, odd, what, then in (
            ("not-measured", np.isnan(cells), "was not measured", "does not count"),
            ("undefined-feature", np.isinf(cells), "does not exist", "is out of tolerance"),
        ):
            images = f"in {int(odd.any(1).sum()):,} of {len(table):,} images the feature {what}."
            remarks.append((of_group, rule, odd.any(0), images, f"There the feature {then}."))
    for own, rule, which, message, remedy in remarks:
        if which.any():
            names = listed(list(evaluation.names[which]), limit=LISTED)
            own.warning(rule, f"{names}: {message}", remedy, count=int(which.sum()))
    return problems.report()


def bimodality(values: pd.DataFrame) -> pd.Series:
    """(g^2 + 1) / (k + 3 (n - 1)^2 / ((n - 2)(n - 3))) of each column with skewness g and excess kurtosis
    k, both corrected for bias, over its values; NaN for constants and below 4."""
    n = values.count()
    below = values.kurt() + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)).where(n >= 4)
    return ((values.skew() ** 2 + 1) / below).where(values.max() > values.min(), nan)


def headline(
    evaluation: Evaluation, suspected: Mapping[str, Sequence[str]], name: Callable[[str], str]
) -> list[str]:
    """The result in a few sentences without markup but that of ``name``, which writes the name of a group.

    Suspected copies (by group) come first, and groups with many are not called like real images. Others are
    compared with the score of held-out real images, where there are enough of them.
    """
    groups = {group.name: group for group in evaluation.groups if len(group.defined)}
    if not groups:
        return ["No image of these groups has a score: they share no feature with the real images."]
    copies = {
        group.name: (len(suspected.get(group.name, ())), max(len(group.values), 1))
        for group in evaluation.groups
    }
    shares, lines = {group: n / total for group, (n, total) in copies.items()}, []
    for group, share in sorted(shares.items(), key=lambda item: -item[1]):
        if share:
            n, total = copies[group]
            proves = ", so its score says nothing about quality" if share >= MANY else ""
            counted = f"{n:,} of {total:,} images {'is' if n == 1 else 'are'}"
            lines.append(f"{capitalised(name(group))}: {counted} near-identical to a real image{proves}.")
    rest = [group for group in groups.values() if shares[group.name] < MANY]
    own = evaluation.yardstick
    is_out = evaluation.held_out is not None or evaluation.config.archetype == "each"
    real = f"{'Held-out real' if is_out else 'Real'} images score {number(own.mean)}"
    if not rest:
        return [*lines, f"{real}."]
    near = min(rest, key=lambda group: abs(group.mean - own.mean))
    far = max(rest, key=lambda group: abs(group.mean - own.mean))
    if len(rest) == 1:
        lines.append(f"{real}, images of {name(near.name)} {number(near.mean)}.")
    else:
        closest = f"{name(near.name)} comes closest ({number(near.mean)})"
        lines.append(f"{real}: {closest}, {name(far.name)} is farthest ({number(far.mean)}).")
    if above := [name(group.name) for group in rest if group.low > own.high]:
        lines.append(f"Above real images: {', '.join(above)}. Look for copies and for little variety.")
    return lines


def capitalised(text: str) -> str:
    """The text with its first letter as a capital, whatever markup is before it."""
    at = next((i for i, character in enumerate(text) if character.isalnum()), 0)
    return f"{text[:at]}{text[at : at + 1].upper()}{text[at + 1 :]}"
