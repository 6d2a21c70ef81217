"""What the commands on distances and copies share: options, and the groups with their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli.options import Command, Whole, gathered, with_seed
from evalcore.cli.output import complain, progress_line
from evalcore.features.synthetic.commands.wsi import BROKEN, PATH_HELP, PLANES, named_path, usable
from evalcore.values.errors import InputError
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.features.synthetic.read.material import Material
    from evalcore.values.arrays import Floats


class Vectors(NamedTuple):
    """Of the archetypes and of each group; ``what`` they are."""

    archetypes: Floats
    groups: tuple[Floats, ...]
    what: str


@dataclass(frozen=True)
class Asked:
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
        from evalcore.features.synthetic.images.settings import ImageSettings
        from evalcore.features.synthetic.read.groups import of_paths
        from evalcore.features.synthetic.read.material import measured_groups

        archetypes, groups = (self.name, Path(self.real)), [*map(named_path, self.groups)]
        given, names = dict(map(named_path, self.vectors)), [of for of, _ in (archetypes, *groups)]
        if unknown := sorted(set(given) - set(names)):
            raise InputError(
                f"--vectors names {unknown[0]!r}, which is no group. There are: {', '.join(names)}."
            )
        settings = ImageSettings(side=self.side, channels=self.channels, planes=self.planes)
        sources = of_paths(archetypes, groups, given)
        found = measured_groups(sources, settings=settings, progress=progress_line())
        return usable(found, found.report, self.broken)

    @cached_property
    def held(self) -> Vectors:
        """The vectors of the images: given ones, by ResNet-18, or the features themselves."""
        return _vectors_of(self.material, self.resnet)


def on_groups(real: str, real_help: str, fake: str) -> Callable[[Command], Command]:
    """A command on groups of images, with ``--csv`` and ``--json``: it gets one ``Asked``, then its own.

    real: the option with the real images, ``fake`` with the groups held against them.
    """

    def asked(csv_path: str | None, json_wanted: bool, **shared: Any) -> Asked:
        return Asked(name=real, csv=csv_path, json=json_wanted, **shared)

    return gathered(
        "asked",
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
        with_seed("halves and relabellings."),
        also=["csv_path", "json_wanted"],
    )


def _vectors_of(of: Material, resnet: str | None) -> Vectors:
    """The vectors of the images: given ones, by ResNet-18, or the features themselves."""
    import numpy as np

    from evalcore.features.synthetic.distances import feature_vectors

    with_vectors = [one.name for one in of.parts if one.vectors is not None]
    if resnet is not None:
        from evalcore.features.synthetic.models import load_encoder

        encode, shown, found = load_encoder(None if resnet == "default" else resnet), progress_line(), []
        for i, one in enumerate(of.parts):
            if one.pictures is None:
                raise InputError(f"{one.name} has features only; ResNet-18 needs pictures.")
            found.append(encode(one.pictures.all(), part_of(shown, i, len(of.parts))))
        return Vectors(found[0], tuple(found[1:]), "ResNet-18, average pool")
    if with_vectors:
        if len(with_vectors) < len(of.parts):
            missing = [one.name for one in of.parts if one.vectors is None]
            raise InputError(f"There are no vectors of {', '.join(missing)}. Give --vectors for every group.")
        parts = [np.asarray(one.vectors, float) for one in of.parts]
        for one, rows in zip(of.parts, parts, strict=True):
            if lost := int(np.isnan(rows).all(axis=1).sum()):
                complain(f"{one.name}: {lost:,} of {len(rows):,} images have no vector; they are left out.")
        return Vectors(parts[0], tuple(parts[1:]), "given vectors")
    names, real, others = feature_vectors(of.archetypes.table, [one.table for one in of.groups])
    return Vectors(real, tuple(others), f"{len(names)} features in spreads of the real images")
