"""Do groups of images repeat themselves, or the real images, which are the training images here?"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from evalcore.evaluate.duplicates import NEAR
from evalcore.features.synthetic import copies, figures
from evalcore.features.synthetic.answers import Answer, Compared, Part, numbers, texts
from evalcore.results.rows import Table
from evalcore.stats.levels import SAME
from evalcore.values.writing import number, pluralize, upper_first

SIMILARITIES = (
    *texts(group="Group", question="Question", by="By"),
    *numbers(generated="Generated", training="Training"),
    *texts(n_generated="Generated images", n_training="Training images"),
)
NEAREST = (
    *texts(group="Group", image="Generated image", nearest_wsi="Nearest by features"),
    *numbers(wsi="WSI"),
    *texts(nearest_cosine="Nearest by vectors"),
    *numbers(cosine="Cosine"),
)
NEAR_COPIES = texts(
    group="Group", generated="Generated image", training="Training image", bits="Bits that differ"
)


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
            Table(similarities, SIMILARITIES),
            "How similar images are",
            note="Means: self-similarity over pairs of images of one set; nearest over images, of training "
            f"images the nearest other one. Vectors: {what}.",
            figures=lambda theme: {"pairs": figures.pair_lines(pairs, theme=theme)},
        ),
        Part(
            "near_duplicates",
            Table(compared.near, NEAR_COPIES),
            "Near-duplicate pictures",
            compared.near,
            f"Difference hash, at most {NEAR} of 256 bits apart. Misses rotated, mirrored and cropped ones.",
        ),
        Part(
            "nearest",
            Table(nearest, NEAREST),
            "Nearest training images, most similar first",
            sorted(nearest, key=lambda row: -np.nan_to_num(row["cosine"], nan=-2)),
        ),
    ]
    lead = [_copies_lead(name, each, len(compared.suspected[name])) for name, each in memorised.items()]
    return Answer(lead, {"settings": asdict(config), "vectors": what}, parts)


def _copies_lead(name: str, group: copies.Memorisation, copied: int) -> str:
    """What of a group is above the training images."""
    signs = [f"{pluralize(copied, 'image')} near-identical to a training image"] if copied else []
    own, _, near = group.means
    for row, what in ((own, "more similar to each other"), (near, "nearer to a training image")):
        if row["generated"] > row["training"] + SAME:
            value, training = f"{row['by']} {number(row['generated'])}", number(row["training"])
            signs.append(f"images are {what} ({value}) than training images are to each other ({training})")
    return f"{upper_first(name)}: {'; '.join(signs) or 'no sign of copies or of little variety'}."
