"""The evaluation as a whole: archetypes and groups of subjects in, scores and what to know about them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalcore.features.synthetic import tolerance
from evalcore.features.synthetic.evaluation.scores import (
    GroupScores,
    Tally,
    WsiSettings,
    both_lack,
    by_tolerance,
    distribution,
    group_values,
    score_group,
    shares,
)
from evalcore.features.synthetic.features import FeatureTable
from evalcore.features.synthetic.tolerance import (
    BoundsIntervals,
    Tolerances,
    bootstrap_bounds,
    smallest_sample,
    tolerances,
)
from evalcore.features.synthetic.tversky import Presence, check_weights, uniform
from evalcore.values.arrays import Bools, Floats, readonly
from evalcore.values.errors import Problem, Report
from evalcore.values.progress import Progress, silent

# What real images score that the tolerances were not taken from: the yardstick of every group.

FOLDS = 5
FEWEST = 2 * FOLDS
"""Archetype images below which none is held out."""


def held_out(archetypes: FeatureTable, weights: Floats, settings: WsiSettings) -> GroupScores | None:
    """The archetype images, each scored by the tolerances of others.

    ``FOLDS`` parts, drawn with the seed: the images of a part are held against tolerances of, and with
    ``archetype="each"`` against the images of, all other parts. So no image decides with others whether its
    own features are present, as the images of a generator are not. The same order as the archetypes. None
    with fewer than ``FEWEST`` images.
    """
    n = len(archetypes)
    if n < FEWEST:
        return None
    part = np.random.default_rng((settings.seed, 5)).permutation(n) % FOLDS
    values, lack = np.full(n, np.nan), np.full(n, np.nan)
    present, known = np.zeros(archetypes.values.shape, bool), np.zeros(archetypes.values.shape, bool)
    for fold in range(FOLDS):
        out = part == fold
        own, others = archetypes.rows(out), archetypes.rows(~out)
        bounds = tolerances(others, quantiles=settings.quantiles, within=settings.within)
        held, rest = (by_tolerance(one, bounds, missing=settings.missing) for one in (own, others))
        values[out] = group_values(held, rest, weights, settings)
        lack[out] = both_lack(held.presence, rest.presence, same=False)
        present[out], known[out] = held.presence.present, held.presence.known
    tally = Tally(archetypes.ids, archetypes.names, Presence(readonly(present), readonly(known)), "")
    tally = replace(tally, name=f"{archetypes.name}, held out")
    share, counts = shares(tally)
    spread = distribution(values, settings)
    return GroupScores(tally, readonly(values), spread, share, counts, readonly(lack))


# What the reader of a score should know about the tolerances behind it.

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
    elif bounds.within is None and n < smallest_sample(bounds.quantiles):
        message = (
            f"With {n} archetype images the quantiles {low:g} and {high:g} are beyond the second most "
            f"extreme values; at least {smallest_sample(bounds.quantiles)} images are needed."
        )
        yield _warning(archetypes.name, "few-archetypes", message, more, few)
    else:
        yield from said(
            "few-values",
            bounds.usable & bounds.too_few,
            f"fewer than {smallest_sample(bounds.quantiles)} archetype images have a value.",
            "Their tolerances depend on single images.",
        )
    yield from said(
        "no-tolerance", ~bounds.usable, "no archetype image has a value.", "They do not count in any score."
    )
    if n > 1:
        yield from said(
            "constant-feature",
            bounds.constant,
            "all archetype images have the same value.",
            "Any other value is out of tolerance; leave the feature out if that is not meant.",
        )
    yield from said(
        "several-modes",
        tolerance.suspected(archetypes.values),
        f"perhaps more than one mode (bimodality coefficient above {tolerance.LIMIT:.3f}).",
        "One interval covers the gap between modes too; look at the distribution, or split the archetypes.",
    )


def _of_cells(tables: Sequence[FeatureTable]) -> Iterable[Problem]:
    """Not measured, and undefined: two things."""
    for table in tables:
        for rule, cells, what, then in (
            ("not-measured", table.missing, "was not measured", "There the feature does not count."),
            (
                "undefined-feature",
                table.undefined,
                "does not exist",
                "There the feature is out of tolerance.",
            ),
        ):
            which: Bools = np.any(cells, axis=0)
            if which.any():
                some = _listed(np.array(table.names)[which])
                message = (
                    f"{some}: in {int(cells.any(1).sum()):,} of {len(table):,} images the feature {what}."
                )
                yield _warning(table.name, rule, message, then, which)


def _warning(file: str, rule: str, message: str, remedy: str, which: Bools) -> Problem:
    return Problem("warning", file, None, "", rule, message, remedy, int(which.sum()))


def _listed(names: np.ndarray) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Groups of subjects against archetypes.

    archetypes: the archetypes as a group of their own. held_out: the same scored by tolerances of others
    (`held_out`), the score that new real images can be expected to have; None where there are few, or where
    features are concepts. bounds, intervals: tolerances and the intervals of their ends; None where features
    are concepts.
    remarks: what the reader of the scores should know, as warnings.
    """

    settings: WsiSettings
    names: tuple[str, ...]
    weights: Floats
    bounds: Tolerances | None
    intervals: BoundsIntervals | None
    archetypes: GroupScores
    groups: tuple[GroupScores, ...]
    remarks: Report
    held_out: GroupScores | None = None

    @property
    def yardstick(self) -> GroupScores:
        """The score that groups are held against: of held-out real images where there are enough."""
        return self.archetypes if self.held_out is None else self.held_out

    @property
    def rows(self) -> tuple[GroupScores, ...]:
        """The archetypes, the same held out where they are, then the groups."""
        return (self.archetypes, *([] if self.held_out is None else [self.held_out]), *self.groups)

    @property
    def everyone(self) -> tuple[GroupScores, ...]:
        """The archetypes, then the groups."""
        return (self.archetypes, *self.groups)


