"""What the commands answer about groups of images: a JSON document, lines for people, tables and figures
for a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from evalcore.evaluate.duplicates import NEAR
from evalcore.features.synthetic import figures
from evalcore.features.synthetic.ablation import ALPHA_BETA, LEVEL, SHARE, SIDES, WEIGHTS, WITHOUT, Step
from evalcore.features.synthetic.copies import METHOD as RELABELLED
from evalcore.features.synthetic.copies import Memorisation, cosines, memorisation, near_copies, nearest
from evalcore.features.synthetic.distances import (
    N_RESAMPLES,
    AllDistances,
    K,
    all_distances,
    feature_vectors,
    fidelity,
    verdict,
)
from evalcore.features.synthetic.findings import capitalised, headline, remarks
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.networks import load_encoder, load_lpips
from evalcore.features.synthetic.people import agreement, by_image, image_scores, with_pairs, with_ratings
from evalcore.features.synthetic.read.files import People
from evalcore.features.synthetic.read.groups import Material, Suspected
from evalcore.features.synthetic.tables import (
    Agreed,
    Tested,
    ablation_table,
    agreement_table,
    by_group,
    confusion_table,
    copies_table,
    distances_table,
    features_table,
    fidelity_table,
    group_record,
    groups_table,
    images_table,
    nearest_rows,
    nearest_table,
    pairs_table,
    scores_table,
    settings_table,
    subjects_table,
    tests_table,
)
from evalcore.features.synthetic.wsi import METHOD, Evaluation, GroupScore, WsiConfig, evaluate
from evalcore.figures.frame import Drawn
from evalcore.figures.theme import Theme
from evalcore.results.rows import Table, decimals, named, plain
from evalcore.values.arrays import Floats, digest_of
from evalcore.values.errors import InputError, Report
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.writing import number, pluralize, span

MOST_FEATURES = 60
"""Features of a figure: those that are most often outside the range."""


Name = Callable[[str], str]


class Answer(NamedTuple):
    """What was asked, answered: ``lead`` in a few sentences; a JSON document; lines and tables for the
    terminal; the rows of ``--csv``; tables by file name; and figures by file name, drawn in a theme.
    ``groups``: the scores of groups for pages."""

    lead: list[str]
    document: dict[str, Any]
    shown: list[str | Table]
    csv: Table
    tables: Mapping[str, Table]
    figures: Callable[[Theme], dict[str, Drawn]]
    remarks: Report = Report()
    groups: Table | None = None


# Scores.


def score_answer(
    of: Evaluation,
    tables: Mapping[str, pd.DataFrame],
    *,
    images: ImageSettings | None = None,
    left_out: Mapping[str, int] | None = None,
    weights: str = "uniform",
    suspected: Sequence[Suspected] = (),
    settings: pd.DataFrame | None = None,
    steps: Mapping[str, Sequence[Step]] | None = None,
    top: int = 20,
    name: Name = plain,
) -> Answer:
    """The scores of groups; ``name`` writes the name of a group in the lead.

    tables: features by group, the archetypes first. images: how pictures were measured, None for tables.
    settings: scores under other settings (`sensitivity`); steps: without channels, by group.
    """
    notes, lines = remarks(of, tables), headline(of, suspected, name=name, number=number)
    subjects, lost = subjects_table(of), dict(left_out or {})
    channels = {group: ablation_table(some) for group, some in (steps or {}).items()}
    document = {
        "settings": of.config.as_dict()
        | {"weights": weights, "images": images.as_dict() if images else None},
        "seed": of.config.seed,
        "ci_method": METHOD,
        "ci_level": of.config.level,
        "n_resamples": of.config.n_resamples,
        "features": features_table(of),
        "headline": lines,
        "suspected_copies": {suspect.group: list(suspect.copies) for suspect in suspected},
        "held_out": None if of.held_out is None else group_record(of.held_out, of),
        "subjects": subjects,
        "archetypes": group_record(of.archetypes, of),
        "groups": [group_record(group, of) for group in of.groups],
        "left_out": lost,
        "remarks": [problem.as_dict() for problem in notes.problems],
    }
    made = {"scores": scores_table(of), "images": images_table(of), "features": features_table(of)}
    if settings is not None:
        document |= {"sensitivity": settings_table(settings)}
        document |= (
            {"channels": {group: table.records() for group, table in channels.items()}} if channels else {}
        )
        made["sensitivity"] = settings_table(settings)
        made |= {f"channels-{k}": table for k, table in enumerate(channels.values(), start=1)}
    shown = [*_scores_shown(of, subjects, weights, sum(lost.values()), top)]
    if settings is not None:
        shown += _settings_shown(of, settings, channels, top)
    return Answer(
        lines,
        document,
        shown,
        subjects,
        made,
        lambda theme: _score_figures(of, settings, theme),
        notes,
        groups_table(of),
    )


def _scores_shown(
    of: Evaluation, subjects: Table, weights: str, lost: int, top: int
) -> Iterator[str | Table]:
    config, n = of.config, len(of.archetypes.values)
    by = (
        "one archetype that has every feature (alpha decides nothing)"
        if config.archetype == "tolerance"
        else "each archetype image, and the mean over them"
    )
    tolerance = f" Tolerance: {tolerance_text(config)} of {n:,} archetype images." if of.measured else ""
    yield (
        f"WSI by {len(of.names):,} features, alpha = {config.alpha:g}, beta = {config.beta:g}, weights "
        f"{plain(weights)}, against {by}.{tolerance} Intervals: {config.level:.0%}, {METHOD}, "
        f"{config.n_resamples:,} resamples, seed {config.seed}."
    )
    yield groups_table(of)
    if lost:
        yield f"Left out, because unreadable: {pluralize(lost, 'image')}."
    shares = np.array([group.shares for group in of.everyone])
    gaps = np.where(np.isnan(shares[1:] - shares[0]), 2.0, shares[1:] - shares[0]).min(axis=0)
    order = np.argsort(gaps, kind="stable").tolist()
    what = "the share of images within the range" if of.measured else "who has them"
    yield ""
    yield f"Features and {what}, furthest below the archetypes first{_of_all(order, top)}:"
    yield features_table(of)._replace(rows=order[: top or None])
    worst = sorted(
        subjects.rows, key=lambda row: (math.isnan(row["wsi"]), row["wsi"], row["group"], row["ID"])
    )
    yield ""
    yield f"Subjects, lowest first{_of_all(worst, top)}:"
    yield subjects._replace(rows=worst[: top or None])


def tolerance_text(config: WsiConfig) -> str:
    """What tolerances are, before "of so many images"."""
    if config.within is not None:
        return f"+-{config.within:.4g} of the mean"
    return f"quantiles {config.quantiles[0]:g} to {config.quantiles[1]:g}"


def _settings_shown(
    of: Evaluation, settings: pd.DataFrame, channels: Mapping[str, Table], top: int
) -> Iterator[str | Table]:
    """Group means by setting, one row per setting; without each feature; then without channels."""
    groups = [group.name for group in of.everyone]
    rows = [
        (f"{what} {setting}", values)
        for what in (ALPHA_BETA, LEVEL, SHARE, WEIGHTS)
        for setting, values in zip(*_means(settings, what, groups), strict=True)
    ]
    yield ""
    yield "Group means under other settings:"
    yield by_group(rows, groups, "setting")
    names, means = _means(settings, WITHOUT, groups)
    change = np.nan_to_num(np.abs(means - [group.mean for group in of.everyone])).max(axis=1, initial=0.0)
    order = np.argsort(-change, kind="stable").tolist()
    yield ""
    yield f"Group means without a feature, largest change first{_of_all(order, top)}:"
    yield by_group([(names[j], means[j]) for j in order[: top or None]], groups, "without")
    for group, steps in channels.items():
        yield ""
        yield f"{plain(group)} without channels:"
        yield steps
        yield ABLATION


def _means(settings: pd.DataFrame, what: str, groups: Sequence[str]) -> tuple[list[str], Floats]:
    """The settings of a kind in their order, and the mean of each group under each, shape (settings,
    groups)."""
    chosen = settings[settings["what"] == what]
    names = list(chosen["setting"].unique())
    table = chosen.pivot(index="setting", columns="group", values="mean").reindex(names, columns=list(groups))
    return names, table.to_numpy(float)


ABLATION = (
    "predicted: from the whole images, the features of removed channels counted as absent. ideal: were "
    "everything within tolerance but those. detected: share of those features out of tolerance."
)


def _of_all(rows: Any, top: int) -> str:
    return f" ({top:,} of {len(rows):,})" if top and len(rows) > top else ""


def _score_figures(of: Evaluation, settings: pd.DataFrame | None, theme: Theme) -> dict[str, Drawn]:
    """Scores and features; of every group but the archetypes alpha and beta, tolerances, single features."""
    shares = np.column_stack([group.shares for group in of.everyone])
    least = np.argsort(np.nan_to_num(shares[:, 1:], nan=1.0).min(axis=1), kind="stable")[:MOST_FEATURES]
    kept, names = np.sort(least), [group.name for group in of.everyone]
    drawn = {
        "scores": figures.score_rows(of.rows, score="WSI", theme=theme),
        "features": figures.presence_map(list(of.names[kept]), names, shares[kept], theme=theme),
    }
    for k, group in enumerate(of.groups if settings is not None else (), start=1):
        assert settings is not None
        of_group = settings_figures(settings, group, of.config, theme)
        drawn |= {f"{stem}-{k}": figure for stem, figure in of_group.items()}
    return drawn


def settings_figures(
    settings: pd.DataFrame, group: GroupScore, config: WsiConfig, theme: Theme, called: Name = str
) -> dict[str, Drawn]:
    """Mean scores of a group over alpha and beta, over how wide the tolerance is, and without each feature.

    ``called``: what a feature is called.
    """
    sides = [f"{side:g}" for side in SIDES]
    square = _means(settings, ALPHA_BETA, [group.name])[1].reshape(len(sides), len(sides)).T
    now = f"{config.beta:g}", f"{config.alpha:g}"
    axes = "weight of what is extra (alpha)", "weight of what is missing (beta)"
    look: dict[str, Any] = {"group": group.name, "theme": theme}
    values = pd.DataFrame(square, sides, sides)
    what = "what the settings change"
    drawn = {"alpha-beta": figures.settings_map(values, axes=axes, now=now, what=what, **look)}
    level = f"{config.quantiles[1] - config.quantiles[0]:.0%}" if config.within is None else None
    share = None if config.within is None else f"±{config.within:.0%}"
    for stem, kind, form, title, used in (
        ("level", LEVEL, "{:.0%}", "middle share of the real images counted as within", level),
        ("tolerance", SHARE, "±{:.0%}", "tolerance: so much of the mean of the real images", share),
    ):
        names, means = _means(settings, kind, [group.name])
        if names:
            row = pd.DataFrame(means.T, ["mean score"], [form.format(float(name)) for name in names])
            what = "how wide the tolerance is"
            chosen = None if used is None else ("mean score", used)
            drawn[stem] = figures.settings_map(row, axes=(title, ""), now=chosen, what=what, **look)
    names, means = _means(settings, WITHOUT, [group.name])
    return drawn | {
        "without": figures.dropped_bars([called(name) for name in names], means[:, 0] - group.mean, **look)
    }


# Vectors of images: given ones, by ResNet-18, or the features themselves.


class Vectors(NamedTuple):
    """Of the real images and of each group by name, rows of NaN for images without one; ``what`` they are."""

    real: Floats
    groups: Mapping[str, Floats]
    what: str

    @property
    def digest(self) -> str:
        """Of the numbers."""
        return digest_of(self.real, *self.groups.values())


def vectors_of(of: Material, resnet: str | None = None, *, progress: Progress = silent) -> Vectors:
    """The vectors of the images; ``resnet``: the weights of ResNet-18, "default" for those of the workspace.

    Raises InputError where some groups have vectors and others none, or what makes them is missing.
    """
    names = [group.name for group in of.groups]
    if resnet is not None:
        encode, rows = load_encoder(None if resnet == "default" else resnet), []
        for i, group in enumerate(of.everyone):
            if group.pictures is None:
                raise InputError(f"{group.name} has features only; ResNet-18 needs pictures.")
            rows.append(encode(group.pictures.all(), part_of(progress, i, len(of.everyone))))
        return Vectors(rows[0], dict(zip(names, rows[1:], strict=True)), "ResNet-18, average pool")
    missing = [group.name for group in of.everyone if group.vectors is None]
    if len(missing) < len(of.everyone):
        if missing:
            raise InputError(f"There are no vectors of {', '.join(missing)}. Give --vectors for every group.")
        given = [np.asarray(group.vectors, float) for group in of.everyone]
        return Vectors(given[0], dict(zip(names, given[1:], strict=True)), "given vectors")
    used, real, others = feature_vectors(of.real.features, list(of.tables.values()))
    what = f"{len(used)} features in spreads of the real images"
    return Vectors(real, dict(zip(names, others, strict=True)), what)


# Copies.


def copies_answer(
    of: Material,
    vectors: Vectors,
    *,
    config: WsiConfig,
    n_resamples: int,
    near: int = NEAR,
    name: Name = plain,
    progress: Progress = silent,
) -> Answer:
    """Whether groups repeat themselves or the real images, which are the training images here."""
    scored = evaluate(of.real.features, of.tables, name=of.real.name, config=config)
    tests: list[Tested] = []
    rows: list[dict[str, Any]] = []
    each: list[tuple[str, Memorisation]] = []
    for group in scored.groups:
        got = memorisation(
            scored.archetypes,
            group,
            weights=scored.weights.to_numpy(),
            config=config,
            vectors=(vectors.real, vectors.groups[group.name]),
            n_resamples=n_resamples,
            progress=progress,
        )
        each.append((group.name, got))
        tests += [Tested(group.name, *test, got.drawn) for test in got.tests("WSI", "cosine")]
        rows += nearest_rows(group.name, got)
    like = _near_duplicates(of, near, progress)
    tested, close = tests_table(tests), nearest_table(rows, groups=True)
    document = {
        "test": RELABELLED,
        "n_resamples": n_resamples,
        "seed": config.seed,
        "settings": config.as_dict(),
        "vectors": vectors.what,
        "tests": tested,
        "nearest": close,
        "near_duplicates": like,
        "near": near,
    }
    below = (
        f"Tests: {RELABELLED}, {n_resamples:,} relabellings, seed {config.seed}; 95% intervals of the "
        f"difference by bootstrap over images. Vectors: {vectors.what}."
    )
    copied: list[str | Table] = ["No near-duplicate pictures."]
    if like.rows:
        copied = ["", "Near-duplicate pictures:", like._replace(rows=like.rows[:20])]
    made = {"tests": tested, "nearest": close, "near-duplicates": like}

    def draw(theme: Theme) -> dict[str, Drawn]:
        return {
            f"pairs-{k}": figures.pair_lines(
                *got.features.pairs, names=("training images", group), of="WSI of pairs", theme=theme
            )
            for k, (group, got) in enumerate(each, start=1)
        }

    lead = [capitalised(_copies_lead(name(group), got)) for group, got in each]
    return Answer(lead, document, [tested, below, *copied], close, made, draw)


def _copies_lead(name: str, got: Memorisation) -> str:
    likenesses = [got.features, *([] if got.vectors is None else [got.vectors])]
    itself, near = got.itself, likenesses[-1].near
    repeats = f"{name} does not repeat itself more than the training images do"
    if itself.flagged():
        both = f"({number(itself.generated)}) than real ones do ({number(itself.training)})"
        repeats = f"{name} lacks variety: its images resemble each other more {both}"
    if not any(likeness.near.flagged() for likeness in likenesses):
        return f"{repeats}, and its images are not nearer to training images than these are to each other."
    both = f"({number(near.generated)}) than training images to each other ({number(near.training)})"
    joint = "and" if itself.flagged() else "but"
    return f"{repeats}, {joint} its images are nearer to a training image {both}: they may be copies."


def _near_duplicates(of: Material, near: int, progress: Progress) -> Table:
    """Near-duplicate pictures of every group that has some, where the real images have pictures too."""
    result, real = [], of.real.pictures
    for group in of.groups:
        if real is not None and group.pictures is not None:
            pictures = [*real.all(), *group.pictures.all()]
            generated = np.arange(len(pictures)) >= len(real.items)
            copies = near_copies(pictures, generated, near=near, progress=progress)
            result.append((group.name, [*real.ids, *group.pictures.ids], copies))
    return copies_table(result)


# Distances, and agreement with people.


def distances_answer(
    of: Material,
    vectors: Vectors,
    *,
    people: People | None = None,
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
    scored = evaluate(of.real.features, of.tables, name=of.real.name)
    measured = fidelity(vectors.real, vectors.groups, seed=seed, progress=progress)
    scores: dict[str, dict[str, Floats]] = {}
    for group, score, distance in zip(of.groups, scored.groups, apart.groups, strict=True):
        rows = vectors.groups[group.name]
        scores[group.name] = image_scores(score.values.to_numpy(), distance.each, rows, vectors.real)
        if lpips is not None:
            scores[group.name]["minus_lpips"] = -_lpips(of, group.name, vectors, lpips, progress)
    ids = {group.name: list(group.features.index) for group in of.groups}
    ratings = None if people is None or not people.ratings else people.ratings
    agreed: list[Agreed] = []
    each: list[dict[str, Any]] = []
    for group_name, columns in scores.items():
        judged = None
        if ratings is not None:
            judged = np.array([ratings.get(image, np.nan) for image in ids[group_name]])
        agreed += _agreement(group_name, columns, judged)
        people_too: dict[str, Floats] = {} if judged is None else {"people": judged}
        held = columns | people_too
        for i, image in enumerate(ids[group_name]):
            row: dict[str, Any] = {"group": group_name, "image": image}
            each.append(row | {score: float(values[i]) for score, values in held.items()})
    pairs = [] if people is None or not people.pairs else with_pairs(by_image(ids, scores), people.pairs)
    made = {
        "distances": distances_table(apart),
        "fidelity": fidelity_table(measured),
        "agreement": agreement_table(agreed),
        "image-scores": Table(each, named(*(each[0] if each else ()))),
    }
    if pairs:
        made |= {"pairs": pairs_table(pairs), "confusion": confusion_table(pairs)}
    halves, line = _halves(apart)
    document: dict[str, Any] = {
        "vectors": vectors.what,
        "dimensions": apart.dimensions,
        "n_archetypes": apart.n,
        "shrunk": apart.shrunk,
        "shrinkage": apart.shrinkage,
        "seed": seed,
        "groups": made["distances"],
        "halves": halves,
        "fidelity": made["fidelity"],
        "agreement": made["agreement"],
    }
    if pairs:
        document |= {"pairs": made["pairs"], "confusion": made["confusion"]}
    about = [
        f"Precision, recall, density and coverage by the {K} nearest neighbours, and KID; 95% intervals: "
        f"{METHOD}, {N_RESAMPLES:,} resamples. The first row is a half of the real images against the "
        "other half."
    ]
    shown: list[str | Table] = [
        f"{apart.n:,} real images, {vectors.what}, {apart.dimensions:,} dimensions. {fitted_text(apart)}",
        made["distances"],
        *line,
        "",
        *about,
        *filter(None, [verdict(measured)]),
        made["fidelity"],
    ]
    if agreed:
        shown += ["", "Agreement of scores within each group (Spearman's rho):", made["agreement"]]
    if pairs:
        shown += ["", "Agreement with people about pairs of images (share of pairs):", made["pairs"]]
        shown += ["", "Which image people and scores prefer, in pairs:", made["confusion"]]
    return Answer(
        [capitalised(_distances_lead(apart, name))],
        document,
        shown,
        made["image-scores"],
        made,
        lambda theme: {stem: _distance_figure(apart, which, theme) for stem, which in _FIGURES.items()},
    )


def _agreement(group: str, scores: Mapping[str, Floats], judged: Floats | None) -> list[Agreed]:
    """Spearman's rho of every two scores within a group, and with people its interval."""
    both = agreement(scores)
    rows = [
        Agreed(group, both.names[j], name, float(both.rho[i, j]), None, None, both.n)
        for i, name in enumerate(both.names)
        for j in range(i)
    ]
    if judged is not None:
        rows += [
            Agreed(group, found.name, "people", found.value, found.low, found.high, found.n)
            for found in with_ratings(scores, judged)
        ]
    return rows


