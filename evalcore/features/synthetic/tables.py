"""The tables of scores, distances and copies: commands, the page and files draw these columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from evalcore.features.synthetic.copies import Copy, Memorisation
from evalcore.features.synthetic.distances import MEASURES, AllDistances, K
from evalcore.features.synthetic.people import CHOICES, NAMES, Agreed, WithPairs
from evalcore.features.synthetic.wsi import Evaluation, GroupScore, channels_of, mean_of
from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    ends,
    ends_text,
    named,
    only_saved,
    p_text,
    percent,
    whole,
)
from evalcore.values.writing import plain, span

_SCORE = "%.3f"
_GROUP = Column("group", head="group").on_page("Group", cell=plain)


def _called(name: str) -> str:
    return NAMES.get(name, name)


def scores_table(evaluation: Evaluation) -> Table:
    """The scores of the groups: the archetypes, the same held out where they are, then the others."""
    outside = "Features outside the range in an image and in a real one, on average: these do not count."

    def end(name: str, at: int, title: str) -> Column:
        return Column(name, lambda group: group.quartiles[at], title.lower(), decimals).on_page(title)

    columns = (
        Column(
            "name", None, "group", lambda name: name + " (archetypes)" * (name == evaluation.archetypes.name)
        ).on_page("Group", cell=plain),
        Column("n", lambda group: len(group.values)).on_page("Images"),
        Column("n_defined", lambda group: len(group.defined), "n", whole),
        also("undefined", lambda group: len(group.values) - len(group.defined), whole).on_page(
            "Without a score"
        ),
        Column("mean", None, "WSI", decimals).on_page("Mean ↑"),
        *ends(title="95% interval"),
        Column("sd", None, "sd", decimals),
        end("min", 0, "Lowest"),
        Column("q25", lambda group: group.quartiles[1]),
        end("median", 2, "Median"),
        Column("q75", lambda group: group.quartiles[3]),
        end("max", 4, "Highest"),
        Column(
            "both_lack", lambda group: mean_of(group.both_lack), "both outside", lambda n: decimals(n, 1)
        ).on_page("Both outside", "%.1f", help=outside),
    )
    return Table(evaluation.rows, columns)


def features_table(evaluation: Evaluation, called: Callable[[str], str] = plain) -> Table:
    """Weight, range with the intervals of its ends, and the share of every group, of rows that are places.

    ``called``: what pages call a feature.
    """
    channels, measured = channels_of(evaluation.names), evaluation.values
    n, constant = measured.count().to_numpy(), (measured.max() == measured.min()).to_numpy()
    (low, high), ((low_from, low_to), (high_from, high_to)) = evaluation.bounds, evaluation.bound_intervals

    def end(name: str, values: Any, saved: str, title: str, head: str | None = None) -> Column:
        column = Column(name, lambda j: float(values[j]), head, decimals)
        return column.in_file(saved).on_page(title, "%.3g", expert=head is None)

    def share(group: GroupScore) -> Column:
        shares = group.shares
        column = Column(f"share {group.name}", lambda j: float(shares[j]), f"% {group.name}", percent)
        return column.on_page(plain(group.name), "%.3g")

    columns = (
        Column("name", lambda j: evaluation.names[j], "feature")
        .on_page("Feature", cell=called)
        .in_file("feature"),
        Column("channel", lambda j: channels[j]).in_file(""),
        end("low", low, "low", "Lower end", "low"),
        end("high", high, "high", "Upper end", "high"),
        end("low_ci_low", low_from, "low_from", "Lower end from"),
        end("low_ci_high", low_to, "low_to", "Lower end to"),
        end("high_ci_low", high_from, "high_from", "Upper end from"),
        end("high_ci_high", high_to, "high_to", "Upper end to"),
        Column("n", lambda j: int(n[j])).on_page("Real images"),
        Column("constant", lambda j: bool(constant[j])).on_page("One value only"),
        Column(
            "weight", lambda j: float(evaluation.weights.iloc[j]), "weight", lambda weight: f"{weight:.4g}"
        ).on_page("Weight", "%.3g"),
        *map(share, evaluation.rows),
    )
    return Table(range(len(evaluation.names)), columns)


def subjects_table(evaluation: Evaluation) -> Table:
    """Every image of the groups; missing: the features outside the tolerance."""
    rows = [
        {
            "ID": image,
            "group": group.name,
            "wsi": float(group.values.iloc[i]),
            "missing": group.presence.missing(i, evaluation.names),
            "not_counted": list(evaluation.names[~group.presence.known[i]]),
            "both_lack": float(group.both_lack[i]),
        }
        for group in evaluation.groups
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
        also("missing", lambda row: len(row["missing"]), whole),
        also("such as", "missing", some),
    )
    return Table(rows, columns)


def by_group(rows: Sequence[tuple[str, Sequence[float]]], groups: Sequence[str], head: str) -> Table:
    """Means by group under the settings of the rows, for the terminal."""
    means = [
        also(group, lambda row, k=k: float(row[1][k]), decimals)  # type: ignore[misc]
        for k, group in enumerate(groups)
    ]
    return Table(rows, [also(head, lambda row: row[0]), *means])


def settings_table(rows: pd.DataFrame) -> Table:
    """Scores under other settings."""
    columns = (
        _GROUP._replace(head=None),
        Column("what").on_page("What is set"),
        Column("setting").on_page("Setting"),
        Column("mean").on_page("Mean score", "%.4f"),
    )
    return Table(rows.to_dict("records"), columns)


def ablation_table(rows: pd.DataFrame) -> Table:
    """What scores become without some channels."""

    def written(channels: str) -> str:
        return channels.replace(";", " and ") or "nothing"

    columns = (
        _GROUP,
        Column("without", lambda row: ";".join(row["without"]), "without", written).on_page(
            "Without", cell=written
        ),
        Column("n").on_page("Images"),
        Column("wsi", None, "WSI", decimals).on_page("Mean score"),
        *ends(title="95% interval"),
        Column("predicted", None, "predicted", decimals).on_page("Predicted"),
        Column("ideal", None, "ideal", decimals).on_page("Ideal"),
        Column("detected", None, "detected", percent).on_page("Detected", cell=percent),
    )
    return Table(rows.to_dict("records"), columns)


def distances_table(apart: AllDistances) -> Table:
    """How far each group is from the real images."""

    def distance(name: str, head: str, title: str) -> Column:
        return Column(name, None, head, decimals).on_page(title, "%.4g")

    columns = (
        _GROUP,
        Column("n", head="images").on_page("Images"),
        distance("kl_group_real", "KL(group||real)", "KL(group ‖ real)"),
        distance("kl_real_group", "KL(real||group)", "KL(real ‖ group)"),
        distance("kl_sum", "sum", "Sum of both"),
        distance("frechet_squared", "Frechet^2", "Fréchet distance, squared"),
        distance("mahalanobis_mean", "mean Mahalanobis", "Mean Mahalanobis distance"),
        only_saved("shrunk"),
        Column("shrinkage"),
        Column("why").in_file(""),
    )
    return Table(apart.rows, columns)


def fidelity_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Precision, recall, density, coverage and KID of every group, with their intervals."""

    def written(value: tuple[Any, ...]) -> str:
        return "-" if None in value else "{:.3g} [{:.3g}, {:.3g}]".format(*value)

    columns = [_GROUP, Column("n", None, "images").on_page("Images")]
    for name, title in MEASURES.items():
        names = name, f"{name}_low", f"{name}_high"
        cell = also(name, lambda row, names=names: tuple(row[end] for end in names), written)  # type: ignore[misc]
        columns += [cell.on_page(f"{title} {'↓' if name == 'kid' else '↑'}", cell=written), *named(*names)]
    few = f"fewer than {K + 1} images with vectors"
    why = Column("why", lambda row: few if row["kid"] is None else "")
    return Table(rows, (*columns, why, Column("n_real")))


