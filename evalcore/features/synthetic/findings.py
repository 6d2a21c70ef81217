"""The result of an evaluation in words: a headline, and what its reader should know about the tolerances
behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
import pandas as pd

from evalcore.features.synthetic.groups import LISTED
from evalcore.features.synthetic.wsi import Evaluation, finite
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import Report
from evalcore.values.writing import listed, number

MANY = 0.1
"""Share of suspected copies from which on a group's score is not compared with other groups'."""


def remarks(evaluation: Evaluation) -> Report:
    """Warnings about the features of the archetypes, and about what was not measured of whom."""
    real = evaluation.archetypes.name
    problems, values = Problems(real), pd.DataFrame(finite(evaluation.tables[real]))
    n, (low, high) = len(values), evaluation.config.quantiles
    tail = min(low, 1 - high) if evaluation.config.within is None else 0.0
    needed = 1 + ceil(round(1 / tail, 9)) if tail else 1  # else a quantile is beyond the second most extreme
    if n < needed:
        message = f"With {n} archetype images each tolerance depends on the outermost; {needed} are needed."
        problems.warning("few-archetypes", message, "Give more archetype images.")
    unknown, constant = values.isna().all().to_numpy(), (values.max() == values.min()).to_numpy()
    tables = {group: table.to_numpy() for group, table in evaluation.tables.items()}
    checks = [
        (real, "no-tolerance", unknown, "no archetype image has a value; they do not count in any score."),
        (real, "constant-feature", constant & (n > 1), "all archetype images have the same value."),
    ]
    for group, cells in tables.items():
        unmeasured, undefined = np.isnan(cells), np.isinf(cells)
        some = f"of {len(cells):,} images the feature"
        checks += [
            (
                group,
                "not-measured",
                unmeasured.any(0),
                f"in {unmeasured.any(1).sum():,} {some} was not measured, and does not count.",
            ),
            (
                group,
                "undefined-feature",
                undefined.any(0),
                f"in {undefined.any(1).sum():,} {some} does not exist, and is out of tolerance.",
            ),
        ]
    for group, rule, which, message in checks:
        if which.any():
            names = listed(list(evaluation.names[which]), limit=LISTED)
            problems.of(group).warning(rule, f"{names}: {message}", "", count=int(which.sum()))
    return problems.report()


def headline(evaluation: Evaluation, suspected: Mapping[str, Sequence[str]]) -> list[str]:
    """The result in a few sentences of plain text.

    Suspected copies (by group) come first, and groups with many are not called like real images. Others are
    compared with the score of held-out real images, where there are enough of them.
    """
    groups = [group for group in evaluation.groups if len(group.defined)]
    if not groups:
        return ["No image of these groups has a score: they share no feature with the real images."]
    shares = {group.name: len(suspected.get(group.name, ())) / len(group.values) for group in groups}
    lines = []
    for group in sorted(groups, key=lambda group: -shares[group.name]):
        if share := shares[group.name]:
            n, proves = len(suspected[group.name]), ", so its score says nothing about quality"
            counted = f"{n:,} of {len(group.values):,} images {'is' if n == 1 else 'are'}"
            copied = f"{capitalised(group.name)}: {counted} near-identical to a real image"
            lines.append(f"{copied}{proves if share >= MANY else ''}.")
    rest = [group for group in groups if shares[group.name] < MANY]
    own = evaluation.baseline
    is_out = evaluation.held_out is not None or evaluation.config.archetype == "each"
    real = f"{'Held-out real' if is_out else 'Real'} images score {number(own.mean)}"
    if not rest:
        return [*lines, f"{real}."]
    near = min(rest, key=lambda group: abs(group.mean - own.mean))
    far = max(rest, key=lambda group: abs(group.mean - own.mean))
    if len(rest) == 1:
        lines.append(f"{real}, images of {near.name} {number(near.mean)}.")
    else:
        ends = f"closest: {near.name} ({number(near.mean)}), farthest: {far.name} ({number(far.mean)})"
        lines.append(f"{real}; {ends}.")
    if above := [group.name for group in rest if group.low > own.high]:
        lines.append(f"Above real images: {', '.join(above)}. Look for copies and for little variety.")
    return lines


def capitalised(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]
