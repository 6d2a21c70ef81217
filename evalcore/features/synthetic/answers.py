"""The questions about groups of images, each answered by a few sentences, tables and figures: commands print
them or write them into files, and the page draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.evaluate.duplicates import NEAR
from evalcore.features.synthetic import copies, distances, figures, networks, wsi
from evalcore.features.synthetic.groups import Material
from evalcore.features.synthetic.measure import ImageSettings, black
from evalcore.features.synthetic.people import CHOICES, PairJudgment, agreement
from evalcore.figures.frame import AccessibleFigure
from evalcore.figures.theme import Theme
from evalcore.results.rows import Column, Table, also, decimals, ends, named, only_saved, percent
from evalcore.results.study import PROBLEM
from evalcore.stats.levels import SAME
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import Floats
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import listed, number, plain, pluralize, upper_first

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
    figures: Callable[[Theme], Mapping[str, AccessibleFigure]] = lambda _: {}

    @property
    def file(self) -> str:
        return self.key.replace("_", "-")

    @property
    def shown(self) -> Table:
        """The table in the order for people."""
        return self.table if self.first is None else self.table._replace(rows=self.first)


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
                n, most = len(part.table.rows), PRINTED if part.first is not None else None
                rows = part.shown.rows[:most]
                yield f"\n{part.title}{f' ({len(rows):,} of {n:,})' if len(rows) < n else ''}:"
                yield part.table._replace(rows=rows)
                yield from filter(None, [part.note])


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared: measured groups, and everything that decides what is said of them.

    pairs: which of two images people found better. resnet: the weights of ResNet-18, lpips: the folder with
    those of LPIPS; "default" for those of the workspace. progress: of what takes time.
    """

    material: Material
    config: wsi.WsiConfig
    weights: wsi.Weights
    images: ImageSettings
    pairs: Sequence[PairJudgment] = ()
    resnet: str | None = None
    lpips: str | None = None
    progress: Progress = silent

    @cached_property
    def evaluation(self) -> wsi.Evaluation:
        return wsi.evaluate(self.material.features, weights=self.weights, config=self.config)

    @cached_property
    def near(self) -> list[copies.Copy]:
        """Pictures that are nearly the same as a real one."""
        return copies.near_copies(self.material.pictures, self.material.real, self.progress)

    @property
    def suspected(self) -> dict[str, list[str]]:
        """The images of each group that are near-identical to a real one."""
        return {
            group.name: list(dict.fromkeys(copy.generated for copy in self.near if copy.group == group.name))
            for group in self.evaluation.groups
        }

    @cached_property
    def vectors(self) -> tuple[dict[str, Floats], str]:
        """Of the images of every group, and what they are: by ResNet-18, or the features themselves.

        Raises InputError where what makes them is missing.
        """
        if self.resnet is None:
            vectors = distances.feature_vectors(self.material.features)
            return vectors, f"{vectors[self.material.real].shape[1]} features in spreads of the real images"
        vectors, n = {}, len(self.material.features)
        for i, group in enumerate(self.material.features):
            if group not in self.material.pictures:
                raise InputError(f"{group} has features only; ResNet-18 needs pictures.")
            pictures = self.material.pictures[group].all()
            vectors[group] = networks.resnet_vectors(pictures, self.resnet, part_of(self.progress, i, n))
        return vectors, "ResNet-18, average pool"


# How facts are written.


def _texts(**titles: str) -> tuple[Column, ...]:
    """Facts that are written as they are, by their titles."""
    return tuple(
        Column(name, None, title.lower(), str).on_page(title, cell=_plain) for name, title in titles.items()
    )


def _plain(fact: object) -> object:
    return plain(fact) if isinstance(fact, str) else "" if fact is None else fact


def _numbers(form: str = "", /, **titles: str) -> tuple[Column, ...]:
    """Facts with four decimals in the terminal, and ``form`` on pages."""
    columns = {name: Column(name, None, title, decimals) for name, title in titles.items()}
    return tuple(column.on_page(plain(titles[name]), form) for name, column in columns.items())


def _share(name: str, title: str) -> Column:
    """A share of images or features."""
    return Column(name, None, title, percent).on_page(plain(title), cell=percent)


# How similar? Groups, features and images.


