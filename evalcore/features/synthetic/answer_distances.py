"""How far are groups of images from the real ones, and do scores of images agree with people?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from evalcore.features.synthetic import copies, distances, networks, wsi
from evalcore.features.synthetic.answers import Answer, Compared, Part, numbers, texts
from evalcore.features.synthetic.people import CHOICES, agreement
from evalcore.results.rows import Column, Table, decimals, ends, named, percent
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError
from evalcore.values.writing import number, pluralize, upper_first

DISTANCES = (
    *texts(group="Group", n="Images"),
    *numbers(
        "%.4g",
        kl_group_real="KL(group ‖ real)",
        kl_real_group="KL(real ‖ group)",
        kl_sum="Sum of both",
        frechet_squared="Fréchet distance, squared",
        mahalanobis_mean="Mean Mahalanobis distance",
    ),
)
FIDELITY = (
    *texts(group="Group", n="Images"),
    *numbers(
        "%.3g",
        precision="Precision ↑",
        recall="Recall ↑",
        density="Density ↑",
        coverage="Coverage ↑",
        kid="KID ↓",
    ),
)
SCORES = {
    "wsi": "WSI",
    "minus_mahalanobis": "− Mahalanobis",
    "nearest_cosine": "nearest real (cosine)",
    "minus_lpips": "− LPIPS",
}
"""What people call the scores of an image."""
_SCORE = Column("score", None, "score", SCORES.__getitem__).on_page("Score", cell=SCORES.get)
AGREEMENT = (
    _SCORE,
    Column("agreement", None, "same choice", decimals).on_page("Same choice as people", cell=percent),
    *ends(title="95% interval"),
    *texts(n="Pairs"),
)
"""About which share of pairs each score agrees with people."""
CONFUSION = (_SCORE, *texts(people="People", **{choice: f"Score: {choice}" for choice in CHOICES}))
"""Which image of a pair people chose, and which the score: pairs by both."""


def distances_answer(compared: Compared) -> Answer:
    """Distances of groups from the real images, and agreement of the scores of images with people."""
    seed, (vectors, what) = compared.config.seed, compared.vectors
    apart = distances.all_distances(vectors, seed=seed, progress=compared.progress)
    scores = pd.concat(
        [_image_scores(compared, group, apart.each[group.name]) for group in compared.evaluation.groups]
    )
    fitted = f"Covariances shrunk (Ledoit-Wolf), archetypes by {apart.shrinkage or 0:.3f}."

    parts = [
        Part(
            "distances",
            Table(apart.rows, DISTANCES),
            "Distances",
            note=f"KL in nats. {apart.n:,} real images, {what}, {apart.dimensions:,} dimensions. "
            f"{'Sample covariances (n - 1).' if apart.shrinkage is None else fitted} First row: one random "
            f"half of the real images against the other, seed {seed}.",
        ),
        Part(
            "fidelity",
            Table(apart.rows, FIDELITY),
            "Fidelity and variety",
            note="Precision: generated images within reach of a real one. Recall and coverage: real images "
            f"that are reached. KID: 0 for the same distribution. Reach: {distances.K} nearest neighbours.",
        ),
        Part("image_scores", Table(scores.to_dict("records"), named(*scores.columns))),
    ]
    if compared.pairs:
        agreed, confusion = agreement(scores, compared.pairs, seed=seed)
        note = "The share of pairs about which a score makes the same choice as people; bootstrap over pairs."
        if unknown := len(compared.pairs) - max(row["n"] for row in agreed):
            note += f" Left out: {pluralize(unknown, 'judgment')} of images without a score (of an id that "
            note += "several groups have, write GROUP/ID)."
        title = "Agreement with people about pairs of images"
        parts += [
            Part("pairs", Table(agreed, AGREEMENT), title, note=note),
            Part("confusion", Table(confusion, CONFUSION), "Which image people and scores prefer"),
        ]
    facts = {
        "vectors": what,
        "dimensions": apart.dimensions,
        "n_archetypes": apart.n,
        "shrinkage": apart.shrinkage,
        "seed": seed,
    }
    return Answer([_distances_lead(apart)], facts, parts)


def _image_scores(compared: Compared, group: wsi.GroupScore, apart: Floats) -> pd.DataFrame:
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
    text = f"{upper_first(first)} has a squared Fréchet distance of {number(near)} from the real images"
    if len(known) > 1:
        text = f"{upper_first(first)} is nearest to the real images (squared Fréchet distance {number(near)})"
        text += f", {last} farthest ({number(most)})"
    if half[0] is not None:
        text += f"; two halves of the real images are {number(half[0])} apart"
        text += f", so {first} is as near as real images are to each other" if near <= half[0] else ""
    return f"{text}."
