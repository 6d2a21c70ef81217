"""The page on generated images: what is scored, what it found, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic import networks, page_scored, uploads
from evalcore.features.synthetic.ablation import ALPHA_BETA, measured_ablation, sensitivity
from evalcore.features.synthetic.answers import (
    Answer,
    Vectors,
    copies_answer,
    distances_answer,
    most_outside,
    score_answer,
    settings_figures,
    vectors_of,
)
from evalcore.features.synthetic.copies import N_RESAMPLES
from evalcore.features.synthetic.figures import presence_map, score_rows, tolerance_rows
from evalcore.features.synthetic.files import bind_weights
from evalcore.features.synthetic.findings import capitalised, remarks
from evalcore.features.synthetic.groups import Group, Material, read_groups, suspected_copies
from evalcore.features.synthetic.measure import plain_name
from evalcore.features.synthetic.page_scored import Chosen
from evalcore.features.synthetic.read_pictures import NEAR_COPIES, Pictures
from evalcore.features.synthetic.tables import features_table
from evalcore.features.synthetic.wsi import Evaluation, GroupScore, Weights, evaluate
from evalcore.results.rows import Table
from evalcore.stats.levels import SAME
from evalcore.study.pictures.image_files import QUALITY, jpeg
from evalcore.ui.components import figure, fold, messages, select, table, tiles
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import CuiscopeError, Report
from evalcore.values.model import SystemLook
from evalcore.values.progress import Progress
from evalcore.values.writing import brief, count, listed, md_escape, number, plain, pluralize

TABLE, IMAGES, NEAREST, DUPLICATES, SETTINGS = (
    Key(name) for name in ("table", "image_by_image", "nearest", "duplicates", "settings")
)
"""What is closed at first."""
GROUP, COPYING, VECTORS = (Key(name, of_study=True) for name in ("group", "copying", "vectors"))
ORDER = Key("first")
ORDERS = {"lowest": "lowest scores", "highest": "highest scores"}
SHOWN, LISTED, NEAREST_SHOWN = 24, 4, 12
PLAIN = (
    "**The features were chosen by hand.** The score sees brightness, texture, objects and sharpness, and "
    "nothing else. What a radiologist would notice first may not be among them.",
    "**A feature is present or it is not.** It is present when its value is in the range of most real "
    "images. A value just outside counts as much as one far away.",
    "**Features outside the range in both are ignored.**",
    "**Real images score below 1, too.** Each feature leaves some of them outside by design. Compare a "
    "group with held-out real images, not with 1.",
    "**A high score proves neither quality nor novelty:** a perfect copy of a real image scores as high "
    "as the image itself. Look at “Copies and diversity” too.",
)
EXPERT = (
    "WSI = C / (C + αU + βV) after Tversky (1977), features weighted, as proposed by Brooks & Deshpande "
    "(2025, arXiv 2503.22658). The full text’s feature list and data were not available: the features "
    "here are a substitute of first-order, Haralick, object and sharpness statistics.",
    "Stipulated by the paper: which features matter, their weights, the tolerance quantiles, and which "
    "side α and β weigh (here α the subject’s surplus, β its lack). Defaults α = β = 1 (Jaccard), "
    "inferred from the ablation values 2/3 and 1/3.",
    "Joint absences count nowhere: features that subject and archetype both lack leave numerator and "
    "denominator alone. The table lists how many there are on average.",
    "Two interpretations: against one archetype with every feature (score of single images), or the mean "
    "over all archetype images with the features each has (statements on pairs). Pairs and nearest images "
    "always use the second.",
    "Tolerances are quantiles of the archetypes themselves, so these pass each feature with the width of "
    "the quantiles (about 90%), and others of the same kind slightly less often. Correlated features are "
    "each counted.",
    "With α ≠ β a pair of generated images has two values; self-similarity takes their mean.",
)


def show(context: Context) -> None:
    """What is scored; then, once the images are measured, what it found and what it rests on."""
    chosen = page_scored.section(context)
    if chosen.why:
        return
    st.header("What it found", anchor=False)
    result = _measured(chosen)
    if result is None:
        return
    material, report = result
    if material is None:
        st.error("These groups cannot be compared.")
        messages.problems(report, key="no-material")
        return
    try:
        compared = _compared(material, report, chosen)
    except CuiscopeError as error:
        st.error(md_escape(str(error)))
        return
    context = _one_look_each(context, material)
    drawn = {name: lambda part=part: part(context, compared) for name, (_, part) in TABS.items()}
    select.parts(drawn, keep=state.TAB, shown=lambda name: TABS[name][0])
    st.header("What it rests on", anchor=False)
    with st.expander("What the score takes into account, and how it was computed", icon=":material/rule:"):
        _assumptions(context, compared)
    report = compared.report + remarks(compared.evaluation)
    kinds = zip(messages.kinds_of_problems(report), ("error", "remark"), strict=True)
    if title := " and ".join(pluralize(n, word) for n, word in kinds if n):
        with st.expander(f"{title} on images and features", icon=":material/rule_folder:"):
            messages.problems(report, key="material-problems")
    title = "Would other settings change the scores?"
    fold.section(title, _settings, context, compared, keep=SETTINGS)


def _one_look_each(context: Context, material: Material) -> Context:
    """Colours and markers by the order of the groups, the same in every figure of the page."""
    groups = {group.name: SystemLook(place=i) for i, group in enumerate(material.groups, 1)}
    real = SystemLook(place=18)  # the eighth colour and the ninth marker
    name = material.real.name
    looks = {"training images": real, name: real, f"{name}, held out": real, **groups}
    return replace(context, theme=replace(context.theme, looks=looks))


# The long work of the page, each piece once for the same images and settings.

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The groups of the page with their scores."""

    material: Material
    report: Report
    chosen: Chosen
    evaluation: Evaluation
    weights: Weights

    def group(self, name: str) -> Group:
        """A group of generated images."""
        return next(group for group in self.material.groups if group.name == name)

    def answer(
        self, what: str, label: str, work: Callable[[Progress], Answer], *more: object
    ) -> Answer | None:
        """The answer to a question about these; None while it is computed."""
        parts = self.material.digest, repr(self.chosen.config), repr(self.weights), *map(str, more)
        return jobs.run(f"synthetic {what} {' '.join(parts)}", work, label=label)

    def scores(self) -> Answer | None:
        """Scores, with copies of real images named first."""

        def work(progress: Progress) -> Answer:
            suspected = suspected_copies(self.material, progress=progress)
            return score_answer(self.evaluation, suspected=suspected, name=_bold)

        return self.answer("scores", "Looking for copies of real images", work)


