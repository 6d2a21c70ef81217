"""The questions about groups of images, each answered by a few sentences, tables and figures: commands print
them or write them into files, and the page draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.evaluate.duplicates import NEAR
from evalcore.features.synthetic import ablation, copies, distances, figures, networks, tables
from evalcore.features.synthetic.files import PairJudgment
from evalcore.features.synthetic.findings import capitalised, headline, remarks
from evalcore.features.synthetic.groups import Material
from evalcore.features.synthetic.measure import ImageSettings, black, plain_name
from evalcore.features.synthetic.people import agreement
from evalcore.features.synthetic.wsi import (
    METHOD,
    Evaluation,
    GroupScore,
    Weights,
    WsiConfig,
    channels_of,
    evaluate,
)
from evalcore.figures.frame import Drawn
from evalcore.figures.theme import Theme
from evalcore.results.rows import Table, named
from evalcore.stats.levels import SAME
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import number, pluralize

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
    """What is compared: measured groups, and everything that decides their scores."""

    material: Material
    config: WsiConfig
    weights: Weights
    images: ImageSettings

    @cached_property
    def evaluation(self) -> Evaluation:
        return evaluate(self.material.tables, weights=self.weights, config=self.config)


def score_answer(compared: Compared, *, progress: Progress = silent) -> Answer:
    """The scores of groups, and which features their images have."""
    evaluation, notes = compared.evaluation, remarks(compared.evaluation)
    suspected = _suspected(compared, copies.near_copies(compared.material, progress))
    images, lead = tables.images_table(evaluation), headline(evaluation, suspected)
    worst = sorted(images.rows, key=lambda row: (np.nan_to_num(row["wsi"], nan=2), row["group"], row["ID"]))
    shares = np.array([group.shares for group in evaluation.everyone])
    order = np.argsort(np.nan_to_num(shares[1:] - shares[0], nan=2.0).min(axis=0), kind="stable")
    presence = pd.DataFrame(
        shares.T, map(plain_name, evaluation.names), [group.name for group in evaluation.everyone]
    )
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
            tables.features_table(evaluation),
            "Features and who has them, furthest below the archetypes first",
            order.tolist(),
            figures=lambda theme: {"features": figures.presence_map(presence, theme=theme)},
        ),
        Part("images", images, "Images, lowest scores first", worst),
    ]
    with_pictures = any(group.pictures is not None for group in compared.material.everyone)
    settings = asdict(compared.config) | {
        "weights": compared.weights,
        "images": asdict(compared.images) if with_pictures else None,
    }
    facts = {
        "settings": settings,
        "ci_method": METHOD,
        "headline": lead,
        "suspected_copies": suspected,
        "remarks": [problem.as_dict() for problem in notes.problems],
    }
    return Answer(lead, facts, parts, notes)


def _suspected(compared: Compared, near: Sequence[copies.Copy]) -> dict[str, list[str]]:
    """The images of each group that are near-identical to a real one."""
    suspected: dict[str, list[str]] = {group.name: [] for group in compared.material.groups}
    for copy in near:
        if copy.of_training and copy.generated not in suspected[copy.group]:
            suspected[copy.group].append(copy.generated)
    return suspected


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


# Other settings.


def settings_answer(compared: Compared, *, progress: Progress = silent) -> Answer:
    """The mean score of each group under other settings, without each feature, and without channels."""
    evaluation, config, by_group = compared.evaluation, compared.config, compared.material.tables
    means = ablation.sensitivity(by_group, weights=compared.weights, config=config, progress=progress)
    sides = means.loc[ablation.ALPHA_BETA]
    sides.index = pd.MultiIndex.from_tuples(tuple(map(float, name.split(", "))) for name in sides.index)

    def drawn(theme: Theme) -> dict[str, Drawn]:
        """Over alpha and over beta, the other as it is (or 1), over the tolerance, and without features."""
        alpha, beta = (side if side in ablation.SIDES else 1.0 for side in (config.alpha, config.beta))
        level = config.quantiles[1] - config.quantiles[0] if config.within is None else None
        over = {
            "alpha": (sides.xs(beta, level=1), config.alpha, "alpha, the weight of what is extra"),
            "beta": (sides.xs(alpha, level=0), config.beta, "beta, the weight of what is missing"),
            "level": (means.loc[ablation.LEVEL], level, "the middle share of real images that is within"),
            "tolerance": (means.loc[ablation.SHARE], config.within, "tolerance as a share of the mean"),
        }
        if config.archetype == "tolerance":
            del over["alpha"]  # which decides nothing
        change = means.loc[ablation.WITHOUT] - [group.mean for group in evaluation.everyone]
        return {
            name: figures.setting_lines(table.rename(index=float), what=what, now=now, theme=theme)
            for name, (table, now, what) in over.items()
        } | {"without": figures.change_map(change.rename(index=plain_name), theme=theme)}

    title = "Group means under other settings, and without each feature"
    parts = [Part("sensitivity", tables.settings_table(means), title, figures=drawn)]
    if compared.material.with_pictures and len(channels_of(evaluation.names).unique()) > 1:
        rows = ablation.channel_ablation(
            by_group, black(compared.images), weights=compared.weights, config=config
        )
        note = (
            "Ideal: were everything within tolerance but the features of removed channels. Detected: share "
            "of those features out of tolerance."
        )
        parts.append(Part("channels", tables.ablation_table(rows), "Without channels", note=note))
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
    return f"{capitalised(wins.index[0])} is most like the real images under {of_all}."


# Vectors of images: by ResNet-18, or the features themselves.


class Vectors(NamedTuple):
    """Of the real images and of each group; ``what`` they are."""

    real: Floats
    groups: Mapping[str, Floats]
    what: str


def vectors_of(material: Material, resnet: str | None = None, *, progress: Progress = silent) -> Vectors:
    """The vectors of the images; ``resnet``: the weights of ResNet-18, "default" for those of the workspace.

    Raises InputError where what makes them is missing.
    """
    if resnet is None:
        rows = distances.feature_vectors(*material.tables.values())
        what = f"{rows[0].shape[1]} features in spreads of the real images"
    else:
        encode, rows, what = networks.load_encoder(resnet), [], "ResNet-18, average pool"
        for i, group in enumerate(material.everyone):
            if group.pictures is None:
                raise InputError(f"{group.name} has features only; ResNet-18 needs pictures.")
            rows.append(encode(group.pictures.all(), part_of(progress, i, len(material.everyone))))
    return Vectors(rows[0], dict(zip([group.name for group in material.groups], rows[1:], strict=True)), what)


# Copies.


def copies_answer(compared: Compared, vectors: Vectors, *, progress: Progress = silent) -> Answer:
    """Whether groups repeat themselves or the real images, which are the training images here."""
    evaluation, config = compared.evaluation, compared.config
    memorised = {
        group.name: copies.memorisation(
            evaluation.archetypes,
            group,
            (vectors.real, vectors.groups[group.name]),
            weights=evaluation.weights.to_numpy(),
            config=config,
            progress=progress,
        )
        for group in evaluation.groups
    }
    near = copies.near_copies(compared.material, progress)
    copied = {name: len(images) for name, images in _suspected(compared, near).items()}
    pairs = {"training images": next(iter(memorised.values())).pairs[0]}
    pairs |= {name: each.pairs[1] for name, each in memorised.items()}
    parts = [
        Part(
            "tests",
            tables.tests_table(memorised),
            "Tests",
            note=f"{capitalised(copies.METHOD)}, {copies.RELABELLINGS:,} relabellings, seed {config.seed}; "
            f"each test by itself at .05. Vectors: {vectors.what}.",
            figures=lambda theme: {"pairs": figures.pair_lines(pairs, theme=theme)},
        ),
        Part(
            "near_duplicates",
            tables.near_copies_table(near),
            "Near-duplicate pictures",
            near,
            f"Difference hash, at most {NEAR} of 256 bits apart. Turned, mirrored and cut ones are missed.",
        ),
        Part("nearest", tables.nearest_table(memorised)),
    ]
    facts = {
        "test": copies.METHOD,
        "n_resamples": copies.RELABELLINGS,
        "settings": asdict(config),
        "vectors": vectors.what,
    }
    return Answer(_copies_lead(memorised, copied), facts, parts)


def _copies_lead(memorised: Mapping[str, copies.Memorisation], copied: Mapping[str, int]) -> list[str]:
    lines, rest = [], []
    for name, each in memorised.items():
        repeats, near = each.tests[copies.SELF, "WSI"], each.tests[copies.NEAREST, "cosine"]
        signs = []
        if n := copied[name]:
            signs.append(f"{pluralize(n, 'image')} near-identical to a training image")
        if repeats.flagged:
            both = f"({number(repeats.generated)}) than real ones do ({number(repeats.training)})"
            signs.append(f"images resemble each other more {both}")
        if near.flagged or each.tests[copies.NEAREST, "WSI"].flagged:
            both = f"({number(near.generated)}) than training images are to each other"
            signs.append(f"images are nearer to a training image {both} ({number(near.training)})")
        lines += [f"{capitalised(name)}: {'; '.join(signs)}."] if signs else []
        rest += [] if signs else [name]
    return [*lines, f"No sign of copies or of little variety: {', '.join(rest)}."] if rest else lines


# Distances, and agreement with people.

_DRAWN = {
    "frechet": ("frechet_squared", "Fréchet distance, squared"),
    "kl": ("kl_group_real", "KL(group ‖ real)"),
}
"""The distances that are drawn, by the names of their files."""


def distances_answer(
    compared: Compared,
    vectors: Vectors,
    *,
    pairs: Sequence[PairJudgment] = (),
    lpips: str | None = None,
    progress: Progress = silent,
) -> Answer:
    """Distances of groups from the real images, and agreement of the scores of images with people.

    lpips: the folder with the weights of LPIPS, "default" for that of the workspace.
    """
    seed, groups = compared.config.seed, compared.evaluation.groups
    apart = distances.all_distances(vectors.real, vectors.groups, seed=seed, progress=progress)
    scores = pd.concat(
        [_image_scores(compared, group, vectors, apart.each[group.name], lpips, progress) for group in groups]
    )
    fitted = f"Covariances shrunk (Ledoit-Wolf), archetypes by {apart.shrinkage or 0:.3f}."

    def drawn(theme: Theme) -> dict[str, Drawn]:
        result, names = {}, [row["group"] for row in apart.rows]
        for stem, (kind, title) in _DRAWN.items():
            values = [np.nan if row[kind] is None else row[kind] for row in apart.rows]
            result[stem] = figures.distance_rows(names, values, distance=title, theme=theme)
        return result

    parts = [
        Part(
            "distances",
            tables.distances_table(apart.rows),
            "Distances",
            note=f"KL in nats. {apart.n:,} real images, {vectors.what}, {apart.dimensions:,} dimensions. "
            f"{'Sample covariances (n - 1).' if apart.shrinkage is None else fitted} First row: one random "
            f"half of the real images against the other, seed {seed}.",
            figures=drawn,
        ),
        Part(
            "fidelity",
            tables.fidelity_table(apart.rows),
            "Fidelity and variety",
            note="Precision: generated images within reach of a real one. Recall and coverage: real images "
            f"that are reached. KID: 0 for the same distribution. Reach: {distances.K} nearest neighbours; "
            f"95% intervals: {METHOD}, {distances.N_RESAMPLES:,} resamples.",
        ),
        Part("image_scores", Table(scores.to_dict("records"), named(*scores.columns))),
    ]
    if pairs:
        agreed = agreement(scores, pairs, seed=seed)
        note = "The share of pairs about which a score makes the same choice as people; bootstrap over pairs."
        title = "Agreement with people about pairs of images"
        parts += [
            Part("pairs", tables.agreement_table(agreed), title, note=note),
            Part("confusion", tables.confusion_table(agreed), "Which image people and scores prefer"),
        ]
    facts = {
        "vectors": vectors.what,
        "dimensions": apart.dimensions,
        "n_archetypes": apart.n,
        "shrinkage": apart.shrinkage,
        "seed": seed,
    }
    return Answer([_distances_lead(apart)], facts, parts)


def _image_scores(
    compared: Compared,
    group: GroupScore,
    vectors: Vectors,
    apart: Floats,
    lpips: str | None,
    progress: Progress,
) -> pd.DataFrame:
    """Every score of the images of a group, more is better: WSI, distance from the middle of the real images,
    and similarity to the nearest of them by vectors and by LPIPS; NaN without one."""
    closest = copies.nearest(copies.cosines(vectors.groups[group.name], vectors.real))
    scores = {
        "group": group.name,
        "image": group.values.index,
        "wsi": group.values.to_numpy(),
        "minus_mahalanobis": -apart,
        "nearest_cosine": closest.value,
    }
    if lpips is not None:
        real = compared.material.real.pictures
        own = next(each.pictures for each in compared.material.groups if each.name == group.name)
        if own is None or real is None:
            raise InputError("LPIPS needs pictures of the real images and of every group.")
        pictures, others, measure = own.all(), real.all(), networks.load_lpips(lpips)
        known = np.flatnonzero(closest.image >= 0)
        both = [(pictures[i], others[closest.image[i]]) for i in known]
        values = np.full(len(pictures), np.nan)
        values[known] = -measure(both, progress)
        scores["minus_lpips"] = values
    return pd.DataFrame(scores)


def _distances_lead(apart: distances.AllDistances) -> str:
    half, *others = ((row["frechet_squared"], row["group"]) for row in apart.rows)
    known, write = [pair for pair in others if pair[0] is not None], figures.distance_text
    if not known:
        return "No group has enough images with different vectors for a distance."
    (near, first), (most, last) = min(known), max(known)
    text = f"{capitalised(first)} is nearest to the real images (Fréchet {write(near)})"
    text += f", {last} farthest ({write(most)})" if len(known) > 1 else ""
    if half[0] is not None:
        text += f"; halves of the real images are {write(half[0])} apart"
        text += ", so it is as near as real images are to each other" if near <= half[0] else ""
    return f"{text}."
