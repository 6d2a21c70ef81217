"""What ``wsi`` prints."""

from __future__ import annotations

from math import isnan, nan
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.cli.output import mention
from evalcore.features.synthetic.evaluation.evaluate import headline
from evalcore.features.synthetic.evaluation.scores import METHOD, GroupScores
from evalcore.features.synthetic.tables import features_table, groups_table
from evalcore.results.rows import Column, Table, also, decimals, named, plain, whole
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.features.synthetic.evaluation.evaluate import Evaluation, Suspected
    from evalcore.features.synthetic.evaluation.scores import WsiSettings
    from evalcore.features.synthetic.evaluation.sensitivity import Sensitivity
    from evalcore.features.synthetic.images import ImageSettings

LISTED = 4


class WsiResult(NamedTuple):
    """What was computed: the evaluation, how images were measured, what was left out, other settings,
    and images that nearly repeat a real one."""

    of: Evaluation
    images: ImageSettings | None
    left_out: dict[str, int]
    weights: str
    sensitivity: Sensitivity | None
    suspected: tuple[Suspected, ...] = ()

    @property
    def headline(self) -> list[str]:
        """The result in a few sentences, suspected copies first."""
        return headline(self.of, self.suspected, name=plain, number=decimals)


def subject_rows(of: Evaluation) -> list[dict[str, Any]]:
    """Every subject, group by group.

    missing: features outside the tolerance; of concepts those that half of the archetypes or more have.
    """
    rows = []
    shares = of.archetypes.share.tolist()
    expected = {
        name for name, share in zip(of.names, shares, strict=True) if of.bounds is not None or share >= 0.5
    }
    for group in of.groups:
        known = group.tally.presence.known
        for i, image in enumerate(group.tally.ids):
            unknown = [of.names[j] for j in np.flatnonzero(~known[i])]
            rows.append(
                {
                    "ID": image,
                    "group": group.name,
                    "wsi": float(group.values[i]),
                    "missing": [name for name in group.tally.missing(i) if name in expected],
                    "not_counted": unknown,
                    "both_lack": float(group.both_lack[i]),
                }
            )
    return rows


def csv_table(rows: list[dict[str, Any]]) -> Table:
    """The subjects as rows of a file; several features with ';' between them."""

    def joined(name: str) -> Column:
        return Column(name, lambda row: ";".join(row[name]))

    columns = (*named("ID", "group", "wsi"), joined("missing"), joined("not_counted"), *named("both_lack"))
    return Table(rows, columns)


