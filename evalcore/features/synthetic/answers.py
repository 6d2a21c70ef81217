"""The questions about groups of images, each answered by a few sentences, tables and figures: commands print
them or write them into files, and the page draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.evaluate.duplicates import NEAR
from evalcore.features.synthetic import copies, distances, figures, networks, tables
from evalcore.features.synthetic.groups import Material
from evalcore.features.synthetic.measure import ImageSettings, black, plain_name
from evalcore.features.synthetic.people import PairJudgment, agreement
from evalcore.features.synthetic.wsi import (
    ALPHA_BETA,
    LEVEL,
    METHOD,
    SHARE,
    SIDES,
    WITHOUT,
    Evaluation,
    GroupScore,
    Weights,
    WsiConfig,
    channel_ablation,
    channels_of,
    evaluate,
    finite,
    sensitivity,
)
from evalcore.figures.frame import Drawn
from evalcore.figures.theme import Theme
from evalcore.results.rows import Table, named
from evalcore.stats.levels import SAME
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import listed, number, pluralize, upper_first

if TYPE_CHECKING:
    from evalcore.cli.output import Item

PRINTED = 20
"""Rows of images and of features in the terminal."""


class Part(NamedTuple):
    """A table of an answer with its figures.

    key: its name in JSON; files write it with dashes. title: above it in the terminal and on the page, "" for
    a table that is in files only. first: its rows in the order for people, where it is another; the terminal
    prints the first of them. note: below it, plain text. figures: by the names of their files.
    """

    key: str
    table: Table
    title: str = ""
    first: Sequence[Any] | None = None
    note: str = ""
    figures: Callable[[Theme], Mapping[str, Drawn]] = lambda _: {}

    @property
    def file(self) -> str:
        return self.key.replace("_", "-")


class Answer(NamedTuple):
    """A question, answered: ``lead`` in a few sentences of plain text; ``facts`` of JSON; its parts."""

    lead: list[str]
    facts: dict[str, Any]
    parts: list[Part]
    remarks: Report = Report()

    def part(self, key: str) -> Part:
        """The part of a key."""
        return next(part for part in self.parts if part.key == key)

    def items(self) -> Iterator[Item]:
        """For `emit`: everything that is printed, in its order."""
        yield "\n".join(self.lead)
        for part in self.parts:
            yield {part.key: part.table}
            if part.title and part.table.rows:
                rows = part.table.rows if part.first is None else part.first[:PRINTED]
                some = f" ({len(rows):,} of {len(part.table.rows):,})" * (len(rows) < len(part.table.rows))
                yield f"\n{part.title}{some}:"
                yield part.table._replace(rows=rows)
                yield from filter(None, [part.note])


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared: measured groups, and everything that decides what is said of them.

    pairs: which of two images people found better. resnet: the weights of ResNet-18, lpips: the folder with
    those of LPIPS; "default" for those of the workspace. progress: of what takes time.
    """

    material: Material
    config: WsiConfig
    weights: Weights
    images: ImageSettings
    pairs: Sequence[PairJudgment] = ()
    resnet: str | None = None
    lpips: str | None = None
    progress: Progress = silent

    @cached_property
    def evaluation(self) -> Evaluation:
        return evaluate(self.material.features, weights=self.weights, config=self.config)

    @cached_property
    def near(self) -> list[copies.Copy]:
        """Pictures that are nearly the same as a real one."""
        return copies.near_copies(self.material.pictures, self.material.real, self.progress)

    @property
    def suspected(self) -> dict[str, list[str]]:
        """The images of each group that are near-identical to a real one."""
        return {
            group.name: list(dict.fromkeys(copy.generated for copy in self.near if copy.group == group.name))
            for group in self.evaluation.groups
        }

    @cached_property
    def vectors(self) -> tuple[dict[str, Floats], str]:
        """Of the images of every group, and what they are: by ResNet-18, or the features themselves.

        Raises InputError where what makes them is missing.
        """
        if self.resnet is None:
            vectors = distances.feature_vectors(self.material.features)
            return vectors, f"{vectors[self.material.real].shape[1]} features in spreads of the real images"
        vectors, n = {}, len(self.material.features)
        for i, group in enumerate(self.material.features):
            if group not in self.material.pictures:
                raise InputError(f"{group} has features only; ResNet-18 needs pictures.")
            pictures = self.material.pictures[group].all()
            vectors[group] = networks.resnet_vectors(pictures, self.resnet, part_of(self.progress, i, n))
        return vectors, "ResNet-18, average pool"