def tests_table(groups: Mapping[str, Memorisation]) -> Table:
    """Whether groups repeat themselves or the training images, by features and by vectors."""
    names = {"WSI": "features (WSI)", "cosine": "vectors (cosine)"}
    tests = [
        (group, question, by, test, each.drawn)
        for group, each in groups.items()
        for question, by, test in (
            ("self-similarity", "WSI", each.repeats),
            *(("nearest training image", by, test) for by, test in each.near.items()),
        )
    ]

    def fact(name: str, head: str | None = None, text: Callable[[Any], str] = str) -> Column:
        return Column(name, lambda row: getattr(row[3], name), head, text)

    def yes(flagged: bool) -> str:
        return "yes" if flagged else ""

    columns = (
        Column("group", lambda row: row[0], "group"),
        Column("question", lambda row: row[1], "question").on_page("Question", cell=str.capitalize),
        Column("by", lambda row: row[2], "by").on_page("By", cell=names.get),
        fact("generated", "generated", decimals).on_page("Generated"),
        fact("training", "training", decimals).on_page("Training"),
        fact("difference", "difference", decimals).on_page("Difference"),
        also("95% interval", lambda row: (row[3].low, row[3].high), ends_text).on_page(
            "95% interval", cell=lambda both: span(*both)
        ),
        fact("low")._replace(name="ci_low"),
        fact("high")._replace(name="ci_high"),
        fact("p", "p", p_text).on_page("p"),
        fact("flagged", "more similar", yes).on_page("More similar than chance", cell=yes),
        *map(fact, ("n_generated", "n_training", "n_resamples", "level", "seed")),
        Column("sample", lambda row: row[4]),
    )
    return Table(tests, columns)


