"""``synthetic score|copies|distances|paper``: generated images against real ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from evalcore.cli.options import (
    Command,
    Number,
    Whole,
    as_csv,
    as_json,
    choice_option,
    example,
    gathered,
    options,
    refuse_idle,
)
from evalcore.cli.output import complain, emit, how_many, mention, progress_line, write_paper
from evalcore.cli.study_request import open_clean
from evalcore.features.synthetic.ablation import measured_ablation, sensitivity, substitute_ablation
from evalcore.features.synthetic.answers import (
    Answer,
    Vectors,
    copies_answer,
    distances_answer,
    score_answer,
    vectors_of,
)
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.read.files import People, bind_weights, parse_people, read_weights
from evalcore.features.synthetic.read.groups import (
    Material,
    absolute,
    read_groups,
    sources_of,
    suspected_copies,
)
from evalcore.features.synthetic.read.pictures import LEFT_OUT
from evalcore.features.synthetic.tables import ablation_table
from evalcore.features.synthetic.wsi import (
    CHANNELS,
    THERE,
    UNIFORM,
    Weights,
    WsiConfig,
    channels_of,
    concept_features,
    evaluate,
)
from evalcore.figures.frame import Drawn
from evalcore.figures.printed import PAPER
from evalcore.results.rows import Table
from evalcore.study.tables.files import parse_file
from evalcore.values.errors import InputError, Report

# Options that the commands share.


class Tolerance(click.ParamType[dict[str, Any]]):
    """Two quantiles, or a share of the mean such as 10%, as the settings they are."""

    name = "tolerance"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        text = str(value).strip()
        try:
            if text.endswith("%"):
                return {"within": float(text.removesuffix("%")) / 100}
            return {"quantiles": tuple(map(float, text.split(",")))}
        except ValueError:
            self.fail(
                f"{value!r} is neither two numbers such as 0.05,0.95 nor a share such as 10%.", param, ctx
            )


def _option(
    name: str, usual: Any = None, *, kind: Any = None, metavar: str | None = None, help: str
) -> Callable[[Command], Command]:
    shown = usual is not None
    return click.option(name, type=kind, default=usual, show_default=shown, metavar=metavar, help=help)


PATH_HELP = "A folder or zip of images, or a feature table ID,f1,f2."


@dataclass(frozen=True)
class Request:
    """The groups to compare: paths, how pictures are measured, and whether broken ones may be left out."""

    real: str
    generated: tuple[str, ...]
    images: ImageSettings
    broken: str

    @property
    def named(self) -> list[tuple[str, Path]]:
        """The real images and the groups, each with its name."""
        return [_named_path(text) for text in (self.real, *self.generated)]

    def material(self, vectors: Mapping[str, Path] | None = None) -> tuple[Material | None, Report]:
        """The groups measured, and every problem."""
        real, *groups = self.named
        sources = sources_of(real, groups, vectors)
        return read_groups(sources, settings=self.images, progress=progress_line())

    def usable(self, material: Material | None, report: Report) -> Material:
        """The groups where they can be compared; InputError with every error that is not lived with.

        Warnings, and broken images that may be left out, are mentioned.
        """
        errors = report.of_severity("error")
        drop = self.broken == "drop" and material is not None
        lived_with = [problem for problem in errors if drop and problem.rule in LEFT_OUT]
        for problem in [*report.of_severity("warning"), *lived_with]:
            complain(str(problem))
        left = Report.of([problem for problem in errors if problem not in lived_with])
        if left.total("error"):
            images = any(problem.rule in LEFT_OUT for problem in errors)
            hint = " --broken drop leaves images out that cannot be read." if images else ""
            raise InputError(f"The files have {how_many(left, 'error')}. Correct them.{hint}", left)
        assert material is not None, "there is an error where there is nothing to compare"
        return material


def _named_path(text: str) -> tuple[str, Path]:
    """The name and the path of a group."""
    name, equals, path = text.partition("=")
    if not (equals and name and path) or Path(text).exists():
        whole = absolute(Path(text))
        name, path = whole.stem if whole.is_file() else whole.name, text
    return name, Path(path)


IMAGE_OPTIONS = ("side", "channels", "planes")
_images = (
    _option(
        "--channels",
        "auto",
        kind=click.Choice(["auto", "grey"]),
        help="auto: red, green and blue where any image is in colour. grey: the luminance of all. "
        "Channels that a TIFF declares are measured separately.",
    ),
    _option(
        "--planes",
        "max",
        kind=click.Choice(["max", "mean", "each"]),
        help="Of a TIFF stack (slices, times): the largest value or the mean at every pixel, or each "
        "plane as an image of its own.",
    ),
)


def compared(side: int | None = None) -> Callable[[Command], Command]:
    """The groups and how pictures are measured, as a ``Request``; ``side``: the usual longer side."""

    def make(real: str, generated: tuple[str, ...], broken: str, **images: Any) -> Request:
        return Request(real, generated, ImageSettings(**images), broken)

    return gathered(
        "request",
        make,
        click.option("--real", required=True, metavar="[NAME=]PATH", help=f"The real images. {PATH_HELP}"),
        click.option(
            "--generated",
            multiple=True,
            required=True,
            metavar="[NAME=]PATH",
            help="A group of images: generated ones, likewise. Repeat for several.",
        ),
        _option(
            "--side",
            side,
            kind=Whole(),
            metavar="PIXELS",
            help="Scale images so that the longer side is this long.",
        ),
        *_images,
        _option(
            "--broken",
            "error",
            kind=click.Choice(["error", "drop"]),
            help="Images that cannot be read: an error, or left out.",
        ),
    )


def configured(*more: Any, n_resamples: int | None = None) -> Callable[[Command], Command]:
    """alpha, beta, tolerance, seed and ``more`` as a ``WsiConfig``."""

    def make(wsi_alpha: float, wsi_beta: float, quantiles: dict[str, Any], **rest: Any) -> WsiConfig:
        chosen = {name: value for name, value in rest.items() if value is not None}
        return WsiConfig(alpha=wsi_alpha, beta=wsi_beta, **quantiles, **chosen)

    return gathered(
        "config",
        make,
        _option("--wsi-alpha", 1.0, kind=Number(0), help="Weight of what only the generated image has."),
        _option("--wsi-beta", 1.0, kind=Number(0), help="Weight of what only the real one has."),
        _option(
            "--quantiles",
            "0.05,0.95",
            kind=Tolerance(),
            metavar="LOW,HIGH|P%",
            help="Ends of the tolerance of each feature, as quantiles of the real images; or 10%: their "
            "mean -10% to +10%.",
        ),
        choice_option("seed"),
        *more,
        *([] if n_resamples is None else [_resamples("n_resamples", n_resamples, "of the bootstrap")]),
    )


def _resamples(name: str, usual: int, of: str) -> Callable[[Command], Command]:
    kind = Whole(1, 100_000)
    return click.option(
        "--resamples", name, type=kind, default=usual, show_default=True, help=f"Resamples: {of}."
    )


FEATURE_WEIGHTS = _option(
    "--feature-weights",
    UNIFORM,
    metavar="uniform|channels|FILE",
    help="channels: every channel (the name before the first dot) has the same weight. FILE: feature,weight.",
)
VECTORS = options(
    click.option(
        "--vectors",
        multiple=True,
        metavar="[NAME=]FILE",
        help="Vectors (npz, parquet) of a group, or of the real images, by its name. Without any, the "
        "features themselves.",
    ),
    _option(
        "--resnet",
        metavar="FILE|default",
        help="Vectors by ResNet-18 from this weights file; default: resnet18-f37072fd.pth in the folder "
        "models of the workspace.",
    ),
)
PEOPLE = _option(
    "--people",
    metavar="FILE.csv",
    help="What people thought of the images: ID,rank (1 is the best) or ID,score (more is better), or of "
    "pairs: first,second,better; with a column rater for several people.",
)
LPIPS = _option(
    "--lpips",
    metavar="FOLDER|default",
    help="Also LPIPS of each image and its nearest real image; the folder contains hub/checkpoints/ with "
    "the weights of AlexNet. Needs the packages lpips and torchvision.",
)


def _weights(how: str, material: Material | None) -> tuple[Weights, Report]:
    """The weights by name or from a file."""
    if how in (UNIFORM, CHANNELS):
        return how, Report()
    rows, report = read_weights(Path(how))
    if material is None or report.total("error"):
        return UNIFORM, report
    weights, more = bind_weights(rows, material.real.features.columns)
    return weights, report + more


def _vectors(request: Request, files: Sequence[str], resnet: str | None) -> tuple[Material, Vectors]:
    """The groups with their vectors."""
    paths, names = dict(map(_named_path, files)), [name for name, _ in request.named]
    if unknown := sorted(set(paths) - set(names)):
        raise InputError(f"--vectors names {unknown[0]!r}, which is no group. There are: {', '.join(names)}.")
    material = request.usable(*request.material(paths))
    for group in material.everyone:
        if group.vectors is not None and (lost := int(np.isnan(group.vectors).all(axis=1).sum())):
            complain(
                f"{group.name}: {lost:,} of {len(group.vectors):,} images have no vector; they are left out."
            )
    return material, vectors_of(material, resnet, progress=progress_line())


def _people(path: str | None) -> People | None:
    if path is None:
        return None
    people, report = parse_file(parse_people, Path(path), None)
    if report.total("error"):
        raise InputError(f"The files have {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    return people


def _emit(answer: Answer, csv_path: str | None, json_wanted: bool) -> None:
    shown = [*answer.lead, "", *answer.shown]
    emit(answer.document, shown, json=json_wanted, csv=csv_path, csv_rows=answer.csv)


# The commands.


@example("synthetic score --real real --generated gan=generated --side 64")
@click.command()
@compared()
@click.option(
    "--concepts",
    is_flag=True,
    help="The paths are study folders, and the features of an image are its concepts.",
)
@configured(
    _option(
        "--archetype",
        kind=click.Choice(["tolerance", "each"]),
        help="tolerance: one archetype with every feature. each: every real image, and the mean over "
        "them. By default tolerance; each with --concepts.",
    ),
    click.option(
        "--neither",
        "undefined",
        type=click.Choice(["nan", "zero", "one"]),
        default="nan",
        show_default=True,
        help="The value where neither has any feature.",
    ),
    _option(
        "--missing",
        "skip",
        kind=click.Choice(["skip", "absent"]),
        help="A feature that was not measured: does not count, or counts as absent.",
    ),
    choice_option("level"),
    n_resamples=1_000,
)
@FEATURE_WEIGHTS
@click.option(
    "--sensitivity",
    "vary",
    is_flag=True,
    help="Also: group means over alpha and beta, tolerances, weights, and without each feature and channel.",
)
@_option(
    "--top",
    20,
    kind=Whole(0),
    help="Rows listed: subjects and features, 0 for all; JSON and CSV contain all.",
)
@as_csv("the subjects.")
@as_json
def score(
    request: Request,
    config: WsiConfig,
    concepts: bool,
    feature_weights: str,
    vary: bool,
    top: int,
    csv_path: str | None,
    json_wanted: bool,
) -> None:
    """How similar are generated images to real ones?

    Weighted Tversky similarity of the features they share. A feature is present when it is within the
    tolerance of the real images (the archetypes). With the weights of the features that both have (C), only
    the generated image has (U) and only the archetype has (V), WSI = C / (C + alpha U + beta V); Brooks &
    Deshpande 2025, arXiv 2503.22658.
    """
    if concepts:
        refuse_idle(False, *IMAGE_OPTIONS, "quantiles", "missing", "broken", because="features are concepts")
        if (
            click.get_current_context().get_parameter_source("archetype")
            is not click.core.ParameterSource.COMMANDLINE
        ):
            config = replace(config, archetype="each")
        answer = _score_concepts(request, replace(config, bounds=THERE), feature_weights, vary, top)
    else:
        material, report = request.material()
        weights, more = _weights(feature_weights, material)
        groups = request.usable(material, report + more)
        if all(group.pictures is None for group in groups.everyone):
            refuse_idle(False, *IMAGE_OPTIONS, "broken", because="there are feature tables only")
        answer = _score_images(request, groups, config, weights, feature_weights, vary, top)
    if not json_wanted:
        mention(answer.remarks)
    _emit(answer, csv_path, json_wanted)


def _score_images(
    request: Request,
    groups: Material,
    config: WsiConfig,
    weights: Weights,
    weighed: str,
    vary: bool,
    top: int = 20,
) -> Answer:
    real, name = groups.real.features, groups.real.name
    of = evaluate(real, groups.tables, name=name, weights=weights, config=config)
    settings = steps = None
    if vary:
        settings = sensitivity(
            real, groups.tables, name=name, weights=weights, config=config, progress=progress_line()
        )
        several = groups.with_pictures and len(channels_of(real.columns).unique()) > 1
        steps = {
            group: measured_ablation(real, table, settings=request.images, weights=weights, config=config)
            for group, table in (groups.tables if several else {}).items()
        }
    return score_answer(
        of,
        groups.all_tables,
        images=request.images if any(group.pictures is not None for group in groups.everyone) else None,
        left_out={group.name: group.left_out for group in groups.everyone},
        weights=weighed,
        suspected=suspected_copies(groups, progress=progress_line()),
        settings=settings,
        steps=steps,
        top=top,
    )


def _score_concepts(request: Request, config: WsiConfig, weighed: str, vary: bool, top: int) -> Answer:
    sets = {name: open_clean(str(path), "error").concepts for name, path in request.named}
    tables = concept_features(sets)
    (name, real), *others = tables.items()
    weights: Weights = weighed
    if weighed not in (UNIFORM, CHANNELS):
        rows, report = read_weights(Path(weighed))
        weights, more = bind_weights(rows, real.columns)
        if (report + more).total("error"):
            raise InputError(
                f"The files have {how_many(report + more, 'error')}. Correct them.", report + more
            )
    of = evaluate(real, dict(others), name=name, weights=weights, config=config)
    settings = None
    if vary:
        settings = sensitivity(
            real, dict(others), name=name, weights=weights, config=config, progress=progress_line()
        )
    return score_answer(of, tables, weights=weighed, settings=settings, top=top)


@example("synthetic copies --real real --generated gan=generated --side 64")
@click.command()
@compared(side=256)
@VECTORS
@configured()
@_resamples("resamples", 999, "relabellings of the tests and resamples of the intervals")
@_option(
    "--near",
    16,
    kind=Whole(0, 256),
    help="Bits of 256 that may differ: in the perceptual hashes of near-duplicate pictures.",
)
@as_csv("the nearest real image of each image.")
@as_json
def copies(
    request: Request,
    config: WsiConfig,
    vectors: Sequence[str],
    resnet: str | None,
    resamples: int,
    near: int,
    csv_path: str | None,
    json_wanted: bool,
) -> None:
    """Does a generator repeat itself, or copy images?

    The real images are those it was trained on. Self-similarity: mean WSI of all pairs of generated images,
    compared with that of the training images; a pair takes the mean of both directions. Nearest training
    image: how near each generated image is, compared with how near training images are to each other.
    Tested by relabelling images, p = (b + 1) / (n + 1), one-sided; intervals by bootstrap over images.
    """
    material, held = _vectors(request, vectors, resnet)
    answer = copies_answer(
        material, held, config=config, n_resamples=resamples, near=near, progress=progress_line()
    )
    _emit(answer, csv_path, json_wanted)


@example("synthetic distances --real real --generated gan=generated --side 64")
@click.command()
@compared(side=256)
@VECTORS
@PEOPLE
@LPIPS
@choice_option("seed")
@as_csv("every score of every image.")
@as_json
def distances(
    request: Request,
    vectors: Sequence[str],
    resnet: str | None,
    people: str | None,
    lpips: str | None,
    seed: int,
    csv_path: str | None,
    json_wanted: bool,
) -> None:
    """How far is each group from the real images?

    KL divergence both ways, Frechet and Mahalanobis distance, precision and recall, density and coverage,
    and KID, by vectors of the images (your own, ResNet-18's, or the features themselves); covariances are
    shrunk by Ledoit and Wolf where a group has no more images than vectors have numbers. The distances of
    random halves of the real images are the yardstick. Agreement: Spearman's rho of all scores of the
    images, with each other and with the ratings of people; of pairs that people judged, the share about
    which each score agrees and the confusion matrix.
    """
    material, held = _vectors(request, vectors, resnet)
    thought = _people(people)
    answer = distances_answer(
        material, held, people=thought, lpips=lpips, seed=seed, progress=progress_line()
    )
    _emit(answer, csv_path, json_wanted)


@example("synthetic paper --real real --generated gan=generated --side 64 --out paper")
@click.command()
@compared(side=256)
@VECTORS
@configured()
@FEATURE_WEIGHTS
@PEOPLE
@LPIPS
@_resamples("resamples", 999, "relabellings, and resamples of the intervals")
@_option("--substitutes", 200, kind=Whole(2, 5_000), help="Drawn images that lose channels.")
@click.option(
    "--out", required=True, metavar="FOLDER", help="Where to write: a folder for tables (CSV), figures (SVG)."
)
def paper(
    request: Request,
    config: WsiConfig,
    vectors: Sequence[str],
    resnet: str | None,
    feature_weights: str,
    people: str | None,
    lpips: str | None,
    resamples: int,
    substitutes: int,
    out: str,
) -> None:
    """Every table and figure of the paper, from your images.

    Scores, features and what the settings decide; self-similarity and copies; distances, and agreement with
    people (Brooks & Deshpande 2025, arXiv 2503.22658). Channels are taken away from your images, where they
    have several, and from drawn ones: discs in three channels, as in fluorescence microscopy, in place of
    the paper's, which are not defined in what is published of it.
    """
    material, held = _vectors(request, vectors, resnet)
    weights, report = _weights(feature_weights, material)
    request.usable(material, report)
    thought, progress = _people(people), progress_line()
    config = replace(config, n_resamples=resamples)
    answers = (
        _score_images(request, material, config, weights, feature_weights, True),
        copies_answer(material, held, config=config, n_resamples=resamples, progress=progress),
        distances_answer(material, held, people=thought, lpips=lpips, seed=config.seed, progress=progress),
    )
    within = replace(config, quantiles=(0.0, 1.0), within=None)
    tables: dict[str, Table] = {
        "substitutes": ablation_table(substitute_ablation(substitutes, config=config)),
        "substitutes-ideal": ablation_table(substitute_ablation(substitutes, themselves=True, config=within)),
    }
    drawn: dict[str, Drawn] = {}
    for answer in answers:
        tables |= answer.tables
        drawn |= {name: figure for name, figure in answer.figures(PAPER).items() if not figure.constant}
    mention(answers[0].remarks)
    for line in (line for answer in answers for line in answer.lead):
        click.echo(line)
    write_paper(out, tables, drawn)