def score_answer(compared: Compared) -> Answer:
    """The scores of groups, and which features their images have."""
    evaluation, notes = compared.evaluation, remarks(compared.evaluation)
    images, features = tables.images_table(evaluation), tables.features_table(evaluation)
    lead = headline(evaluation, compared.suspected)
    worst = sorted(images.rows, key=lambda row: (np.nan_to_num(row["wsi"], nan=2), row["group"], row["ID"]))
    shares = {group.name: group.shares for group in evaluation.everyone}
    presence = pd.DataFrame(shares, list(map(plain_name, evaluation.names)))
    below = presence.iloc[:, 1:].sub(presence.iloc[:, 0], axis=0).fillna(2.0).min(axis=1).to_numpy()
    order = np.argsort(below, kind="stable")
    parts = [
        Part(
            "scores",
            tables.scores_table(evaluation),
            "Scores",
            note=_how_scored(compared),
            figures=lambda theme: {"scores": figures.score_rows(evaluation.rows, theme=theme)},
        ),
        Part(
            "features",
            features,
            "Features and who has them, furthest below the archetypes first",
            [features.rows[at] for at in order],
            figures=lambda theme: {"features": figures.presence_map(presence, theme=theme)},
        ),
        Part("images", images, "Images, lowest scores first", worst),
    ]
    settings = asdict(compared.config) | {
        "weights": compared.weights,
        "images": asdict(compared.images) if compared.material.pictures else None,
    }
    facts = {
        "settings": settings,
        "ci_method": METHOD,
        "headline": lead,
        "suspected_copies": compared.suspected,
        "remarks": [problem.as_dict() for problem in notes.problems],
    }
    return Answer(lead, facts, parts, notes)


def _how_scored(compared: Compared) -> str:
    evaluation, config = compared.evaluation, compared.config
    by = "each archetype image, and the mean over them"
    if config.archetype == "tolerance":
        by = "one archetype that has every feature (alpha decides nothing)"
    tolerance = f"quantiles {config.quantiles[0]:g} to {config.quantiles[1]:g}"
    if config.within is not None:
        tolerance = f"+-{config.within:.4g} of the mean"
    weights = compared.weights if isinstance(compared.weights, str) else "by name"
    return (
        f"WSI by {len(evaluation.names):,} features, alpha = {config.alpha:g}, beta = {config.beta:g}, "
        f"weights {weights}, against {by}. Tolerance: {tolerance} of {len(evaluation.archetypes.values):,} "
        f"archetype images. Intervals: {config.level:.0%}, {METHOD}, {config.n_resamples:,} resamples, seed "
        f"{config.seed}."
    )


MANY = 0.1
"""Share of suspected copies from which on a group's score is not compared with other groups'."""


def remarks(evaluation: Evaluation) -> Report:
    """Warnings about the features of the archetypes, and about what was not measured of whom."""
    real = evaluation.archetypes.name
    problems, values = Problems(real), pd.DataFrame(finite(evaluation.tables[real]))
    n, (low, high) = len(values), evaluation.config.quantiles
    tail = min(low, 1 - high) if evaluation.config.within is None else 0.0
    needed = 1 + ceil(round(1 / tail, 9)) if tail else 1  # else a quantile is beyond the second most extreme
    if n < needed:
        message = f"With {n} archetype images each tolerance depends on the outermost; {needed} are needed."
        problems.warning("few-archetypes", message, "Give more archetype images.")
    unknown, constant = np.isnan(evaluation.bounds[0]), (values.nunique() == 1).to_numpy() & (n > 1)
    checks = [
        (real, "no-tolerance", unknown, "no archetype image has a value; they do not count in any score"),
        (real, "constant-feature", constant, "all archetype images have the same value"),
    ]
    for group, table in evaluation.tables.items():
        for rule, cells_with, what in (
            ("not-measured", np.isnan, "was not measured, and does not count"),
            ("undefined-feature", np.isinf, "does not exist, and is out of tolerance"),
        ):
            cells = cells_with(table.to_numpy())
            some = f"in {cells.any(1).sum():,} of {len(cells):,} images the feature"
            checks.append((group, rule, cells.any(0), f"{some} {what}"))
    for group, rule, which, message in checks:
        if which.any():
            names = listed(list(evaluation.names[which]))
            problems.of(group).warning(rule, f"{names}: {message}.", "", count=int(which.sum()))
    return problems.report()


