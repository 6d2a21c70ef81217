"""The tables of scores, distances and copies: commands, pages and files draw these columns."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.features.synthetic.features import channel_of
from evalcore.features.synthetic.field import HIGHER, MEASURES, TITLES
from evalcore.features.synthetic.memorisation import METHOD
from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    ends,
    only_saved,
    only_shown,
    percent,
    span,
    titled,
    whole,
)
from evalcore.values.writing import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.features.synthetic.ablation import Step
    from evalcore.features.synthetic.copies import Copies
    from evalcore.features.synthetic.distances import AllDistances
    from evalcore.features.synthetic.diversity import Diversity
    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.features.synthetic.evaluation.scores import GroupScores
    from evalcore.features.synthetic.field import FieldRow, Value
    from evalcore.features.synthetic.memorisation import Comparison

_SCORE = "%.3f"


def groups_table(of: Evaluation) -> Table:
    """The scores of the groups, the archetypes first."""

    def name(scores: GroupScores) -> str:
        return f"{scores.name} (archetypes)" if scores is of.archetypes else scores.name

    def both(scores: GroupScores) -> float:
        return float(np.nanmean(scores.both_lack)) if np.isfinite(scores.both_lack).any() else nan

    columns = (
        also("group", name),
        only_shown("Group", "name", cell=plain),
        only_shown("Images", lambda one: len(one.tally)),
        also("n", "distribution.n", whole),
        also("undefined", lambda one: len(one.tally) - one.distribution.n, whole).on_page("Without a score"),
        also("WSI", "distribution.mean", decimals).on_page("Mean ↑"),
        span("distribution."),
        only_shown("From", "distribution.low", _SCORE),
        only_shown("To", "distribution.high", _SCORE),
        also("sd", "distribution.sd", decimals),
        also("lowest", "distribution.minimum", decimals).on_page("Lowest"),
        also("median", "distribution.median", decimals).on_page("Median"),
        also("highest", "distribution.maximum", decimals).on_page("Highest"),
        also("both lack" if of.bounds is None else "both outside", both, lambda n: decimals(n, 1)).on_page(
            "Both outside",
            "%.1f",
            help="Features outside the range in an image and in a real one, on average: these do not count.",
        ),
    )
    return Table(of.rows, columns)


def images_table(of: Evaluation) -> Table:
    """Every image with its score and what is outside the range."""
    rows = [(scores, i) for scores in of.everyone for i in range(len(scores.tally.ids))]
    columns = (
        Column("group", lambda row: row[0].name),
        Column("image", lambda row: row[0].tally.ids[row[1]]),
        Column("wsi", lambda row: float(row[0].values[row[1]])),
        Column("missing", lambda row: "; ".join(row[0].tally.missing(row[1]))),
    )
    return Table(rows, columns, of.settings.as_dict())


def features_table(of: Evaluation, called: Callable[[str], str] = plain) -> Table:
    """Weight, range with the intervals of its ends, and the share of every group, of rows that are places.

    ``called``: what pages call a feature.
    """

    def end(name: str, values: Any, saved: str, title: str, **look: Any) -> Column:
        column = Column(name, lambda j: float(values[j])).in_file(saved)
        return column.on_page(title, "%.3g", **look)

    def share(k: int, scores: GroupScores) -> Column:
        of_group = also(f"% {scores.name}", lambda j: float(of.everyone[k].share[j]), percent)
        return of_group.in_file(f"share {scores.name}").on_page(plain(scores.name), "%.3g")

    ends: list[Column] = []
    if of.bounds is not None and of.intervals is not None:
        bounds, (low, high) = of.bounds, (of.intervals.low, of.intervals.high)
        ends = [
            end("low", bounds.low, "low", "Lower end")._replace(head="low", text=decimals),
            end("high", bounds.high, "high", "Upper end")._replace(head="high", text=decimals),
            end("low_ci_low", low[0], "low_from", "Lower end from", expert=True),
            end("low_ci_high", low[1], "low_to", "Lower end to", expert=True),
            end("high_ci_low", high[0], "high_from", "Upper end from", expert=True),
            end("high_ci_high", high[1], "high_to", "Upper end to", expert=True),
            Column("n", lambda j: int(bounds.n[j])).on_page("Real images"),
            Column("constant", lambda j: bool(bounds.constant[j])).on_page("One value only"),
        ]
    else:
        names = ("low_ci_low", "low_ci_high", "high_ci_low", "high_ci_high", "n", "constant")
        ends = [Column(name, lambda _: nan, name, decimals).in_file("") for name in ("low", "high")]
        ends += [Column(name, lambda _: None).in_file("") for name in names]
    weight = Column("weight", lambda j: float(of.weights[j]), "weight", lambda one: f"{one:.4g}")
    columns = (
        Column("name", of.names.__getitem__, "feature").on_page("Feature", cell=called).in_file("feature"),
        Column("channel", lambda j: channel_of(of.names[j])).in_file(""),
        *ends,
        weight.on_page("Weight", "%.3g"),
        *(share(k, scores) for k, scores in enumerate(of.everyone)),
    )
    return Table(range(len(of.names)), columns)


def distances_table(distances: AllDistances) -> Table:
    """How far each group is from the real images."""

    def distance(name: str, head: str, title: str) -> Column:
        return Column(name, None, head, decimals).on_page(title, "%.4g")

    columns = (
        Column("group", head="group").on_page("Group", cell=plain),
        Column("n", head="images").on_page("Images"),
        distance("kl_group_real", "KL(group||real)", "KL(group ‖ real)"),
        distance("kl_real_group", "KL(real||group)", "KL(real ‖ group)"),
        distance("kl_sum", "sum", "Sum of both"),
        distance("frechet_squared", "Frechet^2", "Fréchet distance, squared"),
        distance("mahalanobis_mean", "mean Mahalanobis", "Mean Mahalanobis distance"),
        only_saved("shrunk", lambda _: distances.shrunk),
        Column("shrinkage"),
        Column("why").in_file(""),
    )
    return Table([group.as_dict() for group in distances.groups], columns)


def field_table(rows: Sequence[FieldRow]) -> Table:
    """Precision, recall, density, coverage and KID of every group, with their intervals."""

    def of(name: str, end: str) -> Any:
        return lambda row: getattr(row.values[name], end) if name in row.values else None

    def cell(name: str) -> Any:
        return lambda row: row.values.get(name)

    def written(value: Value | None) -> str:
        return "-" if value is None else f"{value.value:.3g} [{value.low:.3g}, {value.high:.3g}]"

    columns = [
        Column("group", None, "group", str).on_page("Group", cell=plain),
        Column("n", None, "images").on_page("Images"),
    ]
    for name in MEASURES:
        title = TITLES.get(name, name.capitalize())
        arrow = "↑" if name in HIGHER else "↓"
        columns += [
            also(name, cell(name), written).on_page(f"{title} {arrow}", cell=written),
            Column(name, of(name, "value")),
            Column(f"{name}_low", of(name, "low")),
            Column(f"{name}_high", of(name, "high")),
        ]
    return Table(rows, (*columns, Column("n_real"), Column("why")))


def ablation_table(steps: Sequence[Step]) -> Table:
    """What scores become without some channels."""
    columns = (
        Column(
            "without", lambda one: ";".join(one.without), "without", lambda names: names or "nothing"
        ).on_page("Without", cell=lambda names: names.replace(";", " and ") or "nothing"),
        Column("n").on_page("Images"),
        Column("wsi", "mean", "WSI", decimals).on_page("Mean score"),
        *ends(title="95% interval"),
        Column("predicted", None, "predicted", decimals).on_page("Predicted"),
        Column("ideal", None, "ideal", decimals).on_page("Ideal"),
        Column("detected", None, "detected", percent).on_page("Detected", cell=percent),
    )
    return Table(steps, columns)


class Tested(NamedTuple):
    """A question about a group, by a similarity; ``sample``: whether its images are one."""

    group: str
    question: str
    by: str
    comparison: Comparison
    sample: bool


def tests_table(tests: Sequence[Tested]) -> Table:
    """Whether groups repeat themselves or the training images."""
    columns = (
        *titled("group", "question", "by"),
        Column("generated", "comparison.generated", "generated", decimals),
        Column("training", "comparison.training", "training", decimals),
        Column("difference", "comparison.difference", "difference", decimals),
        also(
            "95% interval", lambda row: f"{decimals(row.comparison.low)} to {decimals(row.comparison.high)}"
        ),
        Column("ci_low", "comparison.low").in_file("low"),
        Column("ci_high", "comparison.high").in_file("high"),
        Column("p", "comparison.p", "p", decimals),
        Column(
            "flagged",
            lambda row: row.comparison.flagged(),
            "more similar",
            lambda flagged: "yes" if flagged else "",
        ),
        Column("n_generated", "comparison.n_generated"),
        Column("n_training", "comparison.n_training"),
        Column("sample").in_file(""),
        only_saved("n_resamples", "comparison.n_resamples"),
        only_saved("level", "comparison.level"),
        only_saved("seed", "comparison.seed"),
        only_saved("test", lambda _: METHOD),
    )
    return Table(tests, columns)


def nearest_rows(got: Diversity) -> list[dict[str, Any]]:
    """Of every generated image the nearest training image by features and by vectors."""

    def nearest(kind: str, one: Any, i: int) -> dict[str, Any]:
        if one is None:
            return {f"nearest_{kind}": None, kind: None, f"as_near_{kind}": None}
        at = int(one.nearest.image[i])
        return {
            f"nearest_{kind}": got.training_ids[at] if at >= 0 else None,
            kind: float(one.nearest.value[i]),
            f"as_near_{kind}": int(one.nearest.level[i]),
        }

    return [
        {"image": image, **nearest("wsi", got.features, i), **nearest("cosine", got.vectors, i)}
        for i, image in enumerate(got.generated_ids)
    ]


_NEAREST = {"wsi": ("features", "WSI"), "cosine": ("vectors", "Cosine")}


def nearest_table(rows: Sequence[dict[str, Any]], *, groups: bool = False, vectors: bool = True) -> Table:
    """The rows of `nearest_rows`; ``groups``: they name their group; ``vectors``: also what vectors say."""
    columns = [*([Column("group")] if groups else []), Column("image").on_page("Generated image", cell=plain)]
    for kind, (by, title) in _NEAREST.items() if vectors else [("wsi", _NEAREST["wsi"])]:
        text = f"({title if kind == 'wsi' else title.lower()})"
        columns += [
            Column(f"nearest_{kind}").on_page(f"Nearest by {by}", cell=lambda name: plain(name or "")),
            Column(kind).on_page(title, _SCORE),
            Column(f"as_near_{kind}").on_page(f"Equally near {text}"),
        ]
    return Table(rows, columns)


def copies_table(result: Sequence[tuple[str, Sequence[str], Copies]]) -> Table:
    """Pictures nearly the same, of (group, ids of its and the training images, its copies)."""
    rows = [
        {
            "group": group,
            "generated": ids[pair.first],
            "like": ids[pair.second],
            "of_training": pair.of_training,
            "bits": pair.bits,
        }
        for group, ids, copies in result
        for pair in copies.pairs
    ]
    kinds = {True: "training image", False: "generated image"}
    columns = (
        Column("group", head="group").in_file(""),
        Column("generated", head="generated image").on_page("Generated image", cell=plain),
        Column("like", head="looks like").on_page("Looks like", cell=plain),
        Column(
            "of_training", None, "a training image", lambda is_training: "yes" if is_training else "no"
        ).in_file(""),
        only_saved("which_is", lambda row: kinds[row["of_training"]]).on_page("Kind of match"),
        Column("bits", head="bits that differ").on_page("Bits that differ"),
    )
    return Table(rows, columns)
