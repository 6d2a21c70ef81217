"""How much the settings decide: means of groups over alpha and beta, levels, weights, and without a feature.

Rows of every result are the archetypes and then the groups, in the order of the evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.features.synthetic.evaluation.evaluate import Evaluation
from evalcore.features.synthetic.evaluation.scores import (
    Tally,
    WsiSettings,
    by_tolerance,
    group_values,
    held_against,
    mean_wsi,
    row_means,
)
from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import tolerances
from evalcore.features.synthetic.tversky import check_sides, check_weights, count_blocks, quotient
from evalcore.values.arrays import Floats
from evalcore.values.errors import SettingError
from evalcore.values.progress import Progress, silent

SIDES = (0.0, 0.25, 0.5, 1.0, 2.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""As in Brooks & Deshpande 2025: 5% to 50% of the value."""
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """Mean scores of groups.

    sides: shape (groups, alphas, betas). by_level: shape (groups, levels), None where there are no
    tolerances. by_weights: shape (groups, weightings). without: shape (groups, features), each feature left
    out. by_share: shape (groups, shares), tolerances of the mean less and more such a share of it.
    """

    groups: tuple[str, ...]
    alphas: tuple[float, ...]
    betas: tuple[float, ...]
    sides: Floats
    levels: tuple[float, ...]
    by_level: Floats | None
    weightings: tuple[str, ...]
    by_weights: Floats
    names: tuple[str, ...]
    without: Floats
    base: Floats
    shares: tuple[float, ...] = ()
    by_share: Floats | None = None


def sensitivity(
    of: Evaluation,
    tables: Sequence[FeatureTable] | None = None,
    *,
    alphas: Sequence[float] = SIDES,
    betas: Sequence[float] = SIDES,
    levels: Sequence[float] = LEVELS,
    weightings: Mapping[str, Floats] | None = None,
    progress: Progress = silent,
) -> Sensitivity:
    """All four at once; ``tables``: the archetypes and the groups, needed for levels."""
    progress(0, "alpha and beta")
    sides = over_sides(of, alphas, betas)
    progress(0.25, "levels")
    by_level = None if tables is None else over_levels(of, tables, levels)
    progress(0.5, "weights")
    named = dict(weightings or {})
    by_weights = over_weights(of, list(named.values()))
    progress(0.6, "single features")
    without = without_each(of)
    progress(1, "")
    return Sensitivity(
        tuple(scores.name for scores in of.everyone),
        tuple(alphas),
        tuple(betas),
        sides,
        tuple(levels),
        by_level,
        tuple(named),
        by_weights,
        of.names,
        without,
        np.array([scores.distribution.mean for scores in of.everyone]),
        SHARES if tables is not None else (),
        None if tables is None else over_shares(of, tables, SHARES),
    )


def setting_rows(of: Sensitivity) -> list[dict[str, Any]]:
    """One row a group and setting: ``group``, ``what`` is set, the ``setting``, the ``mean`` score."""
    rows: list[dict[str, Any]] = []
    for k, group in enumerate(of.groups):
        both = [f"{alpha:g}, {beta:g}" for alpha in of.alphas for beta in of.betas]
        parts = [("alpha, beta", both, of.sides[k].ravel())]
        if of.by_level is not None:
            parts.append(("level", [f"{level:g}" for level in of.levels], of.by_level[k]))
        if of.by_share is not None:
            parts.append(("share of the mean", [f"{share:g}" for share in of.shares], of.by_share[k]))
        parts += [("weights", [*of.weightings], of.by_weights[k]), ("without", [*of.names], of.without[k])]
        rows += [
            {"group": group, "what": what, "setting": setting, "mean": value}
            for what, settings, values in parts
            for setting, value in zip(settings, values.tolist(), strict=True)
        ]
    return rows