def _bold(name: str) -> str:
    """The name of a group in a sentence, Markdown."""
    return f"**{md_escape(name)}**"


def _measured(chosen: Chosen) -> tuple[Material | None, Report] | None:
    """The groups, measured, and what is wrong with them; None while they are."""

    def work(progress: Progress) -> tuple[Material | None, Report]:
        return read_groups(chosen.sources, settings=chosen.images, progress=progress)

    key = digest_of([source.digest for source in chosen.sources], chosen.images)
    return jobs.run(f"synthetic material {key}", work, label="Measuring the images")


def _compared(material: Material, report: Report, chosen: Chosen) -> Compared:
    """The groups with their scores under the settings."""
    weights: Weights = chosen.weights
    (name, real), *groups = material.tables.items()
    if chosen.own is not None:
        weights, more = bind_weights(chosen.own, real.columns)
        report += more

    def work() -> Evaluation:
        return evaluate(real, dict(groups), name=name, weights=weights, config=chosen.config)

    key = ("synthetic scores", material.digest, repr(chosen.config), repr(weights))
    return Compared(material, report, chosen, cache.share(key, work, spinner="Scoring the images…"), weights)


FEATURES, UPLOADED, NETWORK = "@features", "@uploaded", "@resnet18"
VECTORS_OFFERED = {
    UPLOADED: "uploaded vectors",
    FEATURES: "the features themselves",
    NETWORK: "ResNet-18 (local weights)",
}


def _vectors(material: Material) -> Vectors | None:
    """Which vectors are used, on every part of the page; None while they are made or where they cannot be.

    Raises InputError where they cannot be compared.
    """
    offered = [UPLOADED] if all(group.vectors is not None for group in material.everyone) else []
    offered += [FEATURES, *([NETWORK] if material.with_pictures else [])]
    kind = select.one(
        "Vectors of the images", offered, keep=VECTORS, width=280, shown=VECTORS_OFFERED.__getitem__
    )
    if kind == FEATURES:
        material = replace(
            material, everyone=tuple(replace(group, vectors=None) for group in material.everyone)
        )
    if kind != NETWORK:
        return vectors_of(material)
    path = networks.weights_path()

    def work(progress: Progress) -> Vectors:
        return vectors_of(material, str(path), progress=progress)

    key = f"synthetic resnet {material.digest} {path} {path.stat().st_mtime_ns}"
    return jobs.run(key, work, label="Vectors by ResNet-18")


