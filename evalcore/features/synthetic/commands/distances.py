"""``synthetic distances``: generated images by distances between Gaussians, and the agreement of scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from evalcore.cli.options import Command, Whole, as_csv, as_json, choice_option, example, gathered
from evalcore.cli.output import complain, emit, progress_line
from evalcore.features.synthetic.commands.paper import HELP, write_distances
from evalcore.features.synthetic.commands.wsi import BROKEN, PATH_HELP, PLANES, named_path, stop, usable
from evalcore.features.synthetic.copies import cosines_across, nearest
from evalcore.features.synthetic.distances import (
    agreement,
    all_distances,
    feature_vectors,
    in_order,
    score_columns,
    with_people,
)
from evalcore.features.synthetic.evaluation.evaluate import evaluate
from evalcore.features.synthetic.field import N_RESAMPLES, FieldRow, K, field, verdict
from evalcore.features.synthetic.images import ImageSettings
from evalcore.features.synthetic.models import load_encoder, load_lpips
from evalcore.features.synthetic.read.feature_files import read_rankings
from evalcore.features.synthetic.read.groups import of_paths
from evalcore.features.synthetic.read.material import measured_groups
from evalcore.features.synthetic.tables import distances_table, field_table
from evalcore.results.rows import Column, Table, decimals, named, titled
from evalcore.values.errors import InputError
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.features.synthetic.distances import AllDistances
    from evalcore.features.synthetic.read.material import Material
    from evalcore.values.arrays import Floats

# What the commands on distances and copies share: options, and the groups with their vectors.


class Vectors(NamedTuple):
    """Of the archetypes and of each group; ``what`` they are."""

    archetypes: Floats
    groups: tuple[Floats, ...]
    what: str


@dataclass(frozen=True)
class DistancesRequest:
    """The values of the options that both commands share; ``name``: what the real images are called."""

    name: str
    real: str
    groups: Sequence[str]
    vectors: Sequence[str]
    resnet: str | None
    side: int
    channels: Any
    planes: Any
    broken: str
    seed: int
    csv: str | None
    json: bool

    @cached_property
    def material(self) -> Material:
        """The groups, measured or read; InputError with every problem."""
        archetypes, groups = (self.name, Path(self.real)), [*map(named_path, self.groups)]
        given, names = dict(map(named_path, self.vectors)), [of for of, _ in (archetypes, *groups)]
        if unknown := sorted(set(given) - set(names)):
            raise InputError(
                f"--vectors names {unknown[0]!r}, which is no group. There are: {', '.join(names)}."
            )
        settings = ImageSettings(side=self.side, channels=self.channels, planes=self.planes)
        sources = of_paths(archetypes, groups, given)
        material = measured_groups(sources, settings=settings, progress=progress_line())
        return usable(material, material.report, self.broken)

    @cached_property
    def held(self) -> Vectors:
        """The vectors of the images: given ones, by ResNet-18, or the features themselves."""
        return _vectors_of(self.material, self.resnet)


def on_groups(real: str, real_help: str, fake: str) -> Callable[[Command], Command]:
    """A command on groups of images with ``--csv`` and ``--json``: gets a ``DistancesRequest``, then its own.

    real: the option with the real images, ``fake`` with the groups held against them.
    """

    def asked(csv_path: str | None, json_wanted: bool, **shared: Any) -> DistancesRequest:
        return DistancesRequest(name=real, csv=csv_path, json=json_wanted, **shared)

    return gathered(
        "request",
        asked,
        click.option(f"--{real}", "real", required=True, metavar="PATH", help=f"{real_help} {PATH_HELP}"),
        click.option(
            f"--{fake}",
            "groups",
            multiple=True,
            required=True,
            metavar="[NAME=]PATH",
            help="A group of images: generated ones, likewise. Repeat for several.",
        ),
        click.option(
            "--vectors",
            multiple=True,
            metavar="[NAME=]FILE",
            help="Vectors (npz, parquet) of a group, by its name, and of the real images under "
            f"{real.upper()}. Without any, the features themselves.",
        ),
        click.option(
            "--resnet",
            metavar="FILE|default",
            help="Vectors by ResNet-18 from this weights file; default: "
            "resnet18-f37072fd.pth in the folder models of the workspace.",
        ),
        click.option(
            "--side",
            type=Whole(),
            default=256,
            show_default=True,
            metavar="PIXELS",
            help="Scale images so that the longer side is this long.",
        ),
        click.option(
            "--channels",
            type=click.Choice(["auto", "grey"]),
            default="auto",
            show_default=True,
            help="auto: red, green and blue where any image is in colour. grey: luminance.",
        ),
        PLANES,
        BROKEN,
        choice_option("seed"),
        also=["csv_path", "json_wanted"],
    )


def _vectors_of(of: Material, resnet: str | None) -> Vectors:
    """The vectors of the images: given ones, by ResNet-18, or the features themselves."""
    with_vectors = [part.name for part in of.parts if part.vectors is not None]
    if resnet is not None:
        encode, shown, result = load_encoder(None if resnet == "default" else resnet), progress_line(), []
        for i, part in enumerate(of.parts):
            if part.pictures is None:
                raise InputError(f"{part.name} has features only; ResNet-18 needs pictures.")
            result.append(encode(part.pictures.all(), part_of(shown, i, len(of.parts))))
        return Vectors(result[0], tuple(result[1:]), "ResNet-18, average pool")
    if with_vectors:
        if len(with_vectors) < len(of.parts):
            missing = [part.name for part in of.parts if part.vectors is None]
            raise InputError(f"There are no vectors of {', '.join(missing)}. Give --vectors for every group.")
        parts = [np.asarray(part.vectors, float) for part in of.parts]
        for part, rows in zip(of.parts, parts, strict=True):
            if lost := int(np.isnan(rows).all(axis=1).sum()):
                complain(f"{part.name}: {lost:,} of {len(rows):,} images have no vector; they are left out.")
        return Vectors(parts[0], tuple(parts[1:]), "given vectors")
    names, real, others = feature_vectors(of.archetypes.table, [group.table for group in of.groups])
    return Vectors(real, tuple(others), f"{len(names)} features in spreads of the real images")


@example("synthetic distances --archetypes real --subjects gan=generated --side 64")
@click.command()
@on_groups("archetypes", "The real images.", "subjects")
@click.option(
    "--people",
    metavar="FILE.csv",
    help="Rankings by people: ID,rank (1 is the best) or ID,score (more is better); with a column rater for "
    "several.",
)
@click.option(
    "--lpips",
    metavar="FOLDER|default",
    help="Also LPIPS of each image and its nearest real image; the folder contains hub/checkpoints/ with the "
    "weights of AlexNet. Needs the packages lpips and torchvision.",
)
@click.option("--paper", metavar="FOLDER", help=HELP)
@as_csv("every score of every image.")
@as_json
def distances(request: DistancesRequest, people: str | None, lpips: str | None, paper: str | None) -> None:
    """How far is each group from the real images?

    KL divergence both ways, Frechet and Mahalanobis distance, precision and recall, density and coverage, and
    KID. Between Gaussians fitted to vectors of the
    images (your own, ResNet-18's, or the features themselves); shrunk by Ledoit and Wolf where a group
    has no more images than vectors have numbers. The distances of random halves of the real images are
    the yardstick. Agreement: Spearman's rho of all scores of the images, with each other and with people.
    """
    of, held, seed = request.material, request.held, request.seed
    names = [group.name for group in of.groups]
    result = all_distances(held.archetypes, dict(zip(names, held.groups, strict=True)), seed=seed)
    rows = distances_table(result)
    judged = _judged(people) if people else None
    each = _each(of, result, held, lpips, judged)
    agree = _agreement(each)
    others = field(
        held.archetypes, dict(zip(names, held.groups, strict=True)), seed=seed, progress=progress_line()
    )
    yardstick = _yardstick(result)
    fitted = (
        f"Covariances shrunk (Ledoit-Wolf), archetypes by {result.shrinkage or 0:.3f}."
        if result.shrunk
        else "Sample covariances (n - 1)."
    )
    head = f"{result.n:,} real images, {held.what}, {result.dimensions:,} dimensions. {fitted}"
    of_field = field_table(others)
    shown: list[str | Table] = [head, rows, *yardstick[1], "", *_about_field(others), of_field]
    if agree.rows:
        shown += ["", "Agreement of scores within each group (Spearman's rho):", agree]
    every = Table(each, named(*(each[0] if each else ())))
    if paper is not None:
        made = {"distances": rows, "field": of_field, "agreement": agree, "images": every}
        write_distances(paper, made, result)
    emit(
        {
            "vectors": held.what,
            "dimensions": result.dimensions,
            "n_archetypes": result.n,
            "shrunk": result.shrunk,
            "shrinkage": result.shrinkage,
            "seed": seed,
            "groups": rows,
            "halves": yardstick[0],
            "field": of_field,
            "agreement": agree,
        },
        shown,
        json=request.json,
        csv=request.csv,
        csv_rows=every,
    )


def _about_field(rows: tuple[FieldRow, ...]) -> list[str]:
    """What the measures are, and whether they agree on the best group."""
    head = (
        f"Precision, recall, density and coverage by the {K} nearest neighbours, and KID; 95% intervals: "
        f"percentile bootstrap over images, {N_RESAMPLES:,} resamples. The first row is a half of the real "
        "images against the other half."
    )
    return [line for line in (head, verdict(rows)) if line]


def _yardstick(distances: AllDistances) -> tuple[dict[str, Any], list[str]]:
    """The same distances of random halves of the real images."""
    if not distances.halves:
        return {}, []
    spans = {
        name: (
            min(getattr(one, of) for one in distances.halves),
            max(getattr(one, of) for one in distances.halves),
        )
        for name, of in (("kl", "forward"), ("frechet_squared", "frechet"))
    }
    ranges = "; ".join(f"{name} {decimals(low)} to {decimals(high)}" for name, (low, high) in spans.items())
    n = len(distances.halves)
    line = f"{n} random halves of the real images differ by: {ranges} (seed {distances.seed})."
    return {"n": n, **{name: list(ends) for name, ends in spans.items()}}, [line]


def _each(
    of: Material, distances: AllDistances, held: Vectors, lpips: str | None, judged: Any
) -> list[dict[str, Any]]:
    """Every score of every image; more is better, distances with a minus."""
    scored = evaluate(of.archetypes.table, [group.table for group in of.groups])
    rows: list[dict[str, Any]] = []
    for k, part in enumerate(of.groups):
        columns = score_columns(
            scored.groups[k].values, distances.groups[k].each, held.groups[k], held.archetypes
        )
        if lpips is not None:
            columns["minus_lpips"] = -_lpips(of, k, held, lpips)
        if judged is not None:
            columns["people"] = in_order(part.table.ids, judged)
        for i, image in enumerate(part.table.ids):
            rows.append(
                {
                    "group": part.name,
                    "image": image,
                    **{name: float(column[i]) for name, column in columns.items()},
                }
            )
    return rows


def _judged(path: str) -> Any:
    judged, report = read_rankings(Path(path))
    stop(report, drop=False)
    return judged


def _lpips(of: Material, k: int, held: Vectors, folder: str) -> Floats:
    """LPIPS of each image of a group and the real image nearest to it by vectors; NaN without one."""
    own, real = of.groups[k].pictures, of.archetypes.pictures
    if own is None or real is None:
        raise InputError("LPIPS needs pictures of the real images and of every group.")
    at = nearest(cosines_across(held.groups[k], held.archetypes)).image
    known = np.flatnonzero(at >= 0)
    measure = load_lpips(None if folder == "default" else folder)
    pictures, others = own.all(), real.all()
    result = np.full(len(at), np.nan)
    result[known] = measure([(pictures[i], others[at[i]]) for i in known], progress_line())
    return result


class _Agree(NamedTuple):
    """How alike two scores put the images of a group in order; the interval with people only."""

    group: str
    score: str
    other: str
    rho: float
    low: float | None
    high: float | None
    n: int


def _agreement(each: Sequence[dict[str, Any]]) -> Table:
    """Spearman's rho of every two scores within each group, and with people its interval."""
    rows: list[_Agree] = []
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
                _Agree(group, both.names[j], name, float(both.rho[i, j]), None, None, both.n)
                for j in range(i)
            ]
        if people is not None:
            rows += [
                _Agree(group, people.name, "people", people.rho, people.low, people.high, people.n)
                for people in with_people(columns, people)
            ]
    return Table(rows, _AGREEMENT)


_AGREEMENT = (
    *titled("group", "score"),
    Column("with", "other", "with"),
    Column("rho", None, "rho", decimals),
    Column("ci_low", "low"),
    Column("ci_high", "high"),
    Column("n", head="images"),
)
