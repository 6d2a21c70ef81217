"""Names of features as a reader would say them; what the page keeps, and under which names."""

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


PART = state.TAB
TABLE, IMAGES, OWN_IMAGES, NEAREST, DUPLICATES, SETTINGS = (
    Key(name) for name in ("table", "image_by_image", "own_images", "nearest", "duplicates", "settings")
)
"""What is closed at first."""
SUBJECTS, REAL, LABEL, MOST, GROUP, COPYING, VECTORS = (
    Key(name, of_study=True)
    for name in ("subjects", "real", "real_label", "images", "group", "copying", "vectors")
)
SIDE, COLOUR, PLANES, READING, ALPHA, BETA, SHARE, WEIGHTS, ORDER = (
    Key(name)
    for name in (
        "pixels",
        "colour",
        "planes",
        "archetype",
        "wsi_alpha",
        "wsi_beta",
        "tolerance",
        "weights",
        "first",
    )
)
ROLE, NAME, FILE, OUTCOME = ("synthetic_role", "synthetic_name", "synthetic_file", "synthetic_outcome")