def nearest_table(groups: Mapping[str, Memorisation]) -> Table:
    """Of every generated image the nearest training image by features and by vectors."""
    rows = [(name, group, i) for name, group in groups.items() for i in range(len(group.generated_ids))]

    def nearest(by: str) -> Callable[[Any], str | None]:
        def of_row(row: tuple[str, Memorisation, int]) -> str | None:
            _, group, i = row
            at = int(group.nearest[by].image[i])
            return group.training_ids[at] if at >= 0 else None

        return of_row

    columns = [
        Column("group", lambda row: row[0]),
        Column("image", lambda row: row[1].generated_ids[row[2]]).on_page("Generated image", cell=plain),
    ]
    for by, kind, key in (("WSI", "features", "wsi"), ("cosine", "vectors", "cosine")):
        value = Column(key, lambda row, by=by: float(row[1].nearest[by].value[row[2]]))  # type: ignore[misc]
        ties = Column(f"as_near_{key}", lambda row, by=by: int(row[1].nearest[by].ties[row[2]]))  # type: ignore[misc]
        columns += [
            Column(f"nearest_{key}", nearest(by)).on_page(
                f"Nearest by {kind}", cell=lambda name: plain(name or "")
            ),
            value.on_page(by.capitalize() if by == "cosine" else by, _SCORE),
            ties.on_page(f"Tied ({by})"),
        ]
    records = Table(rows, columns).records()
    return Table(records, [column._replace(value=None) for column in columns])


def copies_table(copies: Sequence[tuple[str, Sequence[str], Sequence[str], Sequence[Copy]]]) -> Table:
    """Pictures nearly the same, of (group, ids of the training images, its own ids, its copies)."""
    rows = [
        {
            "group": group,
            "generated": own[copy.generated],
            "like": (training if copy.of_training else own)[copy.other],
            "of_training": copy.of_training,
            "bits": copy.bits,
        }
        for group, training, own, those in copies
        for copy in those
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


def agreement_table(rows: Sequence[Agreed]) -> Table:
    """Spearman's rho of every two scores within each group, and with the ratings of people."""
    columns = (
        _GROUP,
        Column("score", head="score").on_page("Score", cell=_called),
        Column("with", "other", "with").on_page("With", cell=_called),
        Column("rho", None, "rho", decimals).on_page("Spearman’s ρ"),
        Column("ci_low", "low").on_page("From", _SCORE),
        Column("ci_high", "high").on_page("To", _SCORE),
        Column("n", head="images").on_page("Images"),
    )
    return Table(rows, columns)


def pairs_table(rows: Sequence[WithPairs]) -> Table:
    """About which share of pairs each score agrees with people."""
    columns = (
        Column("score", "name", "score").on_page("Score", cell=_called),
        Column("agreement", "value", "agreement", decimals).on_page("Same choice as people", cell=percent),
        *ends(title="95% interval"),
        Column("n", None, "pairs", whole).on_page("Pairs"),
    )
    return Table(rows, columns)


def confusion_table(rows: Sequence[WithPairs]) -> Table:
    """Which image of a pair people chose, and which the score: pairs by both."""
    records = [
        {"score": row.name, "people": choice, **dict(zip(CHOICES, counts, strict=True))}
        for row in rows
        for choice, counts in zip(CHOICES, row.confusion.tolist(), strict=True)
    ]
    columns = (
        Column("score", head="score").on_page("Score", cell=_called),
        Column("people", head="people").on_page("People"),
        *(Column(choice, None, f"score: {choice}", whole).on_page(f"Score: {choice}") for choice in CHOICES),
    )
    return Table(records, columns)
