"""``wsi``: generated images against real ones, by the features that they share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Number, Whole, as_csv, as_json, choice_option, example, options
from evalcore.cli.output import complain, emit, how_many, progress_line
from evalcore.cli.study_request import open_clean
from evalcore.features.synthetic import tversky as weights
from evalcore.features.synthetic.commands.paper import HELP, write_scores
from evalcore.features.synthetic.commands.wsi_output import (
    WsiResult,
    csv_table,
    document,
    shown,
    subject_rows,
)
from evalcore.features.synthetic.evaluation.evaluate import evaluate, evaluate_tallies
from evalcore.features.synthetic.evaluation.scores import WsiSettings, by_concepts
from evalcore.features.synthetic.evaluation.sensitivity import sensitivity
from evalcore.features.synthetic.images import ImageSettings
from evalcore.features.synthetic.read.feature_files import bind_weights, read_weights, suspected_copies
from evalcore.features.synthetic.read.groups import absolute, of_paths
from evalcore.features.synthetic.read.material import LEFT_OUT, Material, measured_groups
from evalcore.features.synthetic.tversky import CHANNELS, UNIFORM, named
from evalcore.values.errors import InputError, Report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.cli.options import Command
    from evalcore.features.synthetic.commands.wsi_output import WsiResult
    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.features.synthetic.evaluation.sensitivity import Sensitivity
    from evalcore.features.synthetic.features import FeatureTable
    from evalcore.features.synthetic.images import ImageSettings
    from evalcore.features.synthetic.read.material import Material, NoMaterial
    from evalcore.values.arrays import Floats

# Options that several commands on machine-generated images share.


class Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them."""

    name = "numbers"

    def __init__(self, kind: type[int] | type[float] = float) -> None:
        self._kind = kind

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(self._kind(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers such as 1,2.", param, ctx)


class Tolerance(Numbers):
    """Two quantiles, or a share of the mean such as 10%, as the settings they are."""

    name = "tolerance"

    def convert(  # type: ignore[override]
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        text = str(value).strip()
        if not text.endswith("%"):
            return {"quantiles": super().convert(value, param, ctx)}
        try:
            return {"within": float(text.removesuffix("%")) / 100}
        except ValueError:
            self.fail(f"{value!r} is no share such as 10%.", param, ctx)


BROKEN = click.option(
    "--broken",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="Images that cannot be read: an error, or left out.",
)


PLANES = click.option(
    "--planes",
    type=click.Choice(["max", "mean", "each"]),
    default="max",
    show_default=True,
    help="Of a TIFF stack (slices, times): the largest value or the mean at every pixel, or each plane as an "
    "image of its own.",
)


def tversky(quantiles: str, *, pairs: str = "") -> Callable[[Command], Command]:
    """--alpha, --beta and --quantiles; ``quantiles``: of what, ``pairs``: what pairs take, in words."""
    return options(
        click.option(
            "--wsi-alpha",
            "of_subject",
            type=Number(0),
            default=1.0,
            show_default=True,
            help=f"Weight of what only the subject has{pairs}.",
        ),
        click.option(
            "--wsi-beta",
            "of_archetype",
            type=Number(0),
            default=1.0,
            show_default=True,
            help="Weight of what only the archetype has.",
        ),
        click.option(
            "--quantiles",
            type=Tolerance(),
            default="0.05,0.95",
            show_default=True,
            metavar="LOW,HIGH|P%",
            help=f"Ends of the tolerance of each feature, {quantiles}; or 10%: their mean -10% to +10%.",
        ),
    )


PATH_HELP = "A folder or zip of images, or a feature table ID,f1,f2."


_OF_IMAGES = ("side", "levels", "offsets", "angles", "channels", "planes")
"""Options on how images are measured."""


@example("synthetic score --archetypes real --subjects gan=generated --side 64")
@click.command()
@click.option("--archetypes", required=True, metavar="PATH", help=f"The real images. {PATH_HELP}")
@click.option(
    "--subjects",
    multiple=True,
    required=True,
    metavar="[NAME=]PATH",
    help="A group of images: to be evaluated, likewise. Repeat for several.",
)
@click.option(
    "--concepts",
    is_flag=True,
    help="The paths are study folders, and the features of an image are its concepts.",
)
@tversky("as quantiles of the archetypes")
@click.option(
    "--archetype",
    type=click.Choice(["tolerance", "each"]),
    show_default="tolerance; each with --concepts",
    help="tolerance: one archetype with every feature. each: every archetype image, and the mean over them.",
)
@click.option(
    "--feature-weights",
    "weights",
    default="uniform",
    show_default=True,
    metavar="uniform|channels|FILE",
    help="channels: every channel (the name before the first dot) has the same weight. FILE: feature,weight.",
)
@click.option(
    "--neither",
    type=click.Choice(["nan", "zero", "one"]),
    default="nan",
    show_default=True,
    help="The value where neither has any feature.",
)
@click.option(
    "--missing",
    type=click.Choice(["skip", "absent"]),
    default="skip",
    show_default=True,
    help="A feature that was not measured: does not count, or counts as absent.",
)
@BROKEN
@click.option(
    "--side", type=Whole(), metavar="PIXELS", help="Scale images so that the longer side is this long."
)
@click.option(
    "--levels", type=Whole(), default=32, show_default=True, help="Grey levels of the texture matrices."
)
@click.option(
    "--offsets",
    type=Numbers(int),
    default="1",
    show_default=True,
    metavar="PIXELS,...",
    help="Distances of the texture matrices.",
)
@click.option(
    "--angles",
    type=Numbers(int),
    default="0,45,90,135",
    show_default=True,
    metavar="DEGREES,...",
    help="Directions of the texture matrices; features are the mean over all.",
)
@click.option(
    "--channels",
    type=click.Choice(["auto", "grey"]),
    default="auto",
    show_default=True,
    help="auto: red, green and blue where any image is in colour. grey: the luminance of all. "
    "Channels that a TIFF declares are measured separately.",
)
@PLANES
@click.option(
    "--sensitivity",
    is_flag=True,
    help="Also: group means over alpha and beta, levels, weights, and without each feature.",
)
@click.option("--paper", metavar="FOLDER", help=HELP)
@choice_option("level")
@click.option(
    "--resamples",
    type=Whole(1, 100_000),
    default=1_000,
    show_default=True,
    help="Resamples: of the bootstrap.",
)
@choice_option("seed")
@click.option(
    "--top",
    type=Whole(0),
    default=20,
    show_default=True,
    help="Rows listed: subjects and features, 0 for all; JSON and CSV contain all.",
)
@as_csv("the subjects.")
@as_json
def score(
    archetypes: str,
    subjects: Sequence[str],
    concepts: bool,
    of_subject: float,
    of_archetype: float,
    quantiles: dict[str, Any],
    archetype: Any,
    weights: str,
    neither: Any,
    missing: Any,
    broken: str,
    side: int | None,
    levels: int,
    offsets: tuple[int, ...],
    angles: tuple[int, ...],
    channels: Any,
    planes: Any,
    sensitivity: bool,
    paper: str | None,
    level: float,
    resamples: int,
    seed: int,
    top: int,
    csv_path: str | None,
    json_wanted: bool,
) -> None:
    """How similar are generated images to real ones?

    Weighted Tversky similarity of the features they share. A feature is present when it is within the
    tolerance of the real images (the archetypes). With the weights of the features that both have (C), only
    the subject has (U) and only the archetype has (V), WSI = C / (C + alpha U + beta V); Brooks & Deshpande
    2025, arXiv 2503.22658.
    """
    settings = WsiSettings(
        alpha=of_subject,
        beta=of_archetype,
        **quantiles,
        undefined=neither,
        missing=missing,
        archetype=archetype or ("each" if concepts else "tolerance"),
        level=level,
        n_resamples=resamples,
        seed=seed,
    )
    named = [named_path(subject) for subject in subjects]
    if concepts:
        _refuse((*_OF_IMAGES, "quantiles", "missing", "broken"), "with --concepts")
        result = _of_concepts(archetypes, named, settings, weights, sensitivity)
    else:
        images = ImageSettings(levels, offsets, angles, side, channels, planes)
        result = _of_images(archetypes, named, settings, images, weights, broken, sensitivity)
    if paper is not None:
        write_scores(paper, result)
    rows = subject_rows(result.of)
    emit(
        document(result, rows),
        shown(result, rows, top),
        json=json_wanted,
        csv=csv_path,
        csv_rows=csv_table(rows),
    )


def named_path(text: str) -> tuple[str, Path]:
    """The name and the path of a group."""
    name, equals, path = text.partition("=")
    if not (equals and name and path) or Path(text).exists():
        whole = absolute(Path(text))
        name, path = whole.stem if whole.is_file() else whole.name, text
    return name, Path(path)


def _of_images(
    archetypes: str,
    subjects: Sequence[tuple[str, Path]],
    settings: Any,
    images: ImageSettings,
    weights: str,
    broken: str,
    wanted: bool,
) -> WsiResult:
    real = Path(archetypes)
    sources = of_paths((absolute(real).name, real), subjects)
    material = measured_groups(sources, settings=images, progress=progress_line())
    names = material.archetypes.table.names if isinstance(material, Material) else ()
    heavy, of_weights = _weights(weights, names)
    groups = usable(material, material.report + of_weights, broken)
    measured = images if any(part.pictures for part in groups.parts) else None
    if measured is None:
        _refuse((*_OF_IMAGES, "broken"), "on feature tables")
    first, *others = tables = [part.table for part in groups.parts]
    of = evaluate(first, others, weights=heavy, settings=settings)
    left_out = {part.name: part.left_out for part in groups.parts}
    suspected = suspected_copies(groups, progress=progress_line())
    matter = _sensitivity(of, tables) if wanted else None
    return WsiResult(of, measured, left_out, weights, matter, suspected)


def _of_concepts(
    archetypes: str, subjects: Sequence[tuple[str, Path]], settings: Any, weights: str, wanted: bool
) -> WsiResult:
    places = [(Path(archetypes).name, Path(archetypes)), *subjects]
    tallies = by_concepts([(name, open_clean(str(path), "error").concepts) for name, path in places])
    heavy, report = _weights(weights, tallies[0].names)
    stop(report, drop=False)
    of = evaluate_tallies(tallies[0], tallies[1:], weights=heavy, settings=settings)
    return WsiResult(of, None, {}, weights, _sensitivity(of, None) if wanted else None)


def _weights(how: str, names: Sequence[str]) -> tuple[Floats | None, Report]:
    """The weights by name or from a file; None where nothing is known to be weighed."""
    if how in (weights.UNIFORM, weights.CHANNELS):
        return weights.named(names, how), Report()
    rows, report = read_weights(Path(how))
    if not names:
        return None, report
    wanted, more = bind_weights(rows, names)
    report += more
    return (None if report.total("error") else weights.given(names, wanted)), report


def usable(material: Material | NoMaterial, report: Report, broken: str) -> Material:
    """The groups, where they can be compared; InputError with every error that is not lived with."""
    stop(report, drop=broken == "drop" and isinstance(material, Material))
    assert isinstance(material, Material), "there is an error where there is nothing to compare"
    return material


def stop(report: Report, *, drop: bool) -> None:
    """Raise InputError with every error; warnings, and broken images that may be left out, are mentioned."""
    errors = report.of_severity("error")
    lived_with = [problem for problem in errors if drop and problem.rule in LEFT_OUT]
    for problem in [*report.of_severity("warning"), *lived_with]:
        complain(str(problem))
    left = Report.of([problem for problem in errors if problem not in lived_with])
    if left.total("error"):
        hint = ""
        if any(problem.rule in LEFT_OUT for problem in errors):
            hint = " --broken drop leaves images out that cannot be read."
        raise InputError(f"The files have {how_many(left, 'error')}. Correct them.{hint}", left)


def _sensitivity(of: Evaluation, tables: Sequence[FeatureTable] | None) -> Sensitivity:
    weightings = {how: named(of.names, how) for how in (UNIFORM, CHANNELS)}
    return sensitivity(of, tables, weightings=weightings, progress=progress_line())


def _refuse(names: Sequence[str], where: str) -> None:
    """Options given that decide nothing: accepted, they would pass for ones that made no difference."""
    ctx = click.get_current_context()
    for name in names:
        source = ctx.get_parameter_source(name)
        if source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} has no effect {where}.")