def evaluate(
    archetypes: FeatureTable,
    subjects: Sequence[FeatureTable],
    *,
    weights: Floats | None = None,
    settings: WsiSettings | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Groups of images against archetype images, all tables with the same features in the same order."""
    how = settings or WsiSettings()
    bounds = tolerances(archetypes, quantiles=how.quantiles, within=how.within)
    intervals = bootstrap_bounds(
        archetypes,
        quantiles=how.quantiles,
        within=how.within,
        level=how.level,
        n_resamples=how.n_resamples,
        seed=how.seed,
    )
    tallies = [by_tolerance(one, bounds, missing=how.missing) for one in (archetypes, *subjects)]
    heavy = uniform(archetypes.names) if weights is None else check_weights(weights, len(archetypes.names))
    scored = _scored(tallies, heavy, how, progress)
    notes = remarks(archetypes, bounds, subjects)
    return Evaluation(
        how,
        archetypes.names,
        heavy,
        bounds,
        intervals,
        scored[0],
        tuple(scored[1:]),
        notes,
        held_out(archetypes, heavy, how),
    )


def evaluate_tallies(
    archetypes: Tally,
    subjects: Sequence[Tally],
    *,
    weights: Floats | None = None,
    settings: WsiSettings | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """The same of features that are there or not from the start, such as concepts."""
    how = settings or WsiSettings(archetype="each")
    heavy = uniform(archetypes.names) if weights is None else check_weights(weights, len(archetypes.names))
    scored = _scored([archetypes, *subjects], heavy, how, progress)
    return Evaluation(how, archetypes.names, heavy, None, None, scored[0], tuple(scored[1:]), Report())


def _scored(
    tallies: Sequence[Tally], weights: Floats, settings: WsiSettings, progress: Progress
) -> list[GroupScores]:
    scored = []
    for i, tally in enumerate(tallies):
        progress(i / len(tallies), tally.name)
        scored.append(score_group(tally, tallies[0], weights, settings, same=i == 0))
    progress(1, "")
    return scored


# The result of an evaluation in a few sentences: suspected copies first, then real images as yardstick.

MANY = 0.1
"""Share of suspected copies from which on a group's score is not held against other groups'."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """Images of a group, ``n`` of them compared, that nearly repeat a real image: ``copies``, their ids."""

    group: str
    n: int
    copies: tuple[str, ...]

    @property
    def many(self) -> bool:
        """Whether the score of the group says little for that reason."""
        return bool(self.copies) and len(self.copies) >= MANY * self.n


def headline(
    evaluation: Evaluation,
    suspected: Sequence[Suspected],
    *,
    name: Callable[[str], str],
    number: Callable[[float], str],
) -> list[str]:
    """Sentences without markup but that of ``name``, which writes the name of a group.

    Groups with many suspected copies come first and are not called like real images. Others are held against
    the score of real images that were held out (`held_out`), where there are enough of them.
    """
    known = {group.name: group.distribution for group in evaluation.groups if group.distribution.n}
    if not known:
        return ["No image of these groups has a score: they share no feature with the real images."]
    lines = []
    for one in sorted(suspected, key=lambda suspected: -len(suspected.copies) / max(suspected.n, 1)):
        if one.copies:
            verb = "is" if len(one.copies) == 1 else "are"
            proves = ", so its score says nothing about quality" if one.many else ""
            lines.append(
                f"{name(one.group)}: {len(one.copies):,} of {one.n:,} images {verb} near-identical to a real "
                f"image{proves}."
            )
    doubtful = {suspect.group for suspect in suspected if suspect.many}
    rest = {group: one for group, one in known.items() if group not in doubtful}
    own = evaluation.yardstick.distribution
    is_out = evaluation.held_out is not None or evaluation.settings.archetype == "each"
    real = (
        f"Held-out real images score {number(own.mean)}"
        if is_out
        else f"Real images score {number(own.mean)}"
    )
    if not rest:
        return [*lines, f"{real}."]
    near = min(rest, key=lambda group: abs(rest[group].mean - own.mean))
    far = max(rest, key=lambda group: abs(rest[group].mean - own.mean))
    if len(rest) == 1:
        lines.append(f"{real}, images of {name(near)} {number(rest[near].mean)}.")
    else:
        closest = f"{name(near)} comes closest ({number(rest[near].mean)})"
        lines.append(f"{real}: {closest}, {name(far)} is farthest ({number(rest[far].mean)}).")
    above = [group for group, one in rest.items() if one.low > own.high]
    if above:
        lines.append(
            f"Above real images: {', '.join(map(name, above))}. Look for copies and for little variety."
        )
    return lines
