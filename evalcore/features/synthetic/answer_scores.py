"""How similar are groups of images to the real ones, and what would their scores be under other settings?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import ceil

import numpy as np
import pandas as pd

from evalcore.features.synthetic import figures, wsi
from evalcore.features.synthetic.answers import Answer, Compared, Part, numbers, texts
from evalcore.features.synthetic.measure import black
from evalcore.figures.frame import AccessibleFigure
from evalcore.figures.theme import Theme
from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, percent
from evalcore.results.study import PROBLEM
from evalcore.stats.levels import SAME
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import Report
from evalcore.values.writing import listed, number, plain, pluralize, upper_first


def _share(name: str, title: str) -> Column:
    """A share of images or features."""
    return Column(name, None, title, percent).on_page(plain(title), cell=percent)


def scores_table(evaluation: wsi.Evaluation) -> Table:
    """The scores of the groups: the archetypes, the same held out where they are, then the others."""
    real = evaluation.archetypes.name
    columns = (
        Column("name", None, "group", lambda name: name + " (archetypes)" * (name == real)).on_page(
            "Group", cell=plain
        ),
        Column("n", lambda group: len(group.values), "images").on_page("Images"),
        Column("n_defined", lambda group: int(group.values.count()), "with a score").on_page("With a score"),
        *numbers(mean="Mean ↑"),
        *ends(title="95% interval"),
        Column("sd", lambda group: float(group.values.dropna().std()), "SD", decimals).on_page("SD"),
        Column("median", lambda group: float(group.values.median()), "Median", decimals).on_page("Median"),
    )
    return Table(evaluation.rows, columns)


def features_table(evaluation: wsi.Evaluation) -> Table:
    """The tolerance and the weight of every feature, and the share of every group that has it."""
    low, high = evaluation.bounds.tolist()
    facts = {"name": evaluation.names, "low": low, "high": high, "weight": evaluation.weights.tolist()}
    facts |= {f"share {group.name}": group.shares.tolist() for group in evaluation.rows}
    columns = (
        Column("name", None, "feature").on_page("Feature", cell=plain).in_file("feature"),
        *numbers("%.3g", low="Lower end", high="Upper end", weight="Weight"),
        *(_share(f"share {group.name}", group.name) for group in evaluation.rows),
    )
    return Table([dict(zip(facts, row, strict=True)) for row in zip(*facts.values(), strict=True)], columns)


def _such_as(names: list[str]) -> str:
    return plain(listed(names, limit=4)) or "-"


def images_table(evaluation: wsi.Evaluation) -> Table:
    """Every image of the groups; missing: the features outside the tolerance."""
    rows = [
        {"ID": image, "group": group.name, "wsi": float(score), "missing": list(evaluation.names[absent])}
        for group in evaluation.groups
        for (image, score), absent in zip(group.values.items(), group.presence == wsi.ABSENT, strict=True)
    ]
    columns = (
        *texts(ID="Image", group="Group"),
        *numbers(wsi="Score ↑"),
        Column("missing").in_file(""),
        only_saved("missing", lambda row: ";".join(row["missing"])),
        also("missing", lambda row: len(row["missing"])).on_page("Outside the range"),
        also("such as", "missing", _such_as).on_page("Such as", cell=_such_as),
    )
    return Table(rows, columns)


def score_answer(compared: Compared) -> Answer:
    """The scores of groups, and which features their images have."""
    evaluation, notes = compared.evaluation, remarks(compared.evaluation)
    images, features = images_table(evaluation), features_table(evaluation)
    lead = headline(evaluation, compared.suspected)
    worst = sorted(images.rows, key=lambda row: (np.nan_to_num(row["wsi"], nan=2), row["group"], row["ID"]))
    shares = {group.name: group.shares for group in evaluation.everyone}
    presence = pd.DataFrame(shares, evaluation.names)
    below = presence.iloc[:, 1:].sub(presence.iloc[:, 0], axis=0).fillna(2.0).min(axis=1).to_numpy()
    order = np.argsort(below, kind="stable")
    parts = [
        Part(
            "scores",
            scores_table(evaluation),
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
        "ci_method": wsi.METHOD,
        "headline": lead,
        "suspected_copies": compared.suspected,
        "remarks": Table(notes.problems, PROBLEM),
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
    features = pluralize(len(evaluation.names), "feature")
    images = pluralize(len(evaluation.archetypes.values), "archetype image")
    return (
        f"WSI by {features}, alpha = {config.alpha:g}, beta = {config.beta:g}, weights {weights}, against "
        f"{by}. Tolerance: {tolerance} of {images}. Intervals: {config.level:.0%}, {wsi.METHOD}, "
        f"{config.n_resamples:,} resamples, seed {config.seed}."
    )


MANY = 0.1
"""Share of suspected copies from which on a group's score is not compared with other groups'."""


def remarks(evaluation: wsi.Evaluation) -> Report:
    """Warnings about the features of the archetypes, and about what was not measured of whom."""
    real = evaluation.archetypes.name
    problems, values = Problems(real), pd.DataFrame(wsi.finite(evaluation.tables[real]))
    n, (low, high) = len(values), evaluation.config.quantiles
    tail = min(low, 1 - high) if evaluation.config.within is None else 0.0
    needed = 1 + ceil(round(1 / tail, 9)) if tail else 1  # else a quantile is beyond the second most extreme
    if n < needed:
        few = pluralize(n, "archetype image")
        message = f"With {few} each tolerance depends on the outermost; {needed} are needed."
        problems.warning("few-archetypes", message, "Give more archetype images.")
    unknown, constant = np.isnan(evaluation.bounds[0]), (values.nunique() == 1).to_numpy() & (n > 1)
    checks = [
        (real, "no-tolerance", unknown, "no archetype image has a value; left out of every score"),
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


def headline(evaluation: wsi.Evaluation, suspected: Mapping[str, Sequence[str]]) -> list[str]:
    """The result in a few sentences of plain text.

    Suspected copies (by group) come first, and groups with many are not called like real images. Others
    follow, closest first, the score of held-out real images, where there are enough of them.
    """
    groups = [group for group in evaluation.groups if group.values.notna().any()]
    if not groups:
        return ["No image of these groups has a score: they share no feature with the real images."]
    shares = {group.name: len(suspected.get(group.name, ())) / len(group.values) for group in groups}
    lines, own = [], evaluation.held_out or evaluation.archetypes
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


def settings_table(means: pd.DataFrame) -> Table:
    """The mean of every group under other settings (`sensitivity`)."""
    rows = means.add_prefix("mean ").reset_index().to_dict("records")
    by_group = {f"mean {group}": group for group in means}
    return Table(rows, (*texts(what="What is set", setting="Setting"), *numbers(**by_group)))


def _without(channels: Sequence[str]) -> str:
    return plain(" and ".join(channels) or "nothing")


CHANNELS = (
    *texts(group="Group"),
    Column("without", lambda row: ";".join(row["without"])),
    also("without", "without", _without).on_page("Without", cell=_without),
    *texts(n="Images"),
    *numbers(wsi="Mean score"),
    *ends(title="95% interval"),
    *numbers(ideal="Ideal"),
    _share("detected", "Detected"),
)
"""What scores become without some channels (`channel_ablation`)."""


def settings_answer(compared: Compared) -> Answer:
    """The mean score of each group under other settings, without each feature, and without channels."""
    evaluation, config, by_group = compared.evaluation, compared.config, compared.material.features
    means = wsi.sensitivity(by_group, weights=compared.weights, config=config, progress=compared.progress)
    sides = means.loc[wsi.ALPHA_BETA]
    sides.index = pd.MultiIndex.from_tuples(tuple(map(float, name.split(", "))) for name in sides.index)

    def drawn(theme: Theme) -> dict[str, AccessibleFigure]:
        """Over alpha and over beta, the other as it is (or 1), over the tolerance, and without features."""
        alpha, beta = (side if side in wsi.ALPHAS_BETAS else 1.0 for side in (config.alpha, config.beta))
        level = config.quantiles[1] - config.quantiles[0] if config.within is None else None
        over = {
            "alpha": (sides.xs(beta, level=1), config.alpha, "alpha, the weight of what is extra"),
            "beta": (sides.xs(alpha, level=0), config.beta, "beta, the weight of what is missing"),
            "level": (means.loc[wsi.LEVEL], level, "the middle share of real images that is within"),
            "tolerance": (means.loc[wsi.SHARE], config.within, "tolerance as a share of the mean"),
        }
        if config.archetype == "tolerance":
            del over["alpha"]  # which decides nothing
        change = means.loc[wsi.WITHOUT] - [group.mean for group in evaluation.everyone]
        return {
            name: figures.setting_lines(table.rename(index=float), what=what, now=now, theme=theme)
            for name, (table, now, what) in over.items()
        } | {"without": figures.change_map(change, theme=theme)}

    title = "Group means under other settings, and without each feature"
    parts = [Part("sensitivity", settings_table(means), title, figures=drawn)]
    if (
        compared.material.pictures.keys() == by_group.keys()
        and len(wsi.channels_of(evaluation.names).unique()) > 1
    ):
        rows = wsi.channel_ablation(by_group, black(compared.images), weights=compared.weights, config=config)
        note = (
            "Ideal: were everything within tolerance but the features of removed channels. Detected: share "
            "of those features out of tolerance."
        )
        parts.append(
            Part("channels", Table(rows.to_dict("records"), CHANNELS), "Without channels", note=note)
        )
    return Answer([_settings_lead(sides[list(by_group)[1:]].dropna())], {}, parts)


def _settings_lead(means: pd.DataFrame) -> str:
    """Do alpha and beta change which group has the highest score?"""
    if means.empty:
        return "No setting gives a score."
    values = means.to_numpy()
    if values.shape[1] < 2:
        ends = f"between {number(values.min())} and {number(values.max())}"
        return f"Under other alpha and beta the mean score is {ends}."
    apart = means[np.ptp(values, axis=1) > SAME]
    if apart.empty:
        return "Under every pair of alpha and beta, all groups have the same score."
    wins = apart.idxmax(axis=1).value_counts()
    of_all = f"{wins.iloc[0]} of {len(means)} pairs of alpha and beta"
    return f"{upper_first(wins.index[0])} has the highest score under {of_all}."
