"""Names of features as a reader would say them."""

from __future__ import annotations

from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key

_PLAIN = {
    "mean": "brightness",
    "std": "spread of brightness",
    "skewness": "skew of brightness",
    "kurtosis": "extremes of brightness",
    "entropy": "variety of brightness",
    "p5": "darkest parts",
    "p95": "brightest parts",
    "contrast": "local contrast",
    "dissimilarity": "local difference",
    "homogeneity": "evenness",
    "asm": "uniformity of texture",
    "energy": "regularity of texture",
    "correlation": "smooth changes",
    "texture_entropy": "variety of texture",
    "texture_variance": "spread of texture",
    "sum_average": "mean level of pairs",
    "sum_variance": "spread of pairs",
    "sum_entropy": "variety of pairs",
    "difference_variance": "spread of steps",
    "difference_entropy": "variety of steps",
    "imc1": "predictability (1)",
    "imc2": "predictability (2)",
    "objects": "number of objects",
    "area": "area of objects",
    "mean_area": "size of an object",
    "mean_radius": "radius of an object",
    "eccentricity": "elongation",
    "gradient": "sharpness of edges",
    "laplacian": "fine detail",
}


def feature(name: str, *, plain: bool) -> str:
    """A feature in everyday words; as the tables call it in the technical reading, and where it is unknown.

    >>> feature("red.mean", plain=True), feature("grey.p5", plain=True), feature("x.y", plain=True)
    ('brightness, red', 'darkest parts', 'x.y')
    """
    channel, _, short = name.partition(".")
    if not plain or short not in _PLAIN:
        return name
    return _PLAIN[short] if channel == "grey" else f"{_PLAIN[short]}, {channel}"


# What is compared on the page Synthetic, with which settings, and which part is open.

PART = state.TAB
TABLE, IMAGES, ASSUMED, OWN_IMAGES, NEAREST, ALIKE = (
    Key(name) for name in ("table", "image_by_image", "assumptions", "own_images", "nearest", "duplicates")
)
"""What is closed at first."""
SUBJECTS = Key("subjects", of_study=True)
REAL = Key("real", of_study=True)
LABEL = Key("real_label", of_study=True)
OTHER_LABEL = Key("other_label", of_study=True)
MOST = Key("images", of_study=True)
SIDE = Key("pixels")
COLOUR = Key("colour")
PLANES = Key("planes")
READING = Key("archetype")
ALPHA = Key("wsi_alpha")
BETA = Key("wsi_beta")
SHARE = Key("tolerance")
WEIGHTS = Key("weights")
GROUP = Key("group", of_study=True)
CHANNEL = Key("channel", of_study=True)
COPYING = Key("copying", of_study=True)
ORDER = Key("first")
SIMILARITY = Key("likeness")
VECTORS = Key("vectors", of_study=True)
DISTANCE = Key("distance")
FIELD = Key("others")
CHANNELS_REMOVED = Key("removed")

ROLE, NAME, FILE, PEOPLE, OWN_WEIGHTS, OUTCOME = (
    "synthetic_role",
    "synthetic_name",
    "synthetic_file",
    "synthetic_people",
    "synthetic_weights",
    "synthetic_outcome",
)
