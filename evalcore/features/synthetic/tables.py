"""The tables of scores, distances and copies: commands, the page and files draw these columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.features.synthetic.ablation import Step
from evalcore.features.synthetic.copies import METHOD, Comparison, Copies, Memorisation
from evalcore.features.synthetic.distances import MEASURES, AllDistances, Fidelity, Value
from evalcore.features.synthetic.people import CHOICES, NAMES, WithPeople
from evalcore.features.synthetic.wsi import Evaluation, GroupScore, channel_of
from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    ends,
    named,
    only_saved,
    only_shown,
    p_text,
    percent,
    span,
    whole,
)
from evalcore.values.writing import plain

_SCORE = "%.3f"


def mean_lack(group: GroupScore) -> float:
    """Features that an image of the group and a real one both lack, mean over the images; NaN where
    unknown."""
    known = group.both_lack[~np.isnan(group.both_lack)]
    return float(known.mean()) if len(known) else nan


def groups_table(of: Evaluation) -> Table:
    """The scores of the groups, the archetypes first."""

    def name(group: GroupScore) -> str:
        return f"{group.name} (archetypes)" if group is of.archetypes else group.name

    def quartile(at: int) -> Callable[[GroupScore], float]:
        return lambda group: group.quartiles[at]

    columns = (
        also("group", name),
        only_shown("Group", "name", cell=plain),
        only_shown("Images", lambda group: len(group.values)),
        also("n", lambda group: len(group.defined), whole),
        also("undefined", lambda group: len(group.values) - len(group.defined), whole).on_page(
            "Without a score"
        ),
        also("WSI", "mean", decimals).on_page("Mean ↑"),
        span(),
        only_shown("From", "low", _SCORE),
        only_shown("To", "high", _SCORE),
        also("sd", "sd", decimals),
        also("lowest", quartile(0), decimals).on_page("Lowest"),
        also("median", quartile(2), decimals).on_page("Median"),
        also("highest", quartile(4), decimals).on_page("Highest"),
        also("both outside" if of.measured else "both lack", mean_lack, lambda n: decimals(n, 1)).on_page(
            "Both outside",
            "%.1f",
            help="Features outside the range in an image and in a real one, on average: these do not count.",
        ),
    )
    return Table(of.rows, columns)


def group_record(group: GroupScore, of: Evaluation) -> dict[str, Any]:
    """A group for programs."""
    names = ("min", "q25", "median", "q75", "max")
    return {
        "name": group.name,
        "n": len(group.values),
        "n_defined": len(group.defined),
        "mean": group.mean,
        "ci_low": group.low,
        "ci_high": group.high,
        "sd": group.sd,
        **dict(zip(names, group.quartiles, strict=True)),
        "both_lack": mean_lack(group),
        "presence": dict(zip(of.names, group.shares.tolist(), strict=True)),
    }


def scores_table(of: Evaluation) -> Table:
    """The same rows for files."""
    rows = [group_record(group, of) for group in of.rows]
    return Table(rows, named(*(name for name in rows[0] if name != "presence")))


def images_table(of: Evaluation) -> Table:
    """Every image with its score and what is outside the range."""
    rows = [(group, i) for group in of.everyone for i in range(len(group.values))]
    columns = (
        Column("group", lambda row: row[0].name),
        Column("image", lambda row: row[0].values.index[row[1]]),
        Column("wsi", lambda row: float(row[0].values.iloc[row[1]])),
        Column("missing", lambda row: "; ".join(row[0].presence.missing(row[1], of.names))),
    )
    return Table(rows, columns, of.config.as_dict())


def features_table(of: Evaluation, called: Callable[[str], str] = plain) -> Table:
    """Weight, range with the intervals of its ends, and the share of every group, of rows that are places.

    ``called``: what pages call a feature.
    """

    def end(name: str, values: Any, saved: str, title: str, **look: Any) -> Column:
        column = Column(name, lambda j: float(values[j]) if of.measured else nan)
        return column.in_file(saved if of.measured else "").on_page(title, "%.3g", **look)

    def fact(name: str, values: Any, title: str) -> Column:
        column = Column(name, lambda j: values[j].item() if of.measured else None)
        return column.in_file(name if of.measured else "").on_page(title)

    def share(group: GroupScore) -> Column:
        shares = group.shares
        column = also(f"% {group.name}", lambda j: float(shares[j]), percent)
        return column.in_file(f"share {group.name}").on_page(plain(group.name), "%.3g")

    (low, high), intervals = of.bounds, of.bound_intervals
    columns = [
        Column("name", lambda j: of.names[j], "feature").on_page("Feature", cell=called).in_file("feature"),
        Column("channel", lambda j: channel_of(of.names[j])).in_file(""),
        end("low", low, "low", "Lower end")._replace(head="low", text=decimals),
        end("high", high, "high", "Upper end")._replace(head="high", text=decimals),
        end("low_ci_low", intervals[0, 0], "low_from", "Lower end from", expert=True),
        end("low_ci_high", intervals[0, 1], "low_to", "Lower end to", expert=True),
        end("high_ci_low", intervals[1, 0], "high_from", "Upper end from", expert=True),
        end("high_ci_high", intervals[1, 1], "high_to", "Upper end to", expert=True),
        fact("n", of.n_values, "Real images"),
        fact("constant", of.constant, "One value only"),
        Column(
            "weight", lambda j: float(of.weights.iloc[j]), "weight", lambda weight: f"{weight:.4g}"
        ).on_page("Weight", "%.3g"),
        *map(share, of.everyone),
    ]
    return Table(range(len(of.names)), columns)


def subjects_table(of: Evaluation) -> Table:
    """Every image of the groups, those with the lowest score first where people read it.

    missing: features outside the tolerance; of concepts those that half of the archetypes or more have.
    """
    expected = {
        name
        for name, share in zip(of.names, of.archetypes.shares, strict=True)
        if of.measured or share >= 0.5
    }
    rows = [
        {
            "ID": image,
            "group": group.name,
            "wsi": float(group.values.iloc[i]),
            "missing": [name for name in group.presence.missing(i, of.names) if name in expected],
            "not_counted": list(of.names[~group.presence.known[i]]),
            "both_lack": float(group.both_lack[i]),
        }
        for group in of.groups
        for i, image in enumerate(group.values.index)
    ]

    def some(names: list[str]) -> str:
        more = f" and {len(names) - 4:,} more" if len(names) > 4 else ""
        return f"{', '.join(names[:4])}{more}" if names else "-"

    columns = (
        Column("ID", head="image"),
        Column("group", head="group"),
        Column("wsi", None, "WSI", decimals),
        Column("missing").in_file(""),
        Column("not_counted").in_file(""),
        only_saved("missing", lambda row: ";".join(row["missing"])),
        only_saved("not_counted", lambda row: ";".join(row["not_counted"])),
        Column("both_lack"),
        also("outside the range" if of.measured else "missing", lambda row: len(row["missing"]), whole),
        also("such as", "missing", some),
    )
    return Table(rows, columns)


def by_group(rows: Sequence[tuple[str, Sequence[float]]], groups: Sequence[str], head: str) -> Table:
    """Means by group under the settings of the rows, for the terminal."""

    def mean(k: int) -> Column:
        return also(groups[k], lambda row: float(row[1][k]), decimals)

    return Table(rows, [also(head, itemgetter(0)), *map(mean, range(len(groups)))])


def settings_table(rows: pd.DataFrame) -> Table:
    """Scores under other settings, for JSON and CSV."""
    columns = [
        Column("group").on_page("Group", cell=plain),
        Column("what").on_page("What is set"),
        Column("setting").on_page("Setting"),
        Column("mean").on_page("Mean score", "%.4f"),
    ]
    return Table(rows.to_dict("records"), columns)


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


def fidelity_table(rows: Sequence[Fidelity]) -> Table:
    """Precision, recall, density, coverage and KID of every group, with their intervals."""

    def value(name: str, end: str) -> Callable[[Fidelity], float | None]:
        return lambda row: getattr(row.values.get(name), end, None)

    def cell(name: str) -> Callable[[Fidelity], Value | None]:
        return lambda row: row.values.get(name)

    def written(value: Value | None) -> str:
        return "-" if value is None else f"{value.value:.3g} [{value.low:.3g}, {value.high:.3g}]"

    columns = [
        Column("group", None, "group", str).on_page("Group", cell=plain),
        Column("n", None, "images").on_page("Images"),
    ]
    for name, title in MEASURES.items():
        arrow = "↓" if name == "kid" else "↑"
        columns += [
            also(name, cell(name), written).on_page(f"{title} {arrow}", cell=written),
            Column(name, value(name, "value")),
            Column(f"{name}_low", value(name, "low")),
            Column(f"{name}_high", value(name, "high")),
        ]
    return Table(rows, (*columns, Column("n_real"), Column("why")))


def ablation_table(steps: Sequence[Step]) -> Table:
    """What scores become without some channels."""

    def written(channels: str) -> str:
        return channels.replace(";", " and ") or "nothing"

    columns = (
        Column("without", lambda step: ";".join(step.without), "without", written).on_page(
            "Without", cell=written
        ),
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

    def yes(flagged: bool) -> str:
        return "yes" if flagged else ""

    def span_of(row: Tested) -> str:
        return f"{decimals(row.comparison.low)} to {decimals(row.comparison.high)}"

    columns = (
        Column("group", head="group"),
        Column("question", head="question").on_page("Question", cell=str.capitalize),
        Column("by", head="by").on_page(
            "By", cell={"WSI": "features (WSI)", "cosine": "vectors (cosine)"}.get
        ),
        Column("generated", "comparison.generated", "generated", decimals).on_page("Generated"),
        Column("training", "comparison.training", "training", decimals).on_page("Training"),
        Column("difference", "comparison.difference", "difference", decimals).on_page("Difference"),
        also("95% interval", span_of).on_page("95% interval"),
        Column("ci_low", "comparison.low").in_file("low"),
        Column("ci_high", "comparison.high").in_file("high"),
        Column("p", "comparison.p", "p", p_text).on_page("p"),
        Column("flagged", lambda row: row.comparison.flagged(), "more similar", yes).on_page(
            "More similar than chance", cell=yes
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


def nearest_rows(group: str, got: Memorisation) -> list[dict[str, Any]]:
    """Of every generated image the nearest training image by features and by vectors."""
    rows = []
    for i, image in enumerate(got.generated_ids):
        row: dict[str, Any] = {"group": group, "image": image}
        for kind, likeness in (("wsi", got.features), ("cosine", got.vectors)):
            near = None if likeness is None else likeness.nearest
            at = -1 if near is None else int(near.image[i])
            row[f"nearest_{kind}"] = got.training_ids[at] if at >= 0 else None
            row[kind] = None if near is None else float(near.value[i])
            row[f"as_near_{kind}"] = None if near is None else int(near.ties[i])
        rows.append(row)
    return rows


def nearest_table(rows: Sequence[dict[str, Any]], *, groups: bool = False, vectors: bool = True) -> Table:
    """The rows of `nearest_rows`; ``groups``: with the name of the group; ``vectors``: also by vectors."""
    columns = [*([Column("group")] if groups else []), Column("image").on_page("Generated image", cell=plain)]
    kinds = (("wsi", "features", "WSI"), ("cosine", "vectors", "Cosine"))
    for kind, by, title in kinds if vectors else kinds[:1]:
        columns += [
            Column(f"nearest_{kind}").on_page(f"Nearest by {by}", cell=lambda name: plain(name or "")),
            Column(kind).on_page(title, _SCORE),
            Column(f"as_near_{kind}").on_page(f"Tied ({'WSI' if kind == 'wsi' else 'cosine'})"),
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
        Column("of_training", None, "a training image", lambda training: "yes" if training else "no").in_file(
            ""
        ),
        only_saved("which_is", lambda row: kinds[row["of_training"]]).on_page("Kind of match"),
        Column("bits", head="bits that differ").on_page("Bits that differ"),
    )
    return Table(rows, columns)


# Agreement of scores with each other and with people.


class Agreed(NamedTuple):
    """How alike two scores put the images of a group in order; the interval with people only."""

    group: str
    score: str
    other: str
    rho: float
    low: float | None
    high: float | None
    n: int


def agreement_table(rows: Sequence[Agreed]) -> Table:
    """Spearman's rho of every two scores within each group, and with the ratings of people."""

    def called(name: str) -> str:
        return NAMES.get(name, name)

    columns = (
        Column("group", head="group").on_page("Group", cell=plain),
        Column("score", head="score").on_page("Score", cell=called),
        Column("with", "other", "with").on_page("With", cell=called),
        Column("rho", None, "rho", decimals).on_page("Spearman’s ρ"),
        Column("ci_low", "low").on_page("From", "%.3f"),
        Column("ci_high", "high").on_page("To", "%.3f"),
        Column("n", head="images").on_page("Images"),
    )
    return Table(rows, columns)


def pairs_table(rows: Sequence[WithPeople]) -> Table:
    """About which share of pairs each score agrees with people."""
    columns = (
        Column("score", "name", "score").on_page("Score", cell=lambda name: NAMES.get(name, name)),
        Column("agreement", "value", "agreement", decimals).on_page("Same choice as people", cell=percent),
        *ends(title="95% interval"),
        Column("n", None, "pairs", whole).on_page("Pairs"),
    )
    return Table(rows, columns)


def confusion_table(rows: Sequence[WithPeople]) -> Table:
    """Which image of a pair people chose, and which the score: pairs by both."""
    flat = [(row, i) for row in rows if row.confusion is not None for i in range(len(CHOICES))]

    def count(j: int) -> Column:
        head = f"score: {CHOICES[j]}"
        return Column(CHOICES[j], lambda row: int(row[0].confusion[row[1], j]), head, whole).on_page(
            head.capitalize()
        )

    columns = (
        Column("score", lambda row: row[0].name, "score").on_page(
            "Score", cell=lambda name: NAMES.get(name, name)
        ),
        Column("people", lambda row: CHOICES[row[1]], "people").on_page("People"),
        *map(count, range(len(CHOICES))),
    )
    return Table(flat, columns)
