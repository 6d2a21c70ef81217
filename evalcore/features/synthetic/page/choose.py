"""What is compared: the real images, the generated ones, and the settings of the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.features.synthetic.copies import ABOUT
from evalcore.features.synthetic.evaluation.scores import WsiSettings
from evalcore.features.synthetic.images import ImageSettings
from evalcore.features.synthetic.page import words
from evalcore.features.synthetic.read import uploaded
from evalcore.features.synthetic.read.feature_files import WeightRows
from evalcore.features.synthetic.read.groups import of_upload
from evalcore.features.synthetic.read.material import Source
from evalcore.features.synthetic.tversky import CHANNELS, UNIFORM
from evalcore.ui.components import fold, select
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import Context
from evalcore.values.model import Study
from evalcore.values.writing import md_escape, pluralize

ALTERED, LABEL, UPLOADED = "altered", "label", "uploaded"
KINDS = {
    ALTERED: "Altered copies (demonstration)",
    LABEL: "Images with another label",
    UPLOADED: "Uploaded groups",
}
STUDY, ALL = "@study", "@all"
READINGS = {"tolerance": "what real images have in common", "each": "each real image"}
COLOURS = {"grey": "as grey", "auto": "red, green, blue"}
PLANES = {"max": "brightest value", "mean": "mean", "each": "each plane separately"}
MOST, SIDE, MOST_LABELS = 120, 256, 12
OWN = "own"
WEIGHTINGS = {UNIFORM: "all features equally", CHANNELS: "all channels equally"}
NONE = {
    ALTERED: (
        "Altered copies are made of pictures of this study, but it has no pictures. Upload groups below."
    ),
    STUDY: "This study has no pictures that could be the real images. Upload some as “real images” below.",
    UPLOADED: "Nothing has been uploaded yet: add a zip of generated images, or a table of features, below.",
    LABEL: "The study has no other label with enough pictures. Select “Uploaded groups”, or add labels.",
}
"""Why there is nothing to compare."""
ENOUGH = 42
"""Images of a label from which on half of them are enough for tolerances."""


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What is compared, archetypes first, and how; ``own``: weights as uploaded, where these count; ``why``:
    a sentence where there is nothing to compare."""

    kind: str
    sources: tuple[Source, ...]
    images: ImageSettings
    score: WsiSettings
    weights: str
    own: WeightRows | None = None
    why: str = ""

    @property
    def demonstration(self) -> bool:
        """Whether the groups are altered copies made here."""
        return self.kind == ALTERED


def groups(context: Context) -> tuple[str, list[Source] | str]:
    """The controls of what is compared: the kind of groups; the groups, or a sentence why there are none."""
    there = uploaded.groups(context.entry.path)
    kind = _kind(context, there)
    real = _real(context, there, kind)
    other = _other(context, real) if kind == LABEL else ""
    most = select.amount(
        "Images sampled",
        (60, 120, 250, 500, 1000),
        10,
        5000,
        keep=words.MOST,
        first=MOST,
        shown=lambda n: f"{n:,}",
        width=130,
        help="Drawn at random with a fixed seed.",
    )
    return kind, _sources(context.study, kind, real, other, most, there)


def settings(context: Context, groups: tuple[str, list[Source] | str]) -> Chosen:
    """The controls of the score, closed at first; and all that was chosen."""
    score, weights, images = _settings(context)
    kind, result = groups
    sources, why = ((), result) if isinstance(result, str) else (tuple(result), "")
    own = uploaded.weights(context.entry.path) if weights == OWN else None
    return Chosen(kind, sources, images, score, weights, own, why)


def _kind(context: Context, there: tuple[uploaded.UploadedGroup, ...]) -> str:
    """What the real images are compared with; the widget keeps its options whatever is uploaded."""
    mine = any(one.role == "generated" for one in there)
    pictures = bool(uploaded.with_pictures(context.study))
    state.follow_default(words.SUBJECTS)
    first = UPLOADED if mine or not pictures else ALTERED
    return select.segments("Generated images", KINDS, keep=words.SUBJECTS, first=first, width="content")


def _real(
    context: Context, there: tuple[uploaded.UploadedGroup, ...], kind: str
) -> uploaded.UploadedGroup | str:
    """The real images: a group that was uploaded, or the label of those of the study."""
    own = {one.name: one for one in there if one.role == "real" and kind != ALTERED}
    if own:
        state.follow_default(words.REAL)
        real = select.one(
            "Real images",
            [STUDY, *own],
            keep=words.REAL,
            first=next(iter(own)) if kind == UPLOADED else STUDY,
            shown=lambda one: "images of this study" if one == STUDY else one,
            width=200,
        )
        if real != STUDY:
            return own[real]
    labels = [ALL, *labels_of(context)]
    if len(labels) == 1:
        return ALL
    return select.one(
        "Real images of this study",
        labels,
        keep=words.LABEL,
        first=usual_label(context),
        shown=lambda one: "all of them" if one == ALL else _in_words(one),
        width=230,
    )


def _other(context: Context, real: uploaded.UploadedGroup | str) -> str:
    """The label of the images that are compared with the real ones; "" without another."""
    labels = [one for one in labels_of(context) if one != real]
    if not labels:
        return ""
    return select.one("Compared with", labels, keep=words.OTHER_LABEL, shown=_in_words, width=230)


def _in_words(label: str) -> str:
    return label.replace("=", ": ", 1)