def scores_table(evaluation: wsi.Evaluation) -> Table:
    """The scores of the groups: the archetypes, the same held out where they are, then the others."""
    real = evaluation.archetypes.name
    columns = (
        Column("name", None, "group", lambda name: name + " (archetypes)" * (name == real)).on_page(
            "Group", cell=plain
        ),
        Column("n", lambda group: len(group.values), "images").on_page("Images"),
        Column("n_defined", lambda group: int(group.values.count()), "with a score").on_page("With a score"),
        *_numbers(mean="Mean ↑"),
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
        *_numbers("%.3g", low="Lower end", high="Upper end", weight="Weight"),
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
        *_texts(ID="Image", group="Group"),
        *_numbers(wsi="Score ↑"),
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
    return (
        f"WSI by {len(evaluation.names):,} features, alpha = {config.alpha:g}, beta = {config.beta:g}, "
        f"weights {weights}, against {by}. Tolerance: {tolerance} of {len(evaluation.archetypes.values):,} "
        f"archetype images. Intervals: {config.level:.0%}, {wsi.METHOD}, {config.n_resamples:,} resamples, "
        f"seed {config.seed}."
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
        message = f"With {n} archetype images each tolerance depends on the outermost; {needed} are needed."
        problems.warning("few-archetypes", message, "Give more archetype images.")
    unknown, constant = np.isnan(evaluation.bounds[0]), (values.nunique() == 1).to_numpy() & (n > 1)
    checks = [
        (real, "no-tolerance", unknown, "no archetype image has a value; they do not count in any score"),
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
    return Table(rows, (*_texts(what="What is set", setting="Setting"), *_numbers(**by_group)))


def _without(channels: Sequence[str]) -> str:
    return plain(" and ".join(channels) or "nothing")


CHANNELS = (
    *_texts(group="Group"),
    Column("without", lambda row: ";".join(row["without"])),
    also("without", "without", _without).on_page("Without", cell=_without),
    *_texts(n="Images"),
    *_numbers(wsi="Mean score"),
    *ends(title="95% interval"),
    *_numbers(ideal="Ideal"),
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
        alpha, beta = (side if side in wsi.SIDES else 1.0 for side in (config.alpha, config.beta))
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


# Copies.

SIMILARITIES = (
    *_texts(group="Group", question="Question", by="By"),
    *_numbers(generated="Generated", training="Training"),
    *_texts(n_generated="Generated images", n_training="Training images"),
)
NEAREST = (
    *_texts(group="Group", image="Generated image", nearest_wsi="Nearest by features"),
    *_numbers(wsi="WSI"),
    *_texts(nearest_cosine="Nearest by vectors"),
    *_numbers(cosine="Cosine"),
)
NEAR_COPIES = _texts(
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
            f"Difference hash, at most {NEAR} of 256 bits apart. Turned, mirrored and cut ones are missed.",
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
        if row["generated"] > row["training"]:
            value, training = f"{row['by']} {number(row['generated'])}", number(row["training"])
            signs.append(f"images are {what} ({value}) than training images are to each other ({training})")
    return f"{upper_first(name)}: {'; '.join(signs) or 'no sign of copies or of little variety'}."


# Distances, and agreement with people.

DISTANCES = (
    *_texts(group="Group", n="Images"),
    *_numbers(
        "%.4g",
        kl_group_real="KL(group ‖ real)",
        kl_real_group="KL(real ‖ group)",
        kl_sum="Sum of both",
        frechet_squared="Fréchet distance, squared",
        mahalanobis_mean="Mean Mahalanobis distance",
    ),
)
FIDELITY = (
    *_texts(group="Group", n="Images"),
    *_numbers(
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
    *_texts(n="Pairs"),
)
"""About which share of pairs each score agrees with people."""
CONFUSION = (_SCORE, *_texts(people="People", **{choice: f"Score: {choice}" for choice in CHOICES}))
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
    text = f"{upper_first(first)} is nearest to the real images (Fréchet {number(near)})"
    text += f", {last} farthest ({number(most)})" if len(known) > 1 else ""
    if half[0] is not None:
        text += f"; halves of the real images are {number(half[0])} apart"
        text += ", so it is as near as real images are to each other" if near <= half[0] else ""
    return f"{text}."
