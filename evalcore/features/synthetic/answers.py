"""What commands and page answer about groups of images: a few sentences, facts, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.evaluate.duplicates import NEAR
from evalcore.features.synthetic import figures, networks, people, tables
from evalcore.features.synthetic.ablation import ALPHA_BETA, LEVEL, SHARE, SIDES, WEIGHTS, WITHOUT
from evalcore.features.synthetic.copies import METHOD as RELABELLED
from evalcore.features.synthetic.copies import (
    Memorisation,
    cosines,
    hashes_of,
    memorisation,
    near_copies,
    nearest,
)
from evalcore.features.synthetic.distances import (
    N_RESAMPLES,
    AllDistances,
    K,
    all_distances,
    feature_vectors,
    fidelity,
)
from evalcore.features.synthetic.files import People
from evalcore.features.synthetic.findings import capitalised, headline, remarks
from evalcore.features.synthetic.groups import Material
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.wsi import METHOD, Evaluation, GroupScore, WsiConfig, evaluate
from evalcore.figures.frame import Drawn
from evalcore.figures.theme import Theme
from evalcore.results.rows import Table, decimals, named, plain
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import number, pluralize, span

if TYPE_CHECKING:
    from evalcore.cli.output import Item

Name = Callable[[str], str]


class Part(NamedTuple):
    """A table of an answer. key: its name in JSON; files write it with dashes. title: above it in the
    terminal, "" where that leaves it out. rows: those that the terminal prints, where not all. note: below
    it, plain text."""

    key: str
    table: Table
    title: str = ""
    rows: Sequence[Any] | None = None
    note: str = ""


class Answer(NamedTuple):
    """A question, answered: ``lead`` in a few sentences; ``facts`` of JSON; its tables; the key of the one
    that ``--csv`` writes; figures by file name, drawn in a theme."""

    lead: list[str]
    facts: dict[str, Any]
    parts: list[Part]
    csv: str
    figures: Callable[[Theme], dict[str, Drawn]]
    remarks: Report = Report()

    @property
    def tables(self) -> dict[str, Table]:
        """By the names of their files."""
        return {part.key.replace("_", "-"): part.table for part in self.parts if part.key}

    def part(self, key: str) -> Part:
        """The part of a key."""
        return next(part for part in self.parts if part.key == key)

    def items(self) -> Iterator[Item]:
        """For `emit`: everything that is printed, in its order."""
        yield "\n".join(self.lead)
        for part in self.parts:
            yield {part.key: part.table} if part.key else {}
            if part.title and part.table.rows:
                rows, n = part.table.rows if part.rows is None else part.rows, len(part.table.rows)
                some = f" ({len(rows):,} of {n:,})" if len(rows) < n else ""
                yield f"\n{part.title}{some}:"
                yield part.table._replace(rows=rows)
                yield from filter(None, [part.note])


# Scores.

MOST_FEATURES = 60
"""Features of a figure: those that are most often outside the range."""


def score_answer(
    evaluation: Evaluation,
    *,
    images: ImageSettings | None = None,
    left_out: Mapping[str, int] | None = None,
    weights: str = "uniform",
    suspected: Mapping[str, Sequence[str]] | None = None,
    settings: pd.DataFrame | None = None,
    channels: pd.DataFrame | None = None,
    top: int = 20,
    name: Name = plain,
) -> Answer:
    """The scores of groups; ``name`` writes the name of a group in the lead.

    images: how pictures were measured, None for tables. settings: scores under other settings
    (`sensitivity`); channels: without channels (`channel_ablation`).
    """
    notes, config = remarks(evaluation), evaluation.config
    subjects, features = tables.subjects_table(evaluation), tables.features_table(evaluation)
    worst = sorted(subjects.rows, key=lambda row: (np.nan_to_num(row["wsi"], nan=2), row["group"], row["ID"]))
    shares = np.array([group.shares for group in evaluation.everyone])
    order = np.argsort(np.nan_to_num(shares[1:] - shares[0], nan=2.0).min(axis=0), kind="stable").tolist()
    lost = sum((left_out or {}).values())
    parts = [
        Part(
            "scores",
            tables.scores_table(evaluation),
            "Scores",
            note=_how_scored(evaluation, weights)
            + (f" Left out, because unreadable: {pluralize(lost, 'image')}." if lost else ""),
        ),
        Part(
            "features",
            features,
            "Features and who has them, furthest below the archetypes first",
            order[: top or None],
            f"Intervals of the ends: {config.level:.0%} percentile bootstrap over real images, "
            f"{pluralize(config.n_resamples, 'resample')}, seed {config.seed}.",
        ),
        Part("images", subjects, "Images, lowest scores first", worst[: top or None]),
    ]
    if settings is not None:
        parts += _settings_parts(evaluation, settings, top)
    if channels is not None:
        table = tables.ablation_table(channels)
        note = (
            "Predicted: from the whole images, the features of removed channels counted as absent. Ideal: "
            "were everything within tolerance but those. Detected: share of those features out of tolerance."
        )
        parts.append(Part("channels", table, "Without channels", note=note))
    facts: dict[str, Any] = {
        "settings": asdict(config) | {"weights": weights, "images": images and asdict(images)},
        "ci_method": METHOD,
        "headline": (lead := headline(evaluation, suspected or {}, name)),
        "suspected_copies": dict(suspected or {}),
        "left_out": dict(left_out or {}),
        "remarks": [problem.as_dict() for problem in notes.problems],
    }

    def drawn(theme: Theme) -> dict[str, Drawn]:
        kept = most_outside(evaluation)
        names = [group.name for group in evaluation.everyone]
        result = {
            "scores": figures.score_rows(evaluation.rows, score="WSI", theme=theme),
            "features": figures.presence_map(
                list(evaluation.names[kept]), names, shares.T[kept], theme=theme
            ),
        }
        for k, group in enumerate(evaluation.groups if settings is not None else (), start=1):
            each = settings_figures(settings, group, config, theme)
            result |= {f"{stem}-{k}": figure for stem, figure in each.items()}
        return result

    return Answer(lead, facts, parts, "images", drawn, notes)


def most_outside(evaluation: Evaluation) -> list[int]:
    """The places of the features of a figure."""
    shares = np.column_stack([group.shares for group in evaluation.groups])
    least = np.argsort(np.nan_to_num(shares, nan=1.0).min(axis=1), kind="stable")
    return sorted(least[:MOST_FEATURES].tolist())


def _how_scored(evaluation: Evaluation, weights: str) -> str:
    config, n = evaluation.config, len(evaluation.archetypes.values)
    by = "each archetype image, and the mean over them"
    if config.archetype == "tolerance":
        by = "one archetype that has every feature (alpha decides nothing)"
    tolerance = f"quantiles {config.quantiles[0]:g} to {config.quantiles[1]:g}"
    if config.within is not None:
        tolerance = f"+-{config.within:.4g} of the mean"
    return (
        f"WSI by {len(evaluation.names):,} features, alpha = {config.alpha:g}, beta = {config.beta:g}, "
        f"weights {plain(weights)}, against {by}. Tolerance: {tolerance} of {n:,} archetype images. "
        f"Intervals: {config.level:.0%}, {METHOD}, {config.n_resamples:,} resamples, seed {config.seed}."
    )


def _settings_parts(evaluation: Evaluation, settings: pd.DataFrame, top: int) -> list[Part]:
    """Group means by setting as rows; for the terminal a row per setting, and without each feature."""
    groups = [group.name for group in evaluation.everyone]
    kinds = {what: _means(settings, what, groups) for what in (ALPHA_BETA, LEVEL, SHARE, WEIGHTS, WITHOUT)}
    rows = [
        (f"{what} {setting}", means)
        for what, table in kinds.items()
        for setting, means in zip(table.index, table.to_numpy(), strict=True)
    ]
    change = np.abs(kinds[WITHOUT].to_numpy() - [group.mean for group in evaluation.everyone])
    order = np.argsort(-np.nan_to_num(change).max(axis=1, initial=0.0), kind="stable").tolist()
    n_others = len(rows) - len(change)
    shown = [*rows[:n_others], *(rows[n_others + j] for j in order[: top or None])]
    title = "Group means under other settings; without a feature, largest change first"
    every = Part("sensitivity", tables.settings_table(settings))
    return [every, Part("", tables.by_group(rows, groups, "setting"), title, shown)]


def _means(settings: pd.DataFrame, what: str, groups: Sequence[str]) -> pd.DataFrame:
    """The mean of each group (a column) under each setting of a kind, in their order."""
    chosen = settings[settings["what"] == what]
    table = chosen.pivot(index="setting", columns="group", values="mean")
    return table.reindex(chosen["setting"].unique(), columns=list(groups)).astype(float)


def settings_figures(
    settings: pd.DataFrame, group: GroupScore, config: WsiConfig, theme: Theme, called: Name = str
) -> dict[str, Drawn]:
    """Mean scores of a group over alpha and beta, over how wide the tolerance is, and without each feature.

    ``called``: what a feature is called.
    """
    sides = [f"{side:g}" for side in SIDES]
    means = {what: _means(settings, what, [group.name])[group.name] for what in settings["what"].unique()}
    square = pd.DataFrame(means[ALPHA_BETA].to_numpy().reshape(len(sides), len(sides)).T, sides, sides)
    axes = "weight of what is extra (alpha)", "weight of what is missing (beta)"
    now = f"{config.beta:g}", f"{config.alpha:g}"
    look: dict[str, Any] = {"group": group.name, "theme": theme}
    what = "what the settings change"
    drawn = {"alpha-beta": figures.settings_map(square, axes=axes, now=now, what=what, **look)}
    level = f"{config.quantiles[1] - config.quantiles[0]:.0%}" if config.within is None else ""
    share = "" if config.within is None else f"±{config.within:.0%}"
    for stem, kind, form, title, used in (
        ("level", LEVEL, "{:.0%}", "middle share of the real images counted as within", level),
        ("tolerance", SHARE, "±{:.0%}", "tolerance: so much of the mean of the real images", share),
    ):
        across = [form.format(float(name)) for name in means[kind].index]
        row = pd.DataFrame([means[kind].to_numpy()], ["mean score"], across)
        chosen, what = ("mean score", used), "how wide the tolerance is"
        drawn[stem] = figures.settings_map(row, axes=(title, ""), now=chosen, what=what, **look)
    without = means[WITHOUT]
    names = [called(name) for name in without.index]
    return drawn | {"without": figures.dropped_bars(names, without.to_numpy() - group.mean, **look)}


# Vectors of images: given ones, by ResNet-18, or the features themselves.


class Vectors(NamedTuple):
    """Of the real images and of each group, rows of NaN for images without one; ``what`` they are."""

    real: Floats
    groups: Mapping[str, Floats]
    what: str

    @property
    def digest(self) -> str:
        """Of the numbers."""
        return digest_of(self.real, *self.groups.values())


def vectors_of(material: Material, resnet: str | None = None, *, progress: Progress = silent) -> Vectors:
    """The vectors of the images; ``resnet``: the weights of ResNet-18, "default" for those of the workspace.

    Raises InputError where some groups have vectors and others none, or what makes them is missing.
    """
    without = [group.name for group in material.everyone if group.vectors is None]
    if resnet is not None:
        encode, rows, what = networks.load_encoder(resnet), [], "ResNet-18, average pool"
        for i, group in enumerate(material.everyone):
            if group.pictures is None:
                raise InputError(f"{group.name} has features only; ResNet-18 needs pictures.")
            rows.append(encode(group.pictures.all(), part_of(progress, i, len(material.everyone))))
    elif len(without) == len(material.everyone):
        rows = feature_vectors(material.real.features, [group.features for group in material.groups])
        what = f"{rows[0].shape[1]} features in spreads of the real images"
    elif without:
        raise InputError(f"There are no vectors of {', '.join(without)}. Give --vectors for every group.")
    else:
        rows, what = [np.asarray(group.vectors, float) for group in material.everyone], "given vectors"
    return Vectors(rows[0], dict(zip([group.name for group in material.groups], rows[1:], strict=True)), what)


# Copies.


def copies_answer(
    material: Material,
    vectors: Vectors,
    *,
    config: WsiConfig,
    n_resamples: int,
    near: int = NEAR,
    name: Name = plain,
    progress: Progress = silent,
) -> Answer:
    """Whether groups repeat themselves or the real images, which are the training images here."""
    real, *groups = material.tables.values()
    scored = evaluate(
        real, dict(zip(vectors.groups, groups, strict=True)), name=material.real.name, config=config
    )
    distances = {
        group.name: memorisation(
            scored.archetypes,
            group,
            (vectors.real, vectors.groups[group.name]),
            weights=scored.weights.to_numpy(),
            config=config,
            n_resamples=n_resamples,
            progress=progress,
        )
        for group in scored.groups
    }
    duplicates = _near_duplicates(material, near, progress)
    parts = [
        Part(
            "tests",
            tables.tests_table(distances),
            "Tests",
            note=f"{RELABELLED.capitalize()}, {n_resamples:,} relabellings, seed {config.seed}; 95% "
            f"intervals of the difference by bootstrap over images. Each test by itself at .05. Vectors: "
            f"{vectors.what}." + ("" if duplicates.rows else " No near-duplicate pictures."),
        ),
        Part(
            "nearest",
            tables.nearest_table(distances),
            note="Features take few values, so many training images can be equally near.",
        ),
        Part(
            "near_duplicates",
            duplicates,
            "Near-duplicate pictures",
            duplicates.rows[:20],
            f"Difference hash, at most {near} of 256 bits apart. Turned, mirrored and cut ones are missed.",
        ),
    ]
    facts = {
        "test": RELABELLED,
        "n_resamples": n_resamples,
        "settings": asdict(config),
        "vectors": vectors.what,
        "near": near,
    }

    def drawn(theme: Theme) -> dict[str, Drawn]:
        return {
            f"pairs-{k}": figures.pair_lines(
                *each.pairs, names=("training images", group), of="WSI of pairs", theme=theme
            )
            for k, (group, each) in enumerate(distances.items(), start=1)
        }

    lead = [capitalised(_copies_lead(name(group), each)) for group, each in distances.items()]
    return Answer(lead, facts, parts, "nearest", drawn)


def _copies_lead(name: str, memorised: Memorisation) -> str:
    repeats, near = memorised.repeats, memorised.near["cosine"]
    text = f"{name} does not repeat itself more than the training images do"
    if repeats.flagged:
        both = f"({number(repeats.generated)}) than real ones do ({number(repeats.training)})"
        text = f"{name} lacks variety: its images resemble each other more {both}"
    if not any(test.flagged for test in memorised.near.values()):
        return f"{text}, and its images are not nearer to training images than these are to each other."
    both = f"({number(near.generated)}) than training images to each other ({number(near.training)})"
    joint = "and" if repeats.flagged else "but"
    return f"{text}, {joint} its images are nearer to a training image {both}: they may be copies."


def _near_duplicates(material: Material, near: int, progress: Progress) -> Table:
    """Near-duplicate pictures of every group that has some, where the real images have pictures too."""
    real, result = material.real.pictures, []
    hashes = None if real is None else hashes_of(real.all(), progress)
    for group in material.groups:
        if real is not None and hashes is not None and group.pictures is not None:
            copies = near_copies(hashes, hashes_of(group.pictures.all(), progress), near)
            result.append((group.name, real.ids, group.pictures.ids, copies))
    return tables.copies_table(result)


# Distances, and agreement with people.

_FIGURES = {"frechet": "frechet_squared", "kl": "kl_group_real"}
"""The distances that are drawn, by the names of their files."""


def distances_answer(
    material: Material,
    vectors: Vectors,
    *,
    judged: People | None = None,
    lpips: str | None = None,
    seed: int = 0,
    name: Name = plain,
    progress: Progress = silent,
) -> Answer:
    """Distances of groups from the real images, and agreement of the scores of images with each other and
    with people.

    lpips: the folder with the weights of LPIPS, "default" for that of the workspace.
    """
    apart = all_distances(vectors.real, vectors.groups, seed=seed)
    by_name = {group.name: group.features for group in material.groups}
    scored = evaluate(material.real.features, by_name, name=material.real.name)
    measured = fidelity(vectors.real, vectors.groups, seed=seed, progress=progress)
    scores: dict[str, dict[str, Floats]] = {}
    agreed: list[people.Agreed] = []
    each: list[dict[str, Any]] = []
    for group, score in zip(material.groups, scored.groups, strict=True):
        closest = nearest(cosines(vectors.groups[group.name], vectors.real))
        own = scores[group.name] = {
            "wsi": score.values.to_numpy(),
            "minus_mahalanobis": -apart.each[group.name],
            "nearest_cosine": closest.value,
        }
        if lpips is not None:
            own["minus_lpips"] = -_lpips(material, group.name, closest.image, lpips, progress)
        ids, columns = list(group.features.index), dict(own)
        agreed += people.agreement(group.name, own)
        if judged is not None and judged.ratings:
            columns["people"] = np.array([judged.ratings.get(image, np.nan) for image in ids])
            agreed += people.with_ratings(group.name, own, columns["people"])
        each += [
            {"group": group.name, "image": image} | {key: float(values[i]) for key, values in columns.items()}
            for i, image in enumerate(ids)
        ]
    halves = {kind: [half[kind] for half in apart.halves] for kind in _FIGURES.values()}
    ranges = {kind: [min(values), max(values)] for kind, values in halves.items() if values}
    shrunk = f"Covariances shrunk (Ledoit-Wolf), archetypes by {apart.shrinkage or 0:.3f}."
    fitted = shrunk if apart.shrunk else "Sample covariances (n - 1)."
    called = {"frechet_squared": "Fréchet distance squared", "kl_group_real": "KL(group ‖ real)"}
    text = "; ".join(
        f"{called[key]} {decimals(low)} to {decimals(high)}" for key, (low, high) in ranges.items()
    )
    differ = f" {len(apart.halves)} random halves of the real images differ by: {text} (seed {seed})."
    parts = [
        Part(
            "distances",
            tables.distances_table(apart),
            "Distances",
            note=f"KL in nats. {apart.n:,} real images, {vectors.what}, {apart.dimensions:,} dimensions. "
            f"{fitted}{differ if ranges else ''}",
        ),
        Part(
            "fidelity",
            tables.fidelity_table(measured),
            "Fidelity and variety",
            note="Precision: generated images within reach of a real one. Recall and coverage: real images "
            "that are reached. KID: 0 for the same distribution. First row: one half of the real images "
            f"against the other half. Reach: {K} nearest neighbours; 95% intervals: {METHOD}, "
            f"{N_RESAMPLES:,} resamples.",
        ),
    ]
    if judged is not None and judged.pairs:
        images = {group.name: list(group.features.index) for group in material.groups}
        pairs = people.with_pairs(people.by_image(images, scores), judged.pairs)
        parts += [
            Part(
                "pairs",
                tables.pairs_table(pairs),
                "Agreement with people about pairs of images",
                note="The share of pairs about which a score makes the same choice as people, with the "
                "percentile bootstrap over judgments.",
            ),
            Part(
                "confusion", tables.confusion_table(pairs), "Which image people and scores prefer, in pairs"
            ),
        ]
    parts += [
        Part(
            "agreement",
            tables.agreement_table(agreed),
            "Agreement of scores",
            note="Spearman's rho within each group; more is better (distances with a minus). With people: "
            "percentile bootstrap over images.",
        ),
        Part("image_scores", Table(each, named(*(each[0] if each else ())))),
    ]
    facts = {
        "vectors": vectors.what,
        "dimensions": apart.dimensions,
        "n_archetypes": apart.n,
        "shrunk": apart.shrunk,
        "shrinkage": apart.shrinkage,
        "seed": seed,
        "halves": {"n": len(apart.halves), **ranges} if ranges else {},
    }

    def drawn(theme: Theme) -> dict[str, Drawn]:
        """Each distance of every group, beside that of halves of the real images."""
        names, result, titles = [row["group"] for row in apart.rows], {}, parts[0].table.columns
        for stem, kind in _FIGURES.items():
            values = [np.nan if row[kind] is None else row[kind] for row in apart.rows]
            title = next(str(column.title) for column in titles if column.name == kind)
            result[stem] = figures.distance_rows(names, values, halves[kind], distance=title, theme=theme)
        return result

    lead = [capitalised(_distances_lead(apart, name))]
    return Answer(lead, facts, parts, "image_scores", drawn)


def _distances_lead(apart: AllDistances, name: Name) -> str:
    kind = "frechet_squared"
    known = [(row[kind], row["group"]) for row in apart.rows if row[kind] is not None]
    if not known:
        return "No group has enough images with different vectors for a distance."
    (near, first), (most, last) = min(known), max(known)
    text = f"{name(first)} is nearest to the real images (Fréchet {figures.far(near)})"
    text += f", {name(last)} farthest ({figures.far(most)})" if len(known) > 1 else ""
    if apart.halves:
        low, high = (end(half[kind] for half in apart.halves) for end in (min, max))
        text += f"; halves of the real images are {span(low, high)} apart"
        text += ", so it is as near as real images are to each other" if near <= high else ""
    return f"{text}."


def _lpips(material: Material, group: str, at: np.ndarray, folder: str, progress: Progress) -> Floats:
    """LPIPS of each image of a group and the real image nearest to it by vectors (its place ``at``, -1 for
    none), shape (n,); NaN without one."""
    own = next(each for each in material.groups if each.name == group).pictures
    if own is None or material.real.pictures is None:
        raise InputError("LPIPS needs pictures of the real images and of every group.")
    pictures, others = own.all(), material.real.pictures.all()
    known, result = np.flatnonzero(at >= 0), np.full(len(at), np.nan)
    measure = networks.load_lpips(folder)
    result[known] = measure([(pictures[i], others[at[i]]) for i in known], progress)
    return result