# What it found.


def _table(context: Context, answer: Answer, key: str, rows: Table | None = None) -> None:
    """A table of an answer with its note; ``rows``: what is shown of it."""
    part, name = answer.part(key), key.replace("_", "-")
    table.declared(
        context,
        rows or part.table,
        key=f"synthetic-{name}",
        height=320,
        alt=f"Table of {pluralize(len(part.table.rows), 'row')}: {name}",
        stem=context.stem(f"synthetic-{name}"),
        note=md_escape(part.note, limit=900),
        saved=part.table,
    )


def _group_of(compared: Compared, *, keep: Key = GROUP, first: str = "") -> GroupScore:
    """The group that is looked at; at first the one with the lowest mean, or ``first`` if it is there."""
    groups = compared.evaluation.groups
    known = [group for group in groups if len(group.defined)] or groups
    names, lowest = [group.name for group in groups], min(known, key=lambda group: group.mean).name
    state.follow_default(keep)
    name = select.one("Group", names, keep=keep, first=first if first in names else lowest, width=260)
    return next(group for group in groups if group.name == name)


def _scores(context: Context, compared: Compared) -> None:
    """The sentence and the figure; closed, the groups as a table and the images of one group."""
    answer = compared.scores()
    if answer is None:
        return
    messages.lead(" ".join(answer.lead))
    score = "Score" if context.choice.plain else "WSI"
    drawn = score_rows(compared.evaluation.rows, score=score, theme=context.theme)
    figure.show(context, drawn, key="synthetic-scores")
    fold.section("Scores as a table", _table, context, answer, "scores", keep=TABLE)
    title = "Image by image: what is outside the range of real images"
    fold.section(title, _images, context, compared, keep=IMAGES)