def labels_of(context: Context) -> list[str]:
    """``column=value`` of every label with at least a few pictures, by column and frequency."""
    return cache.remember(("synthetic labels", context.study.digest), lambda: _labels_of(context.study))


def _labels_of(study: Study) -> list[str]:
    result = []
    for name, column in study.label_columns.items():
        sizes = {label: len(_with_pictures(study, label)) for label in (f"{name}={v}" for v in column.values)}
        enough = [label for label, n in sizes.items() if n >= uploaded.FEWEST]
        result += sorted(enough, key=lambda label: (-sizes[label], label))[:MOST_LABELS]
    return result


def _with_pictures(study: Study, label: str) -> list[int]:
    """The images with a label and a picture; all that have a picture for ``ALL``."""
    if label == ALL:
        return uploaded.with_pictures(study)
    name, _, value = label.partition("=")
    column = study.label_columns[name]
    return uploaded.with_pictures(study, column.images_with(column.values.index(value)).tolist())


def usual_label(context: Context) -> str:
    """The most frequent value of the first label that has enough pictures, else all images."""
    for label in labels_of(context)[:1]:
        if len(_with_pictures(context.study, label)) >= ENOUGH:
            return label
    return ALL


def _settings(context: Context) -> tuple[WsiSettings, str, ImageSettings]:
    """Everything that decides a score, behind a fold."""
    plain = context.choice.plain
    with fold.settings("Settings of the score", key="score"):
        with select.row():
            share = select.number(
                "Middle share of the real images" if plain else "Tolerance: middle share",
                0.5,
                1.0,
                keep=words.SHARE,
                first=0.9,
                step=0.05,
                width=210,
                help="0.9: a feature is present when it is between the 5% and the 95% quantile of the real "
                "images.",
            )
            alpha = select.number(
                "Weight of what is extra (alpha)",
                0.0,
                10.0,
                keep=words.ALPHA,
                first=1.0,
                step=0.25,
                width=210,
            )
            beta = select.number(
                "Weight of what is missing (beta)",
                0.0,
                10.0,
                keep=words.BETA,
                first=1.0,
                step=0.25,
                width=210,
            )
            side = select.amount(
                "Measured at (pixels)",
                (128, 256, 512),
                16,
                2048,
                keep=words.SIDE,
                first=SIDE,
                width=150,
                help="Longer side after scaling: texture and sharpness cannot be compared between sizes.",
            )
        with select.row():
            colour: Any = select.segments(
                "Colours",
                COLOURS,
                keep=words.COLOUR,
                width="content",
                help="As grey: the luminance. Red, green, blue: three times as many features where an image "
                "is in colour. Declared channels of a TIFF are measured each by itself.",
            )
            planes: Any = select.segments(
                "Stacks (TIFF)",
                PLANES,
                keep=words.PLANES,
                width="content",
                help="Slices and time points of a file: one picture of them, or each plane as an image of "
                "its own.",
            )
            reading: Any = select.segments(
                "Compared with",
                READINGS,
                keep=words.READING,
                width="content",
                help="In common: one archetype with every feature. Each real image: the mean over all of "
                "them, each with the features it has itself.",
            )
            mine = uploaded.weights(context.entry.path) is not None
            weights = select.segments(
                "Weights",
                WEIGHTINGS | ({OWN: "as uploaded"} if mine else {}),
                keep=words.WEIGHTS,
                width="content",
                help=None if mine else "Weights of your own can be uploaded under Features.",
            )
    tail = round((1 - share) / 2, 6)
    ends = tail, round(1 - tail, 6)
    settings = WsiSettings(alpha=alpha, beta=beta, quantiles=ends, archetype=reading)
    return settings, weights, ImageSettings(side=side, channels=colour, planes=planes)


def _sources(
    study: Study,
    kind: str,
    real: uploaded.UploadedGroup | str,
    other: str,
    most: int,
    there: tuple[uploaded.UploadedGroup, ...],
) -> list[Source] | str:
    """The groups to measure, archetypes first; or a sentence why there are none."""
    images = _drawn(study, real, most) if isinstance(real, str) else []
    if kind == ALTERED:
        few = f"{pluralize(len(images), 'picture')} are too few for two halves; select other images."
        return uploaded.altered_copies(study, images, seed=0) or (few if images else NONE[kind])
    if not isinstance(real, str):
        archetypes = of_upload(real)
    elif images:
        archetypes = uploaded.of_study(study, images, uploaded.REAL)
    else:
        return NONE[STUDY]
    if kind == UPLOADED:
        groups = [of_upload(one) for one in there if one.role == "generated"]
    else:
        others = _drawn(study, other, most, without=images) if other else []
        groups = [uploaded.of_study(study, others, other)] if others else []
    return [archetypes, *groups] if groups else NONE[kind]


def _drawn(study: Study, label: str, most: int, *, without: Sequence[int] = ()) -> list[int]:
    """Images with a label and a picture, so many at most and none of those without."""
    used = set(without)
    fit = [picture for picture in _with_pictures(study, label) if picture not in used]
    return uploaded.drawn(fit, most=most, seed=0)


DEMONSTRATION = (
    ":material/science: Demonstration only: these are altered copies of this study’s pictures, not generated "
    "images."
)


def about(chosen: Chosen) -> str:
    """What the groups of a demonstration are; "" for other groups. Markdown."""
    return "; ".join(
        f"**{md_escape(source.name)}**: {ABOUT[source.name]}"
        for source in chosen.sources[1:]
        if chosen.demonstration and source.name in ABOUT
    )