def fitted_text(apart: AllDistances) -> str:
    """How the Gaussians were fitted."""
    if apart.shrunk:
        return f"Covariances shrunk (Ledoit-Wolf), archetypes by {apart.shrinkage or 0:.3f}."
    return "Sample covariances (n - 1)."


def _halves(apart: AllDistances) -> tuple[dict[str, Any], list[str]]:
    """The same distances of random halves of the real images, as a record and in a sentence."""
    if not apart.halves:
        return {}, []
    ends = {
        "kl": [half.forward for half in apart.halves],
        "frechet_squared": [half.frechet for half in apart.halves],
    }
    ranges = {name: [min(values), max(values)] for name, values in ends.items()}
    text = "; ".join(f"{name} {decimals(low)} to {decimals(high)}" for name, (low, high) in ranges.items())
    n = len(apart.halves)
    return {"n": n, **ranges}, [
        f"{n} random halves of the real images differ by: {text} (seed {apart.seed})."
    ]


_FIGURES = {"frechet": "frechet", "kl": "forward"}
_NAMES = {"frechet": "Fréchet distance, squared", "forward": "KL(group ‖ real)"}


def _distance_figure(apart: AllDistances, which: str, theme: Theme) -> Drawn:
    """One distance of every group, beside that of halves of the real images."""
    values = [getattr(group.distances, which, math.nan) for group in apart.groups]
    halves = [getattr(half, which) for half in apart.halves]
    names = [group.name for group in apart.groups]
    return figures.distance_rows(names, values, halves, distance=_NAMES[which], theme=theme)