def _images(context: Context, compared: Compared) -> None:
    """The images of a group in the order of their scores."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = _group_of(compared)
        order = select.segments("First", ORDERS, keep=ORDER, width="content")
    values = group.values.dropna().sort_values(ascending=order == "lowest", kind="stable")[:SHOWN]
    if not len(values):
        st.info("No image of this group has a score.", icon=":material/search_off:")
        return
    st.caption(
        f"{count(len(values))} of {pluralize(len(group.values), 'image')}, {order} scores first. With each "
        "image: its score and the features outside the range of real images."
    )
    pictures, shown = compared.group(group.name).pictures, []
    for image, value in values.items():
        at = int(group.values.index.get_loc(image))
        missing = group.presence.missing(at, compared.evaluation.names)
        lacks = [plain_name(name) if context.choice.plain else name for name in missing]
        outside = md_escape(listed(lacks, limit=LISTED), limit=200) if lacks else "all within the range"
        text = f"**{brief(float(value))}** · {md_escape(str(image), limit=40)} · {outside}"
        shown.append((pictures, str(image), text))
    _gallery(shown, key="images")


def _features(context: Context, compared: Compared) -> None:
    """The intervals, the shares, and both as one table."""
    answer, evaluation = compared.scores(), compared.evaluation
    if answer is None:
        return

    def called(name: str) -> str:
        return plain_name(name) if context.choice.plain else name

    outside = [(int((group.shares < 0.5).sum()), group.name) for group in evaluation.groups]
    lost = [f"{_bold(name)} {pluralize(n, 'feature')}" for n, name in sorted(outside, reverse=True) if n]
    messages.lead(
        f"Outside the range of real images in most images of a group: {listed(lost, limit=8)}."
        if lost
        else "In every group, every feature is within the range of real images in half of the images or more."
    )
    kept, everyone = most_outside(evaluation), [group.name for group in evaluation.everyone]
    if len(kept) < (n := len(evaluation.names)):
        st.caption(f"Drawn: the {len(kept)} of {n} features most often outside the range.")
    shares = np.column_stack([group.shares for group in evaluation.everyone])[kept]
    names = [called(evaluation.names[j]) for j in kept]
    medians = pd.DataFrame({group.name: group.features.median() for group in compared.material.groups}).iloc[
        kept
    ]
    low, high = evaluation.config.quantiles
    what = (
        f"from the {low:.0%} to the {high:.0%} quantile of {pluralize(len(evaluation.values), 'real image')}"
    )
    bounds, intervals = evaluation.bounds[:, kept], evaluation.bound_intervals[:, :, kept]
    drawn = tolerance_rows(names, bounds, intervals, medians, of=what, theme=context.theme)
    figure.show(context, drawn, key="tolerances")
    figure.show(context, presence_map(names, everyone, shares, theme=context.theme), key="presence")
    rows = features_table(evaluation, lambda name: plain(called(name)))
    fold.section("Features as a table", _table, context, answer, "features", rows, keep=TABLE)


def _copies(context: Context, compared: Compared) -> None:
    """One group against the training images, which are the real ones."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = _group_of(compared, keep=COPYING, first=NEAR_COPIES).name
        try:
            held = _vectors(compared.material)
        except CuiscopeError as error:
            st.info(md_escape(str(error), limit=600), icon=":material/info:")
            return
    if held is None:
        return
    selected = replace(compared.material, everyone=(compared.material.real, compared.group(name)))
    own_vectors = held._replace(groups={name: held.groups[name]})

    def work(progress: Progress) -> Answer:
        options = {"config": compared.chosen.config, "n_resamples": N_RESAMPLES}
        return copies_answer(selected, own_vectors, **options, name=_bold, progress=progress)  # type: ignore[arg-type]

    try:
        answer = compared.answer("copies", "Comparing pairs of images", work, name, held.digest)
    except CuiscopeError as error:
        st.info(md_escape(str(error)), icon=":material/info:")
        return
    if answer is None:
        return
    messages.lead(" ".join(answer.lead))
    _table(context, answer, "tests")
    figure.show(context, answer.figures(context.theme)["pairs-1"], key="pairs-within")
    own, real = selected.groups[0].pictures, selected.real.pictures

    def nearest() -> None:
        rows = sorted(
            answer.part("nearest").table.rows, key=lambda row: -np.nan_to_num(row["cosine"], nan=-2)
        )
        st.caption("The nearest pairs first: each generated image, then its nearest training image.")
        shown: list[tuple[Pictures | None, str, str]] = []
        for row in rows[:NEAREST_SHOWN]:
            if row["nearest_cosine"] is not None:
                values = f"cosine {brief(row['cosine'])} · WSI {brief(row['wsi'])}"
                shown.append((own, row["image"], f"{md_escape(row['image'], limit=30)} · {values}"))
                shown.append((real, row["nearest_cosine"], md_escape(row["nearest_cosine"], limit=30)))
        _gallery(shown, key="nearest")
        _table(context, answer, "nearest")

    def duplicates() -> None:
        if own is None or real is None:
            st.caption("These groups have features only; near duplicates are found in pictures.")
            return
        rows = answer.part("near_duplicates").table.rows
        of_training = len({row["generated"] for row in rows if row["of_training"]})
        images = pluralize(len(own), "generated image")
        st.markdown(f"**{count(of_training)}** of {images} are near-identical to a training image.")
        _table(context, answer, "near_duplicates")

    fold.section("The nearest training image", nearest, keep=NEAREST)
    fold.section("Near-duplicate pictures", duplicates, keep=DUPLICATES)


def _distances(context: Context, compared: Compared) -> None:
    """The distances of all groups, then agreement of scores with each other and with people."""
    judged = uploads.kept(context.entry.path, uploads.PEOPLE)
    try:
        held = _vectors(compared.material)
        if held is None:
            return

        def work(progress: Progress) -> Answer:
            return distances_answer(compared.material, held, judged=judged, name=_bold, progress=progress)

        answer = compared.answer("distances", "Fitting Gaussians", work, held.digest, digest_of(repr(judged)))
    except CuiscopeError as error:
        st.info(md_escape(str(error), limit=600), icon=":material/info:")
        return
    if answer is None:
        return
    messages.lead(" ".join(answer.lead))
    for stem, drawn in answer.figures(context.theme).items():
        figure.show(context, drawn, key=f"distances-{stem}", note=stem == "frechet")
    for part in answer.parts[:-1]:  # the scores of every image are in files
        _table(context, answer, part.key)
        if part.key == "fidelity":
            st.subheader("Do the scores agree?", anchor=False)
            if judged is None:
                st.caption(
                    "With judgments of people (under Own images), this shows which score agrees with them."
                )