def headline(evaluation: Evaluation, suspected: Mapping[str, Sequence[str]]) -> list[str]:
    """The result in a few sentences of plain text.

    Suspected copies (by group) come first, and groups with many are not called like real images. Others
    follow, closest first, the score of held-out real images, where there are enough of them.
    """
    groups = [group for group in evaluation.groups if len(group.defined)]
    if not groups:
        return ["No image of these groups has a score: they share no feature with the real images."]
    shares = {group.name: len(suspected.get(group.name, ())) / len(group.values) for group in groups}
    lines, own = [], evaluation.baseline
    for name, copied in sorted(shares.items(), key=lambda pair: -pair[1]):
        if copied:
            n, of_all = len(suspected[name]), len(evaluation.tables[name])
            what = f"{n:,} of {of_all:,} images {'is' if n == 1 else 'are'} near-identical to a real image"
            proves = ", so its score says nothing about quality" if copied >= MANY else ""
            lines.append(f"{upper_first(name)}: {what}{proves}.")
    rest = [group for group in groups if shares[group.name] < MANY]
    rest.sort(key=lambda group: abs(group.mean - own.mean))
    is_out = evaluation.held_out is not None or evaluation.config.archetype == "each"
    scores = [f"{'Held-out real' if is_out else 'Real'} images score {number(own.mean)}"]
    scores += [f"{group.name} {number(group.mean)}" for group in rest]
    lines.append(f"{'; '.join(scores)}.")
    if above := [group.name for group in rest if group.low > own.high]:
        lines.append(f"Above real images: {', '.join(above)}. Look for copies and for little variety.")
    return lines


# Other settings.


def settings_answer(compared: Compared) -> Answer:
    """The mean score of each group under other settings, without each feature, and without channels."""
    evaluation, config, by_group = compared.evaluation, compared.config, compared.material.features
    means = sensitivity(by_group, weights=compared.weights, config=config, progress=compared.progress)
    sides = means.loc[ALPHA_BETA]
    sides.index = pd.MultiIndex.from_tuples(tuple(map(float, name.split(", "))) for name in sides.index)

    def drawn(theme: Theme) -> dict[str, Drawn]:
        """Over alpha and over beta, the other as it is (or 1), over the tolerance, and without features."""
        alpha, beta = (side if side in SIDES else 1.0 for side in (config.alpha, config.beta))
        level = config.quantiles[1] - config.quantiles[0] if config.within is None else None
        over = {
            "alpha": (sides.xs(beta, level=1), config.alpha, "alpha, the weight of what is extra"),
            "beta": (sides.xs(alpha, level=0), config.beta, "beta, the weight of what is missing"),
            "level": (means.loc[LEVEL], level, "the middle share of real images that is within"),
            "tolerance": (means.loc[SHARE], config.within, "tolerance as a share of the mean"),
        }
        if config.archetype == "tolerance":
            del over["alpha"]  # which decides nothing
        change = means.loc[WITHOUT] - [group.mean for group in evaluation.everyone]
        return {
            name: figures.setting_lines(table.rename(index=float), what=what, now=now, theme=theme)
            for name, (table, now, what) in over.items()
        } | {"without": figures.change_map(change.rename(index=plain_name), theme=theme)}

    title = "Group means under other settings, and without each feature"
    parts = [Part("sensitivity", tables.settings_table(means), title, figures=drawn)]
    if (
        compared.material.pictures.keys() == by_group.keys()
        and len(channels_of(evaluation.names).unique()) > 1
    ):
        rows = channel_ablation(by_group, black(compared.images), weights=compared.weights, config=config)
        note = (
            "Ideal: were everything within tolerance but the features of removed channels. Detected: share "
            "of those features out of tolerance."
        )
        parts.append(
            Part("channels", Table(rows.to_dict("records"), tables.CHANNELS), "Without channels", note=note)
        )
    return Answer([_settings_lead(sides[list(by_group)[1:]].dropna())], {}, parts)


