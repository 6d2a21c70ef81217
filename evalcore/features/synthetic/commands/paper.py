"""``--paper FOLDER``: what the commands print, and the figures of the page, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.cli.output import write_paper
from evalcore.features.synthetic.commands.wsi_output import group_record
from evalcore.features.synthetic.evaluation.sensitivity import setting_rows
from evalcore.features.synthetic.figures import (
    distance_rows,
    dropped_bars,
    pair_lines,
    presence_map,
    score_rows,
    settings_map,
)
from evalcore.features.synthetic.figures.scores import ScoredGroup
from evalcore.features.synthetic.tables import features_table, images_table
from evalcore.figures.printed import PAPER
from evalcore.results.rows import Table, named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.synthetic.commands.wsi_output import WsiResult
    from evalcore.features.synthetic.distances import AllDistances
    from evalcore.features.synthetic.diversity import Diversity
    from evalcore.features.synthetic.evaluation.sensitivity import Sensitivity
    from evalcore.figures.frame import Drawn

HELP = "Also every table as CSV and every figure as SVG, into this folder."
MOST = 60
"""Features drawn: those that are most often outside the range."""


def write_scores(folder: str, result: WsiResult) -> None:
    """Scores, features, and what the settings change where it was asked for."""
    of = result.of
    groups = [group_record(one, of) for one in of.rows]
    columns = named(*(name for name in groups[0] if name != "presence"))
    tables = {"scores": Table(groups, columns), "images": images_table(of), "features": features_table(of)}
    rows = [ScoredGroup(one.name, one.values, one.distribution.low, one.distribution.high) for one in of.rows]
    shares = np.column_stack([group.share for group in of.everyone])
    least = np.argsort(np.nan_to_num(shares[:, 1:], nan=1.0).min(axis=1), kind="stable")[:MOST]
    kept = np.sort(least).tolist()
    names = [group.name for group in of.everyone]
    figures = {
        "scores": score_rows(rows, score="WSI", theme=PAPER),
        "features": presence_map([of.names[j] for j in kept], names, shares[kept], theme=PAPER),
    }
    if result.sensitivity is not None:
        tables["sensitivity"] = Table(
            setting_rows(result.sensitivity), named("group", "what", "setting", "mean")
        )
        figures |= _of_settings(result.sensitivity)
    write_paper(folder, tables, figures)


def _of_settings(of: Sensitivity) -> dict[str, Drawn]:
    """Of every group but the archetypes: alpha and beta, shares of the mean, single features."""
    figures = {}
    for k, group in enumerate(of.groups[1:], start=1):
        texts = [f"{alpha:g}" for alpha in of.alphas], [f"{beta:g}" for beta in of.betas]
        axes = ("weight of what is extra (alpha)", "weight of what is missing (beta)")
        figures[f"alpha-beta-{k}"] = settings_map(
            *texts, of.sides[k].T, axes=axes, group=group, now=None, theme=PAPER
        )
        if of.by_share is not None:
            figures[f"tolerance-{k}"] = settings_map(
                [f"±{share:.0%}" for share in of.shares],
                ["mean score"],
                of.by_share[k][np.newaxis],
                axes=("tolerance: so much of the mean of the real images", ""),
                group=group,
                now=None,
                theme=PAPER,
                what="how wide the tolerance is",
            )
        figures[f"without-{k}"] = dropped_bars(of.names, of.without[k] - of.base[k], group=group, theme=PAPER)
    return {name: drawn for name, drawn in figures.items() if not drawn.constant}


def write_copies(folder: str, tables: Mapping[str, Table], of: Sequence[tuple[str, Diversity]]) -> None:
    """The tests, the nearest images, and how similar pairs are, group by group."""
    figures = {
        f"pairs-{k}": pair_lines(
            *got.features.pairs, names=("training images", name), of="WSI of pairs", theme=PAPER
        )
        for k, (name, got) in enumerate(of, start=1)
    }
    write_paper(folder, tables, figures)


def write_distances(folder: str, tables: Mapping[str, Table], of: AllDistances) -> None:
    """The tables, and the distances beside those of halves of the real images."""
    names = {"kl": ("forward", "KL(group ‖ real)"), "frechet": ("frechet", "Fréchet distance, squared")}
    figures = {
        stem: distance_rows(
            [group.name for group in of.groups],
            [getattr(group.distances, which, float("nan")) for group in of.groups],
            [getattr(one, which) for one in of.halves],
            distance=title,
            theme=PAPER,
        )
        for stem, (which, title) in names.items()
    }
    write_paper(folder, tables, figures)
