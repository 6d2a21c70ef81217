"""``synthetic score|copies|distances|paper``: generated images against real ones."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from evalcore.cli.options import (
    Command,
    as_csv,
    as_json,
    choice_option,
    example,
    field_options,
    grouped_options,
    option,
    reject_unused,
)
from evalcore.cli.output import emit, how_many, mention, progress_line, write_paper
from evalcore.features.synthetic.answer_copies import copies_answer
from evalcore.features.synthetic.answer_distances import distances_answer
from evalcore.features.synthetic.answer_scores import score_answer, settings_answer
from evalcore.features.synthetic.answers import Answer, Compared
from evalcore.features.synthetic.files import parse_weights
from evalcore.features.synthetic.groups import read_groups, source_of
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.people import parse_pairs
from evalcore.features.synthetic.wsi import CHANNELS, UNIFORM, WsiConfig
from evalcore.figures.printed import PAPER
from evalcore.values.errors import InputError, Report

# What is compared, and how: options that the commands share.


def compared(*more: Any) -> Callable[[Command], Command]:
    """The groups, how they are measured, and what decides their scores, as a `Compared`; ``more``: further
    options of it or of its `WsiConfig`."""
    path = "A folder or zip of images, or a feature table ID,f1,f2."
    return grouped_options(
        "request",
        _read,
        option("--real", required=True, metavar="[NAME=]PATH", help=f"The real images. {path}"),
        option(
            "--generated",
            multiple=True,
            required=True,
            metavar="[NAME=]PATH",
            help="A group of images: generated ones, likewise. Repeat for several.",
        ),
        *field_options(ImageSettings, "side", "channels"),
        option(
            "--feature-weights",
            usual=UNIFORM,
            metavar="uniform|channels|FILE",
            help="channels: every channel (the name before the first dot) has the same weight. FILE: "
            "feature,weight.",
        ),
        *field_options(WsiConfig, "alpha", "beta"),
        option(
            "--quantiles",
            usual="0.05,0.95",
            callback=_tolerance,
            metavar="LOW,HIGH|P%",
            help="Ends of the tolerance of each feature, as quantiles of the real images; or 10%: their "
            "mean -10% to +10%.",
        ),
        choice_option("seed"),
        *more,
    )


def _read(
    real: str,
    generated: tuple[str, ...],
    side: int,
    channels: Any,
    feature_weights: str,
    quantiles: dict[str, Any],
    resnet: str | None = None,
    people: str | None = None,
    lpips: str | None = None,
    **more: Any,
) -> Compared:
    """The groups, measured, without images and rows that cannot be read, which are mentioned.

    InputError with every error where a whole group is lost, or a weight or judgment is wrong.
    """
    config = WsiConfig(**quantiles, **more)
    images, paths, progress = ImageSettings(side, channels), _named_paths([real, *generated]), progress_line()
    sources = [source_of(name, path) for name, path in paths.items()]
    if all(source.features is not None for source in sources):
        reject_unused(False, "side", "channels", because="there are feature tables only")
    material, report = read_groups(sources, settings=images, progress=progress)
    weights: Any = feature_weights
    pairs: Any = ()
    of_files = Report()
    if feature_weights not in (UNIFORM, CHANNELS):
        names = material and material.features[material.real].columns
        weights, problems = parse_weights(Path(feature_weights), names=names)
        of_files += problems
    if people is not None:
        pairs, problems = parse_pairs(Path(people))
        of_files += problems
    report += of_files
    errors = Report.of(report.of_severity("error"))
    mention(Report.of(report.of_severity("warning")))
    if material is None or len(material.features) < len(sources) or of_files.total("error"):
        raise InputError(f"The files have {how_many(errors, 'error')}. Correct them.", errors)
    mention(errors)
    return Compared(material, config, weights, images, pairs or (), resnet, lpips, progress)


def _named_paths(texts: Sequence[str]) -> dict[str, Path]:
    """Paths by the names of groups: NAME=PATH, or that of the file or folder without its ending."""
    result: dict[str, Path] = {}
    for text in texts:
        if not text.strip():
            raise InputError("A path is empty. Give a folder or zip of images, or a feature table.")
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
            return {"within": WsiConfig(within=float(text.removesuffix("%")) / 100).within}
        return {"quantiles": tuple(map(float, text.split(",")))}
    except ValueError:
        message = f"{value!r} is neither two numbers such as 0.05,0.95 nor a share of 0 to 100%, such as 10%."
        raise click.BadParameter(message) from None


ARCHETYPE = field_options(WsiConfig, "archetype")
INTERVALS = field_options(WsiConfig, "level", "n_resamples")
RESNET = option(
    "--resnet",
    metavar="FILE|default",
    help="Vectors by ResNet-18 from this weights file, in place of the features; default: "
    "resnet18-f37072fd.pth in the folder models of the workspace.",
)
PEOPLE = (
    option(
        "--people",
        metavar="FILE.csv",
        help="Which of two images people prefer: first,second,better (an id or tie); with a column "
        "rater for several people.",
    ),
    option(
        "--lpips",
        metavar="FOLDER|default",
        help="Also LPIPS of each image and its nearest real image; the folder contains hub/checkpoints/ with "
        "the weights of AlexNet. Needs the packages lpips and torchvision.",
    ),
)


def _emit(answers: Sequence[Answer], rows: str, csv_path: str | None, json_wanted: bool) -> None:
    """Print answers; ``rows``: the key of the table that goes into a file, one of the first answer."""
    facts = {name: fact for answer in answers for name, fact in answer.facts.items()}
    items = [item for answer in answers for item in answer.items()]
    if not json_wanted:
        mention(answers[0].remarks)
    emit(facts, items, json=json_wanted, csv=csv_path, csv_rows=answers[0].part(rows).table)


# The commands.


@example("synthetic score --real real --generated gan=generated --side 64", own_files=True)
@click.command()
@compared(*ARCHETYPE, *INTERVALS)
@option(
    "--sensitivity",
    "vary",
    is_flag=True,
    help="Also: group means over alpha and beta, tolerances, weights, and without each feature and channel.",
)
@as_csv("the images.")
@as_json
def score(request: Compared, vary: bool, csv_path: str | None, json_wanted: bool) -> None:
    """How similar are generated images to real ones?

    Weighted Tversky similarity of the features they share. A feature is present when it is within the
    tolerance of the real images (the archetypes). With the weights of the features that both have (C), only
    the generated image has (U) and only the archetype has (V), WSI = C / (C + alpha U + beta V); Brooks &
    Deshpande 2025, arXiv 2503.22658.
    """
    answers = [score_answer(request), *([settings_answer(request)] if vary else [])]
    _emit(answers, "images", csv_path, json_wanted)


@example("synthetic copies --real real --generated gan=generated --side 64", own_files=True)
@click.command()
@compared(RESNET)
@as_csv("the nearest real image of each image.")
@as_json
def copies(request: Compared, csv_path: str | None, json_wanted: bool) -> None:
    """Does a generator repeat itself, or copy images?

    The real images are those it was trained on. Self-similarity: mean WSI of all pairs of generated images,
    beside that of the training images; a pair takes the mean of both directions. Nearest training image: how
    near each generated image is, beside how near training images are to each other. And pictures with almost
    the same perceptual hash.
    """
    _emit([copies_answer(request)], "nearest", csv_path, json_wanted)


@example("synthetic distances --real real --generated gan=generated --side 64", own_files=True)
@click.command()
@compared(*ARCHETYPE, RESNET, *PEOPLE)
@as_csv("every score of every image.")
@as_json
def distances(request: Compared, csv_path: str | None, json_wanted: bool) -> None:
    """How far is each group from the real images?

    KL divergence both ways, Frechet and Mahalanobis distance, precision and recall, density and coverage,
    and KID, by vectors of the images (ResNet-18's, or the features themselves); covariances are shrunk by
    Ledoit and Wolf where a group has no more images than vectors have numbers. One half of the real images
    against the other is what no generator can be expected to beat. Of pairs that people judged: the share
    about which each score of the images agrees, and the confusion matrix.
    """
    _emit([distances_answer(request)], "image_scores", csv_path, json_wanted)


@example("synthetic paper --real real --generated gan=generated --side 64 --out paper", own_files=True)
@click.command()
@compared(*ARCHETYPE, *INTERVALS, RESNET, *PEOPLE)
@option("--out", required=True, metavar="FOLDER", help="Where to write: the files; made if missing.")
def paper(request: Compared, out: str) -> None:
    """Write every table and figure of the paper.

    What score --sensitivity, copies and distances compute of these images, as CSV and SVG; Brooks &
    Deshpande 2025, arXiv 2503.22658.
    """
    questions = (score_answer, settings_answer, copies_answer, distances_answer)
    answers = [answer(request) for answer in questions]
    mention(answers[0].remarks)
    parts = [part for answer in answers for part in answer.parts]
    drawn = {name: figure for part in parts for name, figure in part.figures(PAPER).items()}
    write_paper(out, {part.file: part.table for part in parts}, drawn)
    emit({}, [line for answer in answers for line in answer.lead], json=False)