def _settings_lead(means: pd.DataFrame) -> str:
    """Do alpha and beta change which group is best?"""
    if means.empty:
        return "No setting gives a score."
    low, high = means.to_numpy().min(axis=0), means.to_numpy().max(axis=0)
    if len(low) < 2:
        return f"Under other alpha and beta the mean score is between {number(low[0])} and {number(high[0])}."
    apart = means[np.ptp(means.to_numpy(), axis=1) > SAME]
    if apart.empty:
        return "Under every pair of alpha and beta, all groups are equally close to the real images."
    wins = apart.idxmax(axis=1).value_counts()
    of_all = f"{wins.iloc[0]} of {len(means)} pairs of alpha and beta"
    return f"{upper_first(wins.index[0])} is most like the real images under {of_all}."


# Copies.


def copies_answer(compared: Compared) -> Answer:
    """Whether groups repeat themselves or the real images, which are the training images here."""
    evaluation, config, (vectors, what) = compared.evaluation, compared.config, compared.vectors
    memorised = {
        group.name: copies.memorisation(
            evaluation.archetypes,
            group,
            (vectors[compared.material.real], vectors[group.name]),
            weights=evaluation.weights.to_numpy(),
            config=config,
        )
        for group in evaluation.groups
    }
    pairs = {"training images": next(iter(memorised.values())).pairs[0]}
    pairs |= {name: each.pairs[1] for name, each in memorised.items()}
    similarities = [{"group": name, **row} for name, each in memorised.items() for row in each.means]
    nearest = [{"group": name, **row} for name, each in memorised.items() for row in each.nearest]
    parts = [
        Part(
            "similarities",
            Table(similarities, tables.SIMILARITIES),
            "How similar images are",
            note="Means: self-similarity over pairs of images of one set; nearest over images, of training "
            f"images the nearest other one. Vectors: {what}.",
            figures=lambda theme: {"pairs": figures.pair_lines(pairs, theme=theme)},
        ),
        Part(
            "near_duplicates",
            Table(compared.near, tables.NEAR_COPIES),
            "Near-duplicate pictures",
            compared.near,
            f"Difference hash, at most {NEAR} of 256 bits apart. Turned, mirrored and cut ones are missed.",
        ),
        Part(
            "nearest",
            Table(nearest, tables.NEAREST),
            "Nearest training images, most similar first",
            sorted(nearest, key=lambda row: -np.nan_to_num(row["cosine"], nan=-2)),
        ),
    ]
    lead = [_copies_lead(name, each, len(compared.suspected[name])) for name, each in memorised.items()]
    return Answer(lead, {"settings": asdict(config), "vectors": what}, parts)


def _copies_lead(name: str, group: copies.Memorisation, copied: int) -> str:
    """How similar the images of a group are, each number beside that of the training images."""
    own, _, near = ([number(row[which]) for which in ("generated", "training")] for row in group.means)
    first = f"{pluralize(copied, 'image')} near-identical to a training image; " if copied else ""
    return (
        f"{upper_first(name)}: {first}two of its images have a mean WSI of {own[0]} (two training images "
        f"{own[1]}), its images and the training image nearest to each a mean cosine of {near[0]} (training "
        f"images {near[1]})."
    )


# Distances, and agreement with people.

_DRAWN = {
    "frechet": ("frechet_squared", "Fréchet distance, squared"),
    "kl": ("kl_group_real", "KL(group ‖ real)"),
}
"""The distances that are drawn, by the names of their files."""