def _distances_lead(apart: AllDistances, name: Name) -> str:
    known = [(group.distances.frechet, group.name) for group in apart.groups if group.distances is not None]
    if not known:
        return "No group has enough images with different vectors for a distance."
    (near, first), (most, last) = min(known), max(known)
    text = f"{name(first)} is nearest to the real images (Fréchet {figures.far(near)})"
    if len(known) > 1:
        text += f", {name(last)} farthest ({figures.far(most)})"
    if apart.halves:
        low, high = (end(half.frechet for half in apart.halves) for end in (min, max))
        text += f"; halves of the real images are {span(low, high)} apart"
        text += ", so it is as near as real images are to each other" if near <= high else ""
    return f"{text}."


def _lpips(of: Material, group: str, vectors: Vectors, folder: str, progress: Progress) -> Floats:
    """LPIPS of each image of a group and the real image nearest to it by vectors, shape (n,); NaN without
    one."""
    own = next(one for one in of.groups if one.name == group).pictures
    if own is None or of.real.pictures is None:
        raise InputError("LPIPS needs pictures of the real images and of every group.")
    at = nearest(cosines(vectors.groups[group], vectors.real)).image
    known = np.flatnonzero(at >= 0)
    pictures, others = own.all(), of.real.pictures.all()
    result = np.full(len(at), np.nan)
    measure = load_lpips(None if folder == "default" else folder)
    result[known] = measure([(pictures[i], others[at[i]]) for i in known], progress)
    return result