def document(result: WsiResult, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON document."""
    of = result.of
    return {
        "settings": of.settings.as_dict()
        | {"weights": result.weights, "images": result.images.as_dict() if result.images else None},
        "seed": of.settings.seed,
        "ci_method": METHOD,
        "ci_level": of.settings.level,
        "n_resamples": of.settings.n_resamples,
        "features": features_table(of),
        "headline": result.headline,
        "suspected_copies": {suspect.group: list(suspect.copies) for suspect in result.suspected},
        "held_out": None if of.held_out is None else group_record(of.held_out, of),
        "subjects": rows,
        "archetypes": group_record(of.archetypes, of),
        "groups": [group_record(group, of) for group in of.groups],
        "left_out": result.left_out,
        "remarks": [problem.as_dict() for problem in of.remarks.problems],
        **({} if result.sensitivity is None else {"sensitivity": _sensitivity(result.sensitivity)}),
    }


def shown(result: WsiResult, rows: list[dict[str, Any]], top: int) -> Iterator[str | Table]:
    """For people: groups, features that differ most, the subjects that are least like the archetypes."""
    of = result.of
    mention(of.remarks)
    yield from result.headline
    yield ""
    yield _above(result)
    yield groups_table(of)
    if result.left_out and (n := sum(result.left_out.values())):
        yield f"Left out, because unreadable: {pluralize(n, 'image')}."
    features = sorted(range(len(of.names)), key=lambda j: _lowest(of, j))
    yield ""
    what = "who has them" if of.bounds is None else "the share of images within the range"
    yield f"Features and {what}, furthest below the archetypes first{_of_all(features, top)}:"
    yield features_table(of)._replace(rows=features[: top or None])
    yield ""
    worst = sorted(rows, key=lambda row: (isnan(row["wsi"]), row["wsi"], row["group"], row["ID"]))
    yield f"Subjects, lowest first{_of_all(worst, top)}:"
    yield Table(worst[: top or None], _subjects(of))
    if result.sensitivity is not None:
        yield from _shown_sensitivity(result.sensitivity, top)


def _above(result: WsiResult) -> str:
    how = result.of.settings
    by = (
        "one archetype that has every feature (alpha decides nothing)"
        if how.archetype == "tolerance"
        else "each archetype image, and the mean over them"
    )
    tolerance = (
        ""
        if result.of.bounds is None
        else (f" Tolerance: {tolerance_text(how)} of {result.of.bounds.n_images:,} archetype images.")
    )
    return (
        f"WSI by {len(result.of.names):,} features, alpha = {how.alpha:g}, beta = {how.beta:g}, weights "
        f"{plain(result.weights)}, against {by}.{tolerance} Intervals: {how.level:.0%}, {METHOD}, "
        f"{how.n_resamples:,} resamples, seed {how.seed}."
    )


def tolerance_text(how: WsiSettings) -> str:
    """What tolerances are, before "of so many images"."""
    if how.within is not None:
        return f"+-{how.within:.4g} of the mean"
    return f"quantiles {how.quantiles[0]:g} to {how.quantiles[1]:g}"


def _lowest(of: Evaluation, j: int) -> float:
    """How far below the archetypes, who are first, the group is that has a feature least."""
    gaps = [float(scores.share[j] - of.everyone[0].share[j]) for scores in of.everyone[1:]]
    return min((gap for gap in gaps if not isnan(gap)), default=2.0)


def group_record(one: GroupScores, of: Evaluation) -> dict[str, Any]:
    """A group for programs."""
    scores = one.distribution
    lack = one.both_lack[~np.isnan(one.both_lack)]
    return {
        "name": one.name,
        "n": len(one.tally),
        "n_defined": scores.n,
        "mean": scores.mean,
        "ci_low": scores.low,
        "ci_high": scores.high,
        "sd": scores.sd,
        "min": scores.minimum,
        "q25": scores.quarter,
        "median": scores.median,
        "q75": scores.three_quarters,
        "max": scores.maximum,
        "both_lack": float(lack.mean()) if len(lack) else nan,
        "presence": dict(zip(of.names, one.share.tolist(), strict=True)),
    }


def _sensitivity(of: Sensitivity) -> dict[str, Any]:
    return {
        "groups": list(of.groups),
        "alphas": list(of.alphas),
        "betas": list(of.betas),
        "alpha_beta": of.sides.tolist(),
        "levels": list(of.levels),
        "by_level": None if of.by_level is None else of.by_level.tolist(),
        "shares": list(of.shares),
        "by_share": None if of.by_share is None else of.by_share.tolist(),
        "weightings": list(of.weightings),
        "by_weights": of.by_weights.tolist(),
        "features": list(of.names),
        "without": of.without.tolist(),
    }


def _shown_sensitivity(of: Sensitivity, top: int) -> Iterator[str | Table]:
    """Group means by setting, one row per setting."""
    rows: list[tuple[str, Any]] = []
    one_alpha = bool((of.sides == of.sides[:, :1]).all())
    for i, alpha in enumerate(of.alphas[:1] if one_alpha else of.alphas):
        label = "any alpha" if one_alpha else f"alpha {alpha:g}"
        rows += [(f"{label}, beta {beta:g}", of.sides[:, i, j]) for j, beta in enumerate(of.betas)]
    if of.by_level is not None:
        rows += [(f"middle {level:.0%} tolerated", of.by_level[:, j]) for j, level in enumerate(of.levels)]
    if of.by_share is not None:
        rows += [(f"+-{share:.0%} of the mean", of.by_share[:, j]) for j, share in enumerate(of.shares)]
    rows += [(f"weights {name}", of.by_weights[:, j]) for j, name in enumerate(of.weightings)]
    yield ""
    yield "Group means under other settings:"
    yield _by_group(rows, of.groups, "setting")
    change = np.nan_to_num(np.abs(of.without - of.base[:, None])).max(0, initial=0.0)
    order = np.argsort(-change, kind="stable")
    yield ""
    yield f"Group means without a feature, largest change first{_of_all(order, top)}:"
    yield _by_group([(of.names[j], of.without[:, j]) for j in order[: top or None]], of.groups, "without")


def _by_group(rows: list[tuple[str, Any]], groups: tuple[str, ...], head: str) -> Table:
    def of(k: int) -> Column:
        return also(groups[k], lambda row: float(row[1][k]), decimals)

    return Table(rows, [also(head, itemgetter(0)), *map(of, range(len(groups)))])


def _of_all(rows: Any, top: int) -> str:
    return f" ({top:,} of {len(rows):,})" if top and len(rows) > top else ""


def _some(names: list[str]) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}" if names else "-"


def _subjects(of: Evaluation) -> tuple[Column, ...]:
    outside = "missing" if of.bounds is None else "outside the range"
    return (*_SUBJECTS, also(outside, lambda row: len(row["missing"]), whole), _SUCH_AS)


_SUBJECTS = (Column("ID", head="image"), Column("group", head="group"), Column("wsi", None, "WSI", decimals))
_SUCH_AS = also("such as", lambda row: _some(row["missing"]))