def over_sides(of: Evaluation, alphas: Sequence[float], betas: Sequence[float]) -> Floats:
    """Mean scores for every alpha and beta, shape (groups, alphas, betas); pairs are counted once."""
    pairs = [(alpha, beta) for alpha in alphas for beta in betas]
    for alpha, beta in pairs:
        check_sides(alpha, beta)
    result = []
    for k, group in enumerate(of.everyone):
        against, alone = held_against(of.archetypes.tally.presence, of.settings, same=k == 0)
        values = mean_wsi(
            group.tally.presence, against, of.weights, pairs, undefined=of.settings.undefined, same=alone
        )
        result.append(means(values))
    return np.array(result).reshape(len(result), len(alphas), len(betas))


def over_levels(of: Evaluation, tables: Sequence[FeatureTable], levels: Sequence[float]) -> Floats:
    """Mean scores for tolerances that hold the middle share of the archetypes, shape (groups, levels)."""
    result = np.empty((len(tables), len(levels)))
    for j, level in enumerate(levels):
        if not 0 < level <= 1:
            raise SettingError("levels", "shares above 0, at most 1", level)
        tail = round((1 - level) / 2, 12)
        bounds = tolerances(tables[0], quantiles=(tail, 1 - tail))
        tallies = [by_tolerance(table, bounds, missing=of.settings.missing) for table in tables]
        result[:, j] = _means_of_groups(tallies, of.weights, of.settings)
    return result


def over_shares(of: Evaluation, tables: Sequence[FeatureTable], shares: Sequence[float]) -> Floats:
    """Mean scores for tolerances of the mean less and more a share of it, shape (groups, shares)."""
    result = np.empty((len(tables), len(shares)))
    for j, share in enumerate(shares):
        bounds = tolerances(tables[0], within=share)
        tallies = [by_tolerance(table, bounds, missing=of.settings.missing) for table in tables]
        result[:, j] = _means_of_groups(tallies, of.weights, of.settings)
    return result


def over_weights(of: Evaluation, weightings: Sequence[Floats]) -> Floats:
    """Mean scores under other weights, shape (groups, weightings)."""
    tallies = [scores.tally for scores in of.everyone]
    result = np.empty((len(tallies), len(weightings)))
    for j, given in enumerate(weightings):
        result[:, j] = _means_of_groups(tallies, check_weights(given, len(of.names)), of.settings)
    return result


def _means_of_groups(tallies: Sequence[Tally], weights: Floats, settings: WsiSettings) -> list[float]:
    """Mean score of each group, the archetypes first."""
    scores = [
        group_values(tally, tallies[0], weights, settings, same=k == 0) for k, tally in enumerate(tallies)
    ]
    return [float(means(values[None])[0]) for values in scores]


def without_each(of: Evaluation) -> Floats:
    """Mean scores with one feature left out, shape (groups, features).

    C, U and V of all pairs are counted once; of each feature its own part is taken off.
    """
    how, least = of.settings, of.weights.sum() * 1e-12
    result = np.empty((len(of.everyone), len(of.names)))
    for k, group in enumerate(of.everyone):
        against, alone = held_against(of.archetypes.tally.presence, how, same=k == 0)
        here = group.tally.presence
        values = np.empty((len(of.names), len(here)))
        for rows, (shared, own, lacking) in count_blocks(here, against, of.weights):
            subjects = here.rows(rows)
            whole = shared + how.alpha * own + how.beta * lacking
            for j, weight in enumerate(of.weights):
                has, lacks = _column(subjects.present, subjects.known, j)
                other, other_lacks = _column(against.present, against.known, j)
                part = np.outer(has * weight, other + how.alpha * other_lacks)
                if lacks.any():
                    part += np.outer(lacks * (weight * how.beta), other)
                rest = whole - part
                # What is left of a difference of equal sums of weights is a rounding error.
                rest[rest < least] = 0
                now = quotient(shared - np.outer(has * weight, other), rest, how.undefined)
                values[j, rows] = row_means(now, rows, same=alone)
        result[k] = means(values)
    return result


def _column(present: np.ndarray, known: np.ndarray, feature: int) -> tuple[Floats, Floats]:
    """Who has a feature, and who is known to lack it."""
    has = present[:, feature]
    return has.astype(float), (known[:, feature] & ~has).astype(float)


def means(values: Floats) -> Floats:
    """Of each row over what is defined; NaN without any."""
    return row_means(values.copy(), slice(0, len(values)), same=False)