TABS: dict[str, tuple[str, Callable[[Context, Compared], None]]] = {
    "scores": ("Scores", _scores),
    "features": ("Features", _features),
    "copies": ("Copies and diversity", _copies),
    "others": ("Distances and people", _distances),
}
"""The parts by their names in the address; the open one alone is drawn."""

# What it rests on.


def _assumptions(context: Context, compared: Compared) -> None:
    """Five sentences for everybody, six for who wants to know; and what the groups are, if known."""
    st.markdown("\n".join(f"- {text}" for text in (PLAIN if context.choice.plain else EXPERT)))
    config, (low, high) = compared.chosen.config, compared.chosen.config.quantiles
    against = "one archetype with every feature" if config.archetype == "tolerance" else "each real image"
    st.caption(
        f"Now: compared with {against}, alpha {config.alpha:g}, beta {config.beta:g}, quantiles {low:g} "
        f"and {high:g}, {len(compared.evaluation.names)} features."
    )
    if compared.chosen.about:
        st.caption(f"Groups: {compared.chosen.about}.")


def _settings(context: Context, compared: Compared) -> None:
    """The mean score of a group under other settings, without each feature, and without channels."""

    def work(progress: Progress) -> Answer:
        tables, config, by = compared.evaluation.tables, compared.chosen.config, compared.chosen.images
        rows = sensitivity(tables, weights=compared.weights, config=config, progress=progress)
        cut = None
        if compared.material.with_pictures:
            cut = measured_ablation(tables, by, weights=compared.weights, config=config)
        return score_answer(compared.evaluation, settings=rows, channels=cut)

    answer = compared.answer("settings", "Trying other settings", work)
    if answer is None:
        return
    rows, group = pd.DataFrame(answer.part("sensitivity").table.rows), _group_of(compared)
    st.markdown(_settings_lead(rows, [each.name for each in compared.evaluation.groups]))
    called = plain_name if context.choice.plain else str
    for stem, drawn in settings_figures(rows, group, compared.chosen.config, context.theme, called).items():
        figure.show(context, drawn, key=f"settings-{stem}", note=stem in ("alpha-beta", "without"))
    if any(part.key == "channels" for part in answer.parts):
        st.markdown("**Images without channels**")
        _table(context, answer, "channels")
    _table(context, answer, "sensitivity")


def _settings_lead(rows: pd.DataFrame, groups: list[str]) -> str:
    """Do alpha and beta change which group is best?"""
    of_sides = rows[rows["what"] == ALPHA_BETA].pivot(index="setting", columns="group", values="mean")
    means = of_sides[groups].dropna()
    if len(groups) < 2 or means.empty:
        low, high = (
            md_escape(number(float(end))) for end in (means[groups[0]].min(), means[groups[0]].max())
        )
        return f"The mean score of **{md_escape(groups[0])}** is between **{low}** and **{high}**."
    apart = means[np.ptp(means.to_numpy(), axis=1) > SAME]
    if apart.empty:
        return "Under every pair of alpha and beta, all groups are equally close to the real images."
    wins = apart.idxmax(axis=1).value_counts()
    of_all = f"{wins.iloc[0]} of {pluralize(len(means), 'pair')} of alpha and beta"
    return f"**{capitalised(md_escape(wins.index[0]))}** is most like the real images under {of_all}."


# Tiles of pictures that belong to no study: uploaded ones and altered copies.

SIZE, WIDTH = 192, 132
"""Pixels of a tile as it is made, and as it is drawn."""


def _gallery(shown: Sequence[tuple[Pictures | None, str, str]], *, key: str) -> None:
    """Images in rows: where the picture is, its id and its caption (Markdown); those without a picture as
    captions alone."""
    made = [
        (None if own is None else _tile(own.digest, image, own), image, text) for own, image, text in shown
    ]
    with_tile = [(tile, image, text) for tile, image, text in made if tile is not None]
    if with_tile:
        images, names, captions = (list(column) for column in zip(*with_tile, strict=True))
        with st.container(key=f"gallery-{key}"):
            st.image(images, captions, WIDTH, alt=[plain(name, limit=200) for name in names])
    if rest := [f"- {text}" for tile, _, text in made if tile is None]:
        st.markdown("\n".join(rest))


@st.cache_data(max_size="60MB", show_spinner=False)
def _tile(digest: str, image: str, _pictures: Pictures) -> bytes | None:  # noqa: ARG001
    try:
        return tiles.mounted(jpeg(_pictures.picture(image), quality=QUALITY), size=SIZE)
    except CuiscopeError:
        return None
