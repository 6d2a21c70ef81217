"""``wsi-distances``: generated images by distances between Gaussians, and the agreement of scores."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.emit import Column, Table, emit
from evalcore.cli.options import as_json
from evalcore.cli.output import decimals, progress_line
from evalcore.cli.synthesis.shared import material, on_groups, vectors_of
from evalcore.cli.synthesis.wsi import stop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.arrays import Floats
    from evalcore.sources.synthesis.material import Material
    from evalcore.synthesis.distances import AllDistances

REAL = "archetypes"


@click.command("wsi-distances")
@on_groups(REAL, "The real images.", "subjects")
@click.option(
    "--people",
    metavar="FILE.csv",
    help="Rankings by people: ID,rank (1 is the best) or ID,score (more is better).",
)
@click.option(
    "--lpips",
    metavar="FOLDER|default",
    help="Also LPIPS of each image and its nearest real image; the folder holds hub/checkpoints/ with the "
    "weights of AlexNet. Needs the packages lpips and torchvision.",
)
@click.option("--csv", "csv_path", metavar="FILE.csv", help="Write every score of every image as CSV.")
@as_json
def wsi_distances(
    real: str, groups: Sequence[str], vectors: Sequence[str], resnet: str | None, side: int, channels: Any,
    broken: str, seed: int, people: str | None, lpips: str | None, csv_path: str | None, json_wanted: bool,
) -> None:  # fmt: skip
    """How far is each group from the real images? KL divergence both ways, Frechet and Mahalanobis distance.

    Between Gaussians fitted to vectors of the images (given ones, ResNet-18's, or the features themselves);
    shrunk by Ledoit and Wolf where a group has no more images than vectors have numbers. The distances of
    random halves of the real images are the yardstick. Agreement: Spearman's rho of all scores of the images,
    with each other and with people.
    """
    from evalcore.synthesis.distances import all_distances

    of = material(real, groups, vectors, name=REAL, side=side, channels=channels, broken=broken)
    held = vectors_of(of, resnet)
    names = [one.name for one in of.groups]
    found = all_distances(held.archetypes, dict(zip(names, held.groups, strict=True)), seed=seed)
    rows = Table([_row(one) for one in found.groups], _COLUMNS)
    each = _each(of, found, held, lpips, people)
    agree = _agreement(each)
    yardstick = _yardstick(found)
    fitted = (
        f"Covariances shrunk (Ledoit-Wolf), archetypes by {found.shrinkage or 0:.3f}."
        if found.shrunk
        else "Sample covariances (n - 1)."
    )
    head = f"{found.n:,} real images, {held.what}, {found.dimensions:,} dimensions. {fitted}"
    shown: list[str | Table] = [head, rows, *yardstick[1]]
    if agree.rows:
        shown += ["", "Agreement of scores within each group (Spearman's rho):", agree]
    every = Table(each, tuple(Column(name, itemgetter(name)) for name in (each[0] if each else ())))
    emit(
        {
            "vectors": held.what,
            "dimensions": found.dimensions,
            "n_archetypes": found.n,
            "shrunk": found.shrunk,
            "shrinkage": found.shrinkage,
            "seed": seed,
            "groups": rows,
            "halves": yardstick[0],
            "agreement": agree,
        },
        shown,
        json=json_wanted,
        csv=csv_path,
        csv_rows=every,
    )


def _row(one: Any) -> dict[str, Any]:
    import numpy as np

    known = one.each[np.isfinite(one.each)]
    return {
        "group": one.name,
        "n": one.n,
        "kl_group_real": one.found.forward if one.found else None,
        "kl_real_group": one.found.backward if one.found else None,
        "kl_sum": one.found.both if one.found else None,
        "frechet_squared": one.found.frechet if one.found else None,
        "mahalanobis_mean": float(known.mean()) if len(known) else None,
        "shrinkage": one.shrinkage,
        "why": one.why or None,
    }


def _yardstick(found: AllDistances) -> tuple[dict[str, Any], list[str]]:
    """The same distances of random halves of the real images."""
    if not found.halves:
        return {}, []
    spans = {
        name: (min(getattr(one, of) for one in found.halves), max(getattr(one, of) for one in found.halves))
        for name, of in (("kl", "forward"), ("frechet_squared", "frechet"))
    }
    said = "; ".join(f"{name} {decimals(low)} to {decimals(high)}" for name, (low, high) in spans.items())
    line = f"{len(found.halves)} random halves of the real images are apart by: {said} (seed {found.seed})."
    return {"n": len(found.halves), **{name: list(ends) for name, ends in spans.items()}}, [line]


def _each(
    of: Material, found: AllDistances, held: Any, lpips: str | None, people: str | None
) -> list[dict[str, Any]]:  # fmt: skip
    """Every score of every image; more is better, distances with a minus."""
    from evalcore.synthesis.agreement import in_order
    from evalcore.synthesis.distances import score_columns
    from evalcore.synthesis.evaluation.evaluate import evaluate

    scored = evaluate(of.archetypes.table, [one.table for one in of.groups])
    judged = _judged(people) if people else {}
    rows: list[dict[str, Any]] = []
    for k, part in enumerate(of.groups):
        columns = score_columns(
            scored.groups[k].values, found.groups[k].each, held.groups[k], held.archetypes
        )
        if lpips is not None:
            columns["minus_lpips"] = -_lpips(of, k, held, lpips)
        if people:
            columns["people"] = in_order(part.table.ids, judged)
        for i, image in enumerate(part.table.ids):
            rows.append(
                {"group": part.name, "image": image, **{name: float(one[i]) for name, one in columns.items()}}
            )
    return rows


def _judged(path: str) -> Any:
    from evalcore.sources.synthesis.rankings import read_rankings

    judged, report = read_rankings(Path(path))
    stop(report, drop=False)
    return judged.values if judged else {}


def _lpips(of: Material, k: int, held: Any, folder: str) -> Floats:
    """LPIPS of each image of a group and the real image nearest to it by vectors; NaN without one."""
    import numpy as np

    from evalcore.errors import InputError
    from evalcore.synthesis.models.lpips import load_lpips
    from evalcore.synthesis.nearest import cosines_across, nearest

    own, real = of.groups[k].pictures, of.archetypes.pictures
    if own is None or real is None:
        raise InputError("LPIPS needs pictures of the real images and of every group.")
    at = nearest(cosines_across(held.groups[k], held.archetypes)).image
    known = np.flatnonzero(at >= 0)
    measure = load_lpips(None if folder == "default" else folder)
    pictures, others = own.all(), real.all()
    found = np.full(len(at), np.nan)
    found[known] = measure([(pictures[i], others[at[i]]) for i in known], progress_line())
    return found


def _agreement(each: Sequence[dict[str, Any]]) -> Table:
    """Spearman's rho of every two scores within each group, and with people its interval."""
    import numpy as np

    from evalcore.synthesis.agreement import agreement, with_people

    rows = []
    for group in dict.fromkeys(one["group"] for one in each):
        own = [one for one in each if one["group"] == group]
        columns = {
            name: np.array([one[name] for one in own], float)
            for name in own[0]
            if name not in ("group", "image")
        }
        people = columns.pop("people", None)
        both = agreement(columns)
        for i, name in enumerate(both.names):
            rows += [
                {
                    "group": group,
                    "score": both.names[j],
                    "with": name,
                    "rho": float(both.rho[i, j]),
                    "ci_low": None,
                    "ci_high": None,
                    "n": both.n,
                }
                for j in range(i)
            ]
        for one in with_people(columns, people) if people is not None else ():
            rows.append(
                {
                    "group": group,
                    "score": one.name,
                    "with": "people",
                    "rho": one.rho,
                    "ci_low": one.low,
                    "ci_high": one.high,
                    "n": one.n,
                }
            )
    return Table(rows, _AGREEMENT)


def _number(value: float | None) -> str:
    return "-" if value is None else decimals(value)


_COLUMNS = (
    Column("group", itemgetter("group"), "group"),
    Column("n", itemgetter("n"), "images"),
    Column("kl_group_real", itemgetter("kl_group_real"), "KL(group||real)", _number),
    Column("kl_real_group", itemgetter("kl_real_group"), "KL(real||group)", _number),
    Column("kl_sum", itemgetter("kl_sum"), "sum", _number),
    Column("frechet_squared", itemgetter("frechet_squared"), "Frechet^2", _number),
    Column("mahalanobis_mean", itemgetter("mahalanobis_mean"), "mean Mahalanobis", _number),
    Column("shrinkage", itemgetter("shrinkage")),
    Column("why", itemgetter("why")),
)
_AGREEMENT = (
    Column("group", itemgetter("group"), "group"),
    Column("score", itemgetter("score"), "score"),
    Column("with", itemgetter("with"), "with"),
    Column("rho", itemgetter("rho"), "rho", _number),
    Column("ci_low", itemgetter("ci_low")),
    Column("ci_high", itemgetter("ci_high")),
    Column("n", itemgetter("n"), "images"),
)
