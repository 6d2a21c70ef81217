"""``synthetic score|distances|copies``: generated images against real ones."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from evalcore.cli.options import (
    Command,
    Number,
    Whole,
    as_csv,
    as_json,
    choice_option,
    example,
    grouped_options,
    options,
    reject_unused,
)
from evalcore.cli.output import emit, how_many, mention, print_message, progress_line, write_paper
from evalcore.features.synthetic.ablation import measured_ablation, sensitivity
from evalcore.features.synthetic.answers import (
    Answer,
    copies_answer,
    distances_answer,
    score_answer,
    vectors_of,
)
from evalcore.features.synthetic.files import People, bind_weights, parse_people, parse_weights
from evalcore.features.synthetic.groups import LEFT_OUT, Material, read_groups, source_of, suspected_copies
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.wsi import CHANNELS, UNIFORM, Weights, WsiConfig, evaluate
from evalcore.figures.frame import Drawn
from evalcore.figures.printed import PAPER
from evalcore.results.rows import Table
from evalcore.study.tables.files import parse_file
from evalcore.values.errors import InputError, Report

# What is compared, and how: options that the commands share.


@dataclass(frozen=True)
class Request:
    """The groups to compare by (name, path), real images first, how pictures are measured, and whether
    broken ones may be left out."""

    groups: tuple[tuple[str, Path], ...]
    images: ImageSettings
    broken: str

    def material(self, weights: str = UNIFORM, vectors: Sequence[str] = ()) -> tuple[Material, Weights]:
        """The groups with their vectors where they can be compared, and the weights of their features.

        InputError with every error that is not lived with; warnings, and broken images that may be left out,
        are mentioned.
        """
        files, names = _named_paths(vectors), [name for name, _ in self.groups]
        if unknown := sorted(set(files) - set(names)):
            there = f"There are: {', '.join(names)}."
            raise InputError(f"--vectors names {unknown[0]!r}, which is no group. {there}")
        sources = [source_of(name, path, files.get(name)) for name, path in self.groups]
        material, report = read_groups(sources, settings=self.images, progress=progress_line())
        used, more = _weights(weights, material and material.real.features.columns)
        report += more
        errors = report.of_severity("error")
        drop = self.broken == "drop" and material is not None
        lived_with = [problem for problem in errors if drop and problem.rule in LEFT_OUT]
        for problem in [*report.of_severity("warning"), *lived_with]:
            print_message(str(problem))
        images = any(problem.rule in LEFT_OUT for problem in errors)
        hint = " --broken drop leaves images out that cannot be read." if images else ""
        _refuse(Report.of([problem for problem in errors if problem not in lived_with]), hint)
        assert material is not None, "there is an error where there is nothing to compare"
        for group in material.everyone:
            if group.vectors is not None and (lost := int(np.isnan(group.vectors).all(axis=1).sum())):
                lacking = f"{lost:,} of {len(group.vectors):,} images have no vector"
                print_message(f"{group.name}: {lacking}; they are left out.")
        return material, used


def _refuse(report: Report, hint: str = "") -> None:
    """InputError where a report has errors."""
    if report.total("error"):
        raise InputError(f"The files have {how_many(report, 'error')}. Correct them.{hint}", report)


def _named_paths(texts: Sequence[str]) -> dict[str, Path]:
    """Paths by the names of groups: NAME=PATH, or that of the file or folder without its ending."""
    result: dict[str, Path] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not (equals and name and path) or Path(text).exists():
            whole = Path(os.path.abspath(text))  # noqa: PTH100 -- a link keeps its own name
            name, path = whole.stem if whole.is_file() else whole.name, text
        if name in result:
            raise InputError(f"Two groups are called {name!r}: {result[name]} and {path}. Write NAME=PATH.")
        result[name] = Path(path)
    return result


def _tolerance(_ctx: click.Context, _option: click.Parameter, value: str) -> dict[str, Any]:
    """Two quantiles, or a share of the mean such as 10%, as the settings they are."""
    text = value.strip()
    try:
        if text.endswith("%"):
            return {"within": float(text.removesuffix("%")) / 100}
        return {"quantiles": tuple(map(float, text.split(",")))}
    except ValueError:
        message = f"{value!r} is neither two numbers such as 0.05,0.95 nor a share such as 10%."
        raise click.BadParameter(message) from None


def _option(name: str, usual: Any = None, *, help: str, **more: Any) -> Callable[[Command], Command]:
    return click.option(name, default=usual, show_default=usual is not None, help=help, **more)


def _one_of(*names: str) -> click.Choice[str]:
    return click.Choice(names)


IMAGE_OPTIONS = ("side", "channels", "planes")


def compared(side: int | None = None) -> Callable[[Command], Command]:
    """The groups and how pictures are measured, as a ``Request``; ``side``: the usual longer side."""

    def make(real: str, generated: tuple[str, ...], broken: str, **images: Any) -> Request:
        return Request(tuple(_named_paths([real, *generated]).items()), ImageSettings(**images), broken)

    path = "A folder or zip of images, or a feature table ID,f1,f2."
    return grouped_options(
        "request",
        make,
        click.option("--real", required=True, metavar="[NAME=]PATH", help=f"The real images. {path}"),
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
            type=Whole(),
            metavar="PIXELS",
            help="Scale images so that the longer side is this long.",
        ),
        _option(
            "--channels",
            "auto",
            type=_one_of("auto", "grey"),
            help="auto: red, green and blue where any image is in colour. grey: the luminance of all. "
            "Channels that a TIFF declares are measured separately.",
        ),
        _option(
            "--planes",
            "max",
            type=_one_of("max", "mean"),
            help="Of a TIFF stack (slices, times): the largest value or the mean at every pixel.",
        ),
        _option(
            "--broken",
            "error",
            type=_one_of("error", "drop"),
            help="Images that cannot be read: an error, or left out.",
        ),
    )


def configured(*more: Any) -> Callable[[Command], Command]:
    """alpha, beta, tolerance, seed and ``more`` as a ``WsiConfig``."""

    def make(wsi_alpha: float, wsi_beta: float, quantiles: dict[str, Any], **rest: Any) -> WsiConfig:
        return WsiConfig(alpha=wsi_alpha, beta=wsi_beta, **quantiles, **rest)

    return grouped_options(
        "config",
        make,
        _option("--wsi-alpha", 1.0, type=Number(0), help="Weight of what only the generated image has."),
        _option("--wsi-beta", 1.0, type=Number(0), help="Weight of what only the real one has."),
        _option(
            "--quantiles",
            "0.05,0.95",
            callback=_tolerance,
            metavar="LOW,HIGH|P%",
            help="Ends of the tolerance of each feature, as quantiles of the real images; or 10%: their "
            "mean -10% to +10%.",
        ),
        choice_option("seed"),
        *more,
    )


def _resamples(usual: int, name: str = "n_resamples") -> Callable[[Command], Command]:
    text = "Resamples: of the intervals, and relabellings of the tests."
    return click.option(
        "--resamples", name, type=Whole(1, 100_000), default=usual, show_default=True, help=text
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
AGAINST_PEOPLE = options(
    _option(
        "--people",
        metavar="FILE.csv",
        help="What people thought of the images: ID,rank (1 is the best) or ID,score (more is better), or of "
        "pairs: first,second,better; with a column rater for several people.",
    ),
    _option(
        "--lpips",
        metavar="FOLDER|default",
        help="Also LPIPS of each image and its nearest real image; the folder contains hub/checkpoints/ with "
        "the weights of AlexNet. Needs the packages lpips and torchvision.",
    ),
)


def _weights(how: str, names: pd.Index | None) -> tuple[Weights, Report]:
    """The weights by name or from a file, of features of these names."""
    if how in (UNIFORM, CHANNELS):
        return how, Report()
    rows, report = parse_file(parse_weights, Path(how), None)
    if rows is None or names is None:
        return UNIFORM, report
    weights, more = bind_weights(rows, names)
    return weights, report + more


def _people(path: str | None) -> People | None:
    judged, report = (None, Report()) if path is None else parse_file(parse_people, Path(path), None)
    _refuse(report)
    mention(report)
    return judged


def _emit(answer: Answer, csv_path: str | None, json_wanted: bool) -> None:
    if not json_wanted:
        mention(answer.remarks)
    rows = answer.part(answer.csv).table
    emit(answer.facts, answer.items(), json=json_wanted, csv=csv_path, csv_rows=rows)


# The commands.


@example("synthetic score --real real --generated gan=generated --side 64")
@click.command()
@compared()
@configured(
    _option(
        "--archetype",
        "tolerance",
        type=_one_of("tolerance", "each"),
        help="tolerance: one archetype with every feature. each: every real image, and the mean over them.",
    ),
    choice_option("level"),
    _resamples(1_000),
)
@FEATURE_WEIGHTS
@click.option(
    "--sensitivity",
    "vary",
    is_flag=True,
    help="Also: group means over alpha and beta, tolerances, weights, and without each feature and channel.",
)
@click.option(
    "--paper",
    metavar="FOLDER",
    help="Also every table (CSV) and figure (SVG) of the paper, into this folder.",
)
@VECTORS
@AGAINST_PEOPLE
@_option(
    "--top", 20, type=Whole(0), help="Rows listed: images and features, 0 for all; JSON and CSV contain all."
)
@as_csv("the images.")
@as_json
def score(
    request: Request,
    config: WsiConfig,
    feature_weights: str,
    vary: bool,
    paper: str | None,
    vectors: Sequence[str],
    resnet: str | None,
    people: str | None,
    lpips: str | None,
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
    if not paper:
        reject_unused(False, "vectors", "resnet", "people", "lpips", because="they are for --paper")
    groups, weights = request.material(feature_weights, vectors)
    pictures = any(group.pictures is not None for group in groups.everyone)
    if not pictures:
        reject_unused(False, *IMAGE_OPTIONS, "broken", because="there are feature tables only")
    (name, real), *others = groups.tables.items()
    evaluation, progress = (
        evaluate(real, dict(others), name=name, weights=weights, config=config),
        progress_line(),
    )
    settings = channels = None
    if vary or paper:
        settings = sensitivity(evaluation.tables, weights=weights, config=config, progress=progress)
        if groups.with_pictures:
            channels = measured_ablation(evaluation.tables, request.images, weights=weights, config=config)
    answer = score_answer(
        evaluation,
        images=request.images if pictures else None,
        left_out={group.name: group.left_out for group in groups.everyone},
        weights=feature_weights,
        suspected=suspected_copies(groups, progress=progress),
        settings=settings,
        channels=channels,
        top=top,
    )
    if paper:
        judged, n, held = _people(people), config.n_resamples, vectors_of(groups, resnet, progress=progress)
        answers = (
            answer,
            copies_answer(groups, held, config=config, n_resamples=n, progress=progress),
            distances_answer(groups, held, judged=judged, lpips=lpips, seed=config.seed, progress=progress),
        )
        tables: dict[str, Table] = {}
        drawn: dict[str, Drawn] = {}
        for each in answers:
            tables |= each.tables
            drawn |= {name: figure for name, figure in each.figures(PAPER).items() if not figure.constant}
        write_paper(paper, tables, drawn)
        answer = answer._replace(lead=[line for each in answers for line in each.lead])
    _emit(answer, csv_path, json_wanted)


@example("synthetic copies --real real --generated gan=generated --side 64")
@click.command()
@compared(side=256)
@VECTORS
@configured()
@_resamples(999, "resamples")
@_option(
    "--near",
    16,
    type=Whole(0, 256),
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
    material, _ = request.material(vectors=vectors)
    progress = progress_line()
    held = vectors_of(material, resnet, progress=progress)
    answer = copies_answer(material, held, config=config, n_resamples=resamples, near=near, progress=progress)
    _emit(answer, csv_path, json_wanted)


@example("synthetic distances --real real --generated gan=generated --side 64")
@click.command()
@compared(side=256)
@VECTORS
@AGAINST_PEOPLE
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
    material, _ = request.material(vectors=vectors)
    judged, progress = _people(people), progress_line()
    held = vectors_of(material, resnet, progress=progress)
    answer = distances_answer(material, held, judged=judged, lpips=lpips, seed=seed, progress=progress)
    _emit(answer, csv_path, json_wanted)