def distances_answer(compared: Compared) -> Answer:
    """Distances of groups from the real images, and agreement of the scores of images with people."""
    seed, (vectors, what) = compared.config.seed, compared.vectors
    apart = distances.all_distances(vectors, seed=seed, progress=compared.progress)
    scores = pd.concat(
        [_image_scores(compared, group, apart.each[group.name]) for group in compared.evaluation.groups]
    )
    fitted = f"Covariances shrunk (Ledoit-Wolf), archetypes by {apart.shrinkage or 0:.3f}."

    def drawn(theme: Theme) -> dict[str, Drawn]:
        result = {}
        for stem, (kind, title) in _DRAWN.items():
            values = {row["group"]: np.nan if row[kind] is None else row[kind] for row in apart.rows}
            result[stem] = figures.distance_rows(values, distance=title, theme=theme)
        return result

    parts = [
        Part(
            "distances",
            Table(apart.rows, tables.DISTANCES),
            "Distances",
            note=f"KL in nats. {apart.n:,} real images, {what}, {apart.dimensions:,} dimensions. "
            f"{'Sample covariances (n - 1).' if apart.shrinkage is None else fitted} First row: one random "
            f"half of the real images against the other, seed {seed}.",
            figures=drawn,
        ),
        Part(
            "fidelity",
            Table(apart.rows, tables.FIDELITY),
            "Fidelity and variety",
            note="Precision: generated images within reach of a real one. Recall and coverage: real images "
            f"that are reached. KID: 0 for the same distribution. Reach: {distances.K} nearest neighbours.",
        ),
        Part("image_scores", Table(scores.to_dict("records"), named(*scores.columns))),
    ]
    if compared.pairs:
        agreed, confusion = agreement(scores, compared.pairs, seed=seed)
        note = "The share of pairs about which a score makes the same choice as people; bootstrap over pairs."
        title = "Agreement with people about pairs of images"
        parts += [
            Part("pairs", Table(agreed, tables.AGREEMENT), title, note=note),
            Part("confusion", Table(confusion, tables.CONFUSION), "Which image people and scores prefer"),
        ]
    facts = {
        "vectors": what,
        "dimensions": apart.dimensions,
        "n_archetypes": apart.n,
        "shrinkage": apart.shrinkage,
        "seed": seed,
    }
    return Answer([_distances_lead(apart)], facts, parts)


def _image_scores(compared: Compared, group: GroupScore, apart: Floats) -> pd.DataFrame:
    """Every score of the images of a group, more is better: WSI, distance from the middle of the real images,
    and similarity to the nearest of them by vectors and by LPIPS; NaN without one."""
    (vectors, _), real = compared.vectors, compared.material.real
    images, similarity = copies.nearest(copies.cosines(vectors[group.name], vectors[real]))
    scores = {
        "group": group.name,
        "image": group.values.index,
        "wsi": group.values.to_numpy(),
        "minus_mahalanobis": -apart,
        "nearest_cosine": similarity,
    }
    if compared.lpips is not None:
        own = compared.material.pictures
        if real not in own or group.name not in own:
            raise InputError("LPIPS needs pictures of the real images and of every group.")
        pictures, others, known = own[group.name].all(), own[real].all(), np.flatnonzero(images >= 0)
        both = [(pictures[i], others[images[i]]) for i in known]
        values = np.full(len(pictures), np.nan)
        values[known] = -networks.lpips_distances(both, compared.lpips, compared.progress)
        scores["minus_lpips"] = values
    return pd.DataFrame(scores)


def _distances_lead(apart: distances.AllDistances) -> str:
    half, *others = ((row["frechet_squared"], row["group"]) for row in apart.rows)
    known = [pair for pair in others if pair[0] is not None]
    if not known:
        return "No group has enough images with different vectors for a distance."
    (near, first), (most, last) = min(known), max(known)
    text = f"{upper_first(first)} is nearest to the real images (Fréchet {number(near)})"
    text += f", {last} farthest ({number(most)})" if len(known) > 1 else ""
    if half[0] is not None:
        text += f"; halves of the real images are {number(half[0])} apart"
        text += ", so it is as near as real images are to each other" if near <= half[0] else ""
    return f"{text}."
